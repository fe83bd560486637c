//! Where records end.
#![forbid(unsafe_code)]

pub mod image;
mod manifest;
pub mod outboard;
mod output;

pub use manifest::{About, Manifest};
pub use output::Output;
