//! The number by which a device is known again.

use super::answer::whole;
use super::bytes::{length_at, u16_at, u32_at};
use super::{Asks, Fault, code};

/// FILE_DEVICE_DISK.
const DISK: u32 = 7;

/// STORAGE_DEVICE_NUMBER: the N of `PhysicalDriveN`, and the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// The device's type (FILE_DEVICE_…): 7 is a disk, 2 an optical drive.
    pub kind: u32,
    /// The number of the device among those of its type.
    pub device: u32,
    /// The partition from 1; 0 is the whole device. An optical drive cannot have partitions, and is
    /// whole.
    pub partition: u32,
}

impl Number {
    /// Whether it is a whole disk.
    pub fn is_disk(self) -> bool {
        self.kind == DISK && self.partition == 0
    }

    /// In one number, which is not 0 for any disk.
    pub fn packed(self) -> u64 {
        u64::from(self.kind & 0x7f) << 56 | u64::from(self.device) << 24 | u64::from(self.partition & 0xff_ffff)
    }
}

/// The number of the whole disk N.
pub fn whole_disk(disk: u32) -> u64 {
    Number { kind: DISK, device: disk, partition: 0 }.packed()
}

/// Device and partition of a disk, or of a volume that is one partition.
///
/// # Errors
/// ERROR_INVALID_FUNCTION of volumes that span partitions. A disk without the number of its
/// partition is refused: it is a part of that disk, as a shadow copy is.
pub fn number(asks: &dyn Asks) -> Result<Number, Fault> {
    let answer = whole(asks, code::STORAGE_GET_DEVICE_NUMBER, &[], 12)?;
    let field = |from| u32_at(&answer, from, "the number of a device");
    let (kind, device) = (field(0)?, field(4)?);
    match field(8)? {
        u32::MAX if kind == DISK => Err(Fault::Answer("the number of a device")),
        u32::MAX => Ok(Number { kind, device, partition: 0 }),
        partition => Ok(Number { kind, device, partition }),
    }
}

/// One number for any device: disk and partition, or the hashed name of a volume that has none
/// (`\Device\HarddiskVolumeShadowCopy3`), or its length where it has no name either, with the
/// highest bit set.
///
/// # Errors
/// When the handle is of no device: the error of the first question.
pub fn number_of(asks: &dyn Asks) -> Result<u64, Fault> {
    let fault = match number(asks) {
        Ok(number) => return Ok(number.packed()),
        Err(fault) => fault,
    };
    let Ok(answer) = whole(asks, code::MOUNTDEV_QUERY_DEVICE_NAME, &[], 512) else {
        let length = whole(asks, code::DISK_GET_LENGTH_INFO, &[], 8).map_err(|_| fault)?;
        return length_at(&length, 0, "the length of a device").map(|length| length | 3 << 62);
    };
    let length = usize::from(u16_at(&answer, 0, "the name of a volume")?);
    let name = answer.get(2..2 + length).filter(|name| !name.is_empty());
    let name = name.ok_or(Fault::Answer("the name of a volume"))?;
    // FNV-1a.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    Ok(name.iter().fold(0xcbf2_9ce4_8422_2325, step) | 1 << 63)
}
