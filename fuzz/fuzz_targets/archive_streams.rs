//! Compressed streams, and a tar or cpio in one: the reader ends on any bytes, in bounded memory,
//! and a crew that decodes parts gives the bytes and the errors that one decoder gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{Crew, DecodedBytes, Format, Hands, Limits, Open, Pending, Rest, open};
use std::io::Read;
use std::sync::Arc;

/// A crew without threads: parts are decoded when they are begun, or when they are waited for.
struct Crews {
    memory: usize,
    is_late: bool,
}

fn decoded(most: usize, open: Open) -> DecodedBytes {
    let mut bytes = Vec::new();
    let rest = match open().and_then(|reader| {
        let mut reader = reader.take(most as u64);
        reader.read_to_end(&mut bytes).map(|_| reader.into_inner())
    }) {
        Ok(_) if bytes.len() < most => Rest::Ended,
        Ok(reader) => Rest::More(reader),
        Err(error) => Rest::Failed(error),
    };
    DecodedBytes { bytes: Box::new(bytes), rest }
}

impl Crew for Crews {
    fn width(&self) -> usize {
        3
    }

    fn memory(&self) -> usize {
        self.memory
    }

    fn alone(&self, _: bool, _: u64) {}

    fn begin(&self, most: usize, window: u64, open: Open) -> Result<Pending, Open> {
        if most as u64 + window > self.memory as u64 {
            return Err(open);
        }
        if self.is_late {
            return Ok(Box::new(move || decoded(most, open)));
        }
        let done = decoded(most, open);
        Ok(Box::new(|| done))
    }
}

/// The content of each member as far as it can be read, and its error.
fn contents(format: Format, bytes: &[u8], limits: &Limits) -> Vec<(Vec<u8>, Option<String>)> {
    let Ok(nodes) = open(format, Arc::new(bytes.to_vec()), b"name", limits) else { return Vec::new() };
    let content = |node: pfh_volume::Node| {
        let reader = match node.content?.open() {
            Ok(reader) => reader,
            Err(failure) => return Some((Vec::new(), Some(failure.to_string()))),
        };
        let mut all = Vec::new();
        let error = reader.take(4 << 20).read_to_end(&mut all).err();
        Some((all, error.map(|error| error.to_string())))
    };
    nodes.flatten().filter_map(content).collect()
}

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
        Format::SevenZip,
    ];
    let format = formats[usize::from(*first) % formats.len()];
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let crew = Crews { memory: 1 << (14 + first % 13), is_late: first & 1 == 0 };
    let with = Limits { crew: Hands::of(Arc::new(crew)), ..limits.clone() };
    assert_eq!(contents(format, rest, &with), contents(format, rest, &limits));
});
