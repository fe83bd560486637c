//! Piecewise digests: windows of one message are messages of their own, and go to the lanes
//! together.

use crate::record::Piece;
use pfh_digest::{Algorithm, Digest, Hasher, hash_many};

/// Windows of one message, for the algorithms of one unit.
pub(crate) struct Pieces {
    length: u64,
    algorithms: Vec<Algorithm>,
    /// The window being filled.
    hashers: Vec<Hasher>,
    offset: u64,
    filled: u64,
    done: Vec<Piece>,
}

impl Pieces {
    pub(crate) fn new(algorithms: Vec<Algorithm>, length: u64) -> Self {
        let hashers = algorithms.iter().map(|a| a.hasher()).collect();
        Pieces { length, algorithms, hashers, offset: 0, filled: 0, done: Vec::new() }
    }

    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        if self.filled > 0 {
            let head = bytes.len().min((self.length - self.filled) as usize);
            bytes = self.fill(bytes, head);
        }
        let whole = bytes.len() as u64 / self.length;
        if whole > 0 {
            let windows: Vec<&[u8]> = bytes.chunks_exact(self.length as usize).collect();
            let mut digests: Vec<_> = self.algorithms.iter().map(|a| hash_many(*a, &windows).into_iter()).collect();
            for _ in 0..whole {
                let digests: Vec<Digest> = digests.iter_mut().filter_map(Iterator::next).collect();
                self.done.push(Piece { offset: self.offset, length: self.length, digests });
                self.offset += self.length;
            }
            bytes = &bytes[(whole * self.length) as usize..];
        }
        if !bytes.is_empty() {
            self.fill(bytes, bytes.len());
        }
    }

    fn fill<'a>(&mut self, bytes: &'a [u8], count: usize) -> &'a [u8] {
        for hasher in &mut self.hashers {
            hasher.update(&bytes[..count]);
        }
        self.filled += count as u64;
        if self.filled == self.length {
            self.close_window();
        }
        &bytes[count..]
    }

    fn close_window(&mut self) {
        let hashers = std::mem::replace(&mut self.hashers, self.algorithms.iter().map(|a| a.hasher()).collect());
        let digests = hashers.into_iter().map(Hasher::finalize).collect();
        self.done.push(Piece { offset: self.offset, length: self.filled, digests });
        self.offset += self.filled;
        self.filled = 0;
    }

    pub(crate) fn finish(mut self) -> Vec<Piece> {
        if self.filled > 0 {
            self.close_window();
        }
        self.done
    }
}
