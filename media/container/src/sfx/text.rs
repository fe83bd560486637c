//! Texts in front of an archive: pages, scripts of other systems, documents.

use crate::Bytes;

/// Bytes of the beginning and of the end that are looked at.
const HEAD: usize = 16;
const TAIL: u64 = 256;

fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=25 | 28..=31)
}

/// Whether a text begins so.
pub fn begins(start: &[u8]) -> bool {
    start.len() >= HEAD && !start[..HEAD].iter().any(|byte| is_control(*byte) || *byte == 127)
}

/// Whether bytes that begin as a text end as something else, or are something else in `start`: an
/// archive of texts that are stored as they are ends as one.
pub fn ends_otherwise(start: &[u8], bytes: &dyn Bytes) -> bool {
    if !begins(start) {
        return false;
    }
    // Without an early end, which would look at one byte at a time.
    if start.iter().fold(false, |any, byte| any | is_control(*byte)) {
        return true;
    }
    let mut tail = vec![0; bytes.size().min(TAIL) as usize];
    bytes.read_exact_at(bytes.size() - tail.len() as u64, &mut tail).is_ok() && tail.into_iter().any(is_control)
}
