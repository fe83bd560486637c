//! The files of a directory beside their entries in its catalogue.

use crate::algorithms::Algorithm;
use pfh_digest::Digest;
use pfh_engine::{Outcome, Record, Sink};
use pfh_outboard::{Catalogue, CatalogueEntry, stamp};
use pfh_source::{Item, Note, Problem, ReadResult, Source, Stat};
use std::collections::HashSet;
use std::io;

/// The name of a file below the directory, of the name that the walk gave it.
pub(super) fn below<'a>(root: &[u8], name: &'a [u8]) -> &'a [u8] {
    let rest = name.strip_prefix(root).unwrap_or(name);
    let start = rest.iter().position(|byte| *byte != b'/').unwrap_or(rest.len());
    &rest[start..]
}

/// The findings of a run, in its order.
#[derive(Default)]
pub(super) struct CatalogueFindings<'a> {
    pub(super) root: &'a [u8],
    /// Files that were read.
    pub(super) entries: Vec<CatalogueEntry>,
    /// Names of all files that are there.
    pub(super) there: HashSet<Vec<u8>>,
    pub(super) settled: u64,
    pub(super) unread: Vec<(Vec<u8>, Problem)>,
}

impl CatalogueFindings<'_> {
    /// Whether a file of this name is there, or may be: a file that cannot be read is not gone.
    pub(super) fn accounts_for(&self, name: &[u8]) -> bool {
        let hides = |unread: &[u8]| {
            unread.is_empty() || name.strip_prefix(unread).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        self.there.contains(name) || self.unread.iter().any(|(unread, _)| hides(unread))
    }
}

impl Sink for CatalogueFindings<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let name = below(self.root, &record.name).to_vec();
        match record.outcome {
            Outcome::Hashed(hashed) if hashed.closed.notes.contains(&Note::Reused) => {
                self.settled += 1;
                self.there.insert(name);
            }
            Outcome::Hashed(hashed) => {
                let timed = !hashed.closed.notes.contains(&Note::Untimed);
                let stamp = hashed.closed.stat.as_ref().map(|stat| stamp(stat, timed)).unwrap_or_default();
                let digest = hashed.digests.first().map(|digest| digest.bytes().to_vec()).unwrap_or_default();
                self.there.insert(name.clone());
                self.entries.push(CatalogueEntry { name, size: hashed.closed.size, digest, stamp });
            }
            Outcome::Skipped(_) => {}
            Outcome::Failed(problem) => self.unread.push((name, problem)),
        }
        Ok(())
    }
}

/// A source that settles files whose size and times are as before.
pub(super) struct UnchangedFiles<S> {
    pub(super) source: S,
    pub(super) known: Option<Catalogue>,
    pub(super) algorithm: Algorithm,
    pub(super) root: Vec<u8>,
}

impl<S: Source> UnchangedFiles<S> {
    /// The item, settled if it can be.
    fn looked_at(&self, item: Item) -> Item {
        let (Item::Entry(entry), Some(_)) = (&item, &self.known) else { return item };
        let Some(stat) = entry.look() else { return item };
        // A catalogue does not say on which of the media of a drive its files were.
        let holds = |times: pfh_source::ChangeTimes| !times.are_exchanged(&stat) && times.hold_for(&stat);
        let timed = entry.change_times().is_some_and(holds);
        match self.settled(below(&self.root, &entry.name()), &stat, timed) {
            Some(digest) => {
                let closed = ReadResult { size: stat.size, stat: Some(stat), notes: vec![Note::Reused], inside: None };
                Item::Settled { number: entry.number, name: entry.name(), closed, digests: vec![digest] }
            }
            None => item,
        }
    }

    /// The digest that is kept of an unchanged file. A catalogue that fails is asked in vain.
    fn settled(&self, name: &[u8], stat: &Stat, timed: bool) -> Option<Digest> {
        let kept = self.known.as_ref()?.entry(name).ok()??;
        let same = !kept.stamp.is_empty() && kept.stamp == stamp(stat, timed);
        same.then(|| Digest::from_bytes(self.algorithm.into(), &kept.digest).ok()).flatten()
    }
}

impl<S: Source> Source for UnchangedFiles<S> {
    fn pull(&mut self) -> Option<Item> {
        let item = self.source.pull()?;
        Some(self.looked_at(item))
    }
}
