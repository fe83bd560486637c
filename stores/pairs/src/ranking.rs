//! Pairs in another order than that of the digests, or the best of them only, in bounded memory.

use crate::pair::{Failure, Pair, PairOrder};
use crate::sorter::{Item, Sorter};
use pfh_similarity::{Degenerate, Evidence, Score};
use std::io;
use std::sync::Arc;

/// The key that pairs are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// The best first: the highest score or the least distance; equal ones in the order in which
    /// they came.
    Score,
    /// The names' bytes: that of the digest which is written first, then the other's; equal names
    /// in the order of the digests.
    Path,
}

/// Takes all pairs of a collection, and gives them back in another order. Pairs that outgrow the
/// memory go to a temporary file.
pub struct Ranking {
    by: By,
    top: Option<u64>,
    order: PairOrder,
    memory: usize,
    /// By places: the rank of the name, where the names decide.
    ranks: Vec<u32>,
    came: u64,
    sorter: Sorter<RankedPair>,
}

/// A pair behind the key that it is sorted by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedPair {
    key: u128,
    a: u32,
    b: u32,
    score: u32,
    shared: u64,
    contained: [u8; 2],
    weighted: [u8; 2],
    marks: u8,
}

const DISTANCE: u8 = 1;
const CHUNKS: u8 = 2;
const FEATURES: u8 = 4;
/// Where the number of the degenerate kind begins; 0 for none.
const DEGENERATE: u32 = 3;
/// Shingles share bytes, and have how much of each the other has.
const BYTES: u8 = 32;
/// How much that weighs.
const WEIGHTED: u8 = 64;
const KINDS: [Degenerate; 3] = [Degenerate::FewFeatures, Degenerate::LowEntropy, Degenerate::Saturated];

impl RankedPair {
    fn new(pair: &Pair, key: u128) -> RankedPair {
        let Evidence { shared_chunks, shared_features, shared_bytes, contained, weighted } = pair.evidence;
        let kind = pair.degenerate.map_or(0, |why| 1 + KINDS.iter().position(|kind| *kind == why).unwrap_or(0));
        let marks = [
            (matches!(pair.score, Score::Distance(_)), DISTANCE),
            (shared_chunks.is_some(), CHUNKS),
            (shared_features.is_some(), FEATURES),
            (shared_bytes.is_some(), BYTES),
            (weighted.is_some(), WEIGHTED),
        ];
        let marks = marks.iter().map(|(is, mark)| if *is { *mark } else { 0 }).sum::<u8>();
        RankedPair {
            key,
            a: pair.a,
            b: pair.b,
            score: pair.score.number(),
            shared: shared_chunks.or(shared_features).or(shared_bytes).unwrap_or(0),
            contained: contained.unwrap_or_default(),
            weighted: weighted.unwrap_or_default(),
            marks: marks | (kind as u8) << DEGENERATE,
        }
    }

    fn pair(self) -> Pair {
        let is = |mark| self.marks & mark != 0;
        let score =
            if is(DISTANCE) { Score::Distance(self.score) } else { Score::Similarity(self.score.min(100) as u8) };
        let evidence = Evidence {
            shared_chunks: is(CHUNKS).then_some(self.shared),
            shared_features: is(FEATURES).then_some(self.shared),
            shared_bytes: is(BYTES).then_some(self.shared),
            contained: is(BYTES).then_some(self.contained),
            weighted: is(WEIGHTED).then_some(self.weighted),
        };
        let kind = usize::from(self.marks >> DEGENERATE & 3);
        let degenerate = kind.checked_sub(1).and_then(|kind| KINDS.get(kind)).copied();
        Pair { a: self.a, b: self.b, score, evidence, degenerate }
    }
}

impl Item for RankedPair {
    const BYTES: usize = 16 + 3 * 4 + 8 + 2 + 2 + 1;

    fn put(self, out: &mut Vec<u8>) {
        self.key.put(out);
        for number in [self.a, self.b, self.score] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        self.shared.put(out);
        out.extend_from_slice(&self.contained);
        out.extend_from_slice(&self.weighted);
        out.push(self.marks);
    }

    fn get(bytes: &[u8]) -> RankedPair {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        RankedPair {
            key: u128::get(&bytes[..16]),
            a: number(16),
            b: number(20),
            score: number(24),
            shared: u64::get(&bytes[28..36]),
            contained: [bytes[36], bytes[37]],
            weighted: [bytes[38], bytes[39]],
            marks: bytes[40],
        }
    }
}

impl Ranking {
    /// None yet. `top`: the number of best ones to keep; `order`: which digest of a pair is written
    /// first; `names`: those of the collection; `memory`: bytes for the pairs, beside eight for
    /// each digest.
    pub fn new(by: By, top: Option<u64>, order: PairOrder, names: &[Arc<[u8]>], memory: usize) -> Ranking {
        let mut ranks = Vec::new();
        if by == By::Path {
            // Collections hold fewer than 2^31 digests.
            let mut places: Vec<u32> = (0..names.len() as u32).collect();
            places.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
            ranks = vec![0; names.len()];
            for (rank, place) in places.into_iter().enumerate() {
                ranks[place as usize] = rank as u32;
            }
        }
        // Two sorters at a time, where the best ones are sorted by their names.
        let memory = if by == By::Path && top.is_some() { memory / 2 } else { memory };
        Ranking { by, top, order, memory, ranks, came: 0, sorter: Sorter::new(memory) }
    }

