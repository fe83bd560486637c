//! Cabinets (Microsoft's [MS-CAB]): folders of one compressed stream each, files in them one after
//! the other; alone or in sets, where the last folder of a cabinet may go on in the next one.

use super::cab_block::{Blocks, Folder, Method};
use super::cab_set::{Cabinet, joined};
use super::checked::{CheckedBytes, StatedSum, bomb};
use super::limits::Limits;
use super::member::{failure, node};
use super::track::Track;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Content, Failure, Flaw, Kind, Node, Nodes};
use std::collections::{BTreeSet, VecDeque};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

pub use super::cab_header::{MAGIC, OfSet, of_set};

/// The members of the cabinets that begin at `starts`, one behind the other, in their order.
///
/// # Errors
/// When the header of one is not whole.
pub fn open(bytes: Arc<dyn Bytes>, starts: &[u64], limits: &Limits) -> Result<Nodes, Failure> {
    let (mut cabinets, mut around, mut count) = (Vec::new(), Vec::new(), 0);
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(bytes.size());
        let own = Slice::new(bytes.clone(), *start, end.saturating_sub(*start));
        let own = own.ok_or_else(|| failure(b"", "a cabinet that begins behind the end"))?;
        let cabinet = Cabinet::read(Arc::new(own), *start)?;
        count += u64::from(cabinet.header.count);
        if count > limits.entries {
            return Err(failure(b"", format!("the cabinet has more than {} members", limits.entries)));
        }
        around.extend(behind(&cabinet).map(Err));
        cabinets.push(cabinet);
    }
    let (folders, faults) = joined(&mut cabinets)?;
    around.extend(faults.into_iter().map(Err));
    let ends = [cabinets.first().map(|first| &first.header.previous), cabinets.last().map(|last| &last.header.next)];
    around.extend(ends.into_iter().flatten().filter(|name| !name.is_empty()).map(|name| {
        let name = lossy(name);
        Err(failure(b"", format!("the cabinet {name} of the set is not beside this one: its files are not known")))
    }));
    let stream = |folder: Folder| {
        let of = folder.clone();
        let track = Track::new(move || match Blocks::open(of.clone()) {
            Some(blocks) => Ok(Box::new(blocks)),
            None => Err(io::ErrorKind::Unsupported.into()),
        });
        Stream { track, folder, end: 0, members: Vec::new() }
    };
    let folders = folders.into_iter().map(stream).collect();
    let most = limits.most(bytes.size());
    let is_whole = around.is_empty();
    let (went_on, goes_on, hidden) = Default::default();
    let mut members =
        Members { cabinets, cabinet: 0, at: 0, left: 0, folders, most, given: 0, went_on, goes_on, hidden, is_whole };
    members.begin();
    Ok(Box::new(around.into_iter().chain(members)))
}

/// The fault at the end of a cabinet, if there is one.
fn behind(cabinet: &Cabinet) -> Option<Failure> {
    let (bytes, header) = (&cabinet.bytes, &cabinet.header);
    let behind = bytes.size().saturating_sub(header.size);
    if header.size > bytes.size() {
        let cause = format!("the cabinet is cut off: {} of the {} bytes that it states", bytes.size(), header.size);
        return Some(Failure { offset: Some(cabinet.base + bytes.size()), ..failure(b"", cause) });
    }
    if behind > 0 && !header.is_signed(behind) && !is_filling(&**bytes, header.size) {
        let cause = format!("{behind} bytes behind the cabinet are not its");
        return Some(Failure { offset: Some(cabinet.base + header.size), ..failure(b"", cause) });
    }
    None
}

/// Whether only zeros follow, no more than the rest of a sector.
fn is_filling(bytes: &dyn Bytes, at: u64) -> bool {
    bytes.size() - at < 4096 && read_some(bytes, at, 4096).is_ok_and(|rest| rest.iter().all(|byte| *byte == 0))
}

struct Stream {
    track: Arc<Track>,
    folder: Folder,
    /// Where the last member ends.
    end: u64,
    /// Where members begin and end.
    members: Vec<(u64, u64)>,
}

impl Stream {
    /// The faults of bytes that no member has: between members, and whole blocks behind them. A
    /// folder without a part of it is one fault already.
    fn unclaimed(mut self) -> Vec<Failure> {
        if self.folder.lost.is_some() {
            return Vec::new();
        }
        self.members.sort_unstable();
        let (mut end, mut gaps) = (0, Vec::new());
        for (start, next) in self.members {
            gaps.extend((start > end).then_some(end..start));
            end = end.max(next);
        }
        // A block that lies in two cabinets counts twice.
        let blocks = self.folder.blocks().saturating_sub(self.folder.pieces.len().saturating_sub(1) as u64);
        let last = blocks.saturating_sub(1) << 15;
        gaps.extend((blocks > 0 && last >= end).then(|| end..last.max(end + 1)));
        let say = |gap: Range<u64>| {
            let cause = format!("residue: bytes from {} on in a folder, which no member has", gap.start);
            Failure { flaw: Flaw::Residue, ..failure(b"", cause) }
        };
        gaps.into_iter().map(say).collect()
    }
}

