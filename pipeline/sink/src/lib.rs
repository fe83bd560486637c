//! Where records end.
#![forbid(unsafe_code)]

pub mod cache;
pub mod check;
pub mod compare;
mod manifest;
pub mod matching;
pub mod outboard;
mod output;
pub mod seal;

pub use manifest::{About, Manifest};
pub use output::Output;
