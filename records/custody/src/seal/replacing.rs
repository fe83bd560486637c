//! Seals that wait until their manifests are in place, so that a run that ends between the two
//! leaves an old manifest with its old seal, or a new one with its new seal.

use super::files::{FileError, beside, completed, made, put, verify_by, waiting};
use super::{Seal, SealError};
use pfh_digest::Registry;
use pfh_manifest::Options;
use std::io;
use std::path::Path;

/// Seals the bytes that a manifest will have, in a file that waits for them. Until
/// [`settle`] is called the old seal holds for the old bytes, and this one for the new ones.
///
/// # Errors
/// As [`write()`](super::write()).
pub fn prepare(
    manifest: &Path,
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<(), FileError> {
    wait(manifest, &made(manifest, bytes, options, registry, signing, defaults)?)
}

/// As [`write()`](super::write()), in the place of a seal that is there: the new one waits in a
/// file until the manifest has its name and [`replace`] is called. Until then the old seal holds
/// for the old manifest, and this one for the new.
///
/// # Errors
/// As [`write()`](super::write()).
pub fn write_waiting(
    manifest: &Path,
    seen: Result<Seal, SealError>,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<Seal, FileError> {
    let seal = completed(manifest, seen, signing, defaults)?;
    wait(manifest, &seal)?;
    Ok(seal)
}

/// Writes a seal that waits. One that has its name and may not be on the medium goes again: its
/// manifest is not written.
fn wait(manifest: &Path, seal: &Seal) -> Result<(), FileError> {
    let path = waiting(manifest);
    put(&path, manifest, seal).inspect_err(|_| drop(std::fs::remove_file(&path)))
}

/// Puts the seal that [`write_waiting`] made in its place. Another run that seals the same manifest
/// may have taken the one that waited: then it is written again.
///
/// # Errors
/// When it cannot be renamed or written.
pub fn replace(manifest: &Path, seal: &Seal) -> Result<(), FileError> {
    match put_in_place(manifest) {
        Err(FileError::Write { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
            put(&beside(manifest), manifest, seal)
        }
        placed => placed,
    }
}

/// Puts the seal that [`prepare`] made in its place: the manifest has its bytes.
///
/// # Errors
/// When it cannot be renamed.
pub fn put_in_place(manifest: &Path) -> Result<(), FileError> {
    let waiting = waiting(manifest);
    std::fs::rename(&waiting, beside(manifest)).map_err(|error| FileError::Write { seal: waiting, error })
}

/// Puts the seal that an earlier run left waiting in its place if it is that of these bytes of the
/// manifest, and removes it otherwise. Without one that waits nothing is done.
///
/// # Errors
/// When it cannot be read, renamed or removed, or the bytes were not read to their end: it waits
/// on.
pub fn settle(manifest: &Path, bytes: &[u8], options: &Options, registry: Registry) -> Result<(), FileError> {
    let waiting = waiting(manifest);
    if std::fs::symlink_metadata(&waiting).is_err() {
        return Ok(());
    }
    let settled = match verify_by(&waiting, manifest, bytes, options, registry, None) {
        Ok(Some(_)) => std::fs::rename(&waiting, beside(manifest)),
        Err(unread @ FileError::Wrong { error: SealError::Io(_), .. }) => return Err(unread),
        // One that cannot be read now may be that of these bytes.
        Err(unread @ FileError::Read { .. }) if !unread.is_verdict() => return Err(unread),
        _ => std::fs::remove_file(&waiting),
    };
    settled.map_err(|error| FileError::Write { seal: waiting, error })
}

/// The same after a manifest could not be replaced, by the bytes that it has: it may have its new
/// name all the same, when the directory could not be synced. A manifest that cannot be read
/// leaves the seal waiting, and [`verify`](super::verify) finds it.
pub fn settle_as_it_is(manifest: &Path, options: &Options, registry: Registry) {
    if let Ok(bytes) = std::fs::read(manifest) {
        // The error that the run ends with is the one that came first.
        let _ = settle(manifest, &bytes, options, registry);
    }
}
