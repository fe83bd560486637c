//! `pfh known build --blocks` and `pfh match --sectors`, as they are typed.
#![cfg(unix)]

use crate::program::acquisition::{BadDevice, bad_device};
use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::ffi::OsStr;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// Builds `set` of the blocks of `known/`, as bad.
fn build(room: &Room, sizes: &str) -> Outcome {
    pfh(room, ["known", "build", "set", "--blocks", sizes, "--bad", "known", "--force"])
}

/// The lines of a type.
fn lines(seen: &Outcome, kind: &str) -> Vec<Value> {
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).collect()
}

#[test]
fn what_makes_no_sense_is_refused_with_its_remedy() {
    let room = Room::new();
    room.file("known/a", &random(1, 5000));
    room.file("image", &random(2, 10_000));
    room.file("list", b"d41d8cd98f00b204e9800998ecf8427e\n");
    assert_eq!(build(&room, "512").code, Some(0));
    assert_eq!(pfh(&room, ["known", "build", "files", "--good", "list"]).code, Some(0));
    let remedy = "pfh known build --blocks";
    for (arguments, code, words) in [
        (&["match", "--sectors", "512", "image", "-k", "list"][..], 2, remedy),
        (&["match", "--sectors", "512", "image", "-k", "files"], 2, remedy),
        (&["match", "--sectors", "512", "image", "-k", "image"], 2, remedy),
        (&["match", "--sectors", "512", "image"], 2, remedy),
        (&["match", "--sectors", "512", "-k", "set"], 2, "needs the name of an image"),
        (&["match", "--sectors", "4096", "image", "-k", "set"], 2, "no set has blocks of that size, but of 512"),
        (&["match", "--sectors", "1000", "image", "-k", "set"], 2, "power of two"),
        (&["match", "--sectors", "512", "image", "-k", "set", "-f", "dfxml"], 2, "jsonl"),
        (&["match", "--sectors", "512", "image", "-k", "set", "--only", "unknown"], 2, "known blocks"),
        (&["match", "--sectors", "512", "image", "-k", "set", "--digest", "00"], 2, "does not go with"),
        (&["match", "--sectors", "512", "image", "-k", "set", "-o", "image", "--force"], 2, "is read"),
        (&["match", "--sectors", "512", "image", "-k", "missing"], 3, "missing"),
        (&["match", "--flagged", "image", "-k", "set"], 2, "--sectors"),
        (&["match", "--any-offset", "image", "-k", "set"], 2, "--sectors"),
        (&["known", "build", "new", "--blocks", "1000", "--bad", "known"], 2, "power of two"),
        (&["known", "build", "new", "--blocks", "512", "-a", "crc32", "--bad", "known"], 2, "16 to 64 bytes"),
        (&["known", "build", "new", "--blocks", "512"], 2, "no set was named"),
        (&["known", "build", "known/a", "--blocks", "512", "--bad", "known", "--force"], 2, "lies in"),
        (&["known", "build", "known/new", "--blocks", "512", "--bad", "known"], 2, "lies in"),
        // A set of blocks against files, and a missing file of a set, of an image.
        (&["match", "-k", "set", "known/a"], 3, "--sectors"),
        (&["lookup", "-k", "set", "--digest", "d41d8cd98f00b204e9800998ecf8427e"], 3, ""),
        (&["known", "build", "part", "--blocks", "512", "--bad", "known", "--good", "missing"], 3, "missing"),
        (&["match", "--sectors", "512", "image", "missing", "-k", "set"], 3, "missing"),
        (&["match", "--sectors", "512", "missing", "-k", "set"], 3, "nothing to compare with"),
        // Without a file system the unallocated space is not known.
        (&["match", "--sectors", "512", "--inside", "image", "-k", "set"], 3, "no file system"),
    ] {
        let seen = pfh(&room, arguments);
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(words), "{arguments:?}: {}", seen.stderr);
        assert!(!room.path().join("new").exists() && !room.path().join("new.work").exists(), "{arguments:?}");
    }
}

