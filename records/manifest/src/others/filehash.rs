//! The output of PowerShell's `Get-FileHash`: a table, or with `Format-List` three lines for each
//! file. (Its `Export-Csv` is a [`table`](super::table).)

use pfh_digest::Registry;

use super::{algorithm, windows_name};
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Item, ParsedLine};

/// Whether a list starts as one of the two: the heads of the table, or the first line of a list.
pub(crate) fn is_start(first: &[u8]) -> bool {
    // With tabs between its cells it is a table of columns.
    if first.contains(&b'\t') {
        return false;
    }
    let words: Vec<&[u8]> = first.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    matches!(words[..], [b"Algorithm", b"Hash", b"Path"] | [b"Algorithm", b":", _])
}

/// Reads both.
pub(crate) struct Decoder {
    registry: Registry,
    /// Algorithm, digest and name of a list's record, as far as they came.
    fields: [Vec<u8>; 3],
    /// The field that a line without a head continues.
    last: Option<usize>,
}

const HEADS: [&[u8]; 3] = [b"Algorithm", b"Hash", b"Path"];

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, fields: Default::default(), last: None }
    }

    fn entry(&self, [name_of, digest, path]: [&[u8]; 3]) -> Result<Entry, Fault> {
        let text = str::from_utf8(name_of).unwrap_or_default();
        let algorithm = algorithm(self.registry, text).ok_or_else(|| Fault::UnknownAlgorithm(text.into()))?;
        if path.is_empty() {
            return Err(Fault::Malformed("no name"));
        }
        if path.ends_with(b"...") || path.ends_with("…".as_bytes()) {
            return Err(Fault::Malformed("the table cut the name off: let Get-FileHash print `| Format-List`"));
        }
        Ok(Entry { name: windows_name(path), digests: vec![digits::digest(algorithm, digest)?], ..Entry::default() })
    }

    /// The record of the list that the lines so far make.
    fn gathered(&mut self) -> Option<Item> {
        self.last = None;
        let fields = std::mem::take(&mut self.fields);
        if fields.iter().all(Vec::is_empty) {
            return None;
        }
        Some(match self.entry([&fields[0], &fields[1], &fields[2]]) {
            Ok(entry) => Item::Entry(entry),
            Err(fault) => Item::Fault(fault),
        })
    }

    fn row(&self, line: &[u8]) -> Result<Entry, Fault> {
        let mut rest = line.trim_ascii();
        let mut word = || {
            let end = rest.iter().position(|&byte| byte == b' ').unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            rest = after.trim_ascii_start();
            word
        };
        let (name_of, digest) = (word(), word());
        self.entry([name_of, digest, rest])
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        let trimmed = line.trim_ascii();
        let is_rule = trimmed.iter().all(|byte| matches!(byte, b'-' | b' '));
        if trimmed.is_empty()
            || is_rule
            || trimmed.split(|&byte| byte == b' ').filter(|word| !word.is_empty()).eq(HEADS)
        {
            return match trimmed.is_empty().then(|| self.gathered()).flatten() {
                Some(item) => ParsedLine::Item(item),
                None => ParsedLine::Neutral,
            };
        }
        for (at, head) in HEADS.into_iter().enumerate() {
            let value = line.strip_prefix(head).and_then(|rest| rest.trim_ascii_start().strip_prefix(b":"));
            let Some(value) = value else { continue };
            let complete = (at == 0).then(|| self.gathered()).flatten();
            self.fields[at] = value.trim_ascii().to_vec();
            self.last = Some(at);
            return complete.map_or(ParsedLine::Neutral, ParsedLine::Item);
        }
        match self.last {
            // A value that is wider than the console goes on below its beginning.
            Some(at) if line.starts_with(b"            ") => {
                self.fields[at].extend_from_slice(trimmed);
                ParsedLine::Neutral
            }
            _ => self.row(line).into(),
        }
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        if ended { self.gathered() } else { None }
    }
}
