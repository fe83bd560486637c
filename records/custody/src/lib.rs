//! What shows that records are those that were written: the [`chain`] of an acquisition's log, [`seal`]s over manifests, and the
//! [`key`]s that sign both.
#![forbid(unsafe_code)]

pub mod chain;
pub mod key;
pub mod seal;
