//! The job *audit*: whether a storage server still holds the files that it was given.
//!
//! One module a step: the owner [`commit`]s to files by their trees; the auditor makes a
//! [`challenge`], the server [`prove`]s it, and the auditor [`verify`]s the answer; `serve` and
//! `ask`, with the feature `serve`, do the same over HTTP. [`tokens`] are challenges with their
//! answers, made ahead; [`renew`] follows a change of a file without having it. [`demo`] stages an
//! attack and its failure. `docs/audit.md` has the reasons, `pfh_tree::audit` the mathematics.
//!
//! ```
//! use pfh::audit::{challenge, commit, prove, verify, Event, Status};
//! use pfh::{Control, tree};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-audit-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! # let at = |name: &str| room.join(name);
//! std::fs::write(at("disk"), vec![7; 100_000])?;
//! tree::build::run(&tree::build::Request::file(at("disk")), &mut |_| Ok(()), &Control::new())?;
//! let (quiet, control) = (&mut |_event: Event<'_>| Ok(()), &Control::new());
//! commit::run(&commit::Request::new([at("disk")]).output(at("kept")), quiet, control)?;
//! challenge::run(&challenge::Request::new(at("kept")).output(at("challenge")), quiet, control)?;
//! prove::run(&prove::Request::new(at("challenge"), at("disk")).output(at("answer")), quiet, control)?;
//! let request = verify::Request::new(at("kept"), at("challenge"), at("answer"));
//! let verdict = verify::run(&request, quiet, control)?;
//! assert_eq!(verdict.status(), Status::Proved);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "serve")]
pub mod ask;
pub mod challenge;
pub mod commit;
mod copy;
pub mod demo;
mod event;
mod extent;
mod files;
mod problem;
pub mod prove;
pub mod renew;
mod renewed;
mod row;
mod scene;
mod sentence;
#[cfg(feature = "serve")]
pub mod serve;
pub mod tokens;
#[cfg(feature = "serve")]
mod turn;
mod verdict;
pub mod verify;

use crate::job::Error;

pub use event::{Event, Events};
pub use extent::{By, Extent};
pub use pfh_audit::{Error as Wrong, KeptCommitment, Tokens, parse};
#[cfg(feature = "serve")]
pub use pfh_audit::{Limits, ServedRequest};
pub use pfh_tree::audit::Sample;
pub use problem::Problem;
pub use row::{SceneRow, VerdictRow};
pub use verdict::{AuditVerdict, Evidence, Status};
