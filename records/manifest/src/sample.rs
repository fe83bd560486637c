//! The first lines of a list, by which its form is found.

use pfh_source::text;

/// Bytes of a list that tell its form.
pub(crate) const BYTES: u64 = 1 << 16;
/// Lines that are looked at.
const LINES: usize = 100;

/// The first lines of a list.
pub(crate) struct Sample<'a> {
    /// Whole lines, without their ends and byte order marks; the last may be cut where there is but
    /// one.
    pub(crate) lines: Vec<&'a [u8]>,
    /// Whether a program of Windows wrote it, by the ends of its lines.
    pub(crate) windows: bool,
}

impl<'a> Sample<'a> {
    /// The lines of the first [`BYTES`] of a list, or of all of a shorter one.
    pub(crate) fn of(start: &'a [u8]) -> Sample<'a> {
        let is_all = (start.len() as u64) < BYTES;
        let whole = if is_all { None } else { start.iter().rposition(|&byte| byte == b'\n') };
        let lines = start[..whole.unwrap_or(start.len())].split(|&byte| byte == b'\n').map(bare).take(LINES);
        Sample { lines: lines.collect(), windows: text::has_windows_lines(start) }
    }
}

/// A line without the CRs at its end (some programs write two) and without a byte order mark, which
/// stands in the middle of lists that were joined.
pub(crate) fn bare(mut line: &[u8]) -> &[u8] {
    while let Some(shorter) = line.strip_suffix(b"\r") {
        line = shorter;
    }
    line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
}
