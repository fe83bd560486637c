//! Transfer encodings: base64, quoted-printable (RFC 2045) and uuencode.

use super::super::ready::{self, ReadyBytes, Steps};
use pfh_bytes::node::Failure;
use std::io::{self, BufRead, BufReader, Read};

/// How a part is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Not at all.
    None,
    Base64,
    QuotedPrintable,
    Uuencode,
}

impl Encoding {
    /// The encoding of this name; `None` for one that is not known.
    pub fn of(name: &str) -> Option<Encoding> {
        Some(match name {
            "" | "7bit" | "8bit" | "binary" | "7-bit" | "8-bit" => Encoding::None,
            "base64" => Encoding::Base64,
            "quoted-printable" => Encoding::QuotedPrintable,
            "x-uuencode" | "uuencode" | "x-uue" | "uue" => Encoding::Uuencode,
            _ => return None,
        })
    }
}

/// The value of a letter of base64.
fn six(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

/// A short text of base64, whole; `None` if it is something else.
pub fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    Decoder::new(text, Encoding::Base64, 0, &[]).read_to_end(&mut out).ok()?;
    Some(out)
}

/// The byte of two hexadecimal digits.
pub fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let [high, low] = digits else { return None };
    Some((digit(*high)? * 16 + digit(*low)?) as u8)
}

/// Decodes its input.
pub struct Decoder<R> {
    input: BufReader<R>,
    encoding: Encoding,
    /// Where the input is on the medium.
    at: u64,
    path: Vec<u8>,
    ready: ReadyBytes,
    /// Letters of base64 that are not four yet.
    letters: (u32, u32),
    /// Signs that fill up the last four letters.
    filled: u32,
    /// Whether the line came that begins a file of uuencode.
    has_begun: bool,
    is_ended: bool,
    failed: Option<Failure>,
}

/// The longest line that is taken as one.
const LINE: u64 = 1 << 16;

impl<R: Read> Decoder<R> {
    /// Decodes `input`, which is at `at` on the medium and belongs to the part of this path.
    pub fn new(input: R, encoding: Encoding, at: u64, path: &[u8]) -> Decoder<R> {
        let (input, ready) = (BufReader::with_capacity(16 << 10, input), ReadyBytes::default());
        let (path, has_begun) = (path.to_vec(), false);
        let (letters, filled, is_ended, failed) = ((0, 0), 0, false, None);
        Decoder { input, encoding, at, path, ready, letters, filled, has_begun, is_ended, failed }
    }

    fn fail<T>(&mut self, offset: u64, cause: &str) -> io::Result<T> {
        let failure =
            Failure { path: self.path.clone(), offset: Some(offset), cause: cause.to_owned(), ..Failure::default() };
        self.failed = Some(failure.clone());
        Err(io::Error::new(io::ErrorKind::InvalidData, failure))
    }

    /// The next line with its end, or as much of it as is taken at once.
    fn line(&mut self) -> io::Result<Vec<u8>> {
        let mut line = Vec::new();
        (&mut self.input).take(LINE).read_until(b'\n', &mut line)?;
        Ok(line)
    }

    fn base64(&mut self, line: &[u8]) -> io::Result<()> {
        for (place, &byte) in line.iter().enumerate() {
            let at = self.at + place as u64;
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                continue;
            }
            if byte == b'=' && self.letters.1 >= 2 && self.letters.1 + self.filled < 4 {
                self.filled += 1;
                continue;
            }
            let Some(value) = six(byte).filter(|_| self.filled == 0) else {
                return self.fail(at, "a character that base64 does not have here");
            };
            self.letters = (self.letters.0 << 6 | value, self.letters.1 + 1);
            if self.letters.1 == 4 {
                self.ready.bytes.extend_from_slice(&self.letters.0.to_be_bytes()[1..]);
                self.letters = (0, 0);
            }
        }
        Ok(())
    }

    /// Decodes the last letters of base64, whose padding may be missing.
    fn last(&mut self) -> io::Result<()> {
        match self.letters {
            (_, 0) => {}
            (bits, 2) => self.ready.bytes.push((bits >> 4) as u8),
            (bits, 3) => self.ready.bytes.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
            _ => return self.fail(self.at, "base64 that ends within a byte"),
        }
        self.letters = (0, 0);
        Ok(())
    }

    fn quoted(&mut self, line: &[u8]) {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let end = &line[content.len()..];
        // White space at the end of a line was added on the way.
        let content = if end.is_empty() { content } else { content.trim_ascii_end() };
        let (content, end) = match content.strip_suffix(b"=") {
            Some(content) => (content, &b""[..]),
            None => (content, end),
        };
        let mut at = 0;
        while let Some(&byte) = content.get(at) {
            let hex = (byte == b'=').then(|| content.get(at + 1..at + 3)).flatten();
            let hex = hex.and_then(hexadecimal);
            self.ready.bytes.push(hex.unwrap_or(byte));
            at += if hex.is_some() { 3 } else { 1 };
        }
        self.ready.bytes.extend_from_slice(end);
    }

    fn uuencoded(&mut self, line: &[u8]) -> io::Result<()> {
        let line = line.trim_ascii_end();
        if !self.has_begun {
            self.has_begun = line.starts_with(b"begin ");
            return Ok(());
        }
        if line.is_empty() || line == b"`" {
            return Ok(());
        }
        if line == b"end" {
            self.is_ended = true;
            return Ok(());
        }
        match uu_line(line) {
            Some(bytes) => self.ready.bytes.extend(bytes),
            None => return self.fail(self.at, "a line that is not uuencoded"),
        }
        Ok(())
    }
}

