//! Verifying an image: files that state its digests are looked for, the image is read once, and
//! each statement is compared.
//!
//! Evidence is the caller's digests, the digests inside an E01, Ex01, AFF4 or DMG image, and the
//! files beside the image: its chained log (`IMAGE.log.jsonl`), its map (`IMAGE.map`), lists of
//! digests that name it, and logs of dc3dd, dcfldd and `pfh dd`. Each comparison states its
//! coverage, and [`verdict`](crate::verdict::verdict) computes the result from all of them:
//! *verified* if every byte of both sides is covered and equal, or the evidence itself states that
//! a part is outside; *differs* where two things were compared and are unequal; else *nothing to
//! compare with*, or not with all.
//!
//! ```
//! use pfh::{Control, verify};
//!
//! # let directory = std::env::temp_dir().join(format!("pfh-verify-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! let image = directory.join("disk.img");
//! std::fs::write(&image, "abc")?;
//! std::fs::write(directory.join("disk.img.md5"), "900150983cd24fb0d6963f7d28e17f72  disk.img\n")?;
//! let summary = verify::run(&verify::Request::image(&image), &mut |_| Ok(()), &Control::new())?;
//! assert_eq!(summary.verdict(), verify::Verdict::Verified);
//! assert!(summary.sentence().contains("disk.img.md5"));
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod again;
mod against;
mod claim;
mod event;
mod evidence;
mod examine;
mod findings;
mod imager;
mod inside;
mod listed;
mod log;
mod opening;
mod placing;
mod problem;
mod reading;
mod repeat;
mod request;
mod row;
mod stamp;

use crate::job::Error;
use crate::verdict::Subject;
use findings::Findings;
use log::{Key, Standing};
use pfh_engine::Control;

pub use crate::verdict::Verdict;
pub use claim::{Claim, Of};
pub use event::{Event, Events, Finding};
pub use findings::Summary;
pub(crate) use imager::place_line;
pub use problem::Problem;
pub use repeat::Repeat;
pub use request::Request;
pub use row::VerificationRow;

/// Verifies an image, or a log. Nothing is written. A cancelled run has [`Problem::Stopped`] or
/// [`Problem::Cancelled`].
///
/// # Errors
/// When there is nothing that could be verified, or the job is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let key: Key = request.resolved()?;
    let mut wanted = vec![if request.image.is_some() { Subject::Image } else { Subject::Log }];
    wanted.extend(request.key.as_ref().map(|_| Subject::Signer));
    let mut findings = Findings::new(events, wanted, request.levels.clone());
    let mut log = None;
    if let Some(path) = &request.log {
        // The log of another imaging tool is evidence on an image, and on nothing else.
        if request.image.is_none() || !imager::is_one(path) {
            log = log::load(path, Standing::Given, &key, &mut findings)?;
        }
    }
    match (&request.image, log) {
        (Some(path), log) => examine::run(request, path, log, &key, &mut findings, control)?,
        (None, Some(log)) => {
            log.beside(None, &mut findings);
            stamp::beside(&log, request.timestamp_ca.as_deref(), &mut findings);
        }
        (None, None) => {}
    }
    findings.go_on()?;
    Ok(findings.summary)
}
