//! One stream as a member.

use super::cursor::Cursor;
use super::document::Document;
use super::filter::Chain;
use super::object::{Dictionary, Object};
use super::placed::{PlacedObject, fault, placed};
use crate::checked::{CheckedBytes, StatedSum};
use crate::member::{failure, node};
use pfh_bytes::node::{Content, Failure, Kind, Node, Run, Times};
use pfh_bytes::time::days;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// A stream at its place.
pub struct Stream {
    document: Arc<Document>,
    number: u32,
    offset: u64,
    path: Arc<[u8]>,
}

impl Stream {
    /// The member of this name.
    pub fn node(document: Arc<Document>, number: u32, offset: u64, path: Vec<u8>) -> Result<Node, Failure> {
        let stream = Stream { document, number, offset, path: path.clone().into() };
        let mut node = node(path, Kind::File);
        node.id = Some(u64::from(number));
        let (dictionary, start) = stream.read()?;
        node.times = times(&stream.document, &dictionary);
        let chain = stream.chain(&dictionary)?;
        node.compressed = !chain.is_plain();
        if chain.is_plain()
            && let Ok(range) = stream.range(&dictionary, start)
        {
            node.size = Some(range.end - range.start);
        }
        node.content = Some(Arc::new(stream));
        Ok(node)
    }

    fn fail(&self, error: io::Error) -> Failure {
        Failure { path: self.path.to_vec(), ..fault(self.offset, error) }
    }

    fn wrong<T>(&self, cause: impl Into<String>) -> Result<T, Failure> {
        Err(Failure { offset: Some(self.offset), ..failure(&self.path, cause) })
    }

    /// Its dictionary, and where its bytes begin.
    fn read(&self) -> Result<(Dictionary, u64), Failure> {
        let mut cursor = Cursor::new(self.document.bytes.clone());
        cursor.seek(self.offset);
        match placed(&mut cursor).map_err(|error| self.fail(error))? {
            Some(PlacedObject { number, object: Object::Dictionary(dictionary), stream: Some(start), .. })
                if number == self.number =>
            {
                Ok((dictionary, start))
            }
            _ => self.wrong("it is not there any more"),
        }
    }

    fn chain(&self, dictionary: &Dictionary) -> Result<Chain, Failure> {
        Chain::of(&|object| self.document.resolve(object), dictionary).map_err(|error| self.fail(error))
    }

    /// Where its bytes are. No other object may begin in them.
    fn range(&self, dictionary: &Dictionary, start: u64) -> Result<Range<u64>, Failure> {
        let end = self.document.end_of(dictionary, start).map_err(|error| self.fail(error))?;
        let offsets = &self.document.offsets;
        let next = offsets.partition_point(|offset| *offset <= self.offset);
        match offsets.get(next) {
            Some(next) if *next < end => {
                self.wrong(format!("its bytes hold another object, at offset {next}: a bomb, or damage"))
            }
            _ => Ok(start..end),
        }
    }
}

impl Content for Stream {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let (dictionary, start) = self.read()?;
        let chain = self.chain(&dictionary)?;
        let range = self.range(&dictionary, start)?;
        let stored = range.end - range.start;
        let most = self.document.limits.most(stored);
        let opened = chain.open(&self.document.bytes, range, most);
        let size = chain.is_plain().then_some(stored);
        Ok(Box::new(CheckedBytes::new(opened, self.path.clone(), StatedSum { size, crc: None }, most)))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let (dictionary, start) = self.read().ok()?;
        if !self.chain(&dictionary).ok()?.is_plain() {
            return None;
        }
        let range = self.range(&dictionary, start).ok()?;
        Some(vec![Run { file_offset: 0, medium_offset: Some(range.start), length: range.end - range.start }])
    }
}

/// The times that an embedded file states.
fn times(document: &Document, dictionary: &Dictionary) -> Times {
    let mut times = Times::default();
    let found = dictionary.get("Params").map(|parameters| document.resolve(parameters));
    let Some(Ok(Object::Dictionary(parameters))) = found else { return times };
    let time = |name| if let Some(Object::Text(text)) = parameters.get(name) { date(text) } else { None };
    (times.modified, times.born) = (time("ModDate"), time("CreationDate"));
    times
}

/// A date such as `D:20261126091500+01'00'` (ISO 32000-1, 7.9.4); `None` without a zone, since its
/// time is not known then.
fn date(text: &[u8]) -> Option<i128> {
    let text = text.strip_prefix(b"D:").unwrap_or(text);
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    };
    let days = days(number(0, 4)?, number(4, 6)? as u32, number(6, 8)? as u32)?;
    let seconds = days * 86_400 + number(8, 10)? * 3600 + number(10, 12)? * 60 + number(12, 14)?;
    let sign = match text.get(14)? {
        b'Z' => 0,
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let east = if sign == 0 { 0 } else { number(15, 17)? * 3600 + number(18, 20).unwrap_or(0) * 60 };
    Some(i128::from(seconds - sign * east) * 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_a_zone() {
        let noon = 20_783 * 86_400_000_000_000 + 43_200_000_000_000;
        assert_eq!(date(b"D:20261126130000+01'00'"), Some(noon));
        assert_eq!(date(b"D:20261126120000Z"), Some(noon));
        assert_eq!(date(b"20261126063000-05'30"), Some(noon));
        assert_eq!((date(b"D:20261126120000"), date(b"D:2026"), date(b"")), (None, None, None));
    }
}
