//! The output of `gpg --print-md` and `--print-mds`: a name with a colon, perhaps an algorithm, and
//! the digits in groups, which go on over several lines.

use std::collections::VecDeque;
use std::mem;

use pfh_digest::{Algorithm, Registry};

use super::algorithm;
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Item, Options, ParsedLine};
use crate::sample::Sample;

/// The digits of groups of two, four or eight capitals between blanks, `least` of them at least;
/// `None` of another text.
fn groups(text: &[u8], least: usize) -> Option<Vec<u8>> {
    let words: Vec<&[u8]> = text.split(|byte| *byte == b' ').filter(|word| !word.is_empty()).collect();
    let width = words.first().map(|word| word.len()).filter(|width| matches!(width, 2 | 4 | 8))?;
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'F');
    let is_group = |word: &&[u8]| word.len() == width && word.iter().all(is_digit);
    (words.len() >= least && words.iter().all(is_group)).then(|| words.concat())
}

/// A line has a name, the word for an algorithm, and digits; any of them may be missing.
struct Line<'a> {
    name: Option<&'a [u8]>,
    label: Option<&'a str>,
    digits: Vec<u8>,
}

/// The parts of a line; `None` if it is of another form.
fn parts(line: &[u8]) -> Option<Line<'_>> {
    let line = line.trim_ascii_end();
    // The last line may have one group, which elsewhere is a word as any.
    if let Some(digits) = groups(line, if line.starts_with(b" ") { 1 } else { 2 }) {
        return Some(Line { name: None, label: None, digits });
    }
    // A long name has a line of its own.
    if let Some(name) = line.strip_suffix(b":").filter(|name| !name.is_empty()) {
        return Some(Line { name: Some(name), label: None, digits: Vec::new() });
    }
    let starts = line.windows(2).enumerate().filter(|(_, pair)| *pair == b": ").map(|(at, _)| at);
    let named = starts.filter(|at| *at > 0).map(|at| (Some(&line[..at]), &line[at + 2..]));
    named.chain([(None, line)]).find_map(|(name, rest)| {
        if let Some(digits) = groups(rest, 2) {
            return Some(Line { name, label: None, digits }).filter(|line| line.name.is_some());
        }
        let at = rest.windows(3).position(|three| three == b" = ")?;
        let label = str::from_utf8(&rest[..at]).ok()?.trim();
        let is_label = !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric());
        Some(Line { name, label: Some(label), digits: groups(&rest[at + 3..], 2)? }).filter(|_| is_label)
    })
}

/// Whether half of the lines of a list are of that form: a damaged one makes it no other list.
pub(crate) fn is_start(sample: &Sample<'_>) -> bool {
    let lines = sample.lines.iter().filter(|line| !line.trim_ascii().is_empty());
    let parted: Vec<Option<Line<'_>>> = lines.map(|line| parts(line)).collect();
    let count = parted.iter().flatten().count();
    2 * count >= parted.len() && parted.iter().flatten().any(|line| !line.digits.is_empty())
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    candidates: Vec<Algorithm>,
    /// Whether digits without a name are taken: those of standard input.
    bare: bool,
    name: Vec<u8>,
    label: Option<Box<str>>,
    digits: Vec<u8>,
    /// Records whose last line was read, and faults behind them.
    ready: VecDeque<Item>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, options: &Options) -> Decoder {
        let candidates = digits::wanted(registry, options);
        Decoder {
            registry,
            candidates,
            bare: options.bare,
            name: Vec::new(),
            label: None,
            digits: Vec::new(),
            ready: VecDeque::new(),
        }
    }

    /// The record that is open, with the lines so far; `None` if none is.
    fn close(&mut self) -> Option<Item> {
        let (label, digits) = (self.label.take(), mem::take(&mut self.digits));
        if digits.is_empty() {
            return None;
        }
        let name = self.name.clone();
        let of = label.as_deref().map(|label| match label {
            "RMD160" => self.registry.find("ripemd160").ok(),
            label => algorithm(self.registry, label),
        });
        let (digest, guessed) = match of {
            Some(Some(of)) => (digits::digest(of, &digits), false),
            Some(None) => (Err(Fault::UnknownAlgorithm(label.unwrap_or_default()).of(&name)), false),
            None => (digits::unnamed(&self.candidates, &digits), true),
        };
        Some(match digest {
            Ok(digest) => Item::Entry(Entry { name, digests: vec![digest], guessed, ..Entry::default() }),
            Err(fault) => Item::Fault(fault),
        })
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Neutral;
        }
        let Some(Line { name, label, digits }) = parts(line) else {
            // A record whose further line this was is not whole; otherwise it is, and the next
            // lines are not its.
            let before = self.close().filter(|_| !line.starts_with(b" "));
            self.ready.extend(before);
            self.name.clear();
            let fault = Fault::Malformed("no digits in groups, as gpg --print-md prints them");
            self.ready.push_back(Item::Fault(fault));
            return ParsedLine::Neutral;
        };
        if name.is_some() || label.is_some() {
            let before = self.close();
            self.ready.extend(before);
            self.label = label.map(Into::into);
        }
        if let Some(name) = name {
            self.name = name.to_vec();
        }
        if self.name.is_empty() && !self.bare {
            return Fault::Malformed("no name").into();
        }
        self.digits.extend_from_slice(&digits);
        ParsedLine::Neutral
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        self.ready.pop_front().or_else(|| if ended { self.close() } else { None })
    }
}
