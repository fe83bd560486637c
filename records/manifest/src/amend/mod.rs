//! A list that is brought up to date: its records are kept, replaced, taken out and added one by
//! one. Comments, the head, the order of the records and their layout stay as they are.

mod error;
mod lines;

pub use error::Unamendable;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use pfh_digest::{Algorithm, Registry};
use pfh_engine::{HashedFile, Outcome, Record, Summary};
use pfh_source::ReadResult;

use crate::count::Count;
use crate::decode::Decoder;
use crate::encode::{Encode, FormatFit, Preamble, Unrepresentable};
use crate::entry::{Entry, Item, Options, Reason};
use crate::format::{End, Format, Layout, Marker};
use crate::{bsd, csv, remark};
use lines::{bare, is_begin, is_end, lines, opening, with_return};

/// The entry of a list for one name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListEntry {
    /// The name, as it stands there.
    pub name: Vec<u8>,
    /// Why it has no digests, and the cause for machines; `None` if it has some.
    pub unhashed: Option<(Reason, String)>,
    /// Its first line, and the end of the lines that follow without a gap.
    run: Range<usize>,
}

/// The change to a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it stands.
    #[default]
    Keep,
    /// It is taken out.
    Drop,
    /// These bytes take its place.
    Replace(Vec<u8>),
}

/// Where new records are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Anchor {
    /// In front of this record.
    Before(usize),
    /// Behind this record.
    After(usize),
    /// Behind all records.
    Last,
}

/// The part of a list that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The head, a comment, a line that is not a record.
    Other,
    /// The line with the counts.
    End,
    Record(usize),
}

/// A list in memory, line by line.
pub struct Sheet {
    bytes: Vec<u8>,
    options: Options,
    registry: Registry,
    lines: Vec<Range<usize>>,
    owners: Vec<Owner>,
    records: Vec<ListEntry>,
    format: Format,
    layout: Layout,
    /// Whether lines end with CR and LF although the format's own do not.
    is_crlf: bool,
    base: Option<Vec<u8>>,
    /// The algorithms in the order in which records have them.
    order: Vec<String>,
    encoder: Option<Box<dyn Encode>>,
}

impl Sheet {
    /// Takes a list apart.
    ///
    /// # Errors
    /// When records of its form cannot be written.
    pub fn parse(bytes: Vec<u8>, options: &Options, registry: Registry) -> Result<Sheet, Unamendable> {
        if [&b"\x1f\x8b"[..], b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| bytes.starts_with(mark)) {
            return Err(Unamendable::Packed);
        }
        let unread = |error: std::io::Error| Unamendable::Unread(error.to_string());
        let mut decoder = Decoder::with_registry(&bytes[..], options, registry).map_err(unread)?;
        let format = decoder.format();
        if decoder.is_signed() {
            return Err(Unamendable::Signed);
        }
        if !Format::ALL.contains(&format) {
            return Err(Unamendable::Format(format));
        }
        let end = if matches!(format, Format::Sums) { options.end } else { End::Line };
        let lines = lines(&bytes, end);
        let mut owners = vec![Owner::Other; lines.len()];
        let mut records: Vec<ListEntry> = Vec::new();
        let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
        let (mut order, mut first, mut before) = (Vec::new(), None, 0);
        for located in decoder.by_ref() {
            let located = located.map_err(unread)?;
            let last = usize::try_from(located.line).unwrap_or(usize::MAX).min(lines.len());
            let start = match format {
                Format::Dfxml => opening(&bytes, &lines, before..last)?,
                _ => last.saturating_sub(1),
            };
            before = last;
            let (name, unhashed) = match located.item {
                Item::Fault(_) => continue,
                Item::Unhashed(unhashed) => (unhashed.name, Some((unhashed.reason, unhashed.code))),
                Item::Entry(entry) => {
                    let digests = entry.digests.iter().chain(entry.pieces.iter().flat_map(|piece| &piece.digests));
                    for algorithm in digests.map(|digest| digest.algorithm().to_string()) {
                        if !order.contains(&algorithm) {
                            order.push(algorithm);
                        }
                    }
                    let name = entry.name.clone();
                    first.get_or_insert((start, entry));
                    (name, None)
                }
            };
            let at = *places.entry(name.clone()).or_insert_with(|| {
                records.push(ListEntry { name, unhashed: unhashed.clone(), run: start..start });
                records.len() - 1
            });
            owners[start..last].fill(Owner::Record(at));
            let record = &mut records[at];
            if record.run.end == start {
                record.run.end = last;
            }
        }
        let base = decoder.base().map(<[u8]>::to_vec);
        drop(decoder);
        let (layout, is_crlf) = (Layout { end, ..Layout::default() }, false);
        let encoder = None;
        let options = options.clone();
        let mut sheet =
            Sheet { bytes, options, registry, lines, owners, records, format, layout, is_crlf, base, order, encoder };
        let (at, entry) = first.ok_or(Unamendable::Empty)?;
        sheet.look(at, entry)?;
        Ok(sheet)
    }

