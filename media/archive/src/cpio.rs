//! cpio in all its forms, plain or in a compressed stream: files of its own, the first part of an
//! initramfs, and the payload of RPM packages.

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::cpio_header::{Form, Header};
use super::itemised::in_order;
use super::limits::Limits;
use super::member::{failure, node, wrong};
use super::store::Store;
use pfh_bytes::account::Claims;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, LONGEST_TARGET, Node, Nodes, Run, is_target};
use std::collections::{HashMap, VecDeque};
use std::io::{self, Read};
use std::sync::Arc;

/// The longest name.
const NAME: u64 = 1 << 16;
/// Hard links to members of a compressed archive: for each the stream may be read again.
const AGAIN: u64 = 1024;
const TRAILER: &[u8] = b"TRAILER!!!";

/// The members of an archive that begins at `start`.
pub fn plain(bytes: Arc<dyn Bytes>, start: u64, limits: &Limits) -> Nodes {
    let most = limits.most(bytes.size());
    Box::new(Members::new(Store::Plain(bytes), start, most, limits))
}

/// The claims of its headers and contents.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Claims {
    in_order(&**bytes, Members::new(Store::Plain(bytes.clone()), 0, u64::MAX, &Limits::default()), |members| members.at)
}

/// The members of an archive in a stream.
pub fn packed(store: Store, stored: u64, limits: &Limits) -> Nodes {
    Box::new(Members::new(store, 0, limits.most(stored), limits))
}

/// Device and inode.
type File = (u64, u64, u64);

/// A name whose content comes with another one.
struct HeldName {
    path: Vec<u8>,
    modified: u64,
}

struct Members {
    store: Store,
    at: u64,
    most: u64,
    entries: u64,
    number: u64,
    again: u64,
    /// Names of a file whose content was not there yet, by the file.
    held: HashMap<File, Vec<HeldName>>,
    /// Contents of files with several names.
    seen: HashMap<File, (u64, u64, Option<u32>)>,
    ready: VecDeque<Result<Node, Failure>>,
    is_ended: bool,
}

impl Members {
    fn new(store: Store, at: u64, most: u64, limits: &Limits) -> Members {
        let (held, seen, ready, entries) = (HashMap::new(), HashMap::new(), VecDeque::new(), limits.entries);
        Members { store, at, most, entries, number: 0, again: 0, held, seen, ready, is_ended: false }
    }

    fn fail<T>(&self, path: &[u8], cause: impl Into<String>) -> Result<T, Failure> {
        // The medium's offset is known only where nothing is compressed.
        let offset = (!self.store.is_shared()).then_some(self.at);
        Err(Failure { offset, ..failure(path, cause) })
    }

