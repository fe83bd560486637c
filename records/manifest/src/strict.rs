//! JSON in which nothing is said twice: RFC 8259 leaves open which of two members of one name
//! counts, and readers differ. A document that has one is refused, with the member's name.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::fmt;

/// Why a text is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// It is not JSON.
    Malformed,
    /// This member is there twice.
    Twice(String),
}

/// Reads a document.
///
/// ```
/// use pfh_manifest::strict::{Wrong, parse};
///
/// assert!(parse(br#"{"a":1,"b":{"a":2}}"#).is_ok());
/// assert_eq!(parse(br#"{"b":{"a":1,"a":2}}"#), Err(Wrong::Twice("a".into())));
/// assert_eq!(parse(b"{"), Err(Wrong::Malformed));
/// ```
///
/// # Errors
/// When it is not JSON, or an object in it has a member twice.
pub fn parse(text: &[u8]) -> Result<Value, Wrong> {
    let twice = RefCell::new(None);
    let mut text = serde_json::Deserializer::from_slice(text);
    let read = Reader(&twice).deserialize(&mut text).and_then(|value| text.end().map(|()| value));
    read.map_err(|_| twice.take().map_or(Wrong::Malformed, Wrong::Twice))
}

/// Reads one value, and names the member that it met twice: serde's errors are text.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a RefCell<Option<String>>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(self)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = access.next_key::<String>()? {
            if members.contains_key(&name) {
                let error = A::Error::custom("a member is there twice");
                *self.0.borrow_mut() = Some(name);
                return Err(error);
            }
            let value = access.next_value_seed(self)?;
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}
