//! The entries of an L01 or Lx01: files are ranges of the media data.

use super::entry::{Entry, Unlisted};
use super::tree::{Named, Tree};
use crate::Bytes;
use crate::disk::Failure;
use std::io;
use std::sync::Arc;

/// The flag of a file that one byte stands for.
const SPARSE: u64 = 0x0400_0000;

/// A file: a range of the media data.
struct File {
    media: Arc<dyn Bytes>,
    start: u64,
    size: u64,
}

impl Bytes for File {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        match room {
            0 => Ok(0),
            room => self.media.read_at(self.start.saturating_add(offset), &mut buffer[..room]),
        }
    }
}

/// A file of one byte, again and again.
struct Filled {
    byte: u8,
    size: u64,
}

impl Bytes for Filled {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        buffer[..room].fill(self.byte);
        Ok(room)
    }
}

/// The entries as they come.
pub struct Listing {
    /// What names them.
    pub tree: Tree,
    /// What holds their bytes.
    pub media: Arc<dyn Bytes>,
}

impl Listing {
    fn content(&self, named: &Named) -> Result<Arc<dyn Bytes>, Failure> {
        let size = named.size;
        if size == 0 {
            return Ok(Arc::new(Vec::new()));
        }
        let (mut start, stored) = match (named.extent, named.duplicate) {
            (Some((start, stored)), _) => (start, stored),
            (None, Some(start)) => (start, size),
            (None, None) => return Err(Failure::malformed(format!("{size} bytes, and no place of them is stated"))),
        };
        // One byte stands for a sparse file, or says nothing of one that is stored elsewhere.
        if named.flags & SPARSE != 0 && stored == 1 && size != 1 && named.duplicate.is_none() {
            let mut byte = [0];
            File { media: self.media.clone(), start, size: 1 }.read_exact_at(0, &mut byte)?;
            return Ok(Arc::new(Filled { byte: byte[0], size }));
        }
        match named.duplicate {
            Some(other) if stored != size => start = other,
            _ if stored != size => {
                return Err(Failure::malformed(format!("{size} bytes are stated, and {stored} stored")));
            }
            _ => {}
        }
        if start.checked_add(size).is_none_or(|end| end > self.media.size()) {
            return Err(Failure::malformed(format!("its bytes, {size} from {start} on, leave the media data")));
        }
        Ok(Arc::new(File { media: self.media.clone(), start, size }))
    }
}

impl Iterator for Listing {
    type Item = Result<Entry, Unlisted>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let named = match self.tree.next()? {
                Ok(named) => named,
                Err(failure) => return Some(Err((Vec::new(), failure))),
            };
            if named.path.is_empty() {
                continue;
            }
            let content = (!named.is_directory).then(|| self.content(&named));
            return Some(Ok(Entry {
                path: named.path,
                is_directory: named.is_directory,
                id: named.id,
                stamps: named.stamps,
                digests: named.digests,
                content,
            }));
        }
    }
}
