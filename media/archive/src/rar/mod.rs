//! RAR, from version 1.5 on: files one behind the other, alone or in groups of one window, in one
//! volume or several.

mod bits;
mod check;
mod entry;
mod filter;
mod five;
mod lz20;
mod lz29;
mod lz50;
mod ppmd;
mod ppmd_coder;
mod ppmd_decode;
mod ppmd_store;
mod solid;
mod tables;
mod three;
mod vm;
mod window;

use super::checked::bomb;
use super::limits::Limits;
use super::member::{failure, node, wrong};
use super::program::{Anywhere, behind};
use super::track::Track;
use bits::Pieces;
use check::{Check, VerifiedBytes};
use entry::{Entry, EntryKind, Volume};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::read_some;
use pfh_bytes::node::{Content, Failure, Kind, Nodes, Run, is_target};
use solid::{Group, Method, Solid};
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

/// The longest target of a link.
const TARGET: u64 = 64 << 10;

/// Whether bytes begin as an archive does.
pub fn is_archive(start: &[u8]) -> bool {
    start.starts_with(three::MAGIC) || start.starts_with(five::MAGIC)
}

/// The members of the volumes that start at `parts`, one behind the other.
///
/// # Errors
/// When there is no archive.
pub fn open(bytes: Arc<dyn Bytes>, parts: &[u64], limits: &Limits, anywhere: Anywhere) -> Result<Nodes, Failure> {
    let mut all = Vec::new();
    let mut goes_on = false;
    for (number, start) in parts.iter().enumerate() {
        let end = parts.get(number + 1).copied().unwrap_or(bytes.size()).min(bytes.size());
        let start = start + if number == 0 { program(&bytes, anywhere) } else { 0 };
        let volume = volume(&*bytes, start, end, limits.entries)?;
        goes_on = volume.goes_on;
        join(&mut all, volume, start);
    }
    let is_cut = |found: &Result<Entry, Failure>| found.as_ref().is_ok_and(|entry| entry.goes_on);
    if goes_on || all.iter().any(is_cut) {
        for found in all.iter_mut().filter(|found| is_cut(found)) {
            if let Ok(entry) = found {
                *found = Err(said(entry, "goes on in the next volume, which is not beside this one"));
            }
        }
        let cause = "the next volume is not beside this one: its members are not known";
        all.push(Err(Failure { offset: Some(bytes.size()), ..failure(b"", cause) }));
    }
    Ok(nodes(all, bytes, limits))
}

/// Whether these bytes, or the archive behind a program, are one of several volumes.
pub fn is_volume(bytes: &Arc<dyn Bytes>, anywhere: Anywhere) -> bool {
    let (archive, _) = archive_behind(bytes, anywhere);
    let start = read_some(&*archive, 0, 64).unwrap_or_default();
    let is = if start.starts_with(five::MAGIC) { five::is_volume(&start) } else { three::is_volume(&start) };
    is == Some(true)
}

/// Bytes of a program in front of the archive.
fn program(bytes: &Arc<dyn Bytes>, anywhere: Anywhere) -> u64 {
    archive_behind(bytes, anywhere).1
}

/// The archive, which may stand behind something else, and where it begins.
fn archive_behind(bytes: &Arc<dyn Bytes>, anywhere: Anywhere) -> (Arc<dyn Bytes>, u64) {
    match is_archive(&read_some(&**bytes, 0, 64).unwrap_or_default()) {
        true => (bytes.clone(), 0),
        false => behind(&["RAR 4", "RAR 5"], bytes.clone(), anywhere),
    }
}

fn volume(bytes: &dyn Bytes, start: u64, end: u64, most: u64) -> Result<Volume, Failure> {
    let magic = read_some(bytes, start, five::MAGIC.len())?;
    if magic == five::MAGIC {
        Ok(Volume::read(bytes, start + five::MAGIC.len() as u64, end, most, five::block))
    } else if magic.starts_with(three::MAGIC) {
        Ok(Volume::read(bytes, start + three::MAGIC.len() as u64, end, most, three::block))
    } else {
        Err(Failure { offset: Some(start), ..failure(b"", "a volume that does not begin as RAR does") })
    }
}

fn said(entry: &Entry, cause: impl Into<String>) -> Failure {
    Failure { offset: Some(entry.at), ..failure(&entry.path, cause) }
}

