//! The values as algorithms. None of them is a digest of all bytes: files with the same one may
//! differ, so that they stand with the similarity digests. A file without one has the absence of
//! `imports` for its value, whichever of the three is asked for.

use super::{imphash, rich, telfhash};
use crate::imports::LARGEST;
use crate::strings::MARKS;
use crate::{ABSENT, Content, MethodName, NoDigest, Similar};
use pfh_digest::{Output, Row, Standing, State, Value};

/// The values, for a `pfh_digest::Registry`: imphash and richhash are compared exactly, telfhash as
/// TLSH.
pub static ROWS: [Row; 3] = [
    Row::new("imphash", &[], Output::Text, Standing::Similarity, 1, || start(of_imports)).with_parser(parsed),
    Row::new("richhash", &["rich", "rich-header"], Output::Text, Standing::Similarity, 1, || start(of_rich))
        .with_parser(parsed),
    Row::new("telfhash", &[], Output::Text, Standing::Similarity, 1, || start(of_functions))
        .with_parser(|text| if text == ABSENT { Some(absent()) } else { tlsh(text) })
        .with_fact(&MethodName::Tlsh),
];

/// Hexadecimal digits of MD5.
const DIGITS: usize = 32;

fn absent() -> Value {
    Similar::new(MethodName::Imports, Err(NoDigest::OtherKind), None).into()
}

fn of_imports(bytes: &[u8]) -> Value {
    imphash(bytes).map_or_else(absent, |digest| Value::from_text(digest.to_string()))
}

fn of_rich(bytes: &[u8]) -> Value {
    rich(bytes).map_or_else(absent, |digest| Value::from_text(digest.to_string()))
}

fn of_functions(bytes: &[u8]) -> Value {
    telfhash(bytes).map_or_else(absent, |digest| Similar::new(MethodName::Tlsh, Ok(Content::Tlsh(digest)), None).into())
}

fn tlsh(text: &str) -> Option<Value> {
    Similar::parse(MethodName::Tlsh, text).ok().filter(|similar| !similar.is_absent()).map(Value::from)
}

fn parsed(text: &str) -> Option<Value> {
    if text == ABSENT {
        return Some(absent());
    }
    let is_digest = text.len() == DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_digest.then(|| Value::from_text(text.to_ascii_lowercase()))
}

/// A program until all of it came.
#[derive(Clone)]
struct WholeProgram {
    bytes: Vec<u8>,
    length: u64,
    end: fn(&[u8]) -> Value,
}

impl State for WholeProgram {
    fn update(&mut self, bytes: &[u8]) {
        let is_whole = self.bytes.len() as u64 == self.length;
        self.length += bytes.len() as u64;
        if !is_whole {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        let is_program = MARKS.iter().any(|mark| self.bytes.iter().zip(*mark).all(|(a, b)| a == b));
        if self.length > LARGEST || !is_program {
            self.bytes = Vec::new();
        }
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        (self.end)(&self.bytes)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

fn start(end: fn(&[u8]) -> Value) -> Box<dyn State> {
    Box::new(WholeProgram { bytes: Vec::new(), length: 0, end })
}
