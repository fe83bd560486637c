//! Where the objects are: the tables and streams of cross-references, newest first (ISO 32000-1,
//! 7.5.4 and 7.5.8).

use super::cursor::Cursor;
use super::document::Document;
use super::filter::Chain;
use super::object::{Dictionary, Object, is_space, parse, skip_space};
use super::place::{Entry, Place};
use super::placed::{fault, placed};
use pfh_bytes::node::Failure;
use std::collections::HashSet;
use std::io::{self, Read};

/// The highest number of an object (ISO 32000-1, annex C).
pub const MOST: u64 = 8_388_607;
/// Bytes at the end in which the last table is named.
const END: u64 = 4096;

/// The content of the tables.
#[derive(Debug, Default)]
pub struct Table {
    /// The objects, sorted by number.
    pub entries: Vec<Entry>,
    /// The encryption that the trailers state.
    pub encryption: Option<Object>,
}

/// Whether the sections that a section names are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follow {
    Yes,
    No,
}

/// All entries in the order in which they come; `None` for one that is free.
struct Reading<'a> {
    document: &'a Document,
    found: Vec<(u32, Option<Place>)>,
    most: usize,
    encryption: Option<Object>,
    has_root: bool,
}

fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl Table {
    /// Reads the tables from the last one on.
    ///
    /// # Errors
    /// The contradiction, with its place.
    pub fn read(document: &Document) -> Result<Table, Failure> {
        let size = document.bytes.size();
        let from = size.saturating_sub(END);
        let start = last(document, from).map_err(|error| fault(from, error))?;
        // A document of that many bytes has fewer objects.
        let most = size.min(MOST) as usize + 1024;
        let (found, encryption) = (Vec::new(), None);
        let mut reading = Reading { document, found, most, encryption, has_root: false };
        let (mut seen, mut next) = (HashSet::new(), vec![(start, Follow::Yes)]);
        while let Some((offset, follow)) = next.pop() {
            if !seen.insert(offset) {
                return Err(fault(offset, wrong("tables that lead in a circle")));
            }
            reading.section(offset, follow, &mut next).map_err(|error| fault(offset, error))?;
        }
        if !reading.has_root {
            return Err(fault(start, wrong("a trailer without a root")));
        }
        // Of several entries the first counts: the sort is stable.
        let mut found = reading.found;
        found.sort_by_key(|(number, _)| *number);
        found.dedup_by_key(|(number, _)| *number);
        let entries = found.into_iter().filter_map(|(number, place)| Some(Entry { number, place: place? }));
        Ok(Table { entries: entries.collect(), encryption: reading.encryption })
    }
}

/// The offset that stands behind the last `startxref`.
fn last(document: &Document, from: u64) -> io::Result<u64> {
    let mut cursor = Cursor::new(document.bytes.clone());
    cursor.seek(from);
    let end = cursor.look(END as usize)?;
    let word = b"startxref";
    let Some(at) = end.windows(word.len()).rposition(|window| window == word) else {
        return Err(wrong("no 'startxref' near its end"));
    };
    cursor.seek(from + (at + word.len()) as u64);
    match parse(&mut cursor)? {
        Some(Object::Integer(offset)) => place(document, offset),
        _ => Err(wrong("no offset behind 'startxref'")),
    }
}

/// An offset as the document counts it.
fn place(document: &Document, offset: i64) -> io::Result<u64> {
    let offset = u64::try_from(offset).ok().and_then(|offset| offset.checked_add(document.base));
    let offset = offset.filter(|offset| *offset < document.bytes.size());
    offset.ok_or_else(|| wrong("an offset behind the end"))
}

