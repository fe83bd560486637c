//! pfh acquires, fingerprints, matches and audits data, and never gives a digest that it cannot
//! stand behind.
//!
//! # Contents
//! This crate is the library behind the command `pfh`. Each command is a *job*: a module
//! with a `Request`, whose constructor resolves all defaults, and `run(&Request, &mut Events,
//! &Control) -> Result<Summary, job::Error>`. The events carry the result rows. A job prints
//! nothing; lists and pages are written by adapters that take the events.
//!
//! # When
//! | to | use | example |
//! |---|---|---|
//! | hash files and trees into a manifest | [`hash`] | `examples/hash_tree.rs` |
//! | hash in units on many machines, one manifest in the end | [`plan`] | |
//! | verify files by a manifest, or audit a tree | [`check`] | |
//! | bring a manifest up to date | [`update`] | |
//! | find what differs between two directories or lists | [`diff`] | |
//! | make and validate packages with their manifests (BagIt) | [`bag`] | |
//! | find files and folders of one content | [`dups`] | |
//! | look files up in known sets, or find similar ones in a list | [`matching`], [`matching::similar`] | `examples/matching.rs` |
//! | find all pairs of similar files | [`compare`] | `examples/compare.rs` |
//! | compile known sets, look digests up | [`known`] | `examples/known_set.rs` |
//! | acquire a medium, verify an image | [`acquire`], [`verify`], [`dd`] | `examples/acquire.rs` |
//! | list the disks of this machine | [`disks`] | |
//! | find what changed in a large file, prove a part of it | [`tree`] | `examples/tree.rs` |
//! | audit a storage server | [`audit`] | |
//! | show what other jobs wrote on one page | [`report`] | |
//! | have the bytes of one member of an image or archive | [`cat`] | |
//! | see the case data and stored digests of an image | [`info`] | |
//! | write members of an image or archive as files | [`extract`] | |
//! | make a timeline or a table of a result | [`export`] | |
//! | ask as the paper's own command line does | [`paper`] | |
//! | have the digests themselves, one record per input | [`hash::records`], [`run`](run()) below | |
//! | have the digest of one file, or of bytes | [`hash_file`], [`sha256`] | |
//! | hash many messages that are in memory | [`hash_many`], [`update_many`] | `examples/many_messages.rs` |
//! | hash messages that arrive one by one | [`Queue`] | `examples/records.rs` |
//! | hash by an algorithm of your own | [`digest::Row`] | `examples/own_algorithm.rs` |
//!
//! # How
//! A [`Control`] cancels any job and follows its [`Progress`]. Events come while the job runs; the
//! summary has the verdict. A job's error is a [`job::Error`]: its [`kind`](job::Error::kind) says
//! whether the request was refused, the answer is negative, nothing was found out, or the output is
//! incomplete. An [`Algorithm`] of any kind is parsed from its name.
//!
//! Without a job, a source is read once, every algorithm sees every byte, and one record per input
//! goes to a sink, in input order:
//!
//! ```
//! use pfh::{Algorithm, Control, Descend, Operands, Outcome, Plan, Record, Recurse};
//!
//! let plan = Plan::new(["sha256".parse::<Algorithm>()?, "ssdeep".parse()?]);
//! let source = Operands::new(vec!["src"], Descend { recurse: Recurse::Yes, ..Descend::default() });
//! let mut sink = |record: Record| {
//!     match &record.outcome {
//!         Outcome::Hashed(file) => println!("{}  {}", file.digests[0], String::from_utf8_lossy(&record.name)),
//!         Outcome::Skipped(why) => println!("skipped: {}", why.reason()),
//!         Outcome::Failed(problem) => println!("no digest: {problem}"),
//!     }
//!     Ok(())
//! };
//! let summary = pfh::run(Box::new(source), &plan, &mut sink, &Control::new())?;
//! assert!(summary.hashed > 0 && summary.failed == 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! On by default; without any a program pays for hashing, checking and comparing alone.
//! * `known`: sets of known digests ([`known`], [`matching`]) and the cache of digests, which bring
//!   SQLite.
//! * `audit`: trees beside files and the audit of a storage server ([`tree`], [`audit`]), which
//!   bring Ed25519 and SQLite.
//! * `serve`: audits over HTTP and pages that are served ([`report::serve`]), which bring an HTTP
//!   client.
//! * `inside`: the contents of images, file systems and archives ([`inside`]), which bring
//!   decompressors.
//! * `image`: acquisition and verification of media ([`acquire`], [`dd`], [`verify`]), and the keys
//!   that sign logs and seals, which bring Ed25519.
//!
//! Off by default: `parquet` ([`export`]), and `remote`, objects of stores among the inputs.
#![forbid(unsafe_code)]

