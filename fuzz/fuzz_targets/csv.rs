//! Comma-separated values.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::{Decoder, Format, Item, Options};

fuzz_target!(|bytes: &[u8]| {
    let options = Options { format: Some(Format::Csv), limit: 4096, ..Options::default() };
    let mut decoder = Decoder::open(bytes, &options).expect("memory");
    let mut items = 0;
    for item in decoder.by_ref() {
        items += 1;
        if let Item::Entry(entry) = item.expect("memory").item {
            assert!(!entry.name.is_empty() && !entry.name.contains(&0));
            assert!(!entry.digests.is_empty() || !entry.pieces.is_empty());
        }
    }
    let marked = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark));
    if !marked {
        // One physical line, one item, or a comment.
        assert_eq!(items + decoder.neutral(), bytes.split_inclusive(|&byte| byte == b'\n').count() as u64);
    }
});
