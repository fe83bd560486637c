//! The lines of a list that is amended.

use super::error::Unamendable;
use crate::csv;
use crate::format::{End, Format};
use std::ops::Range;

/// The lines of a list, with their ends.
pub(super) fn lines(bytes: &[u8], end: End) -> Vec<Range<usize>> {
    let mut start = 0;
    bytes
        .split_inclusive(|byte| *byte == end.byte())
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

/// A line without its end.
pub(super) fn bare(line: &[u8], end: End) -> &[u8] {
    let line = line.strip_suffix(&[end.byte()]).unwrap_or(line);
    if end == End::Line { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
}

/// A line that ends with CR and LF.
pub(super) fn with_return(line: &[u8]) -> Vec<u8> {
    match line.strip_suffix(b"\n") {
        Some(line) if !line.ends_with(b"\r") => [line, b"\r\n"].concat(),
        _ => line.to_vec(),
    }
}

/// The line on which the only object of these lines begins; it must be alone there, and end with
/// the last of them.
pub(super) fn opening(bytes: &[u8], lines: &[Range<usize>], within: Range<usize>) -> Result<usize, Unamendable> {
    let text = |line: usize| bytes[lines[line].clone()].trim_ascii();
    let start = within.clone().find(|line| text(*line).starts_with(b"<fileobject"));
    let last = within.end.checked_sub(1).filter(|last| text(*last).ends_with(b"</fileobject>"));
    start.filter(|start| last.is_some_and(|last| *start <= last)).ok_or(Unamendable::Lines)
}

/// Whether a line begins a list.
pub(super) fn is_begin(format: Format, line: &[u8]) -> bool {
    match format {
        Format::Hashdeep => line.starts_with(b"%%%% HASHDEEP"),
        Format::Sums | Format::Bsd => line.starts_with(b"# pfh begin "),
        Format::Ssdeep => line.starts_with(b"ssdeep,1."),
        Format::Csv => csv::is_header(line),
        _ => false,
    }
}

/// Whether a line ends a list with its counts.
pub(super) fn is_end(format: Format, line: &[u8]) -> bool {
    match format {
        Format::Jsonl => line.starts_with(b"{\"type\":\"summary\""),
        Format::Csv => line.starts_with(b"summary,"),
        Format::Dfxml => line.trim_ascii_start().starts_with(b"<pfh:summary"),
        Format::Hashdeep => line.starts_with(b"## pfh end "),
        _ => line.starts_with(b"# pfh end "),
    }
}
