//! The judge that every job with a verdict shares: [`Expectations`] are the records of a manifest,
//! an [`Auditor`] classes each file of a tree against them, and [`verdict`] computes the verdict on
//! comparisons.
#![forbid(unsafe_code)]

mod audit;
mod caseless;
mod classes;
mod expected;
mod facts;
mod names;
mod remains;
pub mod verdict;

pub use audit::{Auditor, Met, UNTIMED};
pub use caseless::caseless;
pub use classes::{Change, Class, Counts, Rot};
pub use expected::{Comparison, Expectations, Expected, ReadError};
pub use facts::{Facts, is_same};
pub use names::plain;
