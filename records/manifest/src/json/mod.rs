//! JSON of others, one document or one after the other: CycloneDX, SPDX, in-toto, Project VIC and
//! CAID, STIX, MISP, `rclone lsjson --hash`, DVC's `.dir`, and any document whose members name
//! files and digests as [`roles`] has it.
//!
//! An object with digests is a record; the values in its `hashes`, `checksums`, `digest` or
//! `AlternativeHashes` belong to it, as members or as pairs (`alg` and `content`). Objects at any
//! depth below are records of their own. An object with a name and no digest is a fault where its
//! member for the digest is empty, or where another in the same array has one. A string in an array
//! that is the whole document is a digest by its length.
//!
//! The documents have tens of millions of items, so nothing but the records at hand are kept. JSON
//! that breaks off is one fault, at the end: there is no line to resume from.

mod object;
mod pattern;

pub(crate) use object::Object;
use object::{holds_digests, is_part};

use std::collections::HashSet;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use pfh_digest::Registry;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::entry::Fault;
use crate::roles::{self, Role};

/// Said to the parser where the taker wants no more.
const ENOUGH: &str = "enough";
/// Files without a digest that are held until another item of their array has one.
const HELD: usize = 1000;
/// Members of an object that are known when one comes again.
const MEMBERS: usize = 4096;

/// Takes each object with digests, or fault, with its number.
pub(crate) type Take<'a> = dyn FnMut(u64, Result<Object, Fault>) -> ControlFlow<()> + 'a;

/// Reads the documents to their end; `true` if they have members as Project VIC and CAID name them.
///
/// # Errors
/// The reader's.
pub(crate) fn read<R: BufRead>(reader: R, registry: Registry, limit: usize, take: &mut Take<'_>) -> io::Result<bool> {
    let mut json = serde_json::Deserializer::from_reader(LimitedReader { reader, run: 0, limit });
    let mut state = State { registry, take, number: 0, stopped: false, vics: false };
    let mut result = Ok(());
    while result.is_ok() {
        result = match json.end() {
            Ok(()) => break,
            Err(error) if error.is_io() => Err(error),
            // More is there: the first document, or the next.
            Err(_) => Item { state: &mut state, parent: None, place: Place::Document }.deserialize(&mut json).map(drop),
        };
    }
    match result {
        Err(_) if state.stopped => {}
        Err(error) if error.is_io() => {
            let error = io::Error::from(error);
            if !error.to_string().contains(TOO_LONG) {
                return Err(error);
            }
            let _ = (state.take)(state.number + 1, Err(Fault::TooLong));
        }
        Err(_) => drop((state.take)(state.number + 1, Err(Fault::Malformed("not JSON, or cut off")))),
        Ok(()) => {}
    }
    Ok(state.vics)
}

const TOO_LONG: &str = "a string or number is too long";

/// Fails where more than `limit` bytes come without one that ends a token: only strings and numbers
/// can be so long.
struct LimitedReader<R> {
    reader: R,
    run: usize,
    limit: usize,
}

impl<R: BufRead> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.reader.fill_buf()?;
        let read = available.read(buffer)?;
        let bytes = &buffer[..read];
        match bytes.iter().rposition(|byte| matches!(byte, b'"' | b',' | b'}' | b']')) {
            Some(at) => self.run = read - at,
            None => self.run += read,
        }
        self.reader.consume(read);
        if self.run > self.limit { Err(io::Error::other(TOO_LONG)) } else { Ok(read) }
    }
}

struct State<'a, 'b> {
    registry: Registry,
    take: &'a mut Take<'b>,
    /// Records and faults so far.
    number: u64,
    stopped: bool,
    /// Whether it has members as Project VIC and CAID name them.
    vics: bool,
}

impl State<'_, '_> {
    /// Hands a record or a fault on. An error where no more is wanted.
    fn hand<E: serde::de::Error>(&mut self, record: Result<Object, Fault>) -> Result<(), E> {
        self.number += 1;
        match (self.take)(self.number, record) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                self.stopped = true;
                Err(E::custom(ENOUGH))
            }
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outermost: an array of items, or one item.
    Document,
    /// In an array that is the whole document.
    Listed,
    /// A list of media, or one of them.
    Expected,
    /// Somewhere below: a digest may be there or not.
    Anywhere,
}

