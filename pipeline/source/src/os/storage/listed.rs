//! Lists of devices and volumes.

use super::{Extent, Facts};

/// A disk or shadow copy in the system's list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StorageEntry {
    /// Its name for people: `PhysicalDrive0`, `ShadowCopy3`.
    pub name: String,
    /// The path by which it is opened.
    pub path: String,
    /// The N of `PhysicalDriveN`; `None` of a shadow copy.
    pub disk: Option<u32>,
    /// Whether it could be opened to be asked. Else it has no facts.
    pub is_open: bool,
    /// Its facts.
    pub facts: Facts,
}

/// A mounted volume.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Volume {
    /// Its name, `\\?\Volume{GUID}`, which is that of the raw volume.
    pub name: String,
    /// Where it is mounted: `C:\`, and directories.
    pub mounts: Vec<String>,
    /// Its places on disks.
    pub extents: Vec<Extent>,
    /// Whether the system refuses to write to it.
    pub write_blocked: bool,
}

impl Volume {
    /// Whether a part of it lies on the disk, at or behind a place.
    pub fn is_on(&self, disk: u32) -> bool {
        self.extents.iter().any(|extent| extent.disk == disk)
    }

    /// The shortest name for people: `C:`, the directory where it is mounted, or its own name.
    pub fn shown(&self) -> &str {
        let mount = self.mounts.iter().min_by_key(|mount| mount.len());
        mount.map_or(&self.name, |mount| mount.trim_end_matches('\\'))
    }
}

/// The strings of a list in which each ends with a zero (QueryDosDeviceW,
/// GetVolumePathNamesForVolumeNameW). Those that are not UTF-16 are left out.
pub fn names(units: &[u16]) -> Vec<String> {
    let parts = units.split(|unit| *unit == 0).filter(|part| !part.is_empty());
    parts.filter_map(|part| String::from_utf16(part).ok()).collect()
}

/// The numbers behind a word among names, in order.
fn numbers(names: &[String], word: &str) -> Vec<u32> {
    let digits = names.iter().filter_map(|name| name.strip_prefix(word));
    let plain = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let mut found: Vec<u32> = plain.filter_map(|digits| digits.parse().ok()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The N of each `PhysicalDriveN` among the names of devices.
pub fn disks(names: &[String]) -> Vec<u32> {
    numbers(names, "PhysicalDrive")
}

/// The numbers of the shadow copies among the names of devices.
pub fn shadow_copies(names: &[String]) -> Vec<u32> {
    numbers(names, "HarddiskVolumeShadowCopy")
}

/// The name under which a shadow copy is opened as a volume.
pub fn shadow_path(number: u32) -> String {
    format!(r"\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy{number}")
}
