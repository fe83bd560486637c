//! Outlook's stores, PST and OST, after Microsoft's [MS-PST]; an OST of Outlook 2013 and later has
//! larger pages and blocks. The members of a message are in a directory of its own,
//! `folder/message NUMBER/`: its stored properties, its texts, and its attachments. All messages
//! that the tree of nodes holds are listed, in the order of their numbers.

mod block;
mod check;
mod cipher;
mod data;
mod heap;
mod layout;
mod message;
mod page;
mod store;

pub use store::MAGIC;

use super::limits::Limits;
use super::member::{failure, plain_name};
use heap::Properties;
use message::ReadyMembers;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Failure, Node as Member, Nodes};
use std::collections::HashMap;
use std::sync::Arc;
use store::{KIND, Node, Store, Walk};

const FOLDER: u32 = 2;
const MESSAGE: u32 = 4;
/// A message that a folder keeps for itself: a rule, a view.
const ASSOCIATED: u32 = 8;
/// Folders in one another.
const DEEPEST: usize = 256;
/// The longest path of a folder, and bytes of all that are held.
const LONGEST: usize = 32 << 10;
const HELD: usize = 64 << 20;

/// The members of a store.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let store = Arc::new(Store::open(bytes)?);
    let (nodes, folders, ready) = (store.nodes(), HashMap::new(), ReadyMembers::default());
    Ok(Box::new(Listing { store, nodes, folders, held: 0, ready, left: limits.entries }))
}

struct Listing {
    store: Arc<Store>,
    nodes: Walk,
    /// Paths of folders by number.
    folders: HashMap<u32, Vec<u8>>,
    /// Bytes of these.
    held: usize,
    ready: ReadyMembers,
    left: u64,
}

impl Listing {
    /// The path of a folder, from the first one below the root on. A folder that is not there is
    /// named by its number.
    fn folder(&mut self, id: u32) -> Result<Vec<u8>, Failure> {
        let (mut names, mut at) = (Vec::new(), id);
        let mut start = Vec::new();
        while names.len() < DEEPEST {
            if let Some(known) = self.folders.get(&at) {
                start.clone_from(known);
                break;
            }
            let Some(node) = self.store.node(at)?.filter(|node| node.id & KIND == FOLDER) else {
                names.push(format!("folder {at} that is not there").into_bytes());
                break;
            };
            // The root is in itself.
            if node.parent == at || node.parent == 0 {
                break;
            }
            names.push(self.name(&node));
            at = node.parent;
        }
        let path = std::iter::once(start).filter(|start| !start.is_empty()).chain(names.into_iter().rev());
        let mut path = path.collect::<Vec<_>>().join(&b'/');
        if path.len() > LONGEST {
            path = format!("folder {id}").into_bytes();
            let cause = "a path of more than 32 KiB: its messages are listed by its number alone";
            self.ready.push(Err(Failure { path: path.clone(), ..failure(b"", cause) }));
        }
        if self.held < HELD {
            self.held += path.len() + 64;
            self.folders.insert(id, path.clone());
        }
        Ok(path)
    }

    fn name(&mut self, node: &Node) -> Vec<u8> {
        let name = Properties::read(&self.store, node).and_then(|properties| properties.text(0x3001));
        match name {
            Ok(Some(name)) if !name.is_empty() => plain_name(&name),
            Ok(_) => format!("folder {}", node.id).into_bytes(),
            Err(failed) => {
                let path = format!("folder {}", node.id).into_bytes();
                self.ready.push(Err(Failure { path: path.clone(), ..failed }));
                path
            }
        }
    }

    fn message(&mut self, node: &Node) {
        let folder = match self.folder(node.parent) {
            Ok(folder) => folder,
            Err(failed) => {
                self.ready.push(Err(failed));
                format!("folder {}", node.parent).into_bytes()
            }
        };
        let kind = if node.id & KIND == MESSAGE { "message" } else { "associated" };
        let own = format!("{kind} {}", node.id).into_bytes();
        let path = if folder.is_empty() { own } else { [&folder[..], b"/", &own].concat() };
        message::list(&self.store, node, &path, 0, &mut self.ready);
    }
}

impl Iterator for Listing {
    type Item = Result<Member, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.nodes.next()? {
                Ok(node) if matches!(node.id & KIND, MESSAGE | ASSOCIATED) => self.message(&node),
                Ok(_) => {}
                Err(failed) => return Some(Err(failed)),
            }
        }
        self.left = self.left.checked_sub(1)?;
        if self.left == 0 {
            return Some(Err(failure(b"", "the store has more members than allowed")));
        }
        self.ready.pop()
    }
}
