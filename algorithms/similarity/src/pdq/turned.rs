//! Pictures that are turned or mirrored, by their digests.
//!
//! A mirrored picture has the same coefficients with the sign of every second frequency changed,
//! and one that is mirrored at its diagonal has them transposed. A digest says which coefficients
//! lie above the median, which is close to 0: a changed sign changes the bit, but for coefficients
//! between the median and 0.

use super::digest::Digest;
use crate::pictures::Bits;

/// One of the eight ways to lay a picture: bit 0 mirrors left and right, bit 1 top and bottom, bit
/// 2 mirrors at the diagonal afterwards. 0 leaves it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Orientation(u8);

impl Orientation {
    /// All eight, the picture as it is first.
    pub const ALL: [Orientation; 8] = {
        let mut all = [Orientation(0); 8];
        let mut at = 0;
        while at < 8 {
            all[at] = Orientation(at as u8);
            at += 1;
        }
        all
    };

    /// Whether it mirrors left and right, top and bottom, and at the diagonal afterwards.
    pub(crate) const fn parts(self) -> [bool; 3] {
        [self.0 & 1 != 0, self.0 & 2 != 0, self.0 & 4 != 0]
    }

    /// The digest that a picture has in this orientation, but for some bits.
    pub fn of(self, digest: &Digest) -> Digest {
        // A word has four rows of 16 bits: a row for a vertical frequency, a bit for a horizontal
        // one. The frequencies begin at 1, so that those in even places change their sign.
        let columns = if self.0 & 1 != 0 { 0x5555_5555_5555_5555 } else { 0 };
        let rows = if self.0 & 2 != 0 { 0x0000_ffff_0000_ffff } else { 0 };
        let mirrored = Bits(digest.0.map(|word| word ^ columns ^ rows));
        if self.0 & 4 != 0 { transposed(&mirrored) } else { mirrored }
    }
}

fn transposed(digest: &Digest) -> Digest {
    let is_set = |row: usize, column: usize| digest.0[row / 4] >> (row % 4 * 16 + column) & 1 != 0;
    let mut words = [0; 4];
    for row in 0..16 {
        for column in (0..16).filter(|&column| is_set(column, row)) {
            words[row / 4] |= 1 << (row % 4 * 16 + column);
        }
    }
    Bits(words)
}

/// The least distance of a digest from another one in any orientation, and the first orientation of
/// the second that has it.
pub fn nearest(a: &Digest, b: &Digest) -> (u32, Orientation) {
    let distances = Orientation::ALL.map(|orientation| (a.distance(&orientation.of(b)), orientation));
    distances.into_iter().min().expect("there are eight")
}
