//! The job *known*: sets of known digests are compiled into one file, described, and asked about
//! single digests.
//!
//! [`build`] takes sets in any format that is read; [`info`] reports the contents of a known-set
//! file; [`export`] writes a set as other programs read it; [`lookup`] asks sets about digests.
//! Files are compared with sets by [`matching`](crate::matching). `docs/known.md` has the formats.
//!
//! ```
//! use pfh::known::{build, info, Class};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-known-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let (list, set) = (room.join("malware.txt"), room.join("sets.pfhknown"));
//! std::fs::write(&list, "900150983cd24fb0d6963f7d28e17f72\n")?;
//! let request = build::Request::new(&set).set(&list, Class::Bad);
//! let built = build::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!((built.faults(), built.digests), (0, vec![("md5".to_owned(), 1)]));
//! let info = info::run(&info::Request::new(&set), &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!(info.known.sets()[0].records, 1);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blocks;
pub mod build;
#[cfg(feature = "inside")]
mod contents;
pub mod export;
pub mod info;
mod list;
pub mod lookup;
mod problem;
mod row;

pub use pfh_known::{
    Block, BlockCount, BlockFile, BlockPlace, BlockTable, COMMON, Class, DEFAULT_MEMORY, DEFAULT_RESIDENT,
    Error as SetError, Flag, Input, KnownSet, KnownStatus, MalformedClass, PLACES, Packages, Set, block_sizes,
    is_known_set,
};
pub use problem::Problem;
pub use row::SetsRow;
