//! The job *plan*: a run of [`hash`](crate::hash) in units, which any number of processes and
//! machines carry out, in any order and any number of times.
//!
//! [`make`] lists the inputs and packs them into units of about equal size; [`mod@unit`] hashes one
//! of them; [`merge`] writes the manifest, which is that of one run, byte for byte. A plan is a
//! directory that all of them see. Under tree hashes a large file may be split into ranges, which
//! are units of their own. Units share nothing, so that a scheduler needs to know nothing of pfh:
//! `docs/cluster.md` has examples.
//!
//! ```
//! use pfh::plan::{make, merge, unit};
//! use pfh::{Control, Input, Recurse};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-plan-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let (plan, list) = (room.join("plan"), room.join("list"));
//! let input = Input::new(["src"]).recurse(Recurse::Yes);
//! let request = make::Request::new(input, vec!["sha256".parse()?], &plan).unit(64 << 10);
//! let made = make::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! for number in 1..=made.units {
//!     unit::run(&unit::Request::new(&plan, number), &mut |_event| Ok(()), &Control::new())?;
//! }
//! let (request, manifest) = (merge::Request::new(&plan), merge::Manifest::new(&list));
//! let merged = merge::write(&request, &manifest, &mut |_event| Ok(()), &Control::new())?;
//! assert!(made.units > 1 && merged.run.hashed == made.files);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base;
mod document;
mod event;
mod join;
pub mod make;
pub mod merge;
mod pack;
mod part;
mod problem;
mod progress;
mod range;
mod row;
pub mod unit;

pub use document::Row;
pub use event::{Event, Events, MergedRecord};
pub use problem::Problem;
pub use progress::{Progress, progress};
pub use row::MadeRow;
