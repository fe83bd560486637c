//! The cost of runs, and of the next one: seconds = start + table × share + a × files + b × bytes.

use crate::random::Random;
use crate::statistics::{Interval, quantile};
use serde::{Deserialize, Serialize};

/// Draws of an interval.
pub const DRAWS: usize = 1000;
/// Seconds by which every run errs at any length: starting and ending a process, one tick of
/// another's work.
const JITTER: f64 = 0.01;
/// Runs of another hour differ from those of this one, by so much relative to each other beside the
/// noise: frequency, neighbours, where pages lie.
const DRIFT: f64 = 0.03;
/// Bytes after which the default table has been touched throughout: a quarter of the bytes read
/// waits in fresh pages, up to seven eighths of it.
const TABLE: f64 = (pfh::DEFAULT_MEMORY / 8 * 7 * 4) as f64;

/// The terms of a cost.
const TERMS: usize = 4;

/// One run that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Files that were hashed.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Seconds of all processors together.
    pub cpu: f64,
    /// Seconds that passed.
    pub wall: f64,
}

/// A value that is expected, and where 95 % of such values lie.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ExpectedValue {
    /// The value.
    pub seconds: f64,
    /// 2.5 % lie below.
    pub low: f64,
    /// 2.5 % lie above.
    pub high: f64,
}

impl ExpectedValue {
    /// From the value and draws of it.
    pub fn of(seconds: f64, draws: &[f64]) -> ExpectedValue {
        let Interval { low, high } = Interval::of(draws);
        ExpectedValue { seconds, low: low.min(seconds), high: high.max(seconds) }
    }
}

/// The number of files and bytes to be hashed, with draws of them where they are not certain.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Files, bytes.
    pub at: (f64, f64),
    /// The same for each draw.
    pub draws: Vec<(f64, f64)>,
}

impl Load {
    /// Of exactly known numbers.
    pub fn certain(files: u64, bytes: u64) -> Load {
        let at = (files as f64, bytes as f64);
        Load { at, draws: vec![at; DRAWS] }
    }

    /// The one follows from the other by a mean size that has the relative standard error `error`.
    pub fn by_mean(files: Option<u64>, bytes: Option<u64>, mean: f64, error: f64, seed: u64) -> Load {
        let mut random = Random::new(seed);
        let of = |mean: f64| match (files, bytes) {
            (Some(files), Some(bytes)) => (files as f64, bytes as f64),
            (None, Some(bytes)) => ((bytes as f64 / mean).max(1.0), bytes as f64),
            (files, None) => (files.unwrap_or(1) as f64, files.unwrap_or(1) as f64 * mean),
        };
        Load { at: of(mean), draws: (0..DRAWS).map(|_| of(mean * (error * random.normal()).exp())).collect() }
    }
}

/// Coefficients of the terms, none below 0.
type Terms = [f64; TERMS];

/// A cost that was fitted to runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Seconds: of the start, of filling the table, per file, per byte.
    pub at: Terms,
    /// Standard deviation of a run from the fit, relative.
    pub spread: f64,
    /// The part of the runs' variance that the fit explains.
    pub r2: f64,
    /// Whether the runs went beyond the table, so that its cost can be distinguished from that of
    /// the bytes. Where not, it is a part of those: too much for a large case, by the time that
    /// fresh pages cost.
    tables: bool,
    /// For each draw the coefficients, and the factor by which the run to come errs.
    draws: Vec<(Terms, f64)>,
}

fn terms(files: f64, bytes: f64, tables: bool) -> Terms {
    [1.0, if tables { (bytes / TABLE).min(1.0) } else { 0.0 }, files, bytes]
}

/// The median of the seconds of those rows that have these terms.
fn median_at(rows: &[(Terms, f64)], terms: &Terms) -> f64 {
    let seconds: Vec<f64> = rows.iter().filter(|row| row.0 == *terms).map(|row| row.1).collect();
    quantile(&seconds, 0.5)
}

fn product(coefficients: &Terms, terms: &Terms) -> f64 {
    coefficients.iter().zip(terms).map(|(c, t)| c * t).sum()
}

