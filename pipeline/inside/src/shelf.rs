//! Buffers that are used again: content that one thread decodes and another one reads would else
//! be allocated here and freed there, and the system would make each page of it again.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Buffers that are kept, and their bytes together.
const KEPT: (usize, usize) = (128, 32 << 20);

/// The buffers that nobody uses.
#[derive(Default)]
pub struct Shelf(Mutex<Vec<Vec<u8>>>);

fn lock(of: &Mutex<Vec<Vec<u8>>>) -> MutexGuard<'_, Vec<Vec<u8>>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer that goes back when it is dropped.
pub struct Buffer {
    bytes: Vec<u8>,
    shelf: Arc<Shelf>,
}

impl Shelf {
    /// A buffer of this many bytes of any value.
    pub fn take(self: &Arc<Self>, length: usize) -> Buffer {
        let mut kept = lock(&self.0);
        let fitting = kept.iter().rposition(|bytes| bytes.len() >= length);
        let found = fitting.map(|at| kept.swap_remove(at));
        drop(kept);
        // A new one's pages are made as they are written to.
        Buffer { bytes: found.unwrap_or_else(|| vec![0; length]), shelf: self.clone() }
    }
}

impl Buffer {
    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, to be filled.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        let mut kept = lock(&self.shelf.0);
        // In the place of the least useful one.
        let smallest = (0..kept.len()).min_by_key(|at| kept[*at].len()).filter(|_| kept.len() == KEPT.0);
        let lost = smallest.map_or(0, |at| kept[at].len());
        let held = kept.iter().map(Vec::len).sum::<usize>() - lost;
        if lost >= bytes.len() || held + bytes.len() > KEPT.1 {
            return;
        }
        let left = smallest.map(|at| kept.swap_remove(at));
        kept.push(bytes);
        drop((kept, left));
    }
}

/// Reads until `into` is full, or to the end; `done` says how many bytes came, also in front of an
/// error.
pub fn fill(reader: &mut dyn Read, into: &mut [u8], done: &mut usize) -> io::Result<()> {
    while *done < into.len() {
        match reader.read(&mut into[*done..]) {
            Ok(0) => break,
            Ok(got) => *done += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_and_long_ones_do_not_stay() {
        let shelf = Arc::new(Shelf::default());
        let kept = || {
            let kept = lock(&shelf.0);
            (kept.len(), kept.iter().map(Vec::len).sum::<usize>())
        };
        let mut first = shelf.take(1000);
        first.bytes_mut().fill(7);
        let place = first.bytes().as_ptr();
        drop(first);
        let again = shelf.take(10);
        assert_eq!((again.bytes().as_ptr(), again.bytes().len()), (place, 1000));
        drop(shelf.take(KEPT.1 + 1));
        drop(again);
        assert_eq!(kept(), (1, 1000));
        // Two of a length that none on the shelf has, which stays for shorter ones.
        let (long, short) = (shelf.take(4 << 20), shelf.take(500));
        assert_eq!((long.bytes().len(), short.bytes().len()), (4 << 20, 1000));
        drop((long, short));
        assert_eq!(kept(), (2, (4 << 20) + 1000));
        let all: Vec<Buffer> = (0..2 * KEPT.0).map(|_| shelf.take(10)).collect();
        drop(all);
        assert!(kept().0 == KEPT.0 && kept().1 > 4 << 20, "the longest stay");
        let all: Vec<Buffer> = (0..20).map(|_| shelf.take(3 << 20)).collect();
        drop(all);
        assert!(kept().1 <= KEPT.1 && kept().1 > KEPT.1 / 2, "{:?}", kept());
    }
}
