//! Volumes that belong together: each is a zip with its statements, and a stream may be in another
//! volume than the map that leads to it.

use super::statements::Statements;
use super::zip::Zip;
use crate::Bytes;
use crate::disk::{Failure, Siblings};
use std::sync::{Arc, Mutex, PoisonError};

/// A volume, open.
pub struct Volume {
    /// Its members.
    pub zip: Zip,
    /// Its statements.
    pub statements: Statements,
}

impl Volume {
    /// Opens a volume.
    pub fn open(file: Arc<dyn Bytes>) -> Result<Volume, Failure> {
        let zip = Zip::open(file)?;
        let statements = Statements::read(&zip)?;
        Ok(Volume { zip, statements })
    }
}

/// A volume, and those volumes beside it that were asked for so far.
pub struct Set<'a> {
    /// The volume that was opened.
    pub first: Arc<Volume>,
    files: &'a dyn Siblings,
    others: Mutex<Vec<Arc<Volume>>>,
}

impl<'a> Set<'a> {
    /// A set that begins with this volume.
    pub fn new(first: Arc<Volume>, files: &'a dyn Siblings) -> Set<'a> {
        Set { first, files, others: Mutex::default() }
    }

    /// The volume that stores a stream.
    ///
    /// # Errors
    /// When it is not beside the first one.
    pub fn of_stream(&self, stream: &str) -> Result<Arc<Volume>, Failure> {
        // Each volume of a set describes all streams, and stores its own.
        let stored = self.first.statements.one(stream, "stored");
        let Some(wanted) = stored.filter(|volume| *volume != self.first.zip.volume && volume.starts_with("aff4://"))
        else {
            return Ok(self.first.clone());
        };
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.iter().find(|volume| volume.zip.volume == wanted) {
            return Ok(known.clone());
        }
        // A volume does not name the other volumes: those beside it are asked.
        for name in self.files.alike()? {
            let Some(file) = self.files.peek(&name)? else { continue };
            if !Zip::open(file).is_ok_and(|zip| zip.volume == wanted) {
                continue;
            }
            if let Some(file) = self.files.open(&name)? {
                let volume = Arc::new(Volume::open(file).map_err(|failure| within(&name, failure))?);
                others.push(volume.clone());
                return Ok(volume);
            }
        }
        Err(Failure::refused(format!(
            "the stream {stream} is in another volume of the set, {wanted}, which is not beside it"
        )))
    }
}

/// A failure in the volume of this file.
fn within(name: &str, failure: Failure) -> Failure {
    match failure {
        Failure::Malformed { offset, what } => Failure::Malformed { offset, what: format!("in {name:?}: {what}") },
        other => other,
    }
}