impl Cost {
    /// Fits non-negative coefficients to the medians of the seconds that `of` takes from the runs
    /// of each load, by least squares of relative errors. The draws hold the values that the noise
    /// of the runs leaves open of the coefficients, and the noise of the next run: their quantiles
    /// are a prediction interval. Filling the table costs `most` seconds at most: without that
    /// bound lanes that fill better in a larger sample pass for a cost of it, and a large case
    /// looks cheap. `None` without runs.
    pub fn fit(runs: &[Run], of: impl Fn(&Run) -> f64, most: f64, seed: u64) -> Option<Cost> {
        if runs.is_empty() {
            return None;
        }
        let tables = runs.iter().any(|run| run.bytes as f64 >= 1.5 * TABLE);
        let row = |run: &Run| (terms(run.files as f64, run.bytes as f64, tables), of(run));
        let rows: Vec<(Terms, f64)> = runs.iter().map(row).collect();
        // The case is to cost the typical time: another's work on the machine makes single runs
        // longer and none shorter.
        let typical: Vec<(Terms, f64)> = rows.iter().map(|(terms, _)| (*terms, median_at(&rows, terms))).collect();
        // First relative to the measured values, which pulls the fit below it; then relative to
        // that fit.
        let along = |at: &Terms| rows.iter().map(|(terms, _)| product(at, terms)).collect::<Vec<f64>>();
        let at = solve(&typical, Some(&along(&solve(&typical, None, most))), most);
        let fitted = along(&at);
        let error = |(fitted, (_, seconds)): (&f64, &(Terms, f64))| ((seconds - fitted) / (fitted + JITTER)).powi(2);
        let freedom = rows.len().saturating_sub(TERMS).max(1);
        let spread = (fitted.iter().zip(&rows).map(error).sum::<f64>() / freedom as f64).sqrt();
        let mean = rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64;
        let total: f64 = rows.iter().map(|row| (row.1 - mean).powi(2)).sum();
        let left: f64 = fitted.iter().zip(&rows).map(|(fitted, row)| (row.1 - fitted).powi(2)).sum();
        let r2 = if total > 0.0 { 1.0 - left / total } else { 1.0 };

        let mut random = Random::new(seed);
        // Every draw weighs the rows as the fit does, so that one factorization would do; 1,000
        // small ones take a few milliseconds.
        let draws = (0..DRAWS).map(|_| {
            // The possible spread, given that many degrees of freedom: this makes Student's t of
            // the normal noise.
            let chi: f64 = (0..freedom).map(|_| random.normal().powi(2)).sum();
            let spread = spread * (freedom as f64 / chi.max(1e-9)).sqrt();
            let noisy: Vec<(Terms, f64)> = rows
                .iter()
                .zip(&fitted)
                .map(|((terms, _), fitted)| {
                    (*terms, ((fitted + JITTER) * (spread * random.normal()).exp() - JITTER).max(0.0))
                })
                .collect();
            let coefficients = solve(&noisy, Some(&fitted), most);
            (coefficients, (spread.hypot(DRIFT) * random.normal()).exp())
        });
        Some(Cost { at, spread, r2, tables, draws: draws.collect() })
    }

    /// A cost of nothing.
    pub fn free() -> Cost {
        let at = [0.0; TERMS];
        Cost { at, spread: 0.0, r2: 1.0, tables: false, draws: vec![(at, 1.0); DRAWS] }
    }

    /// Seconds of a load.
    pub fn seconds(&self, load: &Load) -> f64 {
        product(&self.at, &terms(load.at.0, load.at.1, self.tables))
    }

    /// Seconds of every draw for a run to come.
    pub fn drawn(&self, load: &Load) -> Vec<f64> {
        let draws = self.draws.iter().zip(&load.draws);
        draws
            .map(|((at, factor), load)| {
                ((product(at, &terms(load.0, load.1, self.tables)) + JITTER) * factor - JITTER).max(0.0)
            })
            .collect()
    }

    /// Seconds of a run to come.
    pub fn expected(&self, load: &Load) -> ExpectedValue {
        ExpectedValue::of(self.seconds(load), &self.drawn(load))
    }

