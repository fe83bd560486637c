//! Files that are taken to be as listed, by their times.

use super::trees::Trees;
use crate::check::Ledger;
use pfh_digest::{Algorithm, Digest};
use pfh_ledger::{Instants, plain};
use pfh_manifest::Times;
use pfh_source::{ChangeTimes, Item, Origin, ReadResult, Source, Stat, Time};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many files were not read.
#[derive(Debug, Clone, Default)]
pub struct TrustCount(Arc<AtomicU64>);

impl TrustCount {
    /// The number so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

struct ListedFile {
    size: u64,
    times: Times,
    grain: u32,
    digests: Vec<Digest>,
}

/// A source whose files are settled where size and times are as listed.
pub struct Trusting {
    source: Box<dyn Source>,
    trees: Trees,
    known: HashMap<Vec<u8>, ListedFile>,
    /// How far the times of each device can be trusted.
    times: HashMap<u64, Option<ChangeTimes>>,
    trusted: TrustCount,
}

impl Trusting {
    /// Files whose record has a size, a modification time and a digest of each algorithm.
    pub fn new(
        source: Box<dyn Source>,
        trees: Trees,
        ledger: &Ledger,
        algorithms: &[Algorithm],
        trusted: TrustCount,
    ) -> Trusting {
        let known = ledger.entries.iter().filter_map(|entry| {
            let (size, _) = (entry.size?, entry.times.modified?);
            let of = |algorithm: &Algorithm| {
                let name = algorithm.to_string();
                entry.digests.iter().find(|digest| digest.algorithm().to_string() == name).cloned()
            };
            let digests: Option<Vec<Digest>> = algorithms.iter().map(of).collect();
            let is_plain = entry.pieces.is_empty() && !entry.contradictory;
            let known =
                ListedFile { size, times: *entry.times, grain: entry.grain, digests: digests.filter(|_| is_plain)? };
            Some((plain(&entry.name), known))
        });
        Trusting { source, trees, known: known.collect(), times: HashMap::new(), trusted }
    }

    fn settled(&mut self, item: Item) -> Item {
        let Item::Entry(entry) = &item else { return item };
        if !matches!(entry.origin, Origin::File { .. }) {
            return item;
        }
        let name = entry.name();
        let Some(known) = self.known.get(&self.trees.named(&name)) else { return item };
        let Some(stat) = entry.look().filter(|stat| stat.is_file() && known.is_of(stat)) else { return item };
        // A list does not name the medium of its times: those of an image are as good for another
        // one.
        let times = *self.times.entry(stat.device).or_insert_with(|| entry.change_times());
        if times.is_some_and(|times| times.are_exchanged(&stat)) {
            return item;
        }
        self.trusted.0.fetch_add(1, Ordering::Relaxed);
        let closed = ReadResult { size: stat.size, stat: Some(stat), notes: Vec::new(), inside: None };
        Item::Settled { number: entry.number, name, closed, digests: known.digests.clone() }
    }
}

impl ListedFile {
    fn is_of(&self, stat: &Stat) -> bool {
        let time = |(seconds, nanoseconds)| Some(Time { seconds, nanoseconds });
        // A file system that cut a time does not show that the file is the same.
        let both = |listed, found, grain| Instants::new((listed, grain), (found, 1)).map(|both| both.are_same());
        self.size == stat.size
            && both(self.times.modified, time(stat.mtime), self.grain) == Some(true)
            && both(self.times.changed, time(stat.ctime), 0) != Some(false)
    }
}

impl Source for Trusting {
    fn pull(&mut self) -> Option<Item> {
        let item = self.source.pull()?;
        Some(self.settled(item))
    }
}
