//! A map: for each range of the disk its place in a stream.

use super::set::Set;
use super::statements::SCHEMA;
use super::stream::Stream;
use crate::disk::Failure;
use crate::field::{le32, le64};

/// Bytes of an entry: where on the disk, how long, where in the target, which target.
const ENTRY: usize = 28;
/// The longest map: two million ranges.
const LONGEST: u64 = 64 << 20;
/// The words of unknown data begin again at each multiple of this.
const TILE: u64 = 1 << 20;

/// Where the bytes of a range come from.
enum Target {
    Stream(Stream),
    /// One byte, again and again.
    Byte(u8),
    /// Words that stand for unknown data.
    Words(&'static [u8]),
}

/// A range of the disk.
#[derive(Clone, Copy)]
struct Range {
    start: u64,
    length: u64,
    at: u64,
    target: usize,
}

/// A map, open.
pub struct Map {
    name: String,
    size: u64,
    ranges: Vec<Range>,
    targets: Vec<Target>,
    /// The gaps between the ranges, among the targets.
    gap: usize,
}

impl Map {
    /// Opens the map of this name and its streams.
    pub fn open(set: &Set<'_>, name: &str) -> Result<Map, Failure> {
        let (zip, statements) = (&set.first.zip, &set.first.statements);
        let part = |part: &str| {
            let full = format!("{name}/{part}");
            let member =
                zip.member(&full).ok_or_else(|| Failure::malformed(format!("the member {full} is missing")))?;
            zip.read(&member, LONGEST)
        };
        let (entries, index) = (part("map")?, part("idx")?);
        let mut targets = Vec::new();
        for line in String::from_utf8_lossy(&index).lines().map(str::trim).filter(|line| !line.is_empty()) {
            targets.push(target(set, line)?);
        }
        let mut ranges = Vec::with_capacity(entries.len() / ENTRY);
        for entry in entries.chunks(ENTRY) {
            let range = Range {
                start: le64(entry, 0),
                length: le64(entry, 8),
                at: le64(entry, 16),
                target: le32(entry, 24) as usize,
            };
            let is_whole = entry.len() == ENTRY && range.target < targets.len();
            let ends = range.start.checked_add(range.length).is_some() && range.at.checked_add(range.length).is_some();
            if !is_whole || !ends {
                return Err(Failure::malformed(format!("the map {name} has an entry that leads nowhere")));
            }
            if let Target::Stream(stream) = &targets[range.target]
                && range.at + range.length > stream.size()
            {
                return Err(Failure::malformed(format!("the map {name} leads out of the stream {}", stream.name)));
            }
            if range.length > 0 {
                ranges.push(range);
            }
        }
        ranges.sort_by_key(|range| range.start);
        if ranges.windows(2).any(|pair| pair[0].start + pair[0].length > pair[1].start) {
            return Err(Failure::malformed(format!("the map {name} has two ranges of the same bytes")));
        }
        let end = ranges.last().map_or(0, |range| range.start + range.length);
        let size = statements.number(name, "size").unwrap_or(end);
        if end > size {
            return Err(Failure::malformed(format!("the map {name} leads to byte {end} of {size}")));
        }
        let gap = statements.one(name, "mapGapDefaultStream").unwrap_or_else(|| format!("{SCHEMA}Zero"));
        targets.push(target(set, &gap)?);
        let gap = targets.len() - 1;
        Ok(Map { name: name.to_owned(), size, ranges, targets, gap })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of the disk.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The streams of this volume that it refers to.
    pub fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.targets.iter().filter_map(|target| match target {
            Target::Stream(stream) => Some(stream),
            Target::Byte(_) | Target::Words(_) => None,
        })
    }

    /// The replacement of data that was not read.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (at, target) in self.targets.iter().enumerate() {
            let Target::Words(words) = target else { continue };
            let listed = self.ranges.iter().filter(|range| range.target == at);
            let mut bytes: u64 = listed.map(|range| range.length).sum();
            if at == self.gap {
                bytes += self.size - self.ranges.iter().map(|range| range.length).sum::<u64>();
            }
            if bytes > 0 {
                let words = String::from_utf8_lossy(words);
                notes.push(format!("{bytes} bytes were not read when it was acquired; they read {words:?}, repeated"));
            }
        }
        notes
    }

    /// Reads of one range; how many bytes.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Failure> {
        let after = self.ranges.partition_point(|range| range.start <= offset);
        let here = after.checked_sub(1).map(|at| self.ranges[at]);
        let here = here.filter(|range| offset - range.start < range.length);
        let next = self.ranges.get(after).map_or(self.size, |range| range.start);
        let (target, at, end) = match here {
            Some(range) => (range.target, range.at + (offset - range.start), range.start + range.length),
            None => (self.gap, offset, next),
        };
        let take = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..take];
        match &self.targets[target] {
            Target::Stream(stream) => return stream.serve(at, buffer),
            Target::Byte(byte) => buffer.fill(*byte),
            Target::Words(words) => {
                for (place, byte) in buffer.iter_mut().enumerate() {
                    let inside = (at.wrapping_add(place as u64) % TILE) as usize;
                    *byte = words[inside % words.len()];
                }
            }
        }
        Ok(take)
    }
}

/// A target by its name.
fn target(set: &Set<'_>, name: &str) -> Result<Target, Failure> {
    let Some(word) = name.strip_prefix(SCHEMA) else {
        return Stream::open(set, name).map(Target::Stream);
    };
    let byte = word.strip_prefix("SymbolicStream").filter(|hex| hex.len() == 2);
    match (word, byte.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
        ("Zero", _) => Ok(Target::Byte(0)),
        ("UnknownData", _) => Ok(Target::Words(b"UNKNOWN")),
        ("UnreadableData", _) => Ok(Target::Words(b"UNREADABLEDATA")),
        (_, Some(byte)) => Ok(Target::Byte(byte)),
        _ => Err(Failure::refused(format!("a map to {name}, which is not known"))),
    }
}
