//! A message of a store: properties, texts, attachments, and messages that are attached.

use super::super::mail::Names;
use super::super::member::node;
use super::data::{Data, Reader};
use super::heap::{Properties, Value};
use super::store::{KIND, Node, Store};
use pfh_bytes::field::{failure, le32};
use pfh_bytes::node::{Content, Failure, Kind, Node as Member, Times};
use pfh_bytes::stored::{HeldBytes, Unreadable};
use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

/// Messages that are attached to one another.
const DEEPEST: u32 = 32;
/// The kind of a node that is an attachment.
const ATTACHMENT: u32 = 5;
/// Bytes of the members of one message, and of those attached to it, that are held until they are
/// asked for; and bytes that each takes beside its path and its text.
const MOST: usize = 64 << 20;
const EACH: usize = 1 << 10;

/// Texts of a message by their properties, and how they are called.
const TEXTS: [(u16, &str); 4] =
    [(0x007d, "headers.txt"), (0x1000, "body.txt"), (0x1013, "body.html"), (0x1009, "body.rtf.lzfu")];

/// Members that were found, and not yet asked for.
#[derive(Default)]
pub struct ReadyMembers {
    members: VecDeque<Result<Member, Failure>>,
    bytes: usize,
}

impl ReadyMembers {
    /// Adds one.
    pub fn push(&mut self, found: Result<Member, Failure>) {
        let (path, text) = match &found {
            Ok(member) => (member.path.len(), if is_held(member) { member.size.unwrap_or(0) } else { 0 }),
            Err(failed) => (failed.path.len(), 0),
        };
        // A text in the heap of its message is no longer than a block.
        self.bytes += EACH + path + text as usize;
        self.members.push_back(found);
    }

    /// The next one.
    pub fn pop(&mut self) -> Option<Result<Member, Failure>> {
        let found = self.members.pop_front();
        if self.members.is_empty() {
            self.bytes = 0;
        }
        found
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn is_full(&self) -> bool {
        self.bytes > MOST
    }
}

/// Lists the members of a message below `path`.
pub fn list(store: &Arc<Store>, message: &Node, path: &[u8], depth: u32, out: &mut ReadyMembers) {
    let mut names = Names::default();
    // All its stored properties.
    let place = [path, b"/", &names.give(Some(b"properties"), "part", 0, "")].concat();
    let mut properties = match Properties::read(store, message) {
        Ok(properties) => properties,
        Err(failed) => return out.push(Err(Failure { path: path.to_vec(), ..failed })),
    };
    let times = Times {
        modified: properties.time(0x3008),
        born: properties.time(0x0e06).or_else(|| properties.time(0x3007)),
        ..Times::default()
    };
    out.push(Ok(data(store, place, message.data, times)));
    for (property, name) in TEXTS {
        let Some((kind, value)) = properties.value(property).cloned() else { continue };
        let place = [path, b"/", &names.give(Some(name.as_bytes()), "part", 0, "")].concat();
        out.push(content(store, &properties, (kind, &value), place, times));
    }
    let mut attached = std::mem::take(&mut properties.below);
    // A heap is not held while messages in this one are read.
    drop(properties);
    attached.retain(|node| node.id & KIND == ATTACHMENT);
    for (number, found) in (1..).zip(&attached) {
        if out.is_full() {
            let cause = format!("more attachments than are read: those from {number} on are not listed");
            return out.push(Err(Failure { path: path.to_vec(), ..failure(None, cause) }));
        }
        attachment(store, found, path, &mut names, (number, depth), out);
    }
}

fn file(place: Vec<u8>, size: Option<u64>, content: Arc<dyn Content>, times: Times) -> Member {
    Member { size, times, content: Some(content), ..node(place, Kind::File) }
}

/// Whether a member holds its bytes; others read them from the store.
fn is_held(member: &Member) -> bool {
    member.content.as_ref().is_some_and(|content| matches!(content.stored(), Ok(Some(_))))
}

/// A member of the bytes that are given.
fn held(place: Vec<u8>, bytes: Vec<u8>, times: Times) -> Member {
    let size = Some(bytes.len() as u64);
    file(place, size, Arc::new(HeldBytes { bytes: bytes.into() }), times)
}

/// A member of the data that begin with a block.
fn data(store: &Arc<Store>, place: Vec<u8>, block: u64, times: Times) -> Member {
    let size = Data::open(store, block).map(|data| data.size).ok();
    let content = Stream { store: store.clone(), block, path: place.clone().into() };
    file(place, size, Arc::new(content), times)
}

/// The value of a property as a member.
fn content(
    store: &Arc<Store>,
    properties: &Properties,
    (kind, value): (u16, &Value),
    place: Vec<u8>,
    times: Times,
) -> Result<Member, Failure> {
    let of = |failed: Failure| Failure { path: place.clone(), ..failed };
    match value {
        Value::Piece(id) => {
            let bytes = properties.bytes(*id).map_err(of)?.to_vec();
            Ok(held(place, bytes, times))
        }
        Value::Node(id) => {
            let found = properties.node(*id).map_err(of)?;
            Ok(data(store, place, found.data, times))
        }
        Value::Number(_) => Err(of(failure(None, format!("a content of type {kind:#06x}")))),
    }
}

fn attachment(
    store: &Arc<Store>,
    found: &Node,
    path: &[u8],
    names: &mut Names,
    (number, depth): (u64, u32),
    out: &mut ReadyMembers,
) {
    let properties = match Properties::read(store, found) {
        Ok(properties) => properties,
        Err(failed) => {
            let place = [path, b"/", &names.give(None, "attachment", number, "")].concat();
            return out.push(Err(Failure { path: place, ..failed }));
        }
    };
    let named = [0x3707, 0x3704, 0x3001]
        .into_iter()
        .find_map(|property| properties.text(property).ok().flatten().filter(|name| !name.trim_ascii().is_empty()));
    let place = [path, b"/", &names.give(named.as_deref(), "attachment", number, "")].concat();
    let times = Times { modified: properties.time(0x3008), born: properties.time(0x3007), ..Times::default() };
    let of = |failed: Failure| Failure { path: place.clone(), ..failed };
    let method = properties.number(0x3705).unwrap_or(0);
    let member = match properties.value(0x3701).cloned() {
        // An object: the node of its data, or of a message.
        Some((0x000d, Value::Piece(id))) => {
            let target = properties.bytes(id).and_then(|bytes| properties.node(le32(bytes, 0)));
            match target {
                Ok(target) if method == 5 && depth < DEEPEST => {
                    drop(properties);
                    return list(store, &target, &place, depth + 1, out);
                }
                Ok(_) if method == 5 => Err(of(failure(None, "more messages in one another than are read"))),
                Ok(target) => Ok(data(store, place, target.data, times)),
                Err(failed) => Err(of(failed)),
            }
        }
        Some((kind, value)) => content(store, &properties, (kind, &value), place, times),
        None => {
            let cause = match method {
                2..=4 | 7 => "is attached by reference: its bytes are not in the store",
                _ => "has no content in the store",
            };
            let content = Unreadable(of(failure(None, cause)));
            Ok(file(place, None, Arc::new(content), times))
        }
    };
    out.push(member);
}

/// The data that begin with a block.
struct Stream {
    store: Arc<Store>,
    block: u64,
    path: Arc<[u8]>,
}

impl Content for Stream {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let data = Data::open(&self.store, self.block);
        let data = data.map_err(|failed| Failure { path: self.path.to_vec(), ..failed })?;
        Ok(Box::new(Reader::new(data, self.path.clone())))
    }
}
