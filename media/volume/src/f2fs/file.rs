//! The content of compressed files.

use std::io::{self, Read};
use std::sync::Arc;

use super::blocks::{Blocks, CLUSTER, LostNodes, RESERVED};
use super::inode::{Compression, Inode};
use super::superblock::{BLOCK, MAGIC, checksum};
use super::volume::F2fs;
use crate::lzo;
use pfh_bytes::field::{failure, le32, read};
use pfh_bytes::node::{Content, Failure, Run};
use pfh_bytes::stored::{named, reported};

/// Bytes in front of a compressed cluster: its length, its checksum, room.
const HEADER: usize = 24;
/// The most runs of one file: 64 MiB of memory.
const MOST_RUNS: usize = 2 << 20;

/// A cluster: its blocks, and whether they are compressed.
struct Cluster {
    places: Vec<u32>,
    is_packed: bool,
}

/// A compressed file, by the block of its inode: a million of them hold no inodes.
pub struct ClusteredFile {
    pub volume: Arc<F2fs>,
    pub number: u32,
    pub block: u32,
    pub path: Vec<u8>,
    pub gone: Option<Arc<LostNodes>>,
}

/// A compressed file that is open.
struct File {
    volume: Arc<F2fs>,
    inode: Inode,
    compression: Compression,
    path: Vec<u8>,
    gone: Option<Arc<LostNodes>>,
}

impl ClusteredFile {
    fn file(&self) -> Result<File, Failure> {
        let inode = self.volume.inode_at(self.block, self.number)?;
        let none = || failure(Some(inode.offset), "a file that is not compressed");
        let compression = inode.compression.ok_or_else(none)?;
        let (volume, path, gone) = (self.volume.clone(), self.path.clone(), self.gone.clone());
        Ok(File { volume, inode, compression, path, gone })
    }
}

impl File {
    fn blocks(&self) -> Blocks {
        Blocks::new(&self.volume, &self.inode, self.gone.clone())
    }

    /// The cluster of this number; `Err(span)` for `span` clusters of zeros.
    fn cluster(&self, blocks: &mut Blocks, number: u64) -> Result<Result<Cluster, u64>, Failure> {
        let count = self.compression.blocks as u64;
        let first = number * count;
        let (place, span) = blocks.at(first)?;
        if place == 0 && span >= count {
            return Ok(Err(span / count));
        }
        let mut places = vec![place];
        for index in 1..count {
            // Behind the end there may be no places.
            let is_behind = (first + index) * BLOCK >= self.inode.size && place != CLUSTER;
            places.push(if is_behind { 0 } else { blocks.at(first + index)?.0 });
        }
        if place != CLUSTER {
            return Ok(Ok(Cluster { places, is_packed: false }));
        }
        places.remove(0);
        places.retain(|place| ![0, RESERVED, CLUSTER].contains(place));
        Ok(Ok(Cluster { places, is_packed: true }))
    }

    /// The bytes of a cluster.
    fn unpacked(&self, cluster: &Cluster) -> Result<Vec<u8>, Failure> {
        let size = self.compression.blocks * BLOCK as usize;
        let mut stored = Vec::with_capacity(size);
        for &place in &cluster.places {
            match place {
                0 | RESERVED if !cluster.is_packed => stored.resize(stored.len() + BLOCK as usize, 0),
                place => stored.extend(read(&*self.volume.bytes, self.volume.offset(place)?, BLOCK as usize)?),
            }
        }
        if !cluster.is_packed {
            return Ok(stored);
        }
        let place = cluster.places.first().map(|&place| u64::from(place) * BLOCK).or(Some(self.inode.offset));
        let wrong = |cause: &str| failure(place, cause);
        let length = le32(&stored, 0) as usize;
        let packed = stored.get(HEADER..).and_then(|rest| rest.get(..length));
        let packed = packed.ok_or_else(|| wrong("a compressed cluster that is longer than its blocks"))?;
        if self.compression.has_sum && checksum(packed, MAGIC) != le32(&stored, 4) {
            return Err(wrong("the checksum of a compressed cluster is wrong"));
        }
        let found = match self.compression.method {
            0 | 3 => lzo::unpack(packed, size),
            1 => {
                let mut out = vec![0; size];
                lz4_flex::block::decompress_into(packed, &mut out).ok().map(|got| {
                    out.truncate(got);
                    out
                })
            }
            2 => ruzstd::decoding::StreamingDecoder::new(packed).ok().and_then(|reader| {
                let mut out = Vec::with_capacity(size);
                reader.take(size as u64 + 1).read_to_end(&mut out).ok().map(|_| out)
            }),
            other => return Err(wrong(&format!("a cluster that is compressed by method {other}"))),
        };
        let found = found.filter(|found| found.len() == size);
        found.ok_or_else(|| wrong("a compressed cluster does not unpack"))
    }

