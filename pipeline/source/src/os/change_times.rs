//! How far change times (ctime) can be trusted.

use crate::stat::Stat;

/// How far the change times of a file system can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeTimes {
    /// They are kept, and nobody can set them. The number stands for the file system, by its own
    /// identity; 0 where it has none.
    Kept(u64),
    /// The same on a device that holds one medium after the other (a loop device, a drive for
    /// discs).
    Named(u64),
    /// They were recorded when the file system was made, as those of an image are: another image
    /// may have the same ones.
    Recorded,
    /// They are kept where they differ from the modification time; where not, somebody may have put
    /// that in their place.
    Doubtful,
    /// The same above another file system, which may be that of an image.
    Layered,
    /// There are none on the medium: the reported one is the modification time, which anybody can
    /// set, or the time of creation.
    Missing,
}

impl ChangeTimes {
    /// The number of a medium among those that its device may hold; 0 where it has none.
    pub fn medium(self) -> u64 {
        if let ChangeTimes::Named(number) | ChangeTimes::Kept(number) = self { number } else { 0 }
    }

    /// Whether a file of another medium may have these times under the same number of the device: a
    /// record that does not name the medium says nothing there.
    pub fn are_exchanged(self, stat: &Stat) -> bool {
        match self {
            ChangeTimes::Recorded | ChangeTimes::Named(_) => true,
            ChangeTimes::Layered => !self.hold_for(stat),
            ChangeTimes::Kept(_) | ChangeTimes::Doubtful | ChangeTimes::Missing => false,
        }
    }

    /// Whether they tell that a file with these times was rewritten since a run whose device held
    /// the same medium.
    pub fn hold_for(self, stat: &Stat) -> bool {
        match self {
            ChangeTimes::Kept(_) | ChangeTimes::Named(_) => true,
            ChangeTimes::Doubtful | ChangeTimes::Layered => stat.ctime != stat.mtime,
            ChangeTimes::Missing | ChangeTimes::Recorded => false,
        }
    }
}
