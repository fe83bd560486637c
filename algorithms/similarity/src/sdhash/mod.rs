//! sdhash 4.0.

pub mod tables;
