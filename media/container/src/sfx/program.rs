//! Where a program ends, by its headers.

use crate::field::{be32, le16, le32, le64};

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
pub fn end_of_dos(start: &[u8]) -> Option<u64> {
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

/// Whether a program has the headers of 32 or 64 bits.
pub fn is_portable(start: &[u8]) -> bool {
    let header = le32(start, 0x3c) as usize;
    start.get(header..).is_some_and(|header| header.starts_with(b"PE\0\0"))
}
