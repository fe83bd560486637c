//! The record of a set, the kinds of sets, and the receiver of records.

use std::ops::ControlFlow;

use pfh_digest::Digest;

use crate::entry::Fault;
use crate::format::Format;

/// The digests of one known file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// At least one; of different algorithms.
    pub digests: Vec<Digest>,
    /// A value of this entry that divides the set: `category 1`, `special code M`.
    pub tag: Option<String>,
}

/// The kind of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A manifest.
    Manifest(Format),
    /// A digest per line.
    List,
    /// Separated values with a header line.
    Table,
    /// EnCase `.hash`.
    Encase,
    /// Project VIC or CAID.
    Vics,
    /// Any other JSON whose members name digests.
    Json,
}

/// Takes each record or fault, with the line on which it stands (from 1; for binary sets the number
/// of the entry). [`ControlFlow::Break`] ends the reading.
pub type Take<'a> = dyn FnMut(u64, Result<Known, Fault>) -> ControlFlow<()> + 'a;
