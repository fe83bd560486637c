//! Zip (PKWARE's APPNOTE 6.3). The central directory lists the members; each local header and each
//! CRC is compared with it.

use super::limits::Limits;
use super::member::{failure, flawed, from_filetime, node};
use super::salvage::Salvage;
use super::tape::Tape;
use super::zip_cipher::ENCRYPTED;
use super::zip_claims::{claims, hidden, is_own_header};
use super::zip_directory::{Place, Record, Records, u16_at, u32_at, u64_at};
use super::zip_method;
use pfh_bytes::account::residue;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Flaw, Kind, LONGEST_TARGET, Node, Nodes, Run, Times, is_target};
use pfh_container::sfx::FoundArchive;
use std::collections::VecDeque;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

const DESCRIPTOR: u16 = 8;
/// The extra field with sizes that do not fit into 32 bits.
const ZIP64: u16 = 1;

/// The zip among other bytes that ends in the last 64 KiB: its central directory is where the end
/// record says.
pub fn within(bytes: &dyn Bytes) -> Option<FoundArchive> {
    let place = Place::find(bytes, &[0]).ok().filter(|place| place.entries > 0)?;
    let mut mark = [0; 4];
    bytes.read_exact_at(place.start, &mut mark).ok()?;
    (mark == *b"PK\x01\x02").then_some(FoundArchive { format: "zip", offset: place.shift })
}

/// The members, in the order of the central directory. If that contradicts itself and salvage is
/// allowed, those of local headers come behind them.
pub fn open(bytes: Arc<dyn Bytes>, parts: &[u64], limits: &Limits) -> Result<Nodes, Failure> {
    let parts: Arc<[u64]> = parts.into();
    let place = match Place::find(&*bytes, &parts) {
        Ok(place) => place,
        Err(failed) if limits.salvage => {
            let found = Salvage::new(bytes, limits, Vec::new());
            return Ok(Box::new(std::iter::once(Err(failed)).chain(found)));
        }
        Err(failed) => return Err(failed),
    };
    let mut offsets: Vec<u64> = Vec::new();
    for record in place.records(&bytes, &parts) {
        // Faults of the directory are reported again, in their place.
        let Ok(record) = record else { break };
        if offsets.len() as u64 >= limits.entries {
            break;
        }
        offsets.push(record.offset.saturating_add(place.shift));
    }
    offsets.sort_unstable();
    let archive = Arc::new(Archive { bytes: bytes.clone(), limits: limits.clone(), place, offsets, parts });
    let parts = &archive.parts;
    let in_front = if is_own_header(&*bytes, place.shift) { 0 } else { place.shift };
    let around = [(in_front, "in front of"), (place.behind, "behind")].into_iter().filter(|(length, _)| *length > 0);
    let around = around
        .map(|(length, where_)| flawed(Flaw::Around, b"", format!("{length} bytes {where_} the zip are not its")));
    let known = limits.salvage.then(Vec::new);
    let records = place.records(&bytes, parts);
    let (number, is_wrong, salvage, hidden) = (0, false, None, None);
    let members = Members { records, archive, number, known, is_wrong, salvage, hidden };
    Ok(Box::new(around.collect::<Vec<_>>().into_iter().chain(members)))
}

struct Archive {
    bytes: Arc<dyn Bytes>,
    limits: Limits,
    place: Place,
    /// Where local headers start, sorted.
    offsets: Vec<u64>,
    /// Where the parts start.
    parts: Arc<[u64]>,
}

struct Members {
    records: Records,
    archive: Arc<Archive>,
    number: u64,
    /// Where the members lie whose headers say the same as the directory, if others are salvaged.
    known: Option<Vec<Range<u64>>>,
    /// Whether the directory contradicts itself or the headers.
    is_wrong: bool,
    /// Members that come behind those of the directory.
    salvage: Option<Salvage>,
    /// Ranges between the members that are of none, once the directory was read.
    hidden: Option<VecDeque<Result<Node, Failure>>>,
}

/// Ranges between members that are named each; of more only the number is.
const MOST_HIDDEN: usize = 256;

impl Members {
    /// Notes whether a member is where the directory says, for the salvage of others.
    fn note(&mut self, record: &Result<Record, Failure>) {
        let Some(known) = &mut self.known else { return };
        let Ok(record) = record else {
            self.is_wrong = true;
            return;
        };
        let start = record.offset.saturating_add(self.archive.place.shift);
        let member = Member { archive: self.archive.clone(), record: record.clone(), path: record.name[..].into() };
        match member.locate() {
            Ok(data) => known.push(start..data.saturating_add(record.stored)),
            Err(_) => self.is_wrong = true,
        }
    }

