//! Maker, model, serial number and bus.

use super::answer::property;
use super::bytes::{text_at, u8_at, u32_at};
use super::{Asks, Fault};

/// StorageDeviceProperty.
const DEVICE: u32 = 0;

/// STORAGE_DEVICE_DESCRIPTOR, as the driver states it. Texts are empty where it states none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// The maker. Drivers of ATA disks state none, or `ATA`.
    pub vendor: String,
    /// The model.
    pub model: String,
    /// The revision of the firmware.
    pub firmware: String,
    /// The serial number. Old drivers of ATA disks state it in hexadecimal, or with swapped bytes:
    /// it stays as given.
    pub serial: String,
    /// Whether the medium can be taken out.
    pub removable: bool,
    /// The bus, by a word: `ata`, `usb`, `nvme` …; empty if it is not known.
    pub bus: &'static str,
}

/// Asks for the descriptor.
///
/// # Errors
/// The system's, and an answer that ends before its fields.
pub fn descriptor(asks: &dyn Asks) -> Result<Descriptor, Fault> {
    let answer = property(asks, DEVICE)?;
    let text = |from| u32_at(&answer, from, "the descriptor of a device").map(|at| text_at(&answer, at));
    Ok(Descriptor {
        vendor: text(12)?,
        model: text(16)?,
        firmware: text(20)?,
        serial: text(24)?,
        removable: u8_at(&answer, 10, "the descriptor of a device")? != 0,
        bus: bus(u32_at(&answer, 28, "the descriptor of a device")?),
    })
}

/// STORAGE_BUS_TYPE by the words that `pfh disks` has for them.
fn bus(number: u32) -> &'static str {
    match number {
        1 => "scsi",
        2 | 3 | 11 => "ata",
        4 => "firewire",
        6 => "fibre-channel",
        7 => "usb",
        8 => "raid",
        9 => "iscsi",
        10 => "sas",
        12 | 13 => "mmc",
        14 => "virtual",
        15 => "virtual-file",
        16 => "storage-spaces",
        17 => "nvme",
        18 => "pmem",
        19 => "ufs",
        _ => "",
    }
}
