//! The words for the numbers of Unix's errors.

use super::platform::Errno;
use std::io;

/// The words for an error's number.
pub fn errno_text(number: i32) -> String {
    let text = io::Error::from_raw_os_error(number).to_string();
    text.split(" (os error").next().unwrap_or("").to_owned()
}

/// The number of an error of the standard library; EIO where it has none.
pub fn errno_of(error: &io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}

/// The terminal of this process, to read from and to write to.
pub(super) fn terminal() -> io::Result<(std::fs::File, std::fs::File)> {
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    Ok((terminal.try_clone()?, terminal))
}
