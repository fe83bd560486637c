//! The job *audit*: whether a storage server still holds the files that it was given.
//!
//! One module a step: the owner [`commit`]s to files by their trees; the auditor makes a
//! [`challenge`], whoever stores the file [`prove`]s it, and the auditor [`verify`]s the answer;
//! [`serve`] and [`ask`] do the same over HTTP. [`tokens`] are challenges with their answers, made
//! ahead; [`renew`] follows a change of a file without having it. `docs/audit.md` has the reasons,
//! `pfh_tree::audit` the mathematics.
//!
//! ```
//! use pfh::audit::{challenge, commit, prove, verify, Status};
//! use pfh::{Control, tree};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-audit-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! # let at = |name: &str| room.join(name);
//! std::fs::write(at("disk"), vec![7; 100_000])?;
//! tree::build::run(&tree::build::Request::file(at("disk")), &mut |_| Ok(()), &Control::new())?;
//! commit::run(&commit::Request::new([at("disk")]).output(at("kept")))?;
//! challenge::run(&challenge::Request::new(at("kept")).output(at("challenge")))?;
//! prove::run(&prove::Request::new(at("challenge"), at("disk")).output(at("answer")))?;
//! let verdict = verify::run(&verify::Request::new(at("kept"), at("challenge"), at("answer")), &Control::new())?;
//! assert_eq!(verdict.status(), Status::Proved);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod ask;
pub mod challenge;
pub mod commit;
mod copy;
mod error;
mod extent;
mod files;
pub mod prove;
pub mod renew;
pub mod serve;
pub mod tokens;
mod verdict;
pub mod verify;

pub use error::Error;
pub use extent::{By, Extent};
pub use pfh_audit::{Error as Wrong, Kept, Limits, Served, Tokens, parse};
pub use pfh_tree::audit::Sample;
pub use verdict::{AuditVerdict, Evidence, Status};
