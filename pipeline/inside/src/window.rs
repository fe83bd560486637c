//! The names of a container whose contents are decoded ahead by several threads, in the order of
//! their places on the medium: bytes that are decoded together are decoded once.
//!
//! Names keep their order.

use super::clock::Clock;
use super::decoders::{Decoders, Ticket};
use super::detect::START;
use super::member::{Begun, SMALL, begin_ahead};
use pfh_source::Selection;
use pfh_volume::{Allocation, Content, Failure, Kind, Node, Nodes};
use std::collections::VecDeque;
use std::sync::Arc;

/// Names whose contents are put into order together.
const BATCH: usize = 256;

/// A beginning that goes on.
type Beginning = Ticket<Option<Begun>>;

/// The names of a container.
pub struct Window {
    nodes: Nodes,
    selection: Selection,
    decoders: Arc<Decoders>,
    /// Whether the medium itself is decoded: then plain content is, too.
    is_decoded: bool,
    ahead: VecDeque<(Result<Node, Failure>, Option<Beginning>)>,
    /// The content at hand is a part of a stream, which goes on when the next name is asked for.
    is_stream: bool,
}

/// Where the first byte of a content lies in its volume, compressed or not; 0 where that is not
/// known.
fn place(content: &dyn Content) -> u64 {
    content.places().into_iter().flatten().find_map(|run| run.medium_offset).unwrap_or(0)
}

impl Window {
    /// These names; `is_decoded` says that the medium is an image whose bytes are decoded.
    pub fn new(nodes: Nodes, selection: &Selection, decoders: Arc<Decoders>, is_decoded: bool) -> Window {
        let (selection, ahead, is_stream) = (selection.clone(), VecDeque::new(), false);
        Window { nodes, selection, decoders, is_decoded, ahead, is_stream }
    }

    /// The next name, with the start of its content.
    pub fn next(&mut self, clock: &Arc<Clock>) -> Option<(Result<Node, Failure>, Option<Begun>)> {
        if self.ahead.is_empty() {
            self.is_stream = false;
        }
        if self.ahead.len() < BATCH && !self.is_stream {
            self.refill(clock);
        }
        let (node, beginning) = self.ahead.pop_front()?;
        Some((node, beginning.and_then(Ticket::wait)))
    }

    /// Takes a batch of names, and begins to decode their contents.
    fn refill(&mut self, clock: &Arc<Clock>) {
        let (first, mut bytes) = (self.ahead.len(), 0);
        let mut order: Vec<(u64, usize)> = Vec::new();
        while self.ahead.len() < first + BATCH && bytes < self.decoders.memory() as u64 / 4 {
            let Some(node) = self.nodes.next() else { break };
            let content = node.as_ref().ok().and_then(|node| node.content.as_ref());
            self.is_stream = content.is_some_and(|content| content.is_shared());
            if let Some((content, size)) = node.as_ref().ok().and_then(|node| self.begins(node)) {
                order.push((place(&**content), self.ahead.len()));
                bytes += size;
            }
            self.ahead.push_back((node, None));
            if self.is_stream {
                break;
            }
        }
        order.sort_unstable();
        for (_, at) in order {
            let Some((Ok(node), beginning)) = self.ahead.get_mut(at) else { continue };
            let (Some(content), size) = (node.content.clone(), node.size) else { continue };
            let Some(room) = self.decoders.room(held(size) as usize) else { continue };
            let clock = clock.clone();
            *beginning = Some(self.decoders.begin(move || begin_ahead(&content, &clock, START, size, room)));
        }
    }

    /// The content of a name, if it is decoded ahead, and the bytes that are held of it.
    fn begins<'a>(&self, node: &'a Node) -> Option<(&'a Arc<dyn Content>, u64)> {
        let last = node.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_file = matches!(node.kind, Kind::File | Kind::Stream) && node.allocation == Allocation::Live;
        let is_taken = is_file && self.selection.takes(&node.path, last, node.size);
        let content =
            node.content.as_ref().filter(|content| is_taken && !content.is_shared() && !content.is_layer())?;
        (self.is_decoded || node.compressed).then_some((content, held(node.size)))
    }
}

/// Bytes that are held of a content of this size.
fn held(size: Option<u64>) -> u64 {
    size.filter(|size| *size <= SMALL).unwrap_or(START as u64)
}
