//! Signatures of archives that stand behind something else, with what follows them.

use super::starts::Pairs;
use crate::field::{le16, le32};
use crate::signature::{is_arj, is_lzip};
use memchr::memmem;
use std::sync::LazyLock;

/// An archive by its first bytes, a check of what follows, and a stronger one by checksums.
struct Signature {
    format: &'static str,
    bytes: &'static [u8],
    check: fn(&[u8]) -> bool,
    proof: fn(&[u8]) -> bool,
    /// Whether it counts only at the edge: where the bytes in front end, or at the start of a line.
    at_edge: bool,
}

const fn row(
    format: &'static str,
    bytes: &'static [u8],
    check: fn(&[u8]) -> bool,
    proof: fn(&[u8]) -> bool,
) -> Signature {
    Signature { format, bytes, check, proof, at_edge: false }
}

const fn proved(format: &'static str, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { format, bytes, check, proof: check, at_edge: false }
}

const fn at_edge(format: &'static str, bytes: &'static [u8], check: fn(&[u8]) -> bool) -> Signature {
    Signature { format, bytes, check, proof: check, at_edge: true }
}

const ARCHIVES: &[Signature] = &[
    row(
        "7z",
        b"7z\xbc\xaf\x27\x1c\0",
        |_| true,
        |start| start.get(12..32).is_some_and(|header| crc32fast::hash(header) == le32(start, 8)),
    ),
    row(
        "RAR 4",
        b"Rar!\x1a\x07\0",
        |_| true,
        |start| {
            let header = start.get(9..7 + usize::from(le16(start, 12)));
            header.is_some_and(|header| crc32fast::hash(header) & 0xffff == u32::from(le16(start, 7)))
        },
    ),
    row(
        "RAR 5",
        b"Rar!\x1a\x07\x01\0",
        |_| true,
        |start| {
            let size = start.get(12).copied().filter(|size| *size < 0x80).map(usize::from);
            let header = size.and_then(|size| start.get(12..13 + size));
            header.is_some_and(|header| crc32fast::hash(header) == le32(start, 8))
        },
    ),
    row(
        "cabinet (CAB)",
        b"MSCF\0\0\0\0",
        |_| true,
        |start| {
            let (size, files) = (le32(start, 8), le32(start, 16));
            start.len() > 36
                && le32(start, 12) == 0
                && le32(start, 20) == 0
                && (36..size).contains(&files)
                && start[25] == 1
        },
    ),
    row("zip", b"PK\x03\x04", |_| true, |_| false),
    proved("ar", b"!<arch>\n", |start| start.get(66..68) == Some(b"`\n")),
    row("ACE", b"**ACE**", |_| true, |_| true),
    at_edge("gzip", b"\x1f\x8b\x08", |start| {
        start.len() > 10 && start[3] & 0xe0 == 0 && matches!(start[8], 0 | 2 | 4) && matches!(start[9], 0..=13 | 255)
    }),
    proved("xz", b"\xfd7zXZ\0", |start| start.get(6..8).is_some_and(|flags| crc32fast::hash(flags) == le32(start, 8))),
    proved("bzip2", b"BZh", |start| start.get(4..10) == Some(b"1AY&SY")),
    at_edge("zstd", b"\x28\xb5\x2f\xfd", |start| start.len() > 8 && start[4] & 8 == 0),
    at_edge("lz4", b"\x04\x22\x4d\x18", |start| start.len() > 6 && start[4] >> 6 == 1 && start[5] & 0x8f == 0),
    at_edge("lzip", b"LZIP", is_lzip),
    proved("cpio", b"07070", |start| {
        let width = if matches!(start.get(5), Some(b'1' | b'2')) { 110 } else { 76 };
        start.get(6..width).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    }),
    proved("ARJ", b"\x60\xea", is_arj),
    proved("WIM", b"MSWIM\0\0\0", |start| {
        start.len() >= 208 && le32(start, 8) == 208 && matches!(le32(start, 12), 0x10d00 | 0xe00)
    }),
];

/// The bytes in front of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// They end where the window begins.
    Ended,
    /// A script: an archive begins a line, or anywhere if its signature is long.
    Script,
    /// A text: the same, and long signatures are proved.
    Text,
    /// Anything: signatures are proved.
    Any,
}

