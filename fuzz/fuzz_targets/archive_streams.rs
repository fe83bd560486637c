//! Compressed streams, and a tar or cpio in one: the reader ends on any bytes, in bounded memory.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_volume::archive::{Format, Limits, open};
use std::io::{Read, copy, sink};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let formats = [
        Format::Gzip,
        Format::Bzip2,
        Format::Xz,
        Format::Zstd,
        Format::Compress,
        Format::Lz4,
        Format::Lzip,
        Format::Lzma,
    ];
    let format = formats[usize::from(*first) % formats.len()];
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Ok(nodes) = open(format, Arc::new(rest.to_vec()), b"name", &limits) else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let _ = copy(&mut reader.take(4 << 20), &mut sink());
        }
    }
});
