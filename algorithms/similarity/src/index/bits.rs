//! Digests of bits: equal pieces first.
//!
//! Two digests of `n` pieces that differ in at most `t` bits differ in at most `t / n` bits in one
//! of their pieces (Norouzi, Punjani & Fleet, *Fast exact search in Hamming space with multi-index
//! hashing*, 2014). Pieces of 16 bits are looked up with all values that differ in none or in one.

use super::{Pairs, Report, Share, Visitor, count, each_share, ordered};
use crate::Score;
use crate::pictures::Bits;
use std::ops::ControlFlow;

/// Bits of a piece.
const PIECE: usize = 16;
/// Pieces of a word.
const IN_WORD: usize = 64 / PIECE;
/// Values of a piece that differ in at most one bit.
const NEAR: u64 = 1 + PIECE as u64;
/// Digests between two reports of progress.
const STEP: u32 = 1 << 8;

fn piece<const WORDS: usize>(digest: &Bits<WORDS>, number: usize) -> u16 {
    (digest.0[number / IN_WORD] >> (PIECE * (number % IN_WORD))) as u16
}

/// The part of [`bits()`] whose pairs have the first of their digests in this share of the places.
/// The shares together hand out the pairs of one whole search, each pair once.
pub fn bits_share<const WORDS: usize>(
    digests: &[Bits<WORDS>],
    pairs: Pairs,
    threshold: u32,
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let pieces = IN_WORD * WORDS;
    let radius = threshold as usize / pieces;
    // Few are compared sooner than sorted by their pieces, and a piece that may differ in more bits
    // has too many values.
    let each = radius > 1 || digests.len() as u64 <= NEAR * pieces as u64;
    if each {
        each_share(count(digests), pairs, share, visitor, |a, b| {
            let distance = digests[a as usize].distance(&digests[b as usize]);
            (distance <= threshold).then_some(Score::Distance(distance))
        })
    } else {
        by_pieces(digests, pairs, (threshold, radius as u32), share, visitor)
    }
}

/// Hands out every pair that differs in at most `threshold` bits; breaks off when the visitor does.
pub fn bits<const WORDS: usize>(
    digests: &[Bits<WORDS>],
    pairs: Pairs,
    threshold: u32,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    bits_share(digests, pairs, threshold, Share::WHOLE, visitor)
}

/// The places of digests by the value of one of their pieces, ascending.
struct Table {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Table {
    fn new<const WORDS: usize>(digests: &[Bits<WORDS>], number: usize) -> Table {
        let mut starts = vec![0u32; (1 << PIECE) + 1];
        digests.iter().for_each(|digest| starts[usize::from(piece(digest, number)) + 1] += 1);
        for value in 0..1 << PIECE {
            starts[value + 1] += starts[value];
        }
        let (mut next, mut places) = (starts.clone(), vec![0; digests.len()]);
        for (place, digest) in (0..).zip(digests) {
            let next = &mut next[usize::from(piece(digest, number))];
            places[*next as usize] = place;
            *next += 1;
        }
        Table { starts, places }
    }

    /// Those behind `place` with a value.
    fn behind(&self, place: u32, value: u16) -> &[u32] {
        let value = usize::from(value);
        let all = &self.places[self.starts[value] as usize..self.starts[value + 1] as usize];
        &all[all.partition_point(|&other| other <= place)..]
    }
}

fn by_pieces<const WORDS: usize>(
    digests: &[Bits<WORDS>],
    pairs: Pairs,
    (threshold, radius): (u32, u32),
    share: Share,
    visitor: &mut impl Visitor,
) -> ControlFlow<(), Report> {
    let places = count(digests);
    let pieces = IN_WORD * WORDS;
    let total = pieces as u64 * u64::from(places);
    let mut report = Report::default();
    for number in 0..pieces {
        let table = Table::new(digests, number);
        for a in (0..places).filter(|a| a % share.of.max(1) == share.part) {
            if a.is_multiple_of(STEP) {
                visitor.progress(number as u64 * u64::from(places) + u64::from(a), total)?;
            }
            let digest = &digests[a as usize];
            let own = piece(digest, number);
            let near = (0..PIECE).filter(|_| radius > 0).map(|bit| own ^ 1 << bit);
            for &b in std::iter::once(own).chain(near).flat_map(|value| table.behind(a, value)) {
                if !pairs.include(a, b) {
                    continue;
                }
                report.compared += 1;
                let other = &digests[b as usize];
                let distance = digest.distance(other);
                // A piece before this one has found it.
                let is_near = |number| (piece(digest, number) ^ piece(other, number)).count_ones() <= radius;
                if distance <= threshold && !(0..number).any(is_near) {
                    visitor.hit(ordered(a, b, Score::Distance(distance)))?;
                }
            }
        }
    }
    ControlFlow::Continue(report)
}
