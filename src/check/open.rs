//! The manifests of a turn, with the seals that are beside them.

use super::manifest::{Text, read};
use super::problem::Problem;
use super::request::{Request, Turn};
use super::signed;
use crate::algorithms::REGISTRY;
use crate::beside::TRIES;
use crate::job::{Error, Kind};
use pfh_custody::seal::{self, HeldSeal};
use pfh_ledger::Ledger;
use pfh_source::os;
use std::io;
use std::path::Path;

/// Verifies the seals of the manifests, where they have one, and reads them as one.
///
/// # Errors
/// When a seal does not hold, a manifest cannot be read, or their pieces are of different lengths.
pub fn open(turn: Turn<'_>) -> Result<(Vec<HeldSeal>, Ledger), Error> {
    let (held, mut all) = open_one(turn.request, turn.manifest())?;
    let mut seals: Vec<HeldSeal> = held.into_iter().collect();
    for manifest in turn.manifests.iter().skip(1) {
        let (held, ledger) = open_one(turn.request, manifest)?;
        seals.extend(held);
        all.absorb(ledger).map_err(|_| Error::input(Problem::Pieces(manifest.clone())))?;
    }
    Ok((seals, all))
}

/// The same of one manifest whose bytes were read: its name is not opened again.
pub fn open_bytes(request: &Request, manifest: &Path, bytes: &[u8]) -> Result<(Option<HeldSeal>, Ledger), Error> {
    let bytes = &*Text::Bytes(bytes).plain(manifest)?;
    let mut options = request.options(manifest);
    if let Some((path, keys)) = request.key.as_deref().and_then(|path| Some((path, signed::keys(path)?))) {
        let (text, remark) = signed::verified(manifest, bytes, (path, &keys))?;
        let mut ledger = read(manifest, Text::Bytes(&text), &options)?;
        ledger.remarks.push(remark);
        return Ok((None, ledger));
    }
    // The seal first: of a manifest that was changed nothing is worth comparing.
    let held = seal::verify(manifest, bytes, &options, REGISTRY, request.key.as_deref())?;
    if let Some(held) = &held {
        request.after.as_deref().map_or(Ok(()), |known| held.follows(known))?;
        request.newest.as_deref().map_or(Ok(()), |kept| held.is_newest(manifest, kept))?;
    } else if request.after.is_some() || request.newest.is_some() {
        let error = io::ErrorKind::NotFound.into();
        return Err(seal::FileError::Read { seal: seal::beside(manifest), error }.into());
    }
    // The seal knows the algorithm of digests that do not name theirs.
    options.assumed.extend(held.as_ref().and_then(|held| held.algorithm));
    let ledger = read(manifest, Text::Bytes(bytes), &options)?;
    Ok((held, ledger))
}

/// The same of one manifest. One that does not agree with its seal is opened again if somebody
/// replaced one of them meanwhile: list and seal are of two runs then.
fn open_one(request: &Request, manifest: &Path) -> Result<(Option<HeldSeal>, Ledger), Error> {
    let can_change = std::fs::metadata(manifest).is_ok_and(|found| found.is_file());
    for _ in 0..if can_change { TRIES } else { 0 } {
        let before = state(manifest);
        let opened = open_once(request, manifest);
        let is_accused = opened.as_ref().is_err_and(|error| error.kind() == Kind::Negative);
        if !is_accused || state(manifest) == before {
            return opened;
        }
    }
    open_once(request, manifest)
}

/// Which file it is, its size in bytes, and when it was written.
type State = ((u64, u128), u64, (i64, u32));

/// A manifest and its seals as they lie there: which files they are, their sizes and times.
fn state(manifest: &Path) -> [Option<State>; 3] {
    let files = [manifest.to_owned(), seal::beside(manifest), seal::waiting(manifest)];
    files.map(|path| os::stat_path(&path).ok().map(|(seen, _)| (seen.identity(), seen.size, seen.mtime)))
}

fn open_once(request: &Request, manifest: &Path) -> Result<(Option<HeldSeal>, Ledger), Error> {
    let text = Text::open(manifest)?;
    // One that is verified is kept as it was read: the files are compared with the bytes that were
    // verified, even if its name leads to others by then.
    let is_due = seal::is_due(manifest, request.key.as_deref());
    if is_due || request.after.is_some() || request.newest.is_some() {
        return open_bytes(request, manifest, &text.bytes(manifest)?);
    }
    Ok((None, read(manifest, text, &request.options(manifest))?))
}
