//! The job *dups*: files, and folders, of one content.
//!
//! [`run`] walks the [`Request`]'s input, and reads as little of it as proves the answer: files of
//! a size that no other has are not opened; of files that are longer than a block the first block,
//! then the last one, are compared; the rest is read whole, in lanes, and only files with the same
//! cryptographic digest are a [`Group`]. A file that changes meanwhile is an error and in no group.
//! Names of one inode are one copy. A [`Keep`] says which copy of a group stays. Nothing is ever
//! deleted: a user may run a [`Script`].
//!
//! ```
//! use pfh::dups::{self, Event, Request};
//! use pfh::{Control, Input};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-dups-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! for (name, content) in [("one", "same"), ("two", "same"), ("other", "else")] {
//!     std::fs::write(room.join(name), content)?;
//! }
//! let mut groups = Vec::new();
//! let summary = dups::run(&Request::new(Input::new([&room])), &mut |event| {
//!     if let Event::Group(group) = event {
//!         groups.push((group.size, group.copies.len()));
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((groups, summary.reclaimable), (vec![(4, 2)], 4));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod chunks;
mod event;
mod folders;
mod found;
mod group;
mod grouping;
mod problem;
mod request;
mod row;
mod rule;
mod script;
mod shared;
mod stages;
mod steps;
mod store;
mod summary;

pub use chunks::{Chunking, Store, UnknownChunking};
pub use event::{Event, Events};
pub use group::{Copy, Folders, Group, SharedPair};
pub use pfh_report::size_text;
pub use problem::Problem;
pub use request::Request;
pub use row::{DupsSum, FoldersRow, GroupRow, SharedRow, SkippedRow, UnreadRow};
pub use rule::{Action, Keep, UnknownWord};
pub use script::Script;
pub use summary::Summary;

use crate::job::Error;
use found::DuplicateFiles;
use pfh_engine::Control;
use stages::Stages;

/// Finds files and folders of one content.
///
/// # Errors
/// When the request makes no sense, the caller ended the job, or an event was refused. A file that
/// cannot be read is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let algorithm = request.algorithm()?;
    let mut summary = Summary::new(algorithm);
    let found = found::walk(request, &mut summary, events, control)?;
    let mut stages = Stages::new(request, &found.files, &mut summary, events, control);
    let members = stages.run(algorithm)?;
    let failed = stages.into_failed();
    let groups = grouping::groups(request, &found, members)?;
    for group in &groups {
        summary.add(group, request.action.is_link());
        events(Event::Group(group)).map_err(Error::Sink)?;
    }
    let folders = folders(request, &found, &groups, &failed);
    for folders in &folders {
        events(Event::Folders(folders)).map_err(Error::Sink)?;
    }
    summary.folders = folders.len() as u64;
    if let Some(chunking) = request.chunking {
        summary.store =
            Some(store::measure((request, chunking), (&found.files, &groups), &mut summary, events, control)?);
    }
    Ok(summary)
}

/// The same, and writes the script that the request names.
///
/// # Errors
/// As [`run`], and when the script cannot be written.
pub fn write(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut script = request.script.as_ref().map(|path| Script::doing(path, request.action.clone()));
    let mut both = |event: Event<'_>| {
        script.iter_mut().for_each(|script| script.take(&event));
        events(event)
    };
    let summary = run(request, &mut both, control)?;
    script.map_or(Ok(()), Script::finish)?;
    Ok(summary)
}

/// Folders are compared only if each file in them was looked at.
fn folders(request: &Request, found: &DuplicateFiles, groups: &[Group], failed: &[usize]) -> Vec<Folders> {
    if request.is_whole() { folders::equal(found, groups, failed) } else { Vec::new() }
}
