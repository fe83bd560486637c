//! The job *bag*: packages of files with their manifests, BagIt 1.0 (RFC 8493).
//!
//! [`validate`] compares every file of a bag with each of its manifests, of every algorithm, and
//! names errors, files that are missing because they are yet to be fetched, and points that only
//! deserve a warning. [`create`] makes a bag around a folder `data`, [`update`] makes its manifests
//! those of the files that are there now. Nothing is ever fetched, and nothing below `data` is
//! written to.
//!
//! ```
//! use pfh::bag::{self, Request};
//! use pfh::{Control, Verdict};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-bag-{}", std::process::id()));
//! std::fs::create_dir_all(room.join("data"))?;
//! std::fs::write(room.join("data/letter"), "Dear Ada")?;
//! bag::create(&Request::new(&room), &mut |_| Ok(()), &Control::new())?;
//! let summary = bag::validate(&Request::new(&room), &mut |_| Ok(()), &Control::new())?;
//! assert_eq!((summary.verdict(), summary.files), (Verdict::Verified, 1));
//! std::fs::write(room.join("data/letter"), "Dear Bob")?;
//! let summary = bag::validate(&Request::new(&room), &mut |_| Ok(()), &Control::new())?;
//! assert_eq!(summary.verdict(), Verdict::Differs);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod create;
mod declaration;
mod event;
mod files;
mod info;
mod manifests;
mod name;
mod problem;
mod request;
mod row;
mod summary;
mod text;
mod update;
mod validate;

pub use create::create;
pub use event::{Event, Events, Finding, Severity};
pub use problem::Problem;
pub use request::Request;
pub use row::{FindingRow, MadeRow, SummaryRow};
pub use summary::Summary;
pub use update::update;
pub use validate::validate;
