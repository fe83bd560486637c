//! Container images: with any manifest, configuration and layers the reader ends, in bounded
//! memory, and no file is longer than its stated size.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_archive::{self as archive, Format, Limits};
use std::io::{Read, copy, sink};
use std::sync::Arc;

/// A member of a tar.
fn member(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    header.extend_from_slice(bytes);
    header.resize(header.len().next_multiple_of(512), 0);
    header
}

/// The files of an image, in the order of the input's parts.
const NAMES: [&str; 5] = ["manifest.json", "c.json", "a/layer.tar", "b/layer.tar", "index.json"];

fuzz_target!(|data: &[u8]| {
    let Some((form, rest)) = data.split_first() else { return };
    let mut parts: Vec<&[u8]> = rest.splitn(NAMES.len(), |byte| *byte == 0xff).collect();
    // Half of the inputs are layers alone, under a manifest that is whole.
    if form & 1 == 1 {
        let manifest = br#"[{"Config":"c.json","RepoTags":["a:b"],"Layers":["a/layer.tar","b/layer.tar"]}]"#;
        parts.splice(..0, [&manifest[..], &br#"{"rootfs":{"type":"layers","diff_ids":[]}}"#[..]]);
    }
    let mut tar = Vec::new();
    for (name, bytes) in NAMES.iter().zip(parts) {
        // A layer is the members that its parts are: names and contents, lines of the input.
        let layer: Vec<u8> = bytes.split(|byte| *byte == b'\n').flat_map(line).collect();
        tar.extend(member(name, if name.ends_with("tar") && form & 2 == 2 { &layer } else { bytes }));
    }
    tar.resize(tar.len() + 1024, 0);
    let limits = Limits { bytes: 1 << 20, window: 1 << 20, entries: 100, ..Limits::default() };
    let Ok(nodes) = archive::open(Format::Tar, Arc::new(tar), b"name", &limits) else { return };
    for node in nodes.flatten() {
        if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
            let read = copy(&mut reader.take(4 << 20), &mut sink());
            assert!(!matches!((read, node.size), (Ok(read), Some(size)) if size < 4 << 20 && read != size));
        }
    }
});

/// A member from a line: the name, a colon, the content.
fn line(line: &[u8]) -> Vec<u8> {
    let mut halves = line.splitn(2, |byte| *byte == b':');
    let name = String::from_utf8_lossy(halves.next().unwrap_or_default()).into_owned();
    let name: String = name.chars().filter(char::is_ascii).take(99).collect();
    member(&name, halves.next().unwrap_or_default())
}
