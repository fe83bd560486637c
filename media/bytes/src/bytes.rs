//! Bytes at any position, and a range of others.

use std::io;
use std::sync::Arc;

pub use pfh_container::Bytes;

/// A range of other bytes: a partition.
#[derive(Clone)]
pub struct Slice {
    of: Arc<dyn Bytes>,
    start: u64,
    length: u64,
}

impl Slice {
    /// The bytes `start .. start + length` of `of`; `None` if they are not all within it.
    pub fn new(of: Arc<dyn Bytes>, start: u64, length: u64) -> Option<Self> {
        let end = start.checked_add(length)?;
        (end <= of.size()).then_some(Slice { of, start, length })
    }
}

impl Bytes for Slice {
    fn size(&self) -> u64 {
        self.length
    }

    fn ahead(&self, work: Box<dyn FnOnce() + Send>) {
        self.of.ahead(work);
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(offset);
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        self.of.read_at(self.start + offset, &mut buffer[..room])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_stays_within_its_range() {
        let whole: Arc<dyn Bytes> = Arc::new((0..100).collect::<Vec<u8>>());
        assert!(Slice::new(whole.clone(), 90, 11).is_none());
        assert!(Slice::new(whole.clone(), u64::MAX, 2).is_none());
        let slice = Slice::new(whole, 90, 10).unwrap();
        let mut buffer = [0; 16];
        assert_eq!(slice.read_at(4, &mut buffer).unwrap(), 6);
        assert_eq!(buffer[..6], [94, 95, 96, 97, 98, 99]);
        assert_eq!(slice.read_at(10, &mut buffer).unwrap(), 0);
        assert_eq!(slice.read_at(u64::MAX, &mut buffer).unwrap(), 0);
        assert_eq!(slice.read_exact_at(5, &mut buffer).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
