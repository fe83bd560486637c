//! Decoders of xxencode, yEnc, lines with a prefix and records of digits.

use super::super::mail::sixes;
use super::super::ready::{self, ReadyBytes, Steps};
use super::file::Code;
use super::record::{Record, record};
use pfh_bytes::node::Failure;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is taken as one.
const LINE: u64 = 1 << 16;

/// Decodes its input, line by line.
pub struct Decoder<R> {
    input: BufReader<R>,
    code: Code,
    at: u64,
    path: Vec<u8>,
    ready: ReadyBytes,
    /// Whether the line came that begins a file of xxencode.
    has_begun: bool,
    /// Whether the piece before had no end, and the end of the line before.
    is_within: bool,
    is_ended: bool,
}

/// The value of a letter of xxencode.
fn value(byte: u8) -> Option<u32> {
    Some(match byte {
        b'+' => 0,
        b'-' => 1,
        b'0'..=b'9' => u32::from(byte - b'0') + 2,
        b'A'..=b'Z' => u32::from(byte - b'A') + 12,
        b'a'..=b'z' => u32::from(byte - b'a') + 38,
        _ => return None,
    })
}

/// The bytes of a line of xxencode.
pub fn xx_line(line: &[u8]) -> Option<Vec<u8>> {
    let (first, rest) = line.trim_ascii_end().split_first()?;
    let count = value(*first)? as usize;
    let groups = count.div_ceil(3);
    if !(groups * 4..=groups * 4 + 1).contains(&rest.len()) {
        return None;
    }
    sixes(count, rest, value)
}

impl<R: Read> Decoder<R> {
    /// Decodes `input`, which is at `at` in the text and belongs to the file of this name.
    pub fn new(input: R, code: Code, at: u64, path: &[u8]) -> Decoder<R> {
        let (input, ready) = (BufReader::with_capacity(16 << 10, input), ReadyBytes::default());
        let (has_begun, is_within, is_ended) = (false, false, false);
        Decoder { input, code, at, path: path.to_vec(), ready, has_begun, is_within, is_ended }
    }

    fn fail<T>(&self, cause: &str) -> io::Result<T> {
        let failure =
            Failure { path: self.path.clone(), offset: Some(self.at), cause: cause.to_owned(), ..Failure::default() };
        Err(io::Error::new(io::ErrorKind::InvalidData, failure))
    }

    fn xxencoded(&mut self, line: &[u8]) -> io::Result<()> {
        let line = line.trim_ascii_end();
        match line {
            _ if !self.has_begun => self.has_begun = line.starts_with(b"begin "),
            b"" | b"+" => {}
            b"end" => self.is_ended = true,
            _ => match xx_line(line) {
                Some(bytes) => self.ready.bytes.extend(bytes),
                None => return self.fail("a line that is not xxencoded"),
            },
        }
        Ok(())
    }

    /// yEnc: 42 was added to each byte; a critical one has 64 more, behind a sign.
    fn yencoded(&mut self, line: &[u8]) {
        for &byte in line {
            match byte {
                b'\r' | b'\n' => {}
                b'=' if !self.has_begun => self.has_begun = true,
                _ => {
                    let by = if std::mem::take(&mut self.has_begun) { 42 + 64 } else { 42 };
                    self.ready.bytes.push(byte.wrapping_sub(by));
                }
            }
        }
    }

    fn line(&mut self, line: &[u8], prefix: &[u8]) {
        // A longer line comes in pieces; the prefix is at its start.
        let rest = if self.is_within { line } else { line.strip_prefix(prefix).unwrap_or(line) };
        self.is_within = !line.ends_with(b"\n");
        self.ready.bytes.extend_from_slice(rest);
    }
}

impl<R: Read> Steps for Decoder<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.ready
    }

    fn step(&mut self) -> io::Result<bool> {
        if self.is_ended {
            return Ok(false);
        }
        let mut line = Vec::new();
        (&mut self.input).take(LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            self.is_ended = true;
            return Ok(false);
        }
        match self.code.clone() {
            Code::Xxencode => self.xxencoded(&line)?,
            Code::Lines(prefix) => self.line(&line, &prefix),
            Code::Records => {
                if let Some(Record::Data(_, data)) = record(&line) {
                    self.ready.bytes.extend(data);
                }
            }
            _ => self.yencoded(&line),
        }
        self.at += line.len() as u64;
        Ok(true)
    }
}

impl<R: Read> Read for Decoder<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}
