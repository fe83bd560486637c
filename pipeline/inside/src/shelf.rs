//! Buffers that are used again: content that one thread decodes and another one reads would else
//! be allocated here and freed there, and the system would make each page of it again.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Buffers that are kept, and the longest of them in bytes.
const KEPT: (usize, usize) = (16, 2 << 20);

/// The buffers that nobody uses.
#[derive(Default)]
pub struct Shelf(Mutex<Vec<Vec<u8>>>);

/// A buffer that goes back when it is dropped.
pub struct Buffer {
    bytes: Vec<u8>,
    shelf: Arc<Shelf>,
}

impl Shelf {
    /// A buffer of this many bytes of any value.
    pub fn take(self: &Arc<Self>, length: usize) -> Buffer {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bytes = kept.unwrap_or_default();
        bytes.resize(length.max(bytes.len()), 0);
        Buffer { bytes, shelf: self.clone() }
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
        let mut kept = self.shelf.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT.0 && bytes.len() <= KEPT.1 {
            kept.push(bytes);
        }
    }
}

/// A part of bytes that several hold.
pub struct Part {
    /// The bytes.
    pub of: Arc<dyn AsRef<[u8]> + Send + Sync>,
    /// Which of them.
    pub range: Range<usize>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        (*self.of).as_ref().get(self.range.clone()).unwrap_or_default()
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
        let mut first = shelf.take(1000);
        first.bytes_mut().fill(7);
        let place = first.bytes().as_ptr();
        drop(first);
        let again = shelf.take(10);
        assert_eq!((again.bytes().as_ptr(), again.bytes().len()), (place, 1000));
        drop(shelf.take(KEPT.1 + 1));
        drop(again);
        assert_eq!(shelf.0.lock().unwrap().len(), 1);
        let all: Vec<Buffer> = (0..2 * KEPT.0).map(|_| shelf.take(10)).collect();
        drop(all);
        assert_eq!(shelf.0.lock().unwrap().len(), KEPT.0);
    }
}
