//! mtree(5) of the BSDs and libarchive: a name and words `keyword=value`, defaults in `/set`, and
//! in the older form directories as blocks that `..` closes. Names are escaped as vis(3) does it.

use std::collections::BTreeMap;

use pfh_digest::Registry;

use crate::draft::{Draft, Names};
use crate::entry::{DecodeLine, Fault, Item, ParsedLine};
use crate::roles::{self, Role};
use crate::sample::Sample;

/// Bytes of a line that goes on over several.
const LINE: usize = 1 << 20;

/// Whether a list is one: its first line says so, or it has a line of defaults, or, as `mtree -C`
/// prints them, every line has a type behind its name.
pub(crate) fn is_start(sample: &Sample<'_>) -> bool {
    let mut lines = sample.lines.iter().filter(|line| !line.trim_ascii().is_empty());
    let is_typed = |line: &[u8]| {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
        words.any(|word| TYPES.iter().any(|kind| word.strip_prefix(b"type=") == Some(kind.as_bytes())))
    };
    let mut records = lines.clone().filter(|line| !line.starts_with(b"#")).peekable();
    lines.clone().next().is_some_and(|first| first.starts_with(b"#mtree"))
        || lines.any(|line| line.starts_with(b"/set ") && line.contains(&b'='))
        || (records.peek().is_some() && records.all(|line| is_typed(line)))
}

/// The types of entries.
const TYPES: [&str; 7] = ["block", "char", "dir", "fifo", "file", "link", "socket"];

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    /// Keywords that hold until they are said otherwise.
    defaults: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The open directories.
    open: Vec<Vec<u8>>,
    /// The lines so far of one that goes on.
    begun: Vec<u8>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, defaults: BTreeMap::new(), open: Vec::new(), begun: Vec::new() }
    }

    fn entry(&mut self, line: &[u8]) -> ParsedLine {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { return ParsedLine::Neutral };
        match first {
            b"/set" => self.defaults.extend(words.map(keyword)),
            b"/unset" => words.for_each(|word| drop(self.defaults.remove(word))),
            b".." => drop(self.open.pop()),
            _ => return self.file(first, words.map(keyword).collect()),
        }
        ParsedLine::Neutral
    }

    fn file(&mut self, name: &[u8], stated: BTreeMap<Vec<u8>, Vec<u8>>) -> ParsedLine {
        let Some(name) = unescaped(name) else { return Fault::Malformed("no such escape in a name").into() };
        let is_path = name.contains(&b'/');
        let path = match is_path {
            true => name.clone(),
            false => self.open.iter().skip(1).chain([&name]).cloned().collect::<Vec<_>>().join(&b'/'),
        };
        let all: BTreeMap<&Vec<u8>, &Vec<u8>> = self.defaults.iter().chain(&stated).collect();
        let kind = all.get(&b"type".to_vec()).map_or(&b"file"[..], |kind| kind);
        if kind == b"dir" && !is_path {
            self.open.push(name);
        }
        if kind != b"file" {
            return ParsedLine::Neutral;
        }
        let mut draft = Draft::default();
        draft.rename(path.clone());
        for (key, value) in all {
            match keyword_role(self.registry, key) {
                Role::Digest(algorithm) => draft.digest(algorithm, value),
                Role::Size => draft.put(self.registry, Role::Size, value),
                _ => {}
            }
        }
        if !draft.has_digest() {
            return Fault::NoDigest(path.into()).into();
        }
        draft.finish(self.registry, &[], Names::Exact).map_or(ParsedLine::Neutral, ParsedLine::Item)
    }
}

/// `sha256digest=…`, `md5=…`, `size=…`, `cksum=…`: the last is unknown here.
fn keyword_role(registry: Registry, key: &[u8]) -> Role {
    let key = String::from_utf8_lossy(key).into_owned();
    roles::of(registry, key.strip_suffix("digest").unwrap_or(&key))
}

fn keyword(word: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let at = word.iter().position(|byte| *byte == b'=').unwrap_or(word.len());
    (word[..at].to_vec(), word.get(at + 1..).unwrap_or_default().to_vec())
}

/// A name without the escapes of vis(3): `\040`, `\s`, `\n`, `\\`; `None` where one is none.
fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let (mut plain, mut rest) = (Vec::with_capacity(name.len()), name);
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let octal = rest.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..b'8').contains(digit)));
        let (byte, length) = match (octal, rest.first()?) {
            (Some(digits), _) => (u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok()?, 3),
            (None, b's') => (b' ', 1),
            (None, b't') => (b'\t', 1),
            (None, b'n') => (b'\n', 1),
            (None, b'r') => (b'\r', 1),
            (None, byte @ (b'\\' | b'#')) => (*byte, 1),
            _ => return None,
        };
        plain.push(byte);
        rest = &rest[length..];
    }
    plain.extend_from_slice(rest);
    Some(plain)
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        let trimmed = line.trim_ascii();
        if self.begun.is_empty() && (trimmed.is_empty() || trimmed.starts_with(b"#")) {
            return ParsedLine::Neutral;
        }
        if let Some(part) = trimmed.strip_suffix(b"\\") {
            if self.begun.len() + part.len() > LINE {
                self.begun.clear();
                return Fault::TooLong.into();
            }
            self.begun.extend_from_slice(part);
            self.begun.push(b' ');
            return ParsedLine::Neutral;
        }
        let mut whole = std::mem::take(&mut self.begun);
        whole.extend_from_slice(trimmed);
        self.entry(&whole)
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        let is_cut = ended && !std::mem::take(&mut self.begun).is_empty();
        is_cut.then_some(Item::Fault(Fault::Malformed("the last line goes on, and the list does not")))
    }
}
