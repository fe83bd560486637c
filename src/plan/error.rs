//! Why a plan, a unit or a merge has no result.

use crate::destination::OpenError;
use crate::failure::{JobError, Kind};
use crate::input::InputError;
use crate::outputs::Refused;
use crate::pass::ends_a_pass;
use crate::{rendered, shown};
use pfh_custody::seal;
use pfh_manifest::{Format, Unrepresentable};
use pfh_tree::split::Unsplit;
use std::io;
use std::path::{Path, PathBuf};

/// Why a plan, a unit or a merge has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An output is a file that is read, or one that somebody else made.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// Standard input and images are read by one process.
    #[error("{0} cannot be planned: name files and directories")]
    Unplanned(&'static str),
    /// A unit has no room.
    #[error("--unit and --files: a unit has at least one byte and one file")]
    Unit,
    /// The directory of the plan is not empty.
    #[error("{}: is there and not empty: a plan is made once, name another directory", shown(.0))]
    Taken(PathBuf),
    /// The format has no place for digests of windows.
    #[error("-f {} has no form for --piecewise: use hashdeep, dfxml, jsonl or csv", .0.name())]
    Pieces(Format),
    /// An algorithm has no ranges, or not of this length.
    #[error("--split: {0}")]
    Split(#[from] Unsplit),
    /// Windows lie across ranges.
    #[error("--split and --piecewise: a file that is read in ranges has no windows: leave one of them out")]
    SplitPieces,
    /// The format cannot hold these algorithms, or this layout.
    #[error("-f {}: {why}", format.name())]
    Format {
        /// The format.
        format: Format,
        /// Why.
        why: Unrepresentable,
    },
    /// A file of the plan cannot be read.
    #[error("{}: {error}", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of the plan cannot be written.
    #[error("{}: {error}", shown(path))]
    Place {
        /// The file of the plan.
        path: PathBuf,
        /// Why it is not written.
        error: io::Error,
    },
    /// A file could not be written.
    #[error("{}: {error}", shown(path))]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file of the plan is not what this program wrote.
    #[error("{}: {why}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// There is no such unit.
    #[error("there is no unit {unit}: the plan has {units}, counted from 1")]
    NoUnit {
        /// What was asked for.
        unit: u64,
        /// How many there are.
        units: u64,
    },
    /// The names of the plan start in another directory.
    #[error("the names of this plan start in {}: run its units there", rendered(.0))]
    Elsewhere(Vec<u8>),
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
    /// The output cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The output failed, or the sink refused an event.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
    /// The run could not begin.
    #[error(transparent)]
    Run(pfh_engine::Error),
    /// The manifest is whole, and its seal was not written.
    #[error(transparent)]
    Seal(#[from] seal::FileError),
    /// The control cancelled the job.
    #[error("interrupted: {0}")]
    Interrupted(&'static str),
}

ends_a_pass!(Error);

impl Error {
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |error| Error::Read { path, error }
    }

    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Error + use<> {
        let path = path.to_owned();
        move |error| Error::Write { path, error }
    }

    pub(super) fn damaged(path: &Path, why: &'static str) -> Error {
        Error::Damaged { path: path.to_owned(), why }
    }
}

impl JobError for Error {
    fn kind(&self) -> Kind<'_> {
        match self {
            Error::Sink(error) => Kind::Output(error),
            Error::Input(error) => error.kind(),
            Error::Interrupted(_) => Kind::Cancelled,
            Error::Missing(_) | Error::Doubled { .. } | Error::Stranger(_) => Kind::Open,
            Error::Damaged { .. } | Error::Read { .. } => Kind::Open,
            Error::Open(_) | Error::Run(_) | Error::Write { .. } | Error::Seal(_) => Kind::Aborted,
            _ => Kind::Request,
        }
    }
}

/// Units as numbers and ranges: `units 3, 7-12 are missing`.
fn missing(units: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &unit in units {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == unit => *last = unit,
            _ => ranges.push((unit, unit)),
        }
    }
    let words: Vec<String> = ranges
        .iter()
        .map(|&(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
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
    }
}
