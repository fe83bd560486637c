//! BLAKE2b and BLAKE2s (RFC 7693, section 3.2), without a key. State: the eight words of the chain
//! value, two words with the number of bytes so far, and the word that marks the last block; block:
//! sixteen words.
//!
//! The kernel adds a block to the number before it uses it, so that blocks of one message follow
//! one another without the caller. Before the last block the caller sets the number and the mark:
//! [`end_b`], [`end_s`].

use crate::sha256;
use crate::sha512;
use crate::vector::{Vector, block_le, load_rows, store_rows};

/// Words of a state.
pub const WORDS: usize = 11;
/// Words of a state that change before the last block: the last three.
pub const END: usize = 3;

/// The state of BLAKE2b before the first block, for a digest of `length` bytes, 1 to 64 (RFC 7693,
/// section 3.3).
pub const fn initial_b(length: usize) -> [u64; WORDS] {
    let [a, b, c, d, e, f, g, h] = sha512::INITIAL;
    [a ^ 0x0101_0000 ^ length as u64, b, c, d, e, f, g, h, 0, 0, 0]
}

/// The state of BLAKE2s before the first block, for a digest of `length` bytes, 1 to 32 (RFC 7693,
/// section 3.3).
pub const fn initial_s(length: usize) -> [u32; WORDS] {
    let [a, b, c, d, e, f, g, h] = sha256::INITIAL;
    [a ^ 0x0101_0000 ^ length as u32, b, c, d, e, f, g, h, 0, 0, 0]
}

/// The last words of the state before the last block of a BLAKE2b message of `length` bytes.
pub const fn end_b(length: u128) -> [u64; END] {
    let before = length.wrapping_sub(128);
    [before as u64, (before >> 64) as u64, u64::MAX]
}

/// The last words of the state before the last block of a BLAKE2s message of `length` bytes, which
/// count modulo 2^64.
pub const fn end_s(length: u128) -> [u32; END] {
    let before = length.wrapping_sub(64);
    [before as u32, (before >> 32) as u32, u32::MAX]
}

/// The differences between the two functions.
pub(crate) trait Blake2 {
    /// `u64` or `u32`.
    type Word: Copy;
    /// Bytes of a block.
    const BLOCK: usize;
    /// Rounds.
    const ROUNDS: usize;

    /// The initial words, which the second half of the working state begins with.
    fn initial() -> [Self::Word; 8];
    /// Bytes of a block, as a word.
    fn block() -> Self::Word;
    /// The top bit of each word as a number.
    fn top<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// `x ^ y`, rotated right by the first to the fourth of the function's distances.
    fn turned<V: Vector<Word = Self::Word>, const WHICH: usize>(x: V, y: V) -> V;
}

/// The word, the constants and the rotations of BLAKE2b.
pub(crate) struct B;
/// The word, the constants and the rotations of BLAKE2s.
pub(crate) struct S;

impl Blake2 for B {
    type Word = u64;
    const BLOCK: usize = 128;
    const ROUNDS: usize = 12;

    #[inline(always)]
    fn initial() -> [u64; 8] {
        sha512::INITIAL
    }
    #[inline(always)]
    fn block() -> u64 {
        128
    }
    #[inline(always)]
    fn top<V: Vector<Word = u64>>(x: V) -> V {
        x.shift_right::<63>()
    }
    #[inline(always)]
    fn turned<V: Vector<Word = u64>, const WHICH: usize>(x: V, y: V) -> V {
        match WHICH {
            0 => x.xor_rotated::<32, 32>(y),
            1 => x.xor_rotated::<40, 24>(y),
            2 => x.xor_rotated::<48, 16>(y),
            _ => x.xor_rotated::<1, 63>(y),
        }
    }
}

impl Blake2 for S {
    type Word = u32;
    const BLOCK: usize = 64;
    const ROUNDS: usize = 10;

    #[inline(always)]
    fn initial() -> [u32; 8] {
        sha256::INITIAL
    }
    #[inline(always)]
    fn block() -> u32 {
        64
    }
    #[inline(always)]
    fn top<V: Vector<Word = u32>>(x: V) -> V {
        x.shift_right::<31>()
    }
    #[inline(always)]
    fn turned<V: Vector<Word = u32>, const WHICH: usize>(x: V, y: V) -> V {
        match WHICH {
            0 => x.xor_rotated::<16, 16>(y),
            1 => x.xor_rotated::<20, 12>(y),
            2 => x.xor_rotated::<24, 8>(y),
            _ => x.xor_rotated::<25, 7>(y),
        }
    }
}

