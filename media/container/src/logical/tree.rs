//! The tree of an L01 or Lx01: text in UTF-16, in categories of lines, values between tabs.

use super::entry::{Stamps, is_too_long};
use crate::disk::Failure;
use pfh_digest::Digest;
use std::collections::HashMap;

/// The longest tree: some two million entries.
pub const LONGEST_TREE: u64 = 512 << 20;
/// Directories on a path, at most.
const DEEPEST: usize = 1024;

/// An entry of the tree.
#[derive(Debug, Clone)]
pub struct NamedEntry {
    /// The names above it, and its own.
    pub path: Vec<Vec<u8>>,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// The flags of the entry.
    pub flags: u64,
    /// Its number.
    pub id: Option<u64>,
    /// Bytes of the file.
    pub size: u64,
    /// Where its bytes are in the media data, and how many are stored at each place; or why the
    /// stated list is not read.
    pub extents: Result<Vec<(u64, u64)>, String>,
    /// Where the bytes of a file are that was stored once for several.
    pub duplicate: Option<u64>,
    /// Its times.
    pub stamps: Stamps,
    /// The digests that are stated.
    pub digests: Vec<Digest>,
}

/// The tree as text, line by line.
pub struct Tree {
    text: Vec<u8>,
    at: usize,
    /// Names of the columns.
    columns: HashMap<Vec<u8>, usize>,
    /// Names of the directories that are open, and how many entries each still has.
    open: Vec<(Option<Vec<u8>>, u64)>,
    /// Whether control characters stand for line feeds and tabs in names.
    pub is_escaped: bool,
    is_ended: bool,
}

/// The UTF-8 of a text in UTF-16, lone surrogates as three bytes.
fn utf8(bytes: &[u8]) -> Vec<u8> {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    let mut out = Vec::with_capacity(bytes.len() / 2);
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(letter) => out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                out.extend([0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3f) as u8, 0x80 | (unit & 0x3f) as u8]);
            }
        }
    }
    out
}

fn number(value: &[u8]) -> Option<u64> {
    std::str::from_utf8(value).ok()?.trim().parse().ok()
}

/// Seconds since 1970 as nanoseconds; none for an empty value and for 0.
fn time(value: &[u8]) -> Option<i128> {
    let seconds: i64 = std::str::from_utf8(value).ok()?.trim().parse().ok()?;
    (seconds != 0).then(|| i128::from(seconds) * 1_000_000_000)
}

/// A digest; of zeros alone it is not set.
fn digest(algorithm: &str, value: &[u8]) -> Option<Digest> {
    let text = std::str::from_utf8(value).ok()?.trim().to_ascii_lowercase();
    if text.bytes().all(|byte| byte == b'0') {
        return None;
    }
    Digest::parse(algorithm.parse().ok()?, &text).ok()
}

/// The extents in a value: their number, and offset and length of each, in hexadecimal digits.
fn extents(value: &[u8]) -> Result<Vec<(u64, u64)>, String> {
    if value.is_empty() {
        return Ok(Vec::new());
    }
    let hex = |value: &[u8]| u64::from_str_radix(std::str::from_utf8(value).ok()?, 16).ok();
    let mut parts = value.split(|byte| *byte == b' ');
    let count = parts.next().and_then(number);
    let mut found = Vec::new();
    while let Some(start) = parts.next() {
        match hex(start).zip(parts.next().and_then(hex)) {
            Some(extent) => found.push(extent),
            None => break,
        }
    }
    let is_whole = count == Some(found.len() as u64) && parts.next().is_none();
    let stated = || String::from_utf8_lossy(&value[..value.len().min(100)]).into_owned();
    if is_whole { Ok(found) } else { Err(format!("the extents {:?}: not read", stated())) }
}

/// Line feed, carriage return and tab stand in a value as the first three control characters.
fn unescape(byte: &mut u8) {
    *byte = match *byte {
        1 => b'\n',
        2 => b'\r',
        3 => b'\t',
        other => other,
    }
}