/// The bytes of a line of uuencode.
pub fn uu_line(line: &[u8]) -> Option<Vec<u8>> {
    let line = line.trim_ascii_end();
    let value = |byte: u8| (0x20..=0x60).contains(&byte).then(|| u32::from((byte - 0x20) & 63));
    let (first, rest) = line.split_first()?;
    let count = value(*first)? as usize;
    let groups = count.div_ceil(3);
    // Spaces at the end of a line may be lost on the way, and a checksum may stand there.
    if rest.len() > groups * 4 + 1 {
        return None;
    }
    sixes(count, rest, value)
}

/// The first `count` bytes of letters with six bits each, as the letters' values say; letters that
/// are missing at the end are zeros.
pub fn sixes(count: usize, letters: &[u8], value: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let groups = count.div_ceil(3);
    let mut out = Vec::with_capacity(groups * 3);
    for group in 0..groups {
        let mut bits = 0;
        for place in 0..4 {
            bits = bits << 6 | letters.get(group * 4 + place).map_or(Some(0), |byte| value(*byte))?;
        }
        out.extend_from_slice(&bits.to_be_bytes()[1..]);
    }
    out.truncate(count);
    Some(out)
}

impl<R: Read> Steps for Decoder<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.ready
    }

    fn step(&mut self) -> io::Result<bool> {
        if self.is_ended {
            return Ok(false);
        }
        let line = self.line()?;
        if line.is_empty() {
            self.is_ended = true;
            if self.encoding == Encoding::Uuencode {
                let what = if self.has_begun { "the uuencoded file does not end" } else { "no uuencoded file begins" };
                return self.fail(self.at, what);
            }
            self.last()?;
            return Ok(false);
        }
        match self.encoding {
            Encoding::None => self.ready.bytes.extend_from_slice(&line),
            Encoding::Base64 => self.base64(&line)?,
            Encoding::QuotedPrintable => self.quoted(&line),
            Encoding::Uuencode => self.uuencoded(&line)?,
        }
        self.at += line.len() as u64;
        Ok(true)
    }
}

impl<R: Read> Read for Decoder<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(failed) = &self.failed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, failed.clone()));
        }
        ready::read(self, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(encoding: Encoding, text: &str) -> Result<String, String> {
        let mut out = Vec::new();
        let read = Decoder::new(text.as_bytes(), encoding, 100, b"x").read_to_end(&mut out);
        read.map(|_| String::from_utf8_lossy(&out).into_owned()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_encoding() {
        use Encoding::{Base64, QuotedPrintable, Uuencode};
        for (encoding, text, expected) in [
            (Base64, "aGVs\r\nbG8=\r\n", "hello"),
            (Base64, "aGVs bG8", "hello"),
            (Base64, "aGU=", "he"),
            (Base64, "aA==\n", "h"),
            (Base64, "", ""),
            (QuotedPrintable, "a=3Db =\r\nc  \r\nd=\n", "a=b c\r\nd"),
            (QuotedPrintable, "100=% =zz", "100=% =zz"),
            (Uuencode, "begin 644 x\n%:&5L;&\\\n`\nend\nmore", "hello"),
            (Uuencode, "a note\n\nbegin 644 x y\n#8V%T\n`\nend\n", "cat"),
        ] {
            assert_eq!(decode(encoding, text).as_deref(), Ok(expected), "{text}");
        }
        assert!(decode(Base64, "aGVs!bG8=").unwrap_err().contains("offset 104"));
        assert!(decode(Base64, "aA==aA==").unwrap_err().contains("offset 104"));
        assert!(decode(Base64, "aGVsb").unwrap_err().contains("within a byte"));
        assert!(decode(Uuencode, "begin 644 x\nM!a\nend\n").unwrap_err().contains("offset 112"));
        assert!(decode(Uuencode, "begin 644 x\n#8V%T\n").unwrap_err().contains("does not end"));
        assert!(decode(Uuencode, "x\n").unwrap_err().contains("begins"));
    }
}
