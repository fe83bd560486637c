//! Pairs that several methods found, as one row each, the closest first, in bounded memory.

use crate::pair::Failure;
use crate::sorter::Sorter;
use pfh_similarity::{Degenerate, Evidence};
use std::io;

/// The result of a method for two inputs.
#[derive(Clone, Copy, Debug)]
pub struct Finding {
    /// The inputs' numbers, the smaller one first.
    pub inputs: [u32; 2],
    /// Whether the method finds them alike: else it only finds shared parts.
    pub alike: bool,
    /// Whether it is one of whole contents: those are alike, too, where they have in common what
    /// many inputs hold.
    pub whole: bool,
    /// The parts that they share, if those are equal bytes.
    pub evidence: Evidence,
    /// The score of a method whose digests are used up by the search.
    pub kin: Option<(Kin, u8)>,
    /// Why the score may mean nothing.
    pub degenerate: Option<Degenerate>,
}

/// The contents that methods for one kind of file compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kin {
    /// Strings of executables.
    Strings,
    /// Texts in their normal form.
    Text,
    /// Cells of tables.
    Cells,
}

/// The result of all methods together for two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairScores {
    /// The inputs' numbers, the smaller one first.
    pub inputs: [u32; 2],
    /// About how many bytes both hold; up to 2^40.
    pub shared_bytes: u64,
    /// How much of the first one the second holds, and of the second the first, in percent.
    pub contained: [u8; 2],
    /// The same of what each has for itself.
    pub weighted: [u8; 2],
    /// The scores by strings, by text and by cells.
    pub kin: [u8; 3],
    /// The worst mark of the methods that find them alike.
    pub degenerate: Option<Degenerate>,
}

const KINDS: [Degenerate; 3] = [Degenerate::FewFeatures, Degenerate::LowEntropy, Degenerate::Saturated];
/// Bits of a number of bytes.
const BYTES: u32 = 40;
/// Bits of an input's number.
const PLACE: u32 = 31;

/// Values that are packed from the highest bits down.
struct PackedValues(u128);

impl PackedValues {
    fn put(self, value: u64, bits: u32) -> PackedValues {
        PackedValues(self.0 << bits | u128::from(value) & ((1 << bits) - 1))
    }

    fn take(&mut self, bits: u32) -> u64 {
        let value = self.0 & ((1 << bits) - 1);
        self.0 >>= bits;
        value as u64
    }
}

impl PairScores {
    /// Packs a pair behind the packed key: all but the inputs.
    fn put(&self, packed: PackedValues) -> [u64; 3] {
        let kind = self.degenerate.map_or(0, |why| 1 + KINDS.iter().position(|kind| *kind == why).unwrap_or(0));
        let PackedValues(key) = packed.put(kind as u64, 2).put(self.shared_bytes.min((1 << BYTES) - 1), BYTES);
        let percents = self.contained.into_iter().chain(self.kin).chain(self.weighted);
        let PackedValues(more) = percents.fold(PackedValues(0), |packed, percent| packed.put(percent.into(), 7));
        [(key >> 64) as u64, key as u64, more as u64]
    }

    /// Takes a pair apart, and gives the key packed before it.
    fn take([high, low, more]: [u64; 3]) -> (PairScores, PackedValues) {
        let (mut packed, mut more) =
            (PackedValues(u128::from(high) << 64 | u128::from(low)), PackedValues(more.into()));
        let shared_bytes = packed.take(BYTES);
        let kind = packed.take(2) as usize;
        let mut percents = [0; 7];
        percents.iter_mut().rev().for_each(|percent| *percent = more.take(7) as u8);
        let [a, b, strings, text, cells, own_a, own_b] = percents;
        let degenerate = kind.checked_sub(1).and_then(|kind| KINDS.get(kind)).copied();
        let (contained, kin, weighted) = ([a, b], [strings, text, cells], [own_a, own_b]);
        (PairScores { inputs: [0; 2], shared_bytes, contained, weighted, kin, degenerate }, packed)
    }
}

/// Takes the findings of all methods, in any order.
pub struct Relations {
    sorter: Sorter<[u64; 3]>,
    memory: usize,
}

impl Relations {
    /// None yet. `memory`: bytes; the rest goes to a temporary file.
    pub fn new(memory: usize) -> Relations {
        Relations { sorter: Sorter::new(memory / 2), memory }
    }

    /// Takes a finding.
    ///
    /// # Errors
    /// The temporary file's.
    pub fn push(&mut self, finding: &Finding) -> io::Result<()> {
        let [a, b] = finding.inputs;
        let both = PairScores {
            inputs: finding.inputs,
            shared_bytes: finding.evidence.shared_bytes.unwrap_or(0),
            contained: finding.evidence.contained.unwrap_or_default(),
            weighted: finding.evidence.weighted.unwrap_or_default(),
            kin: [Kin::Strings, Kin::Text, Kin::Cells]
                .map(|own| finding.kin.map_or(0, |(kin, score)| if kin == own { score } else { 0 })),
            degenerate: finding.degenerate.filter(|_| finding.alike),
        };
        let packed = PackedValues(0)
            .put(a.into(), PLACE)
            .put(b.into(), PLACE)
            .put(finding.alike.into(), 1)
            .put(finding.whole.into(), 1);
        self.sorter.push(both.put(packed))
    }

