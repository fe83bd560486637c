//! A terminal without echo.

use rustix::io::Errno;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use std::os::fd::{BorrowedFd, OwnedFd};

/// A terminal that shows no typed key, hands over each key, and makes no signals; as before when
/// this is dropped.
pub struct Quiet {
    terminal: OwnedFd,
    before: Termios,
}

impl Quiet {
    /// Sets it; keys that were typed before are discarded.
    ///
    /// # Errors
    /// When it is not a terminal.
    pub fn begin(terminal: BorrowedFd<'_>) -> Result<Self, Errno> {
        let before = tcgetattr(terminal)?;
        let mut quiet = before.clone();
        quiet.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG;
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        let terminal = rustix::io::fcntl_dupfd_cloexec(terminal, 0)?;
        tcsetattr(&terminal, OptionalActions::Flush, &quiet)?;
        Ok(Quiet { terminal, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Flush, &self.before);
    }
}
