//! Residue as a member of its own, and in words.

use super::look::looks_like;
use crate::bytes::Bytes;
use crate::field::{failure, read_some};
use crate::layout::Layout;
use crate::node::{Failure, Flaw, Kind, Node, Times};
use crate::stored::StoredBytes;
use std::ops::Range;
use std::sync::Arc;

/// Bytes that nothing claims as a node `!residue-OFFSET`.
pub fn residue(bytes: &Arc<dyn Bytes>, place: Range<u64>) -> Node {
    let mut layout = Layout::new(u64::MAX);
    let (path, size) = (format!("!residue-{}", place.start).into_bytes(), place.end - place.start);
    // The caller found the range on the medium.
    let _ = layout.push(Some(place.start), size);
    let locate = Box::new(move || Ok(layout.clone()));
    let content = StoredBytes { bytes: bytes.clone(), path: path.clone(), from: 0, size, locate };
    Node { size: Some(size), content: Some(Arc::new(content)), ..Node::bare(&path, Kind::File, None, Times::default()) }
}

/// Why bytes that nothing claims are named: how many they are, and what the first ones look like.
/// `None` if they are all one byte.
///
/// # Errors
/// If they cannot be read.
pub fn said(bytes: &dyn Bytes, place: &Range<u64>) -> Result<Option<Failure>, Failure> {
    const WINDOW: u64 = 64 << 10;
    let mut at = place.start;
    let Some(fill) = read_some(bytes, at, 1)?.first().copied() else { return Ok(None) };
    while at < place.end {
        let window = read_some(bytes, at, (place.end - at).min(WINDOW) as usize)?;
        if window.iter().any(|byte| *byte != fill) {
            let start = read_some(bytes, place.start, (place.end - place.start).min(4096) as usize)?;
            let length = place.end - place.start;
            let cause = format!("residue: {length} bytes that no member has ({})", looks_like(&start));
            return Ok(Some(Failure { flaw: Flaw::Residue, ..failure(Some(place.start), cause) }));
        }
        if window.is_empty() {
            break;
        }
        at += window.len() as u64;
    }
    Ok(None)
}