    /// The next bytes.
    fn take(&mut self, length: u64) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(usize::MAX).min(4096));
        match self.store.range(self.at, length).read_to_end(&mut bytes) {
            Ok(got) if (got as u64) < length => self.fail(b"", "the cpio ends without its trailer: it is cut off"),
            Ok(_) => {
                self.at += length;
                Ok(bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.fail(b"", "the cpio ends without its trailer: it is cut off")
            }
            Err(error) => self.fail(b"", error.to_string()),
        }
    }

    /// Puts the next member where it is taken.
    fn step(&mut self) -> Result<(), Failure> {
        let start = self.take(6)?;
        let form = match Form::of(&start) {
            Some(form) => form,
            None if start == b"07070X" => {
                return self.fail(b"", "an RPM payload whose names are in the package's header: not read");
            }
            None => {
                self.at -= 6;
                return self.fail(b"", "no header where one must be: nothing behind it is read");
            }
        };
        let raw = [start, self.take(form.length() - 6)?].concat();
        let Some(header) = Header::parse(form, &raw) else {
            return self.fail(b"", "a header with fields that are not numbers: nothing behind it is read");
        };
        if !(1..=NAME).contains(&header.name) {
            return self.fail(b"", format!("a name of {} bytes: nothing behind it is read", header.name));
        }
        let length = form.length() + header.name;
        let padded = length.next_multiple_of(form.unit()) - form.length();
        let mut path = self.take(padded)?;
        path.truncate(header.name as usize);
        let end = path.iter().position(|byte| *byte == 0).unwrap_or(path.len());
        path.truncate(end);
        if path == TRAILER && header.size == 0 {
            self.release();
            return self.end();
        }
        self.member(&header, path)
    }

    /// Behind the trailer: zeros, another archive, or nothing.
    fn end(&mut self) -> Result<(), Failure> {
        let mut buffer = vec![0; 32 << 10];
        loop {
            let got = match self.store.range(self.at, buffer.len() as u64).read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => got,
                // The stream ends here.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return self.fail(b"", format!("behind the trailer: {error}")),
            };
            let Some(first) = buffer[..got].iter().position(|byte| *byte != 0) else {
                self.at += got as u64;
                continue;
            };
            self.at += first as u64;
            let start = self.take(6)?;
            self.at -= 6;
            if Form::of(&start).is_some() {
                return Ok(());
            }
            return self.fail(b"", "something follows the end of the cpio: it is not read");
        }
        self.is_ended = true;
        Ok(())
    }

    fn member(&mut self, header: &Header, path: Vec<u8>) -> Result<(), Failure> {
        let start = self.at;
        let padded = header.size.checked_next_multiple_of(header.form.unit());
        let Some(end) = padded.and_then(|length| start.checked_add(length)) else {
            return self.fail(b"", "states a size that no cpio can have");
        };
        let kind = match header.mode >> 12 {
            1 => Kind::Special("FIFO"),
            2 => Kind::Special("character device"),
            4 => Kind::Directory,
            6 => Kind::Special("block device"),
            10 if header.size < LONGEST_TARGET as u64 => match self.take(header.size)? {
                target if is_target(&target) => Kind::Link(target),
                _ => Kind::File,
            },
            12 => Kind::Special("socket"),
            _ => Kind::File,
        };
        self.at = end;
        if header.size > 0 && !matches!(kind, Kind::File | Kind::Link(_)) {
            // Other programs give these bytes, too.
            let held = HeldName { path, modified: header.modified };
            let sum = (header.form == Form::Sum).then_some(header.sum as u32);
            self.names(vec![held], (start, header.size), sum, 0);
            return Ok(());
        }
        if kind != Kind::File {
            let mut found = node(path, kind);
            found.times.modified = Some(i128::from(header.modified) * 1_000_000_000);
            self.ready.push_back(Ok(found));
            return Ok(());
        }
        let is_linked = header.links > 1 && matches!(header.form, Form::New | Form::Sum);
        let held = HeldName { path, modified: header.modified };
        let seen = (header.links > 1 && header.size == 0).then(|| self.seen.get(&header.file).copied()).flatten();
        if let Some((start, size, sum)) = seen {
            // Some programs write the content with the first name.
            self.names(vec![held], (start, size), sum, 1);
            return Ok(());
        }
        if is_linked && header.size == 0 {
            self.held.entry(header.file).or_default().push(held);
            return Ok(());
        }
        let sum = (header.form == Form::Sum).then_some(header.sum as u32);
        let mut names = if is_linked { self.held.remove(&header.file).unwrap_or_default() } else { Vec::new() };
        if header.links > 1 {
            self.seen.insert(header.file, (start, header.size, sum));
        }
        names.push(held);
        self.names(names, (start, header.size), sum, 0);
        Ok(())
    }

    /// Gives the names of one content. The stream is read again for each of them, or for all but
    /// the first.
    fn names(&mut self, names: Vec<HeldName>, data: (u64, u64), sum: Option<u32>, again: u64) {
        for (index, held) in names.into_iter().enumerate() {
            self.again += if self.store.is_shared() { again.max((index > 0).into()) } else { 0 };
            self.ready.push_back(if self.again > AGAIN {
                Err(failure(&held.path, format!("one of more than {AGAIN} hard links in a compressed cpio")))
            } else if data.1 > self.most {
                Err(failure(&held.path, bomb(self.most)))
            } else {
                Ok(self.file(held, data, sum))
            });
        }
    }

    fn file(&self, held: HeldName, data: (u64, u64), sum: Option<u32>) -> Node {
        let mut found = node(held.path.clone(), Kind::File);
        found.times.modified = Some(i128::from(held.modified) * 1_000_000_000);
        (found.size, found.compressed) = (Some(data.1), self.store.is_shared());
        found.content = Some(Arc::new(Member { store: self.store.clone(), path: held.path.into(), data, sum }));
        found
    }

    /// Links whose content never came are empty files. Another archive may follow.
    fn release(&mut self) {
        self.seen.clear();
        let mut held: Vec<HeldName> = std::mem::take(&mut self.held).into_values().flatten().collect();
        held.sort_by(|one, other| one.path.cmp(&other.path));
        for held in held {
            let found = self.file(held, (self.at, 0), None);
            self.ready.push_back(Ok(found));
        }
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.is_ended {
            self.number += 1;
            if self.number > self.entries {
                self.is_ended = true;
                return Some(Err(failure(b"", format!("the cpio has more than {} members", self.entries))));
            }
            if let Err(failure) = self.step() {
                self.is_ended = true;
                self.release();
                self.ready.push_back(Err(failure));
            }
        }
        self.ready.pop_front()
    }
}

struct Member {
    store: Store,
    path: Arc<[u8]>,
    /// Where its bytes start, and how many they are.
    data: (u64, u64),
    sum: Option<u32>,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let stored = self.store.range(self.data.0, self.data.1);
        let stated = StatedSum { size: Some(self.data.1), crc: None };
        let checked = CheckedBytes::new(stored, self.path.clone(), stated, u64::MAX);
        Ok(match self.sum {
            Some(stated) => Box::new(SummedBytes { inner: checked, path: self.path.clone(), stated, sum: 0 }),
            None => Box::new(checked),
        })
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let Store::Plain(_) = self.store else { return None };
        Some(vec![Run { file_offset: 0, medium_offset: Some(self.data.0), length: self.data.1 }])
    }

    fn is_shared(&self) -> bool {
        self.store.is_shared()
    }
}

/// Bytes that must have a sum.
struct SummedBytes<R> {
    inner: R,
    path: Arc<[u8]>,
    stated: u32,
    sum: u32,
}

impl<R: Read> Read for SummedBytes<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.sum = buffer[..got].iter().fold(self.sum, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        if got == 0 && !buffer.is_empty() && self.sum != self.stated {
            let cause = format!("its bytes have the sum {:08x} and not {:08x} as it states", self.sum, self.stated);
            return Err(wrong(failure(&self.path, cause)));
        }
        Ok(got)
    }
}
