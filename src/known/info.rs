//! `info`: the contents of a known-set file.

use super::{DEFAULT_RESIDENT, KnownSet, Set, SetError};
use crate::job::Error;
use crate::matching::opening;
use pfh_engine::Control;
use std::io;
use std::path::PathBuf;

/// A known-set file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// All of it is read and compared with the digest that it states.
    pub verify: bool,
}

impl Request {
    /// The statements of this file on itself, not verified.
    pub fn new(file: impl Into<PathBuf>) -> Request {
        Request { file: file.into(), verify: false }
    }
}

/// The content of the file.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A set.
    Set(&'a Set),
}

/// Receives the events. An error ends the job with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The contents of the file.
#[non_exhaustive]
pub struct Summary {
    /// The file.
    pub known: KnownSet,
    /// The BLAKE3 digest of the whole, if it was verified.
    pub digest: Option<[u8; 32]>,
    /// The names of the sets that hold the empty file's digest.
    pub empties: Vec<String>,
}

/// Describes the file. Nothing is written.
///
/// # Errors
/// When the file cannot be read, is not a known-set file, or is damaged.
pub fn run(request: &Request, events: &mut Events<'_>, _control: &Control<'_>) -> Result<Summary, Error> {
    let known = KnownSet::open(&request.file, DEFAULT_RESIDENT).map_err(opening)?;
    known.sets().iter().try_for_each(|set| events(Event::Set(set))).map_err(Error::Sink)?;
    let judged = |error| match error {
        SetError::Damaged(..) => Error::negative(error),
        error => error.into(),
    };
    let digest = request.verify.then(|| known.verify()).transpose().map_err(judged)?;
    let empties = empties(&known)?;
    Ok(Summary { known, digest, empties })
}

/// The sets that hold the empty file's digest, by name.
fn empties(known: &KnownSet) -> Result<Vec<String>, Error> {
    let mut names: Vec<String> = Vec::new();
    for (algorithm, _) in known.algorithms() {
        for hit in known.find_certain(&algorithm.digest(b""))?.iter().flat_map(|hits| hits.iter()) {
            let name = &known.sets()[hit.set].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    Ok(names)
}
