//! The methods written as plainly as their specifications: whole inputs, one byte at a time, no
//! SIMD.
//!
//! Nothing here is meant to be fast or to be used in production. The fast implementations, the fuzz
//! targets and the real-file checks are compared with it, and it is itself checked against the
//! digests of the reference tools.

pub mod mrsh_v2;
pub mod pictures;
pub mod sdhash;
pub mod shingles;
pub mod ssdeep;
pub mod strings;
pub mod text;

/// The rolling hash that ssdeep and mrsh-v2 share: a function of the last seven bytes fed, which
/// start as zeros.
///
/// With `b0` the newest and `b6` the oldest byte, all modulo 2^32: `Σ (8 − k)·b_k + XOR (b_k <<
/// 5k)`.
#[derive(Clone, Default)]
pub struct Rolling {
    window: [u8; 7],
}

impl Rolling {
    /// Feeds one byte and returns the hash of the window that ends with it.
    pub fn feed(&mut self, byte: u8) -> u32 {
        self.window.rotate_right(1);
        self.window[0] = byte;
        let mut sum = 0u32;
        let mut xor = 0u32;
        for (k, &b) in self.window.iter().enumerate() {
            sum = sum.wrapping_add((8 - k as u32) * u32::from(b));
            xor ^= u32::from(b) << (5 * k);
        }
        sum.wrapping_add(xor)
    }
}
