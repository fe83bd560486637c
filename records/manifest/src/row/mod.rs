//! Rows as JSON by serde, for every type with `#[derive(Serialize)]`.
//!
//! A name that is not UTF-8 stands in its member with U+FFFD for the bytes that are not, and
//! exactly in `MEMBER_b64`. Controls and bidirectional characters are escaped, so that a terminal
//! can show a line.
//!
//! ```
//! use pfh_manifest::row;
//! use serde::Serialize;
//!
//! #[derive(Serialize)]
//! struct Found<'a> {
//!     #[serde(flatten)]
//!     name: row::Path<'a>,
//!     size: u64,
//! }
//! assert_eq!(row::line(&Found { name: row::Path(b"a\x1b"), size: 3 }), "{\"path\":\"a\\u001b\",\"size\":3}\n");
//! assert_eq!(row::object(&Found { name: row::Path(b"\xff"), size: 3 }), "{\"path\":\"\u{fffd}\",\"path_b64\":\"/w==\",\"size\":3}");
//! ```
//!
//! The types of members know what JSON has of them, so that with the feature `schema` a row's
//! schema is made from the row.

#[cfg(feature = "schema")]
mod schema;
mod value;

pub use value::{Constant, Counts, Digests, Hex, Is, Mark, NameField, Path, TextField, Timestamp, Word, Words};

use data_encoding::BASE64;
use pfh_source::terminal;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::ser::{CharEscape, Formatter};
use std::io::{self, Write};

/// Compact JSON that a terminal can show.
struct Harmless;

impl Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut from = 0;
        for (at, c) in fragment.char_indices().filter(|(_, c)| terminal::is_unsafe(*c)) {
            writer.write_all(&fragment.as_bytes()[from..at])?;
            escape(writer, c)?;
            from = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[from..])
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escaped: CharEscape) -> io::Result<()> {
        match escaped {
            CharEscape::Quote => writer.write_all(b"\\\""),
            CharEscape::ReverseSolidus => writer.write_all(b"\\\\"),
            CharEscape::Solidus => writer.write_all(b"/"),
            CharEscape::LineFeed => writer.write_all(b"\\n"),
            CharEscape::CarriageReturn => writer.write_all(b"\\r"),
            CharEscape::Tab => writer.write_all(b"\\t"),
            // Not \b and \f: one form for all other controls.
            CharEscape::Backspace => escape(writer, '\u{8}'),
            CharEscape::FormFeed => escape(writer, '\u{c}'),
            CharEscape::AsciiControl(byte) => escape(writer, byte.into()),
        }
    }
}

fn escape<W: ?Sized + Write>(writer: &mut W, c: char) -> io::Result<()> {
    c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(writer, "\\u{unit:04x}"))
}

/// Appends a row as a JSON object, without a line feed.
///
/// # Panics
/// When the row is one that JSON cannot hold: a map with keys that are not text.
pub fn append<T: Serialize + ?Sized>(out: &mut Vec<u8>, row: &T) {
    let mut serializer = serde_json::Serializer::with_formatter(out, Harmless);
    row.serialize(&mut serializer).expect("a row of text and numbers");
}

/// Appends a row as a line of JSON, with its line feed.
///
/// # Panics
/// As [`append`].
pub fn append_line<T: Serialize + ?Sized>(out: &mut Vec<u8>, row: &T) {
    append(out, row);
    out.push(b'\n');
}

/// A row as a JSON object.
///
/// # Panics
/// As [`append`].
pub fn object<T: Serialize + ?Sized>(row: &T) -> String {
    let mut out = Vec::new();
    append(&mut out, row);
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// A row as a line of JSON, with its line feed.
///
/// # Panics
/// As [`append`].
pub fn line<T: Serialize + ?Sized>(row: &T) -> String {
    object(row) + "\n"
}

/// A name as the members `member` and, if it is not UTF-8, `member_b64`.
fn named<S: Serializer>(member: &'static str, name: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry(member, &String::from_utf8_lossy(name))?;
    if str::from_utf8(name).is_err() {
        map.serialize_entry(&format!("{member}_b64"), &BASE64.encode(name))?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8259, section 7: a character that a terminal must not see is `\\u` and four digits.
    fn escaped(text: &str) -> String {
        let mut out = Vec::new();
        out.push(b'"');
        for c in text.chars() {
            match c {
                '"' => out.extend_from_slice(b"\\\""),
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\t' => out.extend_from_slice(b"\\t"),
                c if terminal::is_unsafe(c) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                    }
                }
                c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        out.push(b'"');
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_character_that_a_terminal_must_not_see_is_escaped() {
        for c in (0..0x3000_u32).chain([0xfeff, 0x1f600, 0xe0001]).filter_map(char::from_u32) {
            let text = format!("a{c}b{c}{c}");
            assert_eq!(object(&text), escaped(&text), "U+{:04X}", c as u32);
        }
    }
}
