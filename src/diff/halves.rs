//! The trees of a comparison as one source, which knows where the second one begins.

use pfh_source::{Entry, Item, Source};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the first item of the second tree; `u64::MAX` until it is known.
#[derive(Clone)]
pub struct Boundary(Arc<AtomicU64>);

impl Boundary {
    /// Whether the item of this number is of the second tree. It must have been pulled.
    pub fn is_behind(&self, number: u64) -> bool {
        number >= self.0.load(Ordering::SeqCst)
    }
}

/// One or two trees, one after the other.
pub struct Halves {
    sources: VecDeque<Box<dyn Source>>,
    /// The number of the next item.
    next: u64,
    boundary: Boundary,
}

impl Halves {
    /// The trees, and the number at which the second one begins.
    pub fn new(sources: impl IntoIterator<Item = Box<dyn Source>>) -> (Halves, Boundary) {
        let boundary = Boundary(Arc::new(AtomicU64::new(u64::MAX)));
        (Halves { sources: sources.into_iter().collect(), next: 0, boundary: boundary.clone() }, boundary)
    }
}

fn numbered(item: Item, number: u64) -> Item {
    match item {
        Item::Entry(entry) => Item::Entry(Entry { number, ..entry }),
        Item::Skipped { name, skip, .. } => Item::Skipped { number, name, skip },
        Item::Settled { name, closed, digests, .. } => Item::Settled { number, name, closed, digests },
        Item::Problem { name, problem, .. } => Item::Problem { number, name, problem },
    }
}

impl Source for Halves {
    fn pull(&mut self) -> Option<Item> {
        loop {
            let source = self.sources.front_mut()?;
            if let Some(item) = source.pull() {
                let number = self.next;
                self.next += 1;
                return Some(numbered(item, number));
            }
            self.sources.pop_front();
            self.boundary.0.fetch_min(self.next, Ordering::SeqCst);
        }
    }
}
