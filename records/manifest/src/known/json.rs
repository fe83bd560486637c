//! JSON of others: Project VIC (1.3, 2.0), CAID, CycloneDX, SPDX, STIX, in-toto, and any feed that
//! names its digests: one document, or one after the other.
//!
//! A digest is found by the name of its member (`md5`, `SHA-256`, `sha256`), or by a pair of
//! members (`alg` and `content`, `algorithm` and `checksumValue`, `HashName` and `HashValue`). An
//! object with digests is a record; the values in its `hashes`, `checksums`, `digest` or
//! `AlternativeHashes` belong to it, and objects at any depth below are records of their own. A
//! string in an array that is the whole document is a digest by its length.
//!
//! The documents have tens of millions of items, so nothing but the record at hand is kept. An item
//! of the outermost array, a line, or a medium without a digest is a fault. JSON that breaks off is
//! one fault, at the end: there is no line to resume from.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use pfh_digest::{Algorithm, Registry};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Kind, Known, Take};
use crate::digits;
use crate::entry::Fault;

/// Said to the parser where the taker wants no more.
const ENOUGH: &str = "enough";

/// Shorter digests identify nothing.
const SHORTEST: usize = 16;

pub fn read<R: BufRead>(
    reader: R,
    registry: Registry,
    assumed: &[Algorithm],
    limit: usize,
    take: &mut Take<'_>,
) -> io::Result<Kind> {
    let mut json = serde_json::Deserializer::from_reader(Limited { reader, run: 0, limit });
    let candidates = digits::candidates(registry, assumed);
    let mut state = State { registry, candidates, take, number: 0, stopped: false, vics: false };
    let mut result = Ok(());
    while result.is_ok() {
        result = match json.end() {
            Ok(()) => break,
            Err(error) if error.is_io() => Err(error),
            // More is there: the first document, or the next.
            Err(_) => Item { state: &mut state, parent: None, place: Place::Document }.deserialize(&mut json),
        };
    }
    let kind = if state.vics { Kind::Vics } else { Kind::Json };
    match result {
        Err(_) if state.stopped => Ok(kind),
        Err(error) if error.is_io() => {
            let error = io::Error::from(error);
            if error.to_string().contains(TOO_LONG) {
                let _ = (state.take)(state.number + 1, Err(Fault::TooLong));
                return Ok(kind);
            }
            Err(error)
        }
        Err(_) => {
            let _ = (state.take)(state.number + 1, Err(Fault::Malformed("not JSON, or cut off")));
            Ok(kind)
        }
        Ok(()) => Ok(kind),
    }
}

const TOO_LONG: &str = "a string or number is too long";

/// Fails where more than `limit` bytes come without one that ends a token: only strings and numbers
/// can be so long.
struct Limited<R> {
    reader: R,
    run: usize,
    limit: usize,
}

impl<R: BufRead> Read for Limited<R> {
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
    /// The algorithms that a digest without a name may be of.
    candidates: Vec<Algorithm>,
    take: &'a mut Take<'b>,
    /// Records and faults so far.
    number: u64,
    stopped: bool,
    /// Whether it has members as Project VIC and CAID name them.
    vics: bool,
}

