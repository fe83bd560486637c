//! Threads that decode compressed streams ahead of those who read them, as a reader of archives is
//! given them.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;

/// An opened stream.
pub type CrewStream = Box<dyn Read + Send>;

/// Bytes that were decoded ahead.
pub struct DecodedBytes {
    /// They themselves.
    pub bytes: Box<dyn AsRef<[u8]> + Send>,
    /// The state of the decoder behind them.
    pub rest: Rest,
}

/// The state of a decoder behind the bytes that were decoded.
pub enum Rest {
    /// It has ended.
    Ended,
    /// It goes on.
    More(CrewStream),
    /// It failed.
    Failed(io::Error),
}

/// A result that somebody works on: waits for it.
pub type Pending = Box<dyn FnOnce() -> DecodedBytes + Send>;

/// Threads that decode ahead of those who read.
pub trait Crew: Send + Sync {
    /// Parts that are decoded side by side.
    fn width(&self) -> usize;

    /// Bytes of memory for all that is decoded ahead.
    fn memory(&self) -> usize;

    /// Counts bytes of a stream that cannot be cut; `is_new` for the first of them.
    fn alone(&self, is_new: bool, bytes: u64);

    /// Begins to read at most `most` bytes of what `open` opens, with `window` bytes of memory
    /// beside them.
    ///
    /// # Errors
    /// `open` itself, which was not called, if there is no memory for it.
    fn begin(&self, most: usize, window: u64, open: Open) -> Result<Pending, Open>;
}

/// Opens a decoder.
pub type Open = Box<dyn FnOnce() -> io::Result<CrewStream> + Send>;

/// Threads that decode, if there are any. All are alike: bytes do not depend on who decodes them.
#[derive(Clone, Default)]
pub struct Hands(Option<Arc<dyn Crew>>);

impl Hands {
    /// These threads.
    pub fn of(crew: Arc<dyn Crew>) -> Hands {
        Hands(Some(crew))
    }

    /// The threads; `None` where each reader decodes.
    pub fn get(&self) -> Option<&Arc<dyn Crew>> {
        self.0.as_ref()
    }
}

impl PartialEq for Hands {
    fn eq(&self, _: &Hands) -> bool {
        true
    }
}

impl Eq for Hands {}

impl fmt::Debug for Hands {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Hands({})", self.0.as_ref().map_or(0, |crew| crew.width()))
    }
}
