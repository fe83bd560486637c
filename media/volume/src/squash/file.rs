//! The content of a file: its blocks, and the fragment that holds its end.

use std::io::Read;
use std::sync::Arc;

use super::inode::Lies;
use super::metadata::Cursor;
use super::volume::{Block, Squash};
use pfh_bytes::field::{failure, le32};
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::ByPieces;

/// The most runs of one file: 64 MiB of memory.
const MOST_RUNS: usize = 2 << 20;

/// A file with content.
#[derive(Clone)]
pub struct File {
    pub volume: Arc<Squash>,
    pub lies: Lies,
    pub path: Vec<u8>,
}

/// The next part of a file.
enum Part {
    Hole(u64),
    Block(Block, u64),
    /// A range of a fragment.
    Fragment(Block, u32, u64),
}

/// The parts of a file, one after the other.
struct Parts {
    volume: Arc<Squash>,
    lengths: Cursor,
    fragment: Option<(u32, u32)>,
    offset: u64,
    left: u64,
}

impl Parts {
    fn next(&mut self) -> Result<Option<Part>, Failure> {
        let block_size = u64::from(self.volume.superblock.block_size);
        let length = self.left.min(block_size);
        if length == 0 {
            return Ok(None);
        }
        if let (Some((fragment, at)), true) = (self.fragment, length < block_size) {
            self.left = 0;
            let block = self.volume.fragment(fragment)?;
            return Ok(Some(Part::Fragment(block, at, length)));
        }
        let stated = le32(&self.lengths.take(4)?, 0);
        self.left -= length;
        if stated == 0 {
            return Ok(Some(Part::Hole(length)));
        }
        let block = Block::new(self.offset, stated);
        self.offset = self.offset.saturating_add(block.length.into());
        Ok(Some(Part::Block(block, length)))
    }
}

impl File {
    fn parts(&self) -> Parts {
        let Lies { size, start, fragment, lengths } = self.lies.clone();
        Parts { volume: self.volume.clone(), lengths, fragment, offset: start, left: size }
    }

    /// Whether its first block is compressed where it lies.
    pub fn is_packed(&self) -> bool {
        match self.parts().next() {
            Ok(Some(Part::Block(block, _) | Part::Fragment(block, ..))) => block.is_packed,
            _ => false,
        }
    }

    /// Where its bytes lie; compressed ones as well if `packed`, else `None` for these.
    fn ranges(&self, packed: bool) -> Option<Vec<Run>> {
        let (mut parts, mut runs, mut at) = (self.parts(), Vec::<Run>::new(), 0);
        while let Some(part) = parts.next().ok()? {
            let (medium_offset, stored, length) = match part {
                Part::Hole(length) => (None, length, length),
                Part::Block(block, length) | Part::Fragment(block, _, length) if block.is_packed => {
                    if !packed {
                        return None;
                    }
                    (Some(block.offset), block.length.into(), length)
                }
                Part::Block(block, length) => (Some(block.offset), length, length),
                Part::Fragment(block, within, length) => {
                    (Some(block.offset.checked_add(within.into())?), length, length)
                }
            };
            let end = medium_offset.map_or(Some(0), |offset| offset.checked_add(stored));
            if end.is_none_or(|end| end > self.volume.superblock.size) || runs.len() > MOST_RUNS {
                return None;
            }
            match runs.last_mut() {
                Some(last)
                    if !packed
                        && last.file_offset + last.length == at
                        && last.medium_offset.map(|offset| offset + last.length) == medium_offset =>
                {
                    last.length += length;
                }
                _ => runs.push(Run { file_offset: at, medium_offset, length: stored }),
            }
            at += length;
        }
        Some(runs)
    }
}

impl Content for File {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let mut parts = self.parts();
        Ok(Box::new(ByPieces::new(self.path.clone(), move |_| parts.bytes())))
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let mut parts = self.parts();
        let block_size = u64::from(self.volume.superblock.block_size);
        let (whole, rest) = (offset / block_size, offset % block_size);
        for _ in 0..whole {
            parts.next()?;
        }
        let mut skip = rest as usize;
        let next = move |_| {
            let bytes = parts.bytes()?;
            let from = std::mem::take(&mut skip);
            Ok(bytes.map(|bytes| bytes.get(from..).unwrap_or_default().to_vec()))
        };
        Ok(Some(Box::new(ByPieces::new(self.path.clone(), next))))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.ranges(false)
    }

    fn places(&self) -> Option<Vec<Run>> {
        self.ranges(true)
    }
}

impl Parts {
    /// The bytes of the next part; `None` at the end.
    fn bytes(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(part) = self.next()? else { return Ok(None) };
        let most = self.volume.superblock.block_size as usize;
        let wrong = |block: Block, cause: String| Err(failure(Some(block.offset), cause));
        match part {
            Part::Hole(length) => Ok(Some(vec![0; length as usize])),
            Part::Block(block, length) => {
                let bytes = self.volume.unpacked(block, most)?;
                if bytes.len() as u64 == length {
                    return Ok(Some(bytes));
                }
                wrong(block, format!("a block of {} bytes, where the file has {length}", bytes.len()))
            }
            Part::Fragment(block, at, length) => {
                let bytes = self.volume.fragments.get(block.offset, || self.volume.unpacked(block, most))?;
                let end = u64::from(at) + length;
                match usize::try_from(end).ok().and_then(|end| bytes.get(at as usize..end)) {
                    Some(part) => Ok(Some(part.to_vec())),
                    None => wrong(block, format!("a fragment that ends at {}, in front of {end}", bytes.len())),
                }
            }
        }
    }
}
