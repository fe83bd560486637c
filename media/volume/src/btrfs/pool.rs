//! The space that all trees and files share: logical places, by chunks, on devices.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::checksum::Checksum;
use super::chunk::{Chunk, Profile};
use super::devices::Devices;
use super::node::Node;
use super::superblock::{Root, Superblock};
use crate::raid::parity;
use pfh_bytes::field::{failure, read};
use pfh_bytes::node::Failure;

/// Nodes that are held: two megabytes of the usual ones.
const MOST_NODES: usize = 128;

/// The space.
pub struct Pool {
    pub devices: Devices,
    chunks: BTreeMap<u64, Chunk>,
    pub checksum: Checksum,
    pub sector_size: u64,
    pub node_size: u64,
    pub has_no_holes: bool,
    /// The identifiers that a node may have.
    pub owners: [[u8; 16]; 2],
    /// Nodes that were used last.
    nodes: Mutex<VecDeque<(Root, Arc<Node>)>>,
}

impl Pool {
    /// The space of these chunks.
    pub fn new(devices: Devices, superblock: &Superblock, chunks: BTreeMap<u64, Chunk>) -> Pool {
        Pool {
            devices,
            chunks,
            checksum: superblock.checksum,
            sector_size: u64::from(superblock.sector_size),
            node_size: u64::from(superblock.node_size),
            has_no_holes: superblock.has_no_holes,
            owners: [superblock.fsid, superblock.metadata],
            nodes: Mutex::default(),
        }
    }

    /// All chunks, in order of their logical places.
    pub fn chunks(&self) -> impl Iterator<Item = &Chunk> {
        self.chunks.values()
    }

    /// The chunk that a logical place is in.
    fn chunk(&self, logical: u64) -> Result<&Chunk, Failure> {
        let found = self.chunks.range(..=logical).next_back().map(|(_, chunk)| chunk);
        found
            .filter(|chunk| logical < chunk.end())
            .ok_or_else(|| failure(None, format!("the logical place {logical} is in no chunk")))
    }

    /// All places of a logical place on present devices, and how many bytes lie there in one piece.
    pub fn places(&self, logical: u64) -> Result<(Vec<u64>, u64), Failure> {
        let chunk = self.chunk(logical)?;
        let part = chunk.part(logical);
        let stripes = part.stripe..part.stripe + part.copies;
        Ok((stripes.filter_map(|index| self.on(chunk, index, part.offset, part.left).ok()).collect(), part.left))
    }

    /// Where a logical place lies on the medium, and how many bytes lie there in one piece.
    pub fn place(&self, logical: u64) -> Result<(u64, u64), Failure> {
        let chunk = self.chunk(logical)?;
        let part = chunk.part(logical);
        let mut first = None;
        for index in part.stripe..part.stripe + part.copies {
            match self.on(chunk, index, part.offset, part.left) {
                Ok(place) => return Ok((place, part.left)),
                Err(failed) => {
                    first.get_or_insert(failed);
                }
            }
        }
        Err(first.unwrap_or_else(|| failure(None, "a chunk without stripes")))
    }

    /// Where a range of a stripe lies.
    fn on(&self, chunk: &Chunk, index: usize, offset: u64, length: u64) -> Result<u64, Failure> {
        let stripe = chunk.stripes.get(index).ok_or_else(|| failure(None, "a stripe that a chunk has not"))?;
        self.devices.place(stripe.device, stripe.uuid, stripe.offset.saturating_add(offset), length)
    }

    /// In how many ways the bytes at a logical place can be had.
    pub fn ways(&self, logical: u64) -> usize {
        self.chunk(logical).map_or(1, Chunk::ways)
    }

    /// How many bytes from a logical place on are in one part of its chunk.
    pub fn left(&self, logical: u64) -> u64 {
        self.chunk(logical).map_or(u64::MAX, |chunk| chunk.part(logical).left)
    }

    /// Bytes at a logical place, in one of the ways to have them. The caller bounds the length.
    pub fn read(&self, logical: u64, length: usize, way: usize) -> Result<Vec<u8>, Failure> {
        let mut found = Vec::new();
        while found.len() < length {
            let at = logical.saturating_add(found.len() as u64);
            let chunk = self.chunk(at)?;
            let left = usize::try_from(chunk.part(at).left).unwrap_or(usize::MAX);
            let part = self.part(chunk, at, left.min(length - found.len()), way)?;
            if part.len() == length {
                return Ok(part);
            }
            found.extend(part);
        }
        Ok(found)
    }

    /// As `read`, within one part of a chunk.
    fn part(&self, chunk: &Chunk, logical: u64, length: usize, way: usize) -> Result<Vec<u8>, Failure> {
        let part = chunk.part(logical);
        let stripe = |index: usize| {
            let place = self.on(chunk, index, part.offset, length as u64)?;
            read(&*self.devices.bytes, place, length)
        };
        let (parity, Some(way)) = (chunk.profile, way.checked_sub(1)) else {
            return stripe(part.stripe);
        };
        let Profile::Parity(_) = parity else {
            return stripe(part.stripe + (way + 1).min(part.copies - 1));
        };
        // The sum of the known columns of the row, with P or Q.
        let columns = chunk.columns();
        let known = |is_q: bool, without: [u64; 2]| {
            let mut sum = stripe(chunk.turned(part.row, columns + u64::from(is_q)))?;
            for column in (0..columns).filter(|column| !without.contains(column)) {
                let bytes = stripe(chunk.turned(part.row, column))?;
                parity::add(&mut sum, &bytes, is_q.then_some(column as usize));
            }
            Ok::<_, Failure>(sum)
        };
        let own = part.column;
        match way {
            0 => known(false, [own; 2]),
            1 => {
                let mut sum = known(true, [own; 2])?;
                parity::from_q(&mut sum, own as usize);
                Ok(sum)
            }
            _ => {
                let other = (way - 2) as u64;
                let other = if other >= own { other + 1 } else { other };
                let (p, q) = (known(false, [own, other])?, known(true, [own, other])?);
                Ok(parity::from_both(&p, &q, own as usize, other as usize))
            }
        }
    }

    /// The node of a tree with this root, by any of its copies.
    pub fn node(&self, root: Root, what: &str) -> Result<Arc<Node>, Failure> {
        let lock = || self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut nodes = lock();
            if let Some(at) = nodes.iter().position(|held| held.0 == root)
                && let Some(found) = nodes.remove(at)
            {
                let node = found.1.clone();
                nodes.push_front(found);
                return Ok(node);
            }
        }
        let mut first = None;
        for way in 0..self.ways(root.logical) {
            let offset = self.place(root.logical).ok().map(|(place, _)| place);
            let found = self.read(root.logical, self.node_size as usize, way).and_then(|raw| {
                Node::new((self.checksum, &self.owners), raw, root).map_err(|cause| failure(offset, cause))
            });
            match found {
                Ok(node) => {
                    let node = Arc::new(node);
                    let mut nodes = lock();
                    nodes.push_front((root, node.clone()));
                    nodes.truncate(MOST_NODES);
                    return Ok(node);
                }
                Err(failed) => {
                    first.get_or_insert(failed);
                }
            }
        }
        let failed = first.unwrap_or_else(|| failure(None, "no copy of a node"));
        Err(Failure { cause: format!("{what}: {}", failed.cause), ..failed })
    }
}