    /// Ranges between the members that are of none. Each may be salvaged as it is, and as the
    /// members whose headers are in it.
    fn between(&mut self) -> VecDeque<Result<Node, Failure>> {
        let Archive { bytes, place, parts, limits, .. } = &*self.archive;
        let Some(claims) = claims(bytes, place, place.records(bytes, parts)) else { return VecDeque::new() };
        let found = hidden(claims, bytes, place);
        self.is_wrong |= !found.is_empty();
        let others = found.len().saturating_sub(MOST_HIDDEN);
        let mut between = VecDeque::new();
        for (range, failed) in found.into_iter().take(MOST_HIDDEN) {
            between.push_back(Err(failed));
            between.extend(limits.salvage.then(|| Ok(residue(bytes, range))));
        }
        if others > 0 {
            between.push_back(flawed(Flaw::Residue, b"", format!("residue: {others} more ranges between members")));
        }
        between
    }

    /// The next member by its local header alone.
    fn salvaged(&mut self) -> Option<Result<Node, Failure>> {
        if let Some(next) = self.hidden.as_mut().and_then(VecDeque::pop_front) {
            return Some(next);
        }
        if let Some(known) = self.known.take().filter(|_| self.is_wrong) {
            self.salvage = Some(Salvage::new(self.archive.bytes.clone(), &self.archive.limits, known));
        }
        self.salvage.as_mut()?.next()
    }
}

impl Iterator for Members {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let limit = self.archive.limits.entries;
        if self.number > limit {
            return None;
        }
        let Some(record) = self.records.next() else {
            if self.hidden.is_none() {
                self.hidden = Some(self.between());
            }
            return self.salvaged();
        };
        self.note(&record);
        self.number += 1;
        if self.number > limit {
            return Some(Err(failure(b"", format!("the zip has more than {limit} members"))));
        }
        Some(record.and_then(|record| self.archive.clone().member(record)))
    }
}

impl Archive {
    fn member(self: Arc<Self>, record: Record) -> Result<Node, Failure> {
        let path = unicode_name(&record).unwrap_or_else(|| record.name.clone());
        let is_directory = record.mode() & 0xF000 == 0x4000 || path.ends_with(b"/");
        let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |at| at + 1);
        if is_directory && !holds_bytes(&record) {
            let mut directory = node(path[..end].to_vec(), Kind::Directory);
            directory.times = times(&record);
            return Ok(directory);
        }
        // One that says that it is a directory, and has bytes that other programs give.
        let path = if is_directory { path[..end].to_vec() } else { path };
        let is_link = record.mode() & 0xF000 == 0xA000;
        let mut member = node(path.clone(), Kind::File);
        (member.size, member.times, member.compressed) = (Some(record.size), times(&record), record.method != 0);
        let content = Member { archive: self, record, path: path.into() };
        if is_link {
            let mut target = Vec::new();
            let read = content.open()?.take(LONGEST_TARGET as u64).read_to_end(&mut target);
            read.map_err(|error| failure(&content.path, format!("the target of the link: {error}")))?;
            if is_target(&target) {
                (member.kind, member.size) = (Kind::Link(target), None);
                return Ok(member);
            }
        }
        member.content = Some(Arc::new(content));
        Ok(member)
    }
}

/// Whether an entry has bytes: a directory that was deflated has two, and an encrypted one a
/// header.
fn holds_bytes(record: &Record) -> bool {
    record.size > 0 || record.stored > if record.flags & ENCRYPTED != 0 { 14 } else { 2 }
}

struct Member {
    archive: Arc<Archive>,
    record: Record,
    path: Arc<[u8]>,
}

impl Member {
    fn fail<T>(&self, cause: impl Into<String>) -> Result<T, Failure> {
        Err(failure(&self.path, cause))
    }

    /// Its own header and the directory disagree.
    fn contradict<T>(&self, cause: impl Into<String>) -> Result<T, Failure> {
        flawed(Flaw::Contradiction, &self.path, cause)
    }

