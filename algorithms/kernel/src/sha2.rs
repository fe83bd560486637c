//! The compression function of SHA-2 (FIPS 180-4, sections 6.2 and 6.4), written once over the
//! word: SHA-256 and SHA-512 differ in the items of [`Sha2`].

use crate::vector::{Vector, block_be, load_rows, store_rows};
use std::hint::black_box;

/// The word, the constants and the functions in which SHA-256 and SHA-512 differ.
pub(crate) trait Sha2 {
    /// The word: of 32 or of 64 bits.
    type Word: Copy + 'static;
    /// The constants of all rounds.
    type Constants: AsRef<[Self::Word]> + 'static;
    /// Bytes of a block.
    const BLOCK: usize;
    /// The constants (FIPS 180-4, section 4.2).
    fn constants() -> &'static Self::Constants;
    /// Σ0 of FIPS 180-4, section 4.1.
    fn sum0<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// Σ1.
    fn sum1<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// σ0.
    fn sigma0<V: Vector<Word = Self::Word>>(x: V) -> V;
    /// σ1.
    fn sigma1<V: Vector<Word = Self::Word>>(x: V) -> V;
}

/// Compresses `blocks` blocks of each message into `state`.
///
/// # Safety
/// The CPU has the instruction set of `V`; `state` is 8 rows of `V::LANES` words; `messages` points
/// to `V::LANES` slices of at least `S::BLOCK` · `blocks` bytes each.
#[inline(always)]
pub(crate) unsafe fn compress<S: Sha2, V: Vector<Word = S::Word>>(
    state: *mut S::Word,
    messages: *const &[u8],
    blocks: usize,
) {
    // SAFETY: the caller's promise.
    let mut before: [V; 8] = unsafe { load_rows(state) };
    // Were the constants known to the compiler, it would add each as the last term of its sum,
    // which every round's latency hangs on.
    let k = black_box(S::constants());
    for block in 0..blocks {
        // SAFETY: block < blocks.
        let mut w: [V; 16] = unsafe { block_be(messages, S::BLOCK * block) };
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        // a ^ b of one round is b ^ c of the next: the majority is computed with one new difference
        // a round.
        let mut last = b.xor(c);
        macro_rules! round {
            ($a:ident, $b:ident, $c:ident, $d:ident, $e:ident, $f:ident, $g:ident, $h:ident, $i:literal, $k:expr) => {
                // SAFETY: as on entry.
                let k = unsafe { V::splat($k[$i]) };
                let kw = $h.add(w[$i].add(k));
                let t1 = if V::WAITS {
                    let d = $d;
                    $d = kw.add(d).opaque().add($e.select($f, $g)).opaque().add(S::sum1($e));
                    $d.sub(d)
                } else {
                    let t1 = kw.add($e.select($f, $g)).add(S::sum1($e));
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
                    t1.opaque().add(majority).opaque().add(S::sum0($a))
                } else {
                    S::sum0($a).add(majority).add(t1)
                };
            };
        }
        macro_rules! schedule {
            ($i:literal) => {
                w[$i] = w[$i].add(S::sigma0(w[($i + 1) % 16])).add(w[($i + 9) % 16]).add(S::sigma1(w[($i + 14) % 16]));
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
        let (first, rest) = k.as_ref().split_at(16);
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
