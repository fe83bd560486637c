//! The sponge (FIPS 202, section 4) over one message, and the integer coding of tree modes.

use pfh_digest::encoding::right_encode;
use pfh_kernel::Compression;

/// A sponge that absorbs.
#[derive(Clone)]
pub(crate) struct Sponge {
    permutation: &'static Compression<u64>,
    rate: usize,
    state: [u64; 25],
    /// Bytes that do not fill a block yet; the first `rate` of them count.
    block: [u8; 168],
    filled: usize,
}

impl Sponge {
    /// An empty one. `rate` is in bytes: 168 or 136.
    pub(crate) fn new(permutation: &'static Compression<u64>, rate: usize) -> Sponge {
        Sponge::resumed(permutation, rate, [0; 25])
    }

    /// One that has absorbed whole blocks up to `state`.
    pub(crate) fn resumed(permutation: &'static Compression<u64>, rate: usize, state: [u64; 25]) -> Sponge {
        Sponge { permutation, rate, state, block: [0; 168], filled: 0 }
    }

    /// The state behind whole blocks.
    pub(crate) fn state(&self) -> [u64; 25] {
        debug_assert_eq!(self.filled, 0, "whole blocks");
        self.state
    }

    pub(crate) fn absorb(&mut self, mut bytes: &[u8]) {
        if self.filled > 0 {
            let some = bytes.len().min(self.rate - self.filled);
            self.block[self.filled..][..some].copy_from_slice(&bytes[..some]);
            self.filled += some;
            bytes = &bytes[some..];
            if self.filled < self.rate {
                return;
            }
            self.permutation.one().compress(&mut self.state, &[&self.block[..self.rate]], 1, self.rate);
            self.filled = 0;
        }
        let blocks = bytes.len() / self.rate;
        let (whole, rest) = bytes.split_at(blocks * self.rate);
        if blocks > 0 {
            self.permutation.one().compress(&mut self.state, &[whole], blocks, self.rate);
        }
        self.block[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// Ends the input with `domain`, which holds its last bits and the first bit of the padding,
    /// and writes the first bytes of the output.
    pub(crate) fn squeeze(mut self, domain: u8, output: &mut [u8]) {
        pad(&mut self.block[..self.rate], self.filled, domain);
        self.permutation.one().compress(&mut self.state, &[&self.block[..self.rate]], 1, self.rate);
        for (part, bytes) in output.chunks_mut(self.rate).enumerate() {
            if part > 0 {
                self.permutation.one().permute(&mut self.state, 1);
            }
            for (bytes, word) in bytes.chunks_mut(8).zip(&self.state) {
                bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
            }
        }
    }
}

/// Makes `block`, which has `filled` bytes of input, the last one: pad10*1, whose first bit is in
/// `domain`.
pub(crate) fn pad(block: &mut [u8], filled: usize, domain: u8) {
    block[filled..].fill(0);
    block[filled] = domain;
    // The domain may stand in the last byte itself, so that its bits stay.
    block[block.len() - 1] |= 0x80;
}

/// `length_encode` of RFC 9861, section 3.3, which is also Sakura's: as `right_encode`, but 0 has
/// no bytes.
pub(crate) fn length_encode(value: u64) -> Vec<u8> {
    if value == 0 { vec![0] } else { right_encode(value) }
}
