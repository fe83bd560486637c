//! The rows: disks and their partitions.

use pfh_source::device::hidden::HiddenParts;
use std::path::PathBuf;

/// A place where a file system is mounted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The mount point; `[SWAP]` of swap that is in use.
    pub at: PathBuf,
    /// Whether it is mounted for writing.
    pub writable: bool,
}

/// A mapped device that has a disk or a partition open: one of LVM, RAID or dm-crypt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its name: `dm-0`, `md127`.
    pub name: String,
    /// The name that it was given: `vg0-root`; empty if it has none.
    pub alias: String,
    /// Its kind: `crypt`, `lvm`, `raid`, or the kernel's word.
    pub kind: String,
}

/// The contents of a disk or a partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Content {
    /// A file system.
    FileSystem {
        /// Its name: `NTFS`, `ext4`.
        format: String,
        /// The volume's label; empty if it has none.
        label: String,
    },
    /// Encrypted, by the name of the format.
    Encrypted(String),
    /// Another known format: LVM, RAID, swap, a file system that is not read.
    Other(String),
    /// Partitions, which have their own rows.
    Partitions,
    /// The device has no medium.
    NoMedium,
    /// Nothing that is known. Encryption without a signature (VeraCrypt) looks like this.
    #[default]
    Unknown,
    /// It was not read, because of this.
    Unread(String),
    /// It was not to be read.
    Unasked,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Partition {
    /// The kernel's name, `sda1`; empty where only the partition table states it.
    pub name: String,
    /// The device file; `None` where the kernel has none.
    pub path: Option<PathBuf>,
    /// Its number, from 1; 0 if it has none.
    pub number: u32,
    /// Where it begins on the disk, in bytes.
    pub start: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The type that the table states: a GUID in lower case, or `0x83`; empty if it is not known.
    pub kind: String,
    /// The name that the table states.
    pub label: String,
    /// Whether the kernel refuses to write to it.
    pub write_blocked: bool,
    /// Its contents.
    pub content: Content,
    /// Where it is mounted, also by way of mapped devices.
    pub mounts: Vec<Mount>,
    /// Devices that have it open.
    pub holders: Vec<Holder>,
}

/// A disk.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Disk {
    /// The kernel's name: `sda`.
    pub name: String,
    /// The device file.
    pub path: PathBuf,
    /// Maker and model; empty if they are not known.
    pub model: String,
    /// Serial number.
    pub serial: String,
    /// World wide identifier.
    pub wwid: String,
    /// Revision of the firmware.
    pub firmware: String,
    /// Size in bytes.
    pub size: u64,
    /// Logical sector in bytes.
    pub sector: u32,
    /// Physical sector in bytes.
    pub physical_sector: u32,
    /// How it is attached: `ata`, `usb`, `nvme`, `sas`, `scsi`, `mmc`, `virtio`, `loop` …; empty if
    /// that is not known.
    pub bus: String,
    /// Whether the medium can be taken out.
    pub removable: bool,
    /// Whether it turns; `None` if that is not known.
    pub rotational: Option<bool>,
    /// Whether the kernel refuses to write to it, as behind many write blockers.
    pub write_blocked: bool,
    /// The file of a loop device.
    pub backing_file: Option<PathBuf>,
    /// Degrees Celsius, if the drive states them.
    pub temperature: Option<f64>,
    /// The partition table: `gpt`, `mbr`, `apm`, or nothing.
    pub table: String,
    /// The contents of the whole disk, if it has no partitions.
    pub content: Content,
    /// Where the whole disk is mounted.
    pub mounts: Vec<Mount>,
    /// Devices that have the whole disk open.
    pub holders: Vec<Holder>,
    /// Areas that the disk hides; `None` if it was not asked.
    pub hidden: Option<HiddenParts>,
    /// Its partitions, in order of place.
    pub partitions: Vec<Partition>,
}

impl Disk {
    /// Where the disk or a partition of it is mounted.
    pub fn all_mounts(&self) -> impl Iterator<Item = &Mount> {
        self.mounts.iter().chain(self.partitions.iter().flat_map(|part| &part.mounts))
    }

    /// Whether the disk or a partition of it is encrypted with a signature.
    pub fn is_encrypted(&self) -> bool {
        let mut all = std::iter::once(&self.content).chain(self.partitions.iter().map(|part| &part.content));
        all.any(|content| matches!(content, Content::Encrypted(_)))
    }
}
