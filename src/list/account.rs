//! The use of each byte of a medium or archive.

use super::Request;
use crate::inside::{Account, Extent};
use crate::job::Error;
use pfh_engine::Control;
use pfh_source::{FindingId, Item, Level, Problem};
use std::io;

/// Residue of fewer bytes is not counted: a sector.
const SECTOR: u64 = 512;

/// Findings. Extents come in order of place, behind them the sums of the medium.
#[derive(Debug)]
#[non_exhaustive]
pub enum Row<'a> {
    /// A range of the medium and its use. The ranges tile it.
    Extent {
        /// The name of the medium.
        name: &'a [u8],
        /// The range.
        extent: &'a Extent,
    },
    /// Bytes that a second member claims.
    Overlap {
        /// The name of the medium.
        name: &'a [u8],
        /// The range, and who claims it.
        extent: &'a Extent,
    },
    /// The sums of a medium.
    Sums {
        /// Its name.
        name: &'a [u8],
        /// Its account.
        account: &'a Account,
    },
    /// A medium without an account, or behind its sums a fault that was found on the way.
    Failed {
        /// Its name.
        name: &'a [u8],
        /// Why.
        problem: &'a Problem,
    },
}

/// The counts of all accounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sums {
    /// Media and archives with an account.
    pub accounts: u64,
    /// Extents of a sector and more that nothing accounts for.
    pub residue: u64,
    /// Ranges that two members claim.
    pub overlaps: u64,
    /// Media without an account, or whose structures are not itemised; and faults of those that
    /// have one.
    pub failed: u64,
    /// All of these that count by their levels.
    pub faults: u64,
    /// Whether the control cancelled the run.
    pub interrupted: bool,
}

/// Gives the account of each medium and archive of the input.
///
/// # Errors
/// When the request makes no sense, or the sink refuses a row. A medium that cannot be read is a
/// row, and no error.
pub fn account(
    request: &Request,
    rows: &mut dyn FnMut(Row<'_>) -> io::Result<()>,
    control: &Control<'_>,
) -> Result<Sums, Error> {
    request.check()?;
    let options = request.input.inside.clone().unwrap_or_default();
    let mut input = request.input.clone();
    input.inside = None;
    let mut source = input.as_found()?;
    let (mut sums, levels) = (Sums::default(), &request.levels);
    while let Some(item) = source.pull() {
        if control.cancel().is_cancelled() {
            sums.interrupted = true;
            break;
        }
        let (name, found) = match &item {
            Item::Entry(entry) => (entry.name(), crate::inside::account(entry, &options)),
            Item::Problem { name, problem, .. } => (name.clone(), Err(problem.clone())),
            Item::Skipped { .. } | Item::Settled { .. } => continue,
        };
        match found {
            Ok(None) => {}
            Ok(Some((account, faults))) => {
                sums.accounts += 1;
                sums.residue += account.residue().filter(|extent| extent.length >= SECTOR).count() as u64;
                sums.overlaps += account.overlaps.len() as u64;
                sums.failed += u64::from(!account.opaque.is_empty()) + faults.len() as u64;
                let levelled = |mut problem: Problem| {
                    problem.level = levels.of(problem.finding());
                    problem
                };
                let faults: Vec<Problem> = faults.into_iter().map(levelled).collect();
                sums.faults += faults.iter().filter(|problem| problem.level == Level::Error).count() as u64;
                let counted = |finding, count: u64| if levels.counts(finding) { count } else { 0 };
                let residue = account.residue().filter(|extent| extent.length >= SECTOR).count() as u64;
                sums.faults += counted(FindingId::AccountResidue, residue);
                sums.faults += counted(FindingId::AccountOverlap, account.overlaps.len() as u64);
                sums.faults += counted(FindingId::AccountOpaque, u64::from(!account.opaque.is_empty()));
                for extent in &account.extents {
                    rows(Row::Extent { name: &name, extent }).map_err(Error::Sink)?;
                }
                for extent in &account.overlaps {
                    rows(Row::Overlap { name: &name, extent }).map_err(Error::Sink)?;
                }
                rows(Row::Sums { name: &name, account: &account }).map_err(Error::Sink)?;
                for problem in &faults {
                    rows(Row::Failed { name: &name, problem }).map_err(Error::Sink)?;
                }
            }
            Err(mut problem) => {
                problem.level = levels.of(problem.finding());
                sums.faults += u64::from(problem.level == Level::Error);
                sums.failed += 1;
                rows(Row::Failed { name: &name, problem: &problem }).map_err(Error::Sink)?;
            }
        }
    }
    Ok(sums)
}

impl Sums {
    /// Whether every byte of every medium is accounted for, but for findings of a lower level.
    pub fn is_whole(&self) -> bool {
        self.faults == 0
    }
}
