//! Generation, in one pass behind the first lines.

use super::form::separator;
use crate::shingles::{Digest, FeatureNames, Unit};
use crate::{Hasher, NoDigest};

/// Bytes that decide whether a text is a table.
const DECIDING: usize = 16 << 10;
/// Characters of a cell, at least: shorter ones are in every table.
pub const LEAST_CELL: usize = 4;
/// The mark that a text in UTF-8 may begin with.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A cell on its way: FNV-1a over it, without white space at its end.
#[derive(Clone, Copy, Debug)]
struct Cell {
    hash: u64,
    length: usize,
    /// White space that came and is not hashed.
    spaces: usize,
    is_quoted: bool,
}

impl Cell {
    const EMPTY: Cell = Cell { hash: 0xcbf2_9ce4_8422_2325, length: 0, spaces: 0, is_quoted: false };

    fn push(&mut self, byte: u8) {
        self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.length += 1;
    }

    fn take(&mut self, byte: u8) {
        match byte {
            b'"' => self.is_quoted = !self.is_quoted,
            b' ' | b'\t' | b'\n' | b'\r' => self.spaces += usize::from(self.length > 0),
            _ => {
                if self.spaces > 0 {
                    self.push(b' ');
                    self.spaces = 0;
                }
                self.push(if byte == b',' { b'.' } else { byte.to_ascii_lowercase() });
            }
        }
    }

    fn close(&mut self, chosen: &mut FeatureNames) {
        if self.length >= LEAST_CELL {
            chosen.choose(self.hash);
        }
        *self = Cell::EMPTY;
    }
}

/// How far the text is known.
#[derive(Clone, Debug)]
enum State {
    /// The first bytes.
    Deciding(Vec<u8>),
    /// A table with this separator.
    Table(u8),
    /// Another file.
    Other,
}

/// One input on its way to a digest.
#[derive(Clone, Debug)]
pub struct Generator {
    length: u64,
    state: State,
    cell: Cell,
    chosen: FeatureNames,
}

impl Default for Generator {
    fn default() -> Generator {
        Generator { length: 0, state: State::Deciding(Vec::new()), cell: Cell::EMPTY, chosen: FeatureNames::default() }
    }
}

/// Whether a byte is in no text.
fn is_control(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c)
}

impl Generator {
    fn decide(&mut self, whole: bool) {
        let State::Deciding(first) = &mut self.state else { return };
        let first = std::mem::take(first);
        self.state = State::Other;
        if let (Some(separator), false) = (separator(&first, whole), first.iter().any(|byte| is_control(*byte))) {
            self.state = State::Table(separator);
            self.take(separator, first.strip_prefix(MARK).unwrap_or(&first));
        }
    }

    fn take(&mut self, separator: u8, bytes: &[u8]) {
        for &byte in bytes {
            if is_control(byte) {
                self.state = State::Other;
                self.chosen = FeatureNames::default();
                return;
            }
            if !self.cell.is_quoted && (byte == separator || byte == b'\n' || byte == b'\r') {
                self.cell.close(&mut self.chosen);
            } else {
                self.cell.take(byte);
            }
        }
    }
}

impl Hasher for Generator {
    type Digest = Digest;

    fn update(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let mut rest = bytes;
        if let State::Deciding(first) = &mut self.state {
            let (deciding, more) = bytes.split_at(bytes.len().min(DECIDING - first.len()));
            first.extend_from_slice(deciding);
            rest = more;
            // Most other files show it with their first bytes.
            if first.iter().take(64).any(|byte| is_control(*byte)) {
                self.state = State::Other;
            } else if first.len() == DECIDING {
                self.decide(false);
            }
        }
        if let State::Table(separator) = self.state {
            self.take(separator, rest);
        }
    }

    fn finalize(mut self) -> Result<Digest, NoDigest> {
        self.decide(true);
        if !matches!(self.state, State::Table(_)) {
            return Err(NoDigest::OtherKind);
        }
        self.cell.close(&mut self.chosen);
        self.chosen.into_digest(Unit::Cell, self.length)
    }
}
