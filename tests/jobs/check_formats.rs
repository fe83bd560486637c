//! `check` verifies the lists that `hash` wrote: every algorithm, every format, names of every
//! kind.
#![cfg(unix)] // names that Windows has not

use crate::check::{self, Ended};
use crate::executable::elf;
use crate::room::Room;
use crate::rows::{algorithms, below, input, list, listed};
use pfh::check::{FileOutcome, Remark, Request, Task, Verdict};
use pfh::hash::{self, Manifest};
use pfh::job::Kind;
use pfh::manifest::{End, Format, Layout, Marker};
use pfh::{Algorithm, Control};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const FORMATS: [&str; 6] = ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"];

/// Names of every kind; contents long enough for every similarity digest of bytes.
fn tree() -> Room {
    tree_of(|bytes| bytes)
}

/// The same names with contents that the method makes digests of: executables, texts, tables,
/// pictures, or bytes.
fn tree_for(method: &str) -> Room {
    let words = |bytes: &[u8], end: u8| -> Vec<u8> {
        bytes.chunks(9).flat_map(|word| word.iter().map(|byte| b'a' + byte % 26).chain([end])).collect()
    };
    match method {
        "strings" => tree_of(|bytes| [b"\x7fELF", &words(&bytes, 0)[..]].concat()),
        "imports" => tree_of(|bytes| elf(&[], &bytes)),
        "text" => tree_of(|bytes| words(&bytes, b' ')),
        "imphash" | "richhash" => tree_of(|bytes| [program("rich-32.exe"), bytes].concat()),
        "telfhash" => tree_of(|bytes| [program("dynamic-64.so"), bytes].concat()),
        "cells" => tree_of(|bytes| bytes.chunks(27).flat_map(|row| [&words(row, b',')[..], b"\n"].concat()).collect()),
        "pdq" | "phash" => tree_of(|bytes| bitmap(80, &bytes)),
        "crops" => tree_of(|bytes| bitmap(320, &patches(&bytes))),
        _ => tree(),
    }
}

/// A program of vectors/similarity.
fn program(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/similarity/programs").join(name)).unwrap()
}

/// A bitmap of `side` by `side` pixels.
fn bitmap(side: u32, bytes: &[u8]) -> Vec<u8> {
    let header = [0, 0, 54, 40, side, side, 1 | 24 << 16, 0, 0, 0, 0, 0, 0].map(u32::to_le_bytes);
    [b"BM", header.as_flattened(), &bytes[..(side * side * 3) as usize]].concat()
}

/// 320 by 320 pixels: squares of 16 by 16 in shades of grey.
fn patches(bytes: &[u8]) -> Vec<u8> {
    (0..320 * 320).flat_map(|at| [bytes[at / 320 / 16 * 20 + at % 320 / 16]; 3]).collect()
}

