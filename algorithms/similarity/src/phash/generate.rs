//! Generation.

use super::digest::Digest;
use crate::pictures::{Axis, Bits, LEAST_QUALITY, PictureBytes, Square, decode};
use crate::{Hasher, NoDigest};
use std::f64::consts::PI;

/// Pixels in each direction.
const SIDE: usize = 32;
/// Frequencies in each direction.
const FREQUENCIES: usize = 8;

/// Lanczos' function with three lobes.
fn lanczos(x: f64) -> f64 {
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
    if x.abs() < 3.0 { sinc(x) * sinc(x / 3.0) } else { 0.0 }
}

/// The weights of the pixels of a side of `count` pixels in each of its 32 pixels.
fn axes(count: usize) -> Vec<Axis> {
    let scale = count as f64 / SIDE as f64;
    let stretch = scale.max(1.0);
    let axis = |pixel: usize| {
        let centre = (pixel as f64 + 0.5) * scale;
        // Towards zero; fits, as the sides do.
        let start = (centre - 3.0 * stretch + 0.5).max(0.0) as usize;
        let end = ((centre + 3.0 * stretch + 0.5) as usize).min(count);
        let mut weights: Vec<f64> =
            (start..end).map(|place| lanczos((place as f64 - centre + 0.5) / stretch)).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        Axis::new(start, &weights)
    };
    (0..SIDE).map(axis).collect()
}

/// A picture of 32 by 32 pixels.
#[derive(Clone, Debug)]
pub struct ScaledPicture(Square<SIDE, 0>);

impl ScaledPicture {
    /// Of a file.
    ///
    /// # Errors
    /// See [`decode`].
    pub fn of(bytes: &[u8]) -> Result<ScaledPicture, NoDigest> {
        Square::by(axes, |rows| decode(bytes, rows)).map(ScaledPicture)
    }

    /// Of rows of luma, from the top; all are of one length, which is not 0.
    ///
    /// # Panics
    /// If there are none.
    pub fn of_luma(rows: &[Vec<u8>]) -> ScaledPicture {
        ScaledPicture(Square::of_luma(axes, rows))
    }

    /// Its luma, from 0 to 255, by rows.
    pub fn luma(&self) -> Vec<Vec<f64>> {
        self.0.luma()
    }

    /// How much neighbouring pixels differ, from 0 to 100: PDQ's measure, where half as many steps
    /// are about twice as high.
    pub fn quality(&self) -> u32 {
        self.0.quality(45)
    }

    /// The coefficients of the lowest frequencies, vertical ones first; not scaled.
    pub fn coefficients(&self) -> [[i128; FREQUENCIES]; FREQUENCIES] {
        self.0.coefficients(0)
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
        let middle = sorted.len() / 2;
        let twice_median = sorted[middle - 1] + sorted[middle];
        // The first bit is the highest one.
        let mut bits: Vec<bool> = coefficients.iter().flatten().map(|value| 2 * value > twice_median).collect();
        bits.reverse();
        Ok(Bits::from_lowest(bits.into_iter()))
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
        Square::by(axes, |rows| self.0.decode(rows)).map(ScaledPicture)?.digest()
    }
}
