//! Which copies of a group stay, and the treatment of the others in a script.

use super::problem::Problem;
use crate::job::Error;
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::shown;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Which copy of a group stays in any case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Keep {
    /// The one that was found first.
    #[default]
    First,
    /// The one that was modified least recently.
    Oldest,
    /// The one that was modified most recently.
    Newest,
    /// The one with the shortest name, in bytes.
    Shortest,
    /// The first one below this directory; where there is none, the first.
    Under(PathBuf),
}

/// The action of a script on the copies that do not stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Action {
    /// They are removed.
    #[default]
    Remove,
    /// They become names of the copy that stays, which has the same mode and owner; times are that
    /// one's.
    HardLink,
    /// They share the storage of the copy that stays, and keep mode, owner and times.
    Reflink,
    /// They are moved below this directory, where they keep their names.
    Move(PathBuf),
}

/// A word that is not a rule or an action.
#[derive(Debug, thiserror::Error)]
#[error("{} is unknown: write {known}", shown(Path::new(word)))]
pub struct UnknownWord {
    word: std::ffi::OsString,
    known: &'static str,
}

/// The directory behind `word=`.
fn directory(text: &OsStr, word: &str) -> Option<PathBuf> {
    let rest = text.as_bytes().strip_prefix(word.as_bytes())?.strip_prefix(b"=")?;
    (!rest.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(rest)))
}

impl Keep {
    /// Reads `first`, `oldest`, `newest`, `shortest` or `under=DIR`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &OsStr) -> Result<Keep, UnknownWord> {
        let known = "first, oldest, newest, shortest or under=DIR";
        Ok(match text.as_bytes() {
            b"first" => Keep::First,
            b"oldest" => Keep::Oldest,
            b"newest" => Keep::Newest,
            b"shortest" => Keep::Shortest,
            _ => Keep::Under(directory(text, "under").ok_or_else(|| UnknownWord { word: text.to_owned(), known })?),
        })
    }
}

impl Action {
    /// Reads `remove`, `hardlink`, `reflink` or `move=DIR`.
    ///
    /// # Errors
    /// When it is none of them.
    pub fn parse(text: &OsStr) -> Result<Action, UnknownWord> {
        let known = "remove, hardlink, reflink or move=DIR";
        Ok(match text.as_bytes() {
            b"remove" => Action::Remove,
            b"hardlink" => Action::HardLink,
            b"reflink" => Action::Reflink,
            _ => Action::Move(directory(text, "move").ok_or_else(|| UnknownWord { word: text.to_owned(), known })?),
        })
    }

    /// Whether it needs both copies on one file system.
    pub(super) fn is_link(&self) -> bool {
        matches!(self, Action::HardLink | Action::Reflink)
    }
}

/// Directories, and which names are below them: by the places where they are, with all links
/// resolved.
pub struct Below {
    directories: Vec<PathBuf>,
    /// The places of directories that were asked about.
    seen: HashMap<Vec<u8>, Option<PathBuf>>,
}

impl Below {
    /// These directories.
    ///
    /// # Errors
    /// When one is not there: a name that is mistyped protects nothing.
    pub fn new<'a>(directories: impl IntoIterator<Item = &'a PathBuf>) -> Result<Below, Error> {
        let real = |path: &PathBuf| {
            let real = path.canonicalize().ok().filter(|real| real.is_dir());
            real.ok_or_else(|| Error::request(Problem::NoDirectory(path.clone())))
        };
        let directories = directories.into_iter().map(real).collect::<Result<_, Error>>()?;
        Ok(Below { directories, seen: HashMap::new() })
    }

    /// Whether a name is below one of them.
    pub fn has(&mut self, name: &[u8]) -> bool {
        if self.directories.is_empty() {
            return false;
        }
        let end = name.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at.max(1));
        let parent = if end == 0 { b"." } else { &name[..end] };
        let place = self.seen.entry(parent.to_vec());
        let place = place.or_insert_with(|| Path::new(OsStr::from_bytes(parent)).canonicalize().ok());
        // A directory that cannot be looked at is protected as well.
        place.as_ref().is_none_or(|place| self.directories.iter().any(|directory| place.starts_with(directory)))
    }
}
