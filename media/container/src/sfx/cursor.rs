//! A file that is gone through from front to back.

use crate::Bytes;

/// Bytes that are read at once.
const WINDOW: usize = 64 << 10;
/// Longer pictures are not looked through.
pub const LONGEST: u64 = 256 << 20;

/// The bytes of a file, in windows.
pub struct Cursor<'a> {
    bytes: &'a dyn Bytes,
    /// The place at hand.
    pub at: u64,
    window: Vec<u8>,
    start: u64,
}

impl Cursor<'_> {
    /// Begins at `at`.
    pub fn new(bytes: &dyn Bytes, at: u64) -> Cursor<'_> {
        Cursor { bytes, at, window: Vec::new(), start: 0 }
    }

    /// The bytes from here on that are held; at least `least` of them, or `None`.
    pub fn rest(&mut self, least: usize) -> Option<&[u8]> {
        let held = (self.start + self.window.len() as u64).saturating_sub(self.at);
        if self.at < self.start || held < least as u64 {
            let room = self.bytes.size().checked_sub(self.at)?.min(WINDOW as u64) as usize;
            self.window.resize(room, 0);
            self.bytes.read_exact_at(self.at, &mut self.window).ok()?;
            self.start = self.at;
        }
        self.window.get((self.at - self.start) as usize..).filter(|rest| rest.len() >= least)
    }
}
