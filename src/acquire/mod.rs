//! Acquiring a medium: a disk, a file or an image into raw, split or E01 images, hashed on the way.
//!
//! The source is read once into all targets and digests. Beside the targets lie a map, by which an
//! interrupted acquisition is resumed; a log for people; and a chained log, which can be signed,
//! and which `pfh verify` and [`verify`](crate::verify) compare with the image. [`run`] is all that
//! `pfh acquire` and `pfh dd` call.
//!
//! ```
//! use pfh::acquire::{self, ImageFormat, Origin, Request, To};
//! use pfh::{Control, verify};
//!
//! # let directory = std::env::temp_dir().join(format!("pfh-acquire-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # let disk = directory.join("disk");
//! std::fs::write(&disk, "evidence")?;
//! let image = directory.join("disk.img");
//! let mut request = Request::new(Origin::Medium(disk), vec![To { path: image.clone(), form: ImageFormat::RAW }]);
//! request.about.examiner = "E. Xaminer".into();
//! let summary = acquire::run(&request, &mut |event| Ok(println!("{event}")), &Control::new())?;
//! assert!(summary.is_complete() && summary.imaged.bytes == 8);
//!
//! let verified = verify::run(&verify::Request::image(&image), &mut |_| Ok(()), &Control::new())?;
//! assert_eq!(verified.verdict(), verify::Verdict::Verified);
//! assert!(verified.sentence().contains("disk.img.log.jsonl"));
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod again;
mod carry;
pub mod case;
mod checking;
mod comparing;
pub mod entry;
mod event;
mod facts;
mod guarding;
mod health;
mod hidden;
mod host;
pub mod identity;
mod intended;
mod late;
mod layout;
mod log;
pub mod logged;
mod naming;
pub(crate) mod part;
mod places;
mod problem;
mod reading;
mod remarks;
mod request;
mod resolved;
mod resuming;
mod retrying;
mod row;
mod run;
mod sampling;
pub mod sectors;
mod session;
mod stamping;

pub(crate) use comparing::{ComparisonError, Sides, without};
pub use comparing::{TargetComparison, compare};
#[cfg(feature = "schema")]
pub use event::Fact;
use event::send;
pub use event::{Beginning, Event, Events, Facts, LostTarget, Summary};
pub use hidden::HiddenRow;
pub use intended::{Intention, PlannedFile, Step, intend};
pub use layout::{Layout, TargetForm, pattern};
pub use naming::{named_after, own_name};
pub use pfh_container::ewf::CaseData;
pub use pfh_writer::{Pieces, Start};
pub(crate) use places::is_pipe;
pub use problem::{Foreign, LogError, Problem};
pub use reading::{RETRIES, Reading};
pub use request::{ImageFormat, Origin, Request, To};
pub(crate) use resolved::Settings;
use retrying::{RetryOutcome, RetryRanges};
pub use row::AcquisitionRow;
pub use run::run;
pub(crate) use session::Session;
pub(crate) use stamping::sha256 as line_digest;
pub use stamping::{StampFile, stamp_name};