/// The result of a value.
enum Outcome {
    /// Something with a digest.
    Record,
    /// A file without one.
    Bare(Box<[u8]>),
    Nothing,
}

/// The member of an object that holds a value.
struct Slot<'p> {
    object: &'p mut Object,
    role: Role,
    key: &'p str,
    /// Whether the object is the value of a member for digests.
    is_part: bool,
}

/// A value at any depth, and the member that holds it.
struct Item<'s, 'a, 'b, 'p> {
    state: &'s mut State<'a, 'b>,
    parent: Option<Slot<'p>>,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Item<'_, '_, '_, '_> {
    type Value = Outcome;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Outcome, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Item<'_, '_, '_, '_> {
    /// Takes the text of a string, number or bool.
    fn text<E: serde::de::Error>(self, text: &str, is_string: bool) -> Result<Outcome, E> {
        match self.parent {
            Some(Slot { object, role, key, is_part }) => {
                let named = object.put(self.state.registry, role, key, text, is_string);
                if !named && is_part && is_string {
                    object.foreign(key);
                }
            }
            None if self.place == Place::Listed && is_string => {
                let mut object = Object::default();
                object.put(self.state.registry, Role::Hash, "", text, true);
                self.state.hand(Ok(object))?;
                return Ok(Outcome::Record);
            }
            // Anything else, such as a number between the media, is passed over.
            None => {}
        }
        Ok(Outcome::Nothing)
    }
}

impl<'de> Visitor<'de> for Item<'_, '_, '_, '_> {
    type Value = Outcome;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Outcome, A::Error> {
        let Item { state, parent, place } = self;
        let before = state.number;
        let holder = parent.as_ref().map(|slot| slot.key).filter(|key| !holds_digests(key) && !is_part(key));
        let mut part = parent.filter(|slot| holds_digests(slot.key) || is_part(slot.key));
        let is_part = part.as_ref().is_some_and(|slot| holds_digests(slot.key));
        let mut part = part.as_mut().map(|slot| &mut *slot.object);
        let mut own = Object::default();
        let mut seen: HashSet<String> = HashSet::new();
        let mut message: Option<String> = None;
        while let Some(key) = map.next_key::<String>()? {
            // Which of two members counts is open (RFC 8259, 4). A dictionary of names is longer.
            if seen.contains(&key) {
                state.hand(Err(Fault::Twice(key.as_str().into())))?;
            } else if seen.len() < MEMBERS {
                seen.insert(key.clone());
            }
            let (key, role) = (key.as_str(), roles::of(state.registry, &key));
            // The objects of a bucket, as clients of S3 list them.
            let role = match (key, role) {
                ("Key" | "key", Role::Other) => Role::Name(3),
                ("@id", Role::Other) => Role::Name(4),
                ("ETag" | "etag", Role::Other) => Role::Hash,
                (_, role) => role,
            };
            match key {
                "odata.metadata" | "@odata.context" | "MediaID" => {
                    state.vics = true;
                    let _: IgnoredAny = map.next_value()?;
                }
                // The same medium under other names, and the data of its camera.
                "MediaFiles" | "Exifs" => {
                    let _: IgnoredAny = map.next_value()?;
                }
                // AzCopy has documents in texts, and messages of other kinds beside them.
                "MessageType" => message = map.next_value::<Value>()?.as_str().map(str::to_owned),
                "MessageContent" => {
                    let content = map.next_value::<Value>()?;
                    if let (Some("ListObject"), Some(text)) = (message.as_deref(), content.as_str()) {
                        let item = Item { state, parent: None, place: Place::Expected };
                        let nested = item.deserialize(&mut serde_json::Deserializer::from_str(text));
                        nested.map_err(serde::de::Error::custom)?;
                    }
                }
                "evidence" => own.places(&map.next_value::<Value>()?),
                "Media" | "value" if key == "Media" || place == Place::Document => {
                    state.vics |= key == "Media";
                    let parent = Some(Slot { object: &mut own, role: Role::Other, key, is_part: false });
                    map.next_value_seed(Item { state, parent, place: Place::Expected })?;
                }
                _ => {
                    state.vics |= key == "AlternativeHashes";
                    own.sees(role, key);
                    let parent = Some(Slot { object: &mut own, role, key, is_part });
                    map.next_value_seed(Item { state, parent, place: Place::Anywhere })?;
                }
            }
        }
        if message.is_some_and(|kind| matches!(kind.as_str(), "ListObject" | "ListSummary" | "Init" | "Info")) {
            return Ok(Outcome::Nothing);
        }
        own.pair(state.registry, is_part);
        if let Some(key) = holder {
            own.named_by(key);
        }
        if let Some(parent) = &mut part {
            if !is_part {
                parent.complete(&mut own);
            }
            parent.merge(own);
            return Ok(Outcome::Nothing);
        }
        finish(state, own, place, before)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Outcome, A::Error> {
        let Item { state, mut parent, place } = self;
        let place = if place == Place::Document { Place::Listed } else { place };
        let (mut held, mut any) = (Vec::new(), false);
        loop {
            // Of the items of another array nothing belongs to the object around it.
            let digests = parent.as_mut().filter(|slot| holds_digests(slot.key));
            let parent = digests.map(|slot| Slot {
                object: &mut *slot.object,
                role: Role::Other,
                key: slot.key,
                is_part: false,
            });
            let item = Item { state: &mut *state, parent, place };
            match seq.next_element_seed(item)? {
                None => break,
                Some(Outcome::Record) => any = true,
                Some(Outcome::Bare(name)) if any || held.len() < HELD => held.push(name),
                Some(_) => {}
            }
            if any {
                for name in held.drain(..) {
                    state.hand(Err(Fault::NoDigest(name)))?;
                }
            }
        }
        Ok(if any { Outcome::Record } else { Outcome::Nothing })
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Outcome, E> {
        self.text(text, true)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Outcome, E> {
        Ok(Outcome::Nothing)
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<Outcome, E> {
        self.text(&value.to_string(), false)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Outcome, E> {
        self.text(&value.to_string(), false)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Outcome, E> {
        self.text(&value.to_string(), false)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Outcome, E> {
        self.text(&value.to_string(), false)
    }
}

/// Ends an object: a record, a fault, or nothing. `before` is how many records there were when it
/// began.
fn finish<E: serde::de::Error>(
    state: &mut State<'_, '_>,
    mut own: Object,
    place: Place,
    before: u64,
) -> Result<Outcome, E> {
    if place == Place::Document
        && let Some(kind) = own.document_of_ours()
    {
        state.hand(Err(Fault::NotUnderstood(format!("a {kind} document, and not a list").into())))?;
        return Ok(Outcome::Nothing);
    }
    for digest in own.pattern() {
        state.hand(digest)?;
    }
    let dictionary = own.dictionary();
    if !dictionary.is_empty() {
        dictionary.into_iter().try_for_each(|record| state.hand(Ok(record)))?;
        return Ok(Outcome::Record);
    }
    if own.is_record() {
        state.hand(Ok(own))?;
        return Ok(Outcome::Record);
    }
    let is_listed = place != Place::Anywhere;
    match own.bare_name() {
        Some(name) if own.is_emptied() || (is_listed && state.number == before) => {
            state.hand(Err(Fault::NoDigest(name)))?;
            Ok(Outcome::Nothing)
        }
        Some(name) => Ok(Outcome::Bare(name)),
        // The records or faults of the objects in it are enough.
        None if is_listed && state.number == before && !own.is_folder() => {
            let whole = Fault::NotUnderstood("JSON without digests of files".into());
            let item = Fault::Malformed("an item without a digest of a known algorithm");
            state.hand(Err(if place == Place::Document { whole } else { item }))?;
            Ok(Outcome::Nothing)
        }
        None => Ok(Outcome::Nothing),
    }
}
