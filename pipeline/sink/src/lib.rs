//! Where records end.
#![forbid(unsafe_code)]

pub mod cache;
pub mod compare;
pub mod image;
mod manifest;
pub mod matching;
pub mod outboard;
mod output;

pub use manifest::{About, Manifest};
pub use output::Output;
