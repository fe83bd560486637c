//! Text tables, in the form of the study's.

use super::then::{SOURCE, then_and_now};
use crate::message::Method;
use crate::statistics::{Estimate, Rank, rank};
use crate::study::{StudyResult, Time};
use std::fmt::Write;

/// A table of text cells, each column as wide as its widest cell, the first one left-aligned.
pub fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            match column {
                0 => write!(line, "{cell:<width$}"),
                _ => write!(line, "  {cell:>width$}"),
            }
            .expect("a string takes it");
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// One line of a ranking.
pub struct RankedLine {
    /// The row.
    pub label: String,
    /// Milliseconds per MiB on the longest message.
    pub cost: f64,
    /// Its place.
    pub rank: Rank,
    /// The lines through its times, when there are any.
    pub estimate: Option<Estimate>,
}

/// The ranking of one algorithm by the cost per MiB on the longest message, lowest first.
pub fn ranking(result: &StudyResult, method: Method, time: Time) -> Vec<RankedLine> {
    let known: Vec<_> =
        result.rows.iter().filter_map(|row| Some((row, result.cost(&row.name, method, time)?))).collect();
    let costs: Vec<(f64, Vec<f64>)> = known.iter().map(|(_, cost)| cost.clone()).collect();
    let placed = |rank: Rank| {
        let (row, (cost, _)) = &known[rank.contestant];
        RankedLine { label: row.label.clone(), cost: *cost, rank, estimate: result.estimate(&row.name, method, time) }
    };
    rank(&costs).into_iter().map(placed).collect()
}

/// 1 or 2-4.
pub fn place(rank: &Rank) -> String {
    if rank.best == rank.worst { rank.best.to_string() } else { format!("{}-{}", rank.best, rank.worst) }
}

/// +3 %, or no.
pub fn bend(estimate: &Estimate) -> String {
    match estimate.bend {
        Some((bend, _)) if estimate.bent() => format!("{:+.0} %", bend * 100.0),
        Some(_) => "no".to_owned(),
        None => "-".to_owned(),
    }
}

/// MB/s (10^6 bytes) of a cost in milliseconds per MiB.
pub fn megabytes_per_second(b: f64) -> f64 {
    f64::from(1 << 20) / b / 1e3
}

/// All tables of a study.
pub fn text(result: &StudyResult, time: Time) -> String {
    let mut text = String::new();
    let clock = match time {
        Time::Wall => "elapsed time",
        Time::Cpu => "CPU time",
    };
    for method in result.methods() {
        let rows: Vec<_> = result.rows.iter().filter(|row| result.line(&row.name, method).next().is_some()).collect();
        let mut table = vec![vec!["MiB".to_owned()]];
        table[0].extend(rows.iter().map(|row| row.name.clone()));
        for bytes in result.sizes() {
            let mut line = vec![size(bytes)];
            for row in &rows {
                let cell = result.line(&row.name, method).find(|cell| cell.cell.bytes == bytes);
                line.push(match cell.and_then(|cell| cell.mean(time)) {
                    Some(mean) => format!("{mean:.2}"),
                    None if cell.is_some_and(|cell| !cell.faults.is_empty()) => "WRONG".to_owned(),
                    None => "-".to_owned(),
                });
            }
            table.push(line);
        }
        writeln!(text, "{method}: mean {clock} in ms\n{}", align(&table)).expect("a string takes it");
    }

    for method in result.methods() {
        let heads = ["place", "row", "MB/s", "a", "b", "a (1/x2)", "95 %", "b (1/x2)", "95 %", "bend"];
        let mut table = vec![heads.map(str::to_owned).to_vec()];
        for RankedLine { label, cost, rank, estimate } in ranking(result, method, time) {
            let mut line = vec![place(&rank), label, format!("{:.0}", megabytes_per_second(cost))];
            match estimate {
                None => line.push("no line".to_owned()),
                Some(e) => line.extend([
                    format!("{:.3}", e.study.a),
                    format!("{:.3}", e.study.b),
                    format!("{:.3}", e.line.a),
                    format!("{:.3} .. {:.3}", e.a.low, e.a.high),
                    format!("{:.4}", e.line.b),
                    format!("{:.4} .. {:.4}", e.b.low, e.b.high),
                    bend(&e),
                ]),
            }
            table.push(line);
        }
        writeln!(text, "{method}: MB/s on the longest message; y = a + bx, x in MiB, y in ms\n{}", align(&table))
            .expect("a string takes it");
    }
    if let Some(rows) = then_and_now(result, time) {
        writeln!(text, "then and now\n{}{SOURCE}\n", align(&rows)).expect("a string takes it");
    }
    text.push_str(&remarks(result));
    text
}

/// A length in MiB, as the study's tables have it.
pub fn size(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes.fract() == 0.0 { format!("{mebibytes}") } else { format!("{mebibytes:.4}") }
}

/// The machine, the runtimes, and disturbances.
pub fn remarks(result: &StudyResult) -> String {
    let (mut text, machine) = (String::new(), &result.machine);
    let mut line = |args: std::fmt::Arguments| writeln!(text, "{args}").expect("a string takes it");
    line(format_args!(
        "machine: {}, {} processors, {}, {} memory, {}, governor {}{}",
        machine.processor,
        machine.processors,
        machine.features.join(" "),
        crate::amount::show_bytes(machine.memory),
        machine.kernel,
        machine.governor.as_deref().unwrap_or("unknown"),
        if machine.guest { ", a virtual machine" } else { "" }
    ));
    line(format_args!(
        "runs: {} processes per cell, {} repeats after {} warm-ups, seed {}; load {:.1}, at most {:.1}",
        result.plan.processes, result.plan.repeats, result.plan.warmups, result.plan.seed, result.load.0, result.load.1
    ));
    for row in &result.rows {
        if let Some(header) = &row.header {
            line(format_args!("{}: {} {}, {}", row.name, header.runtime, header.version, header.provider));
        }
    }
    for cell in &result.cells {
        for fault in &cell.faults {
            line(format_args!("FAULT {} {} {}: {fault}", cell.cell.row, cell.cell.method, size(cell.cell.bytes)));
        }
    }
    let noisy: Vec<_> = result.cells.iter().filter(|cell| !cell.noise.reasons().is_empty()).collect();
    line(format_args!("noisy cells: {} of {}", noisy.len(), result.cells.len()));
    for cell in noisy {
        let reasons = cell.noise.reasons().join("; ");
        line(format_args!("  {} {} {}: {reasons}", cell.cell.row, cell.cell.method, size(cell.cell.bytes)));
    }
    text
}
