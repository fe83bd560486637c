//! Waits for a write that is under way when a file is opened.

use crate::os::clock;
use crate::stat::Stat;
use rustix::fs::{SeekFrom, seek};
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// How long one write may take, in seconds. One that began earlier is not looked for. Linux writes
/// 2 GiB in a call at most: this is 7 MB/s.
const LONGEST_WRITE: i64 = 300;

/// Waits until a write to the file that was under way has ended, where one can be: the kernel
/// stamps a file's times when a write begins, and its data land later. A write that begins before
/// the first look at a file and ends after the last would change the bytes that are read, and no
/// time.
///
/// To be called after the first look and before the first read: a write that begins after this has
/// changed the times by the second look. Looking for data beyond the end of a file (SEEK_DATA)
/// takes the lock that a write holds, on ext4, btrfs, f2fs and tmpfs; XFS reads take it themselves.
/// Its answer is not used: no hole is left out.
pub fn settle(fd: BorrowedFd<'_>, before: &Stat) {
    if before.size > 0 && is_recent(before, clock::now()) {
        let _ = seek(fd, SeekFrom::Data(i64::MAX as u64));
    }
}

/// Whether a write that stamped these times may still be under way. A time that is yet to come
/// tells nothing: the clock was set.
fn is_recent(stat: &Stat, now: Duration) -> bool {
    let now = now.as_secs() as i64;
    now.saturating_sub(stat.ctime.0.max(stat.mtime.0)) < LONGEST_WRITE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_a_while_ago_is_at_rest() {
        let at = |seconds: i64| Stat {
            device: 0,
            inode: 0,
            size: 1,
            mode: 0,
            mtime: (0, 0),
            ctime: (seconds, 0),
            atime: (0, 0),
        };
        let now = Duration::from_secs(1_000_000);
        assert!(is_recent(&at(999_999), now) && is_recent(&at(999_701), now) && is_recent(&at(2_000_000), now));
        assert!(!is_recent(&at(999_000), now) && !is_recent(&at(0), now));
    }
}