/// G of RFC 7693, section 3.1. The word of the message is added first: it waits for nothing.
#[inline(always)]
fn g<F: Blake2, V: Vector<Word = F::Word>>(v: &mut [V; 16], [a, b, c, d]: [usize; 4], x: V, y: V) {
    v[a] = v[a].add(x).add(v[b]);
    v[d] = F::turned::<V, 0>(v[d], v[a]);
    v[c] = v[c].add(v[d]);
    v[b] = F::turned::<V, 1>(v[b], v[c]);
    v[a] = v[a].add(y).add(v[b]);
    v[d] = F::turned::<V, 2>(v[d], v[a]);
    v[c] = v[c].add(v[d]);
    v[b] = F::turned::<V, 3>(v[b], v[c]);
}

/// A round, with the message's words in this order (RFC 7693, section 2.7).
macro_rules! round {
    ($f:ident, $v:ident, $m:ident; $s0:literal $s1:literal $s2:literal $s3:literal $s4:literal $s5:literal $s6:literal $s7:literal
     $s8:literal $s9:literal $sa:literal $sb:literal $sc:literal $sd:literal $se:literal $sf:literal) => {
        g::<$f, V>(&mut $v, [0, 4, 8, 12], $m[$s0], $m[$s1]);
        g::<$f, V>(&mut $v, [1, 5, 9, 13], $m[$s2], $m[$s3]);
        g::<$f, V>(&mut $v, [2, 6, 10, 14], $m[$s4], $m[$s5]);
        g::<$f, V>(&mut $v, [3, 7, 11, 15], $m[$s6], $m[$s7]);
        g::<$f, V>(&mut $v, [0, 5, 10, 15], $m[$s8], $m[$s9]);
        g::<$f, V>(&mut $v, [1, 6, 11, 12], $m[$sa], $m[$sb]);
        g::<$f, V>(&mut $v, [2, 7, 8, 13], $m[$sc], $m[$sd]);
        g::<$f, V>(&mut $v, [3, 4, 9, 14], $m[$se], $m[$sf]);
    };
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 11 rows of `V::LANES` words; `messages`
/// points to `V::LANES` slices of at least `blocks` blocks each.
#[inline(always)]
pub(crate) unsafe fn compress<F: Blake2, V: Vector<Word = F::Word>>(
    state: *mut F::Word,
    messages: *const &[u8],
    blocks: usize,
) {
    // SAFETY: the caller's promise.
    let mut s: [V; WORDS] = unsafe { load_rows(state) };
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let m: [V; 16] = unsafe { block_le(messages, F::BLOCK * block) };
        // SAFETY: the caller's promise.
        let (bytes, iv) = unsafe {
            let i = F::initial();
            let iv = [V::splat(i[0]), V::splat(i[1]), V::splat(i[2]), V::splat(i[3])];
            (V::splat(F::block()), [iv, [V::splat(i[4]), V::splat(i[5]), V::splat(i[6]), V::splat(i[7])]])
        };
        let low = s[8].add(bytes);
        // The number is less than before: a carry.
        s[9] = s[9].add(F::top(low.not_and(s[8])));
        s[8] = low;
        let [[i0, i1, i2, i3], [i4, i5, i6, i7]] = iv;
        let mut v = [
            s[0],
            s[1],
            s[2],
            s[3],
            s[4],
            s[5],
            s[6],
            s[7],
            i0,
            i1,
            i2,
            i3,
            i4.xor(s[8]),
            i5.xor(s[9]),
            i6.xor(s[10]),
            i7,
        ];
        round!(F, v, m; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
        round!(F, v, m; 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
        round!(F, v, m; 11 8 12 0 5 2 15 13 10 14 3 6 7 1 9 4);
        round!(F, v, m; 7 9 3 1 13 12 11 14 2 6 5 10 4 0 15 8);
        round!(F, v, m; 9 0 5 7 2 4 10 15 14 1 11 12 6 8 3 13);
        round!(F, v, m; 2 12 6 10 0 11 8 3 4 13 7 5 15 14 1 9);
        round!(F, v, m; 12 5 1 15 14 13 4 10 0 7 6 3 9 2 8 11);
        round!(F, v, m; 13 11 7 14 12 1 3 9 5 0 15 4 8 6 2 10);
        round!(F, v, m; 6 15 14 9 11 3 0 8 12 2 13 7 1 4 10 5);
        round!(F, v, m; 10 2 8 4 7 6 1 5 15 11 9 14 3 12 13 0);
        if F::ROUNDS == 12 {
            round!(F, v, m; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            round!(F, v, m; 14 10 4 8 9 15 13 6 1 12 0 2 11 7 5 3);
        }
        let mut i = 0;
        while i < 8 {
            s[i] = s[i].xor3(v[i], v[i + 8]);
            i += 1;
        }
    }
    // SAFETY: the caller's promise.
    unsafe { store_rows(state, s) }
}
