//! The content of a file: its extents, verified and unpacked.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use super::node::Key;
use super::record::{Extent, ExtentPlace, Method, kind};
use super::unpack::unpack;
use super::volume::Subvolume;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::{ByPieces, named, reported};

/// Bytes that are read at once: they stay in the cache of a processor until they are copied.
const PIECE: u64 = 64 << 10;
/// The most runs of one file: 64 MiB of memory.
const MOST_RUNS: usize = 2 << 20;

/// A file with content.
#[derive(Clone)]
pub struct File {
    pub volume: Arc<Subvolume>,
    pub inode: u64,
    pub size: u64,
    pub has_checksums: bool,
    pub path: Vec<u8>,
}

impl File {
    /// The extent at a place of the file, no further than the file's end. The place must be in
    /// front of the end.
    pub fn extent(&self, at: u64) -> Result<Extent, Failure> {
        let tree = &self.volume.tree;
        let first = Key::of(self.inode, kind::EXTENT, 0);
        let before = tree.last_up_to(Key { offset: at, ..first })?;
        let before = before.map(|(key, _)| key).filter(|key| (key.id, key.kind) == (first.id, first.kind));
        let mut next = tree.of(first.id, first.kind, before.map_or(at, |key| key.offset));
        let mut end = self.size;
        let mut found = next.next().transpose()?;
        if before.is_some() {
            let Some((key, raw)) = found else {
                return Err(failure(None, "an extent that is not there any more"));
            };
            let extent = Extent::new(key.offset, &raw).map_err(|cause| failure(None, cause))?;
            found = match next.next() {
                // The items behind the last one belong to other files.
                Some(Err(_)) if extent.end() >= self.size => None,
                next => next.transpose()?,
            };
            if found.as_ref().is_some_and(|(key, _)| key.offset < extent.end()) {
                return Err(failure(None, "two extents claim the same place of the file"));
            }
            if extent.end() > at {
                return Ok(extent);
            }
        }
        if let Some((key, _)) = found {
            end = end.min(key.offset);
        }
        // Only a file system without explicit holes may have a gap. The last block is whole in any
        // case.
        if !self.volume.tree.pool.has_no_holes && at.next_multiple_of(self.volume.tree.pool.sector_size) < end {
            return Err(failure(None, format!("no extent has the bytes from {at} on")));
        }
        let length = end.saturating_sub(at).max(1);
        Ok(Extent { at, length, unpacked: length, method: Method::Plain, place: ExtentPlace::Hole })
    }

    /// Some bytes from a place on, which must be in front of the end: one at least.
    fn piece(&self, at: u64) -> Result<Vec<u8>, Failure> {
        let extent = self.extent(at)?;
        let within = at - extent.at;
        let left = (extent.length - within).min(self.size - at);
        let cut = |mut bytes: Vec<u8>, from: u64| {
            bytes.drain(..bytes.len().min(usize::try_from(from).unwrap_or(usize::MAX)));
            bytes.truncate(usize::try_from(left).unwrap_or(usize::MAX));
            bytes
        };
        let block = self.volume.tree.pool.sector_size;
        match extent.place {
            ExtentPlace::Hole => Ok(vec![0; left.min(PIECE) as usize]),
            ExtentPlace::Inline(held) if extent.method == Method::Plain => Ok(cut(held.to_vec(), within)),
            ExtentPlace::Inline(held) => {
                let found = unpack(extent.method, &held, extent.unpacked as usize, block as usize);
                Ok(cut(found.ok_or_else(|| failure(None, "compressed bytes in the metadata are damaged"))?, within))
            }
            ExtentPlace::Stored { logical, from, .. } if extent.method == Method::Plain => {
                // Whole blocks have checksums.
                let start = (from + within) / block * block;
                let skip = from + within - start;
                let length = (skip + left.min(PIECE)).next_multiple_of(block).min(extent.unpacked - start);
                Ok(cut(self.verified(logical.saturating_add(start), length)?, skip))
            }
            ExtentPlace::Stored { logical, stored, from } => {
                let packed = self.verified(logical, stored)?;
                let found = unpack(extent.method, &packed, extent.unpacked as usize, block as usize);
                let found = found.ok_or_else(|| {
                    let place = self.volume.tree.pool.place(logical).ok().map(|(place, _)| place);
                    failure(place, "a compressed extent is damaged")
                })?;
                Ok(cut(found, from + within))
            }
        }
    }

