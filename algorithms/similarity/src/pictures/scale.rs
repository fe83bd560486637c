//! A picture scaled down while its rows come, in whole numbers.

/// Bits behind the point of a weight.
const POINT: u32 = 22;

/// The pixels of a row or column that a place of the scaled picture is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    start: usize,
    weights: Vec<i32>,
}

impl Axis {
    /// Of weights for the pixels from `start` on; their sum is 1.
    pub fn new(start: usize, weights: &[f64]) -> Axis {
        let fixed = |weight: &f64| (weight * f64::from(1 << POINT)).round() as i32;
        Axis { start, weights: weights.iter().map(fixed).collect() }
    }

    #[inline]
    fn sum(&self, row: &[u8]) -> i32 {
        let row = &row[self.start.min(row.len())..];
        row.iter().zip(&self.weights).map(|(luma, weight)| i32::from(*luma) * weight).sum()
    }

    fn weight(&self, place: usize) -> Option<i64> {
        self.weights.get(place.checked_sub(self.start)?).copied().map(i64::from)
    }
}

/// Scales to `N` times `N` pixels with `KEPT` bits behind the point, across before down; both are
/// rounded, and within black and white.
#[derive(Clone, Debug)]
pub struct Scaler<const N: usize, const KEPT: u32> {
    axes: [Vec<Axis>; 2],
    sums: Box<[[i64; N]; N]>,
    row: usize,
}

impl<const N: usize, const KEPT: u32> Scaler<N, KEPT> {
    /// Of the axes of `N` places across and of `N` places down.
    pub fn new(across: Vec<Axis>, down: Vec<Axis>) -> Self {
        Scaler { axes: [across, down], sums: Box::new([[0; N]; N]), row: 0 }
    }

    /// Takes the next row of luma.
    pub fn row(&mut self, luma: &[u8]) {
        let [across, down] = &self.axes;
        let mut scaled = [0; N];
        for (scaled, axis) in scaled.iter_mut().zip(across) {
            *scaled = round::<KEPT>(axis.sum(luma).into(), POINT - KEPT);
        }
        for (sums, axis) in self.sums.iter_mut().zip(down) {
            if let Some(weight) = axis.weight(self.row) {
                sums.iter_mut().zip(&scaled).for_each(|(sum, scaled)| *sum += weight * scaled);
            }
        }
        self.row += 1;
    }

    /// The scaled picture.
    pub fn scaled(mut self) -> Box<[[i64; N]; N]> {
        self.sums.iter_mut().flatten().for_each(|sum| *sum = round::<KEPT>(*sum, POINT));
        self.sums
    }
}

/// Takes bits away, and clamps to the range from black to white.
fn round<const KEPT: u32>(sum: i64, bits: u32) -> i64 {
    ((sum + (1 << (bits - 1))) >> bits).clamp(0, 255 << KEPT)
}
