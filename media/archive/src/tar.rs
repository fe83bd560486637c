//! Tar: ustar, pax and GNU, plain or compressed as a whole.

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::decoder::Packing;
use super::itemised::in_order;
use super::limits::Limits;
use super::member::{failure, node};
use super::sparse::{self, ExpandedFile, Map};
use super::store::Store;
use super::tar_header::{BLOCK, Header, PaxHeaders, decimal, runs, sum_holds};
use pfh_bytes::account::Claims;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run, Times};
use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::Arc;

/// The longest name or extended header.
const HEADER: u64 = 1 << 20;
/// Hard links to members of a compressed tar: for each the stream is read again from its start.
const AGAIN: u32 = 64;

/// The members of a tar that is not compressed.
pub fn plain(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let most = limits.most(bytes.size());
    Box::new(Members::new(Store::Plain(bytes), most, limits))
}

/// The claims of a tar's headers.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Claims {
    in_order(&**bytes, Members::new(Store::Plain(bytes.clone()), u64::MAX, &Limits::default()), |members| members.at)
}

/// The members of a compressed tar, which are read in one pass if each is read before the next one
/// is asked for.
pub fn packed(packing: Packing, bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let most = limits.most(bytes.size());
    Box::new(Members::new(Store::packed(packing, bytes, limits), most, limits))
}

/// The members of a tar, one after the other.
pub struct Members {
    store: Store,
    at: u64,
    most: u64,
    entries: u64,
    number: u64,
    global: PaxHeaders,
    /// The members so far by name, for hard links.
    files: HashMap<Vec<u8>, Arc<Member>>,
    again: u32,
    /// Hard links into a compressed stream, at most: `u32::MAX` where contents are not read.
    pub most_again: u32,
    ended: bool,
    any: bool,
    /// The target of the hard link that failed last, since it is not in the tar.
    pub unlinked: Option<Vec<u8>>,
}

/// The result of a step through the headers.
enum Step {
    Node(Box<Node>),
    Further,
    End,
}

impl Members {
    /// Those in a store, each of at most `most` bytes.
    pub fn new(store: Store, most: u64, limits: &Limits) -> Members {
        let (global, files) = (PaxHeaders::default(), HashMap::new());
        let entries = limits.entries;
        Members {
            store,
            at: 0,
            most,
            entries,
            number: 0,
            global,
            files,
            again: 0,
            most_again: AGAIN,
            ended: false,
            any: false,
            unlinked: None,
        }
    }

    fn fail<T>(&self, path: &[u8], cause: impl Into<String>) -> Result<T, Failure> {
        // The medium's offset is known only where nothing is compressed.
        let offset = matches!(self.store, Store::Plain(_)).then_some(self.at);
        Err(Failure { offset, ..failure(path, cause) })
    }

