//! A picture at many scales, in whole numbers: on every machine the same.

use crate::pictures::Rows;

/// The most pixels that are looked at: larger pictures are made smaller by a whole number.
const MOST: usize = 1 << 18;
/// The longest side then.
const LONGEST: usize = 2048;
/// Bits behind the point of a pixel.
pub const POINT: u32 = 8;
/// Scales of an octave; each octave has three more, so that every one has two neighbours.
pub const SCALES: usize = 3;
/// The least side of an octave, in pixels.
const LEAST_SIDE: usize = 24;
/// Bits behind the point of a weight.
const WEIGHT: u32 = 14;

/// Luma in rows, with [`POINT`] bits behind the point.
#[derive(Clone, Debug, Default)]
pub struct Plane {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<i32>,
}

impl Plane {
    pub fn at(&self, x: usize, y: usize) -> i32 {
        self.pixels[y * self.width + x]
    }

    /// Every second pixel of every second row.
    fn halved(&self) -> Plane {
        let rows = self.pixels.chunks_exact(self.width).step_by(2);
        let pixels = rows.flat_map(|row| row.iter().step_by(2).copied()).collect();
        Plane { width: self.width.div_ceil(2), height: self.height.div_ceil(2), pixels }
    }

    /// Blurred by a normal distribution of this deviation, in pixels. Beyond its edge a picture
    /// goes on with its last pixel.
    fn blurred(&self, deviation: f64) -> Plane {
        let half = kernel(deviation);
        let reach = half.len() - 1;
        let round = |sum: i32| (sum + (1 << (WEIGHT - 1))) >> WEIGHT;
        let mut across = vec![0; self.pixels.len()];
        let mut padded = vec![0; self.width + 2 * reach];
        for (row, out) in self.pixels.chunks_exact(self.width).zip(across.chunks_exact_mut(self.width)) {
            padded[..reach].fill(row[0]);
            padded[reach..reach + self.width].copy_from_slice(row);
            padded[reach + self.width..].fill(row[self.width - 1]);
            for (x, out) in out.iter_mut().enumerate() {
                let mut sum = padded[x + reach] * half[0];
                for (far, weight) in half.iter().enumerate().skip(1) {
                    sum += (padded[x + reach - far] + padded[x + reach + far]) * weight;
                }
                *out = round(sum);
            }
        }
        let row = |y: usize| &across[y * self.width..(y + 1) * self.width];
        let mut pixels = Vec::with_capacity(self.pixels.len());
        let mut sums = vec![0; self.width];
        for y in 0..self.height {
            sums.iter_mut().zip(row(y)).for_each(|(sum, pixel)| *sum = pixel * half[0]);
            for (far, weight) in half.iter().enumerate().skip(1) {
                let (above, below) = (row(y.saturating_sub(far)), row((y + far).min(self.height - 1)));
                for ((sum, above), below) in sums.iter_mut().zip(above).zip(below) {
                    *sum += (above + below) * weight;
                }
            }
            pixels.extend(sums.iter().map(|sum| round(*sum)));
        }
        Plane { width: self.width, height: self.height, pixels }
    }
}

/// The weights of the pixels 0, 1, 2 … away; with both sides they make 1.
fn kernel(deviation: f64) -> Vec<i32> {
    let reach = (3.0 * deviation).ceil() as i32;
    let height = |far: i32| (-f64::from(far * far) / (2.0 * deviation * deviation)).exp();
    let sum: f64 = (-reach..=reach).map(height).sum();
    let whole = f64::from(1 << WEIGHT);
    let mut half: Vec<i32> = (0..=reach).map(|far| (height(far) / sum * whole).round() as i32).collect();
    half[0] = (1 << WEIGHT) - 2 * half[1..].iter().sum::<i32>();
    half
}

/// Takes the rows of a picture, and makes it smaller meanwhile.
#[derive(Clone, Debug, Default)]
pub struct Reducer {
    factor: usize,
    plane: Plane,
    /// Rows of the picture that came.
    rows: usize,
}

impl Reducer {
    /// The picture, after all of its rows came.
    pub fn plane(mut self) -> Plane {
        let pixels = (self.factor * self.factor) as i32;
        self.plane.pixels.iter_mut().for_each(|sum| *sum = ((*sum << POINT) + pixels / 2) / pixels);
        self.plane
    }
}

impl Rows for Reducer {
    fn begin(&mut self, width: usize, height: usize) {
        let fits = |factor: &usize| {
            let [width, height] = [width, height].map(|side| side / factor);
            width.max(height) <= LONGEST && width * height <= MOST
        };
        self.factor = (1..).find(fits).unwrap_or(1);
        let [width, height] = [width, height].map(|side| side / self.factor);
        self.plane = Plane { width, height, pixels: vec![0; width * height] };
    }

    fn row(&mut self, luma: &[u8]) {
        let y = self.rows / self.factor;
        self.rows += 1;
        // The last rows and columns may be too few for a pixel.
        if y < self.plane.height {
            let line = &mut self.plane.pixels[y * self.plane.width..(y + 1) * self.plane.width];
            for (sum, pixels) in line.iter_mut().zip(luma.chunks_exact(self.factor)) {
                *sum += pixels.iter().map(|luma| i32::from(*luma)).sum::<i32>();
            }
        }
    }
}

/// A picture at scales that grow by the third root of two.
pub struct Octave {
    /// Blurred ever more.
    pub blurred: Vec<Plane>,
    /// The difference of each two neighbours.
    pub differences: Vec<Plane>,
}

/// The deviation at a scale of an octave, in its pixels.
pub fn deviation(scale: usize) -> f64 {
    1.6 * 2f64.powf(scale as f64 / SCALES as f64)
}

/// The octaves of a picture, each half as large as the one before.
pub fn octaves(plane: &Plane, mut take: impl FnMut(usize, &Octave)) {
    let start = (deviation(0).powi(2) - 0.25).sqrt();
    if plane.width.min(plane.height) < LEAST_SIDE {
        return;
    }
    let mut first = plane.blurred(start);
    for number in 0.. {
        let mut blurred = vec![first];
        for scale in 1..SCALES + 3 {
            let more = (deviation(scale).powi(2) - deviation(scale - 1).powi(2)).sqrt();
            blurred.push(blurred[scale - 1].blurred(more));
        }
        let differences = blurred.windows(2).map(|two| {
            let pixels = two[1].pixels.iter().zip(&two[0].pixels).map(|(b, a)| b - a).collect();
            Plane { pixels, ..two[0] }
        });
        let octave = Octave { differences: differences.collect(), blurred };
        take(number, &octave);
        first = octave.blurred[SCALES].halved();
        if first.width.min(first.height) < LEAST_SIDE {
            return;
        }
    }
}
