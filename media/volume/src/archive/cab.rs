//! Cabinets (Microsoft's [MS-CAB]): folders of one compressed stream each, files in them one after
//! the other.

use super::cab_block::{Blocks, Folder, Method};
use super::checked::{Checked, Stated, bomb};
use super::limits::Limits;
use super::member::{failure, node};
use super::track::Track;
use crate::bytes::Bytes;
use crate::field::{byte, le16, le32, read, read_some};
use crate::node::{Content, Failure, Kind, Node, Nodes};
use std::io::{self, Read};
use std::sync::Arc;

/// What a cabinet begins with.
pub const MAGIC: &[u8] = b"MSCF\0\0\0\0";
/// The longest name.
const NAME: usize = 256;

const HAS_PREVIOUS: u16 = 1;
const HAS_NEXT: u16 = 2;
const HAS_RESERVE: u16 = 4;

/// The members, in the order of the cabinet.
///
/// # Errors
/// When its header is not whole.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let header = Header::read(&*bytes)?;
    if u64::from(header.count) > limits.entries {
        return Err(failure(b"", format!("the cabinet has more than {} members", limits.entries)));
    }
    let most = limits.most(bytes.size());
    let mut folders = Vec::new();
    for index in 0..header.folders {
        let at = header.end + u64::from(index) * u64::from(header.folder);
        let raw = read(&*bytes, at, 8)?;
        let (start, blocks, method) = (u64::from(le32(&raw, 0)), le16(&raw, 4), Method::of(le16(&raw, 6)));
        let folder = Folder { start, blocks, method, reserved: header.block };
        let of = bytes.clone();
        let track = Track::new(move || match Blocks::open(of.clone(), folder) {
            Some(blocks) => Ok(Box::new(blocks)),
            None => Err(io::ErrorKind::Unsupported.into()),
        });
        folders.push(Stream { track, folder, end: 0 });
    }
    let mut around = Vec::new();
    let behind = bytes.size().saturating_sub(header.size);
    if header.size > bytes.size() {
        let cause = format!("the cabinet is cut off: {} of the {} bytes that it states", bytes.size(), header.size);
        around.push(Err(Failure { offset: Some(bytes.size()), ..failure(b"", cause) }));
    } else if behind > 0 && !header.is_signed(behind) && !is_filling(&*bytes, header.size) {
        let cause = format!("{behind} bytes behind the cabinet are not its");
        around.push(Err(Failure { offset: Some(header.size), ..failure(b"", cause) }));
    }
    let members = Members { bytes, at: header.files, left: header.count, header, folders, most, given: 0 };
    Ok(Box::new(around.into_iter().chain(members)))
}

/// Whether what follows is nothing but zeros, as far as the rest of a sector.
fn is_filling(bytes: &dyn Bytes, at: u64) -> bool {
    bytes.size() - at < 4096 && read_some(bytes, at, 4096).is_ok_and(|rest| rest.iter().all(|byte| *byte == 0))
}

struct Header {
    size: u64,
    /// Where the files are listed, and how many.
    files: u64,
    count: u16,
    folders: u16,
    /// Bytes of a folder's header, and of a block's that are the application's.
    folder: u16,
    block: u8,
    reserve: Vec<u8>,
    /// Names of the cabinets around it.
    previous: Vec<u8>,
    next: Vec<u8>,
    /// The offset behind it.
    end: u64,
}

impl Header {
    fn read(bytes: &dyn Bytes) -> Result<Header, Failure> {
        let raw = read(bytes, 0, 36)?;
        let fail = |at, cause: &str| Err(Failure { offset: Some(at), ..failure(b"", cause) });
        if byte(&raw, 25) != 1 {
            return fail(24, "a cabinet of a version that is not read");
        }
        let flags = le16(&raw, 30);
        let mut end = 36;
        let (mut folder, mut block, mut reserve) = (8, 0, Vec::new());
        if flags & HAS_RESERVE != 0 {
            let sizes = read(bytes, end, 4)?;
            reserve = read(bytes, end + 4, usize::from(le16(&sizes, 0)))?;
            (folder, block) = (8 + u16::from(sizes[2]), sizes[3]);
            end += 4 + reserve.len() as u64;
        }
        let mut around = [Vec::new(), Vec::new()];
        for (names, flag) in around.iter_mut().zip([HAS_PREVIOUS, HAS_NEXT]) {
            // The cabinet, and the disk that it is on.
            for is_cabinet in [true, false] {
                if flags & flag == 0 {
                    continue;
                }
                let Some(name) = text(bytes, end)? else { return fail(end, "a name that does not end") };
                end += name.len() as u64 + 1;
                if is_cabinet {
                    *names = name;
                }
            }
        }
        let [previous, next] = around;
        let (size, files) = (u64::from(le32(&raw, 8)), u64::from(le32(&raw, 16)));
        let (folders, count) = (le16(&raw, 26), le16(&raw, 28));
        Ok(Header { size, files, count, folders, folder, block, reserve, previous, next, end })
    }

