//! MD5 (RFC 1321, section 3.4). State: four words; block: 64 bytes.

use crate::vector::{Vector, block_le, load_rows, store_rows};
use std::hint::black_box;

/// Initial state (RFC 1321, section 3.3).
pub const INITIAL: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

/// ⌊2³² · |sin(i + 1)|⌋
const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8,
    0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
    0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87,
    0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
    0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039,
    0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
    0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391,
];

/// F: `c` where `b` is set, `d` elsewhere.
#[inline(always)]
pub(crate) fn f<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    sum.add(b.select(c, d))
}

/// G: `b` where `d` is set, `c` elsewhere. The halves have no bit in common, so each can be added
/// for itself: only one of them waits for `b`, which every step's latency hangs on.
#[inline(always)]
pub(crate) fn g<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    if V::TERNARY { sum.add(d.select(b, c)) } else { sum.add(d.not_and(c)).add(d.and(b)) }
}

/// H: the parity.
#[inline(always)]
pub(crate) fn h<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    sum.add(b.xor3(c, d))
}

/// I: c ^ (b | !d), which is the complement of c ^ (!b & d), which is -1 minus it; the -1 is in the
/// constant.
#[inline(always)]
pub(crate) fn i<V: Vector>(sum: V, b: V, c: V, d: V) -> V {
    sum.sub(c.chi(b, d))
}

/// The constants of the steps: [`K`], less 1 where [`i`] wants it so.
pub(crate) static STEPS: [u32; 64] = {
    let mut steps = K;
    let mut step = 48;
    while step < 64 {
        steps[step] = K[step].wrapping_sub(1);
        step += 1;
    }
    steps
};

/// Steps 4 · `Q` to 4 · `Q` + 3.
///
/// # Safety
/// The CPU has the instruction set of `V`.
#[inline(always)]
pub(crate) unsafe fn four_steps<V: Vector<Word = u32>, const Q: usize>(
    s: &mut [V; 4],
    message: &[V; 16],
    k: &[u32; 64],
) {
    let [mut a, mut b, mut c, mut d] = *s;
    macro_rules! step {
        ($f:ident, $a:ident, $b:ident, $c:ident, $d:ident, $n:literal, $factor:literal, $first:literal, $s:literal) => {
            let i = 4 * Q + $n;
            // SAFETY: the caller's promise.
            let sum = $a.add(message[($factor * i + $first) % 16].add(unsafe { V::splat(k[i]) }));
            $a = $f(sum, $b, $c, $d).rotate_left::<$s, { 32 - $s }>().add($b);
        };
    }
    macro_rules! four {
        ($f:ident, $factor:literal, $first:literal, $s:literal $t:literal $u:literal $v:literal) => {
            step!($f, a, b, c, d, 0, $factor, $first, $s);
            step!($f, d, a, b, c, 1, $factor, $first, $t);
            step!($f, c, d, a, b, 2, $factor, $first, $u);
            step!($f, b, c, d, a, 3, $factor, $first, $v);
        };
    }
    match Q / 4 {
        0 => {
            four!(f, 1, 0, 7 12 17 22);
        }
        1 => {
            four!(g, 5, 1, 5 9 14 20);
        }
        2 => {
            four!(h, 3, 5, 4 11 16 23);
        }
        _ => {
            four!(i, 7, 0, 6 10 15 21);
        }
    }
    *s = [a, b, c, d];
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 4 rows of `V::LANES` words; `messages` points
/// to `V::LANES` slices of at least 64 · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn compress<V: Vector<Word = u32>>(state: *mut u32, messages: *const &[u8], blocks: usize) {
    // SAFETY: the caller's promise.
    let mut s: [V; 4] = unsafe { load_rows(state) };
    // Were the constants known to the compiler, it would add each as the last term of its sum,
    // which every step's latency hangs on.
    let k = black_box(&STEPS);
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let message: [V; 16] = unsafe { block_le(messages, 64 * block) };
        let before = s;
        macro_rules! steps {
            ($($q:literal)*) => {$(
                // SAFETY: as on entry.
                unsafe { four_steps::<V, $q>(&mut s, &message, k) };
            )*};
        }
        steps!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        s = [s[0].add(before[0]), s[1].add(before[1]), s[2].add(before[2]), s[3].add(before[3])];
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, s) }
}
