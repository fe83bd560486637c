//! `pfh algorithms`.

use crate::exit::{self, Exit};
use std::io::Write;

/// What `--help` says of the choice.
pub const HELP: &str = "\
The choice among the kernels never changes a digest. Two variables of the environment change the choice:
  PFH_ISA=LEVEL     nothing above this level: portable, sse2, sse4.1, avx2, sha-ni or avx512 on x86-64, portable, neon, sha2
                    or sha3 on AArch64
  PFH_COSTS=WHICH   measured (default): each function's kernels are timed, less than 2 ms, when a process first uses the function;
                    table: the figures compiled in, which are of one CPU, and the same choice in every run";

/// Lists every algorithm: length in bytes, standing, and the kernels that this processor uses.
pub fn algorithms(json: bool) -> Exit {
    let mut text = String::new();
    if !json {
        text.push_str(&format!(
            "{:<18} {:>6}  {:<17} {:<28} aliases\n",
            "algorithm", "bytes", "standing", "kernel: one / many"
        ));
    }
    for algorithm in pfh::REGISTRY.all() {
        let kernels = algorithm.kernels();
        let kernel = match &kernels {
            Some(k) => format!("{} / {}", k.one, k.many),
            None => "its crate's own choice".into(),
        };
        if json {
            let object = serde_json::json!({
                "name": algorithm.name(),
                "length": algorithm.length(),
                "standing": algorithm.standing().name(),
                "kernel_one": kernels.as_ref().map(|k| k.one),
                "kernel_many": kernels.as_ref().map(|k| k.many),
                "never_executed_here": kernels.as_ref().map(|k| &k.absent),
                "refused": kernels.as_ref().map(|k| &k.refused),
                "aliases": algorithm.aliases(),
            });
            text.push_str(&format!("{object}\n"));
        } else {
            let (name, standing) = (algorithm.name(), algorithm.standing().name());
            let length = if algorithm.length() == 0 { "text".into() } else { algorithm.length().to_string() };
            text.push_str(&format!(
                "{name:<18} {length:>6}  {standing:<17} {kernel:<28} {}\n",
                algorithm.aliases().join(" ")
            ));
        }
    }
    if !json {
        text.push_str(&notes());
    }
    print(&text)
}

fn print(text: &str) -> Exit {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}

/// Lists every kernel of every function: cost by the table and as measured now, and the choice.
pub fn kernels(json: bool) -> Exit {
    let mut text = String::new();
    if !json {
        text.push_str(&format!(
            "Costs in picoseconds per block of all lanes; the choice is made by those {}.\n{:<16} {:<12} {:>5} {:>9} {:>9}  messages\n",
            match pfh::Costs::used() {
                pfh::Costs::Measured => "measured",
                pfh::Costs::Table => "of the table",
            },
            "function",
            "kernel",
            "lanes",
            "table",
            "measured"
        ));
    }
    for table in pfh::kernel_tables() {
        let most = table.rows.iter().filter_map(|row| row.chosen_for.last()).max().copied().unwrap_or(0);
        for row in &table.rows {
            let ranges = ranges(&row.chosen_for);
            let unused = row.unused.map(|unused| match unused {
                pfh::Unused::Absent => "never executed on this machine",
                pfh::Unused::Excluded => "excluded by PFH_ISA",
                pfh::Unused::Refused => "REFUSED, wrong answer here",
            });
            if json {
                let object = serde_json::json!({
                    "function": table.function,
                    "kernel": row.kernel,
                    "isa": row.isa.name(),
                    "lanes": row.lanes,
                    "table_picoseconds": row.table,
                    "measured_picoseconds": row.measured,
                    "chosen_by": pfh::Costs::used().name(),
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
                    "{:<16} {:<12} {:>5} {:>9} {measured:>9}  {choice}\n",
                    table.function, row.kernel, row.lanes, row.table
                ));
            }
        }
    }
    print(&text)
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

/// What is not used on this machine, and why.
fn notes() -> String {
    let mut text = String::new();
    for algorithm in pfh::REGISTRY.all() {
        let Some(kernels) = algorithm.kernels() else { continue };
        if !kernels.absent.is_empty() {
            text.push_str(&format!(
                "{}: never executed on this machine: {}\n",
                algorithm.name(),
                kernels.absent.join(", ")
            ));
        }
        if !kernels.refused.is_empty() {
            text.push_str(&format!(
                "{}: REFUSED, wrong answer here: {}\n",
                algorithm.name(),
                kernels.refused.join(", ")
            ));
        }
    }
    text
}