    /// Hands out each pair that a method finds alike once, by ascending rank, then in the order of
    /// the inputs, with `top` no more than that; says how many there are in all. `rank` gives a
    /// number below 2^10. `stands` says whether one counts that methods of whole contents alone
    /// find.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn hand_out(
        self,
        rank: &mut dyn FnMut(&PairScores) -> u16,
        stands: &mut dyn FnMut(&PairScores) -> bool,
        top: Option<u64>,
        emit: &mut dyn FnMut(PairScores) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let mut ranked: Sorter<[u64; 3]> = Sorter::new(self.memory / 2);
        let mut count = 0;
        let mut push = |both: PairScores, found: [bool; 2]| {
            let [by_whole, by_parts] = found;
            if !(by_parts || by_whole && stands(&both)) {
                return Ok(());
            }
            count += 1;
            let [a, b] = both.inputs;
            let packed = PackedValues(0).put(rank(&both).into(), 10).put(a.into(), PLACE).put(b.into(), PLACE);
            ranked.push(both.put(packed)).map_err(Failure::Spill)
        };
        let mut open: Option<(PairScores, [bool; 2])> = None;
        for finding in self.sorter.sorted().map_err(Failure::Spill)? {
            let (inner, mut packed) = PairScores::take(finding.map_err(Failure::Spill)?);
            let whole = packed.take(1) == 1;
            let alike = packed.take(1) == 1;
            let alike = [alike && whole, alike && !whole];
            let b = packed.take(PLACE) as u32;
            let inputs = [packed.take(PLACE) as u32, b];
            match &mut open {
                Some((both, found)) if both.inputs == inputs => {
                    *found = [0, 1].map(|i| found[i] | alike[i]);
                    both.shared_bytes = both.shared_bytes.max(inner.shared_bytes);
                    both.contained = [0, 1].map(|i| both.contained[i].max(inner.contained[i]));
                    both.weighted = [0, 1].map(|i| both.weighted[i].max(inner.weighted[i]));
                    both.kin = [0, 1, 2].map(|i| both.kin[i].max(inner.kin[i]));
                    both.degenerate = both.degenerate.max(inner.degenerate);
                }
                _ => {
                    if let Some((both, found)) = open.replace((PairScores { inputs, ..inner }, alike)) {
                        push(both, found)?;
                    }
                }
            }
        }
        if let Some((both, found)) = open {
            push(both, found)?;
        }
        let most = top.map_or(usize::MAX, |top| top.try_into().unwrap_or(usize::MAX));
        for ranked in ranked.sorted().map_err(Failure::Spill)?.take(most) {
            let (both, mut packed) = PairScores::take(ranked.map_err(Failure::Spill)?);
            let b = packed.take(PLACE) as u32;
            emit(PairScores { inputs: [packed.take(PLACE) as u32, b], ..both })?;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The rows are those of a map that holds everything, with any memory.
    #[test]
    fn rows_are_those_of_a_map() {
        let mut state = 11u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let mut findings = Vec::new();
        for _ in 0..40_000 {
            let a = next(80) as u32;
            let inputs = [a, a + 1 + next(40) as u32];
            let contained = [next(101) as u8, next(101) as u8];
            let evidence = match next(3) {
                0 => Evidence {
                    shared_bytes: Some(next(1 << 31) << 9),
                    contained: Some(contained),
                    weighted: Some([next(101) as u8, next(101) as u8]),
                    ..Evidence::default()
                },
                _ => Evidence::default(),
            };
            let degenerate = (next(4) as usize).checked_sub(1).map(|kind| KINDS[kind]);
            let kin = match next(3) {
                0 => Some((Kin::Strings, next(101) as u8)),
                1 => Some((Kin::Text, next(101) as u8)),
                _ => None,
            };
            findings.push(Finding { inputs, alike: next(9) == 0, whole: next(3) == 0, evidence, kin, degenerate });
        }
        let mut stands = |both: &PairScores| both.inputs[0].is_multiple_of(2);
        let mut rows: BTreeMap<[u32; 2], (PairScores, bool)> = BTreeMap::new();
        for finding in &findings {
            let none = PairScores {
                inputs: finding.inputs,
                shared_bytes: 0,
                contained: [0; 2],
                weighted: [0; 2],
                kin: [0; 3],
                degenerate: None,
            };
            let (both, found) = rows.entry(finding.inputs).or_insert((none, false));
            *found |= finding.alike && (!finding.whole || stands(&none));
            both.shared_bytes = both.shared_bytes.max(finding.evidence.shared_bytes.unwrap_or(0));
            let contained = finding.evidence.contained.unwrap_or_default();
            both.contained = [0, 1].map(|i| both.contained[i].max(contained[i]));
            let weighted = finding.evidence.weighted.unwrap_or_default();
            both.weighted = [0, 1].map(|i| both.weighted[i].max(weighted[i]));
            if let Some((kin, score)) = finding.kin {
                let own = &mut both.kin[kin as usize];
                *own = score.max(*own);
            }
            if finding.alike {
                both.degenerate = both.degenerate.max(finding.degenerate);
            }
        }
        let mut rank = |both: &PairScores| 100 - u16::from(both.contained[0]);
        let mut expected: Vec<PairScores> =
            rows.into_values().filter(|(_, found)| *found).map(|(both, _)| both).collect();
        expected.sort_by_key(|both| (rank(both), both.inputs));
        for (memory, top) in [(0, None), (1 << 30, None), (0, Some(17))] {
            let mut relations = Relations::new(memory);
            findings.iter().for_each(|finding| relations.push(finding).unwrap());
            assert_eq!(relations.sorter.spilled() > 0, memory == 0);
            let mut seen = Vec::new();
            let count = relations.hand_out(&mut rank, &mut stands, top, &mut |both| {
                seen.push(both);
                Ok(())
            });
            assert_eq!(count.unwrap() as usize, expected.len());
            assert!(seen == expected[..top.unwrap_or(expected.len() as u64) as usize], "{memory} {top:?}");
        }
        assert!(expected.len() > 1000);
    }
}