    /// Finds out how records look, and where the end is.
    fn look(&mut self, at: usize, entry: Entry) -> Result<(), Unamendable> {
        let mut begins = 0;
        for line in 0..self.lines.len() {
            if self.owners[line] != Owner::Other {
                continue;
            }
            let text = self.line(line);
            begins += usize::from(is_begin(self.format, text));
            if self.format == Format::Dfxml && text.trim_ascii_start().starts_with(b"<volume") {
                return Err(Unamendable::Volumes);
            }
            if is_end(self.format, text) {
                self.owners[line] = Owner::End;
            }
        }
        if begins > 1 || self.owners.iter().filter(|owner| **owner == Owner::End).count() > 1 {
            return Err(Unamendable::Several);
        }
        let first = self.line(at).to_vec();
        let own_crlf = self.format == Format::Csv;
        self.is_crlf = self.bytes[self.lines[at].clone()].ends_with(b"\r\n") && !own_crlf;
        match self.format {
            Format::Sums if bsd::split(first.strip_prefix(b"\\").unwrap_or(&first)).is_some() => {
                self.format = Format::Bsd;
            }
            Format::Sums => {
                let marker = first.iter().position(|byte| *byte == b' ').and_then(|at| first.get(at + 1));
                self.layout.marker = if marker == Some(&b'*') { Marker::Binary } else { Marker::Text };
            }
            Format::Jsonl => {
                let text = String::from_utf8_lossy(&first).into_owned();
                let place = |name: &String| text.find(&format!("\"{name}\":")).unwrap_or(usize::MAX);
                self.order.sort_by_key(place);
            }
            _ => {}
        }
        let is_own = match self.format {
            Format::Jsonl | Format::Dfxml => true,
            Format::Csv => self.has_own_header(),
            _ => self.is_written(&first, entry),
        };
        if is_own { Ok(()) } else { Err(Unamendable::Form) }
    }

    /// Whether the columns are those that are written.
    fn has_own_header(&self) -> bool {
        let after = csv::BEFORE.iter().map(|name| (*name).to_owned()).chain(self.order.iter().cloned());
        let columns: Vec<String> = after.chain(csv::AFTER.iter().map(|name| (*name).to_owned())).collect();
        csv::split(self.line(0)) == Some(columns.into_iter().map(String::into_bytes).collect())
    }

    /// Whether an entry is written as it stands there.
    fn is_written(&self, line: &[u8], entry: Entry) -> bool {
        let found = entry.digests.iter().chain(entry.pieces.iter().flat_map(|piece| &piece.digests));
        let algorithms: Vec<Algorithm> = found.map(|digest| digest.algorithm()).collect();
        let Ok(mut encoder) = self.format.encoder(self.layout) else { return false };
        if encoder.head(&mut Vec::new(), &Preamble { algorithms: &algorithms, ..Preamble::default() }).is_err() {
            return false;
        }
        let Entry { name, digests, pieces, size, .. } = entry;
        let size = size.unwrap_or(0);
        let closed = ReadResult { size, stat: None, notes: Vec::new(), inside: None };
        let record = Record { number: 0, name, outcome: Outcome::Hashed(HashedFile { closed, digests, pieces }) };
        let mut out = Vec::new();
        let written = encoder.record(&mut out, &record);
        written == Ok(FormatFit::Yes) && bare(&out, self.layout.end).eq_ignore_ascii_case(line)
    }

