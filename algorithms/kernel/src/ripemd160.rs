//! RIPEMD-160 (Dobbertin, Bosselaers and Preneel, "RIPEMD-160: a strengthened version of RIPEMD",
//! 1996, appendix A; ISO/IEC 10118-3). State: five words; block: 64 bytes.

use crate::vector::{Vector, block_le, load_rows, store_rows};
use std::hint::black_box;

/// Initial state.
pub const INITIAL: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/// Constants of the left line. Those beside f3 and f5 are less 1, which the functions then leave
/// out.
static LEFT: [u32; 5] = [0, 0x5a827999, 0x6ed9eba1 - 1, 0x8f1bbcdc, 0xa953fd4e - 1];
/// Constants of the right line, likewise.
static RIGHT: [u32; 5] = [0x50a28be6 - 1, 0x5c4dd124, 0x6d703ef3 - 1, 0x7a6d76e9, 0];

#[inline(always)]
fn f1<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(x.xor3(y, z))
}

#[inline(always)]
fn f2<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.add(x.select(y, z))
}

/// (x | !y) ^ z is -1 - (z ^ (!x & y)).
#[inline(always)]
fn f3<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.sub(z.chi(x, y))
}

/// The halves have no bit in common: each is added for itself, and only one waits for `x`.
#[inline(always)]
fn f4<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    if V::TERNARY { sum.add(z.select(x, y)) } else { sum.add(z.not_and(y)).add(z.and(x)) }
}

