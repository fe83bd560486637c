//! Bytes at any position: the content of an image, a partition, a file that is an image itself.

use std::io;
use std::sync::Arc;

/// A fixed number of bytes that can be read anywhere.
pub trait Bytes: Send + Sync {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Reads some bytes from `offset` on, at least one unless `offset` is at or behind the end or
    /// `buffer` is empty.
    ///
    /// # Errors
    /// Whatever the medium says: a sector that cannot be read, a chunk that is damaged.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` if there are not that many bytes; whatever the medium says.
    fn read_exact_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(offset, buffer)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                got => {
                    buffer = &mut buffer[got..];
                    offset += got as u64;
                }
            }
        }
        Ok(())
    }
}

impl Bytes for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.get(start..)).unwrap_or_default();
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }
}

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
