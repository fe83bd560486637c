//! Which files of an older state differ from those of today.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, RandomState};
use std::io::Read;
use std::sync::Arc;

use crate::vss::View;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Node, Nodes, Run};

/// The most names that are held, in half a gigabyte; files beyond count as changed.
const MOST: usize = 16 << 20;
/// The most bytes of a content that is compared as a whole, because it is in metadata.
const SMALL: u64 = 1 << 20;
/// Bytes that are compared at once.
const PIECE: u64 = 256 << 10;

/// The names of today, each with all that is compared but the bytes.
pub struct NamesToday {
    /// Two random keys, so that no file can be made to pass for another.
    keys: [RandomState; 2],
    marks: HashSet<[u64; 2]>,
}

impl NamesToday {
    /// Takes all names of a file system up.
    pub fn of(nodes: Nodes) -> NamesToday {
        let mut known = NamesToday { keys: [RandomState::new(), RandomState::new()], marks: HashSet::new() };
        for node in nodes.flatten() {
            if known.marks.len() >= MOST {
                break;
            }
            if let Some((mark, _)) = known.mark(&node) {
                known.marks.insert(mark);
            }
        }
        known
    }

    /// The mark of a name and where its bytes lie; `None` if its content cannot be compared.
    fn mark(&self, node: &Node) -> Option<([u64; 2], Vec<Run>)> {
        let (places, held) = match &node.content {
            None => (Vec::new(), Vec::new()),
            Some(content) => match content.places() {
                Some(places) => (places, Vec::new()),
                None => (Vec::new(), small(&**content)?),
            },
        };
        let mark = self.keys.each_ref().map(|key| {
            let mut hasher = key.build_hasher();
            let kind = format!("{:?} {:?} {:?}", node.kind, node.allocation, node.compressed);
            let times = (node.times.modified, node.times.changed, node.times.born, node.times.deleted);
            (&node.path, kind, node.id, node.size, times, &held).hash(&mut hasher);
            for run in &places {
                (run.file_offset, run.medium_offset, run.length).hash(&mut hasher);
            }
            std::hash::Hasher::finish(&hasher)
        });
        Some((mark, places))
    }
}

/// A content that does not lie in blocks.
fn small(content: &dyn Content) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    content.open().ok()?.take(SMALL + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= SMALL).then_some(bytes)
}

/// The names among these that differ from today's, or whose bytes do.
pub fn changed(nodes: Nodes, known: Arc<NamesToday>, view: Arc<View>, live: Arc<dyn Bytes>) -> Nodes {
    let is_changed = move |found: &Result<Node, Failure>| {
        let Ok(node) = found else { return true };
        let Some((mark, places)) = known.mark(node) else { return true };
        if !known.marks.contains(&mark) {
            return true;
        }
        let mut stored = places.iter().filter_map(|run| Some((run.medium_offset?, run.length)));
        !stored.all(|(offset, length)| is_same(&view, &*live, offset, length))
    };
    Box::new(nodes.filter(is_changed))
}

/// Whether a range of an older state has the bytes of today. Blocks that were not written to since
/// are the same ones, and are not read.
fn is_same(view: &View, live: &dyn Bytes, offset: u64, length: u64) -> bool {
    let (mut at, end) = (offset, offset.saturating_add(length));
    let (mut older, mut today) = (Vec::new(), Vec::new());
    while at < end {
        let (is_live, part) = view.is_live(at);
        let part = part.min(end - at).min(PIECE);
        if !is_live {
            older.resize(part as usize, 0);
            today.resize(part as usize, 0);
            let read = view.read_exact_at(at, &mut older).and_then(|()| live.read_exact_at(at, &mut today));
            if read.is_err() || older != today {
                return false;
            }
        }
        at += part;
    }
    true
}
