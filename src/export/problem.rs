//! Why a result was not exported, beyond the errors that every job has.

/// Why a result was not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The form cannot be written, for this reason.
    #[error("{0}")]
    Form(String),
    /// A hostile list could name an algorithm a line.
    #[error("digests by more than {0} algorithms")]
    Algorithms(usize),
    /// Nothing in the result is a record of a file, for this reason.
    #[error("no record of a file is in it ({0}); nothing was written")]
    NoRecord(String),
    /// A timeline needs times, and this number of records has none.
    #[error("none of its {0} records has a time: lists in jsonl, csv and dfxml keep times; nothing was written")]
    NoTime(u64),
    /// The control cancelled the job.
    #[error("interrupted: the export is not whole")]
    Interrupted,
}