/// Adds a volume: its first member may go on from the last one.
fn join(all: &mut Vec<Result<Entry, Failure>>, volume: Volume, start: u64) {
    for found in volume.entries {
        let entry = match found {
            Ok(entry) if entry.begins_before => entry,
            other => {
                all.push(other);
                continue;
            }
        };
        let last = all.iter_mut().rev().find_map(|found| found.as_mut().ok().filter(|last| last.goes_on));
        match last {
            Some(last) if last.path == entry.path && entry.at >= start => {
                last.packed.pieces.extend(entry.packed.pieces);
                // The checks of all but the last part are those of its packed bytes.
                (last.crc, last.blake, last.goes_on) = (entry.crc, entry.blake, entry.goes_on);
            }
            _ => all.push(Err(said(&entry, "begins in the volume before, which is not beside this one"))),
        }
    }
}

/// The members as nodes, with their contents.
fn nodes(all: Vec<Result<Entry, Failure>>, bytes: Arc<dyn Bytes>, limits: &Limits) -> Nodes {
    let groups = groups(&all);
    let most = limits.most(bytes.size());
    let mut tracks: HashMap<usize, Arc<Track>> = HashMap::new();
    let mut known: HashMap<Vec<u8>, Arc<Member>> = HashMap::new();
    let limits = limits.clone();
    let one = move |(found, place): (Result<Entry, Failure>, Option<Place>)| {
        let entry = found?;
        let what = entry.what.clone();
        if let EntryKind::Same(target) = &what {
            let same = known.get(target).ok_or_else(|| said(&entry, "another name of a member that there is not"))?;
            let mut found = node(entry.path.clone(), Kind::File);
            (found.size, found.times, found.compressed) = (same.size, entry.times, same.is_packed());
            found.content = Some(Arc::new(Member { path: found.path[..].into(), ..Member::clone(same) }));
            return Ok(found);
        }
        if let EntryKind::Directory | EntryKind::Link(_) = what {
            let kind = if let EntryKind::Link(target) = what { Kind::Link(target) } else { Kind::Directory };
            let mut found = node(entry.path, kind);
            found.times = entry.times;
            return Ok(found);
        }
        if entry.packed.size.is_some_and(|size| size > most) {
            return Err(said(&entry, bomb(most)));
        }
        let source = match place {
            Some(Place { group, .. }) if group.len() == 1 => Ok(Source::Alone(group)),
            Some(Place { group, number, start }) => {
                let (bytes, packed, limits) = (bytes.clone(), group, limits.clone());
                let track = tracks.entry(number).or_insert_with(|| {
                    Track::new(move || {
                        let opened = Solid::open(bytes.clone(), packed.clone(), &limits);
                        Ok(Box::new(opened.map_err(|cause| wrong(failure(b"", cause)))?))
                    })
                });
                Ok(Source::Shared(track.clone(), start))
            }
            None => source(&entry),
        };
        let member = Arc::new(Member {
            path: entry.path[..].into(),
            at: entry.packed.pieces.first().map_or(entry.at, |(start, _)| *start),
            source: source.map_err(|cause| said(&entry, cause)),
            pieces: entry.packed.pieces.clone().into(),
            bytes: bytes.clone(),
            size: entry.packed.size,
            limits: limits.clone(),
            most,
            check: Check { crc: entry.crc, blake: entry.blake },
        });
        let kind = if what == EntryKind::Stream { Kind::Stream } else { Kind::File };
        let mut found = node(entry.path, kind);
        (found.size, found.times, found.compressed) = (member.size, entry.times, member.is_packed());
        if what == EntryKind::LinkWithin {
            let mut target = Vec::new();
            let read = member.open()?.take(TARGET).read_to_end(&mut target);
            read.map_err(|error| Failure {
                offset: Some(entry.at),
                ..failure(&found.path, format!("the target of the link: {error}"))
            })?;
            if is_target(&target) {
                (found.kind, found.size, found.compressed) = (Kind::Link(target), None, false);
                return Ok(found);
            }
        }
        known.insert(found.path.clone(), member.clone());
        found.content = Some(member);
        Ok(found)
    };
    Box::new(all.into_iter().zip(groups).map(one))
}

