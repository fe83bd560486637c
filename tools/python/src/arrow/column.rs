//! Columns that are filled row by row.

use super::ffi::{Array, NULLABLE, Schema};
use std::sync::Arc;

/// The type of a column. Offsets have 64 bits: a similarity digest of a disk may have gigabytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers of 64 bits.
    Number,
    /// Text in UTF-8.
    Text,
    /// Bytes.
    Bytes,
}

impl Kind {
    /// The type of a column of this name.
    pub fn schema(self, name: &str) -> Schema {
        let format = match self {
            Kind::Number => "l",
            Kind::Text => "U",
            Kind::Bytes => "Z",
        };
        Schema::owned(format, name, NULLABLE, Vec::new())
    }
}

/// One column of a batch.
pub struct Column {
    kind: Kind,
    /// A bit for each row, the lowest first.
    valid: Vec<u64>,
    /// Numbers; of the others where each begins and the last ends.
    words: Vec<u64>,
    bytes: Vec<u8>,
    rows: usize,
    nulls: usize,
}

impl Column {
    /// Without rows.
    pub fn new(kind: Kind) -> Column {
        let words = if kind == Kind::Number { Vec::new() } else { vec![0] };
        Column { kind, valid: Vec::new(), words, bytes: Vec::new(), rows: 0, nulls: 0 }
    }

    /// The next row is this number.
    pub fn number(&mut self, number: Option<i64>) {
        self.words.push(number.unwrap_or_default().cast_unsigned());
        self.row(number.is_some());
    }

    /// The next row is these bytes, or text.
    pub fn value(&mut self, value: Option<&[u8]>) {
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self.words.push(self.bytes.len() as u64);
        self.row(value.is_some());
    }

    fn row(&mut self, valid: bool) {
        if self.rows.is_multiple_of(64) {
            self.valid.push(0);
        }
        self.valid[self.rows / 64] |= u64::from(valid) << (self.rows % 64);
        self.rows += 1;
        self.nulls += usize::from(!valid);
    }

    /// Bytes of the values so far.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The column as others take it.
    pub fn array(self) -> Array {
        self.shared().array()
    }

    /// The column as it can be handed out several times.
    pub fn shared(self) -> Shared {
        let valid = (self.nulls > 0).then_some(self.valid);
        let mut buffers = vec![valid, Some(self.words)];
        if self.kind != Kind::Number {
            let word = |chunk: &[u8]| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_ne_bytes(word)
            };
            buffers.push(Some(self.bytes.chunks(8).map(word).collect()));
        }
        let buffers = buffers.into_iter().map(|buffer| buffer.map(Arc::new)).collect();
        Shared { rows: self.rows, nulls: self.nulls, buffers }
    }
}

/// A column that is filled; each of its arrays refers to the same values.
pub struct Shared {
    /// Its rows.
    pub rows: usize,
    nulls: usize,
    buffers: Vec<Option<Arc<Vec<u64>>>>,
}

impl Shared {
    /// The column as others take it.
    pub fn array(&self) -> Array {
        Array::owned(self.rows, self.nulls, self.buffers.clone(), Vec::new())
    }
}
