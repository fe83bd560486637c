//! Items of a walk or an operand before they have their numbers.

use crate::entry::{Origin, Skip};
use crate::problem::Problem;
use crate::stat::Stat;

/// An item of a walk or an operand before it has its number.
pub(crate) enum UnnumberedItem {
    Origin(Origin, Option<Stat>),
    Skipped(Vec<u8>, Skip),
    Problem(Vec<u8>, Problem),
}