    /// The same with another cost per byte, from places whose rates are known.
    pub fn at_rates(&self, rates: &[f64], seed: u64) -> Cost {
        let mut random = Random::new(seed);
        let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
        let (mut at, mut draws) = (self.at, self.draws.clone());
        at[3] = mean(rates);
        draws.iter_mut().for_each(|(at, _)| at[3] = mean(&random.resample(rates)));
        Cost { at, draws, ..self.clone() }
    }
}

/// Least squares of relative errors with no coefficient below 0: the best of all subsets of terms
/// whose solution has none. With so few terms that is the exact non-negative solution. `weighed`:
/// the seconds that errors are relative to, the measured ones themselves where there are no others.
fn solve(rows: &[(Terms, f64)], weighed: Option<&[f64]>, most: f64) -> Terms {
    let weights: Vec<f64> = (0..rows.len()).map(|i| (weighed.map_or(rows[i].1, |w| w[i]) + JITTER).recip()).collect();
    let free = least(rows, &weights, u32::MAX);
    if free[1] <= most {
        return free;
    }
    // The sum of squares is convex: with a bound on one coefficient that the solution exceeds, the
    // best has it there.
    let rest: Vec<(Terms, f64)> = rows.iter().map(|(terms, seconds)| (*terms, seconds - most * terms[1])).collect();
    let mut found = least(&rest, &weights, !2);
    found[1] = most;
    found
}

/// The solution among the terms that `allowed` has bits for.
fn least(rows: &[(Terms, f64)], weights: &[f64], allowed: u32) -> Terms {
    // Columns are scaled to 1, lest bytes and files be worlds apart.
    let mut scale = [1e-300; TERMS];
    rows.iter().for_each(|(terms, _)| (0..TERMS).for_each(|t| scale[t] = f64::max(scale[t], terms[t])));
    let mut normal = [[0.0; TERMS + 1]; TERMS];
    let mut square = 0.0;
    for (i, (terms, seconds)) in rows.iter().enumerate() {
        let w = weights[i].powi(2);
        square += w * seconds * seconds;
        for r in 0..TERMS {
            (0..TERMS).for_each(|c| normal[r][c] += w * terms[r] * terms[c] / scale[r] / scale[c]);
            normal[r][TERMS] += w * terms[r] * seconds / scale[r];
        }
    }
    let mut best = (square, [0.0; TERMS]);
    for subset in (1..1u32 << TERMS).filter(|subset| subset & !allowed == 0) {
        let Some(found) = eliminate(normal, subset) else { continue };
        if found.iter().any(|&c| c < 0.0) {
            continue;
        }
        let gained: f64 = (0..TERMS).map(|t| found[t] * normal[t][TERMS]).sum();
        if square - gained < best.0 - 1e-12 * square {
            best = (square - gained, found);
        }
    }
    std::array::from_fn(|t| best.1[t] / scale[t])
}

/// Solves the normal equations for the terms of `subset`; `None` when they do not determine these.
fn eliminate(mut m: [[f64; TERMS + 1]; TERMS], subset: u32) -> Option<Terms> {
    let chosen: Vec<usize> = (0..TERMS).filter(|t| subset >> t & 1 == 1).collect();
    let size = chosen.iter().map(|&t| m[t][t]).fold(0.0, f64::max);
    for (step, &pivot) in chosen.iter().enumerate() {
        if m[pivot][pivot] <= 1e-11 * size {
            return None;
        }
        let row = m[pivot];
        for &other in chosen.iter().enumerate().filter(|(at, _)| *at != step).map(|(_, other)| other) {
            let factor = m[other][pivot] / row[pivot];
            (0..=TERMS).for_each(|c| m[other][c] -= factor * row[c]);
        }
    }
    Some(std::array::from_fn(|t| if chosen.contains(&t) { m[t][TERMS] / m[t][t] } else { 0.0 }))
}

