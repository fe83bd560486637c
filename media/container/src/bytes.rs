//! Bytes at any position: a file, the content of an image, a partition, a file that is an image
//! itself.

use std::io;

/// A fixed number of bytes that can be read anywhere.
pub trait Bytes: Send + Sync {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// Whether they are decoded as they are read, so that reading costs the processor.
    fn is_decoded(&self) -> bool {
        false
    }

    /// Has work done beside the caller, if these bytes are decoded and a thread goes ahead of their
    /// readers: reads that others will make as well, and find decoded. Nobody waits for it, and it
    /// may never be done.
    fn ahead(&self, work: Box<dyn FnOnce() + Send>) {
        drop(work);
    }

    /// Reads some bytes from `offset` on, at least one unless `offset` is at or behind the end or
    /// `buffer` is empty.
    ///
    /// # Errors
    /// An error of the medium: a sector that cannot be read, a chunk that is damaged.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// `UnexpectedEof` if there are not that many bytes; an error of the medium.
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
