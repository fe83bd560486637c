//! How far a plan is.

use super::document::{self, Document};
use crate::job::Error;
use std::path::Path;

/// The units of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Units with results.
    pub done: u64,
    /// All units.
    pub units: u64,
}

/// How many units of the plan in this directory have results. Nothing of them is read.
///
/// # Errors
/// When the directory holds no plan.
pub fn progress(directory: &Path) -> Result<Progress, Error> {
    let plan = Document::load(directory)?;
    let (units, parts, digest) = (plan.units(), plan.parts(), plan.digest());
    let has_result = |unit: &u64| parts.join(document::part_name(*unit, &digest)).is_file();
    Ok(Progress { done: (1..=units).filter(has_result).count() as u64, units })
}
