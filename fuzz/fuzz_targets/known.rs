//! Sets of others, in every kind: the first byte chooses. One physical line is one record or one
//! fault, or none by design.
#![no_main]

use std::ops::ControlFlow;

use libfuzzer_sys::fuzz_target;
use pfh_manifest::known::{Kind, Options, read};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let kind =
        [None, Some(Kind::List), Some(Kind::Table), Some(Kind::Encase), Some(Kind::Vics)][usize::from(choice % 5)];
    let mut last = 0;
    let mut items = 0;
    let options = Options { kind, limit: 4096, ..Options::default() };
    let found = read(bytes, &options, &mut |line, record| {
        items += 1;
        if matches!(kind, Some(Kind::List | Kind::Table)) {
            assert!(line > last, "two items of one line");
        }
        last = line;
        if let Ok(known) = record {
            assert!(!known.digests.is_empty());
        }
        ControlFlow::Continue(())
    });
    found.expect("memory");
    let marked = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"].iter().any(|mark| bytes.starts_with(mark));
    if !marked && matches!(kind, Some(Kind::List | Kind::Table)) {
        assert!(items <= bytes.split_inclusive(|&byte| byte == b'\n').count());
    }
});
