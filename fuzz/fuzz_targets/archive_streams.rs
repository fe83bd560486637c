//! Any bytes as gzip, bzip2, xz or Zstandard, and as a tar in one: they end, in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_volume::archive::{Format, Limits, open};
use std::io::{Read, copy, sink};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let format = [Format::Gzip, Format::Bzip2, Format::Xz, Format::Zstd][usize::from(first % 4)];
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Ok(nodes) = open(format, Arc::new(rest.to_vec()), b"name", &limits) else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let _ = copy(&mut reader.take(4 << 20), &mut sink());
        }
    }
});
