//! Parts of archives, which somebody may take for images.

use crate::os::names::OsStrExt;
use pfh_container::foreign::Unread;
use std::path::Path;

/// An archive in parts, and not a medium: a volume of a RAR, or a part of a zip.
pub(super) fn part(path: &Path, start: &[u8], end: &[u8]) -> Option<Unread> {
    const HINT: &str = "an archive, and no disk: the option --inside reads its files";
    let found = |name| Some(Unread { name, hint: HINT });
    let is_volume = if start.starts_with(b"Rar!\x1a\x07\0") {
        start.get(10).is_some_and(|flags| flags & 1 > 0)
    } else {
        start.starts_with(b"Rar!\x1a\x07\x01\0") && is_volume_of_rar_5(start)
    };
    if is_volume {
        return found("volume of a RAR");
    }
    let name = path.file_name().unwrap_or_default().as_bytes();
    let is_numbered =
        path.extension().is_some_and(|ending| ending.as_bytes().first().is_some_and(|z| b"zZ".contains(z)));
    if is_numbered && pfh_container::named::piece(name).is_some() {
        return found("part of a zip");
    }
    // The number of this disk in the last record (APPNOTE 4.3.16).
    let record = end.windows(22).rposition(|at| at.starts_with(b"PK\x05\x06")).map(|at| &end[at..])?;
    let disk = u16::from_le_bytes([record[4], record[5]]);
    if start.starts_with(b"PK") || name.to_ascii_lowercase().ends_with(b".zip") {
        return (disk > 0).then(|| found("part of a zip")).flatten();
    }
    None
}

/// Whether the main header of RAR 5 says that it is a volume: behind CRC and size its type, flags,
/// perhaps the size of an extra area, and the archive's flags, each in groups of seven bits.
fn is_volume_of_rar_5(start: &[u8]) -> bool {
    let mut at = 12;
    let mut next = || {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = *start.get(at)?;
            at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Some(value)
    };
    let (_, kind, flags) = (next(), next(), next().unwrap_or_default());
    if flags & 1 > 0 {
        next();
    }
    kind == Some(1) && next().is_some_and(|archive| archive & 1 > 0)
}
