//! How far change times (ctime) can be trusted.

use crate::stat::Stat;

/// How far the change times of a file system can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeTimes {
    /// They are kept, and nobody can set them.
    Kept,
    /// They are kept where they differ from the modification time; where not, somebody may have put
    /// that in their place.
    Doubtful,
    /// There are none on the medium: the reported one is the modification time, which anybody can
    /// set, or the time of creation.
    Missing,
}

impl ChangeTimes {
    /// Whether they tell that a file with these times was rewritten.
    pub fn hold_for(self, stat: &Stat) -> bool {
        match self {
            ChangeTimes::Kept => true,
            ChangeTimes::Doubtful => stat.ctime != stat.mtime,
            ChangeTimes::Missing => false,
        }
    }
}
