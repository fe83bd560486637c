//! The rows of jobs as text and JSON: one module for each job.

#[cfg(feature = "image")]
pub mod acquire;
pub mod algorithms;
#[cfg(feature = "audit")]
pub mod audit;
pub mod bag;
#[cfg(feature = "inside")]
pub mod cat;
pub mod check;
pub mod compare;
#[cfg(feature = "image")]
pub mod dd;
pub mod diff;
#[cfg(feature = "image")]
pub mod disks;
pub mod dups;
#[cfg(feature = "inside")]
pub mod extract;
pub mod kernels;
#[cfg(feature = "known")]
pub mod known;
#[cfg(feature = "inside")]
pub mod list;
#[cfg(feature = "known")]
pub mod matching;
pub mod plan;
#[cfg(feature = "serve")]
pub mod report;
#[cfg(feature = "inside")]
pub mod sectors;
#[cfg(all(feature = "image", feature = "inside"))]
pub mod selftest;
#[cfg(feature = "image")]
pub mod stages;
#[cfg(feature = "remote")]
pub mod stated;
pub mod stats;
#[cfg(feature = "audit")]
pub mod tree;
pub mod update;
#[cfg(feature = "image")]
pub mod verify;

pub use pfh::terminal::{counted, many};
