//! Lists of blocks: lines of a key and a value, a block for each file. `Name: / Size: / SHA256:` of
//! release notes, HashMyFiles' text, SPDX, TOML, Debian's Packages, Release, .dsc and .changes
//! (whose lines of digests stand below a key), DVC's files in YAML, aria2's input (addresses, with
//! options below them).
//!
//! [`roles`] gives the meaning of the keys. A block ends with an empty line, a rule, a new item of
//! YAML, or where a key comes again.

use std::collections::VecDeque;

use pfh_digest::{Algorithm, Registry};

use crate::digits;
use crate::draft::{Draft, Names};
use crate::entry::{DecodeLine, Entry, Fault, Item, Options, ParsedLine};
use crate::others::algorithm;
use crate::others::links::unescaped;
use crate::roles::{self, Role};
use crate::sample::Sample;

/// The parts of a line.
enum Line<'a> {
    /// Empty, or a rule of one character.
    Gap,
    /// A key and its value; `first` of an item of YAML.
    Field {
        key: &'a str,
        value: &'a [u8],
        first: bool,
    },
    /// An address from which a file is fetched.
    Address(&'a [u8]),
    /// A line that begins with a blank and has no key.
    More,
    Other,
}

/// Whether a line is the head of a section of TOML or INI: `[file]`, `[[file]]`.
pub(crate) fn is_section(line: &[u8]) -> bool {
    let inner = line.trim_ascii().strip_prefix(b"[").and_then(|line| line.strip_suffix(b"]")).unwrap_or_default();
    let inner = inner.strip_prefix(b"[").and_then(|line| line.strip_suffix(b"]")).unwrap_or(inner);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let is_json = matches!(inner, b"true" | b"false" | b"null");
    inner.first().is_some_and(u8::is_ascii_alphabetic) && inner.iter().all(is_word) && !is_json
}

/// The longest key.
const KEY: usize = 40;

fn parts(line: &[u8]) -> Line<'_> {
    let trimmed = line.trim_ascii();
    let is_rule = trimmed.len() >= 3 && trimmed.iter().all(|byte| *byte == trimmed[0] && b"=-*_#".contains(byte));
    let is_head = trimmed.starts_with(b"[") && trimmed.ends_with(b"]");
    if trimmed.is_empty() || is_rule || is_head {
        return Line::Gap;
    }
    let (text, first) = match trimmed.strip_prefix(b"- ") {
        Some(item) => (item.trim_ascii_start(), true),
        None => (trimmed, false),
    };
    // gsutil: `Hashes [hex] for name:`
    let named = text.strip_prefix(b"Hashes [").and_then(|rest| rest.strip_suffix(b":"));
    if let Some(at) = named.and_then(|rest| rest.windows(6).position(|word| word == b"] for "))
        && let Some(rest) = named
    {
        return Line::Field { key: "name", value: &rest[at + 6..], first: true };
    }
    if let Some(at) = line.iter().take(8).position(|byte| *byte == b':').filter(|at| line[*at..].starts_with(b"://"))
        && line[..at].iter().all(u8::is_ascii_lowercase)
    {
        return Line::Address(line);
    }
    // The options of aria2, which stand below an address: `  out=name`.
    if let Some(at) = text.iter().position(|byte| *byte == b'=').filter(|_| line.len() > text.len())
        && let Some(key) = ["out", "dir", "checksum"].into_iter().find(|key| key.as_bytes() == &text[..at])
    {
        return Line::Field { key, value: &text[at + 1..], first: false };
    }
    let at = text.iter().take(KEY).position(|byte| matches!(byte, b':' | b'='));
    let key = at.and_then(|at| str::from_utf8(&text[..at]).ok()).map(str::trim);
    let is_key = |key: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b'.' | b'(' | b')');
        key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.bytes().all(plain)
    };
    match (at, key.filter(is_key)) {
        (Some(at), Some(key)) if text.get(at + 1).is_none_or(|byte| matches!(byte, b' ' | b'\t')) => {
            let value = text[at + 1..].trim_ascii();
            let inner =
                [b'"', b'\'', b'`'].iter().find_map(|quote| value.strip_prefix(&[*quote])?.strip_suffix(&[*quote]));
            Line::Field { key, value: inner.unwrap_or(value), first }
        }
        _ if line.starts_with(b" ") || line.starts_with(b"\t") => Line::More,
        _ => Line::Other,
    }
}

