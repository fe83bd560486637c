//! Pictures, slowly: every step of the descriptions over the whole picture, in floating point.

use std::f64::consts::PI;

/// Rows of luma.
pub type Picture = Vec<Vec<f64>>;

fn turned(rows: &Picture) -> Picture {
    (0..rows[0].len()).map(|x| rows.iter().map(|row| row[x]).collect()).collect()
}

/// The moving average of each row, over a window of `length` places; the larger half is on the
/// right.
fn averaged(rows: &Picture, length: usize) -> Picture {
    let ahead = (length + 2) / 2 - 1;
    let behind = length - 1 - ahead;
    let mean = |row: &Vec<f64>, x: usize| {
        let part = &row[x.saturating_sub(behind)..(x + ahead + 1).min(row.len())];
        part.iter().sum::<f64>() / part.len() as f64
    };
    rows.iter().map(|row| (0..row.len()).map(|x| mean(row, x)).collect()).collect()
}

/// PDQ's 64 by 64 points.
pub fn sampled(luma: &Picture) -> Picture {
    let (height, width) = (luma.len(), luma[0].len());
    let mut rows = luma.clone();
    for _ in 0..2 {
        rows = averaged(&rows, width.div_ceil(128));
        rows = turned(&averaged(&turned(&rows), height.div_ceil(128)));
    }
    let place = |point: usize, side: usize| ((point as f64 + 0.5) * side as f64 / 64.0) as usize;
    (0..64).map(|y| (0..64).map(|x| rows[place(y, height)][place(x, width)]).collect()).collect()
}

/// Where a sum is this near to a half it may be rounded either way: weights have 22 bits behind the
/// point.
const NEAR: f64 = 1.0 / 256.0;

/// Each row as 32 pixels by Lanczos' function, rounded to whole numbers within 0 and 255. Pixels
/// are the lowest and the highest that they may be.
fn resized(rows: &[Picture; 2]) -> [Picture; 2] {
    let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
    let pixel = |[low, high]: [&Vec<f64>; 2], number: usize| {
        let scale = low.len() as f64 / 32.0;
        let stretch = scale.max(1.0);
        let centre = (number as f64 + 0.5) * scale;
        let (mut sums, mut weights) = ([0.0; 2], 0.0);
        for (place, (low, high)) in low.iter().zip(high).enumerate() {
            let x = (place as f64 + 0.5 - centre) / stretch;
            let weight = if x.abs() < 3.0 { sinc(x) * sinc(x / 3.0) } else { 0.0 };
            sums[0] += (weight * low).min(weight * high);
            sums[1] += (weight * low).max(weight * high);
            weights += weight;
        }
        [sums[0] / weights - NEAR, sums[1] / weights + NEAR].map(|sum| sum.round().clamp(0.0, 255.0))
    };
    let row = |y: usize, bound: usize| (0..32).map(|number| pixel([&rows[0][y], &rows[1][y]], number)[bound]).collect();
    [0, 1].map(|bound| (0..rows[0].len()).map(|y| row(y, bound)).collect())
}

/// pHash's 32 by 32 pixels: the lowest and the highest that they may be.
pub fn scaled(luma: &Picture) -> [Picture; 2] {
    let both = |picture: [Picture; 2]| picture.map(|bound| turned(&bound));
    both(resized(&both(resized(&[luma.clone(), luma.clone()]))))
}

/// The coefficients from number `first` on of the DCT-II, `count` in each direction, a row for each
/// vertical frequency.
pub fn coefficients(rows: &Picture, first: usize, count: usize) -> Picture {
    let side = rows.len() as f64;
    let cosine = |frequency: usize, place: usize| (PI * frequency as f64 * (place as f64 + 0.5) / side).cos();
    let coefficient = |k: usize, l: usize| {
        let mut sum = 0.0;
        for (y, row) in rows.iter().enumerate() {
            for (x, luma) in row.iter().enumerate() {
                sum += cosine(k, y) * cosine(l, x) * luma;
            }
        }
        sum
    };
    (first..first + count).map(|k| (first..first + count).map(|l| coefficient(k, l)).collect()).collect()
}
