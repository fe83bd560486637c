//! A picture scaled to a square, as a method of pictures sees it.

use super::canvas::Rows;
use super::cosine::transform;
use super::scale::{Axis, Scaler};
use crate::NoDigest;

/// `N` times `N` pixels of luma with `KEPT` bits behind the point.
#[derive(Clone, Debug)]
pub struct Square<const N: usize, const KEPT: u32>(Box<[[i64; N]; N]>);

impl<const N: usize, const KEPT: u32> Square<N, KEPT> {
    /// Of the rows that `decode` hands on; `axes` has the pixels that each of the `N` places of a
    /// side is made of.
    pub fn by(
        axes: fn(usize) -> Vec<Axis>,
        decode: impl FnOnce(&mut dyn Rows) -> Result<(), NoDigest>,
    ) -> Result<Self, NoDigest> {
        let mut scaling = Scaling::<N, KEPT> { axes, scaler: None };
        decode(&mut scaling)?;
        scaling.scaler.map(|scaler| Square(scaler.scaled())).ok_or(NoDigest::Damaged)
    }

    /// Of rows of luma, from the top; all are of one length, which is not 0.
    pub fn of_luma(axes: fn(usize) -> Vec<Axis>, rows: &[Vec<u8>]) -> Self {
        let mut scaler = Scaler::<N, KEPT>::new(axes(rows[0].len()), axes(rows.len()));
        rows.iter().for_each(|row| scaler.row(row));
        Square(scaler.scaled())
    }

    /// Its luma, from 0 to 255, by rows.
    pub fn luma(&self) -> Vec<Vec<f64>> {
        let whole = |luma: &i64| *luma as f64 / f64::from(1u32 << KEPT);
        self.0.iter().map(|row| row.iter().map(whole).collect()).collect()
    }

    /// How much neighbouring pixels differ, from 0 to 100: the sum of all differences in percent,
    /// cut off each as PDQ's program does, for one in that many.
    pub fn quality(&self, one_in: u64) -> u32 {
        let percent = |a: i64, b: i64| ((a - b) * 100 / (255 << KEPT)).unsigned_abs();
        let across = self.0.iter().flat_map(|row| row.windows(2).map(|pair| percent(pair[0], pair[1])));
        let down = self.0.windows(2).flat_map(|rows| rows[0].iter().zip(&rows[1]).map(|(a, b)| percent(*a, *b)));
        // Fits: at most 100.
        (across.chain(down).sum::<u64>() / one_in).min(100) as u32
    }

    /// The coefficients of `M` frequencies from `first` on, vertical ones first; not scaled.
    pub fn coefficients<const M: usize>(&self, first: usize) -> [[i128; M]; M] {
        transform(&self.0, first)
    }
}

/// Scales a picture while its rows come.
struct Scaling<const N: usize, const KEPT: u32> {
    axes: fn(usize) -> Vec<Axis>,
    scaler: Option<Scaler<N, KEPT>>,
}

impl<const N: usize, const KEPT: u32> Rows for Scaling<N, KEPT> {
    fn begin(&mut self, width: usize, height: usize) {
        self.scaler = Some(Scaler::new((self.axes)(width), (self.axes)(height)));
    }

    fn row(&mut self, luma: &[u8]) {
        if let Some(scaler) = &mut self.scaler {
            scaler.row(luma);
        }
    }
}
