//! The result of a comparison, and how far it may be trusted.

use std::fmt;

/// How alike two inputs are. The two kinds run in opposite directions and must never be mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// 0 (nothing in common was found) to 100: ssdeep, sdhash, mrsh-v2. Not a percentage of shared
    /// bytes.
    Similarity(u8),
    /// 0 (as good as equal) upwards, without a fixed end: TLSH.
    Distance(u32),
}

impl Score {
    /// Whether this score is at least as good as `threshold`: a similarity not below it, or a
    /// distance not above it. Scores of different kinds never reach each other.
    pub fn reaches(self, threshold: Score) -> bool {
        match (self, threshold) {
            (Score::Similarity(score), Score::Similarity(least)) => score >= least,
            (Score::Distance(distance), Score::Distance(most)) => distance <= most,
            _ => false,
        }
    }

    /// The bare number, for a column whose heading names the kind.
    pub fn number(self) -> u32 {
        match self {
            Score::Similarity(score) => u32::from(score),
            Score::Distance(distance) => distance,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// Why a digest says little about its input, so that neither a high nor a low score with it means
/// much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Degenerate {
    /// The digest holds too few features for the method to score.
    FewFeatures,
    /// The input is almost wholly made of repeated or constant bytes, which the digest leaves out:
    /// two inputs may score 100 for a small part of each.
    LowEntropy,
    /// The digest matches random data as well as anything else (sdhash): a match with it means
    /// nothing.
    Saturated,
    /// The input is a program that unpacks itself: the digest is of its packer and of compressed
    /// bytes.
    Packed,
}

impl fmt::Display for Degenerate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Degenerate::FewFeatures => "few features",
            Degenerate::LowEntropy => "low entropy",
            Degenerate::Saturated => "saturated",
            Degenerate::Packed => "packed",
        })
    }
}

/// Things that two inputs share for certain (up to a collision of 64-bit hashes), where both were
/// digested with their features kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Distinct chunks that both inputs hold, byte for byte (mrsh-v2).
    pub shared_chunks: Option<u64>,
    /// Distinct 64-byte features that both inputs hold (sdhash); distinct strings (strings);
    /// distinct names and sections (imports).
    pub shared_features: Option<u64>,
    /// About how many bytes of distinct content both inputs hold (shingles; text: of normal form).
    pub shared_bytes: Option<u64>,
    /// How much of the first one the second holds, and of the second the first, in percent of the
    /// chosen windows (shingles, text), strings (strings) or names and sections (imports).
    pub contained: Option<[u8; 2]>,
    /// The same, where windows that many inputs of the comparison hold count less, and those that
    /// programs write into every file nothing (shingles, text).
    pub weighted: Option<[u8; 2]>,
}

impl Evidence {
    /// The share of the two inputs' joint contents that both hold, in percent: resemblance, where
    /// `contained` is containment. 0 only if they share nothing, 100 only if they share everything.
    pub fn resemblance(&self) -> Option<u8> {
        let [a, b] = self.contained?.map(u32::from);
        Some(match a * b {
            0 => 0,
            10_000 => 100,
            // Fits: below 100.
            product => ((100 * product / (100 * (a + b) - product)) as u8).clamp(1, 99),
        })
    }
}

/// A score with all that is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The score, as the method's reference tool computes it.
    pub score: Score,
    /// The things that the inputs share for certain; empty when features were not kept.
    pub evidence: Evidence,
    /// Why the score may mean nothing: the mark of the worse of the two digests.
    pub degenerate: Option<Degenerate>,
}

impl Comparison {
    /// Nothing in common, and nothing known besides.
    pub(crate) fn none() -> Comparison {
        Comparison { score: Score::Similarity(0), evidence: Evidence::default(), degenerate: None }
    }
}

/// Number of values that two ascending lists without repetitions share.
pub fn shared(a: &[u64], b: &[u64]) -> u64 {
    let (mut i, mut j, mut count) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                (i, j) = (i + 1, j + 1);
                count += 1;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_do_not_reach_each_other() {
        assert!(Score::Similarity(21).reaches(Score::Similarity(21)));
        assert!(!Score::Similarity(20).reaches(Score::Similarity(21)));
        assert!(Score::Distance(21).reaches(Score::Distance(21)));
        assert!(!Score::Distance(22).reaches(Score::Distance(21)));
        assert!(!Score::Distance(1).reaches(Score::Similarity(1)));
        assert!(!Score::Similarity(1).reaches(Score::Distance(1)));
    }

    #[test]
    fn containment_gives_resemblance() {
        let of = |contained| Evidence { contained: Some(contained), ..Evidence::default() }.resemblance();
        for (contained, expected) in [
            ([100, 100], 100),
            ([100, 50], 50),
            ([50, 50], 33),
            ([0, 0], 0),
            ([1, 1], 1),
            ([100, 1], 1),
            ([99, 99], 98),
        ] {
            assert_eq!(of(contained), Some(expected), "{contained:?}");
        }
        assert_eq!(Evidence::default().resemblance(), None);
    }

    #[test]
    fn shared_values_are_counted() {
        assert_eq!(shared(&[1, 3, 5, 9], &[2, 3, 9, 11, 12]), 2);
        assert_eq!(shared(&[], &[1]), 0);
    }
}
