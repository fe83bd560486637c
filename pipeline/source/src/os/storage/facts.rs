//! All facts about one device.

use super::{Asks, descriptor, has_medium, is_rotational, is_write_blocked, length, number, sectors, wwid};

/// The facts that a device states. A question that it does not answer leaves its fact out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Maker and model.
    pub model: String,
    /// Revision of the firmware.
    pub firmware: String,
    /// Serial number.
    pub serial: String,
    /// World wide identifier.
    pub wwid: String,
    /// The bus by a word; empty if it is not known.
    pub bus: &'static str,
    /// Bytes; 0 of a drive without a medium, or where nothing states them.
    pub size: u64,
    /// Logical and physical sector in bytes.
    pub sectors: (u32, u32),
    /// Whether the medium can be taken out.
    pub removable: bool,
    /// Whether it turns; `None` if that is not stated.
    pub rotational: Option<bool>,
    /// Whether the system refuses to write to it; `None` if that is not stated.
    pub write_blocked: Option<bool>,
    /// The number of the partition from 1; 0 of a whole device.
    pub partition: u32,
}

/// Asks a device all questions.
pub fn facts(asks: &dyn Asks) -> Facts {
    let found = descriptor(asks).unwrap_or_default();
    // The vendor of a SATA disk is the name of the interface.
    let model = [found.vendor, found.model];
    let model: Vec<String> = model.into_iter().filter(|word| !word.is_empty() && word != "ATA").collect();
    Facts {
        model: model.join(" "),
        firmware: found.firmware,
        serial: found.serial,
        wwid: wwid(asks).unwrap_or_default(),
        bus: found.bus,
        size: if has_medium(asks) { length(asks).unwrap_or(0) } else { 0 },
        sectors: sectors(asks).unwrap_or((512, 512)),
        removable: found.removable,
        rotational: is_rotational(asks).ok(),
        write_blocked: is_write_blocked(asks),
        partition: number(asks).map_or(0, |number| number.partition),
    }
}

/// The facts for the record of an acquisition, under the names that Linux's facts have there; only
/// those that the device states.
pub fn words(asks: &dyn Asks) -> Vec<(&'static str, String)> {
    let (found, number) = (facts(asks), number(asks));
    let flag = |set: bool| u8::from(set).to_string();
    let mut words = vec![
        ("model", found.model),
        ("serial", found.serial),
        ("firmware", found.firmware),
        ("wwid", found.wwid),
        ("read-only", found.write_blocked.map(flag).unwrap_or_default()),
        ("removable", flag(found.removable)),
        ("rotational", found.rotational.map(flag).unwrap_or_default()),
    ];
    if let Ok(number) = number {
        words.push(("number", format!("{}:{}", number.device, number.partition)));
        match number.partition {
            0 if number.is_disk() => words.push(("name", format!("PhysicalDrive{}", number.device))),
            0 => {}
            partition => words.push(("partition", partition.to_string())),
        }
    }
    words.retain(|(_, text)| !text.is_empty());
    words
}
