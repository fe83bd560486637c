//! The file systems that a source goes into, for formats that name the file system of each file.

use pfh_container::Time;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A file system inside an image, or a part of one that holds none that is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Volume {
    /// The start of the printed names of its files: `case.E01!/p2/`.
    pub name: Vec<u8>,
    /// The name of the container as printed.
    pub container: Vec<u8>,
    /// Number of the partition, from 1.
    pub partition: Option<u32>,
    /// Where it starts on the medium, in bytes; `None` for a logical volume, which may lie in
    /// several places.
    pub offset: Option<u64>,
    /// The file system; empty for one that is not read.
    pub kind: &'static str,
    /// Block or cluster, in bytes; 0 where it is not known.
    pub block_size: u32,
    /// How many bytes the file system says it has; 0 where it is not known.
    pub size: u64,
    /// Facts about the snapshot, if it is one.
    pub kept: Option<ShadowFacts>,
    /// Whether only files that are not deleted are listed.
    pub allocated_only: bool,
}

/// Facts about a file system that is an older state of another one: a shadow copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShadowFacts {
    /// Its place in the order of age, from 1.
    pub number: u32,
    /// Its GUID.
    pub id: String,
    /// The GUID of the set that it was made in; empty if that is not known.
    pub set: String,
    /// When it was made.
    pub created: Option<Time>,
}

/// A step of a source between two entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passage {
    /// It goes into a volume, which is inside of the one that it is in already, if any.
    Into(Arc<Volume>),
    /// It leaves the innermost volume.
    Out,
}

/// The volumes of a source: it adds each as it goes there, before it yields the entries in it, and
/// the writer of the records takes them as their numbers come.
#[derive(Debug, Default)]
pub struct Volumes(Mutex<VecDeque<(u64, Passage)>>);

impl Volumes {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<(u64, Passage)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a step in front of the entry of this number. Numbers come in order.
    pub fn add(&self, number: u64, passage: Passage) {
        self.waiting().push_back((number, passage));
    }

    /// Takes the next step in front of the entry of this number or an earlier one.
    pub fn take(&self, number: u64) -> Option<Passage> {
        let mut waiting = self.waiting();
        waiting.front().filter(|(at, _)| *at <= number)?;
        waiting.pop_front().map(|(_, passage)| passage)
    }
}
