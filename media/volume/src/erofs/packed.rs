//! The content of a compressed file.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use super::index::{End, Index, Kind};
use super::inode::Inode;
use super::unpack::Method;
use super::volume::Erofs;
use pfh_bytes::field::{failure, read};
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::{ByPieces, named};

/// The most bytes of a cluster, unpacked and stored.
const MOST: u64 = 12 << 20;
const MOST_STORED: u64 = 1 << 20;
/// Bytes of a part that lies in the inode for ends, or of zeros, that are given at once.
const PIECE: u64 = 1 << 20;
/// Unpacked bytes that are held.
const HELD: usize = 16 << 20;
/// The most runs of one file: 64 MiB of memory.
const MOST_RUNS: usize = 2 << 20;

/// How a part of a file is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartForm {
    /// As it is; at its places in a block if interlaced, else from its start on.
    Plain {
        is_interlaced: bool,
    },
    Packed(Method),
    /// In the inode for ends.
    Fragment,
}

/// A part of a file: where it begins and ends in it, where it is stored.
#[derive(Debug, Clone, Copy)]
struct Part {
    from: u64,
    to: u64,
    offset: u64,
    stored: u64,
    how: PartForm,
    is_partial: bool,
}

/// Unpacked bytes, by their place in the file.
type UnpackedBytes = VecDeque<(u64, Arc<Vec<u8>>)>;

/// The parts of a compressed file.
pub struct Parts {
    volume: Arc<Erofs>,
    index: Index,
    size: u64,
    /// The cluster that the last part begins in, where that lies apart.
    last: Option<u64>,
    /// Where that lies.
    end: (u64, u64),
    held: Mutex<UnpackedBytes>,
}

impl Parts {
    /// The parts of an inode.
    pub fn new(volume: &Arc<Erofs>, inode: &Inode) -> Result<Parts, Failure> {
        let index = Index::new(volume, inode)?;
        let (volume, size) = (volume.clone(), inode.size);
        let mut parts = Parts { volume, index, size, last: None, end: (0, 0), held: Mutex::default() };
        if size == 0 || matches!(parts.index.end, End::Nothing | End::Whole(_)) {
            return Ok(parts);
        }
        let (head, behind) = parts.head(size - 1)?;
        parts.last = Some(head);
        parts.end = match parts.index.end {
            // An index of eight bytes each has room for more of the place.
            End::Fragment(from) => {
                let block = if parts.index.is_full() { parts.index.cluster(head)?.block } else { 0 };
                (from | u64::from(block) << 32, 0)
            }
            End::Inline(length) => (behind, length.into()),
            End::Nothing | End::Whole(_) => (0, 0),
        };
        Ok(parts)
    }

    /// The cluster in which the part begins that holds this byte; and where the index goes on
    /// behind the cluster of the byte.
    fn head(&self, at: u64) -> Result<(u64, u64), Failure> {
        let (log, first) = (self.index.log, at >> self.index.log);
        let mut number = first;
        let mut cluster = self.index.cluster(number)?;
        let behind = cluster.end;
        let wrong = |end: u64, cause: &str| Err(failure(Some(end), cause));
        loop {
            let back = match cluster.kind {
                Kind::Inner => u64::from(cluster.back),
                _ if cluster.within >> log != 0 => {
                    return wrong(cluster.end, "a part that begins outside of its cluster");
                }
                _ if number == first && at - (number << log) < cluster.within.into() => 1,
                _ => return Ok((number, behind)),
            };
            if back == 0 || back > number {
                return wrong(cluster.end, "a cluster whose part does not begin in the file");
            }
            number -= back;
            if first - number > MOST >> log {
                return wrong(cluster.end, "a part of more than 12 MiB");
            }
            cluster = self.index.cluster(number)?;
        }
    }

    /// The part that holds this byte.
    fn part(&self, at: u64) -> Result<Part, Failure> {
        let mut part = Part { from: 0, to: self.size, offset: 0, stored: 0, how: PartForm::Fragment, is_partial: true };
        if let End::Whole(from) = self.index.end {
            part.offset = from;
            return Ok(part);
        }
        let (log, (number, _)) = (self.index.log, self.head(at)?);
        let head = self.index.cluster(number)?;
        part.from = (number << log) + u64::from(head.within);
        // The first inner cluster may say how many blocks there are, the next head where it ends.
        let (mut next, mut blocks) = (number + 1, None);
        while next < self.index.count {
            let cluster = self.index.cluster(next)?;
            if cluster.kind != Kind::Inner {
                part.to = ((next << log) + u64::from(cluster.within)).min(self.size);
                break;
            }
            if next == number + 1 {
                blocks = cluster.blocks;
            }
            if next - number > MOST >> log {
                return Err(failure(Some(cluster.end), "a part of more than 12 MiB"));
            }
            next += 1;
        }
        if part.to <= at {
            return Err(failure(Some(head.end), "a part of a file that ends where it begins"));
        }
        if self.last == Some(number) {
            (part.offset, part.stored) = self.end;
            if matches!(self.index.end, End::Fragment(_)) {
                return Ok(part);
            }
            let block = self.volume.superblock.block_size();
            if part.offset % block + part.stored > block {
                return Err(failure(Some(part.offset), "the end of a file that lies across two blocks"));
            }
        } else {
            part.offset = self.volume.block(head.block);
            part.stored = u64::from(blocks.unwrap_or(1)) << self.volume.superblock.block_log;
        }
        part.is_partial = head.is_partial;
        part.how = match head.kind {
            Kind::Head(which) => {
                let method = self.index.methods[which];
                PartForm::Packed(method.ok_or_else(|| failure(Some(head.end), "compressed by an unknown method"))?)
            }
            _ => PartForm::Plain { is_interlaced: self.index.is_interlaced && self.last != Some(number) },
        };
        if part.stored > MOST_STORED || part.stored == 0 {
            return Err(failure(Some(head.end), format!("a part that is stored in {} bytes", part.stored)));
        }
        Ok(part)
    }

