//! Which file systems keep a change time (ctime) that tells a file that was rewritten from one that was not.

use super::super::ChangeTimes;
use super::files::{below, open_long};
use crate::entry::Base;
use rustix::fs::{self, OFlags};
use std::os::fd::AsFd;

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
    let kind = fs::fstatfs(fd.as_fd()).ok()?.f_type as u64 & 0xffff_ffff;
    Some(match kind {
        kind if MISSING.contains(&kind) => ChangeTimes::Missing,
        kind if DOUBTFUL.contains(&kind) => ChangeTimes::Doubtful,
        _ => ChangeTimes::Kept,
    })
}
