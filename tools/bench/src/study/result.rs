//! The result of a study.

use super::{Cell, Entry, Header, Plan, Row};
pub use crate::args::Time;
use crate::machine::Machine;
use crate::message::Method;
use crate::random::Random;
use crate::statistics::{Estimate, SizeTimes, fit_with_intervals, mean, median, relative_spread};
use serde::{Deserialize, Serialize};

/// How often measurements are drawn again.
const DRAWS: usize = 1000;

/// How disturbed the measurements of a cell were.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Noise {
    /// Relative spread of the processes' medians.
    pub spread: f64,
    /// Wall time over CPU time, less 1: the part that the process stood waiting for a processor.
    pub waited: f64,
    /// Part of the machine's time that the hypervisor gave to others.
    pub stolen: f64,
    /// First third of the repeats over the last third, less 1: a program that was still getting
    /// faster.
    pub drift: f64,
}

impl Noise {
    /// Faults of the cell, in words; empty for a quiet one.
    pub fn reasons(&self) -> Vec<String> {
        let percent = |part: f64| format!("{:.0} %", part * 100.0);
        let mut reasons = Vec::new();
        if self.spread > 0.05 {
            reasons.push(format!("processes differ by {}", percent(self.spread)));
        }
        if self.waited > 0.10 {
            reasons.push(format!("waited {} for a processor", percent(self.waited)));
        }
        if self.stolen > 0.02 {
            reasons.push(format!("{} stolen by the hypervisor", percent(self.stolen)));
        }
        if self.drift.abs() > 0.05 {
            reasons.push(format!("not steady: {} from first to last repeats", percent(self.drift)));
        }
        reasons
    }
}

/// All that is known of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// Which.
    pub cell: Cell,
    /// For each process its repeats: nanoseconds of wall time and of CPU time. Empty when there is
    /// a fault.
    pub processes: Vec<Vec<(u64, u64)>>,
    /// Why the cell does not count, each reason once.
    pub faults: Vec<String>,
    /// How disturbed it was.
    pub noise: Noise,
}

impl CellResult {
    fn of(cell: &Cell, entries: &[&Entry]) -> CellResult {
        let mut faults: Vec<String> = entries.iter().flat_map(|entry| entry.fault.clone()).collect();
        faults.sort();
        faults.dedup();
        let processes: Vec<Vec<(u64, u64)>> =
            if faults.is_empty() { entries.iter().map(|entry| entry.times.clone()).collect() } else { vec![] };
        let mut result = CellResult { cell: cell.clone(), processes, faults, noise: Noise::default() };
        if !result.processes.is_empty() {
            let walls = result.milliseconds(Time::Wall);
            let medians: Vec<f64> = walls.iter().map(|process| median(process)).collect();
            let cpus = result.milliseconds(Time::Cpu).concat();
            let (wall, cpu) = (mean(&walls.concat()), mean(&cpus));
            let thirds: Vec<f64> = walls
                .iter()
                .filter(|process| process.len() >= 3)
                .map(|process| {
                    let third = process.len() / 3;
                    median(&process[..third]) / median(&process[process.len() - third..]) - 1.0
                })
                .collect();
            result.noise = Noise {
                spread: relative_spread(&medians),
                // Clocks with steps of 10 ms say nothing about messages that take less.
                waited: if cpu > 0.0 && cpu * cpus.len() as f64 > 50.0 { (wall / cpu - 1.0).max(0.0) } else { 0.0 },
                stolen: mean(&entries.iter().map(|entry| entry.stolen).collect::<Vec<_>>()),
                drift: if thirds.is_empty() { 0.0 } else { median(&thirds) },
            };
        }
        result
    }

    /// Size of the message in MiB: the MB of the study.
    pub fn mebibytes(&self) -> f64 {
        self.cell.bytes as f64 / f64::from(1 << 20)
    }

    /// The repeats of each process in milliseconds.
    pub fn milliseconds(&self, time: Time) -> Vec<Vec<f64>> {
        let of = |&(wall, cpu): &(u64, u64)| match time {
            Time::Wall => wall as f64 / 1e6,
            Time::Cpu => cpu as f64 / 1e6,
        };
        self.processes.iter().map(|process| process.iter().map(of).collect()).collect()
    }

