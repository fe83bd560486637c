//! Questions to a device, and why one has no answer.

/// A device that can be asked: a handle, or a device of a test.
pub trait Asks {
    /// Sends a control code with its input, and takes an answer of at most `room` bytes
    /// (DeviceIoControl).
    ///
    /// # Errors
    /// The error of Win32 (GetLastError): [`error`](super::error) has those that the documentation
    /// names.
    fn ask(&self, code: u32, input: &[u8], room: usize) -> Result<Vec<u8>, u32>;
}

/// Why a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The system's error, a number of Win32.
    System(u32),
    /// The answer is short or contradicts itself: in the part with this name.
    Answer(&'static str),
}

impl From<u32> for Fault {
    fn from(number: u32) -> Self {
        Fault::System(number)
    }
}