    /// Takes a pair.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn push(&mut self, pair: &Pair) -> io::Result<()> {
        let key = match (self.by, self.top) {
            (By::Path, None) => self.by_path(pair),
            _ => self.by_score(pair),
        };
        self.came += 1;
        self.sorter.push(RankedPair::new(pair, key))
    }

    fn by_score(&self, pair: &Pair) -> u128 {
        let worse = match pair.score {
            Score::Similarity(score) => u32::from(u8::MAX - score),
            Score::Distance(distance) => distance,
        };
        u128::from(worse) << 64 | u128::from(self.came)
    }

    fn by_path(&self, pair: &Pair) -> u128 {
        let (first, second) = if self.order == PairOrder::Earlier { (pair.a, pair.b) } else { (pair.b, pair.a) };
        u128::from(self.ranks[first as usize]) << 32 | u128::from(self.ranks[second as usize])
    }

    /// Hands out the pairs, and says how many.
    ///
    /// # Errors
    /// The temporary file's; those of `emit`.
    pub fn hand_out(mut self, emit: &mut dyn FnMut(Pair) -> Result<(), Failure>) -> Result<u64, Failure> {
        let mut best = std::mem::replace(&mut self.sorter, Sorter::new(0));
        if let (By::Path, Some(top)) = (self.by, self.top) {
            let mut named = Sorter::new(self.memory);
            for ranked in best.sorted().map_err(Failure::Spill)?.take(top.try_into().unwrap_or(usize::MAX)) {
                let pair = ranked.map_err(Failure::Spill)?.pair();
                named.push(RankedPair::new(&pair, self.by_path(&pair))).map_err(Failure::Spill)?;
            }
            best = named;
        }
        let most = self.top.map_or(usize::MAX, |top| top.try_into().unwrap_or(usize::MAX));
        let mut count = 0;
        for ranked in best.sorted().map_err(Failure::Spill)?.take(most) {
            emit(ranked.map_err(Failure::Spill)?.pair())?;
            count += 1;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(distances: bool) -> (Vec<Arc<[u8]>>, Vec<Pair>) {
        let mut state = 5u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let names = (0..120).map(|_| next(90).to_string().into_bytes().into()).collect();
        let mut pairs = Vec::new();
        for a in 0..120u32 {
            for b in a + 1..120 {
                let score =
                    if distances { Score::Distance(next(400) as u32) } else { Score::Similarity(next(101) as u8) };
                let (kind, shared) = (next(4) as usize, next(u64::MAX));
                let contained = Some([next(101) as u8, next(101) as u8]);
                let weighted = contained.filter(|_| kind > 1).map(|[a, b]| [b / 2, a]);
                let evidence = match next(4) {
                    3 => Evidence { shared_bytes: Some(shared), contained, weighted, ..Evidence::default() },
                    0 => Evidence::default(),
                    1 => Evidence { shared_chunks: Some(shared), ..Evidence::default() },
                    _ => Evidence { shared_features: Some(shared), ..Evidence::default() },
                };
                let degenerate = kind.checked_sub(1).map(|kind| KINDS[kind]);
                pairs.push(Pair { a, b, score, evidence, degenerate });
            }
        }
        (names, pairs)
    }

    /// The same as sorting them all at once, with any memory.
    #[test]
    fn pairs_come_in_the_order_asked_for() {
        for (distances, order) in [(false, PairOrder::Earlier), (true, PairOrder::Later)] {
            let (names, pairs) = pairs(distances);
            let badness = |pair: &Pair| match pair.score {
                Score::Similarity(score) => 100 - u32::from(score),
                Score::Distance(distance) => distance,
            };
            let mut by_score = pairs.clone();
            by_score.sort_by_key(badness);
            let path = |pair: &Pair| {
                let of = |place: u32| (names[place as usize].clone(), place);
                if order == PairOrder::Earlier { (of(pair.a), of(pair.b)) } else { (of(pair.b), of(pair.a)) }
            };
            for (by, top, memory) in [
                (By::Score, None, 0),
                (By::Score, None, 1 << 30),
                (By::Score, Some(500), 0),
                (By::Path, None, 0),
                (By::Path, Some(3000), 0),
                (By::Path, Some(u64::MAX), 1 << 30),
            ] {
                let mut expected = by_score.clone();
                expected.truncate(top.map_or(usize::MAX, |top| top as usize));
                if by == By::Path {
                    expected.sort_by_key(path);
                }
                let mut ranking = Ranking::new(by, top, order, &names, memory);
                pairs.iter().for_each(|pair| ranking.push(pair).unwrap());
                assert_eq!(ranking.sorter.spilled() > 0, memory == 0);
                let mut found = Vec::new();
                let count = ranking.hand_out(&mut |pair| {
                    found.push(pair);
                    Ok(())
                });
                assert_eq!(count.unwrap() as usize, found.len());
                assert!(found == expected, "{by:?} {top:?} {memory}");
            }
        }
    }
}
