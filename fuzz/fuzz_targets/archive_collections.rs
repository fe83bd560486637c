//! A cabinet, LHA, RAR or WIM, or a zip, set of cabinets or split WIM in two parts: the reader ends
//! on any bytes, in bounded memory, and no member is longer than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{self as archive, Limits};
use std::io::{Read, copy, sink};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Some((first, rest)) = bytes.split_first() else { return };
    let whole = Arc::new(rest.to_vec());
    let opened = match first % 7 {
        0 => archive::open(archive::Format::Cab, whole, b"name", &limits),
        1 => archive::open(archive::Format::Lha, whole, b"name", &limits),
        3 => archive::open(archive::Format::Wim, whole, b"name", &limits),
        2 => archive::open_parts(archive::Format::Rar, whole, &[0], &limits),
        4 => archive::open_parts(archive::Format::Cab, whole, &[0, u64::from(first / 7) * 8], &limits),
        5 => archive::open_parts(archive::Format::Wim, whole, &[0, u64::from(first / 7) * 8], &limits),
        _ => archive::open_parts(archive::Format::Zip, whole, &[0, u64::from(first / 7)], &limits),
    };
    let Ok(nodes) = opened else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
});
