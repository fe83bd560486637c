//! SHA-1 (FIPS 180-4, section 6.1). State: five words; block: 64 bytes.

use crate::vector::{Vector, block_be, load_rows, store_rows};
use std::hint::black_box;

/// Initial state (FIPS 180-4, section 5.3.1).
pub const INITIAL: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/// Constants of the four groups of twenty rounds (FIPS 180-4, section 4.2.1).
pub(crate) static K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

#[inline(always)]
fn choose<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    sum.add(b.select(c, d))
}

#[inline(always)]
fn parity<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    sum.add(b.xor3(c, d))
}

/// The halves have no bit in common, so each is added for itself, which shortens the wait for `b`.
#[inline(always)]
fn majority<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    if V::TERNARY { sum.add(b.majority(c, d)) } else { sum.add(c.and(d)).add(b.and(c.xor(d))) }
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 5 rows of `V::LANES` words; `messages` points
/// to `V::LANES` slices of at least 64 · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let mut before: [V; 5] = unsafe { load_rows(state) };
    // Were the constants known to the compiler, it would add each as the last term of its sum,
    // which every round's latency hangs on.
    let k = black_box(&K);
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let mut w: [V; 16] = unsafe { block_be(messages, 64 * block) };
        let [mut a, mut b, mut c, mut d, mut e] = before;
        macro_rules! round {
            ($f:ident, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $t:expr) => {
                const T: usize = $t;
                if T >= 16 {
                    let word = w[T % 16].xor(w[(T + 2) % 16]).xor3(w[(T + 8) % 16], w[(T + 13) % 16]);
                    w[T % 16] = word.rotate_left::<1, 31>();
                }
                // SAFETY: as on entry.
                let k = unsafe { V::splat(k[T / 20]) };
                $e = $f($e.add(w[T % 16].add(k)), $b, $c, $d).add($a.rotate_left::<5, 27>());
                $b = $b.rotate_left::<30, 2>();
            };
        }
        macro_rules! five {
            ($f:ident, $t:literal) => {{
                round!($f, a, b, c, d, e, $t);
            }
            {
                round!($f, e, a, b, c, d, $t + 1);
            }
            {
                round!($f, d, e, a, b, c, $t + 2);
            }
            {
                round!($f, c, d, e, a, b, $t + 3);
            }
            {
                round!($f, b, c, d, e, a, $t + 4);
            }};
        }
        five!(choose, 0);
        five!(choose, 5);
        five!(choose, 10);
        five!(choose, 15);
        five!(parity, 20);
        five!(parity, 25);
        five!(parity, 30);
        five!(parity, 35);
        five!(majority, 40);
        five!(majority, 45);
        five!(majority, 50);
        five!(majority, 55);
        five!(parity, 60);
        five!(parity, 65);
        five!(parity, 70);
        five!(parity, 75);
        before = [before[0].add(a), before[1].add(b), before[2].add(c), before[3].add(d), before[4].add(e)];
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, before) }
}