/// The processors that runs kept busy: the median of CPU seconds over seconds, and one of them for
/// each draw.
pub fn busy(runs: &[Run], seed: u64) -> (f64, Vec<f64>) {
    let most = runs.iter().map(|run| run.bytes).max().unwrap_or(0);
    // Those of the whole sample: short runs are mostly their start.
    let rates: Vec<f64> = runs
        .iter()
        .filter(|run| run.bytes == most && run.wall > 0.0)
        .map(|run| (run.cpu / run.wall).max(0.01))
        .collect();
    if rates.is_empty() {
        return (1.0, vec![1.0; DRAWS]);
    }
    let mut random = Random::new(seed);
    (quantile(&rates, 0.5), (0..DRAWS).map(|_| rates[random.below(rates.len())]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GIB: u64 = 1 << 30;

    /// The points of a sample of 1 GiB in 4,000 files.
    const POINTS: [(u64, u64); 5] =
        [(1, 64), (3000, 192_000), (2000, GIB / 2), (2000, GIB / 2 + 30_000_000), (4000, GIB + 30_000_000)];

    fn run_of(truth: &Terms, files: u64, bytes: u64, noise: f64, random: &mut Random) -> Run {
        let cpu = product(truth, &terms(files as f64, bytes as f64, true)) * (noise * random.normal()).exp();
        Run { files, bytes, cpu, wall: cpu / 2.0 }
    }

    fn runs_of(truth: &Terms, rounds: usize, noise: f64, random: &mut Random) -> Vec<Run> {
        let points = || POINTS.iter().chain(&POINTS[4..]);
        (0..rounds).flat_map(|_| points().map(|p| run_of(truth, p.0, p.1, noise, random)).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn without_noise_the_truth_comes_back() {
        let truth = [0.004, 0.05, 20e-6, 0.4e-9];
        let cost = Cost::fit(&runs_of(&truth, 1, 0.0, &mut Random::new(1)), |run| run.cpu, 1.0, 1).unwrap();
        for (found, truth) in cost.at.iter().zip(truth) {
            assert!((found / truth - 1.0).abs() < 1e-6, "{:?}", cost.at);
        }
        assert!(cost.r2 > 0.999_999 && cost.spread < 1e-9);
        let case = cost.expected(&Load::certain(500_000, 722_000_000_000));
        assert!((case.seconds - (0.054 + 10.0 + 288.8)).abs() < 0.01, "{case:?}");
        assert!(case.low < case.seconds && case.high > case.seconds, "the run to come is not certain: {case:?}");
    }

    /// Lanes that fill better in the larger sample are not cost of the table: it has a bound, and
    /// the cost of a byte is about that in all samples.
    #[test]
    fn what_the_table_may_cost_is_bounded() {
        // As it was measured of SHA3-256, a third of whose bytes lie in long files: 2.5 ns a byte
        // in halves, 1.94 in the whole.
        let points = [
            (1, 64, 0.004),
            (3000, 192_000, 0.04),
            (9272, 370_204_397, 0.97),
            (9272, 395_467_404, 0.95),
            (18544, 765_671_801, 1.49),
        ];
        let runs = points.map(|(files, bytes, cpu)| Run { files, bytes, cpu, wall: cpu });
        let case =
            |most| Cost::fit(&runs, |run| run.cpu, most, 1).unwrap().seconds(&Load::certain(40_188, 1_600_017_458));
        // It took 3.4 to 3.9 s.
        assert!(case(1.0) < 2.6 && (3.1..3.9).contains(&case(0.05)), "{} {}", case(1.0), case(0.05));
        assert_eq!(Cost::fit(&runs, |run| run.cpu, 0.05, 1).unwrap().at[1], 0.05);
    }

    /// A sample that never fills the table says nothing of that cost: all of it is counted by the
    /// byte.
    #[test]
    fn a_small_sample_gives_a_cost_per_byte() {
        let runs: Vec<Run> = [(1, 64), (3000, 192_000), (400, GIB / 8), (800, GIB / 4)]
            .into_iter()
            .map(|(files, bytes)| Run {
                files,
                bytes,
                cpu: 0.004 + files as f64 * 2e-5 + bytes as f64 * 1e-9,
                wall: 1.0,
            })
            .collect();
        let cost = Cost::fit(&runs, |run| run.cpu, 1.0, 1).unwrap();
        let case = cost.seconds(&Load::certain(80_000, 100 * GIB));
        assert!((case / (1.604 + 107.374) - 1.0).abs() < 0.001, "{case} {:?}", cost.at);
    }

    /// The interval is one of the run to come: over many studies 95 % of such runs lie in it, and
    /// less than all.
    #[test]
    fn the_interval_covers_the_run_to_come() {
        for (noise, rounds) in [(0.02, 3), (0.05, 5), (0.15, 5)] {
            let mut covered = 0;
            const STUDIES: u64 = 300;
            for seed in 0..STUDIES {
                let mut random = Random::new(seed * 7919 + 1);
                let unit = |random: &mut Random| random.below(1000) as f64 / 1000.0;
                let truth = [
                    unit(&mut random) * 0.01,
                    unit(&mut random) * 0.1,
                    unit(&mut random) * 40e-6,
                    1e-10 + unit(&mut random) * 4e-9,
                ];
                let runs = runs_of(&truth, rounds, noise, &mut random);
                let cost = Cost::fit(&runs, |run| run.cpu, 1.0, seed).unwrap();
                let (files, bytes) = (12_000, 3 * GIB);
                // Another hour: the drift that the interval allows for is there.
                let later = (DRIFT * random.normal()).exp();
                let seen = run_of(&truth, files, bytes, noise, &mut random).cpu * later;
                let expected = cost.expected(&Load::certain(files, bytes));
                covered += u64::from(expected.low <= seen && seen <= expected.high);
            }
            // 95 % of 300 with a standard deviation of 1.3 %: five of them below, and never all.
            assert!((265..=STUDIES - 1).contains(&covered), "noise {noise}: {covered} of {STUDIES}");
        }
    }

    /// The uncertainty of the mean size is in the interval too.
    #[test]
    fn a_case_of_which_only_the_bytes_are_known_is_less_certain() {
        let truth = [0.004, 0.0, 50e-6, 0.1e-9];
        let cost = Cost::fit(&runs_of(&truth, 5, 0.01, &mut Random::new(3)), |run| run.cpu, 1.0, 1).unwrap();
        let width = |load: &Load| {
            let expected = cost.expected(load);
            (expected.high - expected.low) / expected.seconds
        };
        let known = width(&Load::certain(1_000_000, 100 * GIB));
        let open = width(&Load::by_mean(None, Some(100 * GIB), 107_374.0, 0.3, 1));
        assert!(open > known * 2.0, "{known} {open}");
        // Covered: trees drawn from a population whose mean was measured with that error.
        let mut covered = 0;
        for seed in 0..300u64 {
            let mut random = Random::new(seed);
            let load = Load::by_mean(None, Some(100 * GIB), 107_374.0 * (0.3 * random.normal()).exp(), 0.3, seed);
            let expected = cost.expected(&load);
            let seen = run_of(&truth, (100.0 * GIB as f64 / 107_374.0) as u64, 100 * GIB, 0.01, &mut random).cpu;
            covered += u64::from(expected.low <= seen && seen <= expected.high);
        }
        assert!((265..=299).contains(&covered), "{covered}");
    }

    #[test]
    fn processors_are_those_that_the_whole_sample_kept_busy() {
        let run = |bytes, cpu, wall| Run { files: 1, bytes, cpu, wall };
        let (at, draws) = busy(&[run(1, 1.0, 1.0), run(9, 3.0, 2.0), run(9, 4.0, 2.0), run(9, 5.0, 2.0)], 1);
        assert_eq!((at, draws.len()), (2.0, DRAWS));
        assert!(draws.iter().all(|d| [1.5, 2.0, 2.5].contains(d)));
        assert_eq!(busy(&[], 1).0, 1.0);
    }

    proptest! {
        #[test]
        fn no_cost_is_below_zero_and_no_fit_is_worse_than_none(
            seconds in proptest::collection::vec(1e-6..10.0f64, 5..30),
        ) {
            let runs: Vec<Run> = seconds.iter().enumerate().map(|(i, &cpu)| {
                let (files, bytes) = POINTS[i % POINTS.len()];
                Run { files, bytes, cpu, wall: cpu }
            }).collect();
            let cost = Cost::fit(&runs, |run| run.cpu, 1.0, 1).unwrap();
            prop_assert!(cost.at.iter().all(|&c| c >= 0.0 && c.is_finite()));
            let expected = cost.expected(&Load::certain(1000, GIB));
            prop_assert!(expected.low <= expected.seconds && expected.seconds <= expected.high && expected.low >= 0.0);
        }
    }
}
