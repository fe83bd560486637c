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
    /// Size of a block between reading, hashing and writing: a multiple of 4096, or auto, by the
    /// measured rate [default: 1MiB]. The time to fill one is added at the start and at the end.
    #[arg(long, value_name = "SIZE", value_parser = block)]
    pub block: Option<Block>,
    /// Number of blocks [default: 64 MiB of them, at least 5].
    #[arg(long, value_name = "N")]
    pub blocks: Option<u64>,
}

/// The size of a block.
#[derive(Debug, Clone, Copy)]
pub enum Block {
    /// By measured rates.
    Auto,
    /// Bytes.
    Bytes(u64),
}

fn block(text: &str) -> Result<Block, Failure> {
    if text == "auto" { Ok(Block::Auto) } else { size::parse(text).map(Block::Bytes) }
}

impl Blocks {
    /// The ring, if anything of it is asked for.
    ///
    /// # Errors
    /// When there can be none such.
    pub fn ring(self) -> Result<Option<Ring>, Failure> {
        let ring = match (self.block, self.blocks) {
            (None, None) => return Ok(None),
            (Some(Block::Auto), None) => return Ok(Some(Ring::measured())),
            (Some(Block::Auto), Some(_)) => {
                return Err(Failure::usage("--block auto chooses the number as well: leave out --blocks"));
            }
            (Some(Block::Bytes(block)), blocks) => Ring::new(Some(block), blocks),
            (None, blocks) => Ring::new(None, blocks),
        };
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
    if !summary.lost.is_empty() {
        // A target's image is not complete, even if the others are.
        return Exit::Aborted;
    }
    match (summary.differs(), summary.is_complete() && summary.is_stamped()) {
        (true, _) => Exit::Verdict,
        (false, true) => Exit::Good,
        (false, false) => Exit::Incomplete,
    }
}
