//! Self-extracting archives: the archive begins where the sections of the program end.

use crate::Bytes;
use crate::field::{be32, le16, le32, le64};

/// Bytes behind the program in which the archive must begin: a configuration stands before it.
const ROOM: u64 = 64 << 10;

/// Signatures of archives that stand behind programs.
const ARCHIVES: &[(&[u8], &str)] = &[
    (b"7z\xbc\xaf\x27\x1c\0", "7z"),
    (b"Rar!\x1a\x07\0", "RAR 4"),
    (b"Rar!\x1a\x07\x01\0", "RAR 5"),
    (b"MSCF\0\0\0\0", "cabinet (CAB)"),
    (b"PK\x03\x04", "zip"),
];

/// An archive that was found behind a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Its format.
    pub format: &'static str,
    /// Where it begins, in bytes.
    pub offset: u64,
}

/// Where the sections of a program end, by its first bytes (see [`crate::disk::START`]): PE, DOS,
/// ELF and Mach-O, little-endian, and Mach-O of several processors. `None` for all else.
pub fn end_of_program(start: &[u8]) -> Option<u64> {
    if start.starts_with(b"MZ") {
        let header = le32(start, 0x3c) as usize;
        match start.get(header..).and_then(|header| header.get(..4)) {
            Some(b"PE\0\0") => {}
            // Of 16 bits for Windows and OS/2: the size in the header is that of the stub alone.
            Some([b'N' | b'L', b'E' | b'X', ..]) => return None,
            _ => return end_of_dos(start),
        }
        let table = header + 24 + usize::from(le16(start, header + 20));
        let section = |index: usize| {
            let raw = start.get(table + 40 * index..table + 40 * index + 40)?;
            Some(u64::from(le32(raw, 16)) + u64::from(le32(raw, 20)))
        };
        return (0..usize::from(le16(start, header + 6)).min(96)).filter_map(section).max();
    }
    if let Some(end) = end_of_macho(start) {
        return Some(end);
    }
    if !start.starts_with(b"\x7fELF") || start.get(5) != Some(&1) {
        return None;
    }
    let is_wide = start.get(4) == Some(&2);
    let number = |at: usize| if is_wide { le64(start, at) } else { u64::from(le32(start, at)) };
    let (sections, programs, counts) =
        if is_wide { (number(0x28), number(0x20), 0x36) } else { (number(0x20), number(0x1c), 0x2a) };
    let [each, count, each_section, count_of_sections] = [0, 2, 4, 6].map(|at| u64::from(le16(start, counts + at)));
    let end = sections.saturating_add(each_section * count_of_sections);
    let program = |index: u64| {
        let at = usize::try_from(programs.checked_add(index * each)?).ok()?;
        start.get(at..at.checked_add(if is_wide { 56 } else { 32 })?)?;
        let (offset, size) = if is_wide { (8, 32) } else { (4, 16) };
        number(at + offset).checked_add(number(at + size))
    };
    (0..count.min(64)).filter_map(program).chain([end]).max()
}

/// Where a program for DOS ends: whole pages of 512 bytes, and the bytes of the last one.
fn end_of_dos(start: &[u8]) -> Option<u64> {
    let [last, pages, header] = [2, 4, 8].map(|at| u64::from(le16(start, at)));
    let end = (pages * 512).checked_sub(if last == 0 { 0 } else { 512_u64.checked_sub(last)? })?;
    (header >= 2 && header * 16 <= end).then_some(end)
}

/// Where a program for macOS ends: the end of its last segment, or of its last processor's program.
fn end_of_macho(start: &[u8]) -> Option<u64> {
    let (first, segment, place, wide) = match start.get(..4)? {
        b"\xcf\xfa\xed\xfe" => (32, 0x19, 40, true),
        b"\xce\xfa\xed\xfe" => (28, 1, 32, false),
        // A class of Java begins with the same bytes; its version is larger than any such count.
        b"\xca\xfe\xba\xbe" if (1..20).contains(&be32(start, 4)) => {
            let part = |index: usize| {
                let part = start.get(8 + 20 * index..28 + 20 * index)?;
                Some(u64::from(be32(part, 8)) + u64::from(be32(part, 12)))
            };
            return (0..be32(start, 4) as usize).filter_map(part).max();
        }
        _ => return None,
    };
    let (mut at, mut end) = (first, None);
    for _ in 0..le32(start, 16).min(256) {
        // Segments come first: commands beyond the first bytes are of other kinds.
        let Some(command) = start.get(at..).filter(|command| command.len() >= 56) else { break };
        if le32(command, 0) == segment {
            let number = |at: usize| if wide { le64(command, at) } else { u64::from(le32(command, at)) };
            end = end.max(number(place).checked_add(number(place + if wide { 8 } else { 4 })));
        }
        // Each one has at least its kind and its size.
        at = at.checked_add(le32(command, 4).max(8) as usize)?;
    }
    end
}

