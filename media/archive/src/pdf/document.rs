//! The objects of a document by their numbers.

use super::cursor::Cursor;
use super::filter;
use super::object::{Dictionary, Object, parse};
use super::place::{Entry, Place};
use super::placed::{PlacedObject, placed};
use crate::limits::Limits;
use pfh_bytes::bytes::Bytes;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of one stream of objects, unpacked.
const OBJECTS: u64 = 64 << 20;
/// References that are followed from one to the next.
const STEPS: u32 = 8;

/// A document whose objects can be found.
pub struct Document {
    /// All of it.
    pub bytes: Arc<dyn Bytes>,
    /// Limits on its output.
    pub limits: Limits,
    /// Where its header stands: offsets count from there.
    pub base: u64,
    /// Where objects are, sorted by their numbers.
    pub entries: Vec<Entry>,
    /// Where those objects begin that are not in streams of objects, sorted.
    pub offsets: Vec<u64>,
    /// Bytes that may still be unpacked to find objects.
    left: AtomicU64,
    /// The stream of objects that was unpacked last, by its number.
    unpacked: Mutex<Option<(u32, Arc<ObjectStream>)>>,
}

/// A stream of objects, unpacked.
pub struct ObjectStream {
    bytes: Arc<dyn Bytes>,
    /// Numbers of objects, and where each begins.
    pub places: Vec<(u32, u64)>,
}

impl ObjectStream {
    /// The object at this index.
    ///
    /// # Errors
    /// `InvalidData` where there is none.
    pub fn object(&self, index: usize) -> io::Result<Object> {
        let missing = || io::Error::new(io::ErrorKind::InvalidData, "an object that its stream does not hold");
        let (_, at) = self.places.get(index).ok_or_else(missing)?;
        let mut cursor = Cursor::new(self.bytes.clone());
        cursor.seek(*at);
        parse(&mut cursor)?.ok_or_else(missing)
    }
}

impl Document {
    /// A document whose objects are not known yet.
    pub fn new(bytes: Arc<dyn Bytes>, limits: &Limits, base: u64) -> Document {
        // Far more than programs write for any size.
        let left = AtomicU64::new(bytes.size().saturating_mul(64).saturating_add(256 << 20));
        let (entries, offsets, unpacked) = (Vec::new(), Vec::new(), Mutex::default());
        Document { bytes, limits: limits.clone(), base, entries, offsets, left, unpacked }
    }

    /// Takes the places of all objects.
    pub fn fill(&mut self, entries: Vec<Entry>) {
        self.offsets = entries.iter().filter_map(|entry| entry.place.offset()).collect();
        self.offsets.sort_unstable();
        self.entries = entries;
    }

    /// Where the object of this number is.
    pub fn place(&self, number: u32) -> Option<Place> {
        let found = self.entries.binary_search_by_key(&number, |entry| entry.number).ok()?;
        Some(self.entries[found].place)
    }

