//! The score of two digests.

use super::{Digest, MrshV2};
use pfh_kernel::similarity::bloom;

/// The number of filters by which the sum of their scores is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The filters of the smaller digest: how much of it the larger one holds.
    Smaller,
    /// The filters of the larger digest: the reference's `-f`.
    Larger,
}

/// The score, 0 to 100. Where both digests have the same number of filters the first counts as the
/// larger, and swapping them can change the score by a little: fix the order, for instance by path.
pub fn compare(method: &MrshV2, a: &Digest, b: &Digest, base: Base) -> u8 {
    let (small, big) = if b.filters() > a.filters() { (a, b) } else { (b, a) };
    let comparable = |digest: &Digest| digest.comparable(method);
    let divisor = comparable(if base == Base::Larger { big } else { small });
    if divisor == 0 {
        return 0;
    }
    let others = &big.bits()[..comparable(big)];
    let mut common = [0; 64];
    let mut sum = 0;
    for i in 0..comparable(small) {
        let mut best = 0;
        for (at, others) in others.chunks(common.len()).enumerate() {
            bloom::common(&small.bits()[i], others, &mut common);
            for (j, &common) in common[..others.len()].iter().enumerate() {
                let j = at * 64 + j;
                let most = small.ones()[i].min(big.ones()[j]);
                // The cut-off lies above 0.3 of the most possible, so most pairs need no more than
                // this.
                if 10 * common >= 3 * most {
                    best = best.max(filter_score(small.chunks(i), big.chunks(j), most, common));
                }
            }
        }
        sum += u64::from(best);
    }
    (sum / divisor as u64) as u8
}

/// The score of two filters with `x` and `y` chunks, `most` ones in the sparser and `common` ones
/// in both.
pub(crate) fn filter_score(x: u32, y: u32, most: u32, common: u32) -> u8 {
    let cutoff = cutoff(x, y, most);
    if common < cutoff || most < cutoff + 1 {
        0
    } else {
        (100.0 * f64::from(common - cutoff) / f64::from(most - cutoff)) as u8
    }
}

/// Common bits below which two filters with `x` and `y` chunks and `most` ones in the sparser score
/// nothing.
pub(crate) fn cutoff(x: u32, y: u32, most: u32) -> u32 {
    let least = f64::from(chance(x, y));
    (0.3 * (f64::from(most) - least) + least) as u32
}

/// Bits that two filters with `x` and `y` chunks share by chance.
pub(crate) fn chance(x: u32, y: u32) -> u32 {
    // The reference's rounding of 1 − 1/2048.
    const P: f64 = 0.999_511_72;
    // By squaring, so that the value does not depend on the platform's mathematics library.
    let power = |count: u32| {
        let (mut exponent, mut square, mut value) = (5 * count, P, 1.0);
        while exponent > 0 {
            if exponent & 1 == 1 {
                value *= square;
            }
            square *= square;
            exponent >>= 1;
        }
        value
    };
    (2048.0 * (1.0 - power(x) - power(y) + power(x + y))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_that_of_the_library_function() {
        for x in 0..=400u32 {
            for y in 0..=x {
                let power = |count: u32| 0.999_511_72f64.powf(f64::from(5 * count));
                assert_eq!(chance(x, y), (2048.0 * (1.0 - power(x) - power(y) + power(x + y))) as u32, "{x} {y}");
                assert_eq!(chance(x, y), chance(y, x));
            }
        }
    }
}
