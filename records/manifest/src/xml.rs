//! Lists in XML of others: MHL and ASC-MHL, metalink, HashMyFiles, and any document whose elements
//! name files and digests as [`roles`] has it. (DFXML and FCIV have a reader of their own.)
//!
//! A record is the innermost element with a name and a digest, as attributes or as elements in it.
//! Entities that XML does not define are an error, and none are expanded.

use std::collections::VecDeque;
use std::io::{self, BufRead};

use pfh_digest::{Algorithm, Registry};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::bounded::BoundedReader;
use crate::digits;
use crate::draft::{Draft, Names};
use crate::ending::Tally;
use crate::entry::{Fault, Item, LocatedItem, Options, Reason, UnhashedEntry};
use crate::others::algorithm;
use crate::others::links::unescaped;
use crate::roles::{self, Role};

/// Elements deeper than this are not a list but an attack.
const DEPTH: usize = 64;
/// Elements whose contents are digests of something else than a file: windows of it, trees.
const PASSED_OVER: [&str; 3] = ["pieces", "roothash", "structure"];
/// The elements around lists whose names are exact: of MHL and ASC-MHL, of metalink.
const LISTS: [&str; 2] = ["hashlist", "metalink"];
/// Names of files without digests that are held until it is known that elements like theirs have
/// some.
const HELD: usize = 1000;

/// An open element.
#[derive(Default)]
struct Element {
    name: String,
    /// The algorithm that an attribute names; `Err` for one that is not known here.
    algorithm: Option<Result<Algorithm, String>>,
    text: String,
    draft: Draft,
    /// The label of a property in PowerShell's XML: `<S N="Hash">`.
    label: Option<String>,
    /// Whether there are elements in it.
    has_elements: bool,
}

/// Reads such a document, item by item.
pub(crate) struct Decoder<R> {
    reader: Reader<BoundedReader<R>>,
    registry: Registry,
    candidates: Vec<Algorithm>,
    limit: usize,
    token: Vec<u8>,
    root: Option<String>,
    open: Vec<Element>,
    items: VecDeque<Item>,
    /// The names of elements that were records.
    records: Vec<String>,
    /// Names of files without a digest, and of their elements.
    held: Vec<(String, Vec<u8>)>,
    any: bool,
    ended: bool,
}

impl<R: BufRead> Decoder<R> {
    pub(crate) fn new(reader: R, registry: Registry, options: &Options) -> Decoder<R> {
        Decoder {
            reader: Reader::from_reader(BoundedReader::new(reader, options.limit)),
            registry,
            candidates: digits::wanted(registry, options),
            limit: options.limit,
            token: Vec::new(),
            root: None,
            open: Vec::new(),
            items: VecDeque::new(),
            records: Vec::new(),
            held: Vec::new(),
            any: false,
            ended: false,
        }
    }

    /// The next item; `None` at the end. A document that is not well-formed gives one last fault.
    pub(crate) fn next(&mut self, tally: &mut Tally) -> Option<io::Result<LocatedItem>> {
        loop {
            if let Some(item) = self.items.pop_front() {
                tally.count(&item);
                return Some(Ok(LocatedItem { line: self.reader.get_ref().line(), item }));
            }
            if self.ended {
                return None;
            }
            self.token.clear();
            self.reader.get_mut().begin();
            let event = match self.reader.read_event_into(&mut self.token) {
                Ok(event) => event.into_owned(),
                Err(quick_xml::Error::Io(_)) if self.reader.get_ref().is_spent() => {
                    self.broken(Fault::TooLong, tally);
                    continue;
                }
                Err(quick_xml::Error::Io(error)) => {
                    self.ended = true;
                    return Some(Err(io::Error::new(error.kind(), error.to_string())));
                }
                Err(_) => {
                    self.broken(Fault::Malformed("not well-formed XML"), tally);
                    continue;
                }
            };
            if let Err(why) = self.event(event) {
                self.broken(Fault::Malformed(why), tally);
            }
        }
    }

