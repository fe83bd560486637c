//! LHA: members one behind the other, each with a header of its own and a CRC-16.

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::lha_dynamic::Dynamic;
use super::lha_header::{Header, crc16};
use super::lha_larc::Larc;
use super::lha_static::Static;
use super::limits::Limits;
use super::member::{failure, node, wrong};
use super::tape::Tape;
use pfh_bytes::account::{Claims, Holds};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use std::io::{self, Read};
use std::sync::Arc;

/// The members.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    Box::new(open_members(bytes, limits))
}

/// The claims of its headers, and of contents as they are stored.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Claims {
    let (mut claims, mut members) = (Claims::default(), open_members(bytes.clone(), &Limits::default()));
    loop {
        let before = members.at;
        // The same header, which says how many bytes it has itself.
        let header = Header::read(&**bytes, before).ok().flatten();
        match members.next() {
            None => {
                claims.add(before..(before + 1).min(members.at), Holds::Structure, b"end of the archive");
                return claims;
            }
            Some(found) => {
                let (start, name) = header.map_or((members.at, Vec::new()), |header| (header.data, header.path));
                claims.add(before..start.max(before), Holds::Structure, b"header");
                claims.add(start..members.at, Holds::Content, &name);
                found.err().into_iter().for_each(|fault| claims.fault(fault));
            }
        }
    }
}

fn open_members(bytes: Arc<dyn Bytes>, limits: &Limits) -> Members {
    Members { bytes, at: 0, limits: limits.clone(), number: 0, is_ended: false }
}

struct Members {
    bytes: Arc<dyn Bytes>,
    at: u64,
    limits: Limits,
    number: u64,
    is_ended: bool,
}

impl Members {
    fn fail<T>(&self, cause: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { offset: Some(self.at), ..failure(b"", cause) })
    }

    fn step(&mut self) -> Result<Option<Node>, Failure> {
        let at = self.at;
        let Some(header) = Header::read(&*self.bytes, at)? else {
            self.is_ended = true;
            return self.end();
        };
        let end = header.data.checked_add(header.stored).filter(|end| *end <= self.bytes.size());
        let Some(end) = end else {
            return self.fail("a member that leads out of the archive: it is cut off");
        };
        self.at = end;
        let mut path = header.path.clone();
        let is_link = header.mode.is_some_and(|mode| mode & 0xf000 == 0xa000);
        if header.method == *b"-lhd-" || is_link {
            let bar = path.iter().position(|byte| *byte == b'|').filter(|_| is_link);
            let kind = match bar {
                Some(bar) => {
                    let target = path.split_off(bar);
                    Kind::Link(target[1..].to_vec())
                }
                None => Kind::Directory,
            };
            while path.last() == Some(&b'/') {
                path.pop();
            }
            let mut found = node(path, kind);
            found.times = header.times;
            return if header.stored > 0 {
                let what = if found.kind == Kind::Directory { "directory" } else { "link" };
                let cause = format!("a {what} with bytes: not read");
                Err(Failure { offset: Some(at), ..failure(&found.path, cause) })
            } else {
                Ok(Some(found))
            };
        }
        let most = self.limits.most(header.stored);
        if header.size > most {
            return Err(failure(&path, bomb(most)));
        }
        let mut found = node(path, Kind::File);
        let method = Method::of(&header.method);
        (found.size, found.times, found.compressed) = (Some(header.size), header.times, method != Method::Stored);
        let path: Arc<[u8]> = found.path[..].into();
        found.content = Some(Arc::new(Member { bytes: self.bytes.clone(), path, method, header }));
        Ok(Some(found))
    }

    /// Behind the mark of the end there is nothing, or filling up to the end of a block.
    fn end(&mut self) -> Result<Option<Node>, Failure> {
        let mut rest = Tape::new(self.bytes.clone(), self.at, self.bytes.size());
        let mut buffer = [0; 4096];
        loop {
            let got = rest.read(&mut buffer).map_err(|error| failure(b"", error.to_string()))?;
            if got == 0 {
                return Ok(None);
            }
            // CP/M and its heirs fill up with 0x1a.
            if let Some(place) = buffer[..got].iter().position(|byte| !matches!(byte, 0 | 0x1a)) {
                self.at += place as u64;
                return self.fail("something follows the end of the archive: it is not read");
            }
            self.at += got as u64;
        }
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_ended {
            return None;
        }
        self.number += 1;
        if self.number > self.limits.entries {
            self.is_ended = true;
            return Some(Err(failure(b"", format!("the archive has more than {} members", self.limits.entries))));
        }
        let before = self.at;
        let found = self.step().transpose();
        // Without an end nothing behind it can be found.
        self.is_ended |= self.at == before || found.is_none();
        found
    }
}

