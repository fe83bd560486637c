//! The entries of an L01 or Lx01: files are ranges of the media data.

use super::entry::{Entry, UnlistedEntry};
use super::tree::{NamedEntry, Tree};
use crate::Bytes;
use crate::disk::Failure;
use std::io;
use std::sync::Arc;

/// The flag of a file that one byte stands for.
const SPARSE: u64 = 0x0400_0000;

/// A file: ranges of the media data, one behind the other.
struct File {
    media: Arc<dyn Bytes>,
    /// Where each begins in the file and in the media data.
    ranges: Vec<(u64, u64)>,
    size: u64,
}

impl File {
    /// The file in these extents; `size` are the bytes of all together.
    fn new(media: &Arc<dyn Bytes>, extents: &[(u64, u64)], size: u64) -> Result<File, Failure> {
        let (mut ranges, mut at) = (Vec::with_capacity(extents.len()), 0);
        for &(start, length) in extents {
            if start.checked_add(length).is_none_or(|end| end > media.size()) {
                return Err(Failure::malformed(format!("its bytes, {length} from {start} on, leave the media data")));
            }
            if length > 0 {
                ranges.push((at, start));
            }
            at += length;
        }
        Ok(File { media: media.clone(), ranges, size })
    }
}

impl Bytes for File {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let next = self.ranges.partition_point(|(at, _)| *at <= offset);
        let Some((at, start)) = next.checked_sub(1).map(|range| self.ranges[range]) else { return Ok(0) };
        let end = self.ranges.get(next).map_or(self.size, |(at, _)| *at);
        let room = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 { Ok(0) } else { self.media.read_at(start + (offset - at), &mut buffer[..room]) }
    }
}

/// A file of one byte, again and again.
struct FilledFile {
    byte: u8,
    size: u64,
}

impl Bytes for FilledFile {
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
    /// The tree of their names.
    pub tree: Tree,
    /// The bytes that hold their contents.
    pub media: Arc<dyn Bytes>,
}

impl Listing {
    fn content(&self, named: &NamedEntry) -> Result<Arc<dyn Bytes>, Failure> {
        let size = named.size;
        if size == 0 {
            return Ok(Arc::new(Vec::new()));
        }
        let extents = named.extents.as_ref().map_err(|stated| Failure::malformed(stated.clone()))?;
        let total = extents.iter().try_fold(0, |sum: u64, (_, length)| sum.checked_add(*length));
        let extents = match (&extents[..], total, named.duplicate) {
            // One byte stands for the content of a sparse file; it is ignored in a file that is
            // stored elsewhere.
            ([_], Some(1), None) if named.flags & SPARSE != 0 && size != 1 => {
                let mut byte = [0];
                File::new(&self.media, extents, 1)?.read_exact_at(0, &mut byte)?;
                return Ok(Arc::new(FilledFile { byte: byte[0], size }));
            }
            (_, Some(total), _) if total == size => extents.clone(),
            (_, _, Some(start)) => vec![(start, size)],
            ([], ..) => return Err(Failure::malformed(format!("{size} bytes, and no place of them is stated"))),
            (_, total, None) => {
                let stored = total.unwrap_or(u64::MAX);
                return Err(Failure::malformed(format!("{size} bytes are stated, and {stored} stored")));
            }
        };
        Ok(Arc::new(File::new(&self.media, &extents, size)?))
    }
}

impl Iterator for Listing {
    type Item = Result<Entry, UnlistedEntry>;

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
