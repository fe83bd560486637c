//! The jobs through the library: rows, errors and left files.
#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "some tests, and what they alone use, are of Unix"))]

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
mod bag_suite;
#[cfg(feature = "inside")]
mod cat;
mod catalogues;
mod check;
mod check_audit;
mod check_formats;
mod check_gnu;
mod check_others;
mod check_rhash;
#[cfg(any(feature = "audit", feature = "image"))]
mod check_seals;
mod check_whole;
mod compare;
mod compare_all;
mod compare_brute;
mod compare_common;
mod compare_content;
#[cfg(feature = "inside")]
mod compare_documents;
mod compare_imports;
mod compare_kinds;
mod compare_lists;
mod compare_order;
mod compare_pictures;
mod compare_random;
mod compare_segments;
mod compare_shown;
mod compare_tables;
mod compare_templates;
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
mod executable;
mod export_rows;
#[cfg(all(feature = "audit", feature = "known"))]
mod guarded;
mod hash;
mod hash_peers;
mod hash_values;
#[cfg(feature = "image")]
mod imaged;
#[cfg(feature = "inside")]
mod inside;
#[cfg(feature = "inside")]
mod inside_account;
#[cfg(feature = "inside")]
mod inside_archives;
#[cfg(feature = "inside")]
mod inside_decoding;
#[cfg(feature = "inside")]
mod inside_documents;
#[cfg(feature = "inside")]
mod inside_encrypted;
mod inside_erofs;
#[cfg(feature = "inside")]
mod inside_evidence;
#[cfg(feature = "inside")]
mod inside_images;
#[cfg(feature = "inside")]
mod inside_media;
#[cfg(feature = "inside")]
mod inside_peers;
#[cfg(feature = "inside")]
mod inside_sets;
#[cfg(feature = "inside")]
mod inside_squash;
#[cfg(feature = "inside")]
mod inside_unread;
#[cfg(feature = "inside")]
mod inside_xfs;
mod keyed;
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
#[cfg(feature = "audit")]
mod locks;
#[cfg(feature = "known")]
mod match_peers;
#[cfg(feature = "known")]
mod match_similar;
#[cfg(feature = "known")]
mod matching;
mod own_algorithm;
mod own_method;
mod plan;
mod plan_base;
mod plan_ranges;
mod plan_units;
mod queue;
mod report;
mod report_faults;
mod room;
mod rows;
#[cfg(all(feature = "inside", feature = "known"))]
mod sectors;
#[cfg(all(feature = "inside", feature = "known"))]
mod sectors_images;
mod selecting;
#[cfg(all(feature = "image", feature = "inside"))]
mod selftest;
mod share;
#[cfg(feature = "image")]
mod signed;
#[cfg(feature = "remote")]
mod stated;
#[cfg(feature = "audit")]
mod tree;
#[cfg(feature = "audit")]
mod tree_catalogue;
#[cfg(feature = "audit")]
mod tree_changes;
#[cfg(feature = "audit")]
mod tree_keys;
#[cfg(feature = "audit")]
mod tree_levels;
#[cfg(feature = "audit")]
mod tree_proofs;
#[cfg(feature = "audit")]
mod tree_receive;
#[cfg(feature = "audit")]
mod tree_sound;
#[cfg(feature = "audit")]
mod trees;
mod update;
mod update_places;
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