/// The bytes of a member that is in no group.
fn source(entry: &Entry) -> Result<Source, String> {
    if entry.is_encrypted {
        return Err("is encrypted".into());
    }
    match entry.packed.method {
        Method::Stored => Ok(Source::Stored),
        Method::Unread(number) => Err(format!("the method {number:#06x} is not read")),
        _ => Err("goes on from a member that is not there, or cannot be read".into()),
    }
}

/// A group, its number, and where a member's bytes begin in it.
struct Place {
    group: Group,
    number: usize,
    start: u64,
}

/// Which group each member is in, if any.
fn groups(all: &[Result<Entry, Failure>]) -> Vec<Option<Place>> {
    let mut groups: Vec<Vec<solid::PackedMember>> = Vec::new();
    let mut places: Vec<Option<(usize, u64)>> = Vec::new();
    // The end of the last group; `None` when nothing can go on from it.
    let mut end: Option<u64> = None;
    for found in all {
        let Ok(entry) = found else {
            end = None;
            places.push(None);
            continue;
        };
        let is_packed = !matches!(entry.packed.method, Method::Stored)
            && matches!(entry.what, EntryKind::File | EntryKind::LinkWithin | EntryKind::Stream);
        if !is_packed {
            places.push(None);
            continue;
        }
        let is_readable = !entry.is_encrypted && !matches!(entry.packed.method, Method::Unread(_));
        if entry.what == EntryKind::Stream {
            // It has a window of its own, and leaves that of the files unchanged.
            let place = is_readable.then_some((usize::MAX, 0));
            places.push(place);
            continue;
        }
        let start = if entry.is_solid { end } else { Some(0) };
        let (Some(start), true) = (start, is_readable) else {
            end = None;
            places.push(None);
            continue;
        };
        if !entry.is_solid {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(entry.packed.clone());
        }
        places.push(Some((groups.len() - 1, start)));
        end = entry.packed.size.and_then(|size| start.checked_add(size));
    }
    let groups: Vec<Group> = groups.into_iter().map(Group::from).collect();
    let placed = places.into_iter().zip(all).enumerate().map(|(index, (place, found))| match place? {
        (usize::MAX, start) => {
            let group = Group::from(vec![found.as_ref().ok()?.packed.clone()]);
            Some(Place { group, number: groups.len() + index, start })
        }
        (number, start) => Some(Place { group: groups.get(number)?.clone(), number, start }),
    });
    placed.collect()
}

#[derive(Clone)]
enum Source {
    Stored,
    /// In a group of its own.
    Alone(Group),
    /// In a group with others, from there on.
    Shared(Arc<Track>, u64),
}

#[derive(Clone)]
struct Member {
    path: Arc<[u8]>,
    /// Where its packed bytes are.
    at: u64,
    source: Result<Source, Failure>,
    pieces: Arc<[(u64, u64)]>,
    bytes: Arc<dyn Bytes>,
    size: Option<u64>,
    limits: Limits,
    most: u64,
    check: Check,
}

impl Member {
    fn is_packed(&self) -> bool {
        !matches!(self.source, Ok(Source::Stored))
    }
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let named = |failed: &Failure| Failure { path: self.path.to_vec(), ..failed.clone() };
        let opened: Box<dyn Read + Send> = match self.source.as_ref().map_err(named)? {
            Source::Stored => Box::new(Pieces::new(self.bytes.clone(), &self.pieces)),
            Source::Alone(group) => {
                let opened = Solid::open(self.bytes.clone(), group.clone(), &self.limits);
                Box::new(opened.map_err(|failed| Failure { offset: Some(self.at), ..failure(&self.path, failed) })?)
            }
            Source::Shared(track, start) => Box::new(track.range(*start, self.size.unwrap_or(u64::MAX - *start))),
        };
        Ok(Box::new(VerifiedBytes::new(opened, self.path.clone(), self.at, self.size, self.check, self.most)))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let Ok(Source::Stored) = self.source else { return None };
        let mut runs = Vec::new();
        let mut file_offset = 0;
        for (start, end) in &*self.pieces {
            runs.push(Run { file_offset, medium_offset: Some(*start), length: end - start });
            file_offset += end - start;
        }
        (Some(file_offset) == self.size).then_some(runs)
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        Ok(Some(Box::new(Pieces::new(self.bytes.clone(), &self.pieces))))
    }

    fn is_shared(&self) -> bool {
        matches!(self.source, Ok(Source::Shared(..)))
    }
}
