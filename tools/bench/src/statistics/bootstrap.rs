//! How far a fitted line can be trusted, by drawing the measurements again (Efron's bootstrap,
//! percentile intervals).

use super::{Line, Point, curvature, least_squares, mean, median, quantile, theil_sen, weighted};
use crate::random::Random;
use serde::{Deserialize, Serialize};

/// All times of one program and algorithm on messages of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeTimes {
    /// Size of the message in MiB.
    pub x: f64,
    /// For each process its repeats in milliseconds; none of them empty.
    pub processes: Vec<Vec<f64>>,
}

/// The middle 95 % of the values of a figure when the measurements were drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interval {
    /// 2.5 % lie below.
    pub low: f64,
    /// 2.5 % lie above.
    pub high: f64,
}

impl Interval {
    /// The interval of a figure's draws.
    pub fn of(draws: &[f64]) -> Self {
        Interval { low: quantile(draws, 0.025), high: quantile(draws, 0.975) }
    }
}

/// The cost of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Least squares over the means per size: the study's line.
    pub study: Line,
    /// Least squares weighted by 1/x² over the medians of the processes: the line to believe.
    pub line: Line,
    /// The line through the median slope: a check on the other two.
    pub robust: Line,
    /// Interval of the weighted line's `a`, in milliseconds.
    pub a: Interval,
    /// Interval of the weighted line's `b`, in milliseconds per MiB.
    pub b: Interval,
    /// [`curvature`] of the medians, with its interval; none for fewer than three sizes.
    pub bend: Option<(f64, Interval)>,
    /// The weighted line of every draw.
    pub draws: Vec<Line>,
}

impl Estimate {
    /// Whether the times are not on a line: the interval of the curvature leaves out 0, and the
    /// bend changes the cost per MiB by more than 2 %. Then a forecast from the line is wrong by
    /// about that part.
    pub fn bent(&self) -> bool {
        self.bend.is_some_and(|(bend, at)| (at.low > 0.0 || at.high < 0.0) && bend.abs() > 0.02)
    }

    /// Interval of the line's time at `x` MiB.
    pub fn band(&self, x: f64) -> Interval {
        Interval::of(&self.draws.iter().map(|line| line.at(x)).collect::<Vec<_>>())
    }
}

/// Fits the lines, and draws the measurements `draws` times again: for every size the processes
/// with replacement, and in each process its repeats with replacement. The process is the
/// independent unit: repeats within one share its memory layout, its compiled code and its place on
/// the machine. With fewer than five processes the intervals are too narrow.
///
/// None when there are fewer than two sizes, or a size is not positive, or has no process.
pub fn fit_with_intervals(cells: &[SizeTimes], draws: usize, seed: u64) -> Option<Estimate> {
    if cells.iter().any(|cell| cell.processes.is_empty() || cell.processes.iter().any(Vec::is_empty)) {
        return None;
    }
    let all = |cell: &SizeTimes| mean(&cell.processes.concat());
    let means: Vec<Point> = cells.iter().map(|cell| Point { x: cell.x, y: all(cell) }).collect();
    let medians: Vec<Point> =
        cells.iter().flat_map(|cell| cell.processes.iter().map(|p| Point { x: cell.x, y: median(p) })).collect();

    let mut random = Random::new(seed);
    let mut lines = Vec::with_capacity(draws);
    let mut bends = Vec::with_capacity(draws);
    for _ in 0..draws {
        let mut points = Vec::with_capacity(medians.len());
        for cell in cells {
            for _ in 0..cell.processes.len() {
                let process = &cell.processes[random.below(cell.processes.len())];
                points.push(Point { x: cell.x, y: median(&random.resample(process)) });
            }
        }
        lines.push(weighted(&points)?);
        bends.extend(curvature(&points));
    }
    let of = |part: fn(&Line) -> f64| Interval::of(&lines.iter().map(part).collect::<Vec<_>>());
    Some(Estimate {
        study: least_squares(&means)?,
        line: weighted(&medians)?,
        robust: theil_sen(&medians)?,
        a: of(|line| line.a),
        b: of(|line| line.b),
        bend: curvature(&medians).map(|bend| (bend, Interval::of(&bends))),
        draws: lines,
    })
}
