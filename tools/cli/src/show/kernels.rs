//! The list of kernels.

use pfh::manifest::row;
use pfh::{Costs, UnusedReason, kernel_tables};
use serde::Serialize;

/// A kernel of a function.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line<'a> {
    chosen_by: &'a str,
    /// Ranges of numbers of messages, each as its first and last.
    chosen_for: &'a [(usize, usize)],
    function: &'a str,
    isa: &'a str,
    kernel: &'a str,
    lanes: usize,
    measured_picoseconds: Option<u64>,
    table_picoseconds: u64,
    unused: Option<&'a str>,
}

/// Every kernel of every function: cost by the table and as measured now, and the choice; as a
/// table for people, or a JSON object per line.
pub fn text(json: bool) -> String {
    let mut text = String::new();
    if !json {
        text.push_str(&format!(
            "Costs in picoseconds per block of all lanes; the choice is made by those {}.\n{:<18} {:<18} {:>5} {:>9} {:>9}  messages\n",
            match Costs::used() {
                Costs::Measured => "measured",
                Costs::Table => "of the table",
            },
            "function",
            "kernel",
            "lanes",
            "table",
            "measured"
        ));
    }
    for table in kernel_tables() {
        let most = table.rows.iter().filter_map(|row| row.chosen_for.last()).max().copied().unwrap_or(0);
        for kernel in &table.rows {
            let ranges = ranges(&kernel.chosen_for);
            let unused = kernel.unused.map(|unused| match unused {
                UnusedReason::Absent => "never executed on this machine",
                UnusedReason::Excluded => "excluded by PFH_ISA",
                UnusedReason::Refused => "REFUSED, wrong answer here",
            });
            if json {
                text.push_str(&row::line(&Line {
                    chosen_by: Costs::used().name(),
                    chosen_for: &ranges,
                    function: table.function,
                    isa: kernel.isa.name(),
                    kernel: kernel.kernel,
                    lanes: kernel.lanes,
                    measured_picoseconds: kernel.measured,
                    table_picoseconds: kernel.table,
                    unused,
                }));
            } else {
                let measured = kernel.measured.map_or("-".into(), |cost| cost.to_string());
                let range = |&(first, last): &(usize, usize)| match (first == last, last == most) {
                    (_, true) => format!("{first} and more"),
                    (true, false) => first.to_string(),
                    (false, false) => format!("{first}-{last}"),
                };
                let choice = match unused {
                    Some(why) => why.to_owned(),
                    None => ranges.iter().map(range).collect::<Vec<_>>().join(", "),
                };
                text.push_str(&format!(
                    "{:<18} {:<18} {:>5} {:>9} {measured:>9}  {choice}\n",
                    table.function, kernel.kernel, kernel.lanes, kernel.table
                ));
            }
        }
    }
    text
}

/// Runs of consecutive numbers, each as its first and last.
fn ranges(numbers: &[usize]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    ranges
}
