//! Logical images: the reader ends on any bytes, in bounded memory, and no member is longer than
//! its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{self as archive, Format, Limits};
use pfh_container::logical::Logical;
use std::io::{Read, copy, sink};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = Format::Logical([Logical::L01, Logical::Ad1, Logical::Aff4][usize::from(first % 3)]);
    let Ok(nodes) = archive::open(format, Arc::new(rest.to_vec()), b"name", &limits) else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
});
