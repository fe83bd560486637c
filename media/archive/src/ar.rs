//! ar: libraries, and Debian packages. Names as System V, GNU and BSD write them.

use super::ar_table;
use super::checked::{CheckedBytes, StatedSum};
use super::format::AR as MAGIC;
use super::itemised::in_order;
use super::limits::Limits;
use super::member::{failure, node};
use super::tape::Tape;
use pfh_bytes::account::{Claims, Holds, residue, said};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;

const HEADER: u64 = 60;
/// The longest table of names.
const TABLE: u64 = 64 << 20;
/// The longest name in front of a content.
const NAME: u64 = 1 << 16;

/// The members.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    Box::new(Members::new(bytes, limits))
}

/// The claims of its headers and contents. Tables of names and symbols count as headers.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Claims {
    let mut claims = in_order(&**bytes, Members::new(bytes.clone(), &Limits::default()), |members| members.at);
    claims.add(0..MAGIC.len() as u64, Holds::Structure, b"magic");
    claims
}

struct Members {
    bytes: Arc<dyn Bytes>,
    at: u64,
    /// GNU's table of long names.
    names: Vec<u8>,
    entries: u64,
    is_ended: bool,
    /// The faults of bytes that call themselves a table and are none, and these bytes if salvaged.
    hidden: VecDeque<Result<Node, Failure>>,
    salvage: bool,
}

/// The number in a field, whose rest is blank.
fn number(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?.trim_end();
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

fn trimmed(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|byte| *byte != b' ').map_or(0, |at| at + 1);
    &name[..end]
}

impl Members {
    fn new(bytes: Arc<dyn Bytes>, limits: &Limits) -> Members {
        let (names, entries, salvage) = (Vec::new(), limits.entries, limits.salvage);
        Members { bytes, at: MAGIC.len() as u64, names, entries, is_ended: false, hidden: VecDeque::new(), salvage }
    }

    fn fail<T>(&self, cause: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { offset: Some(self.at), ..failure(b"", cause) })
    }

    /// The next member; `None` for one that is a part of the archive itself.
    fn step(&mut self) -> Result<Option<Node>, Failure> {
        if self.bytes.size() - self.at < HEADER {
            return self.fail("the archive is cut off within a header");
        }
        let header = read(&*self.bytes, self.at, HEADER as usize)?;
        let size = number(&header[48..58]).filter(|_| header[58..] == *b"`\n");
        let Some(size) = size else { return self.fail("no header where one must be: nothing behind it is read") };
        let start = self.at + HEADER;
        let Some(end) = start.checked_add(size).filter(|end| *end <= self.bytes.size()) else {
            return self.fail("a member that leads out of the archive: it is cut off");
        };
        let (name, mut data) = (trimmed(&header[..16]), (start, size));
        let path = match name {
            b"//" if size > TABLE => return self.fail("a table of names that is too long"),
            b"//" => {
                self.names = read(&*self.bytes, start, size as usize)?;
                Vec::new()
            }
            // Tables of symbols.
            b"/" | b"/SYM64/" => Vec::new(),
            [b'/', digits @ ..] => match number(digits).and_then(|at| self.long(at)) {
                Some(name) => name,
                None => return self.fail("a name that is not in the table of names"),
            },
            [b'#', b'1', b'/', digits @ ..] => {
                let length = number(digits).filter(|length| *length <= size.min(NAME));
                let Some(length) = length else { return self.fail("a name that is longer than its member") };
                data = (start + length, size - length);
                let mut name = read(&*self.bytes, start, length as usize)?;
                while name.last() == Some(&0) {
                    name.pop();
                }
                name
            }
            name => name.strip_suffix(b"/").unwrap_or(name).to_vec(),
        };
        // Members begin at even offsets; the last one need not be filled up.
        self.at = end.next_multiple_of(2).min(self.bytes.size());
        if path.is_empty() || path.starts_with(b"__.SYMDEF") {
            let table = read(&*self.bytes, data.0, data.1.min(TABLE) as usize)?;
            if !ar_table::holds(name, &table) {
                let place = data.0..data.0 + data.1;
                if let Some(fault) = said(&*self.bytes, &place)? {
                    self.hidden.push_back(Err(fault));
                    self.hidden.extend(self.salvage.then(|| Ok(residue(&self.bytes, place))));
                }
            }
            return Ok(None);
        }
        let mut found = node(path.clone(), Kind::File);
        found.size = Some(data.1);
        found.times.modified = number(&header[16..28]).map(|seconds| i128::from(seconds) * 1_000_000_000);
        found.content = Some(Arc::new(Member { bytes: self.bytes.clone(), path: path.into(), data }));
        Ok(Some(found))
    }

    /// A name of the table: up to its slash and line feed.
    fn long(&self, at: u64) -> Option<Vec<u8>> {
        let rest = self.names.get(usize::try_from(at).ok()?..)?;
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | 0))?;
        let name = &rest[..end];
        Some(name.strip_suffix(b"/").unwrap_or(name).to_vec()).filter(|name| !name.is_empty())
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(next) = self.hidden.pop_front() {
            return Some(next);
        }
        while !self.is_ended && self.at < self.bytes.size() {
            let Some(left) = self.entries.checked_sub(1) else {
                self.is_ended = true;
                return Some(Err(failure(b"", "the archive has more members than allowed")));
            };
            self.entries = left;
            match self.step() {
                Ok(Some(node)) => return Some(Ok(node)),
                Ok(None) if !self.hidden.is_empty() => return self.hidden.pop_front(),
                Ok(None) => {}
                Err(failure) => {
                    self.is_ended = true;
                    return Some(Err(failure));
                }
            }
        }
        None
    }
}

struct Member {
    bytes: Arc<dyn Bytes>,
    path: Arc<[u8]>,
    data: (u64, u64),
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let (start, size) = self.data;
        let tape = Tape::new(self.bytes.clone(), start, start + size);
        let stated = StatedSum { size: Some(size), crc: None };
        Ok(Box::new(CheckedBytes::new(tape, self.path.clone(), stated, u64::MAX)))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        Some(vec![Run { file_offset: 0, medium_offset: Some(self.data.0), length: self.data.1 }])
    }
}
