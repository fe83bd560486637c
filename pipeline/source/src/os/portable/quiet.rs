//! A terminal without echo (POSIX termios).

use super::errno::Errno;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

/// A terminal that shows no typed key, hands over each key, and makes no signals; as before when
/// this is dropped.
pub struct Quiet {
    terminal: OwnedFd,
    before: libc::termios,
}

impl Quiet {
    /// Sets it; keys that were typed before are discarded.
    ///
    /// # Errors
    /// When it is not a terminal.
    pub fn begin(terminal: BorrowedFd<'_>) -> Result<Self, Errno> {
        let terminal = terminal.try_clone_to_owned().map_err(|error| Errno::of(&error))?;
        let raw = terminal.as_raw_fd();
        // SAFETY: termios is a structure of numbers, for which zeros are values.
        let mut before: libc::termios = unsafe { std::mem::zeroed() };
        // SAFETY: writes one termios, for which there is room.
        if unsafe { libc::tcgetattr(raw, &raw mut before) } < 0 {
            return Err(Errno::last());
        }
        let mut quiet = before;
        quiet.c_lflag &= !(libc::ECHO | libc::ECHONL | libc::ICANON | libc::ISIG);
        quiet.c_cc[libc::VMIN] = 1;
        quiet.c_cc[libc::VTIME] = 0;
        // SAFETY: reads one termios that the call above has filled in.
        if unsafe { libc::tcsetattr(raw, libc::TCSAFLUSH, &raw const quiet) } < 0 {
            return Err(Errno::last());
        }
        Ok(Quiet { terminal, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        // SAFETY: reads one termios, as tcgetattr gave it.
        let _ = unsafe { libc::tcsetattr(self.terminal.as_raw_fd(), libc::TCSAFLUSH, &raw const self.before) };
    }
}
