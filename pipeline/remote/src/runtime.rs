//! The threads that speak with stores.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// Two threads carry all requests of the process: they wait and decrypt.
///
/// # Errors
/// The system's, if it gives no threads.
pub(crate) fn runtime() -> std::io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    // One provider for all connections; another crate may have installed it, which is the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let new = Builder::new_multi_thread().worker_threads(2).thread_name("pfh-remote").enable_all().build()?;
    Ok(RUNTIME.get_or_init(|| new))
}

/// Panics in the calling thread because a task of the runtime did. A task never ends without its
/// last message otherwise, and missing messages must not look like the end.
pub(crate) fn task_panicked() -> ! {
    // The hook reported the panic where it happened.
    resume_unwind(Box::new("a task that speaks with a store panicked"))
}