    /// Where its bytes start. The local header must agree with the central directory, and the bytes
    /// must end where the next member starts.
    fn locate(&self) -> Result<u64, Failure> {
        let Member { archive, record, .. } = self;
        let start = record.offset.saturating_add(archive.place.shift);
        let mut header = [0; 30];
        if let Err(error) = archive.bytes.read_exact_at(start, &mut header) {
            return self.fail(format!("its local header at offset {start} cannot be read: {error}"));
        }
        if !header.starts_with(b"PK\x03\x04") {
            return self.contradict(format!("there is no local header at offset {start}"));
        }
        let mut name = vec![0; usize::from(u16_at(&header, 26))];
        if archive.bytes.read_exact_at(start + 30, &mut name).is_err() || name != record.name {
            return self.contradict(format!("its local header at offset {start} has another name"));
        }
        if u16_at(&header, 8) != record.method || (u16_at(&header, 6) ^ record.flags) & ENCRYPTED != 0 {
            return self.contradict(format!("its local header at offset {start} states another method"));
        }
        let local_crc = u32_at(&header, 14);
        // Behind a cipher Info-ZIP writes the time there, which the password is checked by.
        let stands_behind = record.flags & DESCRIPTOR != 0 && (local_crc == 0 || record.flags & ENCRYPTED != 0);
        if local_crc != record.crc && !stands_behind {
            return self.contradict(format!("its local header at offset {start} states another CRC"));
        }
        let mut extra = vec![0; usize::from(u16_at(&header, 28))];
        if archive.bytes.read_exact_at(start + 30 + name.len() as u64, &mut extra).is_err() {
            return self.fail(format!("its local header at offset {start} leads out of the zip"));
        }
        if count(&extra, ZIP64) > 1 || count(&record.extra, ZIP64) > 1 {
            return self.contradict("it states its sizes in two fields of ZIP64");
        }
        let sizes = [(18, record.stored), (22, record.size)];
        let differs = |(at, size): (usize, u64)| {
            let local = u32_at(&header, at);
            local != u32::MAX && u64::from(local) != size && !(local == 0 && record.flags & DESCRIPTOR != 0)
        };
        if sizes.into_iter().any(differs) {
            return self.contradict(format!("its local header at offset {start} states another size"));
        }
        let data = start + 30 + name.len() as u64 + u64::from(u16_at(&header, 28));
        let after = archive.offsets.partition_point(|offset| *offset <= start);
        let same = after - archive.offsets.partition_point(|offset| *offset < start);
        let next = archive.offsets.get(after).copied().unwrap_or(archive.place.start).min(archive.place.start);
        match data.checked_add(record.stored) {
            Some(end) if end <= next && same == 1 => Ok(data),
            _ => self
                .contradict("its bytes are those of another member as well, or lead out of the zip: a bomb, or damage"),
        }
    }
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let data = self.locate()?;
        zip_method::open(&self.archive.bytes, &self.archive.limits, &self.record, data, &self.path)
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let data = self.locate()?;
        Ok(Some(Box::new(Tape::new(self.archive.bytes.clone(), data, data + self.record.stored))))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        if self.record.method != 0 || self.record.flags & ENCRYPTED != 0 || self.record.stored != self.record.size {
            return None;
        }
        let start = self.locate().ok()?;
        Some(vec![Run { file_offset: 0, medium_offset: Some(start), length: self.record.size }])
    }
}

/// How many extra fields have this tag.
fn count(extra: &[u8], tag: u16) -> usize {
    let (mut at, mut found) = (0, 0);
    while at + 4 <= extra.len() {
        found += usize::from(u16_at(extra, at) == tag);
        at += 4 + usize::from(u16_at(extra, at + 2));
    }
    found
}

/// The name in UTF-8 that Info-ZIP writes beside one in a code page, if it belongs to that.
fn unicode_name(record: &Record) -> Option<Vec<u8>> {
    let field = record.field(0x7075)?;
    let holds = field.len() > 5 && field[0] == 1 && u32_at(field, 1) == crc32fast::hash(&record.name);
    holds.then(|| field[5..].to_vec())
}

/// Times that have a zone: Unix's or NTFS's. The DOS time of a member has no known zone.
fn times(record: &Record) -> Times {
    let mut times = Times::default();
    if let Some(field) = record.field(0x5455)
        && field.len() >= 5
        && field[0] & 1 != 0
    {
        times.modified = Some(i128::from(u32_at(field, 1) as i32) * 1_000_000_000);
    }
    if let Some(field) = record.field(0x000A)
        && u16_at(field, 4) == 1
        && field.len() >= 32
    {
        let time = |at| Some(u64_at(field, at)).filter(|ticks| *ticks != 0).map(from_filetime);
        (times.modified, times.accessed, times.born) = (time(8), time(16), time(24));
    }
    times
}
