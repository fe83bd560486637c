//! The names of a file system with the starts of their contents, which are read in the order of
//! places on the medium: one sweep of the head of a disk for many files.
//!
//! Names keep their order. The bytes behind the start of a content are read in the order of places
//! by [`Swept`](pfh_source::Swept).

use super::clock::Clock;
use super::detect::{START, may_be_opened};
use super::member::{StartedContent, begin};
use pfh_source::Selection;
use pfh_volume::{Allocation, Content, Failure, Kind, Node, Nodes};
use std::collections::VecDeque;
use std::sync::Arc;

/// Names whose contents are looked at together. Their starts are 16 MiB.
const WINDOW: usize = 4_096;

/// The names of a volume.
pub struct Sweep {
    nodes: Nodes,
    /// Which volume of the run it is: places in different ones are not compared.
    pub number: u64,
    selection: Selection,
    ahead: VecDeque<(Result<Node, Failure>, Option<StartedContent>)>,
}

/// Where the first byte of a content lies in its volume, in bytes; 0 for one that lies in metadata
/// or is a hole, and costs no seek.
pub fn place(content: &dyn Content) -> u64 {
    content.runs().into_iter().flatten().find_map(|run| run.medium_offset).unwrap_or(0)
}

impl Sweep {
    /// The names of the volume of this number. The contents of those that the selection takes are
    /// looked at.
    pub fn new(nodes: Nodes, number: u64, selection: &Selection) -> Sweep {
        Sweep { nodes, number, selection: selection.clone(), ahead: VecDeque::new() }
    }

    /// The next name, with the start of its content.
    pub fn next(&mut self, clock: &Arc<Clock>) -> Option<(Result<Node, Failure>, Option<StartedContent>)> {
        if self.ahead.is_empty() {
            self.ahead.extend(self.nodes.by_ref().take(WINDOW).map(|node| (node, None)));
            let mut order: Vec<(u64, usize)> = Vec::new();
            for (at, (node, _)) in self.ahead.iter().enumerate() {
                if let Some(content) = node.as_ref().ok().and_then(|node| self.looked_at(node)) {
                    order.push((place(&**content), at));
                }
            }
            order.sort_unstable();
            for (_, at) in order {
                let (node, begun) = &mut self.ahead[at];
                let content = node.as_ref().ok().and_then(|node| node.content.as_ref());
                *begun = content.and_then(|content| begin(content, clock, START));
            }
        }
        self.ahead.pop_front()
    }

    /// The content of a name, if it may be that of a container.
    fn looked_at<'a>(&self, node: &'a Node) -> Option<&'a Arc<dyn Content>> {
        let last = node.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_live = matches!(node.kind, Kind::File | Kind::Stream) && node.allocation == Allocation::Live;
        let is_taken = is_live && may_be_opened(node) && self.selection.takes(&node.path, last, node.size);
        node.content.as_ref().filter(|content| is_taken && !content.is_shared())
    }
}
