//! A digest that is stated of an image or of its files.

use pfh_digest::Digest;
use std::path::PathBuf;

/// What a stated digest is of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Of {
    /// The imaged medium.
    Content,
    /// One of the image's files, as it is.
    File(PathBuf),
}

/// A digest that is stated somewhere.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The digest.
    pub digest: Digest,
    /// What it is the digest of.
    pub of: Of,
    /// Who states it.
    pub by: String,
}
