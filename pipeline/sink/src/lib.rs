//! Where records end.
#![forbid(unsafe_code)]

mod manifest;
pub mod outboard;
mod output;

pub use manifest::{About, Manifest};
pub use output::Output;