fn tree_of(content: impl Fn(Vec<u8>) -> Vec<u8>) -> Room {
    let room = Room::new();
    let names: [&[u8]; 9] =
        [b"plain", b"new\nline", b"back\\slash", b"  spaces ", b"*star", b"-", b"not\xffutf8", b"CR\r", b"sub/(x) = y"];
    for (n, name) in names.iter().enumerate() {
        let bytes: Vec<u8> =
            (0..20_000_u64).map(|i| ((i + 7 * n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        room.file(Path::new("d").join(OsStr::from_bytes(name)), &content(bytes));
    }
    room
}

#[test]
fn every_algorithm_in_every_format() {
    let mut tried = 0;
    for algorithm in Algorithm::all() {
        let by = algorithm.to_string();
        let room = tree_for(&by);
        for format in FORMATS {
            let written = match listed(&room, "m", &by, format, &["d"]) {
                // A format refuses digests that it cannot hold.
                Err(error) if matches!(format, "hashdeep" | "bsd") && error.kind() == Kind::Request => continue,
                written => written.unwrap(),
            };
            assert!(written.unwritten == 0 || format == "hashdeep", "{by} {format}");
            assert_eq!((written.summary.run.hashed, written.without), (9, 0), "{by} {format}");
            tried += 1;
            let ended = Ended::of(&Request::new(room.at("m")));
            assert_eq!(ended.conclusion(), Verdict::Verified, "{by} {format}: {:?}", ended.files);
            assert_eq!(ended.names(FileOutcome::Right).len() as u64, 9 - written.unwritten, "{by} {format}");
            // Modes that print the same line for files as short as these.
            let name = match &*by {
                "mrsh-v2-network" => "mrsh-v2",
                "sdhash-stream" => "sdhash",
                name => name,
            };
            assert!(ended.algorithms().iter().any(|found| found.contains(name)), "{by}: {:?}", ended.algorithms());
        }
    }
    assert!(tried > 120, "{tried} manifests");
}

/// sdhash takes blocks from 16 MiB on, and its streams are distinguished from them by size.
#[test]
fn modes_of_sdhash_beyond_16_mib() {
    let room = Room::new();
    let long: Vec<u8> =
        (0..17_000_000_u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 ^ (i >> 9) as u8).collect();
    room.file("d/long", &long);
    room.file("d/short", &long[..50_000]);
    for by in ["sdhash", "sdhash-stream", "sdhash-dd"] {
        for format in ["sums", "sdbf", "jsonl"] {
            let ended = Ended::of(&Request::new(list(&room, "m", by, format, &["d"])));
            assert_eq!((ended.conclusion(), ended.files.len()), (Verdict::Verified, 2), "{by} {format}");
        }
    }
}

#[test]
fn lengths_and_several_algorithms() {
    let room = tree();
    for by in [
        "sha3-256",
        "blake3",
        "kt128",
        "xxh3-128",
        "shake128:16",
        "blake3:20",
        "crc32",
        "sm3",
        "blake2b-256",
        "tth",
        "aich",
        "md5,sha3-224,blake3",
    ] {
        for format in ["sums", "jsonl", "csv", "dfxml"] {
            let ended = Ended::of(&Request::new(list(&room, "m", by, format, &["d"])));
            assert_eq!(ended.conclusion(), Verdict::Verified, "{by} {format}");
            assert_eq!(ended.names(FileOutcome::Right).len(), 9, "{by} {format}");
            let mut expected: Vec<String> = algorithms(by).iter().map(ToString::to_string).collect();
            expected.sort();
            assert_eq!(ended.algorithms(), expected, "{format}");
        }
    }
    // Two algorithms of one length are lines of two lists one behind the other.
    let of = |by: &str| fs::read(list(&room, "m", by, "sums", &["d/plain"])).unwrap();
    room.file("both", &[of("sha256"), of("blake3")].concat());
    let ended = Ended::of(&Request::new(room.at("both")));
    assert_eq!((ended.conclusion(), ended.files.len()), (Verdict::Verified, 1));
    assert!(ended.algorithms().contains(&"blake3".to_owned()), "{:?}", ended.algorithms());
}

#[test]
fn one_changed_and_one_removed() {
    let room = tree();
    let plain = room.at("d/plain");
    for (by, format) in
        [("blake3", "sums"), ("sha3-256", "sums"), ("sha256", "sums"), ("kt128", "bsd"), ("tlsh", "csv")]
    {
        let request = Request::new(list(&room, "m", by, format, &["d"]));
        let changed = |found: FileOutcome, request: &Request| {
            let ended = Ended::of(request);
            let others: Vec<_> = ended.files.iter().filter(|(_, one)| *one != FileOutcome::Right).collect();
            assert_eq!(others.len(), 1, "{by}: {others:?}");
            assert_eq!((below(&room, others[0].0.as_bytes()), others[0].1), ("d/plain".to_owned(), found), "{by}");
            assert_eq!((ended.summary.verified(), ended.summary.expected()), (8, 9), "{by}");
            ended.conclusion()
        };
        let kept = fs::read(&plain).unwrap();
        fs::write(&plain, [&kept[..10_000], &[0; 10_000]].concat()).unwrap();
        assert_eq!(changed(FileOutcome::Wrong, &request), Verdict::Differs);
        fs::remove_file(&plain).unwrap();
        assert_eq!(changed(FileOutcome::Missing, &request), Verdict::Differs);
        let ignoring = request.task(Task::Files { allow_outside: false, ignore_missing: true });
        assert_eq!(changed(FileOutcome::Ignored, &ignoring), Verdict::Verified);
        fs::write(&plain, kept).unwrap();
    }
    // A part of the path that is not a directory is as good as missing.
    let sum = pfh_inject::sha256_of(&plain);
    room.file("list", &format!("{}  d/plain/x\n{sum}  d/plain\n", pfh::sha256("")));
    let request = Request::new(room.at("list")).root(room.path());
    let ended = Ended::of(&request);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Missing)), (Verdict::Differs, vec!["d/plain/x"]));
    let ended = Ended::of(&request.task(Task::Files { allow_outside: false, ignore_missing: true }));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Ignored)), (Verdict::Verified, vec!["d/plain/x"]));
}