impl State<'_, '_> {
    /// Hands a record or a fault on. An error where no more is wanted.
    fn hand<E: serde::de::Error>(&mut self, record: Result<Known, Fault>) -> Result<(), E> {
        self.number += 1;
        match (self.take)(self.number, record) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                self.stopped = true;
                Err(E::custom(ENOUGH))
            }
        }
    }

    /// The algorithm that a member's name names, where its digests identify anything.
    fn algorithm(&self, name: &str) -> Option<Algorithm> {
        self.registry.find(name).ok().filter(|algorithm| algorithm.length() >= SHORTEST)
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

/// A value at any depth; `parent` is the record that its digests belong to, where they make no
/// record of their own.
struct Item<'s, 'a, 'b, 'p> {
    state: &'s mut State<'a, 'b>,
    parent: Option<&'p mut Draft>,
    place: Place,
}

impl<'de> DeserializeSeed<'de> for Item<'_, '_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item<'_, '_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Item { state, parent, place } = self;
        let (before, is_part) = (state.number, parent.is_some());
        let mut own = Draft::default();
        let found = match parent {
            Some(parent) => parent,
            None => &mut own,
        };
        let (mut name, mut value) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "odata.metadata" | "@odata.context" | "MediaID" => {
                    state.vics = true;
                    let _: IgnoredAny = map.next_value()?;
                }
                "HashName" | "alg" | "algorithm" => name = map.next_value::<Scalar>()?.0,
                "HashValue" | "content" | "checksumValue" => value = map.next_value::<Scalar>()?.0,
                "Category" => found.tag(map.next_value()?),
                // The same medium under other names, and the data of its camera.
                "MediaFiles" | "Exifs" => {
                    let _: IgnoredAny = map.next_value()?;
                }
                "AlternativeHashes" | "Hashes" | "hashes" | "checksums" | "digest" | "digests" => {
                    state.vics |= key == "AlternativeHashes";
                    map.next_value_seed(Item { state, parent: Some(found), place: Place::Anywhere })?;
                }
                "Media" => {
                    state.vics = true;
                    map.next_value_seed(Item { state, parent: None, place: Place::Expected })?;
                }
                "value" if place == Place::Document => {
                    map.next_value_seed(Item { state, parent: None, place: Place::Expected })?;
                }
                _ => match state.algorithm(&key) {
                    Some(algorithm) => found.digest(algorithm, map.next_value()?),
                    None => map.next_value_seed(Item { state, parent: None, place: Place::Anywhere })?,
                },
            }
        }
        if let (Some(name), Some(value)) = (name, value) {
            match state.algorithm(&name) {
                Some(algorithm) => found.digest(algorithm, Scalar(Some(value))),
                // PhotoDNA is not a digest of the content; CRC-32 is none that identifies it.
                None => found.other |= is_part,
            }
        }
        finish(state, own, place, before)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Item { state, mut parent, place } = self;
        let place = if place == Place::Document { Place::Listed } else { place };
        loop {
            let parent = parent.as_deref_mut();
            if seq.next_element_seed(Item { state: &mut *state, parent, place })?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        if self.place != Place::Listed {
            return Ok(());
        }
        let digest = digits::unnamed(&self.state.candidates, text.trim().as_bytes());
        self.state.hand(digest.map(|digest| Known { digests: vec![digest], ..Known::default() }))
    }

    // Anything else, such as a null or a number between the media, is passed over.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
}

/// Ends an object: a record, its faults, or nothing. `before` is how many records there were when
/// it began.
fn finish<E: serde::de::Error>(state: &mut State<'_, '_>, own: Draft, place: Place, before: u64) -> Result<(), E> {
    let Draft { known, fault, other, .. } = own;
    let nothing = known.digests.is_empty() && fault.is_none();
    if !known.digests.is_empty() {
        state.hand(Ok(known))?;
    }
    match fault {
        Some(fault) => state.hand(Err(fault)),
        // The records or faults of the objects in it are enough.
        None if nothing && state.number == before && (other || place != Place::Anywhere) => {
            state.hand(Err(Fault::Malformed("an item without a digest of a known algorithm")))
        }
        None => Ok(()),
    }
}

/// A record as far as it was read.
#[derive(Default)]
struct Draft {
    known: Known,
    fault: Option<Fault>,
    /// Whether there is a digest of an algorithm that is not known here.
    other: bool,
}

impl Draft {
    fn digest(&mut self, algorithm: Algorithm, value: Scalar) {
        let text = match value.0 {
            None => return,
            Some(text) if text.is_empty() => return,
            Some(text) => text,
        };
        match digits::digest(algorithm, text.trim().as_bytes()) {
            Ok(digest) => self.known.digests.push(digest),
            Err(fault) => self.fault = Some(fault),
        }
    }

    fn tag(&mut self, value: Scalar) {
        if let Some(text) = value.0.filter(|text| !text.is_empty()) {
            self.known.tag = Some(format!("category {text}"));
        }
    }
}

/// The text of a string, number or bool; nothing for anything else, which is passed over without
/// being kept.
struct Scalar(Option<String>);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scalar, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar(Some(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.to_string())))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar(Some(value.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Scalar, E> {
        Ok(Scalar(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }
}
