//! Reads a list of digests in a format to its end.

use pfh_manifest::{Decoder, Format, Item, Options};

/// Each entry has a name and a digest. Gives the number of items, and of neutral lines.
pub fn exhaust(format: impl Into<Option<Format>>, bytes: &[u8]) -> (u64, u64) {
    let options = Options { format: format.into(), limit: 4096, ..Options::default() };
    let mut decoder = Decoder::open(bytes, &options).expect("memory");
    let mut items = 0;
    for item in decoder.by_ref() {
        items += 1;
        if let Item::Entry(entry) = item.expect("memory").item {
            assert!(!entry.name.is_empty() && !entry.name.contains(&0));
            assert!(!entry.digests.is_empty() || !entry.pieces.is_empty());
        }
    }
    (items, decoder.neutral())
}

/// The same for a format of lines: one physical line is one item, or a comment.
#[allow(dead_code, reason = "DFXML has no lines")]
pub fn exhaust_lines(format: Format, bytes: &[u8]) {
    let (items, neutral) = exhaust(format, bytes);
    let marked = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark));
    if !marked {
        assert_eq!(items + neutral, bytes.split_inclusive(|&byte| byte == b'\n').count() as u64);
    }
}
