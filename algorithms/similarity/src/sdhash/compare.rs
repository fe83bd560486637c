//! The score of two digests.

use super::Digest;
use super::tables::CUTOFFS;
use pfh_kernel::similarity::bloom::{self, Bits};
use std::cmp::Ordering;

/// Elements without which a filter is not compared.
pub(crate) const LEAST_ELEMENTS: u32 = 16;

/// Filters compared at a time.
const BATCH: usize = 64;

/// The score, 0 to 100; none where the reference comes to a negative number, because nothing could
/// be compared.
///
/// The digest with fewer filters is looked for in the other one; on a tie the one with fewer
/// elements in its last filter, and then the one whose name comes first. `names` is the order of
/// the first name to the second's, as bytes, and [`Ordering::Equal`] where there are none: so it
/// can, rarely, change the score, as it does in the reference.
pub fn compare(a: &Digest, b: &Digest, names: Ordering) -> Option<u8> {
    let last = |digest: &Digest| digest.counts()[digest.filters() - 1];
    let order = a.filters().cmp(&b.filters()).then(last(a).cmp(&last(b))).then(names);
    let (reference, target) = if order == Ordering::Greater { (b, a) } else { (a, b) };
    directed(reference, target)
}

/// How much of the first digest is found in the second: the score, once it is decided which is
/// looked for in which.
pub(super) fn directed(reference: &Digest, target: &Digest) -> Option<u8> {
    let mut common = [0; BATCH];
    // The reference starts at −1 and overwrites the sum as long as it is negative.
    let mut sum = -1.0;
    let mut sparse = 0;
    for (i, bits) in reference.bits().iter().enumerate() {
        let elements = reference.counts()[i];
        let mut best = -1.0f64;
        if elements < LEAST_ELEMENTS {
            sparse += 1;
            best = 0.0;
        } else {
            for (at, others) in target.bits().chunks(BATCH).enumerate() {
                bloom::common(bits, others, &mut common);
                for (j, (other, &common)) in others.iter().zip(&common).enumerate() {
                    let place = at * BATCH + j;
                    let others_elements = target.counts()[place];
                    if others_elements < LEAST_ELEMENTS {
                        continue;
                    }
                    let most = reference.ones()[i].min(target.ones()[place]);
                    best = best.max(filter_score(bits, other, elements + others_elements, most, common));
                }
            }
        }
        sum = if sum < 0.0 { best } else { sum + best };
    }
    let count = reference.filters();
    let divisor = if count > 1 { count - sparse } else { count };
    let score = (100.0 * sum / divisor as f64).round();
    (divisor > 0 && score >= 0.0).then_some(score as u8)
}

/// Common bits up to which two filters with that many elements together, 32 at least, score
/// nothing.
pub(crate) fn cutoff(elements: u32) -> u32 {
    u32::from(CUTOFFS[(4096 / elements) as usize])
}

/// The score of two filters, 0 to 1, which hold `elements` together and share `common` bits; the
/// sparser has `most` bits.
#[inline]
pub(crate) fn filter_score(a: &Bits, b: &Bits, elements: u32, most: u32, common: u32) -> f64 {
    let cut = cutoff(elements);
    if common <= cut || estimated_away(a, b, cut) {
        return 0.0;
    }
    f64::from(common - cut) / (f64::from(most) - f64::from(cut))
}

/// The reference first estimates the common bits from an eighth, a quarter and half of the filters,
/// and gives up if that is far too few; now and then it errs.
fn estimated_away(a: &Bits, b: &Bits, cut: u32) -> bool {
    let part = |words: std::ops::Range<usize>| -> u32 {
        a.0[words.clone()].iter().zip(&b.0[words]).map(|(a, b)| (a & b).count_ones()).sum()
    };
    let eighth = part(0..4);
    let quarter = eighth + part(4..8);
    let half = quarter + part(8..16);
    8 * eighth + 48 < cut || 4 * quarter + 48 < cut || 2 * half + 48 < cut
}
