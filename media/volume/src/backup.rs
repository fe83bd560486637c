//! Copies of the first sectors of a file system, used where the first are lost: they stand in their
//! place while the volume is read.

use std::io;
use std::sync::Arc;

use crate::file_system::VolumeContent;
use crate::{apfs, btrfs, ext, fat, hfs, ntfs, xfs};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, is_at, le16, le64, read_some};
use pfh_bytes::node::Failure;

/// A copy, and the place of the original.
struct Spare {
    at: u64,
    bytes: Vec<u8>,
    /// Where the copy itself stands.
    from: u64,
    what: &'static str,
}

/// Bytes with a range of them replaced.
struct ReplacedBytes {
    of: Arc<dyn Bytes>,
    at: u64,
    bytes: Vec<u8>,
}

impl Bytes for ReplacedBytes {
    fn size(&self) -> u64 {
        self.of.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let end = self.at + self.bytes.len() as u64;
        if offset >= end || buffer.is_empty() {
            return self.of.read_at(offset, buffer);
        }
        if offset < self.at {
            let room = usize::try_from(self.at - offset).unwrap_or(usize::MAX).min(buffer.len());
            return self.of.read_at(offset, &mut buffer[..room]);
        }
        // The replaced ranges may be those that the medium cannot read.
        let rest = &self.bytes[(offset - self.at) as usize..];
        let got = rest.len().min(buffer.len());
        buffer[..got].copy_from_slice(&rest[..got]);
        Ok(got)
    }
}

/// Which file systems have copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// NTFS: the boot sector, in the last sector of the volume.
    Ntfs,
    /// exFAT: the first twelve sectors, in the twelve that follow.
    Exfat,
    /// FAT32: the boot sector, in sector 6.
    Fat,
    /// ext: the superblock, at the start of group 1.
    Ext,
    /// APFS: the superblock, in the checkpoints that follow.
    Apfs,
    /// HFS+: the volume header, a kilobyte in front of the end.
    Hfs,
    /// XFS: the superblock, at the start of the second group.
    Xfs,
    /// Btrfs: the superblock, at 64 MiB and 256 GiB.
    Btrfs,
}

/// Opens a volume by a copy; `None` if there is none, or the volume is not sound with it. `why`
/// names the fault of the original.
pub fn open(of: Of, bytes: &Arc<dyn Bytes>, why: &str) -> Option<VolumeContent> {
    copies(of, &**bytes).into_iter().find_map(|copy| {
        let warning = failure(Some(copy.from), format!("{} {why}: its copy is used", copy.what));
        let replaced: Arc<dyn Bytes> = Arc::new(ReplacedBytes { of: bytes.clone(), at: copy.at, bytes: copy.bytes });
        let found = match of {
            // Its boot sector is in a file, which must show the bytes of the medium.
            Of::Ntfs => ntfs::open_by(bytes, &*replaced),
            Of::Exfat => fat::open_exfat(&replaced),
            Of::Fat => fat::open(&replaced),
            Of::Ext => ext::open(&replaced),
            Of::Apfs => apfs::open(&replaced),
            Of::Hfs => hfs::open(&replaced),
            Of::Xfs => xfs::open(&replaced),
            Of::Btrfs => btrfs::open(&replaced),
        };
        match found {
            Ok(Some(VolumeContent::Volumes(mut volumes))) => {
                volumes.warnings.insert(0, warning);
                Some(VolumeContent::Volumes(volumes))
            }
            Ok(Some(VolumeContent::FileSystem(mut volume))) => {
                volume.warnings.insert(0, warning);
                Some(VolumeContent::FileSystem(volume))
            }
            _ => None,
        }
    })
}

/// The copies that look like some.
fn copies(of: Of, bytes: &dyn Bytes) -> Vec<Spare> {
    let read = |at: u64, length: usize| -> Option<Vec<u8>> {
        let found: Result<Vec<u8>, Failure> = read_some(bytes, at, length);
        found.ok().filter(|found| found.len() == length)
    };
    let boot =
        |from: u64, length: usize| Some(Spare { at: 0, bytes: read(from, length)?, from, what: "the boot sector" });
    let found: Vec<Option<Spare>> = match of {
        Of::Apfs => apfs::spares(bytes)
            .into_iter()
            .map(|(from, bytes)| Some(Spare { at: 0, bytes, from, what: "the superblock of the container" }))
            .collect(),
        Of::Hfs => hfs::spare(bytes)
            .map(|(from, bytes)| Some(Spare { at: 1024, bytes, from, what: "the volume header" }))
            .into_iter()
            .collect(),
        Of::Xfs => xfs::spares(bytes)
            .into_iter()
            .map(|(from, bytes)| Some(Spare { at: 0, bytes, from, what: "the superblock" }))
            .collect(),
        Of::Btrfs => btrfs::spares(bytes)
            .into_iter()
            .map(|(from, bytes)| Some(Spare { at: btrfs::PLACES[0], bytes, from, what: "the superblock" }))
            .collect(),
        Of::Ntfs => [512, 4096]
            .map(|sector| {
                boot(bytes.size().checked_sub(sector)?, 512).filter(|copy| {
                    // It belongs to this volume: it states all sectors but this one.
                    is_at(&copy.bytes, 3, b"NTFS    ") && le64(&copy.bytes, 0x28).checked_mul(sector) == Some(copy.from)
                })
            })
            .into(),
        Of::Exfat => [9, 12, 10, 11]
            .map(|log: u8| {
                // Most files are not such a volume: only twelve sectors of each are read.
                let head = read(12 << log, 128)?;
                let is_one = is_at(&head, 3, b"EXFAT   ") && head.get(108) == Some(&log);
                is_one.then(|| boot(12 << log, 12 << log)).flatten()
            })
            .into(),
        Of::Fat => [512, 4096, 2048, 1024]
            .map(|sector: u16| {
                boot(6 * u64::from(sector), 512).filter(|copy| {
                    let raw = &copy.bytes;
                    is_at(raw, 82, b"FAT32   ") && le16(raw, 11) == sector && le16(raw, 50) == 6
                })
            })
            .into(),
        Of::Ext => [4096, 1024, 2048]
            .map(|block: u64| {
                // With blocks of a kilobyte the first belongs to no group.
                let from = (block * 8 + u64::from(block == 1024)) * block;
                let bytes = read(from, 1024)?;
                let is_one = le16(&bytes, 56) == 0xef53 && le16(&bytes, 90) == 1;
                is_one.then_some(Spare { at: 1024, bytes, from, what: "the superblock" })
            })
            .into(),
    };
    found.into_iter().flatten().collect()
}
