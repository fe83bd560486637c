//! Why there is no page, beyond what every job has.

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing that was named is there: no page was written.
    #[error("nothing that was named could be opened: no page was written")]
    Nothing,
    /// The control cancelled the job: no page was written.
    #[error("interrupted: no page was written")]
    Interrupted,
}
