//! Generation.

use super::digest::Digest;
use crate::pictures::{Axis, Bits, LEAST_QUALITY, PictureBytes, Square, decode};
use crate::{Hasher, NoDigest};

/// Points in each direction.
const SIDE: usize = 64;
/// Frequencies in each direction.
const FREQUENCIES: usize = 16;
/// Bits behind the point of the luma of a point.
const KEPT: u32 = 14;

/// The run of pixels over which the moving average at a place is taken. A window of an even length
/// has one more on the right; at the ends there are fewer.
fn window(place: usize, length: usize, count: usize) -> std::ops::Range<usize> {
    let ahead = (length + 2) / 2;
    (place + ahead).saturating_sub(length)..(place + ahead).min(count)
}

/// The weights of the pixels of a side of `count` pixels in each of its 64 points, by two moving
/// averages.
fn axes(count: usize) -> Vec<Axis> {
    let length = count.div_ceil(2 * SIDE);
    let axis = |point: usize| {
        let outer = window((2 * point + 1) * count / (2 * SIDE), length, count);
        let start = window(outer.start, length, count).start;
        // Differences of neighbouring weights first.
        let mut weights = vec![0.0; 2 * length + 1];
        for place in outer.clone() {
            let inner = window(place, length, count);
            let weight = 1.0 / (outer.len() * inner.len()) as f64;
            weights[inner.start - start] += weight;
            weights[inner.end - start] -= weight;
        }
        let mut sum = 0.0;
        for weight in &mut weights {
            sum += *weight;
            *weight = sum;
        }
        let end = window(outer.end - 1, length, count).end;
        Axis::new(start, &weights[..end - start])
    };
    (0..SIDE).map(axis).collect()
}

/// A picture at 64 by 64 points.
#[derive(Clone, Debug)]
pub struct SampledPicture(Square<SIDE, KEPT>);

impl SampledPicture {
    /// Of a file.
    ///
    /// # Errors
    /// See [`decode`].
    pub fn of(bytes: &[u8]) -> Result<SampledPicture, NoDigest> {
        Square::by(axes, |rows| decode(bytes, rows)).map(SampledPicture)
    }

    /// Of rows of luma, from the top; all are of one length, which is not 0.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_luma(rows: &[Vec<u8>]) -> SampledPicture {
        SampledPicture(Square::of_luma(axes, rows))
    }

    /// Its luma, from 0 to 255, by rows.
    pub fn luma(&self) -> Vec<Vec<f64>> {
        self.0.luma()
    }

    /// How much neighbouring points differ, from 0 to 100.
    pub fn quality(&self) -> u32 {
        self.0.quality(90)
    }

    /// The coefficients of the frequencies from 1 on, vertical ones first; not scaled.
    pub fn coefficients(&self) -> [[i128; FREQUENCIES]; FREQUENCIES] {
        self.0.coefficients(1)
    }

    /// The digest.
    ///
    /// # Errors
    /// [`NoDigest::LowEntropy`] where there is too little contrast.
    pub fn digest(&self) -> Result<Digest, NoDigest> {
        if self.quality() < LEAST_QUALITY {
            return Err(NoDigest::LowEntropy);
        }
        let coefficients = self.coefficients();
        let mut sorted: Vec<i128> = coefficients.iter().flatten().copied().collect();
        sorted.sort_unstable();
        let median = sorted[sorted.len() / 2 - 1];
        Ok(Bits::from_lowest(coefficients.iter().flatten().map(|coefficient| *coefficient > median)))
    }
}

/// One input on its way to a digest.
#[derive(Clone, Debug, Default)]
pub struct Generator(PictureBytes);

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self) -> Result<Digest, NoDigest> {
        Square::by(axes, |rows| self.0.decode(rows)).map(SampledPicture)?.digest()
    }
}
