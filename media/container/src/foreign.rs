//! Formats of images, by their first bytes and by their names: an image of a format that is not
//! read must not be taken for raw, and a new image must not have the name of a format that is not
//! written.

use crate::signature::{Holds, TABLE};

/// An image format that pfh does not read, or does not write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unread {
    /// Its name.
    pub name: &'static str,
    /// Its name in other programs, or the reason why it is not supported.
    pub hint: &'static str,
}

const QED: Unread = Unread { name: "QED", hint: "QEMU's enhanced disk" };
const AFD: Unread = Unread { name: "AFD", hint: "a directory of files in the Advanced Forensic Format" };
const EX01: Unread = Unread { name: "Ex01", hint: "EnCase 7's format" };
const L01: Unread = Unread { name: "L01", hint: "EnCase's logical evidence: files, and no disk" };
const AD1: Unread = Unread { name: "AD1", hint: "FTK Imager's logical image: files, and no disk" };
const AFF: Unread = Unread { name: "AFF", hint: "the Advanced Forensic Format, version 3 or older" };
const AFF4: Unread = Unread { name: "AFF4", hint: "the Advanced Forensic Format 4" };
const VMDK: Unread = Unread { name: "VMDK", hint: "VMware's disk" };
const VHD: Unread = Unread { name: "VHD", hint: "Virtual PC's disk" };

/// EWF-S01 shares the signature of E01; its volume section has 94 bytes.
pub const S01: Unread =
    Unread { name: "EWF-S01 (SMART)", hint: "ASR Data's form of E01, and libewf's `ewf` and `smart`" };

/// Name endings, in lower case, that promise a format.
const NAMES: &[(&str, Unread)] = &[
    ("ex01", EX01),
    ("l01", L01),
    ("lx01", Unread { name: "Lx01", hint: "EnCase 7's logical evidence: files, and no disk" }),
    ("s01", S01),
    ("ad1", AD1),
    ("aff", AFF),
    ("aff4", AFF4),
    ("afd", AFD),
    ("qed", QED),
    ("vmdk", VMDK),
    ("vhd", VHD),
    ("vhdx", Unread { name: "VHDX", hint: "Hyper-V's disk" }),
    ("qcow2", Unread { name: "QCOW2", hint: "QEMU's disk" }),
    ("vdi", Unread { name: "VDI", hint: "VirtualBox's disk" }),
    ("dmg", Unread { name: "DMG", hint: "macOS's disk image" }),
];

/// The format that a file's first bytes state; see [`crate::disk::START`]. A disk may hold any
/// bytes, but these stand where its boot code would.
pub fn by_content(start: &[u8]) -> Option<Unread> {
    TABLE.iter().find_map(|row| match row.holds {
        Holds::Image(hint) if row.is_in(start) => Some(Unread { name: row.name, hint }),
        _ => None,
    })
}

/// Whether a name's ending is that of a later segment of a format in segments: `E02`, `Ex17`,
/// `s03`, `L02`. The first ends in `01`.
pub fn is_later_segment(extension: &str) -> bool {
    let extension = extension.to_ascii_lowercase();
    let number = ["ex", "lx", "e", "l", "s"].iter().find_map(|start| extension.strip_prefix(start));
    number.is_some_and(|n| n.len() == 2 && n.bytes().all(|b| b.is_ascii_digit()) && !["00", "01"].contains(&n))
}

/// The format that a name's ending promises, where pfh does not write it.
pub fn by_name(extension: &str) -> Option<Unread> {
    let extension = extension.to_ascii_lowercase();
    NAMES.iter().find(|(name, _)| *name == extension).map(|(_, found)| *found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_and_names() {
        let name = |start: &[u8]| by_content(start).map(|found| found.name);
        assert_eq!((name(b"LEF2\r\n\x81\0..."), name(b"QFI\xfb\0\0\0\x01")), (Some("Lx01"), Some("QCOW")));
        assert_eq!((name(&[0xeb; 4096]), name(b"")), (None, None));
        assert_eq!((name(b"QED\0\0\0\x01\0"), name(b"WithoutFreeSpace")), (Some("QED"), Some("Parallels")));
        let later = ["E02", "e99", "Ex02", "s03", "E01", "ex01", "E1", "EAA", "dd", "001"].map(is_later_segment);
        assert_eq!(later, [true, true, true, true, false, false, false, false, false, false]);
        assert_eq!((by_name("VMDK").map(|f| f.name), by_name("dd"), by_name("E01")), (Some("VMDK"), None, None));
    }
}