impl Tree {
    /// A tree, by its data in UTF-16; and the stated number of bytes of the media data.
    ///
    /// # Errors
    /// When the category of entries is missing, or its columns lack a name.
    pub fn new(data: &[u8]) -> Result<(Tree, Option<u64>), Failure> {
        let text = utf8(data);
        let (open, columns) = (Vec::new(), HashMap::new());
        let mut tree = Tree { text, at: 0, columns, open, is_escaped: false, is_ended: false };
        let mut total = None;
        loop {
            let line = tree.line().ok_or_else(|| Failure::malformed("the tree has no category of entries"))?;
            match &tree.text[line.0..line.1] {
                b"rec" => {
                    let (names, values) = (tree.values(), tree.values());
                    let at = names.iter().position(|name| name == b"tb");
                    total = at.and_then(|at| number(values.get(at)?));
                }
                b"entry" => break,
                _ => {}
            }
        }
        // How many there are is also stated line by line.
        tree.line();
        tree.columns = tree.values().into_iter().enumerate().map(|(at, name)| (name, at)).collect();
        if !tree.columns.contains_key(&b"n"[..]) || !tree.columns.contains_key(&b"be"[..]) {
            return Err(Failure::malformed("the entries of the tree have neither a name nor a place"));
        }
        tree.open.push((None, 1));
        Ok((tree, total))
    }

    /// Where the next line begins and ends.
    fn line(&mut self) -> Option<(usize, usize)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let start = self.at;
        self.at += length + 1;
        let end = start + length - usize::from(rest[..length].last() == Some(&b'\r'));
        Some((start, end))
    }

    /// The values of the next line.
    fn values(&mut self) -> Vec<Vec<u8>> {
        let (start, end) = self.line().unwrap_or_default();
        self.text[start..end].split(|byte| *byte == b'\t').map(<[u8]>::to_vec).collect()
    }

    fn wrong(&mut self, what: &str) -> Failure {
        self.is_ended = true;
        Failure::malformed(format!("the tree, byte {} of its text: {what}", self.at))
    }

    /// The next entry.
    ///
    /// # Errors
    /// When the tree is shorter than it states; nothing comes behind that.
    pub fn next(&mut self) -> Option<Result<NamedEntry, Failure>> {
        while self.open.last().is_some_and(|(_, left)| *left == 0) {
            self.open.pop();
        }
        if self.is_ended || self.open.is_empty() {
            return None;
        }
        let counts = self.values();
        let below = counts.get(1).and_then(|count| number(count)).filter(|_| counts.len() == 2);
        let Some(below) = below else { return Some(Err(self.wrong("an entry without its number of entries"))) };
        let values = self.values();
        let is_root = self.open.len() == 1;
        let value = |name: &str| self.columns.get(name.as_bytes()).and_then(|at| values.get(*at));
        let text = |name: &str| value(name).map(Vec::as_slice).unwrap_or_default();
        let mut entry = NamedEntry {
            path: Vec::new(),
            is_directory: false,
            flags: number(text("opr")).unwrap_or(0),
            id: number(text("id")),
            size: number(text("ls")).unwrap_or(0),
            extents: extents(text("be")),
            duplicate: number(text("du")),
            stamps: Stamps::default(),
            digests: Vec::new(),
        };
        entry.is_directory = text("p") == b"1" || entry.flags & 0x0200_0000 != 0 || is_root;
        let stamp = |name: &str| time(text(name));
        entry.stamps = Stamps {
            modified: stamp("wr"),
            accessed: stamp("ac"),
            changed: stamp("mo"),
            born: stamp("cr"),
            deleted: stamp("dl"),
        };
        entry.digests = [("md5", "ha"), ("sha1", "sha")]
            .into_iter()
            .filter_map(|(algorithm, name)| digest(algorithm, text(name)))
            .collect();
        let mut name = text("n").to_vec();
        if self.is_escaped {
            name.iter_mut().for_each(unescape);
        }
        if values.len() < 2 && !is_root {
            return Some(Err(self.wrong("an entry without values")));
        }
        let name = if name.is_empty() { b"NoName".to_vec() } else { name };
        if let Some((_, left)) = self.open.last_mut() {
            *left -= 1;
        }
        // The root has no name that stands in paths.
        let own = (!is_root).then_some(name);
        entry.path = self.open.iter().filter_map(|(name, _)| name.clone()).chain(own.clone()).collect();
        if below > 0 {
            if self.open.len() > DEEPEST {
                return Some(Err(self.wrong("more directories in one another than are read")));
            }
            if is_too_long(&entry.path) {
                return Some(Err(self.wrong("a path of more than 64 KiB: nothing below it is read")));
            }
            self.open.push((own, below));
        }
        Some(Ok(entry))
    }
}