    /// The next bytes; `None` at the end of the archive.
    fn take(&mut self, length: u64) -> Result<Option<Vec<u8>>, Failure> {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(usize::MAX).min(2 * HEADER as usize));
        let read = self.store.range(self.at, length).read_to_end(&mut bytes);
        match read {
            Ok(0) if length > 0 => return Ok(None),
            Ok(got) if (got as u64) < length => return self.fail(b"", "the tar is cut off within a header"),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return self.fail(b"", "the compressed tar is cut off");
            }
            Err(error) => return self.fail(b"", error.to_string()),
        }
        self.at += length;
        Ok(Some(bytes))
    }

    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Failure> {
        Ok(self.take(BLOCK as u64)?.and_then(|bytes| <[u8; BLOCK]>::try_from(bytes).ok()))
    }

    /// The content of a header, with the padding behind it.
    fn content(&mut self, length: u64) -> Result<Vec<u8>, Failure> {
        if length > HEADER {
            return self.fail(b"", format!("an extended header of {length} bytes: 1 MiB are allowed"));
        }
        let Some(mut bytes) = self.take(length.next_multiple_of(BLOCK as u64))? else {
            return self.fail(b"", "the tar is cut off within a header");
        };
        bytes.truncate(length as usize);
        Ok(bytes)
    }

    /// Behind the first block of zeros: the second one, and nothing else.
    fn end(&mut self) -> Result<Step, Failure> {
        let mut rest = self.store.range(self.at, 1 << 20);
        let (mut buffer, mut behind) = (vec![0; 32 << 10], false);
        loop {
            match rest.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => behind |= buffer[..got].iter().any(|byte| *byte != 0),
                Err(error) => return self.fail(b"", format!("behind the last member: {error}")),
            }
        }
        if behind { self.fail(b"", "something follows the end of the tar: it is not read") } else { Ok(Step::End) }
    }

    fn step(&mut self) -> Result<Step, Failure> {
        let mut extended = self.global.clone();
        let (mut long_name, mut long_link) = (None, None);
        loop {
            let Some(block) = self.block()? else {
                return self.fail(b"", "the tar ends without its end mark: it may be cut off");
            };
            if block.iter().all(|byte| *byte == 0) {
                return self.end();
            }
            self.at -= BLOCK as u64;
            if !sum_holds(&block) {
                return self.fail(b"", "the sum of a header does not hold: nothing behind it is read");
            }
            let header = match Header::parse(&block) {
                Ok(header) => header,
                Err(why) => return self.fail(b"", why),
            };
            self.at += BLOCK as u64;
            match header.kind {
                b'x' | b'X' | b'g' => {
                    let content = self.content(header.stored)?;
                    let into = if header.kind == b'g' { &mut self.global } else { &mut extended };
                    if let Err(why) = into.take(&content) {
                        return self.fail(b"", why);
                    }
                }
                b'L' | b'K' => {
                    let mut name = self.content(header.stored)?;
                    while name.last() == Some(&0) {
                        name.pop();
                    }
                    *if header.kind == b'L' { &mut long_name } else { &mut long_link } = Some(name);
                }
                _ => {
                    let path = extended.path.clone().or(long_name).unwrap_or_else(|| header.path.clone());
                    let link = extended.link.clone().or(long_link).unwrap_or_else(|| header.link.clone());
                    return self.member(header, &extended, path, link);
                }
            }
        }
    }

    fn member(&mut self, header: Header, extended: &PaxHeaders, path: Vec<u8>, link: Vec<u8>) -> Result<Step, Failure> {
        let stored = extended.size.unwrap_or(header.stored);
        // pax lets a hard link carry its content again; other programs state the size alone.
        let is_again = header.kind == b'1' && stored > 0 && self.is_content(stored)?;
        let has_content = is_again || !matches!(header.kind, b'1'..=b'6');
        let mut sparse = None;
        if let Some((map, more, real)) = header.sparse {
            sparse = Some((self.first_sparse(map, more, &path)?, real));
        }
        let start = self.at;
        let stored = if has_content { stored } else { 0 };
        let Some(end) = stored.checked_next_multiple_of(BLOCK as u64).and_then(|length| start.checked_add(length))
        else {
            return self.fail(&path, "states a size that no tar can have");
        };
        self.at = end;
        let mut data = (start, stored);
        if let (Some(version), None) = (extended.sparse, &sparse) {
            let real = extended.real.unwrap_or(stored);
            let map = if version == (1, 0) { self.inline_map(&mut data, &path)? } else { extended.map.clone() };
            sparse = Some((map, real));
        }
        let times = Times {
            modified: extended.modified.or(header.modified),
            accessed: extended.accessed,
            changed: extended.changed,
            ..Times::default()
        };
        let kind = match header.kind {
            0 if path.ends_with(b"/") && stored == 0 => Kind::Directory,
            0 | b'0' | b'7' | b'S' => Kind::File,
            b'1' if is_again => Kind::File,
            b'1' => return self.hard_link(path, &link, times).map(|node| Step::Node(Box::new(node))),
            b'2' => Kind::Link(link),
            b'3' => Kind::Special("character device"),
            b'4' => Kind::Special("block device"),
            // GNU tar's list of the names in a directory.
            b'D' if stored > 0 => Kind::Stream,
            b'5' | b'D' => Kind::Directory,
            b'6' => Kind::Special("FIFO"),
            b'V' if stored == 0 => return Ok(Step::Further),
            b'M' => return self.fail(&path, "starts in another part of a tar of several"),
            // Unknown types are files, as POSIX has it.
            _ => Kind::File,
        };
        let mut found = node(path, kind);
        found.times = times;
        // The name of a directory ends with a slash, and may have bytes all the same.
        let end = found.path.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
        let holds = matches!(found.kind, Kind::File | Kind::Stream);
        if !holds || header.kind == 0 || header.kind == b'D' {
            found.path.truncate(end);
        }
        if found.kind == Kind::Stream {
            found.path.extend_from_slice(b":dumpdir");
        }
        if holds {
            let member = self.file(&found.path, data, sparse)?;
            found.size = Some(member.size);
            found.compressed = member.is_shared();
            self.files.insert(found.path.clone(), member.clone());
            found.content = Some(member);
        }
        Ok(Step::Node(Box::new(found)))
    }

    /// Whether the content of a hard link of this size follows: what stands there is no header, and
    /// behind it there is one, or the end.
    fn is_content(&mut self, stored: u64) -> Result<bool, Failure> {
        let at = self.at;
        let is_shared = self.store.is_shared();
        let mut is_border = |place: Option<u64>| -> Result<bool, Failure> {
            self.at = place.unwrap_or(u64::MAX);
            let block = self.block().unwrap_or(None);
            self.at = at;
            Ok(block.is_some_and(|block| sum_holds(&block) || block.iter().all(|byte| *byte == 0)))
        };
        let behind = stored.checked_next_multiple_of(BLOCK as u64).and_then(|length| at.checked_add(length));
        if is_border(Some(at))? {
            return Ok(false);
        }
        // A compressed stream is not read back and forth.
        if is_shared { Ok(true) } else { is_border(behind) }
    }

    fn file(&self, path: &[u8], data: (u64, u64), sparse: Option<(Map, u64)>) -> Result<Arc<Member>, Failure> {
        let size = match &sparse {
            Some((map, real)) => {
                if let Err(why) = sparse::check(map, *real, data.1) {
                    return self.fail(path, why);
                }
                *real
            }
            None => data.1,
        };
        if size > self.most {
            return self.fail(path, bomb(self.most));
        }
        let map = sparse.map(|(map, _)| map);
        Ok(Arc::new(Member { store: self.store.clone(), path: path.into(), data, map, size }))
    }

    /// The runs in blocks behind the header.
    fn first_sparse(&mut self, mut map: Map, mut more: bool, path: &[u8]) -> Result<Map, Failure> {
        while more {
            let Some(block) = self.block()? else { return self.fail(path, "is cut off within its sparse map") };
            match runs(&block[..504]) {
                Ok(further) => map.extend(further),
                Err(why) => return self.fail(path, why),
            }
            more = block[504] != 0;
            if map.len() > sparse::RUNS {
                return self.fail(path, "has too long a sparse map");
            }
        }
        Ok(map)
    }

    /// The map in front of the data: a number of runs, then two numbers for each, a line each.
    fn inline_map(&mut self, data: &mut (u64, u64), path: &[u8]) -> Result<Map, Failure> {
        let mut lines = io::BufReader::with_capacity(BLOCK, self.store.range(data.0, data.1));
        let mut used = 0u64;
        let mut next = || -> Option<u64> {
            let mut line = Vec::new();
            let read = io::BufRead::read_until(&mut io::Read::take(&mut lines, 24), b'\n', &mut line).ok()?;
            used += read as u64;
            decimal(line.strip_suffix(b"\n")?)
        };
        let count = next().and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= sparse::RUNS);
        let map: Option<Map> = count.and_then(|count| (0..count).map(|_| Some((next()?, next()?))).collect());
        let Some(map) = map else { return self.fail(path, "has no sparse map where one must be, or too long a one") };
        let used = used.next_multiple_of(BLOCK as u64).min(data.1);
        *data = (data.0 + used, data.1 - used);
        Ok(map)
    }

    /// A further name of an earlier member.
    fn hard_link(&mut self, path: Vec<u8>, link: &[u8], times: Times) -> Result<Node, Failure> {
        let Some(target) = self.files.get(link).cloned() else {
            self.unlinked = Some(link.to_vec());
            return Err(failure(&path, "is a hard link to a name that is not a file in front of it in the tar"));
        };
        if matches!(self.store, Store::Packed(_)) {
            self.again += 1;
            if self.again > self.most_again {
                return Err(failure(
                    &path,
                    "is one of more than 64 hard links in a compressed tar: decompress it first",
                ));
            }
        }
        let mut found = node(path.clone(), Kind::File);
        (found.size, found.times, found.compressed) = (Some(target.size), times, target.is_shared());
        let again = Arc::new(Member { path: path.clone().into(), ..(*target).clone() });
        self.files.insert(path, again.clone());
        found.content = Some(again);
        Ok(found)
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            self.number += 1;
            if self.number > self.entries {
                self.ended = true;
                return Some(Err(failure(b"", format!("the tar has more than {} members", self.entries))));
            }
            let before = self.at;
            match self.step() {
                Ok(Step::Node(node)) => {
                    self.any = true;
                    return Some(Ok(*node));
                }
                Ok(Step::Further) => {}
                Ok(Step::End) => self.ended = true,
                Err(failure) => {
                    // A failure of the tar itself ends it; one of a member does not.
                    self.ended = failure.path.is_empty() || self.at == before;
                    return Some(Err(failure));
                }
            }
        }
        None
    }
}

