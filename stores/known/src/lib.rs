//! Sets of known digests: published by others, compiled into one file, and looked up there.
//!
//! A [`Build`] reads any number of sets and writes a file that a [`KnownSet`] opens in milliseconds
//! at any size.
//!
//! ```
//! use pfh_known::{Build, Class, DEFAULT_MEMORY, DEFAULT_RESIDENT, Input, KnownSet};
//!
//! # let directory = std::env::temp_dir().join(format!("pfh-known-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! let list = directory.join("malware.txt");
//! std::fs::write(&list, "900150983cd24fb0d6963f7d28e17f72\n")?;
//! let build = Build {
//!     inputs: vec![Input::new(&list, Class::Bad)],
//!     output: directory.join("known"),
//!     work: None,
//!     memory: DEFAULT_MEMORY,
//!     fault: &mut |path, line, fault| panic!("{}:{line}: {fault}", path.display()),
//!     progress: &mut |_| {},
//!     cancel: Default::default(),
//! };
//! assert_eq!(build.run()?.digests, [("md5".to_owned(), 1)]);
//!
//! let known = KnownSet::open(&directory.join("known"), DEFAULT_RESIDENT)?;
//! let md5: pfh_digest::Algorithm = "md5".parse()?;
//! let hits = known.find(&md5.digest(b"abc"))?;
//! assert_eq!((known.sets()[hits[0].set].name.as_str(), &hits[0].class), ("malware", &Class::Bad));
//! assert!(known.find(&md5.digest(b"abd"))?.is_empty());
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod blocks;
mod bloom;
mod build;
mod class;
mod error;
mod file;
mod input;
mod intake;
mod journal;
mod layout;
mod merge;
mod read;
mod record;
mod row;
mod sets;
mod sqlite;
mod table;
mod write;

pub use blocks::{
    Block, BlockBuild, BlockFile, BlockPlace, BlockTable, BlocksBuilt, COMMON, Flag, Rolling, SIZES, Sieve, block_sizes,
};
pub use build::{Build, BuildResult, DEFAULT_MEMORY, Pace, Step};
pub use class::{Class, KnownStatus, MalformedClass};
pub use error::Error;
pub use file::{Certainty, DEFAULT_RESIDENT, EachDigest, Hit, KnownSet, is_known_set};
pub use input::{Input, Packages};
pub use layout::PLACES;
pub use read::is_set;
pub use sets::{BlockCount, Set};
pub use sqlite::is_database;
pub use sqlite::kdb::Kdb;
