//! A line of the forecast: one program, one algorithm.

use super::measure::Measurements;
use super::model::{Cost, ExpectedValue, Load, Run, busy};
use crate::message::Method;
use crate::study::{Program, RowResult, StudyResult, Time, published};
use serde::Serialize;

/// The forecast of one program and algorithm; all times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Line {
    /// The program.
    pub who: String,
    /// The algorithm.
    pub algorithm: String,
    /// Processors' time, files in the page cache: the sum over all threads.
    pub cpu_warm: ExpectedValue,
    /// Processors' time with files that come from the device.
    pub cpu_cold: Option<ExpectedValue>,
    /// Time of reading from the device.
    pub device: Option<ExpectedValue>,
    /// Time that passes, files in the page cache.
    pub takes_warm: Option<ExpectedValue>,
    /// Time that passes, files on the device: the longer of reading and hashing where both go on at
    /// the same time, their sum where not.
    pub takes_cold: Option<ExpectedValue>,
    /// The fit behind `cpu_warm`.
    pub fit: Option<LineFit>,
    /// The study's own way to scale up, t(1024 MiB) × bytes / 2^30, for its programs.
    pub scaled_as_in_the_study: Option<f64>,
    /// The study's printed time of this program, if the case is its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
}

/// A fit: seconds = start + table + files × per file + bytes × per byte.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LineFit {
    /// Seconds of every run.
    pub start: f64,
    /// Seconds until the table has been filled once.
    pub table: f64,
    /// Seconds per file.
    pub per_file: f64,
    /// Seconds per byte.
    pub per_byte: f64,
    /// The part of the runs' variance that the fit explains.
    pub r2: f64,
    /// Standard deviation of a run from the fit, relative.
    pub spread: f64,
    /// Runs that were measured.
    pub runs: usize,
}

/// The costs that all lines share.
pub(super) struct Costs {
    /// CPU seconds of filling the table, at most.
    table: f64,
    /// Seconds of reading from the device.
    device: Option<Cost>,
    /// CPU seconds of reading with files on the device, and with files in the page cache.
    reading: Option<(Cost, Cost)>,
}

impl Costs {
    pub(super) fn of(measured: &Measurements) -> Costs {
        let Some(device) = &measured.device else {
            return Costs { table: measured.table, device: None, reading: None };
        };
        let mut cost = Cost::fit(&device.cold, |run| run.wall, measured.table, 21);
        if let Some(rates) = &device.rates {
            // Without cold runs there is only the cost per byte.
            cost = Some(cost.unwrap_or_else(Cost::free).at_rates(rates, 22));
        }
        let cpu = |runs: &[Run], seed| Cost::fit(runs, |run| run.cpu, measured.table, seed);
        Costs { table: measured.table, device: cost, reading: cpu(&device.cold, 23).zip(cpu(&device.warm, 24)) }
    }
}

impl Costs {
    /// With that many seconds a byte from the device, in place of the measured rate.
    pub(super) fn at_rate(&mut self, seconds: f64) {
        self.device = Some(self.device.take().unwrap_or_else(Cost::free).at_rates(&[seconds], 22));
    }
}

/// pfh with one of its algorithms. `None` when there are no runs of it.
pub(super) fn of_pfh(algorithm: &str, runs: &[Run], costs: &Costs, load: &Load) -> Option<Line> {
    let cost = Cost::fit(runs, |run| run.cpu, costs.table, 11)?;
    let (warm, warm_draws) = (cost.seconds(load), cost.drawn(load));
    // The device's driver and the page cache take the same time besides for every algorithm.
    let more = costs.reading.as_ref().map(|(cold, warm)| {
        let draws: Vec<f64> =
            cold.drawn(load).iter().zip(warm.drawn(load)).map(|(cold, warm)| (cold - warm).max(0.0)).collect();
        ((cold.seconds(load) - warm.seconds(load)).max(0.0), draws)
    });
    let cold = more.map(|(more, draws)| {
        (warm + more, warm_draws.iter().zip(draws).map(|(cpu, more)| cpu + more).collect::<Vec<f64>>())
    });
    let (processors, processors_draws) = busy(runs, 12);
    let pass = |draws: &[f64]| draws.iter().zip(&processors_draws).map(|(cpu, busy)| cpu / busy).collect::<Vec<f64>>();
    let device = costs.device.as_ref().map(|cost| (cost.seconds(load), cost.drawn(load)));
    let takes_cold = device.as_ref().map(|(reading, reading_draws)| {
        // Reading and hashing go on at the same time.
        let (cpu, cpu_draws) = cold.as_ref().map_or((warm, &warm_draws), |(cpu, draws)| (*cpu, draws));
        let draws: Vec<f64> =
            pass(cpu_draws).iter().zip(reading_draws).map(|(cpu, reading)| cpu.max(*reading)).collect();
        ExpectedValue::of((cpu / processors).max(*reading), &draws)
    });
    let [start, table, per_file, per_byte] = cost.at;
    Some(Line {
        who: "pfh".to_owned(),
        algorithm: algorithm.to_owned(),
        cpu_warm: ExpectedValue::of(warm, &warm_draws),
        cpu_cold: cold.as_ref().map(|(cpu, draws)| ExpectedValue::of(*cpu, draws)),
        device: device.map(|(seconds, draws)| ExpectedValue::of(seconds, &draws)),
        takes_warm: Some(ExpectedValue::of(warm / processors, &pass(&warm_draws))),
        takes_cold,
        fit: Some(LineFit { start, table, per_file, per_byte, r2: cost.r2, spread: cost.spread, runs: runs.len() }),
        scaled_as_in_the_study: None,
        printed: None,
    })
}