    /// Where a plain part lies: ranges of its cluster.
    fn plain(&self, part: &Part, is_interlaced: bool) -> Result<Vec<(u64, u64)>, Failure> {
        let length = part.to - part.from;
        if length > part.stored {
            let cause = format!("{length} plain bytes, stored in {}", part.stored);
            return Err(failure(Some(part.offset), cause));
        }
        if !is_interlaced {
            return Ok(vec![(part.offset, length)]);
        }
        let within = part.from % self.volume.superblock.block_size();
        let first = length.min(part.stored - within.min(part.stored));
        let ranges = [(part.offset + within, first), (part.offset, length - first)];
        Ok(ranges.into_iter().filter(|(_, length)| *length > 0).collect())
    }

    /// The bytes of a part that is not a fragment.
    fn unpacked(&self, part: &Part) -> Result<Arc<Vec<u8>>, Failure> {
        {
            let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, bytes)) = held.iter().find(|(from, _)| *from == part.from) {
                return Ok(bytes.clone());
            }
        }
        let bytes = &*self.volume.bytes;
        let unpacked = match part.how {
            PartForm::Plain { is_interlaced } => {
                let mut all = Vec::new();
                for (offset, length) in self.plain(part, is_interlaced)? {
                    all.extend(read(bytes, offset, length as usize)?);
                }
                all
            }
            PartForm::Packed(method) => {
                let packed = read(bytes, part.offset, part.stored as usize)?;
                let superblock = &self.volume.superblock;
                let block = superblock.block_size() as usize;
                let length = (part.to - part.from) as usize;
                let found = method.unpack(&packed, length, superblock.is_padded, !part.is_partial, block);
                found.ok_or_else(|| failure(Some(part.offset), "a compressed cluster does not unpack"))?
            }
            PartForm::Fragment => Vec::new(),
        };
        let unpacked = Arc::new(unpacked);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.push_front((part.from, unpacked.clone()));
        let mut sum = 0;
        held.retain(|(_, bytes)| {
            sum += bytes.len();
            sum <= HELD
        });
        Ok(unpacked)
    }

    /// Bytes from this place on, to the end of a part at the most; there must be some.
    fn piece(&self, at: u64) -> Result<Vec<u8>, Failure> {
        let part = self.part(at)?;
        let within = at - part.from;
        if part.how == PartForm::Fragment {
            let length = (part.to - at).min(PIECE);
            return self.volume.end(part.offset.saturating_add(within), length as usize);
        }
        let unpacked = self.unpacked(&part)?;
        Ok(unpacked[within as usize..].to_vec())
    }

    /// `length` bytes from this place on, which the caller bounds.
    pub fn range(&self, from: u64, length: usize) -> Result<Vec<u8>, Failure> {
        let mut found = Vec::with_capacity(length);
        while found.len() < length {
            let at = from + found.len() as u64;
            let part = self.part(at)?;
            let left = length - found.len();
            if part.how == PartForm::Fragment {
                let left = (part.to - at).min(left as u64) as usize;
                found.extend(self.volume.end(part.offset.saturating_add(at - part.from), left)?);
                continue;
            }
            let unpacked = self.unpacked(&part)?;
            let rest = &unpacked[(at - part.from) as usize..];
            found.extend_from_slice(&rest[..rest.len().min(left)]);
        }
        Ok(found)
    }

    /// Where the bytes lie; compressed ones as well if `packed`, else `None` for these.
    fn ranges(&self, packed: bool) -> Option<Vec<Run>> {
        let (mut runs, mut at) = (Vec::<Run>::new(), 0);
        while at < self.size {
            let part = self.part(at).ok()?;
            let ranges = match part.how {
                PartForm::Plain { is_interlaced } => self.plain(&part, is_interlaced).ok()?,
                PartForm::Packed(_) if packed => vec![(part.offset, part.stored)],
                _ => return None,
            };
            let mut file_offset = at;
            for (offset, length) in ranges {
                let is_there = offset.checked_add(length).is_some_and(|end| end <= self.volume.superblock.size());
                if !is_there || runs.len() > MOST_RUNS {
                    return None;
                }
                runs.push(Run { file_offset, medium_offset: Some(offset), length });
                file_offset += length;
            }
            at = part.to;
        }
        Some(runs)
    }
}

/// A compressed file.
pub struct PackedFile {
    pub volume: Arc<Erofs>,
    pub inode: Inode,
    pub path: Vec<u8>,
}

impl PackedFile {
    fn reader(&self, offset: u64) -> Result<Box<dyn Read + Send>, Failure> {
        let parts = Parts::new(&self.volume, &self.inode).map_err(|failed| named(failed, &self.path))?;
        let next = move |at| if at < parts.size { parts.piece(at).map(Some) } else { Ok(None) };
        Ok(Box::new(ByPieces::starting(self.path.clone(), offset, next)))
    }
}

impl Content for PackedFile {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.reader(0)
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.reader(offset).map(Some)
    }

    fn runs(&self) -> Option<Vec<Run>> {
        Parts::new(&self.volume, &self.inode).ok()?.ranges(false)
    }

    fn places(&self) -> Option<Vec<Run>> {
        Parts::new(&self.volume, &self.inode).ok()?.ranges(true)
    }
}
