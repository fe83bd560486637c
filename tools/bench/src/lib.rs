//! `pfh bench`: which hash, in which language, on this machine; and what will a case take.
//!
//! The study that this repeats: Gurjar, Baggili, Breitinger & Fischer, *An empirical comparison of
//! widely adopted hash functions in digital forensics: does the programming language and operating
//! system make a difference?*, Proceedings of the Conference on Digital Forensics, Security and Law
//! 2015, pp. 57-68 ("the study" below).
#![forbid(unsafe_code)]

pub mod amount;
pub mod command;
mod error;
pub mod fit;
pub mod forecast;
pub mod languages;
pub mod machine;
mod markup;
pub mod message;
pub mod own;
pub mod papers;
pub mod pipeline;
pub mod random;
pub mod report;
pub mod statistics;
pub mod study;

pub use error::Error;