    /// Ends the reading. Of a document without any record it is enough to say what it is, unless it
    /// is a list, or breaks off before it says.
    fn broken(&mut self, fault: Fault, tally: &mut Tally) {
        self.ended = true;
        let may_list = self.root.as_deref().is_none_or(|root| LISTS.contains(&root));
        if self.any || may_list || matches!(fault, Fault::TooLong) {
            tally.broken();
            self.items.push_back(Item::Fault(fault));
        } else {
            self.items.push_back(self.other());
        }
    }

    fn other(&self) -> Item {
        let root = self.root.as_deref().unwrap_or("?");
        let what = match root {
            "html" => "a page in HTML".to_owned(),
            root => format!("an XML document <{}>", root.chars().take(40).collect::<String>()),
        };
        Item::Fault(Fault::NotUnderstood(what.into()))
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), &'static str> {
        match event {
            Event::Start(start) => self.start(&start)?,
            Event::Empty(start) => {
                self.start(&start)?;
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.gather(&text.xml10_content())?,
            Event::CData(text) => self.gather(&text.xml10_content())?,
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
                self.gather(c.encode_utf8(&mut [0; 4]))?;
            }
            Event::Eof if !self.open.is_empty() || self.root.is_none() => return Err("the document is cut off"),
            Event::Eof => {
                self.ended = true;
                if !self.any {
                    let other = self.other();
                    self.items.push_back(other);
                }
            }
            Event::DocType(kind) if kind.to_ascii_lowercase().starts_with("html") => {
                self.root = Some("html".to_owned());
                return Err("a page in HTML");
            }
            Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
        Ok(())
    }

