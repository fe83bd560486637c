//! The round of SHA-2 (FIPS 180-4, sections 6.2.2 and 6.4.2, step 3) in general registers, for
//! kernels that keep the message schedule in vector registers; written once over the word.

use crate::sha2::Sha2;
use crate::vector::Vector;

/// Round `i` of sixteen. The letters of FIPS 180-4 move from word to word of the state, one place a
/// round; after sixteen rounds each is where it began. `last` is `b ^ c`, which is `a ^ b` of the
/// round before; `sum` is the word of the schedule with its constant.
#[inline(always)]
pub(super) fn round<S: Sha2>(s: &mut [S::Word; 8], last: &mut S::Word, sum: S::Word, i: usize)
where
    S::Word: Vector<Word = S::Word>,
{
    let at = |letter: usize| (letter + 16 - i) % 8;
    let (a, b, e, f, g) = (s[at(0)], s[at(1)], s[at(4)], s[at(5)], s[at(6)]);
    // The two halves of the choice have no bit in common: a sum leaves the order to the compiler.
    let t1 = s[at(7)].add(sum).add(e.and(f).add(e.not_and(g))).add(S::sum1(e));
    s[at(3)] = s[at(3)].add(t1);
    let difference = a.xor(b);
    s[at(7)] = S::sum0(a).add(difference.and(*last).xor(b)).add(t1);
    *last = difference;
}