    /// The least over all repeats in milliseconds of processor time, which other work changes
    /// least; of wall time where the clock of processor time has too long steps. None when there is
    /// a fault.
    pub fn least(&self) -> Option<f64> {
        let of = |time| self.milliseconds(time).concat().into_iter().reduce(f64::min);
        of(Time::Cpu).filter(|cpu| *cpu > 0.0).or_else(|| of(Time::Wall))
    }

    /// The mean over all repeats in milliseconds, as in the study's tables; none when there is a
    /// fault.
    pub fn mean(&self, time: Time) -> Option<f64> {
        if self.processes.is_empty() { None } else { Some(mean(&self.milliseconds(time).concat())) }
    }
}

/// A language with a library, as it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// Its name in files.
    pub name: String,
    /// Its name in tables.
    pub label: String,
    /// The header of a runner's answer; none when it never gave one.
    pub header: Option<Header>,
}

/// A whole study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyResult {
    /// The plan.
    pub plan: Plan,
    /// Where it ran.
    pub machine: Machine,
    /// Load average over the processes: mean and greatest.
    pub load: (f64, f64),
    /// The rows, in the tables' order.
    pub rows: Vec<RowResult>,
    /// The cells, in the plan's order.
    pub cells: Vec<CellResult>,
}

impl StudyResult {
    /// Gathers the results of the processes.
    pub fn gather(plan: Plan, machine: Machine, rows: &[Row], entries: &[Entry]) -> StudyResult {
        let row = |row: &Row| RowResult {
            name: row.name.clone(),
            label: row.label.clone(),
            header: entries.iter().find(|entry| entry.cell.row == row.name).and_then(|entry| entry.header.clone()),
        };
        let of = |cell: &Cell| entries.iter().filter(|entry| entry.cell == *cell).collect::<Vec<_>>();
        let loads: Vec<f64> = entries.iter().map(|entry| entry.load).collect();
        StudyResult {
            load: (mean(&loads), loads.iter().copied().fold(0.0, f64::max)),
            rows: rows.iter().map(row).collect(),
            cells: plan.cells.iter().map(|cell| CellResult::of(cell, &of(cell))).collect(),
            plan,
            machine,
        }
    }

    /// The algorithms that some row has, the study's own first.
    pub fn methods(&self) -> Vec<Method> {
        Method::ALL.into_iter().filter(|method| self.cells.iter().any(|cell| cell.cell.method == *method)).collect()
    }

    /// The lengths of the messages in bytes, smallest first.
    pub fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.cells.iter().map(|cell| cell.cell.bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The cells of a row and an algorithm, smallest message first.
    pub fn line<'a>(&'a self, row: &'a str, method: Method) -> impl Iterator<Item = &'a CellResult> + 'a {
        self.cells.iter().filter(move |cell| cell.cell.row == row && cell.cell.method == method)
    }

    /// Milliseconds per MiB of a row and an algorithm on the longest message: the median of the
    /// processes' medians, and its values when processes and repeats are drawn again. None when a
    /// cell has a fault or nothing was measured.
    pub fn cost(&self, row: &str, method: Method, time: Time) -> Option<(f64, Vec<f64>)> {
        if self.line(row, method).any(|cell| cell.processes.is_empty()) {
            return None;
        }
        let cell = self.line(row, method).max_by_key(|cell| cell.cell.bytes)?;
        let processes = cell.milliseconds(time);
        let middle = |processes: &[Vec<f64>]| {
            median(&processes.iter().map(|process| median(process)).collect::<Vec<_>>()) / cell.mebibytes()
        };
        let mut random = Random::new(self.plan.seed);
        let mut draw = |_| {
            let mut drawn = Vec::with_capacity(processes.len());
            for _ in 0..processes.len() {
                let process = &processes[random.below(processes.len())];
                drawn.push(random.resample(process));
            }
            middle(&drawn)
        };
        let draws = (0..DRAWS).map(&mut draw).collect();
        Some((middle(&processes), draws))
    }

    /// The lines through the times of a row and an algorithm. None when a cell has a fault, there
    /// are too few sizes, or the line falls: then the program was not at its steady speed, and a
    /// line says nothing.
    pub fn estimate(&self, row: &str, method: Method, time: Time) -> Option<Estimate> {
        let cells: Vec<SizeTimes> = self
            .line(row, method)
            .map(|cell| SizeTimes { x: cell.mebibytes(), processes: cell.milliseconds(time) })
            .collect();
        fit_with_intervals(&cells, DRAWS, self.plan.seed).filter(|estimate| estimate.line.b > 0.0)
    }
}
