//! What change times (ctime) are worth.

use crate::stat::Stat;

/// What the change times of a file system are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeTimes {
    /// They are kept, and nobody can set them.
    Kept,
    /// They are kept where they differ from the modification time; where not, somebody may have put
    /// that in their place.
    Doubtful,
    /// There are none on the medium: what is reported is the modification time, which anybody can
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
