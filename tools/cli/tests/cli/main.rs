//! The program from outside: one binary, so that it is linked once. A file a subject; `cargo test
//! -p pfh-cli --test cli check::` runs one of them.
//!
//! Of Unix alone are those that need links, FIFOs, devices, permissions, signals, FUSE or a shell.
#![cfg_attr(windows, allow(dead_code, unused_imports, reason = "some tests, and what they alone use, are of Unix"))]

#[cfg(unix)]
mod acquire_beside;
mod acquire_blocks;
#[cfg(unix)]
mod acquire_case;
mod acquire_dry;
#[cfg(unix)]
mod acquire_empty;
#[cfg(unix)]
mod acquire_hashed;
#[cfg(unix)]
mod acquire_health;
#[cfg(unix)]
mod acquire_identity;
#[cfg(unix)]
mod acquire_images;
#[cfg(unix)]
mod acquire_model;
#[cfg(unix)]
mod acquire_passphrase;
#[cfg(unix)]
mod acquire_refused;
#[cfg(unix)]
mod acquire_resumed;
mod acquire_salvage;
#[cfg(unix)]
mod acquire_sources;
#[cfg(unix)]
mod acquire_spilled;
#[cfg(unix)]
mod acquire_stamped;
#[cfg(unix)]
mod acquire_targets;
mod acquire_words;
#[cfg(unix)]
mod any_settings;
#[cfg(unix)]
mod audit;
#[cfg(unix)]
mod audit_sound;
#[cfg(unix)]
mod audit_words;
#[cfg(unix)]
mod audited;
#[cfg(unix)]
mod b3sum_cases;
mod bag;
#[cfg(all(unix, feature = "bench"))]
mod bench;
#[cfg(unix)]
mod cache;
#[cfg(unix)]
mod campaign_errno;
#[cfg(unix)]
mod campaign_power;
#[cfg(unix)]
mod campaign_signals;
mod cat;
#[cfg(unix)]
mod causes;
mod cftt;
mod check;
#[cfg(unix)]
mod check_whole;
#[cfg(unix)]
mod closing;
#[cfg(unix)]
mod closing_plurals;
#[cfg(unix)]
mod closing_stopped;
#[cfg(unix)]
mod closing_table;
#[cfg(unix)]
mod closing_whole;
#[cfg(unix)]
mod command_line;
mod compare;
#[cfg(unix)]
mod compare_page;
#[cfg(unix)]
mod conformance;
#[cfg(unix)]
mod containers;
#[cfg(unix)]
mod dd;
#[cfg(unix)]
mod defaults;
mod diff;
#[cfg(unix)]
mod disks;
#[cfg(unix)]
mod dups;
#[cfg(unix)]
mod export;
#[cfg(unix)]
mod faults_a_changing;
#[cfg(unix)]
mod faults_a_reading;
#[cfg(unix)]
mod faults_b_walking;
#[cfg(unix)]
mod faults_c_output;
#[cfg(unix)]
mod faults_d_resources;
#[cfg(unix)]
mod faults_e_unending;
mod faults_page;
#[cfg(all(unix, feature = "bench"))]
mod forecast;
#[cfg(unix)]
mod gnu_cases;
#[cfg(unix)]
mod guesses;
#[cfg(unix)]
mod guides;
#[cfg(unix)]
mod hash_check;
mod hash_similarity;
#[cfg(unix)]
mod hashdeep_cases;
mod help_pages;
#[cfg(unix)]
mod inside;
#[cfg(unix)]
mod inside_encrypted;
#[cfg(unix)]
mod inside_members;
#[cfg(unix)]
mod inside_outputs;
#[cfg(unix)]
mod inside_places;
#[cfg(unix)]
mod inside_sectors;
#[cfg(unix)]
mod inside_unallocated;
#[cfg(unix)]
mod inside_unread;
#[cfg(unix)]
mod inside_volumes;
#[cfg(unix)]
mod kept_files;
#[cfg(unix)]
mod kernels;
mod keyed;
#[cfg(unix)]
mod keys;
#[cfg(unix)]
mod known_lists;
#[cfg(unix)]
mod manner;
mod match_similar;
mod matching;
#[cfg(unix)]
mod outputs;
#[cfg(unix)]
mod outputs_devices;
#[cfg(unix)]
mod outputs_places;
#[cfg(unix)]
mod outputs_reads;
#[cfg(unix)]
mod panics;
#[cfg(unix)]
mod paper;
#[cfg(unix)]
mod papers_page;
#[cfg(unix)]
mod plan;
#[cfg(unix)]
mod plan_slurm;
#[cfg(unix)]
mod plan_split;
mod program;
#[cfg(unix)]
mod reading_devices;
#[cfg(unix)]
mod received;
#[cfg(all(unix, feature = "remote"))]
mod remote;
#[cfg(unix)]
mod report;
#[cfg(all(unix, feature = "serve"))]
mod report_live;
mod report_unfinished;
#[cfg(unix)]
mod schemas;
#[cfg(all(unix, feature = "screen"))]
mod screen;
mod second_command;
#[cfg(unix)]
mod sectors;
mod selecting;
mod share;
#[cfg(unix)]
mod streams;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod tree;
mod tree_catalogue;
mod tree_modes;
#[cfg(unix)]
mod tree_sound;
mod tree_words;
#[cfg(unix)]
mod update;
mod verify;
#[cfg(unix)]
mod watching;