/// The name, size and place of a member, which identify it where several cabinets list it.
type MemberIdentity = (Vec<u8>, u64, u64);

struct Members {
    cabinets: Vec<Cabinet>,
    /// The cabinet at hand, the next file in it, and how many are left.
    cabinet: usize,
    at: u64,
    left: u16,
    folders: Vec<Stream>,
    most: u64,
    /// Bytes that come out for the members so far.
    given: u64,
    /// Members of the cabinet before that go on in this one, and of this one in the next.
    went_on: BTreeSet<MemberIdentity>,
    goes_on: BTreeSet<MemberIdentity>,
    /// The faults of bytes in folders that no member has, once all were listed.
    hidden: VecDeque<Failure>,
    /// Whether the cabinets are all there and have no fault: else members are missing anyway.
    is_whole: bool,
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

impl Members {
    /// Begins with the cabinet at hand.
    fn begin(&mut self) {
        if let Some(cabinet) = self.cabinets.get(self.cabinet) {
            (self.at, self.left) = (cabinet.header.files, cabinet.header.count);
        }
        self.went_on = std::mem::take(&mut self.goes_on);
    }

    /// The next member; `None` for one that the cabinet before lists.
    fn step(&mut self) -> Result<Option<Node>, Failure> {
        let (cabinet, place) = (&self.cabinets[self.cabinet], self.at);
        let file = cabinet.file(place)?;
        self.at = file.end;
        let fail = |cause: String| Err(Failure { offset: Some(cabinet.base + place), ..failure(&file.path, cause) });
        let (size, start) = (file.size, file.start);
        let known = (file.path.clone(), size, start);
        let before = || lossy(&cabinet.header.previous);
        if file.goes_on() && cabinet.has_next {
            self.goes_on.insert(known.clone());
        }
        if file.begins_before() {
            if self.went_on.remove(&known) {
                return Ok(None);
            }
            return fail(match cabinet.has_previous {
                true => format!("begins in the cabinet {}, which does not list it", before()),
                false => format!("begins in the cabinet {}, which is not beside this one", before()),
            });
        }
        if file.goes_on() && !cabinet.has_next {
            let next = lossy(&cabinet.header.next);
            return fail(format!("goes on in the cabinet {next}, which is not beside this one"));
        }
        let number = if file.goes_on() { cabinet.folders.len().saturating_sub(1) } else { file.folder.into() };
        let folder = cabinet.folders.get(number).and_then(|folder| self.folders.get_mut(*folder));
        let Some(stream) = folder else {
            return fail(format!("is in folder {number}, which there is not"));
        };
        stream.members.push((start, start + size));
        if let Some(lost) = &stream.folder.lost {
            let lost = lossy(lost);
            return fail(format!("is in a folder that begins in the cabinet {lost}, which is not beside this one"));
        }
        // Bytes before the last end are read from the start of the folder again.
        let cost = if start < stream.end { start + size } else { size };
        self.given = self.given.saturating_add(cost);
        if self.given > self.most {
            return fail(bomb(self.most));
        }
        let blocks = stream.folder.blocks();
        if start + size > blocks << 15 {
            return fail(format!("ends at byte {} of a folder of {blocks} blocks", start + size));
        }
        stream.end = stream.end.max(start + size);
        let mut found = node(file.path, Kind::File);
        (found.size, found.compressed) = (Some(size), stream.folder.method != Method::Stored);
        let (path, track, method) = (found.path[..].into(), stream.track.clone(), stream.folder.method);
        found.content = Some(Arc::new(Member { path, track, method, start, size }));
        Ok(Some(found))
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.left == 0 {
                if let Some((path, ..)) = self.went_on.pop_first() {
                    let cause = "is said to go on in the next cabinet, which does not list it";
                    return Some(Err(failure(&path, cause)));
                }
                self.cabinet += 1;
                if self.cabinet >= self.cabinets.len() {
                    let folders = self.folders.drain(..).filter(|_| self.is_whole);
                    self.hidden.extend(folders.flat_map(Stream::unclaimed));
                    return self.hidden.pop_front().map(Err);
                }
                self.begin();
                continue;
            }
            self.left -= 1;
            let before = self.at;
            let found = self.step().transpose();
            if self.at == before {
                // No header: nothing behind it can be found.
                self.left = 0;
            }
            if found.is_some() {
                return found;
            }
        }
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
        let stated = StatedSum { size: Some(self.size), crc: None };
        let range = self.track.range(self.start, self.size);
        Ok(Box::new(CheckedBytes::new(range, self.path.clone(), stated, u64::MAX)))
    }

    fn is_shared(&self) -> bool {
        true
    }
}
