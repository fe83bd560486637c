//! Reading DFXML: ours, hashdeep's (also its pieces, which stand outside `<byte_runs>`), and other
//! documents that keep to the schema; and the databases of FCIV, whose digests are in base64.
//!
//! No DTD is accepted, so there are no entities to expand; a token longer than the limit ends the
//! reading.

use std::io::{self, BufRead};

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest, Registry};
use pfh_engine::Piece;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::bounded::BoundedReader;
use crate::count::Names;
use crate::digits;
use crate::ending::Tally;
use crate::entry::{EndCounts, Entry, Fault, Item, LocatedItem, Reason, UnhashedEntry};
use pfh_source::Time;
use pfh_source::os::names::is_absolute;

/// Elements deeper than this are not DFXML but an attack.
const DEPTH: usize = 64;

/// Reads DFXML item by item: an entry or a fault for every `<fileobject>`.
pub(crate) struct Decoder<R> {
    reader: Reader<BoundedReader<R>>,
    registry: Registry,
    token: Vec<u8>,
    open: Vec<Open>,
    object: Option<Object>,
    text: String,
    limit: usize,
    begun: bool,
    /// Whether it is a database of FCIV.
    fciv: bool,
    ended: bool,
    base: Option<Vec<u8>>,
}

/// An open element, as far as it matters.
enum Open {
    FileObject,
    FileName { exact: Option<Vec<u8>> },
    Leaf(Leaf),
    HashDigest(Result<Algorithm, String>),
    ByteRun,
    Base { exact: Option<Vec<u8>> },
    Other,
}

#[derive(Clone, Copy)]
enum Leaf {
    Size,
    Modified,
    Changed,
    Accessed,
    Error,
    Kind,
}

#[derive(Default)]
struct Object {
    entry: Entry,
    unhashed: Option<(Reason, String)>,
    fault: Option<Fault>,
    named: bool,
    /// Its kind, where that is not a file.
    kind: Option<&'static str>,
}

impl<R: BufRead> Decoder<R> {
    pub(crate) fn new(reader: R, registry: Registry, limit: usize) -> Decoder<R> {
        Decoder {
            reader: Reader::from_reader(BoundedReader::new(reader, limit)),
            registry,
            token: Vec::new(),
            open: Vec::new(),
            object: None,
            text: String::new(),
            limit,
            begun: false,
            fciv: false,
            ended: false,
            base: None,
        }
    }

    /// The directory in which relative names start, where the document says so.
    pub(crate) fn base(&self) -> Option<&[u8]> {
        self.base.as_deref()
    }

    /// The next item; `None` at the end. A document that is not well-formed gives one last fault.
    pub(crate) fn next(&mut self, tally: &mut Tally) -> Option<io::Result<LocatedItem>> {
        while !self.ended {
            self.token.clear();
            self.reader.get_mut().begin();
            let event = match self.reader.read_event_into(&mut self.token) {
                Ok(event) => event.into_owned(),
                Err(quick_xml::Error::Io(error)) => {
                    self.ended = true;
                    if self.reader.get_ref().is_spent() {
                        tally.broken();
                        return Some(self.located(Item::Fault(Fault::TooLong)));
                    }
                    return Some(Err(io::Error::new(error.kind(), error.to_string())));
                }
                Err(_) => return Some(self.broken("not well-formed XML", tally)),
            };
            match self.event(event, tally) {
                Ok(None) => {}
                Ok(Some(item)) => {
                    tally.count(&item);
                    return Some(self.located(item));
                }
                Err(why) => return Some(self.broken(why, tally)),
            }
        }
        None
    }

    fn located(&self, item: Item) -> io::Result<LocatedItem> {
        Ok(LocatedItem { line: self.reader.get_ref().line(), item })
    }

    fn broken(&mut self, why: &'static str, tally: &mut Tally) -> io::Result<LocatedItem> {
        self.ended = true;
        tally.broken();
        self.located(Item::Fault(Fault::Malformed(why)))
    }

