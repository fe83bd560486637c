//! The jobs through the library: rows, errors and what is left behind.

#[cfg(feature = "image")]
mod acquire;
#[cfg(feature = "audit")]
mod audit;
mod bag;
mod bag_suite;
mod check;
mod check_audit;
mod check_formats;
mod check_others;
mod check_whole;
mod compare;
mod compare_brute;
mod compare_content;
mod compare_lists;
mod compare_order;
mod compare_random;
#[cfg(feature = "image")]
mod dd;
mod diff;
#[cfg(feature = "inside")]
mod diff_inside;
mod diff_sides;
#[cfg(feature = "image")]
mod disks;
mod dups;
mod dups_rules;
mod hash;
#[cfg(feature = "known")]
mod known;
#[cfg(feature = "known")]
mod known_dialects;
#[cfg(feature = "known")]
mod known_export;
#[cfg(feature = "known")]
mod known_files;
#[cfg(feature = "known")]
mod known_lists;
#[cfg(feature = "inside")]
mod list;
#[cfg(feature = "known")]
mod match_similar;
#[cfg(feature = "known")]
mod matching;
mod plan;
mod report;
mod room;
mod rows;
#[cfg(all(feature = "inside", feature = "known"))]
mod sectors;
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