/// x ^ (y | !z) is -1 - (x ^ (!y & z)).
#[inline(always)]
fn f5<V: Vector>(sum: V, x: V, y: V, z: V) -> V {
    sum.sub(x.chi(y, z))
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
    // which every step's latency hangs on.
    let (left, right) = (black_box(&LEFT), black_box(&RIGHT));
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let message: [V; 16] = unsafe { block_le(messages, 64 * block) };
        let [mut a, mut b, mut c, mut d, mut e] = before;
        let [mut aa, mut bb, mut cc, mut dd, mut ee] = before;
        macro_rules! step {
            ($f:ident, $a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $r:literal, $s:literal, $k:expr) => {
                // SAFETY: as on entry.
                let sum = $a.add(message[$r].add(unsafe { V::splat($k) }));
                $a = $f(sum, $b, $c, $d).rotate_left::<$s, { 32 - $s }>().add($e);
                $c = $c.rotate_left::<10, 22>();
            };
        }
        step!(f1, a, b, c, d, e, 0, 11, left[0]);
        step!(f5, aa, bb, cc, dd, ee, 5, 8, right[0]);
        step!(f1, e, a, b, c, d, 1, 14, left[0]);
        step!(f5, ee, aa, bb, cc, dd, 14, 9, right[0]);
        step!(f1, d, e, a, b, c, 2, 15, left[0]);
        step!(f5, dd, ee, aa, bb, cc, 7, 9, right[0]);
        step!(f1, c, d, e, a, b, 3, 12, left[0]);
        step!(f5, cc, dd, ee, aa, bb, 0, 11, right[0]);
        step!(f1, b, c, d, e, a, 4, 5, left[0]);
        step!(f5, bb, cc, dd, ee, aa, 9, 13, right[0]);
        step!(f1, a, b, c, d, e, 5, 8, left[0]);
        step!(f5, aa, bb, cc, dd, ee, 2, 15, right[0]);
        step!(f1, e, a, b, c, d, 6, 7, left[0]);
        step!(f5, ee, aa, bb, cc, dd, 11, 15, right[0]);
        step!(f1, d, e, a, b, c, 7, 9, left[0]);
        step!(f5, dd, ee, aa, bb, cc, 4, 5, right[0]);
        step!(f1, c, d, e, a, b, 8, 11, left[0]);
        step!(f5, cc, dd, ee, aa, bb, 13, 7, right[0]);
        step!(f1, b, c, d, e, a, 9, 13, left[0]);
        step!(f5, bb, cc, dd, ee, aa, 6, 7, right[0]);
        step!(f1, a, b, c, d, e, 10, 14, left[0]);
        step!(f5, aa, bb, cc, dd, ee, 15, 8, right[0]);
        step!(f1, e, a, b, c, d, 11, 15, left[0]);
        step!(f5, ee, aa, bb, cc, dd, 8, 11, right[0]);
        step!(f1, d, e, a, b, c, 12, 6, left[0]);
        step!(f5, dd, ee, aa, bb, cc, 1, 14, right[0]);
        step!(f1, c, d, e, a, b, 13, 7, left[0]);
        step!(f5, cc, dd, ee, aa, bb, 10, 14, right[0]);
        step!(f1, b, c, d, e, a, 14, 9, left[0]);
        step!(f5, bb, cc, dd, ee, aa, 3, 12, right[0]);
        step!(f1, a, b, c, d, e, 15, 8, left[0]);
        step!(f5, aa, bb, cc, dd, ee, 12, 6, right[0]);
        step!(f2, e, a, b, c, d, 7, 7, left[1]);
        step!(f4, ee, aa, bb, cc, dd, 6, 9, right[1]);
        step!(f2, d, e, a, b, c, 4, 6, left[1]);
        step!(f4, dd, ee, aa, bb, cc, 11, 13, right[1]);
        step!(f2, c, d, e, a, b, 13, 8, left[1]);
        step!(f4, cc, dd, ee, aa, bb, 3, 15, right[1]);
        step!(f2, b, c, d, e, a, 1, 13, left[1]);
        step!(f4, bb, cc, dd, ee, aa, 7, 7, right[1]);
        step!(f2, a, b, c, d, e, 10, 11, left[1]);
        step!(f4, aa, bb, cc, dd, ee, 0, 12, right[1]);
        step!(f2, e, a, b, c, d, 6, 9, left[1]);
        step!(f4, ee, aa, bb, cc, dd, 13, 8, right[1]);
        step!(f2, d, e, a, b, c, 15, 7, left[1]);
        step!(f4, dd, ee, aa, bb, cc, 5, 9, right[1]);
        step!(f2, c, d, e, a, b, 3, 15, left[1]);
        step!(f4, cc, dd, ee, aa, bb, 10, 11, right[1]);
        step!(f2, b, c, d, e, a, 12, 7, left[1]);
        step!(f4, bb, cc, dd, ee, aa, 14, 7, right[1]);
        step!(f2, a, b, c, d, e, 0, 12, left[1]);
        step!(f4, aa, bb, cc, dd, ee, 15, 7, right[1]);
        step!(f2, e, a, b, c, d, 9, 15, left[1]);
        step!(f4, ee, aa, bb, cc, dd, 8, 12, right[1]);
        step!(f2, d, e, a, b, c, 5, 9, left[1]);
        step!(f4, dd, ee, aa, bb, cc, 12, 7, right[1]);
        step!(f2, c, d, e, a, b, 2, 11, left[1]);
        step!(f4, cc, dd, ee, aa, bb, 4, 6, right[1]);
        step!(f2, b, c, d, e, a, 14, 7, left[1]);
        step!(f4, bb, cc, dd, ee, aa, 9, 15, right[1]);
        step!(f2, a, b, c, d, e, 11, 13, left[1]);
        step!(f4, aa, bb, cc, dd, ee, 1, 13, right[1]);
        step!(f2, e, a, b, c, d, 8, 12, left[1]);
        step!(f4, ee, aa, bb, cc, dd, 2, 11, right[1]);
        step!(f3, d, e, a, b, c, 3, 11, left[2]);
        step!(f3, dd, ee, aa, bb, cc, 15, 9, right[2]);
        step!(f3, c, d, e, a, b, 10, 13, left[2]);
        step!(f3, cc, dd, ee, aa, bb, 5, 7, right[2]);
        step!(f3, b, c, d, e, a, 14, 6, left[2]);
        step!(f3, bb, cc, dd, ee, aa, 1, 15, right[2]);
        step!(f3, a, b, c, d, e, 4, 7, left[2]);
        step!(f3, aa, bb, cc, dd, ee, 3, 11, right[2]);
        step!(f3, e, a, b, c, d, 9, 14, left[2]);
        step!(f3, ee, aa, bb, cc, dd, 7, 8, right[2]);
        step!(f3, d, e, a, b, c, 15, 9, left[2]);
        step!(f3, dd, ee, aa, bb, cc, 14, 6, right[2]);
        step!(f3, c, d, e, a, b, 8, 13, left[2]);
        step!(f3, cc, dd, ee, aa, bb, 6, 6, right[2]);
        step!(f3, b, c, d, e, a, 1, 15, left[2]);
        step!(f3, bb, cc, dd, ee, aa, 9, 14, right[2]);
        step!(f3, a, b, c, d, e, 2, 14, left[2]);
        step!(f3, aa, bb, cc, dd, ee, 11, 12, right[2]);
        step!(f3, e, a, b, c, d, 7, 8, left[2]);
        step!(f3, ee, aa, bb, cc, dd, 8, 13, right[2]);
        step!(f3, d, e, a, b, c, 0, 13, left[2]);
        step!(f3, dd, ee, aa, bb, cc, 12, 5, right[2]);
        step!(f3, c, d, e, a, b, 6, 6, left[2]);
        step!(f3, cc, dd, ee, aa, bb, 2, 14, right[2]);
        step!(f3, b, c, d, e, a, 13, 5, left[2]);
        step!(f3, bb, cc, dd, ee, aa, 10, 13, right[2]);
        step!(f3, a, b, c, d, e, 11, 12, left[2]);
        step!(f3, aa, bb, cc, dd, ee, 0, 13, right[2]);
        step!(f3, e, a, b, c, d, 5, 7, left[2]);
        step!(f3, ee, aa, bb, cc, dd, 4, 7, right[2]);
        step!(f3, d, e, a, b, c, 12, 5, left[2]);
        step!(f3, dd, ee, aa, bb, cc, 13, 5, right[2]);
        step!(f4, c, d, e, a, b, 1, 11, left[3]);
        step!(f2, cc, dd, ee, aa, bb, 8, 15, right[3]);
        step!(f4, b, c, d, e, a, 9, 12, left[3]);
        step!(f2, bb, cc, dd, ee, aa, 6, 5, right[3]);
        step!(f4, a, b, c, d, e, 11, 14, left[3]);
        step!(f2, aa, bb, cc, dd, ee, 4, 8, right[3]);
        step!(f4, e, a, b, c, d, 10, 15, left[3]);
        step!(f2, ee, aa, bb, cc, dd, 1, 11, right[3]);
        step!(f4, d, e, a, b, c, 0, 14, left[3]);
        step!(f2, dd, ee, aa, bb, cc, 3, 14, right[3]);
        step!(f4, c, d, e, a, b, 8, 15, left[3]);
        step!(f2, cc, dd, ee, aa, bb, 11, 14, right[3]);
        step!(f4, b, c, d, e, a, 12, 9, left[3]);
        step!(f2, bb, cc, dd, ee, aa, 15, 6, right[3]);
        step!(f4, a, b, c, d, e, 4, 8, left[3]);
        step!(f2, aa, bb, cc, dd, ee, 0, 14, right[3]);
        step!(f4, e, a, b, c, d, 13, 9, left[3]);
        step!(f2, ee, aa, bb, cc, dd, 5, 6, right[3]);
        step!(f4, d, e, a, b, c, 3, 14, left[3]);
        step!(f2, dd, ee, aa, bb, cc, 12, 9, right[3]);
        step!(f4, c, d, e, a, b, 7, 5, left[3]);
        step!(f2, cc, dd, ee, aa, bb, 2, 12, right[3]);
        step!(f4, b, c, d, e, a, 15, 6, left[3]);
        step!(f2, bb, cc, dd, ee, aa, 13, 9, right[3]);
        step!(f4, a, b, c, d, e, 14, 8, left[3]);
        step!(f2, aa, bb, cc, dd, ee, 9, 12, right[3]);
        step!(f4, e, a, b, c, d, 5, 6, left[3]);
        step!(f2, ee, aa, bb, cc, dd, 7, 5, right[3]);
        step!(f4, d, e, a, b, c, 6, 5, left[3]);
        step!(f2, dd, ee, aa, bb, cc, 10, 15, right[3]);
        step!(f4, c, d, e, a, b, 2, 12, left[3]);
        step!(f2, cc, dd, ee, aa, bb, 14, 8, right[3]);
        step!(f5, b, c, d, e, a, 4, 9, left[4]);
        step!(f1, bb, cc, dd, ee, aa, 12, 8, right[4]);
        step!(f5, a, b, c, d, e, 0, 15, left[4]);
        step!(f1, aa, bb, cc, dd, ee, 15, 5, right[4]);
        step!(f5, e, a, b, c, d, 5, 5, left[4]);
        step!(f1, ee, aa, bb, cc, dd, 10, 12, right[4]);
        step!(f5, d, e, a, b, c, 9, 11, left[4]);
        step!(f1, dd, ee, aa, bb, cc, 4, 9, right[4]);
        step!(f5, c, d, e, a, b, 7, 6, left[4]);
        step!(f1, cc, dd, ee, aa, bb, 1, 12, right[4]);
        step!(f5, b, c, d, e, a, 12, 8, left[4]);
        step!(f1, bb, cc, dd, ee, aa, 5, 5, right[4]);
        step!(f5, a, b, c, d, e, 2, 13, left[4]);
        step!(f1, aa, bb, cc, dd, ee, 8, 14, right[4]);
        step!(f5, e, a, b, c, d, 10, 12, left[4]);
        step!(f1, ee, aa, bb, cc, dd, 7, 6, right[4]);
        step!(f5, d, e, a, b, c, 14, 5, left[4]);
        step!(f1, dd, ee, aa, bb, cc, 6, 8, right[4]);
        step!(f5, c, d, e, a, b, 1, 12, left[4]);
        step!(f1, cc, dd, ee, aa, bb, 2, 13, right[4]);
        step!(f5, b, c, d, e, a, 3, 13, left[4]);
        step!(f1, bb, cc, dd, ee, aa, 13, 6, right[4]);
        step!(f5, a, b, c, d, e, 8, 14, left[4]);
        step!(f1, aa, bb, cc, dd, ee, 14, 5, right[4]);
        step!(f5, e, a, b, c, d, 11, 11, left[4]);
        step!(f1, ee, aa, bb, cc, dd, 0, 15, right[4]);
        step!(f5, d, e, a, b, c, 6, 8, left[4]);
        step!(f1, dd, ee, aa, bb, cc, 3, 13, right[4]);
        step!(f5, c, d, e, a, b, 15, 5, left[4]);
        step!(f1, cc, dd, ee, aa, bb, 9, 11, right[4]);
        step!(f5, b, c, d, e, a, 13, 6, left[4]);
        step!(f1, bb, cc, dd, ee, aa, 11, 11, right[4]);
        before = [
            before[1].add(c).add(dd),
            before[2].add(d).add(ee),
            before[3].add(e).add(aa),
            before[4].add(a).add(bb),
            before[0].add(b).add(cc),
        ];
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, before) }
}
