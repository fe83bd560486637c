//! How filters and digests of sdhash and mrsh-v2 are scored, and the bits that two filters must
//! share for a score.

use crate::mrsh_v2::{self, Base};
use crate::sdhash;
use pfh_kernel::similarity::bloom::Bits;

/// A filter's number of elements and of bits set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Weight {
    pub elements: u32,
    pub ones: u32,
}

impl Weight {
    /// That of a filter which is not compared.
    pub const NONE: Weight = Weight { elements: 0, ones: 0 };

    /// Whether a filter of this weight is compared.
    pub fn is_compared(self) -> bool {
        self.elements > 0
    }

    /// The lesser of each.
    pub fn min(self, other: Weight) -> Weight {
        Weight { elements: self.elements.min(other.elements), ones: self.ones.min(other.ones) }
    }
}

/// How two filters and two digests are scored.
pub(super) trait Rule {
    /// The score of one pair of filters, in 200ths, without which two digests do not reach a
    /// threshold of 1 to 100: no mean of scores is above the best of them.
    fn least(&self, threshold: u8) -> u32;
    /// Common bits without which two filters do not score `least` 200ths, and with 0 not at all. It
    /// never falls when the elements or ones of either grow, so that the lesser weight of many
    /// filters gives a bound for all.
    fn needed(&self, a: Weight, b: Weight, least: u32) -> u32;
    /// The score of two filters that have at least `needed` bits in common with 0.
    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64;
    /// The score of two digests from the sum of the best scores of the sought one's filters, and
    /// the number of filters that count of the one sought and of the target.
    fn digests(&self, sum: f64, sought: u32, target: u32) -> u8;
}

/// `cut`, and that many 200ths of the bits from there to `most`, rounded down: a score is `(common
/// - cut) / (most - cut)`. Grows with `most`, and with `cut` too, as `least` is at most 200.
fn above(cut: u32, most: u32, least: u32) -> u32 {
    cut + least * most.saturating_sub(cut) / 200
}

pub(super) struct SdhashRule;

impl Rule for SdhashRule {
    /// 100 times the mean is rounded to a whole number, so half of one less may do.
    fn least(&self, threshold: u8) -> u32 {
        2 * u32::from(threshold.clamp(1, 100)) - 1
    }

    /// The cut-off falls with the fewer elements (`tables::CUTOFFS`), and a score needs more bits.
    fn needed(&self, a: Weight, b: Weight, least: u32) -> u32 {
        let cut = sdhash::cutoff(a.elements + b.elements);
        above(cut, a.ones.min(b.ones), least).max(cut + 1)
    }

    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64 {
        sdhash::filter_score(a.0, b.0, a.1.elements + b.1.elements, a.1.ones.min(b.1.ones), common)
    }

    fn digests(&self, sum: f64, sought: u32, _: u32) -> u8 {
        (100.0 * sum / f64::from(sought)).round() as u8
    }
}

pub(super) struct MrshRule {
    pub base: Base,
}

impl Rule for MrshRule {
    /// By the smaller digest, the sum of whole scores is divided by the number of scores. The
    /// larger one may have one filter that counts less, and two scores of half the threshold do.
    fn least(&self, threshold: u8) -> u32 {
        let threshold = u32::from(threshold.clamp(1, 100));
        if self.base == Base::Larger { threshold } else { 2 * threshold }
    }

    /// The cut-off is 0.3 of the ones and 0.7 of the bits by chance, which grow with the elements.
    fn needed(&self, a: Weight, b: Weight, least: u32) -> u32 {
        let most = a.ones.min(b.ones);
        let cut = mrsh_v2::cutoff(a.elements, b.elements, most);
        above(cut, most, least).max(1)
    }

    fn filters(&self, a: (&Bits, Weight), b: (&Bits, Weight), common: u32) -> f64 {
        f64::from(mrsh_v2::filter_score(a.1.elements, b.1.elements, a.1.ones.min(b.1.ones), common))
    }

    fn digests(&self, sum: f64, sought: u32, target: u32) -> u8 {
        let divisor = if self.base == Base::Larger { target } else { sought };
        (sum as u64 / u64::from(divisor)) as u8
    }
}