impl Reading<'_> {
    /// Reads a table or a stream, and puts those that it names behind `next`.
    fn section(&mut self, offset: u64, follow: Follow, next: &mut Vec<(u64, Follow)>) -> io::Result<()> {
        let mut cursor = Cursor::new(self.document.bytes.clone());
        cursor.seek(offset);
        skip_space(&mut cursor)?;
        let trailer = if cursor.look(4)? == *b"xref" {
            cursor.skip(4);
            self.table(&mut cursor)?
        } else {
            self.stream(&mut cursor)?
        };
        self.has_root |= trailer.get("Root").is_some();
        if let Some(found) = trailer.get("Encrypt").filter(|found| **found != Object::Null) {
            self.encryption.get_or_insert_with(|| found.clone());
        }
        // The last is read next: the stream beside a table stands before older tables, and the
        // table names its objects as well.
        for (name, follow_on) in [("Prev", Follow::Yes), ("XRefStm", Follow::No)] {
            if let Some(offset) = trailer.integer(name).filter(|_| follow == Follow::Yes) {
                next.push((place(self.document, offset)?, follow_on));
            }
        }
        Ok(())
    }

    fn add(&mut self, number: u64, place: Option<Place>) -> io::Result<()> {
        if self.found.len() >= self.most || number > MOST {
            return Err(wrong("more objects than there can be"));
        }
        self.found.push((number as u32, place));
        Ok(())
    }

    fn table(&mut self, cursor: &mut Cursor) -> io::Result<Dictionary> {
        loop {
            let (first, count) = match parse(cursor)? {
                Some(Object::Integer(first)) => match parse(cursor)? {
                    Some(Object::Integer(count)) => (first, count),
                    _ => return Err(wrong("a table without its counts")),
                },
                Some(word) if word.is_word(b"trailer") => break,
                _ => return Err(wrong("a table without a trailer")),
            };
            let first = u64::try_from(first).map_err(|_| wrong("a table with a number below zero"))?;
            for number in 0..u64::try_from(count).unwrap_or(0) {
                let (Some(Object::Integer(offset)), Some(Object::Integer(_)), Some(Object::Word(kind))) =
                    (parse(cursor)?, parse(cursor)?, parse(cursor)?)
                else {
                    return Err(wrong("a table with a line that is none"));
                };
                // An entry in use at the start of the file stands for none.
                let place =
                    if kind == b"n" && offset > 0 { Some(Place::At(place(self.document, offset)?)) } else { None };
                self.add(first.saturating_add(number), place)?;
            }
        }
        match parse(cursor)? {
            Some(Object::Dictionary(trailer)) => Ok(trailer),
            _ => Err(wrong("a table without a trailer")),
        }
    }

    fn stream(&mut self, cursor: &mut Cursor) -> io::Result<Dictionary> {
        let found = placed(cursor)?;
        let Some((Object::Dictionary(dictionary), Some(start))) = found.map(|placed| (placed.object, placed.stream))
        else {
            return Err(wrong("no table of objects"));
        };
        if dictionary.name("Type") != Some(b"XRef") {
            return Err(wrong("a stream that is not a table of objects"));
        }
        let integers = |name: &str| match dictionary.get(name) {
            Some(Object::Array(objects)) => {
                let number = |object: &Object| object.integer().and_then(|number| u64::try_from(number).ok());
                objects.iter().map(number).collect::<Option<Vec<u64>>>()
            }
            _ => None,
        };
        let widths = integers("W").filter(|widths| widths.len() >= 3 && widths.iter().all(|width| *width <= 8));
        let widths = widths.ok_or_else(|| wrong("a table of objects without widths"))?;
        let size = dictionary.integer("Size").and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
        let ranges = integers("Index").unwrap_or_else(|| vec![0, size]);
        let line = widths.iter().sum::<u64>() as usize;
        if line == 0 {
            return Err(wrong("a table of objects without widths"));
        }
        let chain = Chain::of(&|object| self.document.resolve(object), &dictionary)?;
        let end = self.document.end_of(&dictionary, start)?;
        let most = (self.most as u64 + 1) * line as u64;
        let mut reader = io::BufReader::new(chain.open(&self.document.bytes, start..end, most));
        let mut raw = vec![0; line];
        for range in ranges.chunks_exact(2) {
            for number in 0..range[1] {
                if reader.read_exact(&mut raw).is_err() {
                    // There are fewer than the range states: those before count.
                    return Ok(dictionary);
                }
                let mut at = 0;
                let mut field = |width: u64| {
                    let bytes = &raw[at..at + width as usize];
                    at += width as usize;
                    bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte))
                };
                let kind = if widths[0] == 0 { 1 } else { field(widths[0]) };
                let second = field(widths[1]);
                let place = match kind {
                    1 if second > 0 => Some(Place::At(place(self.document, second.min(i64::MAX as u64) as i64)?)),
                    2 => u32::try_from(second).ok().map(Place::Within),
                    _ => None,
                };
                self.add(range[0].saturating_add(number), place)?;
            }
        }
        Ok(dictionary)
    }
}

/// Looks for the objects from the first byte to the last: each that has a number counts, and the
/// last one where several have the same number. Objects inside a stream do not count.
///
/// # Errors
/// The medium's.
pub fn scan(document: &Document) -> io::Result<Table> {
    let mut cursor = Cursor::new(document.bytes.clone());
    let mut found: Vec<(u32, u64)> = Vec::new();
    let most = (document.bytes.size().min(MOST) + 1024) as usize;
    let mut encryption = None;
    let mut is_start = true;
    while let Some(byte) = cursor.peek()? {
        let at = cursor.place();
        let is_word = is_start && (byte.is_ascii_digit() || byte == b't');
        is_start = is_space(byte) || byte == b'>' || byte == b'j';
        if is_word && byte == b't' && cursor.look(7)? == *b"trailer" {
            cursor.skip(7);
            if let Ok(Some(Object::Dictionary(trailer))) = parse(&mut cursor)
                && let Some(found) = trailer.get("Encrypt").filter(|found| **found != Object::Null)
            {
                encryption = Some(found.clone());
            }
            cursor.seek(at + 7);
            continue;
        }
        if !is_word || byte == b't' {
            cursor.skip(1);
            continue;
        }
        let read = match placed(&mut cursor) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => None,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            read => read?,
        };
        cursor.seek(at + 1);
        // The digits that follow belong to the same number.
        while cursor.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
            cursor.skip(1);
        }
        let Some(read) = read.filter(|_| found.len() < most) else { continue };
        found.push((read.number, at));
        cursor.seek(read.end);
        if let (Object::Dictionary(dictionary), Some(start)) = (&read.object, read.stream) {
            if dictionary.name("Type") == Some(b"XRef")
                && let Some(found) = dictionary.get("Encrypt").filter(|found| **found != Object::Null)
            {
                encryption = Some(found.clone());
            }
            match document.end_of(dictionary, start) {
                Ok(end) => cursor.seek(end),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
                Err(error) => return Err(error),
            }
            is_start = true;
        }
    }
    found.reverse();
    found.sort_by_key(|(number, _)| *number);
    found.dedup_by_key(|(number, _)| *number);
    let entries = found.into_iter().map(|(number, offset)| Entry { number, place: Place::At(offset) });
    Ok(Table { entries: entries.collect(), encryption })
}
