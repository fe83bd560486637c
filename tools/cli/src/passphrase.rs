//! The passphrase of an encrypted key, asked for on the terminal.

use pfh::process::TypedAnswer;
use std::io;

/// Asks for the passphrase of the key in this file, on the controlling terminal and without echo:
/// standard input may be a list, and arguments are seen by everybody on the machine.
///
/// # Errors
/// When there is no terminal, or the question was cancelled.
pub fn ask(key: &str) -> io::Result<Vec<u8>> {
    #[cfg(feature = "screen")]
    if crate::screen::is_open() {
        return Err(io::Error::other("the screen takes no passphrase: type the command line"));
    }
    match pfh::process::ask_hidden(&format!("Passphrase of {key}: ")) {
        Ok(TypedAnswer::Line(passphrase)) => Ok(passphrase),
        Ok(TypedAnswer::Cancelled) => Err(io::Error::new(io::ErrorKind::Interrupted, "cancelled")),
        // ENXIO: the process has none.
        Err(error) => Err(io::Error::new(error.kind(), format!("there is no terminal ({error})"))),
    }
}
