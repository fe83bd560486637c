//! The timestamps that a list gives for a file.

use pfh_source::{ReadResult, Time};

/// The timestamps of a file, each where it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Last change of the content.
    pub modified: Option<Time>,
    /// Last change of the metadata.
    pub changed: Option<Time>,
    /// Last access.
    pub accessed: Option<Time>,
}

impl Times {
    /// Those of a file that was read; none for a stream.
    pub fn of(closed: &ReadResult) -> Times {
        if let Some(inside) = &closed.inside {
            return Times { modified: inside.modified, changed: inside.changed, accessed: inside.accessed };
        }
        let Some(stat) = &closed.stat else { return Times::default() };
        let time = |(seconds, nanoseconds)| Some(Time { seconds, nanoseconds });
        Times { modified: time(stat.mtime), changed: time(stat.ctime), accessed: time(stat.atime) }
    }
}