    /// Where its blocks lie; compressed ones as well if `packed`, else `None` for these.
    fn ranges(&self, packed: bool) -> Option<Vec<Run>> {
        let (mut runs, mut blocks, mut number) = (Vec::<Run>::new(), self.blocks(), 0);
        let size = self.compression.blocks as u64 * BLOCK;
        while number * size < self.inode.size {
            let at = number * size;
            let cluster = match self.cluster(&mut blocks, number).ok()? {
                Ok(cluster) => cluster,
                Err(span) => {
                    let length = span.saturating_mul(size).min(self.inode.size - at);
                    runs.push(Run { file_offset: at, medium_offset: None, length });
                    number += span;
                    continue;
                }
            };
            if cluster.is_packed && !packed || runs.len() > MOST_RUNS {
                return None;
            }
            for (index, &place) in cluster.places.iter().enumerate() {
                let file_offset = at + index as u64 * BLOCK;
                let left = self.inode.size.saturating_sub(file_offset).min(BLOCK);
                let medium_offset = match place {
                    0 | RESERVED => None,
                    place => Some(self.volume.offset(place).ok()?),
                };
                let length = if cluster.is_packed { BLOCK } else { left };
                if length > 0 {
                    runs.push(Run { file_offset, medium_offset, length });
                }
            }
            number += 1;
        }
        Some(runs)
    }
}

impl Content for ClusteredFile {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let file = self.file().map_err(|failed| named(failed, &self.path))?;
        let blocks = file.blocks();
        Ok(Box::new(Sequence { file, blocks, at: 0, zeros: 0, held: Vec::new(), given: 0 }))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        self.file().ok()?.ranges(false)
    }

    fn places(&self) -> Option<Vec<Run>> {
        self.file().ok()?.ranges(true)
    }
}

/// A file from its start on.
struct Sequence {
    file: File,
    blocks: Blocks,
    at: u64,
    /// Zeros that come before anything else.
    zeros: u64,
    held: Vec<u8>,
    given: usize,
}

impl Sequence {
    fn more(&mut self) -> Result<bool, Failure> {
        let size = self.file.compression.blocks as u64 * BLOCK;
        let Some(left) = self.file.inode.size.checked_sub(self.at).filter(|left| *left > 0) else { return Ok(false) };
        match self.file.cluster(&mut self.blocks, self.at / size)? {
            Err(span) => {
                self.zeros = span.saturating_mul(size).min(left);
                self.at += self.zeros;
            }
            Ok(cluster) => {
                self.held = self.file.unpacked(&cluster)?;
                self.held.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                self.given = 0;
                self.at += self.held.len() as u64;
            }
        }
        Ok(true)
    }
}

impl Read for Sequence {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.held.len() && self.zeros == 0 {
            let more = self.more().map_err(|failed| reported(named(failed, &self.file.path)))?;
            if !more {
                return Ok(0);
            }
        }
        if self.zeros > 0 {
            let got = usize::try_from(self.zeros).unwrap_or(usize::MAX).min(buffer.len());
            buffer[..got].fill(0);
            self.zeros -= got as u64;
            return Ok(got);
        }
        let got = buffer.len().min(self.held.len() - self.given);
        buffer[..got].copy_from_slice(&self.held[self.given..self.given + got]);
        self.given += got;
        Ok(got)
    }
}
