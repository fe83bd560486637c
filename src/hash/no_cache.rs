//! The cache of a build without the feature `known`: there is none, and a caller that asks for one
//! is refused.

use pfh_digest::Algorithm;
use pfh_engine::Record;
use pfh_source::Source;
use std::path::Path;

/// Why there is no cache.
#[derive(Debug, thiserror::Error)]
#[error("the cache: this build has none, it lacks the feature `known`")]
pub struct CacheError;

impl CacheError {
    /// No: there will never be one.
    pub fn is_passing(&self) -> bool {
        false
    }
}

/// How a run used a cache; no run has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    /// Files that were not read.
    pub reused: u64,
    /// Files of the sample that were read though they need not have been.
    pub verified: u64,
    /// Of these the ones whose content changed though nothing said so.
    pub changed: u64,
    /// Files that were read because their file system keeps no change time.
    pub timeless: u64,
}

/// A cache that cannot be opened.
#[derive(Clone)]
pub enum Cache {}

impl Cache {
    /// Refuses.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: &Path, _: &str, _: &[Algorithm], _: f64) -> Result<Cache, CacheError> {
        Err(CacheError)
    }

    /// Never called: there is no such value.
    pub fn reusing(&self, _: Box<dyn Source>) -> Box<dyn Source> {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn keep(&self, _: &Record) -> Result<bool, CacheError> {
        match *self {}
    }

    /// Never called.
    pub fn used(&self) -> Use {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn close(&self, _: bool) -> Result<Use, CacheError> {
        match *self {}
    }
}