    fn gather(&mut self, text: &str) -> Result<(), &'static str> {
        if let Some(element) = self.open.last_mut() {
            if element.text.len() + text.len() > self.limit {
                return Err("a text is too long");
            }
            element.text.push_str(text);
        }
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), &'static str> {
        if self.open.len() >= DEPTH {
            return Err("elements are nested too deeply");
        }
        let name = start.local_name().as_ref().to_ascii_lowercase();
        if self.root.is_none() {
            self.root = Some(name.clone());
            if name == "html" {
                return Err("a page in HTML");
            }
        }
        if let Some(parent) = self.open.last_mut() {
            parent.has_elements = true;
            parent.text.clear();
        }
        let mut element = Element { name, ..Element::default() };
        let holds_digest = roles::of(self.registry, &element.name) == Role::Hash;
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|_| "a malformed attribute")?;
            let label = attribute.key.local_name().as_ref().to_ascii_lowercase();
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|_| "a malformed attribute")?;
            if holds_digest && matches!(label.as_str(), "type" | "algorithm" | "alg") {
                element.algorithm = Some(algorithm(self.registry, &value).ok_or_else(|| value.into_owned()));
                continue;
            }
            // PowerShell's `ConvertTo-Xml` and `Export-Clixml`.
            if label == "n" || (label == "name" && element.name == "property") {
                element.label = Some(value.into_owned());
                continue;
            }
            // The file of the element around it: `<location href="…"/>` of RPM's metadata,
            // `<FLocat xlink:href="…"/>` of METS.
            if label == "href" && matches!(element.name.as_str(), "location" | "flocat") {
                let is_link = element.name == "flocat";
                let name = is_link.then(|| unescaped(value.as_bytes())).flatten();
                if let Some(parent) = self.open.last_mut() {
                    parent.draft.put(self.registry, Role::Name(0), name.as_deref().unwrap_or(value.as_bytes()));
                }
                continue;
            }
            // `<sha256 value="…"/>` of Gradle.
            if label == "value"
                && let Role::Digest(of) = roles::of(self.registry, &element.name)
                && let Some(parent) = self.open.last_mut()
            {
                parent.draft.digest(of, value.as_bytes());
                continue;
            }
            let role = roles::of(self.registry, &label);
            let is_one = match role {
                Role::Hash => digits::is_digest(value.as_bytes()),
                role => matches!(role, Role::Name(_) | Role::Size | Role::Digest(_) | Role::Algorithm),
            };
            if is_one {
                element.draft.put(self.registry, role, value.as_bytes());
            }
        }
        if element.name == "directoryhash" {
            element.draft.folder();
        }
        self.open.push(element);
        Ok(())
    }

    fn end(&mut self) {
        let Some(mut element) = self.open.pop() else { return };
        if PASSED_OVER.contains(&element.name.as_str()) {
            return;
        }
        let text = element.text.trim();
        let (role, text) = match roles::of(self.registry, element.label.as_deref().unwrap_or(&element.name)) {
            // The objects of a bucket.
            Role::Other if element.name == "key" => (Role::Name(3), text),
            Role::Other if element.name == "etag" && is_md5(text.trim_matches('"')) => {
                (Role::Hash, text.trim_matches('"'))
            }
            role => (role, text),
        };
        if let Some(parent) = self.open.last_mut()
            && !element.has_elements
            && !text.is_empty()
        {
            match (&element.algorithm, role) {
                (Some(Ok(algorithm)), _) => parent.draft.digest(*algorithm, text.as_bytes()),
                (Some(Err(name)), _) => parent.draft.foreign(name),
                // C4 of MHL: SHA-512 in an alphabet of its own.
                (None, Role::Other) if element.name == "c4" => parent.draft.foreign("c4"),
                (None, Role::Kind | Role::Mode | Role::Version) => {}
                // Blanks at the ends of a name are its own, unless the document is indented there.
                (None, role @ Role::Name(_)) if !element.text.contains('\n') => {
                    parent.draft.put(self.registry, role, element.text.as_bytes());
                }
                (None, role) => parent.draft.put(self.registry, role, text.as_bytes()),
            }
            // `<path size="2">`
            parent.draft.merge(std::mem::take(&mut element.draft));
            return;
        }
        let (named, has_digest) = (element.draft.is_named(), element.draft.has_digest());
        let names = match self.root.as_deref() {
            Some(root) if LISTS.contains(&root) => Names::Exact,
            _ => Names::Windows,
        };
        if has_digest && !named && self.open.len() > 1 {
            // `<verification>`, `<hashes>`: a part of the element around it.
            if let Some(parent) = self.open.last_mut() {
                parent.draft.merge(element.draft);
            }
        } else if has_digest {
            self.any = true;
            if !self.records.contains(&element.name) && self.records.len() < DEPTH {
                self.records.push(element.name.clone());
                let held = std::mem::take(&mut self.held);
                let (mine, others) = held.into_iter().partition(|(name, _)| *name == element.name);
                self.held = others;
                let mine: Vec<(String, Vec<u8>)> = mine;
                self.items.extend(mine.into_iter().map(|(_, name)| Item::Fault(Fault::NoDigest(name.into()))));
            }
            let item = element.draft.finish(self.registry, &self.candidates, names);
            self.items.extend(item.map(without_tree));
        } else if named {
            match element.draft.finish(self.registry, &self.candidates, names) {
                Some(Item::Fault(Fault::NoDigest(name))) if self.records.contains(&element.name) => {
                    self.items.push_back(Item::Fault(Fault::NoDigest(name)));
                }
                Some(Item::Fault(Fault::NoDigest(name))) if self.held.len() < HELD => {
                    self.held.push((element.name, name.into()));
                }
                _ => {}
            }
        }
    }
}

/// Whether an entity tag is the MD5 of an object, and not of the digests of its parts.
fn is_md5(tag: &str) -> bool {
    tag.len() == 32 && digits::is_digest(tag.as_bytes())
}

/// A folder of ASC-MHL, whose digests are of its tree and not of bytes, is skipped as folders are.
fn without_tree(item: Item) -> Item {
    match item {
        Item::Fault(Fault::NoFile(kind @ "directory")) => {
            Item::Unhashed(UnhashedEntry { name: kind.into(), reason: Reason::Skipped, code: kind.to_owned() })
        }
        item => item,
    }
}