#[cfg(feature = "known")]
pub use pfh_cache as cache;
pub use pfh_container as container;
#[cfg(any(feature = "audit", feature = "image"))]
pub use pfh_custody::key;
pub use pfh_custody::{chain, seal, stamp};
pub use pfh_digest as digest;
pub use pfh_digest::{
    Digest, Hasher, Kernels, Standing, UnknownAlgorithm, finalize_many, hash_many, hex, update_many, update_together,
};
pub use pfh_engine::imaging;
pub use pfh_engine::{
    Backend, Cancel, Control, DEFAULT_MEMORY, Division, Error, FileProgress, HashedFile, Laps, LostMessage, Mode,
    Outcome, Phase, Piece, Plan, Progress, Queue, Record, Sink, Stats, Summary, Terms, Ticket, executor, run,
};
#[cfg(feature = "inside")]
pub use pfh_inside as inside;
pub use pfh_kernel::{Costs, Isa, Row, Table, UnusedReason, tables as kernel_tables};
pub use pfh_ledger::verdict;
pub use pfh_manifest as manifest;
pub use pfh_outboard as outboard;
pub use pfh_pairs as pairs;
pub use pfh_similarity as similarity;
pub use pfh_source::os::names as name_bytes;
#[cfg(feature = "image")]
use pfh_source::os::names_in;
pub use pfh_source::{Around, Output, Time, device, image, terminal};
pub use pfh_source::{
    Cause, Descend, Entry, Extent, FindingId, FolderSource, Inside, Item, Level, LevelError, Levels, Links, Note,
    Object, Operands, Order, OrderedSource, Origin, OwnFilter, Problem, Ranges, ReadResult, Recurse, Selection,
    SelectionError, Separator, ShadowFacts, Skip, Source, Special, Stage, Stat, StoreAnswer, Stream, Streams,
    errno_name, is_address, names, total, wildcards,
};

#[cfg(feature = "image")]
pub mod acquire;
pub mod algorithms;
#[cfg(feature = "audit")]
pub mod audit;
pub mod bag;
mod bases;
mod beside;
#[cfg(feature = "inside")]
pub mod cat;
pub mod check;
pub mod compare;
#[cfg(feature = "image")]
pub mod dd;
mod destination;
pub mod diff;
#[cfg(feature = "image")]
pub mod disks;
pub mod dry;
pub mod dups;
mod errno;
pub mod export;
#[cfg(feature = "inside")]
pub mod extract;
pub mod hash;
pub mod info;
mod input;
pub mod job;
#[cfg(feature = "known")]
pub mod known;
#[cfg(feature = "inside")]
pub mod list;
mod many;
#[cfg(feature = "known")]
pub mod matching;
mod objects;
pub mod outputs;
mod own;
pub mod paper;
mod pass;
pub mod plan;
#[doc(hidden)]
pub mod process;
pub mod report;
#[cfg(all(feature = "image", feature = "inside"))]
pub mod selftest;
#[cfg(feature = "image")]
mod splitmix;
#[cfg(feature = "remote")]
pub mod stated;
#[cfg(feature = "audit")]
pub mod tree;
pub mod update;
#[cfg(feature = "image")]
pub mod verify;

pub use algorithms::{Algorithm, REGISTRY, Secret, SecretError};
pub use destination::{Destination, OpenError};
pub use errno::with_names;
pub use hash::{hash_file, sha256};
pub use input::{Addresses, Content, Input, InputError, NameList};
pub use many::{hash_many_on, hash_many_until};
pub use verdict::Verdict;
