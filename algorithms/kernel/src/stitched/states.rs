//! The states of one message under several functions.

use super::set::Set;
use crate::{MD5, SHA1, SHA256, SHA512};

/// Bytes that a message must be a multiple of: the longest block.
pub const BLOCK: usize = 128;

/// The states of one message, for the functions that are wanted.
#[derive(Debug, Default)]
pub struct States<'a> {
    /// MD5.
    pub md5: Option<&'a mut [u32; 4]>,
    /// SHA-1.
    pub sha1: Option<&'a mut [u32; 5]>,
    /// SHA-256 or SHA-224.
    pub sha256: Option<&'a mut [u32; 8]>,
    /// SHA-512, SHA-384, SHA-512/256 or SHA-512/224.
    pub sha512: Option<&'a mut [u64; 8]>,
}

impl States<'_> {
    /// The functions that are wanted.
    pub fn set(&self) -> Set {
        let bit = |wanted, set| if wanted { set } else { Set::default() };
        bit(self.md5.is_some(), Set::MD5)
            .and(bit(self.sha1.is_some(), Set::SHA1))
            .and(bit(self.sha256.is_some(), Set::SHA256))
            .and(bit(self.sha512.is_some(), Set::SHA512))
    }

    /// The words of all states; zeros for functions that are not wanted.
    pub(super) fn words(&self) -> Words {
        Words {
            md5: self.md5.as_deref().copied().unwrap_or_default(),
            sha1: self.sha1.as_deref().copied().unwrap_or_default(),
            sha256: self.sha256.as_deref().copied().unwrap_or_default(),
            sha512: self.sha512.as_deref().copied().unwrap_or_default(),
        }
    }

    /// Takes back those words.
    pub(super) fn take(&mut self, words: &Words) {
        fn put<T: Copy>(state: &mut Option<&mut T>, words: &T) {
            if let Some(state) = state {
                **state = *words;
            }
        }
        put(&mut self.md5, &words.md5);
        put(&mut self.sha1, &words.sha1);
        put(&mut self.sha256, &words.sha256);
        put(&mut self.sha512, &words.sha512);
    }
}

/// The words of the states of one message under all four functions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Words {
    pub(super) md5: [u32; 4],
    pub(super) sha1: [u32; 5],
    pub(super) sha256: [u32; 8],
    pub(super) sha512: [u64; 8],
}

impl Words {
    /// The words before the first block.
    pub(super) const INITIAL: Words = Words {
        md5: crate::md5::INITIAL,
        sha1: crate::sha1::INITIAL,
        sha256: crate::sha256::INITIAL,
        sha512: crate::sha512::INITIAL,
    };

    /// Advances each function of `set`, one after the other, by whole blocks of `message`.
    pub(super) fn in_turn(&mut self, set: Set, message: &[u8]) {
        let (short, long) = (message.len() / 64, message.len() / 128);
        if set.has(Set::MD5) {
            MD5.one().compress(&mut self.md5, &[message], short, 64);
        }
        if set.has(Set::SHA1) {
            SHA1.one().compress(&mut self.sha1, &[message], short, 64);
        }
        if set.has(Set::SHA256) {
            SHA256.one().compress(&mut self.sha256, &[message], short, 64);
        }
        if set.has(Set::SHA512) {
            SHA512.one().compress(&mut self.sha512, &[message], long, 128);
        }
    }
}

/// The cost of [`BLOCK`] bytes under each function of `set` by itself, one after the other, in
/// picoseconds, by the costs that this process uses.
pub(super) fn apart(set: Set) -> u64 {
    let cost = |one: Set| match one {
        Set::MD5 => 2 * MD5.picoseconds(1),
        Set::SHA1 => 2 * SHA1.picoseconds(1),
        Set::SHA256 => 2 * SHA256.picoseconds(1),
        _ => SHA512.picoseconds(1),
    };
    set.each().map(cost).sum()
}