#[test]
fn what_begins_at_no_sector_is_found_on_request() {
    let room = Room::new();
    room.file("known/a", &random(1, 5120));
    room.file("image", &[&random(2, 10_003)[..], &random(1, 5120), &random(3, 100)].concat());
    assert_eq!(build(&room, "512").code, Some(0));
    let plain = pfh(&room, ["match", "--sectors", "512", "image", "-k", "set"]);
    assert_eq!((plain.code, plain.stdout.len()), (Some(0), 0), "{}", plain.stderr);
    let seen = pfh(&room, ["match", "--sectors", "512", "--any-offset", "image", "-k", "set"]);
    let line = "known-bad   image: 5120 bytes at 10003: 10 blocks of 512 bytes <- known/a at 0 (known)\n";
    assert_eq!((seen.code, &*String::from_utf8_lossy(&seen.stdout)), (Some(1), line), "{}", seen.stderr);
    assert!(seen.stderr.contains("blocks of 512 bytes at any byte: 10 known blocks"), "{}", seen.stderr);
    // As an earlier version built it.
    let mut set = std::fs::read(room.path().join("set")).unwrap();
    let at = set.windows(9).position(|bytes| bytes == b"\"rolled\":").unwrap();
    set[at + 1..at + 7].copy_from_slice(b"folded");
    let tail = set.len() - 88;
    let directory = u64::from_le_bytes(*set[tail..].first_chunk().unwrap()) as usize;
    let sums = pfh::digest::hash_many("blake3".parse().unwrap(), &[&set[directory..tail], &set[..tail]]);
    for (number, sum) in sums.iter().enumerate() {
        set[tail + 16 + 32 * number..][..32].copy_from_slice(sum.bytes());
    }
    room.file("set", &set);
    assert_eq!(pfh(&room, ["match", "--sectors", "512", "image", "-k", "set"]).code, Some(0));
    let seen = pfh(&room, ["match", "--sectors", "512", "--any-offset", "image", "-k", "set"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("pfh known build --blocks"), "{}", seen.stderr);
}

#[test]
fn sectors_that_cannot_be_read_are_counted() {
    if lacks(&[Need::Fuse, Need::Loop, Need::Root]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    room.file("known/a", &expected[3 << 20..(3 << 20) + 70_000]);
    assert_eq!(build(&room, "512").code, Some(0));
    let seen = pfh(
        &room,
        [
            OsStr::new("match"),
            "--sectors".as_ref(),
            "512".as_ref(),
            disk.path().as_os_str(),
            "-k".as_ref(),
            "set".as_ref(),
            "--json".as_ref(),
        ],
    );
    assert_eq!(seen.code, Some(1), "what was found stays found: {}", seen.stderr);
    assert!(seen.stderr.contains("were not read"), "{}", seen.stderr);
    assert_eq!(lines(&seen, "fragment")[0]["offset"].as_u64(), Some(3 << 20));
    assert!(lines(&seen, "summary")[0]["unread"].as_u64() > Some(0));
}

/// The words for fragments, for people and machines.
#[test]
fn what_is_printed_of_fragments() {
    let room = Room::new();
    room.file("known/a", &random(1, 8192));
    room.file("image", &[random(2, 4096), random(1, 8192), vec![0; 8192]].concat());
    room.file("known/zeros", &[0; 8192]);
    assert!(build(&room, "512,4096").stderr.contains("blocks say little of their files"));
    let search = |more: &[&str]| pfh(&room, [&["match", "--sectors", "4096", "image", "-k", "set"], more].concat());
    let seen = search(&[]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(text.starts_with("known-bad ") && text.contains("bytes at 4096: 2 blocks of 4096 bytes"), "{text}");
    assert!(seen.stderr.contains("compared with 1 set by sha256"), "{}", seen.stderr);
    assert!(seen.stderr.contains("--flagged lists them"), "{}", seen.stderr);
    let seen = search(&["--json", "--flagged"]);
    let fragments = lines(&seen, "fragment");
    // Two blocks of zeros lie at nine sectors.
    assert_eq!((seen.code, fragments.len(), &fragments[1]["flags"][0]), (Some(1), 9, &"constant".into()));
    assert!(lines(&seen, "summary")[0]["sizes"][0]["flagged"].as_u64() > Some(8));
    let info = String::from_utf8_lossy(&pfh(&room, ["known", "info", "--verify", "set"]).stdout).into_owned();
    assert!(info.contains("blocks     of 512 bytes, sha256:") && info.contains("flagged"), "{info}");
}
