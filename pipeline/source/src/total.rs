//! How much there is to read, for an estimate of the time left.

use crate::entry::Item;
use crate::panics::fail_point;
use crate::source::Source;
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts the entries of `source`: (entries, bytes that their sizes state). Ends early, with
/// `None`, when `stop` is set.
pub fn total(mut source: impl Source, stop: &AtomicBool) -> Option<(u64, u64)> {
    let (mut entries, mut bytes) = (0, 0_u64);
    while let Some(item) = source.pull() {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        fail_point("count");
        entries += 1;
        if let Item::Entry(entry) = item {
            bytes = bytes.saturating_add(entry.size_hint().unwrap_or(0));
        }
    }
    Some((entries, bytes))
}
