//! The tree hash of Amazon S3 Glacier: SHA-256 of each MiB, then of pairs, a last one without a
//! partner moving up as it is.

use crate::plain::plain;
use pfh_digest::{hash_many, hex};

const LEAF: usize = 1 << 20;
/// Leaves that are hashed in one go.
const COMPANY: usize = 16;

#[derive(Default)]
pub(super) struct Glacier {
    data: Vec<u8>,
    /// Levels and values of complete subtrees, the largest first.
    stack: Vec<(u32, [u8; 32])>,
}

impl Glacier {
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while self.data.len() + bytes.len() >= COMPANY * LEAF {
            let (now, later) = bytes.split_at(COMPANY * LEAF - self.data.len());
            self.data.extend_from_slice(now);
            bytes = later;
            self.flush();
        }
        self.data.extend_from_slice(bytes);
    }

    fn flush(&mut self) {
        let data = std::mem::take(&mut self.data);
        let leaves: Vec<&[u8]> = data.chunks(LEAF).collect();
        for digest in hash_many(plain("sha256"), &leaves) {
            let mut value: [u8; 32] = digest.bytes().try_into().expect("32 bytes");
            let mut level = 0;
            while let Some((_, left)) = self.stack.pop_if(|(left, _)| *left == level) {
                value = pair(&left, &value);
                level += 1;
            }
            self.stack.push((level, value));
        }
        self.data = data;
        self.data.clear();
    }

    pub(super) fn finish(mut self) -> String {
        self.flush();
        let root = self.stack.into_iter().rev().map(|(_, value)| value).reduce(|right, left| pair(&left, &right));
        hex::encode(&root.unwrap_or_else(|| plain("sha256").digest(b"").bytes().try_into().expect("32 bytes")))
    }
}

fn pair(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    plain("sha256").digest(&[&left[..], right].concat()).bytes().try_into().expect("32 bytes")
}
