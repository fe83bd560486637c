//! Project VIC (1.3, 2.0) and CAID JSON: an object whose array `value` holds media, or cases that hold `Media`; or the array alone.
//!
//! The documents have tens of millions of items, so nothing but the item at hand is kept. Members that are read: `MD5`, `SHA1`,
//! `SHA256` and the like, `Category`, and pairs of `HashName` and `HashValue` at any depth. JSON that breaks off is one fault, at
//! the end: there is no line to go on from.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use pfh_digest::Registry;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{Known, Take};
use crate::decode::Fault;
use crate::digits;

/// Said to the parser where the taker wants no more.
const ENOUGH: &str = "enough";

pub fn read<R: BufRead>(reader: R, registry: Registry, limit: usize, take: &mut Take<'_>) -> io::Result<()> {
    let mut json = serde_json::Deserializer::from_reader(Limited { reader, run: 0, limit });
    let mut state = State { registry, take, number: 0, stopped: false };
    let result = Document(&mut state).deserialize(&mut json).and_then(|()| json.end());
    match result {
        Err(_) if state.stopped => Ok(()),
        Err(error) if error.is_io() => {
            let error = io::Error::from(error);
            if error.to_string().contains(TOO_LONG) {
                let _ = (state.take)(state.number + 1, Err(Fault::TooLong));
                return Ok(());
            }
            Err(error)
        }
        Err(_) => {
            let _ = (state.take)(state.number + 1, Err(Fault::Malformed("not JSON, or cut off")));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

const TOO_LONG: &str = "a string or number is too long";

/// Fails where more than `limit` bytes come without one that ends a token: only strings and numbers can be so long.
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
    take: &'a mut Take<'b>,
    number: u64,
    stopped: bool,
}

/// The document, a case in it, or an array of either.
struct Document<'s, 'a, 'b>(&'s mut State<'a, 'b>);

impl<'de> DeserializeSeed<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array of media")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut item = Found::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "value" | "Media" | "media" => map.next_value_seed(Document(self.0))?,
                "MD5" | "SHA1" | "SHA-1" | "SHA256" | "SHA512" | "Category" => {
                    item.member(self.0.registry, &key, map.next_value()?);
                }
                "AlternativeHashes" | "Hashes" => map.next_value_seed(Others(self.0.registry, &mut item))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if !item.any {
            return Ok(());
        }
        self.0.number += 1;
        let record = match item.fault {
            Some(fault) => Err(fault),
            None => Ok(item.known),
        };
        match (self.0.take)(self.0.number, record) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => {
                self.0.stopped = true;
                Err(A::Error::custom(ENOUGH))
            }
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Document(self.0))?.is_some() {}
        Ok(())
    }

    // What is neither, such as a null or a number between the media, is passed over.
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

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

#[derive(Default)]
struct Found {
    known: Known,
    fault: Option<Fault>,
    any: bool,
}

impl Found {
    fn member(&mut self, registry: Registry, key: &str, value: Scalar) {
        let Some(text) = value.0.filter(|text| !text.is_empty()) else { return };
        if key == "Category" {
            self.known.tag = Some(format!("category {text}"));
        } else if let Ok(algorithm) = registry.find(key) {
            self.any = true;
            match digits::digest(algorithm, text.trim().as_bytes()) {
                Ok(digest) => self.known.digests.push(digest),
                Err(fault) => self.fault = Some(fault),
            }
        }
    }
}

/// The text of a string, number or bool; nothing for anything else, which is passed over without being kept.
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

/// An array of pairs. PhotoDNA and what else stands there is no digest of the content and is passed over.
struct Others<'i>(Registry, &'i mut Found);

impl<'de> DeserializeSeed<'de> for Others<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Others<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of pairs of HashName and HashValue")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Others(self.0, self.1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut name, mut value) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "HashName" => name = map.next_value::<Scalar>()?.0,
                "HashValue" => value = Some(map.next_value::<Scalar>()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if let (Some(name), Some(value)) = (name, value)
            && self.0.find(&name).is_ok_and(|algorithm| algorithm.length() >= 16)
        {
            self.1.member(self.0, &name, value);
        }
        Ok(())
    }
}
