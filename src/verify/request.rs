//! What is to be verified.

use super::Claim;
use std::path::PathBuf;

/// What is to be verified, and by what.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Request {
    /// The image: E01 or a split image by its first file, raw, or a device. Without one only the
    /// log is verified.
    pub image: Option<PathBuf>,
    /// The image is raw, whatever its name and its first bytes say.
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
    /// Algorithms that are computed beside those of the evidence.
    pub algorithms: Vec<crate::Algorithm>,
}

impl Request {
    /// Verifies an image by all that lies beside it.
    pub fn image(path: impl Into<PathBuf>) -> Self {
        Request { image: Some(path.into()), ..Request::default() }
    }

    /// Verifies a chained log and what lies beside it.
    pub fn log(path: impl Into<PathBuf>) -> Self {
        Request { log: Some(path.into()), ..Request::default() }
    }
}
