//! The format of a disk image, by its first and last bytes.

use crate::field::be32;

/// A format of disk images that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Virtual PC's disk.
    Vhd,
    /// Hyper-V's disk.
    Vhdx,
    /// VMware's disk.
    Vmdk,
    /// QEMU's disk.
    Qcow2,
    /// Apple's Universal Disk Image Format.
    Dmg,
    /// The Advanced Forensic Format 4.
    Aff4,
    /// EnCase 7's format, EWF2.
    Ex01,
}

/// Bytes from the start of a file that [`Kind::recognize`] looks at.
pub const START: usize = 4096;
/// Bytes from the end of a file that [`Kind::recognize`] wants to see.
pub const END: usize = 512;

/// Signatures at the first byte.
const SIGNATURES: &[(&[u8], Kind)] = &[
    (b"conectix", Kind::Vhd),
    (b"vhdxfile", Kind::Vhdx),
    (b"KDMV", Kind::Vmdk),
    (b"# Disk DescriptorFile", Kind::Vmdk),
    (b"QFI\xfb\0\0\0\x02", Kind::Qcow2),
    (b"QFI\xfb\0\0\0\x03", Kind::Qcow2),
    (b"EVF2\r\n\x81\0", Kind::Ex01),
];

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Vhd => "VHD",
            Kind::Vhdx => "VHDX",
            Kind::Vmdk => "VMDK",
            Kind::Qcow2 => "QCOW2",
            Kind::Dmg => "DMG",
            Kind::Aff4 => "AFF4",
            Kind::Ex01 => "Ex01",
        }
    }

    /// In words, the older states of the disk that a file of this format with these first bytes
    /// keeps, and that are not read.
    pub fn unread_states(self, start: &[u8]) -> Option<String> {
        let count = if self == Kind::Qcow2 { be32(start, 60) } else { 0 };
        let snapshots = if count == 1 { "snapshot" } else { "snapshots" };
        (count > 0).then(|| format!("QCOW2 image: it keeps {count} {snapshots}, whose content is not read"))
    }

    /// Whether a file of this format with these first bytes is a later part of an image: a later
    /// segment, an extent without a descriptor.
    pub fn is_later(self, start: &[u8]) -> bool {
        match self {
            Kind::Ex01 => start.get(12..16) != Some(&[1, 0, 0, 0]),
            Kind::Vmdk if start.starts_with(b"KDMV") => {
                let sector = start.get(28..36).and_then(|place| place.try_into().ok()).map_or(0, u64::from_le_bytes);
                // Split disks leave room for one, and zeros in it.
                let first = usize::try_from(sector).ok().and_then(|sector| start.get(sector.checked_mul(512)?));
                sector == 0 || first == Some(&0)
            }
            _ => false,
        }
    }

    /// The format that a file's first and last bytes state; see [`START`] and [`END`]. A disk may
    /// hold any bytes, but these stand where its boot code would.
    pub fn recognize(start: &[u8], end: &[u8]) -> Option<Kind> {
        if let Some((_, kind)) = SIGNATURES.iter().find(|(bytes, _)| start.starts_with(bytes)) {
            return Some(*kind);
        }
        // AFF4 is a zip archive whose first member is one of these, or whose comment is the
        // volume's name (AFF4 Standard 1.0, section 3). An archive may hold such volumes.
        if start.starts_with(b"PK\x03\x04") {
            let length = start.get(26..28).map_or(0, |length| usize::from(u16::from_le_bytes([length[0], length[1]])));
            let first = start.get(30..30 + length).unwrap_or_default();
            let members: [&[u8]; 3] = [b"container.description", b"version.txt", b"information.turtle"];
            // The comment of the archive itself, and not of one that is its last member.
            let is_named = end.windows(29).enumerate().any(|(at, window)| {
                let comment = usize::from(u16::from_le_bytes([window[20], window[21]]));
                window.starts_with(b"PK\x05\x06") && window.ends_with(b"aff4://") && at + 22 + comment == end.len()
            });
            if members[..1].contains(&first) || members.contains(&first) && holds(start, members[2]) || is_named {
                return Some(Kind::Aff4);
            }
        }
        let trailer = end.len().checked_sub(END).map(|at| &end[at..]);
        if trailer.is_some_and(|trailer| trailer.starts_with(b"koly\0\0\0\x04\0\0\x02\0")) {
            return Some(Kind::Dmg);
        }
        // A fixed VHD is raw but for its footer; the oldest footers have 511 bytes.
        let footer = [trailer, end.len().checked_sub(END - 1).map(|at| &end[at..])];
        footer.into_iter().flatten().any(|footer| footer.starts_with(b"conectix")).then_some(Kind::Vhd)
    }
}

fn holds(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_by_its_bytes() {
        assert_eq!(Kind::recognize(b"EVF2\r\n\x81\0...", b""), Some(Kind::Ex01));
        let aff4 = b"PK\x03\x04......................\x15\0\0\0container.descriptionaff4://";
        assert_eq!(Kind::recognize(aff4, b""), Some(Kind::Aff4));
        assert_eq!(Kind::recognize(b"PK\x03\x04............word/document.xml", b""), None);
        let end = b"PK\x05\x06................\x08\0aff4://b";
        assert_eq!(Kind::recognize(b"PK\x03\x04............a", end), Some(Kind::Aff4));
        let within = [&end[..], b"PK\x05\x06................\0\0"].concat();
        assert_eq!(Kind::recognize(b"PK\x03\x04............a", &within), None);
        assert_eq!(Kind::recognize(b"PK\x03\x04............a", b"container.description"), None);
        let mut footer = [0; 512];
        footer[..8].copy_from_slice(b"conectix");
        assert_eq!((Kind::recognize(b"", &footer), Kind::recognize(&footer, b"")), (Some(Kind::Vhd), Some(Kind::Vhd)));
        footer[..12].copy_from_slice(b"koly\0\0\0\x04\0\0\x02\0");
        assert_eq!(Kind::recognize(&[0xeb; 4096], &footer), Some(Kind::Dmg));
        assert_eq!(Kind::recognize(b"QFI\xfb\0\0\0\x01", b""), None);
        assert_eq!((Kind::recognize(&[0xeb; 4096], &[0; 512]), Kind::recognize(b"", b"")), (None, None));
    }
}
