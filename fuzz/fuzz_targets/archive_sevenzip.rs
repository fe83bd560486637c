//! 7z: the reader ends on any bytes, in bounded memory, and no member is longer than its stated
//! size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{self as archive, Limits};
use std::io::{Read, copy, sink};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Ok(nodes) = archive::open(archive::Format::SevenZip, Arc::new(bytes.to_vec()), b"name", &limits) else {
        return;
    };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
});
