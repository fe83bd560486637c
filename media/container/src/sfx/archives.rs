//! Signatures of archives that stand behind something else, with what follows them.

use crate::field::{le16, le32};
use memchr::memmem;

/// An archive by its first bytes and a check of what follows.
struct Signature {
    format: &'static str,
    bytes: &'static [u8],
    check: fn(&[u8]) -> bool,
    /// Whether it is looked for behind scripts alone, at the start of a line.
    of_scripts: bool,
}

const fn row(format: &'static str, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { format, bytes, check, of_scripts: false }
}

const fn in_script(format: &'static str, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { format, bytes, check, of_scripts: true }
}

const ARCHIVES: &[Signature] = &[
    row("7z", b"7z\xbc\xaf\x27\x1c\0", |_| true),
    row("RAR 4", b"Rar!\x1a\x07\0", |_| true),
    row("RAR 5", b"Rar!\x1a\x07\x01\0", |_| true),
    row("cabinet (CAB)", b"MSCF\0\0\0\0", |_| true),
    row("zip", b"PK\x03\x04", |_| true),
    row("ACE", b"**ACE**", |_| true),
    in_script("gzip", b"\x1f\x8b\x08", |start| {
        start.len() > 10 && start[3] & 0xe0 == 0 && matches!(start[8], 0 | 2 | 4)
    }),
    in_script("xz", b"\xfd7zXZ\0", |_| true),
    in_script("bzip2", b"BZh", |start| start.get(4..10) == Some(b"1AY&SY")),
    in_script("zstd", b"\x28\xb5\x2f\xfd", |_| true),
    in_script("lz4", b"\x04\x22\x4d\x18", |_| true),
];

/// The first archive that begins in these bytes.
pub fn find(bytes: &[u8], is_script: bool) -> Option<(usize, &'static str)> {
    let rows = ARCHIVES.iter().filter(|row| is_script || !row.of_scripts).filter_map(|row| {
        let is_here = |at: &usize| {
            let begins_line = !row.of_scripts || at.checked_sub(1).is_some_and(|before| bytes[before] == b'\n');
            begins_line && (row.check)(&bytes[*at..])
        };
        let at = memmem::find_iter(bytes, row.bytes).find(is_here)?;
        // The mark of ACE stands behind seven other bytes.
        Some((at.checked_sub(if row.format == "ACE" { 7 } else { 0 })?, row.format))
    });
    let lha = memmem::find_iter(bytes, b"-l").find_map(|at| {
        let at = at.checked_sub(2)?;
        is_lha(&bytes[at..]).then_some((at, "LHA"))
    });
    let tar = is_script.then(|| memmem::find_iter(bytes, b"ustar").find_map(|at| tar(bytes, at))).flatten();
    rows.chain(lha).chain(tar).min()
}

/// Whether a member of LHA begins here: its method, and the sum or the sizes of its header.
fn is_lha(start: &[u8]) -> bool {
    let Some([b'-', b'l', b'h' | b'z', kind, b'-']) = start.get(2..7) else { return false };
    let is_kind = kind.is_ascii_digit() || matches!(kind, b'd' | b's' | b'x');
    match (start.get(20), start.first()) {
        (Some(0 | 1), Some(&length)) if length >= 20 => {
            let header = start.get(2..2 + usize::from(length)).unwrap_or_default();
            let sum = header.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
            is_kind && !header.is_empty() && sum == start[1]
        }
        (Some(2), _) => is_kind && (24..4096).contains(&le16(start, 0)),
        _ => false,
    }
}

/// The tar whose magic stands at `at`, if its header begins a line and has its sum.
fn tar(bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
    let start = at.checked_sub(257).filter(|start| *start > 0 && bytes[start - 1] == b'\n')?;
    let block = bytes.get(start..start + 512)?;
    let stated = std::str::from_utf8(&block[148..154]).ok()?.trim_matches([' ', '\0']);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    let field: u32 = block[148..156].iter().map(|byte| u32::from(*byte)).sum();
    (u32::from_str_radix(stated, 8).ok()? == sum - field + 8 * 32).then_some((start, "tar"))
}

/// How many bytes a bitmap says that it has.
pub fn size_of_bitmap(start: &[u8]) -> u64 {
    u64::from(le32(start, 2))
}
