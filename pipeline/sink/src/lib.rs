//! Where records end.
#![forbid(unsafe_code)]

pub mod cache;
pub mod compare;
pub mod outboard;
mod output;

pub use output::{Around, Output};
