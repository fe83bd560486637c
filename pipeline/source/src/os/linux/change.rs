//! Which file systems keep a change time (ctime) that tells a file that was rewritten from one that
//! was not.

use super::super::ChangeTimes;
use super::files::{below, open_long};
use crate::base::Base;
use crate::stat::Stat;
use rustix::fs::{self, OFlags};
use std::cell::Cell;
use std::os::fd::{AsFd, BorrowedFd};

/// `f_type` of linux/magic.h, and of exFAT's driver.
const MISSING: [u64; 3] = [
    0x4d44,      // msdos and vfat
    0x2011_bab0, // exfat
    0x4244,      // hfs
];
/// Served by a program or a server that may know no change times.
const DOUBTFUL: [u64; 5] = [
    0x6573_5546, // fuse
    0x0102_1997, // 9p
    0xff53_4d42, // cifs
    0xfe53_4d42, // smb2
    0x517b,      // smb
];

/// Of the file system on which a file lies; `None` where it cannot be asked.
pub fn change_times(base: &Base, path: &[u8]) -> Option<ChangeTimes> {
    let (at, links, last) = below(base);
    let fd = open_long(at, path, OFlags::PATH | OFlags::CLOEXEC | last, links).ok()?;
    of(fd.as_fd())
}

fn of(fd: BorrowedFd<'_>) -> Option<ChangeTimes> {
    let kind = fs::fstatfs(fd).ok()?.f_type as u64 & 0xffff_ffff;
    Some(match kind {
        kind if MISSING.contains(&kind) => ChangeTimes::Missing,
        kind if DOUBTFUL.contains(&kind) => ChangeTimes::Doubtful,
        _ => ChangeTimes::Kept,
    })
}

/// Whether the change time of an open file tells that it was rewritten. A file system that cannot
/// be asked is taken at its word.
pub fn is_timed(fd: BorrowedFd<'_>, stat: &Stat) -> bool {
    thread_local! {
        /// The device that this thread asked last, so that a tree costs one question and not one
        /// per file.
        static LAST: Cell<Option<(u64, ChangeTimes)>> = const { Cell::new(None) };
    }
    let times = match LAST.get() {
        Some((device, times)) if device == stat.device => times,
        _ => {
            let Some(times) = of(fd) else { return true };
            LAST.set(Some((stat.device, times)));
            times
        }
    };
    times.hold_for(stat)
}
