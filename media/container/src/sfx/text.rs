//! Texts in front of an archive: pages, scripts of other systems, documents.

use crate::Bytes;

/// Bytes of the beginning that are looked at, by which others than a text are sorted out; bytes in
/// which an archive behind the text shows, and those of the end.
const HEAD: usize = 16;
const FIRST: u64 = 64 << 10;
const TAIL: u64 = 256;

fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=25 | 28..=31)
}

/// Whether a text begins so.
pub fn begins(start: &[u8]) -> bool {
    start.len() >= HEAD && !start[..HEAD].iter().any(|byte| is_control(*byte) || *byte == 127)
}

/// Whether bytes that begin as a text are something else further on or at the end: an archive of
/// texts that are stored as they are ends as one.
pub fn ends_otherwise(start: &[u8], bytes: &dyn Bytes) -> bool {
    if !begins(start) {
        return false;
    }
    let has_controls = |from: u64, length: u64| {
        let mut part = vec![0; length as usize];
        bytes.read_exact_at(from, &mut part).is_ok() && part.into_iter().any(is_control)
    };
    let (size, tail) = (bytes.size(), bytes.size().min(TAIL));
    has_controls(size - tail, tail) || has_controls(0, size.min(FIRST))
}