    /// Bytes at a logical place, by the copy whose checksum is right.
    fn verified(&self, logical: u64, length: u64) -> Result<Vec<u8>, Failure> {
        let pool = &self.volume.tree.pool;
        let block = pool.sector_size;
        let sums = match &*self.volume.sums {
            _ if !self.has_checksums => None,
            Ok(sums) => Some(sums.of(logical, length)?),
            Err(failed) => return Err(failed.clone()),
        };
        let sum_of = |offset: u64| sums.as_ref().map(|sums| sums.get((offset / block) as usize));
        let mut found = Vec::new();
        while (found.len() as u64) < length {
            let start = found.len() as u64;
            let at = logical.saturating_add(start);
            // Up to where the bytes lie elsewhere; whole blocks.
            let rest = length - start;
            let left = pool.left(at).min(rest).next_multiple_of(block).min(rest);
            let whole = pool.read(at, left as usize, 0);
            let is_right = |whole: &[u8]| {
                let blocks = whole.chunks(block as usize).enumerate();
                let sum = |index: usize| sum_of(start + index as u64 * block);
                blocks.into_iter().all(|(index, bytes)| match sum(index) {
                    None => true,
                    Some(sum) => sum.is_some_and(|sum| pool.checksum.is_of(bytes, sum)),
                })
            };
            match whole {
                Ok(whole) if is_right(&whole) && found.is_empty() => found = whole,
                Ok(whole) if is_right(&whole) => found.extend(whole),
                // One of them is damaged: each by itself.
                whole => {
                    for offset in (0..left).step_by(block as usize) {
                        let size = block.min(left - offset) as usize;
                        let first = match &whole {
                            Ok(whole) => Ok(whole[offset as usize..offset as usize + size].to_vec()),
                            Err(_) => pool.read(at + offset, size, 0),
                        };
                        found.extend(self.right(at + offset, first, sum_of(start + offset))?);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The copy of a block that has this checksum; the first one that can be read if it has none.
    fn right(
        &self,
        logical: u64,
        first: Result<Vec<u8>, Failure>,
        sum: Option<Option<&[u8]>>,
    ) -> Result<Vec<u8>, Failure> {
        let pool = &self.volume.tree.pool;
        let size = first.as_ref().map_or(pool.sector_size as usize, Vec::len);
        let place = || pool.place(logical).ok().map(|(place, _)| place);
        let check = |bytes: &[u8]| match &sum {
            None => Ok(()),
            Some(Some(sum)) if pool.checksum.is_of(bytes, sum) => Ok(()),
            Some(Some(_)) => {
                Err(failure(place(), format!("the checksum of a block of data is wrong (logical {logical})")))
            }
            Some(None) => Err(failure(place(), format!("a block of data has no checksum (logical {logical})"))),
        };
        let tried = first.and_then(|bytes| check(&bytes).map(|()| bytes));
        let Err(failed) = tried else { return tried };
        let others = (1..pool.ways(logical)).filter_map(|way| pool.read(logical, size, way).ok());
        others.into_iter().find(|bytes| check(bytes).is_ok()).ok_or(failed)
    }

    /// All ranges up to the end that lie on the medium; `None` if some are inline or, without
    /// `packed`, compressed.
    fn ranges(&self, packed: bool) -> Option<Vec<Run>> {
        let (mut runs, mut at): (Vec<Run>, u64) = (Vec::new(), 0);
        while at < self.size {
            let extent = self.extent(at).ok()?;
            let within = at - extent.at;
            let end = extent.end().min(self.size);
            match extent.place {
                ExtentPlace::Hole => push(&mut runs, at, None, end - at)?,
                ExtentPlace::Inline(_) => return None,
                ExtentPlace::Stored { logical, stored, .. } if extent.method != Method::Plain => {
                    let (place, left) = self.volume.tree.pool.place(logical).ok().filter(|_| packed)?;
                    push(&mut runs, at, Some(place), stored.min(left))?;
                }
                ExtentPlace::Stored { logical, from, .. } => {
                    let (mut place, mut file) = (logical.saturating_add(from + within), at);
                    while file < end {
                        let (medium, left) = self.volume.tree.pool.place(place).ok()?;
                        let length = left.min(end - file);
                        push(&mut runs, file, Some(medium), length)?;
                        (place, file) = (place.saturating_add(length), file + length);
                    }
                }
            }
            at = end;
        }
        Some(runs)
    }
}

/// Adds a run, to the last one if it goes on; `None` if there are too many.
fn push(runs: &mut Vec<Run>, file_offset: u64, medium_offset: Option<u64>, length: u64) -> Option<()> {
    if let Some(last) = runs.last_mut() {
        let goes_on = last.medium_offset.map(|offset| offset + last.length) == medium_offset;
        if goes_on && last.file_offset + last.length == file_offset {
            last.length += length;
            return Some(());
        }
    }
    if runs.len() >= MOST_RUNS {
        return None;
    }
    runs.push(Run { file_offset, medium_offset, length });
    Some(())
}

impl File {
    fn reader(&self, offset: u64) -> Box<dyn Read + Send> {
        let file = self.clone();
        let next = move |at| if at < file.size { file.piece(at).map(Some) } else { Ok(None) };
        Box::new(ByPieces::starting(self.path.clone(), offset, next))
    }
}

impl Content for File {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(self.reader(0))
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(self.reader(offset)))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.ranges(false)
    }

    fn places(&self) -> Option<Vec<Run>> {
        self.ranges(true)
    }

    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        Some(Arc::new(VerifiedFile { file: self.clone(), held: Mutex::default() }))
    }
}

/// A file at any position, with the piece that was read last.
struct VerifiedFile {
    file: File,
    held: Mutex<(u64, Vec<u8>)>,
}

impl Bytes for VerifiedFile {
    fn size(&self) -> u64 {
        self.file.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.file.size || buffer.is_empty() {
            return Ok(0);
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let is_held = offset.checked_sub(held.0).is_some_and(|within| within < held.1.len() as u64);
        if !is_held {
            let piece = self.file.piece(offset).map_err(|failed| reported(named(failed, &self.file.path)))?;
            *held = (offset, piece);
        }
        let rest = &held.1[(offset - held.0) as usize..];
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }
}
