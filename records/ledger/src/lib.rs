//! The ledger and its judge. A [`Ledger`] is all that a list states, by name, in whichever format
//! it is; [`Listing::judge`] is the one judge of a file's [`Facts`] against that, an [`Auditor`]
//! gives each file of a tree its class by it, and [`verdict`] computes the verdict on comparisons.
#![forbid(unsafe_code)]

mod audit;
mod classes;
mod facts;
mod judge;
mod ledger;
mod listing;
mod names;
mod places;
mod rare;
mod remains;
mod reread;
mod strays;
pub mod verdict;

pub use audit::{Auditor, Met};
pub use classes::{Change, Class, Counts, Rot};
pub use facts::{Facts, Instants};
pub use judge::{Comparison, Judgement, UNTIMED};
pub use ledger::{Ledger, ReadError};
pub use listing::Listing;
pub use names::{Likeness, caseless, folded, key, plain};
pub use places::Places;
pub use rare::Rare;
pub use reread::{Reread, Twice, disagree};
pub use strays::{Likely, pair_up};
