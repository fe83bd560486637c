//! The request for a verification.

use super::listed::is_list;
use super::log::Key;
use super::{Claim, Problem};
use crate::job::{Error, PathError};
use crate::key;
use pfh_source::{Document, Levels};
use std::path::PathBuf;

/// The image, and the evidence to verify it by.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// The image: E01 or a split image by its first file, raw, or a device. Without one only the
    /// log is verified.
    pub image: Option<PathBuf>,
    /// The image is raw, even if its name or its first bytes say otherwise.
    pub raw: bool,
    /// A chained log. Without one the log that lies beside the image is looked for.
    pub log: Option<PathBuf>,
    /// The file of the public key that the log must be signed with, whether the log is named or
    /// found beside the image.
    pub key: Option<PathBuf>,
    /// Certificates of a time stamp authority, in PEM: they check the signature of the stamp beside
    /// the log.
    pub timestamp_ca: Option<PathBuf>,
    /// Digests that the image must have.
    pub claims: Vec<Claim>,
    /// A medium or an image that is compared byte by byte.
    pub against: Option<PathBuf>,
    /// An image that something contradicts is read once. Otherwise it is read a second time, past
    /// the system's cache where it can, to tell a fault of cable or memory from one of the image.
    pub once: bool,
    /// Algorithms that are computed beside those of the evidence.
    pub algorithms: Vec<crate::Algorithm>,
    /// How much findings count.
    pub levels: Levels,
}

impl Request {
    /// Verifies an image by all that lies beside it.
    pub fn image(path: impl Into<PathBuf>) -> Self {
        Request { image: Some(path.into()), ..Request::default() }
    }

    /// Verifies a chained log and the files beside it.
    pub fn log(path: impl Into<PathBuf>) -> Self {
        Request { log: Some(path.into()), ..Request::default() }
    }

    /// Refuses a request that cannot be verified by the named files. Reads the key, and the
    /// beginning of an image that nothing is named to compare with.
    ///
    /// # Errors
    /// When nothing is named to verify, the image is a list of digests, the key cannot be loaded,
    /// or the log, the certificates or the other side of a comparison are not there.
    pub fn check(&self) -> Result<(), Error> {
        self.resolved().map(drop)
    }

    /// The same, with the key.
    pub(super) fn resolved(&self) -> Result<Key<'_>, Error> {
        if self.image.is_none() && self.log.is_none() {
            return Err(Error::request(Problem::Nothing));
        }
        let is_alone = !self.raw && self.log.is_none() && self.against.is_none() && self.claims.is_empty();
        if let Some(list) = self.image.as_ref().filter(|image| is_alone && is_list(image)) {
            return Err(Error::request(Problem::List(list.clone())));
        }
        let key = match &self.key {
            Some(path) => Some((path.as_path(), key::verifying(path)?)),
            None => None,
        };
        for path in self.log.iter().chain(&self.timestamp_ca) {
            Document::file(path).map_err(|error| Error::input(PathError::new(path, error)))?;
        }
        match self.against.as_ref().filter(|against| !against.exists()) {
            Some(against) => Err(Error::input(PathError::new(against, Problem::Absent))),
            None => Ok(key),
        }
    }
}