/// A program of a finished study: it reads a file, and then hashes it, on one thread.
pub(super) fn of_program(
    study: &StudyResult,
    row: &RowResult,
    method: Method,
    costs: &Costs,
    load: &Load,
) -> Option<Line> {
    let estimate = study.estimate(&row.name, method, Time::Wall)?;
    let seconds = |line: &crate::statistics::Line, (files, bytes): (f64, f64)| {
        line.a.max(0.0) / 1e3 * files + line.b / 1e3 / f64::from(1 << 20) * bytes
    };
    let computing = seconds(&estimate.line, load.at);
    let draws: Vec<f64> = estimate.draws.iter().zip(&load.draws).map(|(line, load)| seconds(line, *load)).collect();
    let device = costs.device.as_ref().map(|cost| (cost.seconds(load), cost.drawn(load)));
    let cpu = ExpectedValue::of(computing, &draws);
    Some(Line {
        who: row.label.clone(),
        algorithm: method.name().to_owned(),
        cpu_warm: cpu,
        cpu_cold: None,
        device: device.as_ref().map(|(seconds, draws)| ExpectedValue::of(*seconds, draws)),
        takes_warm: Some(cpu),
        takes_cold: device.map(|(reading, readings)| {
            ExpectedValue::of(
                computing + reading,
                &draws.iter().zip(readings).map(|(c, r)| c + r).collect::<Vec<f64>>(),
            )
        }),
        fit: None,
        scaled_as_in_the_study: Some(estimate.line.at(1024.0) / 1e3 * load.at.1 / GIGABYTE),
        printed: None,
    })
}

/// The study's GB: 1024 of its MB, which are 2^20 bytes.
const GIGABYTE: f64 = (1 << 30) as f64;

/// The times of the study's own programs, scaled up as its Table 15 does: the mean time of 1024 MB
/// for each gigabyte, computing only.
pub(super) fn of_2014(name: &str, bytes: u64) -> Vec<Line> {
    let expect = |program: Program| {
        let seconds = program.seconds(bytes as f64 / GIGABYTE);
        let expected = ExpectedValue { seconds, low: seconds, high: seconds };
        Line {
            who: program.label(),
            algorithm: name.to_owned(),
            cpu_warm: expected,
            cpu_cold: None,
            device: None,
            takes_warm: Some(expected),
            takes_cold: None,
            fit: None,
            scaled_as_in_the_study: Some(seconds),
            printed: (bytes == 722 << 30).then(|| printed_seconds(&program)),
        }
    };
    published().into_iter().filter(|program| program.method.name() == name).map(expect).collect()
}

/// As Table 15 prints them.
pub(super) fn printed_seconds(program: &Program) -> String {
    format!("{} s{}", program.case.0, if program.case.1 { "*" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs without noise of a cost per file and per byte.
    fn runs(a: f64, b: f64, wall: f64) -> Vec<Run> {
        let points = [(1, 64), (3000, 192_000), (2000, 1 << 29), (4000, 1 << 30)];
        let run = |(files, bytes): (u64, u64)| {
            let cpu = files as f64 * a + bytes as f64 * b;
            Run { files, bytes, cpu, wall: cpu * wall }
        };
        points.into_iter().chain(points).map(run).collect()
    }

    fn costs(device: (f64, f64)) -> Costs {
        let cost = Cost::fit(&runs(device.0, device.1, 1.0), |run| run.wall, 0.1, 1);
        Costs { table: 0.1, device: cost, reading: None }
    }

    #[test]
    fn the_longer_of_two_for_pfh() {
        let load = Load::certain(500_000, 722_000_000_000);
        // Two processors busy: 727 s of them take 364 s.
        let line = of_pfh("md5", &runs(1e-5, 1e-9, 0.5), &costs((1e-4, 5e-10)), &load).unwrap();
        let near = |expected: Option<ExpectedValue>, seconds: f64| {
            let found = expected.unwrap();
            assert!((found.seconds - seconds).abs() < 0.5 && found.low <= found.seconds, "{found:?} {seconds}");
        };
        near(Some(line.cpu_warm), 727.0);
        near(line.takes_warm, 363.5);
        near(line.device, 411.0);
        near(line.takes_cold, 411.0);
        let line = of_pfh("md5", &runs(1e-5, 1e-9, 1.0), &costs((1e-4, 5e-10)), &load).unwrap();
        near(line.takes_cold, 727.0);
        assert!(of_pfh("md5", &[], &costs((1.0, 1.0)), &load).is_none());
    }

    #[test]
    fn what_cold_reading_costs_comes_on_top() {
        let load = Load::certain(1000, 10_000_000_000);
        let cost = |a, b| Cost::fit(&runs(a, b, 1.0), |run| run.cpu, 0.1, 1).unwrap();
        let costs = Costs { table: 0.1, device: None, reading: Some((cost(3e-5, 4e-10), cost(1e-5, 1e-10))) };
        let line = of_pfh("md5", &runs(1e-5, 1e-9, 1.0), &costs, &load).unwrap();
        let more = line.cpu_cold.unwrap().seconds - line.cpu_warm.seconds;
        assert!((more - (0.02 + 3.0)).abs() < 0.01, "{more}");
        assert!(line.device.is_none() && line.takes_cold.is_none());
    }

    #[test]
    fn the_studys_case_scales_as_it_does() {
        let lines = of_2014("md5", 722 << 30);
        let c = lines.iter().find(|line| line.who == "C, OpenSSL (Linux, 2014)").unwrap();
        // 2.82 s for 1024 MB, times 722; printed: 2036.
        assert!((c.cpu_warm.seconds - 2036.04).abs() < 0.01 && c.printed.as_deref() == Some("2036 s"), "{c:?}");
        assert!(of_2014("blake3", 1).is_empty());
    }
}