#[test]
fn a_forged_checksum_is_no_match_for_a_digest() {
    let room = Room::new();
    room.file("f", "forged");
    let value = algorithms("xxh3-128")[0].digest(b"forged");
    // Anyone who can choose the content makes its XXH3 come out as any MD5.
    room.file("MD5SUMS", &format!("{value}  f\n"));
    let ended = check::of(&room, "MD5SUMS");
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong)), (Verdict::Differs, vec!["f"]));
    let remarks = &ended.summary.parts[0].remarks;
    assert!(matches!(&remarks[..], [Remark::Weak(weak)] if weak.to_string() == "xxh3-128"), "{remarks:?}");
    let asked = Request::new(room.at("MD5SUMS")).root(room.path()).algorithms(algorithms("xxh3-128"));
    assert_eq!(Ended::of(&asked).conclusion(), Verdict::Verified);
    // The name of the list says it as well.
    fs::rename(room.at("MD5SUMS"), room.at("f.xxh128")).unwrap();
    assert_eq!(check::of(&room, "f.xxh128").conclusion(), Verdict::Verified);
}

#[test]
fn a_list_with_zeros_at_its_ends_is_read_as_such() {
    let room = tree();
    let layout = Layout { end: End::Nul, marker: Marker::Text };
    let manifest = Manifest::new(room.at("m")).format(Format::Sums, layout);
    let request = hash::Request::new(input(&room, &["d"]), algorithms("sha256"));
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    let ended = Ended::of(&Request::new(room.at("m")).end(End::Nul));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, 9));
}

#[test]
fn a_change_is_seen_in_every_format() {
    for format in FORMATS {
        let room = Room::new();
        (0..6).for_each(|n| drop(room.file(format!("d/{n}"), &format!("content {n}"))));
        room.file("d/sub/deep", "deep");
        let request = Request::new(list(&room, "m", "md5,sha256", format, &["d"]));
        let ended = Ended::of(&request);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, 7), "{format}");
        room.file("d/3", "changed 3");
        fs::remove_file(room.at("d/4")).unwrap();
        let ended = Ended::of(&request);
        let names = |found| ended.names(found).iter().map(|name| below(&room, name.as_bytes())).collect::<Vec<_>>();
        assert_eq!(
            (names(FileOutcome::Wrong), names(FileOutcome::Missing)),
            (vec!["d/3".into()], vec!["d/4".into()]),
            "{format}"
        );
        assert_eq!(ended.conclusion(), Verdict::Differs);
    }
}

#[test]
fn pieces_are_verified() {
    let room = Room::new();
    room.file("d/long", &[7; 10_000]);
    for format in ["hashdeep", "jsonl", "dfxml"] {
        let mut request = hash::Request::new(input(&room, &["d"]), algorithms("md5")).replace(true);
        request.plan.piecewise = Some(4096);
        let manifest = Manifest::new(room.at("m")).format(format.parse().unwrap(), Default::default());
        hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
        let check = Request::new(room.at("m"));
        assert_eq!(Ended::of(&check).conclusion(), Verdict::Verified, "{format}");
        for change in [vec![7; 10_001], vec![7; 9_999], [vec![7; 5000], vec![8; 5000]].concat()] {
            room.file("d/long", &change);
            assert_eq!(Ended::of(&check).conclusion(), Verdict::Differs, "{format}");
        }
        room.file("d/long", &[7; 10_000]);
    }
}