/// The algorithm of the lines below a key: `SHA256:`, `Checksums-Sha1:`, `Files:`, `MD5Sum:`.
fn below(registry: Registry, key: &str) -> Option<Algorithm> {
    if key.eq_ignore_ascii_case("files") {
        return registry.find("md5").ok();
    }
    algorithm(registry, key.strip_prefix("Checksums-").unwrap_or(key))
}

/// The entry of a line below a key: `digest size name`, of .changes `digest size section priority
/// name`.
fn row(algorithm: Algorithm, line: &[u8], is_changes: bool) -> Result<Entry, Fault> {
    let mut words = line.splitn(if is_changes { 5 } else { 3 }, |byte| *byte == b' ');
    let digest = digits::digest(algorithm, words.next().unwrap_or_default())?;
    let size = words.next().and_then(|size| str::from_utf8(size).ok()?.parse().ok());
    let name = words.last().unwrap_or_default().trim_ascii();
    match size {
        Some(size) if !name.is_empty() => {
            Ok(Entry { name: name.to_vec(), size: Some(size), digests: vec![digest], ..Entry::default() })
        }
        _ => Err(Fault::Malformed("not a digest, a size and a name")),
    }
}

/// A line with every run of blanks as one.
fn joined(line: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    words.join(&b' ')
}

/// Whether a list is of blocks: its first rows give a file.
pub(crate) fn is_start(registry: Registry, sample: &Sample<'_>) -> bool {
    let mut decoder = Decoder::new(registry, &Options::default(), sample);
    let mut entries = 0;
    let mut count = |item: Option<Item>| {
        let is_one = matches!(item, Some(Item::Entry(_) | Item::Fault(Fault::NoFile("package"))));
        entries += usize::from(is_one);
    };
    for line in &sample.lines {
        if let ParsedLine::Item(item) = decoder.line(line) {
            count(Some(item));
        }
        while let Some(item) = decoder.held(false) {
            count(Some(item));
        }
    }
    count(decoder.held(true));
    entries > 0
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    candidates: Vec<Algorithm>,
    names: Names,
    draft: Draft,
    /// Bytes of the block so far, and how many it may have.
    bytes: usize,
    limit: usize,
    /// The algorithm of lines below the last key.
    below: Option<Algorithm>,
    is_changes: bool,
    /// The name of a file in a line of its own, which digests follow.
    title: Option<Vec<u8>>,
    /// The name that an address ends with, and the directory to fetch it into.
    fetched: Option<Vec<u8>>,
    /// Whether it is aria2's input.
    fetches: bool,
    folder: Option<Vec<u8>>,
    items: VecDeque<Item>,
}

/// The name of a file that stands alone in a line, perhaps as a heading of Markdown: it has an
/// extension, or is a path without blanks.
fn title(line: &[u8]) -> Option<&[u8]> {
    let is_mark = |byte: &u8| b"#*`\" ".contains(byte);
    let start = line.iter().position(|byte| !is_mark(byte))?;
    let end = line.iter().rposition(|byte| !is_mark(byte) && *byte != b':')? + 1;
    let name = line.get(start..end)?;
    let base = name.rsplit(|byte| matches!(byte, b'/' | b'\\')).next()?;
    let extension = base.iter().rposition(|byte| *byte == b'.').map(|dot| &base[dot + 1..]).unwrap_or_default();
    let is_extension = (1..=8).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && extension.iter().any(u8::is_ascii_alphabetic);
    let is_path = name.contains(&b'/') && !name.contains(&b' ') && !base.is_empty();
    let is_address = name.windows(3).any(|three| three == b"://");
    (!is_address && name.len() < 1024 && (is_extension || is_path)).then_some(name)
}

impl Decoder {
    /// A reader of a list that begins with the lines of `sample`.
    pub(crate) fn new(registry: Registry, options: &Options, sample: &Sample<'_>) -> Decoder {
        // Blocks that programs of Windows write, and no others: Debian's names have `/`.
        let names = if sample.windows { Names::Windows } else { Names::Exact };
        Decoder {
            registry,
            candidates: digits::wanted(registry, options),
            names,
            draft: Draft::default(),
            bytes: 0,
            limit: options.limit,
            below: None,
            is_changes: sample.lines.iter().any(|line| line.starts_with(b"Changed-By:")),
            title: None,
            fetched: None,
            fetches: sample.lines.iter().any(|line| {
                let option = line.trim_ascii_start();
                option.len() < line.len() && option.starts_with(b"checksum=")
            }),
            folder: None,
            items: VecDeque::new(),
        }
    }

