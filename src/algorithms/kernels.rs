//! The list of kernels.

use pfh_kernel::{Costs, Unused, tables as kernel_tables};
use serde_json::json;

/// Every kernel of every function: cost by the table and as measured now, and the choice; as a
/// table for people, or a JSON object per line.
pub fn kernels(json: bool) -> String {
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
        for row in &table.rows {
            let ranges = ranges(&row.chosen_for);
            let unused = row.unused.map(|unused| match unused {
                Unused::Absent => "never executed on this machine",
                Unused::Excluded => "excluded by PFH_ISA",
                Unused::Refused => "REFUSED, wrong answer here",
            });
            if json {
                let object = json!({
                    "function": table.function,
                    "kernel": row.kernel,
                    "isa": row.isa.name(),
                    "lanes": row.lanes,
                    "table_picoseconds": row.table,
                    "measured_picoseconds": row.measured,
                    "chosen_by": Costs::used().name(),
                    "chosen_for": ranges,
                    "unused": unused,
                });
                text.push_str(&format!("{object}\n"));
            } else {
                let measured = row.measured.map_or("-".into(), |cost| cost.to_string());
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
                    table.function, row.kernel, row.lanes, row.table
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
