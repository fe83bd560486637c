//! The first lines of a list, by which its form is found.

use pfh_digest::{ROWS, Registry, Row};
use pfh_source::text;

use crate::{digits, roles};

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

    /// How many lines of text stand in front of the first record of a list, such as the
    /// instructions in Slackware's: sentences, or a line of labels. A damaged record is none.
    pub(crate) fn text_in_front(&self) -> usize {
        let lines = || self.lines.iter().copied().filter(|line| !line.is_empty());
        let is_record = |line: &[u8]| line.split(u8::is_ascii_whitespace).next().is_some_and(digits::is_digest);
        let count = lines().position(is_record).unwrap_or_default();
        if lines().take(count).all(is_text) { count } else { 0 }
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

/// Whether a line is a sentence or labels: no word of it has the digits of a digest.
fn is_text(line: &[u8]) -> bool {
    static LISTS: [&[Row]; 1] = [&ROWS];
    let words = || line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_digits = |word: &[u8]| {
        let digits = word.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
        word.len() >= 16 && 4 * digits > 3 * word.len()
    };
    let begins = line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || b"'/(".contains(byte));
    let is_long = words().count() >= 4 || roles::is_heading(Registry::new(&LISTS), line);
    begins && is_long && !words().any(is_digits)
}
