//! Errors of a plan, a unit or a merge, beyond those that every job has.

use crate::job::{Error, PathError};
use pfh_source::terminal::{render, shown};
use pfh_tree::split::Unsplit;
use std::io;
use std::path::{Path, PathBuf};

/// Errors of a plan, a unit or a merge.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Standard input and images are read by one process.
    #[error("{0} cannot be planned: name files and directories")]
    Unplanned(&'static str),
    /// A unit has no room.
    #[error("a unit has at least one byte and one file")]
    Unit,
    /// The directory of the plan is not empty.
    #[error("{}: is there and not empty: a plan is made once, name another directory", shown(.0))]
    Taken(PathBuf),
    /// An algorithm has no ranges, or not of this length.
    #[error(transparent)]
    Split(#[from] Unsplit),
    /// Windows lie across ranges.
    #[error("a file that is read in ranges has no windows: ask for ranges or for windows")]
    SplitPieces,
    /// A file of the plan is not as this program wrote it.
    #[error("{0}")]
    Damaged(&'static str),
    /// An array has at least one task, and no task beyond its last.
    #[error("there is no task {task} in an array of {size}, counted from 1")]
    NoTask {
        /// The task that was asked for.
        task: u64,
        /// How many the array has.
        size: u64,
    },
    /// There is no such unit.
    #[error("there is no unit {unit}: the plan has {units}, counted from 1")]
    NoUnit {
        /// The unit that was asked for.
        unit: u64,
        /// How many there are.
        units: u64,
    },
    /// The names of the plan start in another directory.
    #[error("the names of this plan start in {}: run its units there", render(.0))]
    Elsewhere(Vec<u8>),
    /// A name does not start in the base of the plan, so that it cannot be found where that lies
    /// elsewhere.
    #[error("{}: does not lie in {}: make the plan with a base that all names start in", render(name), render(base))]
    Outside {
        /// The name.
        name: Vec<u8>,
        /// The base of the plan.
        base: Vec<u8>,
    },
    /// There is nothing in the base of this machine.
    #[error("{}: is an empty directory: is the tree of the plan mounted?", shown(.0))]
    EmptyBase(PathBuf),
    /// The files of this machine are not those of the plan.
    #[error(
        "{}: is not the tree of the plan: of {all} files that the plan remembers, {absent} are not there and {other} have another size, {} is the first",
        shown(base),
        shown(first)
    )]
    OtherTree {
        /// The base on this machine.
        base: PathBuf,
        /// Files that are not there.
        absent: usize,
        /// Files of another size.
        other: usize,
        /// All that were looked at.
        all: usize,
        /// The first that is not there or another.
        first: PathBuf,
    },
    /// Units were not carried out.
    #[error("not merged: {}", missing(.0))]
    Missing(Vec<u64>),
    /// A unit is there more than once.
    #[error("not merged: unit {unit} is there twice: {} and {}", shown(one), shown(other))]
    Doubled {
        /// The unit.
        unit: u64,
        /// One file that holds it.
        one: PathBuf,
        /// The other.
        other: PathBuf,
    },
    /// A file among the results is of another plan.
    #[error("not merged: {}: is a unit of another plan", shown(.0))]
    Stranger(PathBuf),
    /// Several parts cannot be merged: the first of them, how many there are beside these, and last
    /// the units that are to be run.
    #[error("{}", .0.join("; "))]
    Several(Vec<String>),
    /// The control cancelled the job; the state of its output.
    #[error("interrupted: {0}")]
    Interrupted(&'static str),
}

/// Faults, and ranges of missing units, that one message names; of the others it has the number.
const NAMED: usize = 20;

impl Problem {
    /// Several problems; missing units come last.
    pub(super) fn several(faults: &[Error]) -> Problem {
        let (parts, missing) = match faults.split_last() {
            Some((last, parts)) if matches!(last.find(), Some(Problem::Missing(_))) => (parts, Some(last)),
            _ => (faults, None),
        };
        let mut said: Vec<String> = parts.iter().take(NAMED).map(ToString::to_string).collect();
        match parts.len().saturating_sub(NAMED) {
            0 => {}
            1 => said.push("and 1 more file".to_owned()),
            more => said.push(format!("and {more} more files")),
        }
        said.extend(missing.map(ToString::to_string));
        Problem::Several(said)
    }
}

/// A file of the plan that cannot be read.
pub(super) fn unread(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::input(PathError::new(path, error))
}

/// A file that cannot be written.
pub(super) fn unwritten(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
    let path = path.to_owned();
    move |error| Error::output(PathError::new(path, error))
}

/// A file that is not as this program wrote it.
pub(super) fn damaged(path: &Path, why: &'static str) -> Error {
    Error::input(PathError::new(path, Problem::Damaged(why)))
}

/// The control cancelled the job.
pub(super) fn interrupted(what: &'static str) -> Error {
    Error::cancelled(Problem::Interrupted(what))
}

/// Units as numbers and ranges: `units 3, 7-12 are missing`, `500 units are missing: 1, 3, …`.
/// The first part, 0, is written with the plan, and no unit.
fn missing(units: &[u64]) -> String {
    if let [0, rest @ ..] = units {
        let first = "the part that was written with the plan is missing: make the plan again";
        return if rest.is_empty() { first.to_owned() } else { format!("{}; {first}", missing(rest)) };
    }
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &unit in units {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == unit => *last = unit,
            _ => ranges.push((unit, unit)),
        }
    }
    let words: Vec<String> = ranges
        .iter()
        .take(NAMED)
        .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    if ranges.len() > NAMED {
        return format!("{} units are missing: {}, …", units.len(), words.join(", "));
    }
    let (unit, is) = if units.len() == 1 { ("unit", "is") } else { ("units", "are") };
    format!("{unit} {} {is} missing", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_units_are_named() {
        assert_eq!(missing(&[3]), "unit 3 is missing");
        assert_eq!(missing(&[1, 2, 3, 7, 9, 10]), "units 1-3, 7, 9-10 are missing");
        assert_eq!(missing(&[0]), "the part that was written with the plan is missing: make the plan again");
        assert!(missing(&[0, 2, 3]).starts_with("units 2-3 are missing; the part that was written with"));
        let odd: Vec<u64> = (0..500).map(|unit| 2 * unit + 1).collect();
        let said = missing(&odd);
        assert!(said.starts_with("500 units are missing: 1, 3, 5, ") && said.ends_with(", 39, …"), "{said}");
    }
}