/// The first archive that begins in these bytes, behind such ones.
pub fn find(bytes: &[u8], front: Front) -> Option<(usize, &'static str)> {
    let has_lines = matches!(front, Front::Script | Front::Text);
    let is_proved = matches!(front, Front::Text | Front::Any);
    // Zeros and ends of lines fill up what stands in front.
    let edge = match front {
        Front::Ended => bytes.iter().take_while(|byte| matches!(byte, 0 | b'\r' | b'\n' | b' ')).count(),
        _ => 0,
    };
    let is_edge = |at: usize| match front {
        Front::Ended => at <= edge,
        Front::Any => false,
        _ => has_lines && at.checked_sub(1).is_some_and(|before| bytes[before] == b'\n'),
    };
    let rows = ARCHIVES.iter().filter(|row| !(row.at_edge && front == Front::Any)).filter_map(|row| {
        let window = if row.at_edge && front == Front::Ended { bytes.len().min(edge + 32) } else { bytes.len() };
        // The mark of ACE stands behind seven other bytes.
        let by = if row.format == "ACE" { 7 } else { 0 };
        let is_here = |at: &usize| {
            let check = if is_proved { row.proof } else { row.check };
            (!row.at_edge || is_edge(*at)) && check(&bytes[*at..]) && (by == 0 || !is_proved || is_ace(bytes, *at))
        };
        let at = memmem::find_iter(&bytes[..window], row.bytes).find(is_here)?;
        Some((at.checked_sub(by)?, row.format))
    });
    let lha = memchr::memchr_iter(b'-', bytes).find_map(|at| {
        let at = at.checked_sub(2)?;
        is_lha(&bytes[at..]).then_some((at, "LHA"))
    });
    let tar = memmem::find_iter(bytes, b"ustar").find_map(|at| tar(bytes, at));
    rows.chain(lha).chain(tar).min()
}

/// Marks of archives that are not rows, or stand behind their first bytes.
const MARKS: [&[u8]; 4] = [b"-lh", b"-lz", b"-pm", b"ustar"];

/// The places in these bytes where an archive may begin, by headers that hold, with their formats.
pub fn starts(bytes: &[u8]) -> impl Iterator<Item = (usize, &'static str)> {
    static PAIRS: LazyLock<Pairs> = LazyLock::new(|| {
        let arj = (0..=255).map(|third| [0x60, 0xea, third]).collect::<Vec<_>>();
        let words = ARCHIVES.iter().map(|row| row.bytes).chain(MARKS).chain(arj.iter().map(|word| &word[..]));
        Pairs::of(words)
    });
    PAIRS.places(bytes).filter_map(|at| {
        let here = &bytes[at..];
        if here.starts_with(b"ustar") {
            return tar(bytes, at);
        }
        if here.starts_with(b"-l") || here.starts_with(b"-p") {
            let at = at.checked_sub(2)?;
            return is_lha(&bytes[at..]).then_some((at, "LHA"));
        }
        let row = ARCHIVES.iter().find(|row| here.starts_with(row.bytes) && (row.proof)(here))?;
        match row.format {
            "ACE" => is_ace(bytes, at).then(|| (at - 7, row.format)),
            format => Some((at, format)),
        }
    })
}

/// Whether the header of an archive of ACE has its checksum: the mark stands at `at`.
fn is_ace(bytes: &[u8], at: usize) -> bool {
    let start = at.checked_sub(7).map(|at| &bytes[at..]).unwrap_or_default();
    let header = start.get(4..4 + usize::from(le16(start, 2)));
    header.is_some_and(|header| !crc32fast::hash(header) & 0xffff == u32::from(le16(start, 0)))
}

/// Whether a member of LHA begins here: its method, and the sum or the sizes of its header.
fn is_lha(start: &[u8]) -> bool {
    let Some([b'-', b'l' | b'p', b'h' | b'z' | b'm', kind, b'-']) = start.get(2..7) else { return false };
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

/// The tar whose magic stands at `at`, if its header has its sum.
fn tar(bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
    let start = at.checked_sub(257)?;
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
