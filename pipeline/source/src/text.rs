//! Text as it comes: with or without a byte order mark, UTF-8 (or any ASCII superset, which passes
//! as it is) or UTF-16.
//!
//! Windows PowerShell's `>` writes UTF-16; lists that went through it are still lists.

use crate::interruption::go_on;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// Whether the first whole line of a text ends as programs of Windows end it, with CR and LF.
pub fn has_windows_lines(start: &[u8]) -> bool {
    start.iter().position(|&byte| byte == b'\n').is_some_and(|at| start[..at].ends_with(b"\r"))
}

/// A reader without a byte order mark, whose bytes are UTF-8 where the mark said UTF-16.
pub struct Text<R>(Encoding<R>);

type MarkedReader<R> = Chain<Cursor<Vec<u8>>, R>;

enum Encoding<R> {
    Plain(MarkedReader<R>),
    Utf16(BufReader<Utf16<MarkedReader<R>>>),
}

impl<R: BufRead> Text<R> {
    /// Reads up to three bytes to find a mark. Errors are the reader's own.
    pub fn open(reader: R) -> io::Result<Text<R>> {
        Text::marked(reader).map(|(_, text)| text)
    }

    /// As [`open`](Text::open), and whether there is a mark.
    ///
    /// # Errors
    /// The reader's own.
    pub fn marked(mut reader: R) -> io::Result<(bool, Text<R>)> {
        let mut start = Vec::with_capacity(3);
        reader.by_ref().take(3).read_to_end(&mut start)?;
        let (skip, order) = match start[..] {
            [0xEF, 0xBB, 0xBF] => (3, None),
            [0xFF, 0xFE, ..] => (2, Some(ByteOrder::Little)),
            [0xFE, 0xFF, ..] => (2, Some(ByteOrder::Big)),
            _ => (0, None),
        };
        start.drain(..skip);
        let marked = Cursor::new(start).chain(reader);
        let encoding = match order {
            None => Encoding::Plain(marked),
            Some(order) => {
                Encoding::Utf16(BufReader::new(Utf16 { reader: marked, order, high: None, ready: Vec::new() }))
            }
        };
        Ok((skip > 0, Text(encoding)))
    }
}

impl<R: BufRead> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        go_on()?;
        match &mut self.0 {
            Encoding::Plain(reader) => reader.read(buffer),
            Encoding::Utf16(reader) => reader.read(buffer),
        }
    }
}

impl<R: BufRead> BufRead for Text<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        go_on()?;
        match &mut self.0 {
            Encoding::Plain(reader) => reader.fill_buf(),
            Encoding::Utf16(reader) => reader.fill_buf(),
        }
    }

    fn consume(&mut self, amount: usize) {
        match &mut self.0 {
            Encoding::Plain(reader) => reader.consume(amount),
            Encoding::Utf16(reader) => reader.consume(amount),
        }
    }
}

#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

/// UTF-16 to UTF-8. A surrogate without its twin keeps its value in three bytes (WTF-8), so no two
/// names become one; an odd last byte is passed on as it is.
struct Utf16<R> {
    reader: R,
    order: ByteOrder,
    high: Option<u16>,
    /// Bytes that are due, in reverse.
    ready: Vec<u8>,
}

impl<R: BufRead> Utf16<R> {
    fn unit(&mut self) -> io::Result<Option<Result<u16, u8>>> {
        let mut pair = [0; 2];
        let mut have = 0;
        while have < 2 {
            match self.reader.read(&mut pair[have..]) {
                Ok(0) => break,
                Ok(n) => have += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match (have, self.order) {
            (0, _) => None,
            (1, _) => Some(Err(pair[0])),
            (_, ByteOrder::Little) => Some(Ok(u16::from_le_bytes(pair))),
            (_, ByteOrder::Big) => Some(Ok(u16::from_be_bytes(pair))),
        })
    }

    /// Makes at least one byte ready, or none at the end.
    fn decode(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            let mut due = Vec::with_capacity(4);
            match (self.unit()?, self.high.take()) {
                (None, None) => return Ok(()),
                (None, Some(high)) => lone(&mut due, high),
                (Some(Err(byte)), high) => {
                    high.into_iter().for_each(|high| lone(&mut due, high));
                    due.push(byte);
                }
                (Some(Ok(low @ 0xDC00..=0xDFFF)), Some(high)) => {
                    let code = 0x1_0000 + (u32::from(high - 0xD800) << 10) + u32::from(low - 0xDC00);
                    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
                    due.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                (Some(Ok(unit)), high) => {
                    high.into_iter().for_each(|high| lone(&mut due, high));
                    match (unit, char::from_u32(u32::from(unit))) {
                        (_, Some(c)) => due.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        (0xD800..=0xDBFF, None) => self.high = Some(unit),
                        (_, None) => lone(&mut due, unit),
                    }
                }
            }
            due.reverse();
            self.ready = due;
        }
        Ok(())
    }
}

fn lone(out: &mut Vec<u8>, unit: u16) {
    // The three-byte form of UTF-8; the masks keep each part within its byte.
    out.extend_from_slice(&[0xE0 | (unit >> 12) as u8, 0x80 | (unit >> 6 & 0x3F) as u8, 0x80 | (unit & 0x3F) as u8]);
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < buffer.len() {
            if self.ready.is_empty() {
                self.decode()?;
            }
            let Some(byte) = self.ready.pop() else { break };
            buffer[written] = byte;
            written += 1;
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        // One byte at a time: marks and pairs are found across short reads.
        Text::open(BufReader::with_capacity(1, bytes)).and_then(|mut text| text.read_to_end(&mut out)).expect("memory");
        out
    }

    #[test]
    fn marks() {
        assert_eq!(read(b"\xEF\xBB\xBFab"), b"ab");
        assert_eq!(read(b"\xEF\xBBab"), b"\xEF\xBBab");
        assert_eq!(read(b""), b"");
        assert_eq!(read(b"\xFF\xFEa\0b"), b"ab");
        assert!(has_windows_lines(b"a\r\nb\n") && !has_windows_lines(b"a\nb\r\n") && !has_windows_lines(b"a\r"));
        assert_eq!(read(b"\xFE\xFF\0a\xD8\x00\0b"), b"a\xED\xA0\x80b");
    }

    proptest! {
        #[test]
        fn utf16_becomes_utf8(text in any::<String>()) {
            let mut little = vec![0xFF, 0xFE];
            let mut big = vec![0xFE, 0xFF];
            for unit in text.encode_utf16() {
                little.extend_from_slice(&unit.to_le_bytes());
                big.extend_from_slice(&unit.to_be_bytes());
            }
            prop_assert_eq!(read(&little), text.as_bytes());
            prop_assert_eq!(read(&big), text.as_bytes());
        }
    }
}
