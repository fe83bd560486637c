//! Why there is no page, beyond the errors that every job has.

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing that was named could be opened, and why: no page was written.
    #[error("{}: no page was written", named(.0))]
    Nothing(Vec<String>),
    /// The named folders hold no file: no page was written.
    #[error("{}: no file in it: no page was written", .0.iter().map(|path| pfh_source::terminal::shown(path)).collect::<Vec<_>>().join(", "))]
    Empty(Vec<std::path::PathBuf>),
    /// The control cancelled the job: no page was written.
    #[error("interrupted: no page was written")]
    Interrupted,
    /// Standard input is to be shown by a page that is made again and again.
    #[cfg(feature = "serve")]
    #[error("standard input can be read only once: a page that is renewed needs files")]
    Stream,
    /// The server cannot listen.
    #[cfg(feature = "serve")]
    #[error("{address}: {error}")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// A thread of the server panicked. Its pages cannot be relied on.
    #[cfg(feature = "serve")]
    #[error("a thread of the server panicked")]
    Panicked,
}

/// The first faults, and how many more there are.
fn named(faults: &[String]) -> String {
    let more = faults.len().saturating_sub(3);
    let text = faults.iter().take(3).cloned().collect::<Vec<_>>().join("; ");
    if more > 0 { format!("{text}; {more} more") } else { text }
}
