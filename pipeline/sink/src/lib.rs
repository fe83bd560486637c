//! Where records end.
#![forbid(unsafe_code)]

mod manifest;
mod output;

pub use manifest::Manifest;
pub use output::Output;
