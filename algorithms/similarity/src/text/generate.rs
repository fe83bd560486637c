//! Generation, in one pass: the normal form goes through a buffer to the windows.

use super::decode::{Encoding, MARK};
use crate::shingles::{self, Digest, Unit};
use crate::{Hasher, NoDigest};

/// Bytes of the normal form that are gathered before their windows are hashed.
const BUFFER: usize = 16 << 10;
/// Bytes that are looked at between two looks at the buffer.
const STEP: usize = 4 << 10;

/// The normal form of each character of ASCII; 0 for characters that are in no text. Backspace,
/// bell and escape are in some: manual pages and terminals' logs.
const FORMS: [u8; 128] = {
    let mut forms = [0; 128];
    let mut byte = 0;
    while byte < 128u8 {
        forms[byte as usize] = match byte {
            b'\t'..=b'\r' | b' ' => b' ',
            0x07 | 0x08 | 0x1b | b'!'..=b'~' => byte.to_ascii_lowercase(),
            _ => 0,
        };
        byte += 1;
    }
    forms
};

/// The normal form on its way.
#[derive(Clone, Debug)]
struct Normal {
    buffer: Vec<u8>,
    /// Whether the last character was white space; true at the beginning.
    is_space: bool,
    /// Whether all characters are those of a text.
    is_text: bool,
    windows: shingles::Generator,
}

impl Normal {
    fn ascii(&mut self, bytes: &[u8]) {
        let mut end = self.buffer.len();
        self.buffer.resize(end + bytes.len(), 0);
        let (mut is_space, mut is_text) = (self.is_space, true);
        for &byte in bytes {
            let form = FORMS[usize::from(byte & 127)];
            self.buffer[end] = form;
            let space = form == b' ';
            end += usize::from(!(space & is_space));
            is_space = space;
            is_text &= form != 0;
        }
        self.buffer.truncate(end);
        (self.is_space, self.is_text) = (is_space, self.is_text & is_text);
    }

    fn character(&mut self, character: char) {
        if character.is_ascii() {
            self.ascii(&[character as u8]);
        } else if character.is_whitespace() {
            self.ascii(b" ");
        } else {
            let mut bytes = [0; 4];
            for lower in character.to_lowercase() {
                self.buffer.extend_from_slice(lower.encode_utf8(&mut bytes).as_bytes());
            }
            self.is_space = false;
        }
    }

    /// Hashes the gathered text, but for a space that may be the last.
    fn flush(&mut self) {
        let end = self.buffer.len() - usize::from(self.buffer.last() == Some(&b' '));
        self.windows.update(&self.buffer[..end]);
        self.buffer.drain(..end);
    }
}

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    /// `None` until the first bytes show it.
    encoding: Option<Encoding>,
    /// The beginning of a byte order mark or of a character, whose rest is to come.
    held: Vec<u8>,
    normal: Normal,
}

impl Generator {
    /// For an input that nothing is known of.
    pub fn new() -> Generator {
        let windows = shingles::Generator::new();
        let normal = Normal { buffer: Vec::new(), is_space: true, is_text: true, windows };
        Generator { encoding: None, held: Vec::new(), normal }
    }

    /// The encoding, once the first bytes came.
    fn begin(&mut self, bytes: &mut &[u8], is_end: bool) -> Option<Encoding> {
        while self.encoding.is_none() {
            if let Some((encoding, mark)) = Encoding::of(&self.held, is_end) {
                self.encoding = Some(encoding);
                self.held.drain(..mark);
            } else {
                let (first, rest) = bytes.split_first()?;
                self.held.push(*first);
                *bytes = rest;
            }
        }
        debug_assert!(self.held.len() <= MARK);
        self.encoding
    }

    /// Takes the whole characters from the held bytes.
    fn take_held(&mut self, encoding: Encoding, is_end: bool) {
        while let Some((character, length)) = encoding.first(&self.held, is_end) {
            self.normal.character(character);
            self.held.drain(..length);
        }
    }

    fn take(&mut self, encoding: Encoding, mut bytes: &[u8]) {
        self.take_held(encoding, false);
        while !self.held.is_empty() {
            let Some((first, rest)) = bytes.split_first() else { return };
            self.held.push(*first);
            bytes = rest;
            self.take_held(encoding, false);
        }
        while !bytes.is_empty() && self.normal.is_text {
            let some = &bytes[..bytes.len().min(STEP)];
            let plain = match encoding {
                Encoding::Bytes => some.iter().position(|byte| !byte.is_ascii()).unwrap_or(some.len()),
                _ => 0,
            };
            self.normal.ascii(&some[..plain]);
            bytes = &bytes[plain..];
            while bytes.first().is_some_and(|byte| encoding != Encoding::Bytes || !byte.is_ascii())
                && self.normal.buffer.len() < BUFFER
            {
                let Some((character, length)) = encoding.first(bytes, false) else {
                    self.held.extend_from_slice(bytes);
                    return;
                };
                self.normal.character(character);
                bytes = &bytes[length..];
            }
            if self.normal.buffer.len() >= BUFFER {
                self.normal.flush();
            }
        }
    }
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new()
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, mut bytes: &[u8]) {
        if !self.normal.is_text {
            return;
        }
        if let Some(encoding) = self.begin(&mut bytes, false) {
            self.take(encoding, bytes);
        }
        if !self.normal.is_text {
            *self = Generator { encoding: self.encoding, ..Generator::new() };
            self.normal.is_text = false;
        }
    }

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        if let Some(encoding) = self.begin(&mut &[][..], true) {
            self.take_held(encoding, true);
        }
        if !self.normal.is_text {
            return Err(NoDigest::OtherKind);
        }
        self.normal.flush();
        self.normal.windows.finish(Unit::Text)
    }
}