/// The archive behind a program; `None` if there is none.
pub fn archive(start: &[u8], bytes: &dyn Bytes) -> Option<Found> {
    let end = end_of_program(start).filter(|end| *end < bytes.size())?;
    let mut behind = vec![0; (bytes.size() - end).min(ROOM) as usize];
    bytes.read_exact_at(end, &mut behind).ok()?;
    let at = |signature: &[u8]| behind.windows(signature.len()).position(|window| window == signature);
    let found = ARCHIVES.iter().filter_map(|(signature, format)| Some((at(signature)?, *format))).min()?;
    // A zip may begin with any of its members; the others stand for themselves.
    Some(Found { format: found.1, offset: end + found.0 as u64 })
}

/// Where a volume of squashfs or EROFS begins behind a program, as in an AppImage; `None` if none
/// does.
pub fn volume(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    let end = end_of_program(start).filter(|end| *end < bytes.size())?;
    let is_at = |offset: u64, magic: [u8; 4]| {
        let mut found = [0; 4];
        bytes.read_exact_at(offset, &mut found).is_ok() && found == magic
    };
    (is_at(end, *b"hsqs") || is_at(end.saturating_add(1024), [0xe2, 0xe1, 0xf5, 0xe0])).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_programs_and_nowhere_else() {
        let mut program = vec![0; 1024];
        program[..2].copy_from_slice(b"MZ");
        program[0x3c] = 0x80;
        program[0x80..0x84].copy_from_slice(b"PE\0\0");
        program[0x86] = 1;
        let section = 0x80 + 24;
        program[section + 16..section + 18].copy_from_slice(&512_u16.to_le_bytes());
        program[section + 20..section + 22].copy_from_slice(&512_u16.to_le_bytes());
        assert_eq!(archive(&program, &program.clone()), None);
        let with = [&program[..], b";!@Install@!UTF-8!;7z\xbc\xaf\x27\x1c\0\x04"].concat();
        assert_eq!(archive(&with, &with.clone()), Some(Found { format: "7z", offset: 1024 + 19 }));
        // In the program itself it is a string.
        program[600..606].copy_from_slice(b"7z\xbc\xaf\x27\x1c");
        assert_eq!(archive(&program, &program.clone()), None);
        let mut elf = [0; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[0x28] = 64;
        let with = [&elf[..], b"Rar!\x1a\x07\x01\0"].concat();
        assert_eq!(archive(&with, &with.clone()).map(|found| found.format), Some("RAR 5"));
        assert_eq!(end_of_program(b"text"), None);
        let erofs = [&elf[..], &[0; 1024], b"\xe2\xe1\xf5\xe0"].concat();
        for with in [[&elf[..], b"hsqs"].concat(), erofs] {
            assert_eq!((volume(&with, &with.clone()), archive(&with, &with.clone())), (Some(64), None));
        }
        assert_eq!((volume(&elf, &elf.to_vec()), volume(b"hsqs", &b"hsqs".to_vec())), (None, None));
    }

    #[test]
    fn behind_programs_for_macos_and_dos() {
        let mut mach = vec![0; 512];
        mach[..4].copy_from_slice(b"\xcf\xfa\xed\xfe");
        mach[16] = 3;
        // A table of symbols, and two segments: the later one ends the program.
        for (at, kind, size, segment) in [(32, 2, 24, 0), (56, 0x19, 72, 256_u64), (128, 0x19, 72, 128)] {
            mach[at] = kind;
            mach[at + 4] = size;
            if kind == 0x19 {
                mach[at + 40..at + 48].copy_from_slice(&256_u64.to_le_bytes());
                mach[at + 48..at + 56].copy_from_slice(&segment.to_le_bytes());
            }
        }
        let behind = b"7z\xbc\xaf\x27\x1c\0\x04";
        let with = [&mach[..], behind].concat();
        assert_eq!(archive(&mach, &mach.clone()), None);
        assert_eq!(archive(&with, &with.clone()), Some(Found { format: "7z", offset: 512 }));
        let mut several = [0; 64];
        several[..8].copy_from_slice(b"\xca\xfe\xba\xbe\0\0\0\x01");
        several[16..24].copy_from_slice(&[0, 0, 0, 64, 0, 0, 2, 0]);
        let with = [&several[..], &mach, behind].concat();
        assert_eq!(archive(&with, &with.clone()), Some(Found { format: "7z", offset: 576 }));
        assert_eq!(end_of_program(b"\xca\xfe\xba\xbe\0\0\0\x41 a class of Java"), None);
        let mut dos = vec![0; 600];
        dos[..10].copy_from_slice(b"MZ\x58\0\x02\0\0\0\x02\0");
        let with = [&dos[..], b"Rar!\x1a\x07\0"].concat();
        assert_eq!(archive(&with, &with.clone()), Some(Found { format: "RAR 4", offset: 600 }));
        assert_eq!(end_of_program(b"MZ is how this text begins, and nothing of it is a program."), None);
    }
}
