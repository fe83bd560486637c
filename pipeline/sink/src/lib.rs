//! Where records end.
#![forbid(unsafe_code)]

pub mod compare;
mod manifest;
pub mod outboard;
mod output;

pub use manifest::{About, Manifest};
pub use output::Output;
