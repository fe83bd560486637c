//! One block of a file, as something that the engine reads.

use pfh_source::{Entry, Object, Problem, Ranges, Stat};
use std::io::{Cursor, Read};
use std::ops::Range;

/// Bytes of a block: a file system gives as many at once.
pub const BLOCK: u64 = 4096;

/// Bytes of a file, which must be as it was seen.
pub struct Block {
    /// The file.
    pub entry: Entry,
    /// Its state when it was walked.
    pub stat: Stat,
    /// Which bytes.
    pub range: Range<u64>,
}

impl Object for Block {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        let file = Ranges::of(&self.entry)?;
        file.since(&self.stat)?;
        file.read_little();
        let mut bytes = Vec::new();
        file.read(self.range.clone(), &mut bytes)?;
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.range.end - self.range.start)
    }
}