    /// Whether what is behind it is its signature, as the application's part of the header says.
    fn is_signed(&self, behind: u64) -> bool {
        let places = 0..self.reserve.len().saturating_sub(7);
        places.into_iter().any(|at| {
            u64::from(le32(&self.reserve, at)) == self.size && u64::from(le32(&self.reserve, at + 4)) == behind
        })
    }
}

/// Bytes in front of a zero.
fn text(bytes: &dyn Bytes, at: u64) -> Result<Option<Vec<u8>>, Failure> {
    let mut name = read_some(bytes, at, NAME + 1)?;
    let end = name.iter().position(|byte| *byte == 0);
    Ok(end.map(|end| {
        name.truncate(end);
        name
    }))
}

struct Stream {
    track: Arc<Track>,
    folder: Folder,
    /// Where the last member ends.
    end: u64,
}

struct Members {
    bytes: Arc<dyn Bytes>,
    at: u64,
    left: u16,
    header: Header,
    folders: Vec<Stream>,
    most: u64,
    /// Bytes that come out for the members so far.
    given: u64,
}

impl Members {
    fn step(&mut self) -> Result<Node, Failure> {
        let place = self.at;
        let raw = read(&*self.bytes, place, 16)?;
        let name = text(&*self.bytes, place + 16)?;
        let name = name.ok_or_else(|| Failure { offset: Some(place), ..failure(b"", "a name that does not end") })?;
        self.at += 17 + name.len() as u64;
        let mut path = name;
        path.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        let fail = |cause: String| Err(Failure { offset: Some(place), ..failure(&path, cause) });
        let (size, start, number) = (u64::from(le32(&raw, 0)), u64::from(le32(&raw, 4)), le16(&raw, 8));
        let lossy = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        match number {
            0xfffd | 0xffff => {
                return fail(format!("begins in the cabinet {}: not read", lossy(&self.header.previous)));
            }
            0xfffe => return fail(format!("goes on in the cabinet {}: not read", lossy(&self.header.next))),
            _ => {}
        }
        let Some(stream) = self.folders.get_mut(usize::from(number)) else {
            return fail(format!("is in folder {number}, which there is not"));
        };
        // What lies before the last end is read from the start of the folder again.
        let cost = if start < stream.end { start + size } else { size };
        self.given = self.given.saturating_add(cost);
        if self.given > self.most {
            return fail(bomb(self.most));
        }
        if start + size > u64::from(stream.folder.blocks) << 15 {
            return fail(format!("ends at byte {} of a folder of {} blocks", start + size, stream.folder.blocks));
        }
        stream.end = stream.end.max(start + size);
        let mut found = node(path, Kind::File);
        (found.size, found.compressed) = (Some(size), stream.folder.method != Method::Stored);
        let (path, track, method) = (found.path[..].into(), stream.track.clone(), stream.folder.method);
        found.content = Some(Arc::new(Member { path, track, method, start, size }));
        Ok(found)
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let before = self.at;
        let found = self.step();
        if self.at == before {
            // No header: nothing behind it can be found.
            self.left = 0;
        }
        Some(found)
    }
}

struct Member {
    path: Arc<[u8]>,
    track: Arc<Track>,
    method: Method,
    start: u64,
    size: u64,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        match self.method {
            Method::Quantum => return Err(failure(&self.path, "the method Quantum is not read")),
            Method::Unknown(raw) => return Err(failure(&self.path, format!("the method {raw:#06x} is not read"))),
            Method::Stored | Method::MsZip | Method::Lzx(_) => {}
        }
        let stated = Stated { size: Some(self.size), crc: None };
        let range = self.track.range(self.start, self.size);
        Ok(Box::new(Checked::new(range, self.path.clone(), stated, u64::MAX)))
    }

    fn is_shared(&self) -> bool {
        true
    }
}
