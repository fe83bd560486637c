//! Which file system a volume holds.

use pfh_container::sfx;
use std::sync::Arc;

use crate::apfs;
use crate::backup::{self, Of};
use crate::bridge;
use crate::btrfs;
use crate::erofs;
use crate::ext;
use crate::f2fs;
use crate::fat;
use crate::file_system::VolumeContent;
use crate::hfs;
use crate::ntfs;
use crate::recognise::{Magic, division, is_hfs, is_second_luks, recognise};
use crate::squash;
use crate::windows::Windows;
use crate::xfs;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be16, be32, byte, failure, is_at, le16, le32, read_some};
use pfh_bytes::node::Failure;

/// Opens one kind of file system; `None` if it is another.
type Open = fn(&Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure>;

/// All readers, each with the copies of the file system's first sectors.
const READERS: &[(Open, Option<Of>)] = &[
    // Its first sector has no bytes of another system; those behind it may be an older file
    // system's.
    (xfs::open, Some(Of::Xfs)),
    (squash::open, None),
    (erofs::open, None),
    (f2fs::open, None),
    (ntfs::open, Some(Of::Ntfs)),
    (fat::open_exfat, Some(Of::Exfat)),
    (fat::open, Some(Of::Fat)),
    (ext::open, Some(Of::Ext)),
    (apfs::open, Some(Of::Apfs)),
    // A disc may be one for Macs as well.
    (bridge::open, None),
    (hfs::open, Some(Of::Hfs)),
    (btrfs::open, Some(Of::Btrfs)),
];

/// Finds out which file system `bytes` hold, from the first byte on, and opens it; by a copy of
/// its first sectors if these are damaged or lost. Offsets in failures and runs are those of
/// `bytes`.
///
/// # Errors
/// If the medium cannot be read there, or the structures of a known file system contradict
/// themselves.
pub fn file_system(bytes: Arc<dyn Bytes>) -> Result<VolumeContent, Failure> {
    // Formats in the table go first: a container may be written over an old file system's start.
    match recognise(&*bytes) {
        Ok(Some(Magic::Encrypted(name))) => return Ok(VolumeContent::Encrypted(name)),
        Ok(Some(Magic::Unread(name))) => return Ok(VolumeContent::Unread(name.to_owned())),
        Ok(None) => {}
        // The start is lost: copies elsewhere tell the file system.
        Err(failed) => {
            let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(bytes));
            return by_copy(&bytes, "cannot be read").ok_or(failed);
        }
    }
    let bytes: Arc<dyn Bytes> = Arc::new(Windows::new(bytes));
    for (open, of) in READERS {
        match open(&bytes) {
            Ok(Some(found)) => return Ok(with_archive_behind(found, &*bytes)),
            Ok(None) => {}
            Err(failed) => {
                let why = format!("is damaged ({})", failed.cause);
                return of.and_then(|of| backup::open(of, &bytes, &why)).ok_or(failed);
            }
        }
    }
    if is_hfs(&*bytes, 0)? {
        return Ok(VolumeContent::Unread("HFS".to_owned()));
    }
    if let Some(found) = by_copy(&bytes, "is lost") {
        return Ok(found);
    }
    if is_second_luks(&*bytes)? {
        return Ok(VolumeContent::Encrypted("LUKS"));
    }
    Ok(division(&*bytes)?.map_or(VolumeContent::Unknown, |name| VolumeContent::Unread(name.to_owned())))
}