    /// A line without its end.
    fn line(&self, at: usize) -> &[u8] {
        let line = bare(&self.bytes[self.lines[at].clone()], self.layout.end);
        if at == 0 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }
    }

    /// Its format; tagged lines are [`Format::Bsd`].
    pub fn format(&self) -> Format {
        self.format
    }

    /// The choices within the format.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The names that it has, in their order. The lines of one name are one record.
    pub fn records(&self) -> &[ListEntry] {
        &self.records
    }

    /// Whether the format has a place for inputs without digests, so that it lists them.
    pub fn lists_all(&self) -> bool {
        matches!(self.format, Format::Jsonl | Format::Csv | Format::Dfxml)
    }

    /// These algorithms in the order in which its records have them.
    pub fn ordered(&self, mut algorithms: Vec<Algorithm>) -> Vec<Algorithm> {
        let place = |algorithm: &Algorithm| {
            let name = algorithm.to_string();
            self.order.iter().position(|known| *known == name).unwrap_or(usize::MAX)
        };
        algorithms.sort_by_key(place);
        algorithms
    }

    /// Says which algorithms the digests of new records are of, in their order.
    ///
    /// # Errors
    /// When the format cannot hold them.
    pub fn begin(&mut self, algorithms: &[Algorithm], version: &str) -> Result<(), Unrepresentable> {
        let mut encoder = self.format.encoder(self.layout)?;
        let preamble = Preamble { algorithms, base: self.base.as_deref(), version, ..Preamble::default() };
        encoder.head(&mut Vec::new(), &preamble)?;
        self.encoder = Some(encoder);
        Ok(())
    }

    /// The bytes of a record; `None` where the format has no place for such.
    ///
    /// # Errors
    /// When the format cannot hold it, and before [`begin`](Sheet::begin).
    pub fn encode(&mut self, record: &Record) -> Result<Option<Vec<u8>>, Unrepresentable> {
        let encoder = self.encoder.as_mut().ok_or_else(|| Unrepresentable::new("no algorithm is named"))?;
        let mut out = Vec::new();
        if encoder.record(&mut out, record)? == FormatFit::No {
            return Ok(None);
        }
        if self.is_crlf {
            out = out.split_inclusive(|byte| *byte == b'\n').flat_map(with_return).collect();
        }
        Ok(Some(out))
    }

    /// The list with a fate for each record, and new ones at their places; its end counts its
    /// present records.
    ///
    /// # Errors
    /// When the new list does not read back: a defect.
    pub fn amended(&self, fates: &[Fate], added: &BTreeMap<Anchor, Vec<u8>>) -> Result<Vec<u8>, Unamendable> {
        let mut out: Vec<u8> = Vec::with_capacity(self.bytes.len());
        let mut end = None;
        let put = |out: &mut Vec<u8>, bytes: &[u8]| {
            // The last line of a list may have no end.
            if !bytes.is_empty() && out.last().is_some_and(|last| *last != self.layout.end.byte()) {
                out.extend_from_slice(if self.is_crlf { b"\r\n" } else { b"\n" });
            }
            out.extend_from_slice(bytes);
        };
        let more = |out: &mut Vec<u8>, anchor| added.get(&anchor).into_iter().for_each(|bytes| put(out, bytes));
        let last = self.owners.iter().rposition(|owner| matches!(owner, Owner::Record(_)));
        for (line, owner) in self.owners.iter().enumerate() {
            let raw = &self.bytes[self.lines[line].clone()];
            match *owner {
                Owner::Other => put(&mut out, raw),
                Owner::End => end = Some((out.len(), line)),
                Owner::Record(at) => {
                    let run = &self.records[at].run;
                    if line == run.start {
                        more(&mut out, Anchor::Before(at));
                    }
                    match &fates[at] {
                        Fate::Keep => put(&mut out, raw),
                        Fate::Replace(bytes) if line == run.start => put(&mut out, bytes),
                        Fate::Replace(_) | Fate::Drop => {}
                    }
                    if line + 1 == run.end {
                        more(&mut out, Anchor::After(at));
                    }
                }
            }
            if Some(line) == last {
                more(&mut out, Anchor::Last);
            }
        }
        let Some((at, _)) = end else { return Ok(out) };
        let tail = self.end(&out)?;
        out.splice(at..at, tail);
        Ok(out)
    }

    /// The line with the counts of this body.
    fn end(&self, body: &[u8]) -> Result<Vec<u8>, Unamendable> {
        let unread = |error: std::io::Error| Unamendable::Unread(error.to_string());
        let (mut lines, mut all, mut counts) = (Count::default(), Count::default(), Summary::default());
        for located in Decoder::with_registry(body, &self.options, self.registry).map_err(unread)? {
            match located.map_err(unread)?.item {
                Item::Fault(_) => {}
                Item::Unhashed(unhashed) => {
                    all.add(&unhashed.name);
                    match unhashed.reason {
                        Reason::Failed => counts.failed += 1,
                        Reason::Skipped => counts.skipped += 1,
                        Reason::Bare => {}
                    }
                }
                Item::Entry(entry) => {
                    lines.add(&entry.name);
                    all.add(&entry.name);
                    if !entry.digests.is_empty() {
                        counts.hashed += 1;
                        counts.bytes += entry.size.unwrap_or(0);
                    }
                }
            }
        }
        let mut out = Vec::new();
        match self.format {
            Format::Jsonl => {
                let mut encoder = crate::jsonl::Encoder::new();
                encoder.adopt(all);
                encoder.tail(&mut out, &counts);
            }
            Format::Csv => {
                let mut encoder = csv::Encoder::new();
                let algorithms = self.order.iter().filter_map(|name| self.registry.find(name).ok());
                let algorithms: Vec<Algorithm> = algorithms.collect();
                let _ = encoder.head(&mut Vec::new(), &Preamble { algorithms: &algorithms, ..Preamble::default() });
                encoder.adopt(all);
                encoder.tail(&mut out, &counts);
            }
            Format::Dfxml => out.extend_from_slice(crate::dfxml::summary(&counts, all.names).as_bytes()),
            Format::Hashdeep => remark::finish(&mut out, "#", lines, b'\n'),
            _ => remark::finish(&mut out, "", lines, self.layout.end.byte()),
        }
        if self.is_crlf {
            out = out.split_inclusive(|byte| *byte == b'\n').flat_map(with_return).collect();
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    const A: &str = "900150983cd24fb0d6963f7d28e17f72";

    fn sheet(list: &str) -> Result<Sheet, Unamendable> {
        Sheet::parse(list.as_bytes().to_vec(), &Options::default(), Registry::new(&LISTS))
    }

    fn record(sheet: &mut Sheet, name: &str) -> Vec<u8> {
        let algorithms = sheet.ordered(vec![Registry::new(&LISTS).find("md5").unwrap()]);
        sheet.begin(&algorithms, "1").unwrap();
        let closed = ReadResult { size: 3, stat: None, notes: Vec::new(), inside: None };
        let hashed = HashedFile { closed, digests: vec![algorithms[0].digest(b"abc")], pieces: Vec::new() };
        let record = Record { number: 0, name: name.into(), outcome: Outcome::Hashed(hashed) };
        sheet.encode(&record).unwrap().unwrap()
    }

    fn amended(list: &str, fates: &[Fate], anchor: Anchor) -> String {
        let mut sheet = sheet(list).unwrap();
        let added = BTreeMap::from([(anchor, record(&mut sheet, "new"))]);
        String::from_utf8(sheet.amended(fates, &added).unwrap()).unwrap()
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let list = format!("# mine\r\n{A} *a\r\n\r\n{A} *b");
        let kept = amended(&list, &[Fate::Keep, Fate::Keep], Anchor::After(0));
        assert_eq!(kept, format!("# mine\r\n{A} *a\r\n{A} *new\r\n\r\n{A} *b"));
        let last = amended(&list, &[Fate::Drop, Fate::Keep], Anchor::Last);
        assert_eq!(last, format!("# mine\r\n\r\n{A} *b\r\n{A} *new\r\n"));
        let tagged = amended(&format!("MD5 (a) = {A}\n"), &[Fate::Keep], Anchor::Before(0));
        assert_eq!(tagged, format!("MD5 (new) = {A}\nMD5 (a) = {A}\n"));
    }

    #[test]
    fn an_end_counts_what_is_there_now() {
        let list = format!(
            "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## pfh begin algorithms=md5\n## \n3,{A},a\n## pfh end records=1\n"
        );
        assert!(
            amended(&list, &[Fate::Keep], Anchor::Last)
                .ends_with(&format!("3,{A},a\n3,{A},new\n## pfh end names=dbe7fb20f97a279f records=2\n"))
        );
        let list = format!(
            "{{\"type\":\"file\",\"path\":\"a\",\"size\":3,\"digests\":{{\"md5\":\"{A}\"}}}}\n{{\"type\":\"summary\",\"files\":1,\"bytes\":3,\"errors\":0,\"skipped\":0}}\n"
        );
        let json = amended(&list, &[Fate::Keep], Anchor::Last);
        assert!(
            json.ends_with("{\"type\":\"summary\",\"files\":2,\"bytes\":6,\"errors\":0,\"skipped\":0,\"names\":\"dbe7fb20f97a279f\"}\n"),
            "{json}"
        );
    }

    #[test]
    fn what_is_not_written_is_refused() {
        let why = |list: &str| sheet(list).err().unwrap();
        assert_eq!(why(&format!("       3  {A}  a\n")), Unamendable::Form);
        assert_eq!(why("\u{1f}\u{8b}"), Unamendable::Empty);
        assert_eq!(why("# nothing\n"), Unamendable::Empty);
        let one = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3,{A},a\n");
        assert_eq!(why(&[&one[..], &one].concat()), Unamendable::Several);
        assert!(Sheet::parse(vec![0x1f, 0x8b, 8], &Options::default(), Registry::new(&LISTS)).is_err());
    }
}
