//! Archives far behind something else, and coded in texts of other kinds.

use crate::coded::{base64, whole};
use crate::noise::noise;
use pfh_archive::Bytes;
use pfh_archive::{Format, anywhere, appended, is_coded_further};
use pfh_inject::{Need, lacks};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Each program's archive of the same text, and its format.
fn archives(room: &Path) -> Vec<(Format, Vec<u8>)> {
    let lines: String = (0..3000).map(|line| format!("line {line}\n")).collect();
    std::fs::write(room.join("a"), lines).unwrap();
    let made = |line: &str| {
        let output = Command::new("sh").args(["-c", line]).current_dir(room).output().expect("sh");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    vec![
        (Format::Gzip, made("gzip -c a")),
        (Format::Bzip2, made("bzip2 -c a")),
        (Format::Xz, made("xz -c a")),
        (Format::Zstd, made("zstd -q -c a")),
        (Format::Lz4, made("lz4 -q -c a")),
        (Format::Lzip, made("lzip -c a")),
        (Format::Tar, made("tar c a")),
        (Format::SevenZip, made("7z a -bd -y a.7z a >&2; cat a.7z")),
        (Format::Cpio, made("echo a | cpio -o -H newc")),
    ]
}

const PROGRAMS: [Need; 8] = [
    Need::Program("gzip"),
    Need::Program("bzip2"),
    Need::Program("xz"),
    Need::Program("zstd"),
    Need::Program("lz4"),
    Need::Program("lzip"),
    Need::Program("7z"),
    Need::Program("cpio"),
];

fn found(bytes: &[u8]) -> Option<(Option<Format>, u64)> {
    let start = bytes[..bytes.len().min(4096)].to_vec();
    let bytes: Arc<dyn Bytes> = Arc::new(bytes.to_vec());
    anywhere(&start, &bytes).map(|found| (Format::found(&found), found.offset))
}

#[test]
fn behind_bytes_of_any_length_and_not_where_they_are_cut() {
    if lacks(&PROGRAMS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    for (format, archive) in archives(room.path()) {
        // At even and odd places, across the windows, in the first bytes and beyond those.
        for length in [5000, 65_537, 262_000, 262_144 - 4096 - 1, 600_003] {
            let front = [&b"\x01\x02"[..], &noise(length as u64, length)].concat();
            let both = [&front[..], &archive].concat();
            assert_eq!(found(&both), Some((Some(format), front.len() as u64)), "{format:?} behind {length}");
            let opened = whole(format, &both, "x");
            assert!(opened.iter().any(|(_, content)| content.starts_with(b"line 0\n")), "{format:?}");
            assert_eq!(found(&front), None, "{format:?}");
        }
        // Streams and directories that are cut do not count; a whole one behind them does.
        if !matches!(format, Format::Tar | Format::Cpio | Format::Xz | Format::Bzip2) {
            let front = [&b"\x01\x02"[..], &noise(7, 100_000)].concat();
            let cut = [&front[..], &archive[..archive.len() / 2]].concat();
            assert_eq!(found(&cut), None, "{format:?} cut");
            let twice = [&cut[..], &noise(8, 1000), &archive].concat();
            assert_eq!(found(&twice).map(|(_, at)| at), Some(cut.len() as u64 + 1000), "{format:?} behind a cut one");
        }
    }
}

#[test]
fn strings_and_documents_of_base64_are_opened_if_they_are_whole() {
    if lacks(&PROGRAMS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    for (format, archive) in archives(room.path()).into_iter().filter(|(format, _)| *format != Format::Tar) {
        let letters = base64(&archive);
        let lines: Vec<u8> = letters.chunks(76).flat_map(|line| [line, b"\n"].concat()).collect();
        let far = [b"<p>words</p>\n".repeat(20_000), b"<a href=\"data:x/y;base64,".to_vec(), letters.clone()].concat();
        let texts = [
            [b"<a href=\"data:x/y;base64,", &letters[..], b"\">x</a>\n"].concat(),
            [&far[..], b"\">x</a>\n"].concat(),
            [b"#!/bin/sh\nbase64 -d > x <<EOF\n", &lines[..], b"EOF\ntar xf x\n"].concat(),
            [b"{\"a\": 1, \"data\": \"", &letters[..], b"\"}\n"].concat(),
            [b"x = \"\"\"", &letters[..72], b"\n", &letters[72..], b"\"\"\"\n"].concat(),
        ];
        for (index, text) in texts.iter().enumerate() {
            let start = &text[..text.len().min(4096)];
            assert!(is_coded_further(start, text), "{format:?} {index}");
            let files = whole(Format::Coded, text, "x");
            assert_eq!(files.len(), 1, "{format:?} {index}");
            assert!(files[0].1 == archive, "{format:?} {index}");
        }
        // A part of one in a document is a word like others.
        let quoted = [b"An archive begins with \"", &letters[..400], b"...\"\n"].concat();
        assert!(!is_coded_further(&quoted, &quoted), "{format:?}");
    }
}

#[test]
fn records_for_devices_are_files_by_their_addresses() {
    let data = noise(3, 1000);
    let intel = |kind: u8, address: u16, data: &[u8]| {
        let raw = [&[data.len() as u8], &address.to_be_bytes()[..], &[kind], data].concat();
        let sum = raw.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
        let digits: String = raw.iter().chain([&sum]).map(|byte| format!("{byte:02X}")).collect();
        format!(":{digits}\r\n")
    };
    let motorola = |kind: u8, address: u32, data: &[u8]| {
        let raw = [&[data.len() as u8 + 5], &address.to_be_bytes()[..], data].concat();
        let sum = !raw.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        let digits: String = raw.iter().chain([&sum]).map(|byte| format!("{byte:02X}")).collect();
        format!("S{kind}{digits}\n")
    };
    let chunks = || data.chunks(16).enumerate();
    let hex: String = [intel(4, 0, &[8, 0])]
        .into_iter()
        .chain(chunks().map(|(at, chunk)| intel(0, 16 * at as u16, chunk)))
        .chain([intel(4, 0, &[8, 1]), intel(0, 0x20, b"rest"), intel(1, 0, b"")])
        .collect();
    let srec: String = chunks()
        .map(|(at, chunk)| motorola(3, 0x0800_0000 + 16 * at as u32, chunk))
        .chain([motorola(3, 0x0801_0020, b"rest"), motorola(7, 0, b"")])
        .collect();
    let expected = vec![("08000000".to_owned(), data.clone()), ("08010020".to_owned(), b"rest".to_vec())];
    for text in [hex, srec] {
        assert_eq!(Format::recognize(&text.as_bytes()[..text.len().min(4096)]), Some(Format::Coded));
        assert_eq!(whole(Format::Coded, text.as_bytes(), "x.hex"), expected);
        // A wrong digit is named, and nothing behind it is taken.
        let mut wrong = text.clone().into_bytes();
        let at = text.find('\n').unwrap() * 3;
        wrong[at] = if wrong[at] == b'0' { b'1' } else { b'0' };
        let members = crate::coded::members(Format::Coded, &wrong, b"x.hex");
        let is_named =
            |(_, content): &(_, Result<Vec<u8>, String>)| content.as_ref().is_err_and(|why| why.contains("checksum"));
        assert!(members.iter().any(is_named), "{members:?}");
        let cut = text.as_bytes()[..text.len() - 30].to_vec();
        assert!(crate::coded::members(Format::Coded, &cut, b"x").iter().any(|(_, content)| content.is_err()));
    }
}

#[test]
fn an_archive_at_the_end_of_a_disk_is_found_if_its_length_is_odd() {
    let mut made = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut made, &noise(5, 300)).unwrap();
    let archive = made.finish().unwrap();
    assert!(archive.len() % 512 != 0 && archive.len() < 512);
    let disk = noise(4, 1 << 20);
    let at =
        |bytes: &[u8], from| appended(from, &(Arc::new(bytes.to_vec()) as Arc<dyn Bytes>)).map(|found| found.offset);
    let with = [&disk[..], &archive].concat();
    assert_eq!((at(&with, 0), at(&with, 1 << 20), at(&disk, 0)), (Some(1 << 20), Some(1 << 20), None));
    // A file of the disk itself may be one.
    let inner = [&disk[..(1 << 20) - 512], &archive, &vec![0; 512 - archive.len()]].concat();
    assert_eq!(at(&inner, 0), None);
}