    /// Ends the block.
    fn flush(&mut self) {
        self.bytes = 0;
        let draft = std::mem::take(&mut self.draft);
        let mut draft = draft;
        if draft.has_digest()
            && !draft.is_named()
            && let Some(title) = self.title.take()
        {
            draft.rename(title);
        }
        let folder = self.folder.take();
        if let Some(fetched) = self.fetched.take() {
            if !draft.is_named() {
                draft.rename(fetched);
            }
            draft.below(folder.as_deref().unwrap_or(b"."));
            self.items.extend(draft.finish(self.registry, &self.candidates, Names::Exact));
            return;
        }
        // A block without a digest is the head of a list, or describes something else; one without
        // a name has nothing to say.
        if draft.has_digest() {
            self.items.extend(draft.finish(self.registry, &self.candidates, self.names));
        }
    }

    fn field(&mut self, key: &str, value: &[u8]) {
        self.below = None;
        if value.is_empty() {
            self.below = below(self.registry, key);
            if let Some(title) = title(key.as_bytes()) {
                self.flush();
                self.title = Some(title.to_vec());
            }
            return;
        }
        let is_address = || value.windows(3).any(|three| three == b"://");
        let role = match (key, roles::of(self.registry, key)) {
            ("out", Role::Other) if self.fetched.is_some() => Role::Name(0),
            ("dir", Role::Folder) if self.fetched.is_some() => {
                self.folder = Some(value.to_vec());
                return;
            }
            // `gcloud storage hash`
            ("url", Role::Other) if !is_address() => Role::Name(3),
            (_, role) => role,
        };
        let again = match role {
            Role::Name(rank) => self.draft.has_name(rank),
            Role::Digest(algorithm) => self.draft.has(algorithm),
            _ => false,
        };
        if again {
            self.flush();
        }
        self.bytes += value.len();
        if self.bytes > self.limit {
            self.items.push_back(Item::Fault(Fault::TooLong));
            self.draft = Draft::default();
            self.bytes = 0;
            return;
        }
        // `FileChecksum: SHA1: d17c…` of SPDX.
        let stated = || {
            let (name, digest) = str::from_utf8(value).ok()?.split_once(": ")?;
            Some((algorithm(self.registry, name)?, digest))
        };
        match (role == Role::Hash).then(stated).flatten() {
            Some((algorithm, digest)) => self.draft.digest(algorithm, digest.trim().as_bytes()),
            None => self.draft.put(self.registry, role, value),
        }
    }
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        // `files:` of YAML has items below it, and no lines of digests.
        let is_field = matches!(parts(line), Line::Field { .. });
        if let Some(algorithm) = self.below
            && line.starts_with(b" ")
            && !line.trim_ascii().is_empty()
            && !is_field
        {
            return row(algorithm, &joined(line), self.is_changes && algorithm.name() == "md5").into();
        }
        match parts(line) {
            Line::Gap => self.flush(),
            Line::Field { key, value, first } => {
                if first {
                    self.flush();
                }
                self.field(key, value);
            }
            // `gsutil ls -L`
            Line::Address([name @ .., b':']) => {
                self.flush();
                self.title = Some(name.to_vec());
            }
            Line::Address(_) if !self.fetches => {}
            Line::Address(line) => {
                self.flush();
                let first = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
                let path = first.split(|byte| b"?#".contains(byte)).next().unwrap_or_default();
                let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
                self.fetched = Some(unescaped(name).unwrap_or_else(|| name.to_vec()));
            }
            Line::More => {}
            Line::Other if title(line).is_some() => {
                self.flush();
                self.title = title(line).map(<[u8]>::to_vec);
            }
            Line::Other if line.starts_with(b"#") => {}
            // Text between blocks says nothing of files, unless it holds a digest.
            Line::Other => {
                let mut words = line.split(u8::is_ascii_whitespace);
                if words.any(digits::is_digest) {
                    return Fault::Malformed("a digest outside of a block of keys and values").into();
                }
            }
        }
        self.items.pop_front().map_or(ParsedLine::Neutral, ParsedLine::Item)
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        if ended && self.items.is_empty() {
            self.flush();
        }
        self.items.pop_front()
    }
}
