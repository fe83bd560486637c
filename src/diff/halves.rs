//! The directories of a comparison as one source, which knows where the second one begins.

use pfh_source::{Descend, Item, Operands, Room, Source};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of the first item of the second directory; `u64::MAX` until it is known.
#[derive(Clone)]
pub struct Boundary(Arc<AtomicU64>);

impl Boundary {
    /// Whether the item of this number is of the second directory. It must have been pulled.
    pub fn is_behind(&self, number: u64) -> bool {
        number >= self.0.load(Ordering::SeqCst)
    }
}

/// One or two directories, one after the other.
pub struct Halves {
    inner: Operands,
    /// Whether the second directory was asked for.
    second: Arc<AtomicBool>,
    boundary: Boundary,
}

impl Halves {
    /// The directories, and the number at which the second one begins.
    pub fn new(directories: Vec<Vec<u8>>, descend: Descend) -> (Halves, Boundary) {
        let second = Arc::new(AtomicBool::new(false));
        let flag = second.clone();
        let paths = directories.into_iter().enumerate().map(move |(at, path)| {
            if at > 0 {
                flag.store(true, Ordering::SeqCst);
            }
            Ok(path)
        });
        let boundary = Boundary(Arc::new(AtomicU64::new(u64::MAX)));
        (Halves { inner: Operands::from_paths(Box::new(paths), descend), second, boundary: boundary.clone() }, boundary)
    }

    /// The first item after the second directory was asked for is its first one.
    fn noted(&self, item: Item) -> Item {
        if self.second.load(Ordering::SeqCst) {
            self.boundary.0.fetch_min(item.number(), Ordering::SeqCst);
        }
        item
    }
}

impl Source for Halves {
    fn pull(&mut self) -> Option<Item> {
        let item = self.inner.pull()?;
        Some(self.noted(item))
    }

    fn pull_into(&mut self, room: Room) -> Option<Item> {
        let item = self.inner.pull_into(room)?;
        Some(self.noted(item))
    }
}
