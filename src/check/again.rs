//! The second read of files that are not as listed: whether they differ both times, or differed
//! once.

use super::place::Place;
use super::request::Request;
use crate::algorithms::REGISTRY;
use crate::pass::pass;
use pfh_digest::Algorithm;
use pfh_engine::{Control, HashedFile, Outcome, Plan, Record};
use pfh_ledger::{Listing, Reread, Twice};
use pfh_source::os::names::is_absolute;
use pfh_source::terminal::counted;
use pfh_source::{Descend, FolderSource, Operands, PastCache, Source};

/// Files that may differ both times before no more are read a second time: it is then the list or
/// the files that are others.
pub const MOST: u64 = 100;
/// Bytes in flight of a second read.
const MEMORY: usize = 16 << 20;

/// How many files that differ were read a second time, by the conclusion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rereads {
    /// Both reads gave the same bytes.
    pub same: u64,
    /// The second read was as listed.
    pub once: u64,
    /// Both reads differed from the list and from each other.
    pub other: u64,
    /// Written to between the two reads.
    pub changing: u64,
    /// The second read failed.
    pub unread: u64,
}

impl Rereads {
    fn count(&mut self, twice: Twice) {
        *match twice {
            Twice::Once => &mut self.once,
            Twice::Other => &mut self.other,
            Twice::Changing => &mut self.changing,
            Twice::Unread => &mut self.unread,
            _ => &mut self.same,
        } += 1;
    }

    /// The counts with their conclusions.
    fn counts(&self) -> [(u64, Twice); 5] {
        [
            (self.same, Twice::Same),
            (self.once, Twice::Once),
            (self.other, Twice::Other),
            (self.changing, Twice::Changing),
            (self.unread, Twice::Unread),
        ]
    }

    /// Files that were read a second time.
    pub fn total(&self) -> u64 {
        self.counts().iter().map(|(count, _)| count).sum()
    }

    /// The counts in a part of a sentence; empty if nothing was read a second time.
    pub fn sentence(&self) -> String {
        let some = self.counts().into_iter().filter(|(count, _)| *count > 0);
        let words = some.map(|(count, twice)| format!("{count} {}", twice.past())).collect::<Vec<_>>();
        if words.is_empty() {
            return String::new();
        }
        format!("{} read a second time: {}", counted(self.total(), "file"), words.join(", "))
    }
}

/// Reads files a second time while a check goes on.
pub struct Rereader<'a> {
    request: &'a Request,
    control: &'a Control<'a>,
    pub counts: Rereads,
}

impl<'a> Rereader<'a> {
    pub fn new(request: &'a Request, control: &'a Control<'a>) -> Self {
        Rereader { request, control, counts: Rereads::default() }
    }

    /// Whether a file that was read, and is not as listed, is to be read a second time.
    pub fn wants(&self, entry: &Listing, hashed: &HashedFile) -> bool {
        let is_left = !self.request.once && self.counts.same + self.counts.unread < MOST;
        is_left && !self.control.is_cancelled() && entry.is_worth_rereading(hashed)
    }

    /// Reads a file a second time, past the system's cache where the system can, under the rules of
    /// the first read; the path is below the place. `None` if it is not worth it, or the run is
    /// being cancelled.
    pub fn read(&mut self, place: &Place, path: &[u8], entry: &Listing, first: &HashedFile) -> Option<Box<Reread>> {
        if !self.wants(entry, first) {
            return None;
        }
        let second = self.outcome(place, path, first)?;
        self.take(entry.reread(first, &second, REGISTRY))
    }

    /// Counts a second read that was made for another reason.
    pub fn take(&mut self, reread: Reread) -> Option<Box<Reread>> {
        self.counts.count(reread.twice);
        Some(Box::new(reread))
    }

    fn outcome(&self, place: &Place, path: &[u8], first: &HashedFile) -> Option<Outcome> {
        let algorithms: Vec<Algorithm> = first.digests.iter().map(|digest| digest.algorithm()).collect();
        let piecewise = first.pieces.iter().map(|piece| piece.length).max();
        let plan = self.request.plan_of(algorithms, piecewise);
        let plan = Plan { memory: plan.memory.min(MEMORY), prefetchers: 1, ..plan };
        let mut found = None;
        let mut take = |record: Record| {
            found = Some(record.outcome);
            Ok(())
        };
        let source = Box::new(PastCache::of(self.source(place, path)?));
        let quiet = Control::new().with_cancel(self.control.cancel().clone());
        let ran = pass(source, || None, &plan, &mut take, &quiet).ok()?;
        found.filter(|_| !ran.interrupted)
    }

    /// The file of this path, found as the first read found it.
    fn source(&self, place: &Place, name: &[u8]) -> Option<Box<dyn Source>> {
        if self.request.leads_outside() {
            let name = if is_absolute(name) { name.to_vec() } else { [&place.root, &b"/"[..], name].concat() };
            return Some(Box::new(Operands::new(vec![name], Descend::default())));
        }
        let within = FolderSource::open(&place.root, [name].iter().collect()).ok()?;
        Some(Box::new(place.taking(within)))
    }
}
