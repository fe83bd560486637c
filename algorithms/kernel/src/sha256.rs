//! SHA-256 and SHA-224 (FIPS 180-4, section 6.2). State: eight words; block: 64 bytes.

use crate::vector::{Vector, block_be, load_rows, store_rows};
use std::hint::black_box;

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

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 8 rows of `V::LANES` words; `messages` points to `V::LANES` slices of at least
/// 64 · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let mut before: [V; 8] = unsafe { load_rows(state) };
    // Were the constants known to the compiler, it would add each as the last term of its sum, which every round's latency hangs on.
    let k = black_box(&K);
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let mut w: [V; 16] = unsafe { block_be(messages, 64 * block) };
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        // a ^ b of one round is b ^ c of the next: the majority is computed with one new difference a round.
        let mut last = b.xor(c);
        macro_rules! round {
            ($a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $f:ident, $g:ident, $h:ident, $i:literal, $k:expr) => {
                // SAFETY: as on entry.
                let k = unsafe { V::splat($k[$i]) };
                let kw = $h.add(w[$i].add(k));
                let t1 = if V::WAITS {
                    let d = $d;
                    $d = kw.add(d).opaque().add($e.select($f, $g)).opaque().add(sum1($e));
                    $d.sub(d)
                } else {
                    let t1 = kw.add($e.select($f, $g)).add(sum1($e));
                    $d = $d.add(t1);
                    t1
                };
                let majority = if V::TERNARY {
                    $a.majority($b, $c)
                } else {
                    let difference = $a.xor($b);
                    let majority = difference.and(last).xor($b);
                    last = difference;
                    majority
                };
                $h = if V::WAITS {
                    t1.opaque().add(majority).opaque().add(sum0($a))
                } else {
                    sum0($a).add(majority).add(t1)
                };
            };
        }
        macro_rules! schedule {
            ($i:literal) => {
                w[$i] = w[$i].add(sigma0(w[($i + 1) % 16])).add(w[($i + 9) % 16]).add(sigma1(w[($i + 14) % 16]));
            };
        }
        macro_rules! sixteen {
            ($before:ident, $k:expr) => {
                $before!(0);
                round!(a, b, c, d, e, f, g, h, 0, $k);
                $before!(1);
                round!(h, a, b, c, d, e, f, g, 1, $k);
                $before!(2);
                round!(g, h, a, b, c, d, e, f, 2, $k);
                $before!(3);
                round!(f, g, h, a, b, c, d, e, 3, $k);
                $before!(4);
                round!(e, f, g, h, a, b, c, d, 4, $k);
                $before!(5);
                round!(d, e, f, g, h, a, b, c, 5, $k);
                $before!(6);
                round!(c, d, e, f, g, h, a, b, 6, $k);
                $before!(7);
                round!(b, c, d, e, f, g, h, a, 7, $k);
                $before!(8);
                round!(a, b, c, d, e, f, g, h, 8, $k);
                $before!(9);
                round!(h, a, b, c, d, e, f, g, 9, $k);
                $before!(10);
                round!(g, h, a, b, c, d, e, f, 10, $k);
                $before!(11);
                round!(f, g, h, a, b, c, d, e, 11, $k);
                $before!(12);
                round!(e, f, g, h, a, b, c, d, 12, $k);
                $before!(13);
                round!(d, e, f, g, h, a, b, c, 13, $k);
                $before!(14);
                round!(c, d, e, f, g, h, a, b, 14, $k);
                $before!(15);
                round!(b, c, d, e, f, g, h, a, 15, $k);
            };
        }
        macro_rules! nothing {
            ($i:literal) => {};
        }
        let (first, rest) = k.split_at(16);
        sixteen!(nothing, first);
        for k in rest.chunks_exact(16) {
            sixteen!(schedule, k);
        }
        let after = [a, b, c, d, e, f, g, h];
        let mut i = 0;
        while i < 8 {
            before[i] = before[i].add(after[i]);
            i += 1;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, before) }
}