    fn event(&mut self, event: Event<'_>, tally: &mut Tally) -> Result<Option<Item>, &'static str> {
        match event {
            Event::Start(start) => {
                self.start(&start, tally)?;
                Ok(None)
            }
            Event::Empty(start) => {
                self.start(&start, tally)?;
                Ok(self.end())
            }
            Event::End(_) => Ok(self.end()),
            Event::Text(text) => {
                let text = text.xml10_content();
                self.gather(&text)
            }
            Event::CData(text) => {
                let text = text.xml10_content();
                self.gather(&text)
            }
            Event::GeneralRef(reference) => {
                let c = match reference.resolve_char_ref().map_err(|_| "no such character")? {
                    Some(c) => c,
                    None => match &*reference {
                        "amp" => '&',
                        "lt" => '<',
                        "gt" => '>',
                        "apos" => '\'',
                        "quot" => '"',
                        _ => return Err("an entity that XML does not define"),
                    },
                };
                self.gather(c.encode_utf8(&mut [0; 4]))
            }
            Event::DocType(_) => Err("a document type declaration is not accepted"),
            Event::Eof => {
                self.ended = true;
                if !self.open.is_empty() || !self.begun { Err("the document is cut off") } else { Ok(None) }
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Ok(None),
        }
    }

    fn gather(&mut self, text: &str) -> Result<Option<Item>, &'static str> {
        if let Some(Open::FileName { .. } | Open::Leaf(_) | Open::HashDigest(_) | Open::Base { .. }) = self.open.last()
        {
            // References come as tokens of their own, so the limit on tokens does not bound a text.
            if self.text.len() + text.len() > self.limit {
                return Err("a text is too long");
            }
            self.text.push_str(text);
        }
        Ok(None)
    }

    fn start(&mut self, start: &BytesStart<'_>, tally: &mut Tally) -> Result<(), &'static str> {
        if !self.begun {
            self.fciv = start.local_name().as_ref() == "FCIV";
            if !self.fciv && start.local_name().as_ref() != "dfxml" {
                return Err("not DFXML");
            }
        }
        // Who declares our namespace writes our summary.
        let ours = |value: Option<String>| value.as_deref() == Some(super::NAMESPACE);
        if !self.begun && ours(attribute(start, "pfh")?) {
            tally.promise();
        }
        self.begun = true;
        if self.open.len() >= DEPTH {
            return Err("elements are nested too deeply");
        }
        self.text.clear();
        let open = match (start.local_name().as_ref(), &mut self.object) {
            ("FILE_ENTRY", None) if self.fciv => {
                self.object = Some(Object::default());
                Open::FileObject
            }
            ("name", Some(_)) if self.fciv => Open::FileName { exact: None },
            (name @ ("MD5" | "SHA1"), Some(_)) if self.fciv => {
                Open::HashDigest(self.registry.find(name).map_err(|_| name.to_owned()))
            }
            ("fileobject", None) => {
                self.object = Some(Object::default());
                Open::FileObject
            }
            ("summary", None) => {
                let count = |name| -> Result<Option<u64>, &'static str> {
                    Ok(attribute(start, name)?.map(|count| count.parse().unwrap_or(u64::MAX)))
                };
                tally.end(&EndCounts {
                    records: None,
                    files: count("files")?,
                    bytes: count("bytes")?,
                    failed: count("errors")?,
                    skipped: count("skipped")?,
                    names: attribute(start, "names")?.map(|names| Names::parse(&names)),
                });
                Open::Other
            }
            ("base", None) => Open::Base { exact: attribute(start, "base64")?.map(String::into_bytes) },
            (_, None) => Open::Other,
            ("filename", Some(_)) => {
                let exact = attribute(start, "base64")?;
                Open::FileName { exact: exact.map(String::into_bytes) }
            }
            ("filesize", Some(_)) => Open::Leaf(Leaf::Size),
            ("mtime", Some(_)) => Open::Leaf(Leaf::Modified),
            ("ctime", Some(_)) => Open::Leaf(Leaf::Changed),
            ("atime", Some(_)) => Open::Leaf(Leaf::Accessed),
            ("error", Some(_)) => Open::Leaf(Leaf::Error),
            ("name_type", Some(_)) => Open::Leaf(Leaf::Kind),
            ("failed", Some(object)) => {
                object.unhashed = Some((Reason::Failed, attribute(start, "code")?.unwrap_or_default()));
                Open::Other
            }
            ("skipped", Some(object)) => {
                object.unhashed = Some((Reason::Skipped, attribute(start, "code")?.unwrap_or_default()));
                Open::Other
            }
            ("hashdigest", Some(_)) => {
                let name = match attribute(start, "algorithm")? {
                    Some(name) => name,
                    None => attribute(start, "type")?.unwrap_or_default(),
                };
                Open::HashDigest(self.registry.find(&name).map_err(|_| name))
            }
            ("byte_run", Some(object)) => {
                let number = |name| -> Result<Option<u64>, &'static str> {
                    Ok(attribute(start, name)?.and_then(|number| number.parse().ok()))
                };
                match (number("file_offset")?, number("len")?) {
                    (Some(offset), Some(length)) => {
                        object.entry.pieces.push(Piece { offset, length, digests: Vec::new() });
                        Open::ByteRun
                    }
                    // Runs without an offset in the file say where it lies on a disk; they are not
                    // pieces to check.
                    _ => Open::Other,
                }
            }
            _ => Open::Other,
        };
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Option<Item> {
        let text = std::mem::take(&mut self.text);
        let open = self.open.pop()?;
        if let Open::FileObject = open {
            return self.object.take().map(Object::finish);
        }
        if let Open::Base { exact } = open {
            let base = exact.map_or_else(|| Some(text.into_bytes()), |exact| BASE64.decode(&exact).ok());
            self.base = base.filter(|base| is_absolute(base) && !base.contains(&0));
            return None;
        }
        let inside_run = matches!(self.open.last(), Some(Open::ByteRun));
        let object = self.object.as_mut()?;
        match open {
            Open::FileName { .. } if self.fciv => object.name(text.replace('\\', "/"), None),
            Open::FileName { exact } => object.name(text, exact),
            Open::Leaf(leaf) => object.leaf(leaf, text.trim()),
            Open::HashDigest(Err(name)) => object.entry.foreign.push(name.into()),
            Open::HashDigest(Ok(algorithm)) => match digits::digest(algorithm, text.trim().as_bytes()) {
                Ok(digest) => object.digest(digest, inside_run),
                Err(fault) => object.fault = Some(fault),
            },
            Open::FileObject | Open::ByteRun | Open::Base { .. } | Open::Other => {}
        }
        None
    }
}

impl Object {
    fn name(&mut self, text: String, exact: Option<Vec<u8>>) {
        // The schema allows several names; the first is the one that was hashed.
        if std::mem::replace(&mut self.named, true) {
            return;
        }
        match exact.map_or_else(|| Ok(text.into_bytes()), |exact| BASE64.decode(&exact)) {
            Ok(name) if name.contains(&0) => self.fault = Some(Fault::Nul),
            Ok(name) => self.entry.name = name,
            Err(_) => self.fault = Some(Fault::Malformed("the exact name is not base64")),
        }
    }

