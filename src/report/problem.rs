//! Why there is no page, beyond the errors that every job has.

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