/// The file system in a file that is smaller than most volumes. Boot sectors and superblocks alone
/// are ordinary files (`$Boot` of every NTFS volume is one): the volume must be there, or more of
/// it than these.
///
/// # Errors
/// As [`file_system`].
pub fn small_file_system(bytes: Arc<dyn Bytes>) -> Result<VolumeContent, Failure> {
    let head = read_some(&*bytes, 0, 2048)?;
    match recognise(&*bytes)? {
        Some(Magic::Encrypted(name)) => return Ok(VolumeContent::Encrypted(name)),
        Some(Magic::Unread(name)) => return Ok(VolumeContent::Unread(name.to_owned())),
        None if is_hfs(&*bytes, 0)? => return Ok(VolumeContent::Unread("HFS".to_owned())),
        None => {}
    }
    if may_be_small(&head, bytes.size()) {
        return file_system(bytes);
    }
    let boot = [(&b"NTFS    "[..], "NTFS"), (b"EXFAT   ", "exFAT")].into_iter().find(|(name, _)| is_at(&head, 3, name));
    let boot = boot.filter(|_| le16(&head, 510) == 0xaa55).map(|(_, name)| name);
    match boot.or_else(|| is_xfs(&head).then_some("XFS")).filter(|_| bytes.size() > BOOT) {
        Some(name) => Err(failure(Some(bytes.size()), format!("{name}: the volume is cut off here"))),
        None => Ok(VolumeContent::Unknown),
    }
}

/// Names the archive that stands behind the end of a file system, which no table lists.
fn with_archive_behind(mut found: VolumeContent, bytes: &dyn Bytes) -> VolumeContent {
    if let VolumeContent::FileSystem(system) = &mut found
        && system.size > 0
        && let Some(behind) = sfx::behind_end(system.size, bytes)
    {
        let cause = format!("{} behind the file system: not read there", behind.format);
        system.unread.push(failure(Some(behind.offset), cause));
    }
    found
}

/// The longest boot area of NTFS and exFAT; the headers of XFS are shorter. A file of this length
/// or less is not a volume.
const BOOT: u64 = 12 << 10;

/// Whether these first bytes are those of a small FAT or ext volume, or of one of squashfs or
/// EROFS.
pub fn may_be_small(head: &[u8], size: u64) -> bool {
    is_ext(head) || is_fat_of(head, size) || is_squash(head) || is_erofs(head)
}

/// Whether a file system of this many bytes may begin with these first ones: by more than a magic.
pub fn may_begin(head: &[u8], size: u64) -> bool {
    let is_boot = is_at(head, 3, b"NTFS    ") || is_at(head, 3, b"EXFAT   ");
    may_be_small(head, size) || is_xfs(head) || is_boot && le16(head, 510) == 0xaa55
}

/// A superblock of ext: its magic, and a valid size of blocks, revision and state.
fn is_ext(head: &[u8]) -> bool {
    let at = |place: usize| le32(head, 1024 + place);
    is_at(head, 1080, b"\x53\xef") && at(0) > 0 && at(4) > 0 && at(24) <= 6 && at(76) <= 1 && le16(head, 1082) < 8
}

/// A superblock of squashfs.
fn is_squash(head: &[u8]) -> bool {
    is_at(head, 0, b"hsqs")
}

/// A superblock of EROFS: its magic, and a valid size of blocks.
fn is_erofs(head: &[u8]) -> bool {
    is_at(head, 1024, b"\xe2\xe1\xf5\xe0") && (9..=16).contains(&byte(head, 1036))
}

/// A superblock of XFS: its magic, and valid sizes of blocks and sectors.
fn is_xfs(head: &[u8]) -> bool {
    is_at(head, 0, b"XFSB") && be32(head, 4).is_power_of_two() && be16(head, 102).is_power_of_two()
}

/// The boot sector of a FAT volume of no more bytes than these.
fn is_fat_of(head: &[u8], size: u64) -> bool {
    let (sector, sectors) = (u64::from(le16(head, 11)), u64::from(le16(head, 19)));
    let is_boot = matches!(byte(head, 0), 0xe9 | 0xeb) && le16(head, 510) == 0xaa55 && byte(head, 21) >= 0xf0;
    is_boot && sector >= 512 && (1..=size).contains(&(sector * sectors))
}

/// The file system whose copy is found.
fn by_copy(bytes: &Arc<dyn Bytes>, why: &str) -> Option<VolumeContent> {
    READERS.iter().filter_map(|(_, of)| *of).find_map(|of| backup::open(of, bytes, why))
}
