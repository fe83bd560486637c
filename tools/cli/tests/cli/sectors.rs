//! `pfh known build --blocks` and `pfh match --sectors`: every block of a known file is found where
//! it lies, no other one is, and nothing that was not compared passes in silence.

use crate::program::acquisition::{BadDevice, bad_device};
use crate::program::{Room, random};
use pfh_inject::{Loop, Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// The output of a program that ends well.
fn sh(room: &Room, line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
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

/// Free blocks of 4096 bytes of `image`, by debugfs: the first of the blocks in a row.
fn free(room: &Room, blocks: u64, from: u64) -> u64 {
    let said = sh(room, &format!("debugfs -R 'ffb {blocks} {from}' image 2>/dev/null"));
    let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len() as u64, blocks, "{said}");
    assert_eq!(numbers[0] + blocks - 1, numbers[numbers.len() - 1], "in a row: {said}");
    numbers[0]
}

const EXT: &[Need] = &[Need::Program("mke2fs"), Need::Program("debugfs")];

/// A set of three files, and a file system `image` in whose free blocks two of them were: the first
/// at an odd sector with 10 sectors in the middle overwritten, of the second the last part. The
/// third is a file of the file system.
fn planted(room: &Room) -> (Vec<u8>, u64, u64) {
    let files = [random(1, 50_000), random(2, 33_333), random(3, 20_000)];
    files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
    room.file("tree/live", &files[2]);
    room.file("tree/other", &random(4, 100_000));
    sh(room, "truncate -s 8M image && mke2fs -q -F -t ext4 -b 4096 -d tree image");
    let first = free(room, 16, 900) * 4096 + 3 * 512;
    let second = free(room, 12, 1500) * 4096;
    let mut image = std::fs::read(room.path().join("image")).unwrap();
    image[first as usize..][..50_000].copy_from_slice(&files[0]);
    image[first as usize + 20 * 512..][..10 * 512].copy_from_slice(&random(5, 10 * 512));
    image[second as usize..][..33_333 - 16_384].copy_from_slice(&files[1][16_384..]);
    room.file("image", &image);
    (image, first, second)
}

#[test]
fn every_kind_of_image_gives_the_same_answer() {
    if lacks(&[EXT, &[Need::Loop, Need::Program("split")]].concat()) {
        return;
    }
    let room = Room::new();
    planted(&room);
    assert_eq!(build(&room, "512,4096").code, Some(0));
    sh(&room, "split -b 3000000 -a 3 --numeric-suffixes=0 image part. ");
    let seen = pfh(&room, ["acquire", "image", "--to", "case.E01"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let device = Loop::attach(&room.path().join("image"), &["--read-only"]).unwrap();
    let device = device.path().to_str().unwrap().to_owned();
    for inside in [&[][..], &["--inside"]] {
        let mut answers = BTreeSet::new();
        for image in ["image", "part.000", "case.E01", &device] {
            let arguments = [&["match", "--sectors", "512,4096", image, "-k", "set", "--json"], inside].concat();
            let seen = pfh(&room, arguments);
            assert_eq!(seen.code, Some(1), "{image}: {}", seen.stderr);
            let mut found = lines(&seen, "fragment");
            found.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("path")));
            answers.insert(format!("{found:?} {}", lines(&seen, "summary")[0]));
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
    }
    // The same image twice is searched twice.
    let seen = pfh(&room, ["match", "--sectors", "512", "image", "./image", "-k", "set", "--json"]);
    let (twice, once) = (lines(&seen, "fragment").len(), answers_of(&room, "image"));
    assert_eq!((twice, lines(&seen, "summary")[0]["images"].as_u64()), (2 * once, Some(2)));
}

fn answers_of(room: &Room, image: &str) -> usize {
    lines(&pfh(room, ["match", "--sectors", "512", image, "-k", "set", "--json"]), "fragment").len()
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
        (&["match", "--sectors", "512", "image", "-k", "set", "--digest", "00"], 2, "cannot be used"),
        (&["match", "--sectors", "512", "image", "-k", "set", "-o", "image", "--force"], 2, "is read"),
        (&["match", "--sectors", "512", "image", "-k", "missing"], 3, "missing"),
        (&["match", "--flagged", "image", "-k", "set"], 2, "--sectors"),
        (&["known", "build", "new", "--blocks", "1000", "--bad", "known"], 2, "power of two"),
        (&["known", "build", "new", "--blocks", "512", "-a", "crc32", "--bad", "known"], 2, "16 to 64 bytes"),
        (&["known", "build", "new", "--blocks", "512"], 2, "no set was named"),
        (&["known", "build", "known/a", "--blocks", "512", "--bad", "known", "--force"], 2, "lies in"),
        (&["known", "build", "known/new", "--blocks", "512", "--bad", "known"], 2, "lies in"),
        // What a set of blocks says of files, and a missing file of a set, of an image.
        (&["match", "-k", "set", "known/a"], 3, "--sectors"),
        (&["lookup", "-k", "set", "--digest", "d41d8cd98f00b204e9800998ecf8427e"], 3, ""),
        (&["known", "build", "part", "--blocks", "512", "--bad", "known", "--good", "missing"], 3, "missing"),
        (&["match", "--sectors", "512", "image", "missing", "-k", "set"], 3, "missing"),
        (&["match", "--sectors", "512", "missing", "-k", "set"], 3, "nothing to compare with"),
        // No file system, so that what is unallocated is not known.
        (&["match", "--sectors", "512", "--inside", "image", "-k", "set"], 3, "no file system"),
    ] {
        let seen = pfh(&room, arguments);
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(words), "{arguments:?}: {}", seen.stderr);
        assert!(!room.path().join("new").exists() && !room.path().join("new.work").exists(), "{arguments:?}");
    }
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
