//! Where records end.
#![forbid(unsafe_code)]

mod manifest;
pub mod matching;
mod output;

pub use manifest::{About, Manifest};
pub use output::Output;