/// How a member is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Stored,
    /// lh1: codes that change with each symbol.
    Dynamic,
    /// lh4 to lh7 and lhx: a window of 2^n bytes, and the bits of the number of its codes.
    Static(u32, u32),
    /// lzs and lz5, of the program LArc.
    Larc(bool),
    Unread([u8; 5]),
}

impl Method {
    fn of(raw: &[u8; 5]) -> Method {
        match raw {
            b"-lh0-" | b"-lz4-" | b"-pm0-" => Method::Stored,
            b"-lh1-" => Method::Dynamic,
            b"-lh4-" => Method::Static(12, 4),
            b"-lh5-" => Method::Static(13, 4),
            b"-lh6-" => Method::Static(15, 5),
            b"-lh7-" => Method::Static(16, 5),
            b"-lhx-" => Method::Static(20, 5),
            b"-lzs-" => Method::Larc(false),
            b"-lz5-" => Method::Larc(true),
            other => Method::Unread(*other),
        }
    }
}

struct Member {
    bytes: Arc<dyn Bytes>,
    path: Arc<[u8]>,
    method: Method,
    header: Header,
}

impl Member {
    fn tape(&self) -> Tape {
        Tape::new(self.bytes.clone(), self.header.data, self.header.data + self.header.stored)
    }
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let Header { data, stored, size, crc, .. } = self.header;
        let input = Tape::buffered(self.bytes.clone(), data, data + stored);
        let opened: Box<dyn Read + Send> = match self.method {
            Method::Stored => Box::new(self.tape()),
            // Their streams do not say where they end.
            Method::Dynamic => Box::new(Dynamic::new(input).take(size)),
            Method::Static(window, bits) => Box::new(Static::new(input, window, bits).take(size)),
            Method::Larc(is_five) => Box::new(Larc::new(input, is_five).take(size)),
            Method::Unread(method) => {
                let cause = format!("the method {} is not read", String::from_utf8_lossy(&method));
                return Err(failure(&self.path, cause));
            }
        };
        let stated = StatedSum { size: Some(size), crc: None };
        let inner = CheckedBytes::new(opened, self.path.clone(), stated, u64::MAX);
        Ok(Box::new(Crc16Reader { inner, path: self.path.clone(), stated: crc, sum: 0 }))
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(Box::new(self.tape())))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let is_plain = self.method == Method::Stored && self.header.stored == self.header.size;
        is_plain.then(|| vec![Run { file_offset: 0, medium_offset: Some(self.header.data), length: self.header.size }])
    }
}

/// Bytes that must have a CRC-16.
struct Crc16Reader<R> {
    inner: R,
    path: Arc<[u8]>,
    stated: Option<u16>,
    sum: u16,
}

impl<R: Read> Read for Crc16Reader<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.sum = crc16(self.sum, &buffer[..got]);
        match self.stated {
            Some(stated) if got == 0 && !buffer.is_empty() && stated != self.sum => {
                let cause = format!("its bytes have the CRC {:04x} and not {stated:04x} as it states", self.sum);
                Err(wrong(failure(&self.path, cause)))
            }
            _ => Ok(got),
        }
    }
}
