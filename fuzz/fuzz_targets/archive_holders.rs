//! Files within texts, mail and documents: the readers end on any bytes, in bounded memory, and no
//! member is longer than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{self as archive, Format, Limits};
use std::io::{Read, copy, sink};
use std::sync::Arc;

const FORMATS: [Format; 7] =
    [Format::Coded, Format::Tnef, Format::Apple, Format::OneNote, Format::Signed, Format::Rtf, Format::Objects];

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Some((first, rest)) = bytes.split_first() else { return };
    let start = &rest[..rest.len().min(4096)];
    Format::recognize(start);
    archive::anywhere(start, &(Arc::new(rest.to_vec()) as Arc<dyn pfh_volume::Bytes>));
    archive::is_coded_further(start, &rest.to_vec());
    let format = FORMATS[usize::from(*first) % FORMATS.len()];
    let Ok(nodes) = archive::open(format, Arc::new(rest.to_vec()), b"name", &limits) else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
});
