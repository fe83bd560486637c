//! SHA-256 and SHA-224 (FIPS 180-4, section 6.2). State: eight words; block: 64 bytes.

use crate::sha2::{self, Sha2};
use crate::vector::Vector;

/// Initial state of SHA-256 (FIPS 180-4, section 5.3.3).
pub const INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// Initial state of SHA-224 (FIPS 180-4, section 5.3.2).
pub const INITIAL_224: [u32; 8] =
    [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4];

/// Constants (FIPS 180-4, section 4.2).
pub(crate) static K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
];

/// Σ0 of FIPS 180-4, section 4.1.
#[inline(always)]
fn sum0<V: Vector>(x: V) -> V {
    x.rotate_left::<{ 32 - 2 }, 2>().xor3(x.rotate_left::<{ 32 - 13 }, 13>(), x.rotate_left::<{ 32 - 22 }, 22>())
}

/// Σ1 of FIPS 180-4, section 4.1.
#[inline(always)]
fn sum1<V: Vector>(x: V) -> V {
    x.rotate_left::<{ 32 - 6 }, 6>().xor3(x.rotate_left::<{ 32 - 11 }, 11>(), x.rotate_left::<{ 32 - 25 }, 25>())
}

/// σ0 of FIPS 180-4, section 4.1.
#[inline(always)]
fn sigma0<V: Vector>(x: V) -> V {
    x.rotate_left::<{ 32 - 7 }, 7>().xor3(x.rotate_left::<{ 32 - 18 }, 18>(), x.shift_right::<3>())
}

/// σ1 of FIPS 180-4, section 4.1.
#[inline(always)]
fn sigma1<V: Vector>(x: V) -> V {
    x.rotate_left::<{ 32 - 17 }, 17>().xor3(x.rotate_left::<{ 32 - 19 }, 19>(), x.shift_right::<10>())
}

/// The word, the constants and the functions of SHA-256.
pub(crate) struct Sha256;

impl Sha2 for Sha256 {
    type Word = u32;
    type Constants = [u32; 64];
    const BLOCK: usize = 64;

    #[inline(always)]
    fn constants() -> &'static [u32; 64] {
        &K
    }
    #[inline(always)]
    fn sum0<V: Vector<Word = u32>>(x: V) -> V {
        sum0(x)
    }
    #[inline(always)]
    fn sum1<V: Vector<Word = u32>>(x: V) -> V {
        sum1(x)
    }
    #[inline(always)]
    fn sigma0<V: Vector<Word = u32>>(x: V) -> V {
        sigma0(x)
    }
    #[inline(always)]
    fn sigma1<V: Vector<Word = u32>>(x: V) -> V {
        sigma1(x)
    }
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// As for [`sha2::compress`], with blocks of 64 bytes.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    unsafe { sha2::compress::<Sha256, V>(state, messages, blocks) }
}
