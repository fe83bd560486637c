//! fs-verity (Linux, Documentation/filesystems/fsverity.rst): a Merkle tree over blocks, each
//! padded with zeros, whose nodes fill blocks of the same length; the digest is that of a
//! descriptor of 256 bytes with the root.

use crate::plain::plain;
use pfh_digest::{Algorithm, hash_many, hex};

/// The hash of an fs-verity tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    /// SHA-256, number 1 of fs-verity.
    Sha256,
    /// SHA-512, number 2.
    Sha512,
}

/// Blocks that are hashed in one go.
const COMPANY: usize = 256;

pub(super) struct FsVerity {
    hash: Hash,
    algorithm: Algorithm,
    block: usize,
    salt: Vec<u8>,
    /// The salt, padded with zeros to a block of the hash's compression function; empty without a
    /// salt.
    front: Vec<u8>,
    length: u64,
    /// Data that waits for a company of blocks; then, level by level, hashes that wait for a block.
    data: Vec<u8>,
    levels: Vec<Level>,
}

#[derive(Default)]
struct Level {
    waiting: Vec<u8>,
    count: u64,
}

impl FsVerity {
    pub(super) fn new(hash: Hash, block: usize, salt: &[u8]) -> Option<FsVerity> {
        if !block.is_power_of_two() || !(1 << 10..=1 << 16).contains(&block) || salt.len() > 32 {
            return None;
        }
        let (name, compression) = match hash {
            Hash::Sha256 => ("sha256", 64),
            Hash::Sha512 => ("sha512", 128),
        };
        let mut front = salt.to_vec();
        if !salt.is_empty() {
            front.resize(compression, 0);
        }
        let (algorithm, salt) = (plain(name), salt.to_vec());
        Some(FsVerity { hash, algorithm, block, salt, front, length: 0, data: Vec::new(), levels: Vec::new() })
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let company = COMPANY * self.block;
        while self.data.len() + bytes.len() >= company {
            let (now, later) = bytes.split_at(company - self.data.len());
            self.data.extend_from_slice(now);
            bytes = later;
            let data = std::mem::take(&mut self.data);
            self.blocks(&data);
            self.data = data;
            self.data.clear();
        }
        self.data.extend_from_slice(bytes);
    }

    /// Hashes data, the last block padded with zeros.
    fn blocks(&mut self, data: &[u8]) {
        let padded: Vec<Vec<u8>> = data.chunks(self.block).map(|block| self.message(block)).collect();
        let messages: Vec<&[u8]> = padded.iter().map(Vec::as_slice).collect();
        for digest in hash_many(self.algorithm, &messages) {
            self.push(0, digest.bytes());
        }
    }

    fn message(&self, block: &[u8]) -> Vec<u8> {
        let mut message = [&self.front, block].concat();
        message.resize(self.front.len() + self.block, 0);
        message
    }

    fn push(&mut self, level: usize, hash: &[u8]) {
        if self.levels.len() == level {
            self.levels.push(Level::default());
        }
        self.levels[level].waiting.extend_from_slice(hash);
        self.levels[level].count += 1;
        if self.levels[level].waiting.len() == self.block {
            self.raise(level);
        }
    }

    /// Hashes the waiting digests of a level into the one above.
    fn raise(&mut self, level: usize) {
        let waiting = std::mem::take(&mut self.levels[level].waiting);
        let digest = self.algorithm.digest(&self.message(&waiting));
        self.push(level + 1, digest.bytes());
    }

    fn root(&mut self) -> Vec<u8> {
        let data = std::mem::take(&mut self.data);
        self.blocks(&data);
        let mut level = 0;
        loop {
            match self.levels.get(level) {
                // The empty file has no blocks.
                None => return vec![0; self.algorithm.length()],
                Some(only) if only.count == 1 => return only.waiting.clone(),
                Some(several) => {
                    if !several.waiting.is_empty() {
                        self.raise(level);
                    }
                    level += 1;
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> String {
        let root = self.root();
        let (number, name) = match self.hash {
            Hash::Sha256 => (1, "sha256"),
            Hash::Sha512 => (2, "sha512"),
        };
        let mut descriptor = vec![1, number, self.block.ilog2() as u8, self.salt.len() as u8, 0, 0, 0, 0];
        descriptor.extend(self.length.to_le_bytes());
        descriptor.extend(&root);
        descriptor.resize(80, 0);
        descriptor.extend(&self.salt);
        descriptor.resize(256, 0);
        format!("{name}:{}", hex::encode(self.algorithm.digest(&descriptor).bytes()))
    }
}
