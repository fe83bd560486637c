//! Formats of images by their first and last bytes, and by their names: those that are not read
//! must not pass for raw.

/// An image format other than raw, split raw and E01, which pfh does not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// What it is called.
    pub name: &'static str,
    /// What programs call it, or what it needs.
    pub hint: &'static str,
}

/// Signatures, each at its offset.
const SIGNATURES: &[(u64, &[u8], Unread)] = &[
    (0, b"EVF2\x0d\x0a\x81\x00", EX01),
    (0, b"LEF2\x0d\x0a\x81\x00", Unread { name: "Lx01", hint: "EnCase 7's logical evidence" }),
    (0, b"LVF\x09\x0d\x0a\xff\x00", L01),
    (0, b"ADCRYPT\0", Unread { name: "AD encryption", hint: "FTK Imager's encrypted image: decrypt it first" }),
    (0, b"ADSEGMENTEDFILE\0", AD1),
    (0, b"AFF10\x0d\x0a\0", AFF),
    (0, b"QFI\xfb", Unread { name: "QCOW2", hint: "QEMU's disk" }),
    (0, b"KDMV", VMDK),
    (0, b"COWD", VMDK),
    (0, b"# Disk DescriptorFile", VMDK),
    (0, b"conectix", VHD),
    (0, b"vhdxfile", Unread { name: "VHDX", hint: "Hyper-V's disk" }),
    (0x40, b"\x7f\x10\xda\xbe", Unread { name: "VDI", hint: "VirtualBox's disk" }),
];
const EX01: Unread = Unread { name: "Ex01", hint: "EnCase 7's format" };
const L01: Unread = Unread { name: "L01", hint: "EnCase's logical evidence" };
const AD1: Unread = Unread { name: "AD1", hint: "FTK Imager's logical image" };
const AFF: Unread = Unread { name: "AFF", hint: "the Advanced Forensic Format, version 3 or older" };
const AFF4: Unread = Unread { name: "AFF4", hint: "the Advanced Forensic Format 4" };
const VMDK: Unread = Unread { name: "VMDK", hint: "VMware's disk" };
const VHD: Unread = Unread { name: "VHD", hint: "Virtual PC's disk" };

/// EWF-S01 shares the signature of E01; its volume section is of 94 bytes.
pub const S01: Unread =
    Unread { name: "EWF-S01 (SMART)", hint: "ASR Data's form of E01, and libewf's `ewf` and `smart`" };

/// Name endings, in lower case, that promise a format.
const NAMES: &[(&str, Unread)] = &[
    ("ex01", EX01),
    ("l01", L01),
    ("lx01", Unread { name: "Lx01", hint: "EnCase 7's logical evidence" }),
    ("s01", S01),
    ("ad1", AD1),
    ("aff", AFF),
    ("aff4", AFF4),
    ("vmdk", VMDK),
    ("vhd", VHD),
    ("vhdx", Unread { name: "VHDX", hint: "Hyper-V's disk" }),
    ("qcow2", Unread { name: "QCOW2", hint: "QEMU's disk" }),
    ("vdi", Unread { name: "VDI", hint: "VirtualBox's disk" }),
];

/// Bytes from the start of a file that [`by_content`] wants to see, where there are so many.
pub const START: usize = 4096;
/// Bytes from the end of a file that [`by_content`] wants to see.
pub const END: usize = 512;

/// The format that a file's first and last bytes state. A disk may hold any bytes, but these stand
/// where its boot code would.
pub fn by_content(start: &[u8], end: &[u8]) -> Option<Unread> {
    let has = |at: u64, bytes: &[u8]| start.get(at as usize..).is_some_and(|rest| rest.starts_with(bytes));
    if let Some((_, _, found)) = SIGNATURES.iter().find(|(at, bytes, _)| has(*at, bytes)) {
        return Some(*found);
    }
    // AFF4 is a zip archive whose first members are these (AFF4 Standard 1.0, section 3).
    let members: [&[u8]; 2] = [b"container.description", b"information.turtle"];
    if start.starts_with(b"PK\x03\x04") && members.iter().any(|name| holds(start, name) || holds(end, name)) {
        return Some(AFF4);
    }
    // A fixed VHD is raw but for its footer.
    let footer = end.len().checked_sub(512).or(end.len().checked_sub(511));
    footer.is_some_and(|at| end[at..].starts_with(b"conectix")).then_some(VHD)
}

fn holds(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|window| window == name)
}

/// The format that a name's ending promises, where pfh does not read or write it.
pub fn by_name(extension: &str) -> Option<Unread> {
    let extension = extension.to_ascii_lowercase();
    NAMES.iter().find(|(name, _)| *name == extension).map(|(_, found)| *found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_and_names() {
        let name = |start: &[u8], end: &[u8]| by_content(start, end).map(|found| found.name);
        assert_eq!(name(b"EVF2\r\n\x81\0...", b""), Some("Ex01"));
        assert_eq!(name(b"PK\x03\x04....................\x15\0container.descriptionaff4://", b""), Some("AFF4"));
        assert_eq!(name(b"PK\x03\x04............word/document.xml", b""), None);
        let mut footer = [0; 512];
        footer[..8].copy_from_slice(b"conectix");
        assert_eq!((name(b"", &footer), name(&footer, b"")), (Some("VHD"), Some("VHD")));
        assert_eq!((name(&[0xeb; 4096], &[0; 512]), name(b"", b"")), (None, None));
        assert_eq!((by_name("VMDK").map(|f| f.name), by_name("dd"), by_name("E01")), (Some("VMDK"), None, None));
    }
}
