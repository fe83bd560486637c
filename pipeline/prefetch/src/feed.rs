//! The source, shared by all readers.

use pfh_source::{Entry, Item, Source, fail_point};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Hands out items one by one, and takes back entries whose reader was lost.
pub struct Feed {
    source: Mutex<Box<dyn Source>>,
    returned: Mutex<VecDeque<Arc<Entry>>>,
    exhausted: AtomicBool,
    /// The source panicked: the items that it has not handed out are missing.
    broken: AtomicBool,
    /// Items handed out so far.
    pulled: AtomicU64,
    /// Items whose records have gone out.
    emitted: AtomicU64,
}

/// How far readers may run ahead of the oldest record that is not out yet. Entries, bytes that were
/// read of them, and records wait for it in memory, together some 1 kB for each. Twice the window
/// of a reading order, so that no order can stand in its own way.
const AHEAD: u64 = 8_192;

/// An item with shared ownership of the entry.
pub(crate) enum Pulled {
    Entry(Arc<Entry>),
    Other(Box<Item>),
}

impl Feed {
    /// Shares a source.
    pub fn new(source: Box<dyn Source>) -> Self {
        Feed {
            source: Mutex::new(source),
            returned: Mutex::default(),
            exhausted: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            pulled: AtomicU64::new(0),
            emitted: AtomicU64::new(0),
        }
    }

    /// Items handed out so far: after exhaustion, the number of all input paths.
    pub fn pulled(&self) -> u64 {
        self.pulled.load(Ordering::SeqCst)
    }

    /// Tells how many records have gone out, so that readers may run on.
    pub fn set_emitted(&self, emitted: u64) {
        self.emitted.store(emitted, Ordering::SeqCst);
    }

    /// Whether readers have run so far ahead that they must wait for records to go out.
    pub fn is_ahead(&self) -> bool {
        self.pulled() >= self.emitted.load(Ordering::SeqCst) + AHEAD
    }

    /// Whether the source has ended.
    pub fn exhausted(&self) -> bool {
        self.exhausted.load(Ordering::SeqCst)
    }

    /// Whether the source panicked. It has not ended then, and its items are not all there are.
    pub fn is_broken(&self) -> bool {
        self.broken.load(Ordering::SeqCst)
    }

    /// Whether nothing is left to hand out.
    pub fn is_empty(&self) -> bool {
        self.exhausted() && self.lock_returned().is_empty()
    }

    /// Puts back entries that a lost reader had in hand.
    pub fn give_back(&self, entries: impl IntoIterator<Item = Arc<Entry>>) {
        self.lock_returned().extend(entries);
    }

    fn lock_returned(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Entry>>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next items, at most `most`; none at the end. An entry that was given back comes alone:
    /// it is to be read by itself.
    pub(crate) fn pull(&self, most: usize) -> Vec<Pulled> {
        if let Some(entry) = self.lock_returned().pop_front() {
            return vec![Pulled::Entry(entry)];
        }
        if self.exhausted() {
            return Vec::new();
        }
        // A source that panicked is not asked again: half-way through a directory it could say that
        // nothing more comes.
        let Ok(mut source) = self.source.lock() else {
            self.broken.store(true, Ordering::SeqCst);
            return Vec::new();
        };
        let mut pulled = Vec::with_capacity(most);
        while pulled.len() < most && !self.exhausted() {
            fail_point("walk");
            match source.pull() {
                Some(item) => {
                    self.pulled.fetch_add(1, Ordering::SeqCst);
                    pulled.push(match item {
                        Item::Entry(entry) => Pulled::Entry(Arc::new(entry)),
                        other => Pulled::Other(Box::new(other)),
                    });
                }
                None => self.exhausted.store(true, Ordering::SeqCst),
            }
        }
        pulled
    }
}
