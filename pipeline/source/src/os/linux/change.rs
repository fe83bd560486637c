//! Which file systems keep a change time (ctime) that tells a file that was rewritten from one that
//! was not.

use super::super::ChangeTimes;
use super::files::{below, open_long};
use crate::base::Base;
use crate::stat::Stat;
use rustix::fs::{self, OFlags};
use std::cell::Cell;
use std::os::fd::{AsFd, BorrowedFd};

/// `f_type` of linux/magic.h, and of the drivers that are not in it: no change time on the medium.
const MISSING: [u64; 10] = [
    0x4d44,      // msdos and vfat
    0x2011_bab0, // exfat
    0x4244,      // hfs
    0x137f,      // minix, in its five forms
    0x138f,
    0x2468,
    0x2478,
    0x4d5a,
    0xadff,      // affs
    0xf995_e849, // hpfs
];
/// Served by a program or a server that may know no change times, or kept by another file system.
const DOUBTFUL: [u64; 6] = [
    0x6573_5546, // fuse
    0x0102_1997, // 9p
    0xff53_4d42, // cifs
    0xfe53_4d42, // smb2
    0x517b,      // smb
    0xf15f,      // ecryptfs
];
/// Of layers; the lower ones may be images: overlayfs and aufs.
const LAYERED: [u64; 2] = [0x794c_7630, 0x6175_6673];
/// Made once as a whole, with the times that its maker put there.
const RECORDED: [u64; 7] = [
    0x7371_7368, // squashfs
    0xe0f5_e1e2, // erofs
    0x9660,      // iso9660
    0x1501_3346, // udf
    0x28cd_3d45, // cramfs, in both byte orders
    0x453d_cd28,
    0x7275, // romfs
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
    let kind = fs::fstatfs(fd).ok()?.f_type as u64 & 0xffff_ffff;
    Some(times(kind, device, fs::fstatvfs(fd).ok()?.f_fsid))
}

/// Of a file system of this kind on a device, with its own number: ext4 and btrfs make that of
/// their UUID, others of the number of the device.
fn times(kind: u64, device: u64, number: u64) -> ChangeTimes {
    let is_exchanged = EXCHANGED.contains(&fs::major(device));
    match if number == device { 0 } else { number } {
        _ if RECORDED.contains(&kind) => ChangeTimes::Recorded,
        _ if MISSING.contains(&kind) => ChangeTimes::Missing,
        _ if DOUBTFUL.contains(&kind) => ChangeTimes::Doubtful,
        _ if LAYERED.contains(&kind) => ChangeTimes::Layered,
        0 if is_exchanged => ChangeTimes::Recorded,
        number if is_exchanged => ChangeTimes::Named(number),
        number => ChangeTimes::Kept(number),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two media that differ in nothing but their content and their own number: when may a record
    /// of the one stand for the other, for a cache (which has the number) and for a list (which has
    /// not)?
    #[test]
    fn no_record_of_one_medium_stands_for_another() {
        let devices = [("loop", 7), ("disc", 11), ("network", 43), ("disk", 8), ("nvme", 259), ("anonymous", 0)];
        let kinds = [
            ("squashfs", 0x7371_7368, false),
            ("erofs", 0xe0f5_e1e2, false),
            ("iso9660", 0x9660, false),
            ("udf", 0x1501_3346, false),
            ("cramfs", 0x28cd_3d45, false),
            ("romfs", 0x7275, false),
            ("vfat", 0x4d44, false),
            ("exfat", 0x2011_bab0, false),
            ("overlay", 0x794c_7630, false),
            ("ext4", 0xef53, true),
            ("btrfs", 0x9123_683e, true),
            ("xfs", 0x5846_5342, true),
        ];
        let at = (1_700_000_000, 0);
        let stat = Stat { device: 1, inode: 1, size: 1, mode: 0o100_644, mtime: at, ctime: at, atime: at };
        for ((device, major), (kind, magic, keeps)) in devices.iter().flat_map(|one| kinds.map(|kind| (*one, kind))) {
            let what = format!("{kind} on {device}");
            let number = fs::makedev(major, 1);
            let [one, other] = [5, 6].map(|own| times(magic, number, own));
            assert_eq!(one.hold_for(&stat), keeps, "{what}");
            assert!(!one.hold_for(&stat) || one.medium() != other.medium(), "{what}: a cache knows them apart");
            let is_exchanged = [7, 11, 43].contains(&major);
            assert!(!is_exchanged || !one.hold_for(&stat) || one.are_exchanged(&stat), "{what}: a list does not");
            assert!(kind != "overlay" || one.are_exchanged(&stat), "{what}");
            // Without a number of its own it is not believed where media are exchanged.
            for own in [0, number] {
                assert_eq!(times(magic, number, own).hold_for(&stat), keeps && !is_exchanged, "{what}");
            }
        }
    }
}
