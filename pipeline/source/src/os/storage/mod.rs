//! Disks and volumes of Windows: the questions of Microsoft's documentation (winioctl.h,
//! ntddstor.h, ntddvol.h, mountdev.h), and the answers decoded from their bytes.
//!
//! Nothing here calls the system: `os/windows` implements [`Asks`] for a handle. So it is compiled
//! and tested on every system, with devices that answer as documented. An answer that is short, or
//! contradicts itself, is [`Fault::Answer`], never a number.

mod bounce;
mod bytes;
mod descriptor;
mod extents;
mod facts;
#[cfg(test)]
mod fake;
mod identifier;
mod listed;
mod lock;
mod name;
mod number;
mod size;
mod state;

pub use bounce::{BOUNCED, bounced, patched};
pub use descriptor::{Descriptor, descriptor};
pub use extents::{Extent, extents};
pub use facts::{Facts, facts, words};
pub use identifier::wwid;
pub use listed::{Listed, Volume, disks, names, shadow_copies, shadow_path};
pub use lock::{allow_all_sectors, dismount, lock};
pub use name::{Named, named, volume_of_drive};
pub use number::{Number, number, number_of, whole_disk};
pub use size::{length, sectors};
pub use state::{has_medium, is_rotational, is_write_blocked};

/// A device that can be asked: a handle, or a device of a test.
pub trait Asks {
    /// Sends a control code with its input, and takes an answer of at most `room` bytes
    /// (DeviceIoControl).
    ///
    /// # Errors
    /// The error of Win32 (GetLastError): [`error`] has those that the documentation names.
    fn ask(&self, code: u32, input: &[u8], room: usize) -> Result<Vec<u8>, u32>;
}

/// Why a question has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The system's error, a number of Win32.
    System(u32),
    /// The answer is short or contradicts itself: in the part with this name.
    Answer(&'static str),
}

impl From<u32> for Fault {
    fn from(number: u32) -> Self {
        Fault::System(number)
    }
}

/// Control codes (winioctl.h, ntddstor.h, ntddvol.h, mountdev.h).
pub mod code {
    /// GET_LENGTH_INFORMATION: needs a handle with the right to read.
    pub const DISK_GET_LENGTH_INFO: u32 = 0x0007_405c;
    /// DISK_GEOMETRY_EX.
    pub const DISK_GET_DRIVE_GEOMETRY_EX: u32 = 0x0007_00a0;
    /// PARTITION_INFORMATION_EX.
    pub const DISK_GET_PARTITION_INFO_EX: u32 = 0x0007_0048;
    /// No answer but success or ERROR_WRITE_PROTECT.
    pub const DISK_IS_WRITABLE: u32 = 0x0007_0024;
    /// STORAGE_PROPERTY_QUERY in, a descriptor out.
    pub const STORAGE_QUERY_PROPERTY: u32 = 0x002d_1400;
    /// STORAGE_DEVICE_NUMBER.
    pub const STORAGE_GET_DEVICE_NUMBER: u32 = 0x002d_1080;
    /// No answer but success or an error on the medium; for handles without the right to read.
    pub const STORAGE_CHECK_VERIFY2: u32 = 0x002d_0800;
    /// VOLUME_DISK_EXTENTS.
    pub const VOLUME_GET_VOLUME_DISK_EXTENTS: u32 = 0x0056_0000;
    /// MOUNTDEV_NAME.
    pub const MOUNTDEV_QUERY_DEVICE_NAME: u32 = 0x004d_0008;
    /// No answer: the volume belongs to this handle alone.
    pub const LOCK_VOLUME: u32 = 0x0009_0018;
    /// No answer: the file system is taken off the volume.
    pub const DISMOUNT_VOLUME: u32 = 0x0009_0020;
    /// No answer: the file system checks no bounds, so that the last sectors can be read.
    pub const ALLOW_EXTENDED_DASD_IO: u32 = 0x0009_0083;
}

/// Errors of Win32 that the documentation names for these calls (winerror.h).
pub mod error {
    /// ERROR_INVALID_FUNCTION: the driver does not know the control code.
    pub const INVALID_FUNCTION: u32 = 1;
    /// ERROR_ACCESS_DENIED: it takes an administrator, or a volume is in use.
    pub const ACCESS_DENIED: u32 = 5;
    /// ERROR_WRITE_PROTECT.
    pub const WRITE_PROTECT: u32 = 19;
    /// ERROR_NOT_READY: a drive without a medium.
    pub const NOT_READY: u32 = 21;
    /// ERROR_SECTOR_NOT_FOUND: a read beyond the end of a disk.
    pub const SECTOR_NOT_FOUND: u32 = 27;
    /// ERROR_SHARING_VIOLATION.
    pub const SHARING_VIOLATION: u32 = 32;
    /// ERROR_NOT_SUPPORTED.
    pub const NOT_SUPPORTED: u32 = 50;
    /// ERROR_INVALID_PARAMETER: also a read that is not aligned to sectors.
    pub const INVALID_PARAMETER: u32 = 87;
    /// ERROR_INSUFFICIENT_BUFFER: nothing fits.
    pub const INSUFFICIENT_BUFFER: u32 = 122;
    /// ERROR_MORE_DATA: a part of the answer fits.
    pub const MORE_DATA: u32 = 234;
    /// ERROR_NO_MEDIA_IN_DRIVE.
    pub const NO_MEDIA_IN_DRIVE: u32 = 1112;
    /// ERROR_IO_DEVICE: a sector cannot be read, say.
    pub const IO_DEVICE: u32 = 1117;
    /// FVE_E_LOCKED_VOLUME: BitLocker has not been given its key.
    pub const LOCKED_VOLUME: u32 = 0x8031_0000;
}

/// The longest answer that is taken.
const MOST: usize = 64 << 10;

/// An answer in as much room as it takes: from `room` on, doubled while the system says that more
/// is needed.
fn whole(asks: &dyn Asks, code: u32, input: &[u8], mut room: usize) -> Result<Vec<u8>, Fault> {
    loop {
        match asks.ask(code, input, room) {
            Err(error::MORE_DATA | error::INSUFFICIENT_BUFFER) if room < MOST => room = (room * 2).min(MOST),
            other => return Ok(other?),
        }
    }
}

/// A property of a device (STORAGE_PROPERTY_QUERY, PropertyStandardQuery), without the bytes behind
/// the size that it states.
fn property(asks: &dyn Asks, id: u32) -> Result<Vec<u8>, Fault> {
    // The third number stands for `AdditionalParameters`, which is not used.
    let query: Vec<u8> = [id, 0, 0].iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut room = 1024;
    loop {
        let mut answer = whole(asks, code::STORAGE_QUERY_PROPERTY, &query, room)?;
        let size = bytes::u32_at(&answer, 4, "the size of a property")? as usize;
        if !(8..=MOST).contains(&size) {
            return Err(Fault::Answer("the size of a property"));
        }
        if size <= answer.len() {
            answer.truncate(size);
            return Ok(answer);
        }
        // It was cut to the room that it had.
        if size <= room {
            return Err(Fault::Answer("a property, which is shorter than it states"));
        }
        room = size;
    }
}
