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

/// Made once as a whole, with the times that its maker put there.
const RECORDED: [u64; 6] = [
    0x7371_7368, // squashfs
    0xe0f5_e1e2, // erofs
    0x9660,      // iso9660
    0x1501_3346, // udf
    0x28cd_3d45, // cramfs
    0x7275,      // romfs
];
/// Block devices that hold one medium after the other under one number (Linux
/// Documentation/admin-guide/devices.txt): loop, SCSI CD-ROM, network block device.
const EXCHANGED: [u32; 3] = [7, 11, 43];

/// Of the file system on which a file lies; `None` where it cannot be asked.
pub fn change_times(base: &Base, path: &[u8]) -> Option<ChangeTimes> {
    let (at, links, last) = below(base);
    let fd = open_long(at, path, OFlags::PATH | OFlags::CLOEXEC | last, links).ok()?;
    of(fd.as_fd(), fs::fstat(&fd).ok()?.st_dev as u64)
}

/// Of the file system of an open file that lies on this device.
fn of(fd: BorrowedFd<'_>, device: u64) -> Option<ChangeTimes> {
    let found = fs::fstatfs(fd).ok()?;
    let kind = found.f_type as u64 & 0xffff_ffff;
    Some(match kind {
        kind if RECORDED.contains(&kind) => ChangeTimes::Recorded,
        kind if MISSING.contains(&kind) => ChangeTimes::Missing,
        kind if DOUBTFUL.contains(&kind) => ChangeTimes::Doubtful,
        _ => {
            if !EXCHANGED.contains(&fs::major(device)) {
                return Some(ChangeTimes::Kept);
            }
            // ext4 and btrfs make it of their UUID, others of the number of the device.
            match fs::fstatvfs(fd).ok()?.f_fsid {
                number if number == 0 || number == device => ChangeTimes::Recorded,
                number => ChangeTimes::Named(number),
            }
        }
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
            let Some(times) = of(fd, stat.device) else { return true };
            LAST.set(Some((stat.device, times)));
            times
        }
    };
    // While it is mounted, an image is not made again.
    times == ChangeTimes::Recorded || times.hold_for(stat)
}
