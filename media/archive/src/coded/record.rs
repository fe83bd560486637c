//! Records of Intel HEX and of Motorola's S-records: bytes with their addresses, as digits, for
//! devices. Bytes of addresses one behind the other are one file, named by the first address.

use super::super::mail::hexadecimal;
use super::file::{Code, File};
use super::line::Lines;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::sync::Arc;

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Bytes at an address: with Intel's, the lower 16 bits of it.
    Data(u64, Vec<u8>),
    /// The address that those of the following lines are added to.
    Base(u64),
    /// Names, counts, starts.
    Other,
    /// The last one.
    End,
}

fn digits(text: &[u8]) -> Option<Vec<u8>> {
    text.chunks(2).map(hexadecimal).collect()
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The record of a line, if it is one with a right checksum.
pub fn record(line: &[u8]) -> Option<Record> {
    let line = line.trim_ascii();
    if let Some(text) = line.strip_prefix(b":") {
        let raw = digits(text)?;
        let sum = raw.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        let (count, data) = (usize::from(*raw.first()?), raw.get(4..raw.len().checked_sub(1)?)?);
        if data.len() != count || sum != 0 {
            return None;
        }
        return Some(match (raw[3], count) {
            (0, _) => Record::Data(number(&raw[1..3]), data.to_vec()),
            (1, 0) => Record::End,
            (2, 2) => Record::Base(number(data) << 4),
            (4, 2) => Record::Base(number(data) << 16),
            (3 | 5, 4) => Record::Other,
            _ => return None,
        });
    }
    let (kind, text) = line.strip_prefix(b"S")?.split_first()?;
    let raw = digits(text)?;
    let sum = raw.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    let wide = match kind {
        b'0' | b'1' | b'5' | b'9' => 2,
        b'2' | b'6' | b'8' => 3,
        b'3' | b'7' => 4,
        _ => return None,
    };
    if usize::from(*raw.first()?) != raw.len() - 1 || raw.len() < wide + 2 || sum != 0xff {
        return None;
    }
    let data = raw[1 + wide..raw.len() - 1].to_vec();
    Some(match kind {
        b'1'..=b'3' => Record::Data(number(&raw[1..=wide]), data),
        b'7'..=b'9' => Record::End,
        _ => Record::Other,
    })
}

/// Whether a text begins with such a line, and another one of digits.
pub fn is_one(start: &[u8]) -> bool {
    let mut lines = start.split(|byte| *byte == b'\n').map(|line| line.trim_ascii()).filter(|line| !line.is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let is_like = second.len() > 8 && second[0] == first[0] && second[1..].iter().all(u8::is_ascii_hexdigit);
    matches!(start.first(), Some(b':' | b'S')) && is_like && record(first).is_some()
}

/// The files of a text, in its order.
pub struct Records {
    lines: Lines,
    base: u64,
    /// The file at hand, and the address behind it.
    begun: Option<(File, u64)>,
    has_ended: bool,
    is_over: bool,
}

impl Records {
    /// Those of `bytes`.
    pub fn new(bytes: Arc<dyn Bytes>) -> Records {
        Records { lines: Lines::new(bytes), base: 0, begun: None, has_ended: false, is_over: false }
    }

    fn fail(&mut self, offset: u64, cause: &str) -> Result<File, Failure> {
        self.is_over = true;
        Err(Failure { offset: Some(offset), cause: cause.to_owned(), ..Failure::default() })
    }
}

impl Iterator for Records {
    type Item = Result<File, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            let line = match self.lines.next() {
                Ok(Some(line)) => line,
                Ok(None) if self.has_ended => break,
                Ok(None) if self.begun.is_some() => return self.begun.take().map(|(file, _)| Ok(file)),
                Ok(None) => return Some(self.fail(0, "records of addresses without the last one: cut off")),
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(pfh_bytes::field::unreadable(0, &error)));
                }
            };
            if line.text.trim_ascii().is_empty() {
                continue;
            }
            if self.has_ended {
                return Some(self.fail(line.at, "something follows the last record: not read"));
            }
            match record(&line.text) {
                Some(Record::Data(address, data)) => {
                    let address = self.base.saturating_add(address);
                    let behind = address.saturating_add(data.len() as u64);
                    if let Some((file, next)) = self.begun.as_mut().filter(|(_, next)| *next == address) {
                        (file.range.1, *next) = (line.next, behind);
                        file.size = file.size.map(|size| size + data.len() as u64);
                        continue;
                    }
                    let (name, size) = (format!("{address:08x}").into_bytes(), Some(data.len() as u64));
                    let file = File { name, code: Code::Records, range: (line.at, line.next), size, crc: None };
                    if let Some((before, _)) = self.begun.replace((file, behind)) {
                        return Some(Ok(before));
                    }
                }
                Some(Record::Base(base)) => self.base = base,
                Some(Record::Other) => {}
                Some(Record::End) => {
                    self.has_ended = true;
                    if let Some((file, _)) = self.begun.take() {
                        return Some(Ok(file));
                    }
                }
                None => {
                    return Some(self.fail(line.at, "neither a record nor its checksum are right: not read further"));
                }
            }
        }
        self.begun.take().map(|(file, _)| Ok(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_records_by_their_checksums() {
        assert_eq!(record(b":0300300002337A1E\r"), Some(Record::Data(0x30, vec![2, 0x33, 0x7a])));
        assert_eq!(record(b":00000001FF"), Some(Record::End));
        assert_eq!(record(b":020000040800F2"), Some(Record::Base(0x0800_0000)));
        assert_eq!(
            record(b"S1137AF00A0A0D0000000000000000000000000061")
                .map(|record| matches!(record, Record::Data(0x7af0, _))),
            Some(true)
        );
        assert_eq!(record(b"S9030000FC"), Some(Record::End));
        for line in [&b":0300300002337A1F"[..], b":", b"S", b"S1", b":00", b"Some words", b"S9030000FD", b":zz"] {
            assert_eq!(record(line), None, "{}", String::from_utf8_lossy(line));
        }
        assert!(is_one(b":020000040800F2\n:00000001FE\n") && !is_one(b"S9030000FC\nwords and others\n"));
    }
}
