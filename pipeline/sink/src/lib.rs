//! Where records end.
#![forbid(unsafe_code)]

pub mod cache;
pub mod check;
mod manifest;
pub mod matching;
mod output;
pub mod seal;

pub use manifest::{About, Manifest};
pub use output::Output;
