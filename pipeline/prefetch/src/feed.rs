//! The source, shared by all readers.

use crate::event_count::EventCount;
use crate::host::atomic::{AtomicBool, AtomicU64, Ordering};
use crate::host::{AHEAD, Mutex, MutexGuard};
use pfh_source::{Entry, Item, Source, fail_point};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError};

/// Hands out items one by one, and takes back entries that are to be read by themselves: their
/// reader was lost, or they could not be read together with others.
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
    /// Whether there is work for more than one thread; who waits for that is notified.
    crowded: AtomicBool,
    crowd: Arc<EventCount>,
}

/// An item with shared ownership of the entry.
pub(crate) enum PulledItem {
    Entry(Arc<Entry>),
    Other(Box<Item>),
}

/// The answer of the source.
pub(crate) enum SourceAnswer {
    /// These.
    Items(Vec<PulledItem>),
    /// Nothing until records have gone out.
    Later,
    /// Nothing more of the source.
    End,
}

impl Feed {
    /// Shares a source. `crowd` is notified when there is work for more than one thread.
    pub fn new(source: Box<dyn Source>, crowd: Arc<EventCount>) -> Self {
        Feed {
            source: Mutex::new(source),
            returned: Mutex::default(),
            exhausted: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            pulled: AtomicU64::new(0),
            emitted: AtomicU64::new(0),
            crowded: AtomicBool::new(false),
            crowd,
        }
    }

    /// Whether there is work for more than one thread: a second item came, or a file that is not
    /// read at once.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::SeqCst)
    }

    /// Notes that there is.
    pub fn gather(&self) {
        if !self.is_crowded() && !self.crowded.swap(true, Ordering::SeqCst) {
            self.crowd.notify();
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
    fn is_ahead(&self) -> bool {
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

    /// Whether something can be had now. Entries that were given back can be had however far
    /// readers are ahead: the oldest record may be one of theirs.
    pub fn has_next(&self) -> bool {
        !self.lock_returned().is_empty() || !self.exhausted() && !self.is_ahead()
    }

    /// Whether nothing is left to hand out.
    pub fn is_empty(&self) -> bool {
        self.exhausted() && self.lock_returned().is_empty()
    }

    /// Puts back entries, to be read one by one.
    pub fn give_back(&self, entries: impl IntoIterator<Item = Arc<Entry>>) {
        self.lock_returned().extend(entries);
    }

    fn lock_returned(&self) -> MutexGuard<'_, VecDeque<Arc<Entry>>> {
        self.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next items, at most `most`. An entry that was given back comes alone: it is to be read
    /// by itself.
    pub(crate) fn next(&self, most: usize) -> SourceAnswer {
        if let Some(entry) = self.lock_returned().pop_front() {
            return SourceAnswer::Items(vec![PulledItem::Entry(entry)]);
        }
        if self.exhausted() {
            return SourceAnswer::End;
        }
        if self.is_ahead() {
            return SourceAnswer::Later;
        }
        // A source that panicked is not asked again: half-way through a directory it could say that
        // nothing more comes.
        let Ok(mut source) = self.source.lock() else {
            self.broken.store(true, Ordering::SeqCst);
            return SourceAnswer::End;
        };
        let mut pulled = Vec::with_capacity(most);
        while pulled.len() < most && !self.exhausted() {
            fail_point("walk");
            match source.pull() {
                Some(item) => {
                    if self.pulled.fetch_add(1, Ordering::SeqCst) > 0 {
                        self.gather();
                    }
                    pulled.push(match item {
                        Item::Entry(entry) => PulledItem::Entry(Arc::new(entry)),
                        other => PulledItem::Other(Box::new(other)),
                    });
                }
                None => self.exhausted.store(true, Ordering::SeqCst),
            }
        }
        if pulled.is_empty() { SourceAnswer::End } else { SourceAnswer::Items(pulled) }
    }
}
