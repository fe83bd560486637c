//! The second read of an image that something contradicts: whether it differs both times, or
//! differed once.

use super::event::Finding;
use super::findings::Findings;
use super::repeat::Repeat;
use super::request::Request;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Control;
use pfh_ledger::{Reread, Twice, disagree};
use pfh_source::Stat;
use pfh_source::device::{Access, Medium};
use pfh_source::os;
use pfh_source::os::handles::AsFd;
use pfh_source::os::names::OsStrExt;
use std::io;
use std::path::{Path, PathBuf};

/// Files as they were when the first read began.
pub(super) struct FirstRead(Vec<(PathBuf, Option<Stat>)>);

impl FirstRead {
    pub fn of(files: &[PathBuf]) -> FirstRead {
        FirstRead(files.iter().map(|path| (path.clone(), stat(path))).collect())
    }

    /// Whether one of them was written to since. A device has no times of its own.
    fn is_changed(&self) -> bool {
        self.0.iter().any(|(path, before)| match (before, stat(path)) {
            (Some(before), Some(after)) => before.is_file() && after.change_since(before).is_some(),
            (before, after) => before.is_some() != after.is_some(),
        })
    }
}

fn stat(path: &Path) -> Option<Stat> {
    os::stat_path(path).ok().map(|(stat, _)| stat)
}

/// The first read of something, and the statements on it.
pub(super) struct First<'a> {
    pub what: String,
    pub digests: &'a [Digest],
    /// Digests that are stated of the same bytes.
    pub stated: Vec<Digest>,
    /// Whether all its bytes were sound by the checksums of the image.
    pub is_sound: bool,
    pub seen: &'a FirstRead,
}

impl First<'_> {
    /// Enters the conclusion from this read and the digests of a second one; none where it failed.
    pub fn conclude(self, second: Vec<Digest>, is_sound: bool, is_uncached: bool, findings: &mut Findings) {
        let First { what, digests, stated, seen, .. } = self;
        let twice = if second.is_empty() {
            Twice::Unread
        } else if seen.is_changed() {
            Twice::Changing
        } else if !disagree(digests, &second) && is_sound == self.is_sound {
            Twice::Same
        } else if is_sound && !disagree(&stated, &second) {
            Twice::Once
        } else {
            Twice::Other
        };
        let repeat = Repeat { what, read: Reread::new(twice, digests.to_vec(), second, is_uncached) };
        findings.enter(match twice {
            Twice::Same => Finding::Note(repeat.sentence()),
            _ => Finding::Differs(repeat.sentence()),
        });
        findings.summary.repeats.push(repeat);
    }
}

/// Asks the system to drop a file from its cache; whether it did.
pub(super) fn drop_cached(path: &Path) -> bool {
    let dropped = os::open_evidence(path).and_then(|file| Ok(os::evict(file.as_fd())?));
    os::EVICTS && dropped.is_ok()
}

/// The digest of a file as it is; past the system's cache where that is asked for.
///
/// # Errors
/// The system's; `Interrupted` when the control cancels it.
pub(super) fn digest_of(
    path: &Path,
    algorithm: Algorithm,
    access: Access,
    control: &Control<'_>,
) -> io::Result<Digest> {
    let medium = Medium::open(path.as_os_str().as_bytes(), access).map_err(io::Error::other)?;
    let (mut hasher, mut at) = (algorithm.hasher(), 0);
    let mut room = vec![0; 1 << 20];
    while !control.is_cancelled() {
        match medium.read_at(&mut room, at)? {
            0 => return Ok(hasher.finalize()),
            got => {
                hasher.update(&room[..got]);
                at += got as u64;
            }
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}

/// Whether the request wants second reads.
pub(super) fn is_wanted(request: &Request, control: &Control<'_>) -> bool {
    !request.once && !control.is_cancelled()
}