    /// The object behind a reference; `Null` if there is none.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn resolve(&self, object: &Object) -> io::Result<Object> {
        let mut found = object.clone();
        for _ in 0..STEPS {
            let Object::Reference(number) = found else { return Ok(found) };
            found = match self.place(number) {
                None => Object::Null,
                Some(Place::At(offset)) => {
                    let mut cursor = Cursor::new(self.bytes.clone());
                    cursor.seek(offset);
                    placed(&mut cursor)?.filter(|placed| placed.number == number).map_or(Object::Null, |it| it.object)
                }
                Some(Place::Within(stream)) => {
                    let within = self.within(stream)?;
                    let index = within.places.iter().position(|(found, _)| *found == number);
                    index.map_or(Ok(Object::Null), |index| within.object(index))?
                }
            };
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "references that lead to references"))
    }

    /// The objects in the stream of this number.
    ///
    /// # Errors
    /// When it cannot be unpacked.
    pub fn within(&self, number: u32) -> io::Result<Arc<ObjectStream>> {
        let mut held = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, within)) = held.as_ref().filter(|(found, _)| *found == number) {
            return Ok(within.clone());
        }
        let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let Some(Place::At(offset)) = self.place(number) else { return Err(wrong("a stream of objects is missing")) };
        let mut cursor = Cursor::new(self.bytes.clone());
        cursor.seek(offset);
        let found = placed(&mut cursor)?.filter(|placed| placed.number == number);
        let Some(PlacedObject { object: Object::Dictionary(dictionary), stream: Some(start), .. }) = found else {
            return Err(wrong("a stream of objects is missing"));
        };
        let bytes: Arc<dyn Bytes> = Arc::new(self.unpack(&dictionary, start, OBJECTS)?);
        let count = dictionary.integer("N").unwrap_or(0);
        let first = dictionary.integer("First").and_then(|first| u64::try_from(first).ok()).unwrap_or(0);
        let mut cursor = Cursor::new(bytes.clone());
        let mut places = Vec::new();
        for _ in 0..count {
            let (Some(Object::Integer(number)), Some(Object::Integer(at))) = (parse(&mut cursor)?, parse(&mut cursor)?)
            else {
                break;
            };
            let (Ok(number), Ok(at)) = (u32::try_from(number), u64::try_from(at)) else { break };
            places.push((number, first.saturating_add(at)));
        }
        let within = Arc::new(ObjectStream { bytes, places });
        *held = Some((number, within.clone()));
        Ok(within)
    }

    /// All bytes of a stream with the structure of the document, decoded.
    ///
    /// # Errors
    /// When there are more than `most`, or they cannot be decoded.
    pub fn unpack(&self, dictionary: &Dictionary, start: u64, most: u64) -> io::Result<Vec<u8>> {
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let most = most.min(self.left.load(Ordering::Relaxed));
        let chain = filter::Chain::of(&|object| self.resolve(object), dictionary)?;
        if let Some(opaque) = chain.opaque() {
            return Err(wrong(format!("objects behind the filter {opaque}")));
        }
        let end = self.end_of(dictionary, start)?;
        let reader = chain.open(&self.bytes, start..end, most.saturating_add(1));
        let mut all = Vec::new();
        let read = reader.take(most.saturating_add(1)).read_to_end(&mut all);
        self.left.fetch_sub((all.len() as u64).min(self.left.load(Ordering::Relaxed)), Ordering::Relaxed);
        if all.len() as u64 > most {
            return Err(wrong(format!("a stream of structure of more than {most} bytes")));
        }
        // The bytes in front of a fault are used: their objects are compared with the table.
        match read {
            Err(error) if all.is_empty() => Err(error),
            _ => Ok(all),
        }
    }

    /// Where the stream ends that starts at `start`: behind its length if `endstream` follows
    /// there, otherwise where that word stands, as readers of documents do.
    ///
    /// # Errors
    /// The medium's, and `InvalidData` if there is no end before the next object.
    pub fn end_of(&self, dictionary: &Dictionary, start: u64) -> io::Result<u64> {
        let length = dictionary.get("Length").map(|length| self.resolve(length)).transpose();
        let length = length.unwrap_or(None).and_then(|length| length.integer());
        let end = length.and_then(|length| start.checked_add(u64::try_from(length).ok()?));
        if let Some(end) = end.filter(|end| *end <= self.bytes.size()) {
            let mut cursor = Cursor::new(self.bytes.clone());
            cursor.seek(end);
            let found = cursor.look(12)?;
            let blank = found.iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ' | 0)).count();
            if found[blank..].starts_with(b"endstream") || found[blank..].starts_with(b"endobj") {
                return Ok(end);
            }
        }
        let after = self.offsets.partition_point(|offset| *offset < start);
        let most = self.offsets.get(after).copied().unwrap_or_else(|| self.bytes.size());
        let found = find(&self.bytes, b"endstream", start..most)?.or(find(&self.bytes, b"endobj", start..most)?);
        let Some(found) = found else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a stream without its end"));
        };
        let mut cursor = Cursor::new(self.bytes.clone());
        cursor.seek(found.saturating_sub(2).max(start));
        let line = match &cursor.look((found - cursor.place()) as usize)?[..] {
            [b'\r', b'\n'] => 2,
            [.., b'\n' | b'\r'] => 1,
            _ => 0,
        };
        Ok(found - line)
    }
}

/// Where a word stands first in a range.
///
/// # Errors
/// The medium's.
pub fn find(bytes: &Arc<dyn Bytes>, word: &[u8], range: std::ops::Range<u64>) -> io::Result<Option<u64>> {
    let mut cursor = Cursor::new(bytes.clone());
    cursor.seek(range.start);
    let first = word.first().copied().unwrap_or_default();
    loop {
        let at = cursor.place();
        let rest = cursor.rest()?;
        if at >= range.end || rest.is_empty() {
            return Ok(None);
        }
        let length = rest.len() as u64;
        match rest.iter().position(|byte| *byte == first) {
            None => cursor.skip(length),
            Some(place) => {
                cursor.seek(at + place as u64);
                if cursor.rest()?.starts_with(word) || cursor.look(word.len())? == word {
                    return Ok(Some(at + place as u64).filter(|place| *place < range.end));
                }
                cursor.skip(1);
            }
        }
    }
}
