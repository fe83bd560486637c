//! The job *dups*: files, and folders, of one content.
//!
//! [`run`] walks the [`Request`]'s input, and reads as little of it as proves the answer: files of
//! a size that no other has are not opened; of files that are longer than a block the first block,
//! then the last one, are compared; what is left is read whole, in lanes, and only files with the
//! same cryptographic digest are a [`Group`]. A file that changes meanwhile is an error and in no
//! group. Names of one inode are one copy. Nothing is ever deleted: `script` writes what a user
//! may run.
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
mod error;
mod event;
mod folders;
mod found;
mod group;
mod grouping;
mod report;
mod request;
mod script;
mod stages;
mod store;
mod summary;

pub use chunks::{Chunking, Store, UnknownChunking};
pub use error::Error;
pub use event::{Event, Sink};
pub use group::{Copy, Folders, Group};
pub use pfh_report::size_text;
pub use report::{folders_json, folders_text, group_json, group_text, redundant, redundant_text, summary_json};
pub use request::Request;
pub use summary::Summary;

use found::Found;
use pfh_engine::Control;
use pfh_source::Output;
use stages::Stages;
use std::io::Write;

/// Finds files and folders of one content.
///
/// # Errors
/// When the request makes no sense or the script cannot be written, the caller ended the job, or
/// the sink refused an event. A file that cannot be read is an event, and no error.
pub fn run(request: &Request, sink: &mut Sink<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let algorithm = request.algorithm()?;
    request.input.check()?;
    request.outputs().check()?;
    let mut summary = Summary::new(algorithm);
    let found = found::walk(request, &mut summary, sink, control)?;
    let mut stages = Stages::new(request, &found.files, &mut summary, sink, control);
    let members = stages.run(algorithm)?;
    let failed = stages.into_failed();
    let groups = grouping::groups(&found.files, members);
    for group in &groups {
        summary.add(group);
        sink(Event::Group(group)).map_err(Error::Sink)?;
    }
    let folders = folders(request, &found, &groups, &failed);
    for folders in &folders {
        sink(Event::Folders(folders)).map_err(Error::Sink)?;
    }
    summary.folders = folders.len() as u64;
    if let Some(chunking) = request.chunking {
        summary.store = Some(store::measure(request, chunking, &found.files, &mut summary, sink, control)?);
    }
    if let Some(path) = &request.script {
        let failed = |error| Error::Script { path: path.clone(), error };
        let mut output = Output::file(path).map_err(failed)?;
        output.write_all(&script::script(&groups)).map_err(failed)?;
        output.commit().map_err(failed)?;
    }
    Ok(summary)
}

/// Folders are compared only if each file in them was looked at.
fn folders(request: &Request, found: &Found, groups: &[Group], failed: &[usize]) -> Vec<Folders> {
    if request.is_whole() { folders::equal(found, groups, failed) } else { Vec::new() }
}