    fn leaf(&mut self, leaf: Leaf, text: &str) {
        let mut time = || {
            let time = Time::parse(text);
            // hashdeep leaves times empty where it has none; fiwalk writes FAT's, which are local
            // times of no known zone, without one.
            if time.is_none() && !text.is_empty() && Time::parse(&format!("{text}Z")).is_none() {
                self.fault = Some(Fault::Malformed("not a time"));
            }
            time
        };
        match leaf {
            Leaf::Size => match text.parse() {
                Ok(size) => self.entry.size = Some(size),
                Err(_) => self.fault = Some(Fault::Malformed("the size is not a number")),
            },
            Leaf::Modified => self.entry.times.modified = time(),
            Leaf::Changed => self.entry.times.changed = time(),
            Leaf::Accessed => self.entry.times.accessed = time(),
            Leaf::Error if self.unhashed.is_none() => self.unhashed = Some((Reason::Failed, text.to_owned())),
            Leaf::Error => {}
            Leaf::Kind => self.kind = no_file(text),
        }
    }

    fn digest(&mut self, digest: Digest, inside_run: bool) {
        match (inside_run, self.entry.pieces.last_mut()) {
            (true, Some(piece)) => piece.digests.push(digest),
            _ => self.entry.digests.push(digest),
        }
    }

    fn finish(mut self) -> Item {
        self.entry.pieces.retain(|piece| !piece.digests.is_empty());
        let empty = self.entry.digests.is_empty() && self.entry.pieces.is_empty();
        if let Some(fault) = self.fault {
            return Item::Fault(fault);
        }
        if self.entry.name.is_empty() {
            return Item::Fault(Fault::Malformed("no name"));
        }
        match self.unhashed {
            Some((reason, code)) if empty => Item::Unhashed(UnhashedEntry { name: self.entry.name, reason, code }),
            _ if empty && self.kind.is_some() => Item::Unhashed(UnhashedEntry {
                name: self.entry.name,
                reason: Reason::Skipped,
                code: self.kind.unwrap_or_default().to_owned(),
            }),
            _ if self.kind.is_some() => Item::Fault(Fault::NoFile(self.kind.unwrap_or_default())),
            _ if empty && !self.entry.foreign.is_empty() => {
                Item::Fault(Fault::UnknownAlgorithm(self.entry.foreign.join(", ").into()))
            }
            _ if empty => Item::Fault(Fault::Malformed("no digest")),
            _ => Item::Entry(self.entry),
        }
    }
}

/// The kind of thing that a letter of the schema's `name_type` stands for, where that is none whose
/// content is hashed.
fn no_file(letter: &str) -> Option<&'static str> {
    match letter {
        "d" => Some("directory"),
        "l" => Some("symbolic link"),
        "s" | "h" => Some("socket"),
        "w" => Some("whiteout"),
        _ => None,
    }
}

/// An attribute by its local name; the schema and our namespace have none that share one.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, &'static str> {
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|_| "a malformed attribute")?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| "a malformed attribute")?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}