#[derive(Clone)]
struct Member {
    store: Store,
    path: Arc<[u8]>,
    /// Where its stored bytes start, and how many they are.
    data: (u64, u64),
    map: Option<Map>,
    size: u64,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let stored = self.store.range(self.data.0, self.data.1);
        let stated = StatedSum { size: Some(self.size), crc: None };
        let path = self.path.clone();
        Ok(match &self.map {
            Some(map) => {
                Box::new(CheckedBytes::new(ExpandedFile::new(stored, map.clone(), self.size), path, stated, u64::MAX))
            }
            None => Box::new(CheckedBytes::new(stored, path, stated, u64::MAX)),
        })
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let Store::Plain(_) = self.store else { return Ok(None) };
        let stated = StatedSum { size: Some(self.data.1), crc: None };
        let stored = self.store.range(self.data.0, self.data.1);
        Ok(Some(Box::new(CheckedBytes::new(stored, self.path.clone(), stated, u64::MAX))))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let Store::Plain(_) = self.store else { return None };
        if self.map.is_some() {
            return None;
        }
        Some(vec![Run { file_offset: 0, medium_offset: Some(self.data.0), length: self.data.1 }])
    }

    fn is_shared(&self) -> bool {
        matches!(self.store, Store::Packed(_))
    }
}
