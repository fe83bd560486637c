//! The result of one part.

use super::table::Table;
use serde::{Deserialize, Serialize};

/// The outcome of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PartOutcome {
    /// The part's name.
    pub name: String,
    /// The paper.
    pub paper: String,
    /// The tables of the paper that it repeats.
    pub what: String,
    /// The command that was run.
    pub command: Vec<String>,
    /// Its tables; or why there are none.
    pub found: Result<Vec<Table>, String>,
}
