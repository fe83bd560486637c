//! The jobs through the library: rows, errors and what is left behind.

#[cfg(feature = "image")]
mod acquire;
#[cfg(feature = "image")]
mod acquire_again;
#[cfg(feature = "image")]
mod acquire_beside;
#[cfg(feature = "image")]
mod acquire_images;
#[cfg(feature = "image")]
mod acquire_media;
#[cfg(feature = "image")]
mod acquire_pieces;
#[cfg(feature = "image")]
mod acquire_places;
#[cfg(feature = "image")]
mod acquire_resumed;
#[cfg(feature = "audit")]
mod audit;
#[cfg(feature = "serve")]
mod audit_answers;
#[cfg(feature = "serve")]
mod audit_server;
#[cfg(feature = "serve")]
mod audit_sets;
#[cfg(feature = "serve")]
mod audited;
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
#[cfg(feature = "image")]
mod imaged;
#[cfg(feature = "inside")]
mod inside;
#[cfg(feature = "inside")]
mod inside_archives;
#[cfg(feature = "inside")]
mod inside_images;
#[cfg(feature = "inside")]
mod inside_peers;
#[cfg(feature = "inside")]
mod inside_unread;
#[cfg(feature = "known")]
mod known;
#[cfg(feature = "inside")]
mod list;
#[cfg(feature = "known")]
mod matching;
mod plan;
mod report;
mod report_faults;
mod room;
mod share;
#[cfg(feature = "remote")]
mod stated;
#[cfg(feature = "audit")]
mod tree;
#[cfg(feature = "audit")]
mod tree_catalogue;
#[cfg(feature = "audit")]
mod tree_changes;
#[cfg(feature = "audit")]
mod tree_levels;
#[cfg(feature = "audit")]
mod tree_proofs;
#[cfg(feature = "audit")]
mod tree_sound;
#[cfg(feature = "audit")]
mod trees;
mod update;
#[cfg(feature = "image")]
mod verdicts;
#[cfg(feature = "image")]
mod verdicts_unreadable;
#[cfg(feature = "image")]
mod verify;
#[cfg(feature = "image")]
mod verify_imagers;
#[cfg(feature = "image")]
mod verify_images;
#[cfg(feature = "image")]
mod verify_logs;
