//! What a run would read, without reading it.

use crate::input::{Input, InputError};
use pfh_source::{Entry, Item, Origin, Problem, Skip, Stage};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Something that a run would meet.
#[derive(Debug)]
#[non_exhaustive]
pub enum Met<'a> {
    /// A file that would be read, and its size in bytes where it is known.
    File(&'a [u8], Option<u64>),
    /// Something that would be passed over.
    Skipped(&'a [u8], Skip),
    /// Something that cannot be listed.
    Unread(&'a [u8], &'a Problem),
}

/// What a run would meet in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files that would be read.
    pub files: u64,
    /// Their sizes, as far as they are known, in bytes.
    pub bytes: u64,
    /// What would be passed over.
    pub skipped: u64,
    /// What cannot be listed.
    pub unread: u64,
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The sink refused something.
    #[error("the output failed: {0}")]
    Sink(#[source] io::Error),
}

/// Walks an input, opens no file but containers with `--inside`, and hands over what it meets, in
/// the order in which it would be read.
///
/// # Errors
/// When the input makes no sense, and the sink's.
pub fn list(input: &Input, sink: &mut dyn FnMut(Met<'_>) -> io::Result<()>) -> Result<Counts, Error> {
    let mut source = input.as_found()?;
    let mut counts = Counts::default();
    while let Some(item) = source.pull() {
        match &item {
            Item::Entry(entry) => {
                let (name, stat) = (entry.name(), entry.look());
                match refused(entry, &name, stat.is_some()) {
                    Some(problem) => {
                        counts.unread += 1;
                        sink(Met::Unread(&name, &problem))
                    }
                    None => {
                        let size = stat.map(|stat| stat.size);
                        counts.files += 1;
                        counts.bytes += size.unwrap_or(0);
                        sink(Met::File(&name, size))
                    }
                }
            }
            Item::Settled { name, closed, .. } => {
                counts.files += 1;
                counts.bytes += closed.size;
                sink(Met::File(name, Some(closed.size)))
            }
            Item::Skipped { name, skip, .. } => {
                counts.skipped += 1;
                sink(Met::Skipped(name, *skip))
            }
            Item::Problem { name, problem, .. } => {
                counts.unread += 1;
                sink(Met::Unread(name, problem))
            }
        }
        .map_err(Error::Sink)?;
    }
    Ok(counts)
}

/// The number of "Is a directory", on Linux and the BSDs alike.
const EISDIR: i32 = 21;

/// Why an operand would not be read, so far as its name says.
fn refused(entry: &Entry, name: &[u8], is_there: bool) -> Option<Problem> {
    if !matches!(entry.origin, Origin::File { .. }) {
        return None;
    }
    let error = match std::fs::metadata(OsStr::from_bytes(name)) {
        Ok(found) if found.is_dir() => io::Error::from_raw_os_error(EISDIR),
        Ok(_) => return None,
        // What is inside of a container has no path.
        Err(_) if is_there => return None,
        Err(error) => error,
    };
    Some(Problem::io(Stage::Open, &error))
}
