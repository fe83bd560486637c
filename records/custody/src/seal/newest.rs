//! The newest seal that was seen of each manifest: an older manifest with its own seal is found
//! even if nothing beside it tells of a newer one.
//!
//! They lie in a directory of the user's, one file for each manifest, named by the SHA-256 of the
//! manifest's absolute path.

use super::files::{FileError, HeldSeal, contents};
use super::{Seal, SealError};
use pfh_digest::{Algorithm, hex};
use pfh_source::Output;
use pfh_source::os;
use pfh_source::os::names::{OsStrExt, absolute};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another run is waited for, and how often it is looked at.
const PATIENCE: u32 = 1500;
const STEP: Duration = Duration::from_millis(20);

/// The file that keeps the newest seal of a manifest.
fn file_of(directory: &Path, manifest: &Path) -> io::Result<PathBuf> {
    let full = match std::fs::canonicalize(manifest) {
        Ok(full) => full.as_os_str().as_bytes().to_vec(),
        Err(_) => absolute(manifest)?,
    };
    let sha256: Algorithm = "sha256".parse().map_err(io::Error::other)?;
    Ok(directory.join(hex::encode(sha256.digest(&full).bytes()) + ".seal"))
}

/// Locks the directory for this run.
fn locked(directory: &Path) -> io::Result<File> {
    std::fs::create_dir_all(directory)?;
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(directory.join("lock"))?;
    for _ in 0..PATIENCE {
        if os::try_lock(&lock) {
            return Ok(lock);
        }
        std::thread::sleep(STEP);
    }
    Err(io::ErrorKind::WouldBlock.into())
}

impl HeldSeal {
    /// Compares the seal with one that is known, by its file.
    ///
    /// # Errors
    /// When it does not follow that one, or that one cannot be read.
    pub fn follows(&self, known: &Path) -> Result<(), FileError> {
        let known = super::read_file(known)?;
        self.seal.follows(&known).map_err(|error| FileError::Wrong { seal: self.path.clone(), error })
    }

    /// Compares the seal of a manifest with the newest that was seen of it, and keeps the newer one
    /// in `directory`. One that was never seen before is kept.
    ///
    /// # Errors
    /// When it is older than that one, or belongs to another row; when nothing can be kept.
    pub fn is_newest(&self, manifest: &Path, directory: &Path) -> Result<(), FileError> {
        let failed = |error| FileError::Write { seal: directory.to_owned(), error };
        let lock = locked(directory).map_err(failed)?;
        let path = file_of(directory, manifest).map_err(failed)?;
        match contents(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::Read { seal: path, error }),
            Ok(text) => {
                let wrong = |error: SealError| FileError::Wrong { seal: path.clone(), error };
                let known = Seal::decode(&text).map_err(wrong)?;
                let follows = self.seal.follows(&known);
                follows.map_err(|error| FileError::Wrong { seal: self.path.clone(), error })?;
            }
        }
        let keep = || {
            let mut output = Output::file(&path)?;
            output.write_all(self.seal.encode().as_bytes())?;
            output.commit()
        };
        let kept = keep().map_err(|error| FileError::Write { seal: path.clone(), error });
        drop(lock);
        kept
    }
}
