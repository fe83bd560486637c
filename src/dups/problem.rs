//! Errors of a search for duplicates, where no other job has the cause.

/// Errors of a search for duplicates.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Files with one digest of this algorithm need not be equal.
    #[error("{0} does not prove that files are equal: use a cryptographic algorithm, sha256 or blake3")]
    Weak(String),
    /// Standard input has no size before it ends.
    #[error("duplicates are looked for among files: standard input and the content of images are not compared")]
    Standard,
    /// A directory that a rule names is not there.
    #[error("{}: a rule names this directory, which is not there", pfh_source::terminal::shown(.0))]
    NoDirectory(std::path::PathBuf),
    /// Members of containers cannot be linked or removed.
    #[error("duplicates are looked for among files: files inside of images and archives are not compared")]
    Inside,
    /// Objects are compared, and nothing is done with them.
    #[error("{}: {} is of files: objects of a store are compared, and nothing is done with them", pfh_source::terminal::render(.0), .1)]
    Objects(Vec<u8>, &'static str),
    /// The caller ended the search, which says nothing before its end.
    #[error("interrupted: the search is not complete, and says nothing")]
    Interrupted,
}
