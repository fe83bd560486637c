//! The names of a container whose contents are decoded ahead by several threads, in the order of
//! their places on the medium: bytes that are decoded together are decoded once.
//!
//! Names keep their order.

use super::clock::Clock;
use super::decoders::{Decoders, Ticket};
use super::member::{StartRequest, StartedContent, begin_together};
use super::served::listing;
use pfh_source::os::thread_time;
use pfh_source::{Alone, Selection};
use pfh_volume::{Allocation, Content, Failure, Kind, Node, Nodes};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Names whose contents are put into order together.
const BATCH: usize = 256;

/// Bytes and contents that one thread decodes at once: to hand each out would cost more than to
/// decode it.
const GROUP: (u64, usize) = (256 << 10, 32);

/// Contents that are begun together, each at its number in the group.
enum Group {
    Going(Ticket<Vec<Option<StartedContent>>>),
    Gone(Vec<Option<StartedContent>>),
}

/// A beginning that goes on: one of a group.
struct Beginning(Arc<Mutex<Group>>, usize);

impl Beginning {
    /// The start of its content, once.
    fn wait(self) -> Option<StartedContent> {
        let mut group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = match std::mem::replace(&mut *group, Group::Gone(Vec::new())) {
            Group::Going(ticket) => ticket.wait(),
            Group::Gone(gone) => gone,
        };
        let begun = gone.get_mut(self.1).and_then(Option::take);
        *group = Group::Gone(gone);
        begun
    }
}

/// Names in their order, behind the listing that they come from.
struct Batch {
    nodes: Nodes,
    names: Vec<Result<Node, Failure>>,
    /// The last one's content is a part of a stream.
    is_stream: bool,
    is_last: bool,
}

/// Where names come from.
enum Listing {
    Still(Nodes),
    Going(Ticket<Batch>),
    Ended,
}

/// The names of a container.
pub struct Window {
    listing: Listing,
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

/// The next names, as many as are put into order together.
fn list(nodes: Nodes, most: u64, alone: &Alone) -> Batch {
    let from = thread_time();
    let batch = listing(|| batch(nodes, most));
    alone.names(thread_time().saturating_sub(from));
    batch
}

fn batch(mut nodes: Nodes, most: u64) -> Batch {
    let (mut names, mut bytes, mut is_stream) = (Vec::with_capacity(BATCH), 0, false);
    while names.is_empty() || (names.len() < BATCH && bytes < most && !is_stream) {
        let Some(node) = nodes.next() else { return Batch { nodes, names, is_stream, is_last: true } };
        let content = node.as_ref().ok().and_then(|node| node.content.as_ref());
        is_stream = content.is_some_and(|content| content.is_shared());
        bytes += node.as_ref().map_or(0, |node| StartRequest::held(node.size));
        names.push(node);
    }
    Batch { nodes, names, is_stream, is_last: false }
}

impl Window {
    /// These names; `is_decoded` says that the medium is an image whose bytes are decoded.
    pub fn new(nodes: Nodes, selection: &Selection, decoders: Arc<Decoders>, is_decoded: bool) -> Window {
        let (selection, ahead, is_stream) = (selection.clone(), VecDeque::new(), false);
        Window { listing: Listing::Still(nodes), selection, decoders, is_decoded, ahead, is_stream }
    }

    /// The next name, with the start of its content.
    pub fn next(&mut self, clock: &Arc<Clock>) -> Option<(Result<Node, Failure>, Option<StartedContent>)> {
        if self.ahead.is_empty() {
            self.is_stream = false;
        }
        if self.ahead.len() < BATCH && !self.is_stream {
            self.refill(clock);
        }
        let (node, beginning) = self.ahead.pop_front()?;
        Some((node, beginning.and_then(Beginning::wait)))
    }

    /// Takes a batch of names, if one is listed or none is left, and has the next one listed
    /// meanwhile.
    fn refill(&mut self, clock: &Arc<Clock>) {
        let most = self.decoders.memory() as u64 / 4;
        let batch = match std::mem::replace(&mut self.listing, Listing::Ended) {
            Listing::Ended => return,
            // The first names are listed here: most archives have few.
            Listing::Still(nodes) => list(nodes, most, self.decoders.alone()),
            Listing::Going(ticket) if self.ahead.is_empty() || ticket.is_done() => ticket.wait(),
            going => {
                self.listing = going;
                return;
            }
        };
        let Batch { nodes, names, is_stream, is_last } = batch;
        self.is_stream = is_stream;
        self.listing = match (is_last, is_stream) {
            (true, _) => Listing::Ended,
            // It goes on when its last content was read.
            (false, true) => Listing::Still(nodes),
            (false, false) => {
                let alone = self.decoders.alone().clone();
                Listing::Going(self.decoders.begin_first(move || list(nodes, most, &alone)))
            }
        };
        self.take(names, clock);
    }

    /// Begins to decode the contents of these names.
    fn take(&mut self, names: Vec<Result<Node, Failure>>, clock: &Arc<Clock>) {
        let mut order: Vec<(u64, usize)> = Vec::new();
        for node in names {
            if let Some(content) = node.as_ref().ok().and_then(|node| self.begins(node)) {
                order.push((place(&**content), self.ahead.len()));
            }
            self.ahead.push_back((node, None));
        }
        order.sort_unstable();
        let (mut group, mut together) = (Vec::new(), 0);
        for (_, at) in order {
            let Some((Ok(node), _)) = self.ahead.get(at) else { continue };
            let (Some(content), size) = (node.content.clone(), node.size) else { continue };
            let held = StartRequest::held(size);
            let Some(room) = self.decoders.room(held as usize) else { continue };
            if group.len() == GROUP.1 || together + held > GROUP.0 {
                self.begin(std::mem::take(&mut group), clock);
                together = 0;
            }
            together += held;
            group.push((at, StartRequest { content, size, room }));
        }
        self.begin(group, clock);
    }

    /// Hands out contents that are begun together, each with its number in the window.
    fn begin(&mut self, group: Vec<(usize, StartRequest)>, clock: &Arc<Clock>) {
        if group.is_empty() {
            return;
        }
        let (numbers, asked): (Vec<usize>, Vec<StartRequest>) = group.into_iter().unzip();
        let (clock, shelf) = (clock.clone(), self.decoders.shelf().clone());
        let going = self.decoders.begin(move || begin_together(asked, &clock, &shelf));
        let going = Arc::new(Mutex::new(Group::Going(going)));
        for (number, at) in numbers.into_iter().enumerate() {
            if let Some((_, beginning)) = self.ahead.get_mut(at) {
                *beginning = Some(Beginning(going.clone(), number));
            }
        }
    }

    /// The content of a name, if it is decoded ahead.
    fn begins<'a>(&self, node: &'a Node) -> Option<&'a Arc<dyn Content>> {
        let last = node.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let is_file = matches!(node.kind, Kind::File | Kind::Stream) && node.allocation == Allocation::Live;
        let is_taken = is_file && self.selection.takes(&node.path, last, node.size);
        let content =
            node.content.as_ref().filter(|content| is_taken && !content.is_shared() && !content.is_layer())?;
        (self.is_decoded || node.compressed).then_some(content)
    }
}
