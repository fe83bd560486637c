//! The permutations Keccak-f\[1600\] (FIPS 202, section 3: 24 rounds) and Keccak-p\[1600, 12\]
//! (section 3.4; its use: RFC 9861), and the absorbing phase of the sponge (FIPS 202, section 4).
//! State: 25 words, word x + 5y being lane (x, y).

use crate::vector::{Vector, load_rows, store_rows};

/// ι constants of 24 rounds (FIPS 202, section 3.2.5); fewer rounds take the last ones.
static IOTA: [u64; 24] = [
    0x0000000000000001,
    0x0000000000008082,
    0x800000000000808a,
    0x8000000080008000,
    0x000000000000808b,
    0x0000000080000001,
    0x8000000080008081,
    0x8000000000008009,
    0x000000000000008a,
    0x0000000000000088,
    0x0000000080008009,
    0x000000008000000a,
    0x000000008000808b,
    0x800000000000008b,
    0x8000000000008089,
    0x8000000000008003,
    0x8000000000008002,
    0x8000000000000080,
    0x000000000000800a,
    0x800000008000000a,
    0x8000000080008081,
    0x8000000000008080,
    0x0000000080000001,
    0x8000000080008008,
];

/// One round: θ, ρ, π, χ, ι (FIPS 202, section 3.2).
#[inline(always)]
fn round<V: Vector<Word = u64>>(a: &[V; 25], iota: V) -> [V; 25] {
    macro_rules! column {
        ($x:literal) => {
            a[$x].xor3(a[$x + 5], a[$x + 10]).xor3(a[$x + 15], a[$x + 20])
        };
    }
    let c = [column!(0), column!(1), column!(2), column!(3), column!(4)];
    let turned = [
        c[0].rotate_left::<1, 63>(),
        c[1].rotate_left::<1, 63>(),
        c[2].rotate_left::<1, 63>(),
        c[3].rotate_left::<1, 63>(),
        c[4].rotate_left::<1, 63>(),
    ];
    // With operations of three words the two halves of θ go in together, without them their sum is
    // computed once for five lanes.
    let mut sum = c;
    if !V::TERNARY {
        let mut x = 0;
        while x < 5 {
            sum[x] = c[(x + 4) % 5].xor_turned(c[(x + 1) % 5]);
            x += 1;
        }
    }
    let mut next = *a;
    macro_rules! theta {
        ($i:literal $x:literal) => {
            if V::TERNARY { a[$i].xor3(c[($x + 4) % 5], turned[($x + 1) % 5]) } else { a[$i].xor(sum[$x]) }
        };
    }
    macro_rules! moved {
        ($i:literal $x:literal 0) => {
            theta!($i $x)
        };
        ($i:literal $x:literal $n:literal) => {
            if V::TERNARY {
                theta!($i $x).rotate_left::<$n, { 64 - $n }>()
            } else {
                a[$i].xor_rotated::<$n, { 64 - $n }>(sum[$x])
            }
        };
    }
    // A row of the result: the five lanes that π brings there, as [source, its x, ρ's rotation],
    // then χ.
    macro_rules! row {
        ($to:literal, [$($p:tt)*], [$($q:tt)*], [$($r:tt)*], [$($s:tt)*], [$($t:tt)*]) => {
            let b = [moved!($($p)*), moved!($($q)*), moved!($($r)*), moved!($($s)*), moved!($($t)*)];
            next[$to] = b[0].chi(b[1], b[2]);
            next[$to + 1] = b[1].chi(b[2], b[3]);
            next[$to + 2] = b[2].chi(b[3], b[4]);
            next[$to + 3] = b[3].chi(b[4], b[0]);
            next[$to + 4] = b[4].chi(b[0], b[1]);
        };
    }
    row!(0, [0 0 0], [6 1 44], [12 2 43], [18 3 21], [24 4 14]);
    row!(5, [3 3 28], [9 4 20], [10 0 3], [16 1 45], [22 2 61]);
    row!(10, [1 1 1], [7 2 6], [13 3 25], [19 4 8], [20 0 18]);
    row!(15, [4 4 27], [5 0 36], [11 1 10], [17 2 15], [23 3 56]);
    row!(20, [2 2 62], [8 3 55], [14 4 39], [15 0 41], [21 1 2]);
    next[0] = next[0].xor(iota);
    next
}

/// XORs the first `words` words of every message's block into the state. Rates in use are 9 to 21
/// words.
///
/// # Safety
/// As [`absorb`]; `words` is at least 4 and at most 24.
#[inline(always)]
unsafe fn add_block<V: Vector<Word = u64>>(a: &mut [V; 25], messages: *const &[u8], offset: usize, words: usize) {
    macro_rules! four {
        ($i:literal) => {
            if words >= $i + 4 {
                // SAFETY: four words from word $i on lie within the block.
                let t = unsafe { V::tile(messages, offset + 8 * $i) };
                a[$i] = a[$i].xor(t[0]);
                a[$i + 1] = a[$i + 1].xor(t[1]);
                a[$i + 2] = a[$i + 2].xor(t[2]);
                a[$i + 3] = a[$i + 3].xor(t[3]);
            } else if words > $i {
                // SAFETY: the last four words of a block of at least four; of these the first ones
                // have been taken above.
                let t = unsafe { V::tile(messages, offset + 8 * (words - 4)) };
                let rest = words - $i;
                match rest {
                    1 => a[$i] = a[$i].xor(t[3]),
                    2 => {
                        a[$i] = a[$i].xor(t[2]);
                        a[$i + 1] = a[$i + 1].xor(t[3]);
                    }
                    _ => {
                        a[$i] = a[$i].xor(t[1]);
                        a[$i + 1] = a[$i + 1].xor(t[2]);
                        a[$i + 2] = a[$i + 2].xor(t[3]);
                    }
                }
            }
        };
    }
    four!(0);
    four!(4);
    four!(8);
    four!(12);
    four!(16);
    four!(20);
}

/// Absorbs `blocks` blocks of `rate` bytes of each message and permutes with the last `ROUNDS`
/// rounds after each. With a rate of 0 it only permutes, `blocks` times, and reads no message.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 25 rows of `V::LANES` words; `rate` is 0 or a
/// multiple of 8 from 32 to 192; unless it is 0, `messages` points to `V::LANES` slices of at least
/// `rate` · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn absorb<V: Vector<Word = u64>, const ROUNDS: usize>(
    state: *mut u64,
    messages: *const &[u8],
    blocks: usize,
    rate: usize,
) {
    // SAFETY: the caller's promise.
    let mut a: [V; 25] = unsafe { load_rows(state) };
    for block in 0..blocks {
        if rate > 0 {
            // SAFETY: block < blocks.
            unsafe { add_block(&mut a, messages, rate * block, rate / 8) };
        }
        let iota = &IOTA[24 - ROUNDS..];
        for pair in iota.chunks_exact(2) {
            // SAFETY: as on entry.
            let (first, second) = unsafe { (V::splat(pair[0]), V::splat(pair[1])) };
            a = round(&round(&a, first), second);
        }
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, a) }
}
