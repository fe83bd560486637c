//! The jobs through the library: rows, errors and what is left behind.

#[cfg(feature = "image")]
mod acquire;
#[cfg(feature = "audit")]
mod audit;
mod bag;
mod check;
mod compare;
mod compare_random;
#[cfg(feature = "image")]
mod dd;
mod diff;
#[cfg(feature = "image")]
mod disks;
mod dups;
mod hash;
#[cfg(feature = "known")]
mod known;
#[cfg(feature = "inside")]
mod list;
#[cfg(feature = "known")]
mod matching;
mod plan;
mod report;
mod room;
mod share;
#[cfg(feature = "remote")]
mod stated;
#[cfg(feature = "audit")]
mod tree;
mod update;
#[cfg(feature = "image")]
mod verdicts;
#[cfg(feature = "image")]
mod verdicts_unreadable;
#[cfg(feature = "image")]
mod verify;
