//! The facts that udev recorded of a device, which every user may read.

use super::row::Content;
use pfh_source::os::kernel_text;
use std::collections::BTreeMap;
use std::path::Path;

/// The record of a device.
pub(super) struct Udev(BTreeMap<String, String>);

impl Udev {
    /// That of the device with this number (`8:1`); empty where there is none.
    pub(super) fn of(system: &Path, device: &str) -> Udev {
        let text = kernel_text(system.join(format!("run/udev/data/b{device}"))).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.strip_prefix("E:")?.split_once('='));
        Udev(lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    /// A value; empty if it has none.
    pub(super) fn value(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// A value in which blanks and the like are written as `\x20`.
    pub(super) fn decoded(&self, name: &str) -> String {
        let (text, mut bytes) = (self.value(name).as_bytes(), Vec::new());
        let mut at = 0;
        while at < text.len() {
            let digits = (text[at..].starts_with(b"\\x")).then(|| text.get(at + 2..at + 4)).flatten();
            let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
            bytes.push(byte.unwrap_or(text[at]));
            at += if byte.is_some() { 4 } else { 1 };
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The kind of partition table.
    pub(super) fn table(&self) -> String {
        match self.value("ID_PART_TABLE_TYPE") {
            "dos" => "mbr".to_owned(),
            other => other.to_owned(),
        }
    }

    /// The contents that blkid found on the device.
    pub(super) fn content(&self) -> Content {
        let format = self.value("ID_FS_TYPE").to_owned();
        match (self.value("ID_FS_USAGE"), format.is_empty()) {
            (_, true) => Content::Unasked,
            ("crypto", _) => Content::Encrypted(format),
            ("filesystem", _) => Content::FileSystem { format, label: self.decoded("ID_FS_LABEL_ENC") },
            _ => Content::Other(format),
        }
    }
}
