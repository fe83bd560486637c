//! Signals, events and the exit, as `pfh acquire` and `pfh dd` share them.

use crate::exit::{Exit, Failure};
use crate::session::Session;
use crate::size;
use clap::Args;
use pfh::acquire::{Event, Summary};
use pfh::imaging::Ring;
use pfh::terminal::render as shown;
use std::path::Path;

/// The ring between the reader and the ends.
#[derive(Debug, Clone, Copy, Args)]
pub struct Blocks {
    /// Size of a block between reading, hashing and writing: a multiple of 4096 [default: 1MiB].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub block: Option<u64>,
    /// Number of blocks [default: 64 MiB of them, at least 5].
    #[arg(long, value_name = "N")]
    pub blocks: Option<u64>,
}

impl Blocks {
    /// The ring, if anything of it is asked for.
    ///
    /// # Errors
    /// When there can be none such.
    pub fn ring(self) -> Result<Option<Ring>, Failure> {
        if self.block.is_none() && self.blocks.is_none() {
            return Ok(None);
        }
        let ring = Ring::new(self.block, self.blocks);
        ring.map(Some).map_err(|error| Failure::usage(crate::remedy::acquire::ring(&error)))
    }
}

/// A path as a terminal may see it.
pub fn name(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

/// Begins to catch signals and to show progress.
///
/// # Errors
/// When signals cannot be caught.
pub fn session(progress: bool) -> Result<Session, Failure> {
    Session::open(progress)
}

/// Prints an event that people must know.
pub fn say(session: &Session, event: &Event<'_>) {
    sentence(event).iter().for_each(|sentence| session.message(sentence));
}

/// An event that people must know, as a sentence.
pub fn sentence(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Mounted { .. } | Event::Departure { .. } | Event::Remark(_) | Event::Resumed { .. } => {
            Some(event.to_string())
        }
        Event::NotStamped { .. }
        | Event::Hidden(_)
        | Event::TargetFailed(_)
        | Event::Retried { .. }
        | Event::SourceChanged { .. } => Some(event.to_string()),
        Event::Unchanged { .. } | Event::NothingToRetry => Some(event.to_string()),
        Event::CanRetry => Some("unreadable sectors are tried again with --retry-bad".to_owned()),
        _ => None,
    }
}

/// The message that a target differs from the bytes read, by its name.
pub fn misread(name: &str) -> String {
    format!("{name}: the bytes read back differ from those of the source")
}

/// The exit of an acquisition that ended.
pub fn exit(summary: &Summary) -> Exit {
    let is_stamped = !matches!(summary.stamped, Some(Err(_)));
    if !summary.lost.is_empty() {
        // A target's image is not complete, even if the others are.
        return Exit::Aborted;
    }
    match (summary.differs(), summary.is_complete() && is_stamped) {
        (true, _) => Exit::Verdict,
        (false, true) => Exit::Good,
        (false, false) => Exit::Incomplete,
    }
}
