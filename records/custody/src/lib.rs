//! Evidence that records are unchanged: the [`chain`] of an acquisition's log, [`seal`]s over
//! manifests, time [`stamp`]s of an authority, and the keys that sign both (feature `sign`).
#![forbid(unsafe_code)]

pub mod chain;
#[cfg(feature = "sign")]
pub mod key;
pub mod seal;
pub mod stamp;
