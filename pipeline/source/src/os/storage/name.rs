//! Names of devices among operands.

/// A device, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceName {
    /// A whole disk: the N of `PhysicalDriveN`.
    Disk(u32),
    /// A volume: `\\.\C:`, `\\?\Volume{GUID}`, `\\?\GLOBALROOT\Device\HarddiskVolume3`.
    Volume,
    /// The volume that is a shadow copy, by its number:
    /// `\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy3`.
    ShadowCopy(u32),
}

/// The number behind a word, of any case.
fn numbered(text: &[u8], word: &str) -> Option<u32> {
    let (front, digits) = text.split_at_checked(word.len())?;
    let is_number = front.eq_ignore_ascii_case(word.as_bytes()) && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()
}

/// The rest of a text behind a word, of any case.
fn behind<'a>(text: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let (front, rest) = text.split_at_checked(word.len())?;
    front.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

/// The device that an operand names; `/` and `\` separate. With a separator at the end the name is
/// that of a directory, the root of the volume's file system, and `None` here.
pub fn named(operand: &[u8]) -> Option<DeviceName> {
    let name: Vec<u8> = operand.iter().map(|&byte| if byte == b'/' { b'\\' } else { byte }).collect();
    let name = behind(&name, r"\\.\").or_else(|| behind(&name, r"\\?\"))?;
    if let Some(disk) = numbered(name, "PhysicalDrive") {
        return Some(DeviceName::Disk(disk));
    }
    if is_drive(name) || is_guid(name) {
        return Some(DeviceName::Volume);
    }
    let name = behind(name, r"GLOBALROOT\Device\").unwrap_or(name);
    if let Some(copy) = numbered(name, "HarddiskVolumeShadowCopy") {
        return Some(DeviceName::ShadowCopy(copy));
    }
    let is_volume = numbered(name, "HarddiskVolume").is_some() || numbered(name, "CdRom").is_some();
    is_volume.then_some(DeviceName::Volume)
}

/// `C:`.
fn is_drive(name: &[u8]) -> bool {
    matches!(name, [letter, b':'] if letter.is_ascii_alphabetic())
}

/// `Volume{GUID}`.
fn is_guid(name: &[u8]) -> bool {
    let Some(guid) = behind(name, "Volume{").and_then(|rest| rest.strip_suffix(b"}")) else { return false };
    let is_right = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    guid.len() == 36 && guid.iter().enumerate().all(is_right)
}

/// The volume that somebody may mean who names a drive by its letter alone (`C:`), which is the
/// current directory of that drive.
pub fn volume_of_drive(operand: &[u8]) -> Option<String> {
    is_drive(operand).then(|| format!(r"\\.\{}:", char::from(operand[0])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        let of = |text: &str| named(text.as_bytes());
        for disk in [r"\\.\PhysicalDrive0", "//./PhysicalDrive0", r"\\?\PHYSICALDRIVE0", r"\\.\physicaldrive0"] {
            assert_eq!(of(disk), Some(DeviceName::Disk(0)), "{disk}");
        }
        assert_eq!(of(r"\\.\PhysicalDrive12"), Some(DeviceName::Disk(12)));
        let guid = "Volume{12345678-90ab-cdef-1234-567890ABCDEF}";
        for volume in [r"\\.\C:", "//./c:", r"\\?\GLOBALROOT\Device\HarddiskVolume3", r"\\.\HarddiskVolume3"] {
            assert_eq!(of(volume), Some(DeviceName::Volume), "{volume}");
        }
        assert_eq!(of(&format!(r"\\?\{guid}")), Some(DeviceName::Volume));
        assert_eq!(of(&format!(r"\\.\{guid}")), Some(DeviceName::Volume));
        let copy = r"\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy7";
        assert_eq!(of(copy), Some(DeviceName::ShadowCopy(7)));
        assert_eq!(of(&copy.replace('\\', "/").to_lowercase()), Some(DeviceName::ShadowCopy(7)));
        // A separator at the end names the root directory.
        for directory in [copy, r"\\.\C:", &format!(r"\\?\{guid}")] {
            assert_eq!((of(&format!(r"{directory}\")), of(&format!("{directory}/"))), (None, None), "{directory}");
        }
    }

    #[test]
    fn other_names_are_of_files() {
        let names = [
            "",
            "C:",
            r"C:\",
            r"\\.\",
            r"\\.\C",
            r"\\.\1:",
            r"\\.\PhysicalDrive",
            r"\\.\PhysicalDrive-1",
            r"\\.\PhysicalDrive+1",
            r"\\.\PhysicalDrive99999999999",
            r"\\.\PhysicalDrive0\x",
            r"\\?\Volume{}",
            r"\\?\Volume{12345678-90ab-cdef-1234-567890ABCDE}",
            r"\\?\Volume{12345678x90ab-cdef-1234-567890ABCDEF}",
            r"\\?\GLOBALROOT\Device\HarddiskVolumeShadowCopy",
            r"\\server\PhysicalDrive0",
            "PhysicalDrive0",
            "/dev/sda",
        ];
        for name in names {
            assert_eq!(named(name.as_bytes()), None, "{name}");
        }
        assert_eq!(volume_of_drive(b"d:").as_deref(), Some(r"\\.\d:"));
        assert_eq!((volume_of_drive(b"d:/"), volume_of_drive(b"dd:"), volume_of_drive(b"")), (None, None, None));
    }
}
