//! The line t = a + b·x through the times of a program.

use serde::{Deserialize, Serialize};

/// One measurement: x the size of the message in MiB, y the time in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Size in MiB.
    pub x: f64,
    /// Time in milliseconds.
    pub y: f64,
}

/// y = a + b·x.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line {
    /// Milliseconds that every message costs at any size.
    pub a: f64,
    /// Milliseconds per MiB.
    pub b: f64,
}

impl Line {
    /// The time in milliseconds that the line gives for `x` MiB.
    pub fn at(self, x: f64) -> f64 {
        self.a + self.b * x
    }
}

/// Ordinary least squares, by the equations of the study:
/// a = (Σy·Σx² − Σx·Σxy) / (n·Σx² − (Σx)²), b = (n·Σxy − Σx·Σy) / (n·Σx² − (Σx)²).
///
/// Every millisecond of error weighs the same, so the largest messages rule, and `a` is mostly
/// their noise: that is how the study came to a negative cost per message. None for points that
/// share one x.
pub fn least_squares(points: &[Point]) -> Option<Line> {
    solve(points, |_| 1.0)
}

/// Least squares weighted by 1/x²: errors in proportion to the size weigh the same, which is how
/// times behave. The line to believe. None when a point has no positive x, or when all share one.
pub fn weighted(points: &[Point]) -> Option<Line> {
    if points.iter().any(|p| p.x <= 0.0) { None } else { solve(points, |x| 1.0 / (x * x)) }
}

fn solve(points: &[Point], weight: impl Fn(f64) -> f64) -> Option<Line> {
    let (mut w, mut x, mut y, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for p in points {
        let v = weight(p.x);
        w += v;
        x += v * p.x;
        y += v * p.y;
        xx += v * p.x * p.x;
        xy += v * p.x * p.y;
    }
    let determinant = w * xx - x * x;
    // A determinant that is rounding only: all points share one x.
    if !determinant.is_finite() || determinant <= 1e-12 * w * xx {
        return None;
    }
    Some(Line { a: (y * xx - x * xy) / determinant, b: (w * xy - x * y) / determinant })
}

/// R², the part of the variance of y that `line` explains: 1 when every point is on it, 0 when it
/// does no better than the mean of y. Points that share one y are all explained by a line through
/// them.
pub fn explained(points: &[Point], line: Line) -> f64 {
    let mean = super::mean(&points.iter().map(|p| p.y).collect::<Vec<_>>());
    let sum = |of: &dyn Fn(&Point) -> f64| points.iter().map(|p| of(p).powi(2)).sum::<f64>();
    let (total, left) = (sum(&|p| p.y - mean), sum(&|p| p.y - line.at(p.x)));
    if total > 0.0 {
        1.0 - left / total
    } else if left > 0.0 {
        0.0
    } else {
        1.0
    }
}

/// The line through the median slope of all pairs of points (Theil, 1950; Sen, 1968): up to 29 % of
/// wild points do not move it. A check on the others. None when all points share one x.
pub fn theil_sen(points: &[Point]) -> Option<Line> {
    let mut slopes = Vec::new();
    for (i, p) in points.iter().enumerate() {
        slopes.extend(points[..i].iter().filter(|q| q.x != p.x).map(|q| (p.y - q.y) / (p.x - q.x)));
    }
    if slopes.is_empty() {
        return None;
    }
    let b = super::median(&slopes);
    let rests: Vec<f64> = points.iter().map(|p| p.y - b * p.x).collect();
    Some(Line { a: super::median(&rests), b })
}

/// The c of y = a + b·x + c·x², weighted by 1/x², times the largest x over b: which part of the
/// cost per MiB is added (or, negative, saved) between the smallest and the largest message. A
/// program that is truly linear gives 0. None for fewer than three different x, or when a point has
/// no positive x.
pub fn curvature(points: &[Point]) -> Option<f64> {
    let scale = points.iter().map(|p| p.x).fold(0.0, f64::max);
    if points.iter().any(|p| p.x <= 0.0) {
        return None;
    }
    // Normal equations of the three unknowns, with x scaled to at most 1 so that they stay well
    // conditioned.
    let mut m = [[0.0f64; 4]; 3];
    for p in points {
        let x = p.x / scale;
        let row = [1.0, x, x * x];
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += row[i] * row[j] / (x * x);
            }
            m[i][3] += row[i] * p.y / (x * x);
        }
    }
    let size = m[0][0];
    for i in 0..3 {
        let pivot = (i..3).max_by(|&r, &s| m[r][i].abs().total_cmp(&m[s][i].abs()))?;
        m.swap(i, pivot);
        if m[i][i].abs() <= 1e-10 * size {
            return None;
        }
        let row = m[i];
        for (_, other) in m.iter_mut().enumerate().filter(|(r, _)| *r != i) {
            let factor = other[i] / row[i];
            for (cell, value) in other.iter_mut().zip(row) {
                *cell -= factor * value;
            }
        }
    }
    Some((m[2][3] / m[2][2]) / (m[1][3] / m[1][1]))
}
