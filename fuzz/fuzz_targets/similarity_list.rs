//! The similarity tools' files: each line is one item or neutral, and an entry that is written
//! reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_digest::{Registry, Row as Registered};
use pfh_engine::{HashedFile, Outcome, Record};
use pfh_manifest::{Decoder, Format, Item, Layout, Options};
use pfh_source::ReadResult;

static LISTS: [&[Registered]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];

fuzz_target!(|bytes: &[u8]| {
    let registry = Registry::new(&LISTS);
    for format in [Format::Ssdeep, Format::Sdbf, Format::Mrsh, Format::Sums] {
        let options = Options { format: Some(format), limit: 4096, ..Options::default() };
        let mut decoder = Decoder::with_registry(bytes, &options, registry).expect("memory");
        let mut items = 0;
        for item in decoder.by_ref() {
            items += 1;
            let Item::Entry(entry) = item.expect("memory").item else { continue };
            assert!(!entry.name.is_empty() && !entry.name.contains(&0) && !entry.digests.is_empty());
            let closed = ReadResult { size: 0, stat: None, notes: Vec::new(), inside: None };
            let hashed = HashedFile { closed, digests: entry.digests.clone(), pieces: Vec::new() };
            let record = Record { number: 0, name: entry.name.clone(), outcome: Outcome::Hashed(hashed) };
            let mut out = Vec::new();
            if format.encoder(Layout::default()).expect("a layout").record(&mut out, &record).is_ok() {
                let mut again = Decoder::with_registry(&out[..], &options, registry).expect("memory");
                let Some(Ok(located)) = again.next() else { panic!("{out:?}") };
                let Item::Entry(read) = located.item else { panic!("{out:?}") };
                assert_eq!((read.name, read.digests), (entry.name, entry.digests));
            }
        }
        let marked = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark));
        if !marked {
            assert_eq!(items + decoder.neutral(), bytes.split_inclusive(|&byte| byte == b'\n').count() as u64);
        }
    }
});
