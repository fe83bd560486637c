//! Blocks of known files over every kind of container, the places that a set keeps of blocks that
//! are in many places, and `compare` of space that no file has.
#![cfg(unix)]

use super::containers::{disk, images};
use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-ec", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const NEEDS: &[Need] = &[
    Need::Program("qemu-img"),
    Need::Program("mkfs.ext4"),
    Need::Program("sfdisk"),
    Need::Program("zip"),
    Need::Program("debugfs"),
    Need::Program("dumpe2fs"),
];

fn lines(seen: &Outcome, kind: &str) -> Vec<Value> {
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).collect()
}

/// The fragments without the name of the image, and the summary.
fn answer(seen: &Outcome) -> String {
    let mut found = lines(seen, "fragment");
    found.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("path")));
    format!("{found:?} {:?}", lines(seen, "summary"))
}

#[test]
fn sectors_are_searched_in_every_kind_of_container() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let mut raw = disk(&room);
    // A known file in free blocks of the partition, and in the gap in front of it.
    let lost = random(77, 30_000);
    room.file("known/lost", &lost);
    sh(&room, "cp t/sub/c known/live; dd if=raw of=part bs=1M skip=1 status=none");
    let output = Command::new("debugfs").args(["-R", "ffb 40 1500", "part"]).current_dir(room.path()).output().unwrap();
    let first: usize =
        String::from_utf8_lossy(&output.stdout).split_whitespace().find_map(|word| word.parse().ok()).unwrap();
    let text = Command::new("dumpe2fs").args(["-h", "part"]).current_dir(room.path()).output().unwrap();
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let size = text.lines().find_map(|line| line.strip_prefix("Block size:")).unwrap().trim().parse::<usize>().unwrap();
    let free = (1 << 20) + first * size;
    raw[free..][..lost.len()].copy_from_slice(&lost);
    raw[64 * 512..][..lost.len()].copy_from_slice(&lost);
    room.file("raw", &raw);
    let images = images(&room, &raw);
    assert_eq!(pfh(&room, "known build set --blocks 512,4096 --bad known").code, Some(0));
    for inside in ["", "--inside "] {
        let of = |image: &str| {
            let seen = pfh(&room, &format!("match --sectors 512,4096 {inside}{image} -k set --json"));
            assert_eq!(seen.code, Some(1), "{image}: {}", seen.stderr);
            answer(&seen)
        };
        let expected = of("raw");
        for offset in [free, 64 * 512] {
            assert!(expected.contains(&format!("\"offset\": Number({offset})")), "{offset}: {expected}");
        }
        // The live file is found on the whole medium alone.
        assert_eq!(expected.contains("known/live"), inside.is_empty());
        for image in &images {
            assert_eq!(of(image), expected, "{image}");
        }
    }
    // Sets of blocks of files in a container are those of the tree.
    assert_eq!(pfh(&room, "known build tree --blocks 512,4096 --bad t").code, Some(0));
    let of = |set: &str| {
        let seen = pfh(&room, &format!("match --sectors 512,4096 raw -k {set} --json --flagged"));
        assert_eq!(seen.code, Some(1), "{}", seen.stderr);
        // Where known blocks of each size are, however they are joined.
        let blocks = |line: &Value| {
            let [offset, count, size] = ["offset", "blocks", "block_size"].map(|name| line[name].as_u64().unwrap());
            (0..count).map(move |at| (offset + at * size, size)).collect::<Vec<_>>()
        };
        lines(&seen, "fragment").iter().flat_map(blocks).collect::<BTreeSet<_>>()
    };
    let expected = of("tree");
    assert!(!expected.is_empty());
    for image in images {
        let seen = pfh(&room, &format!("known build inner --blocks 512,4096 --inside --bad {image} --force"));
        assert_eq!(seen.code, Some(0), "{image}: {}", seen.stderr);
        assert!(of("inner").is_superset(&expected), "{image}");
    }
}

/// A set keeps sixteen places of a block: a block with more is counted, on each fragment and in
/// all.
#[test]
fn places_that_are_not_kept_are_counted() {
    let room = Room::new();
    // One block of content in one file at 20 places, between blocks of their own.
    let repeated = random(1, 512);
    let file: Vec<u8> = (0..20).flat_map(|n| [repeated.clone(), random(100 + n, 512)].concat()).collect();
    room.file("known/repeats", &file);
    room.file("known/plain", &random(2, 5120));
    let image = [&random(3, 4096)[..], &file, &random(4, 4096), &random(2, 5120), &random(5, 1000)].concat();
    room.file("image", &image);
    assert_eq!(pfh(&room, "known build set --blocks 512 --bad known").code, Some(0));
    let seen = pfh(&room, "match --sectors 512 image -k set --json");
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let found = lines(&seen, "fragment");
    let sum = |name: &str| found.iter().map(|line| line[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum("blocks"), 40 + 10);
    assert_eq!(sum("cut_blocks"), 20, "{found:?}");
    let plain = found.iter().find(|line| line["files"][0]["path"] == "known/plain").unwrap();
    assert_eq!((plain["cut_blocks"].as_u64(), plain["blocks"].as_u64()), (Some(0), Some(10)));
    // Behind the sixteenth place a fragment ends, and that is said.
    assert!(found.len() > 2, "{found:?}");
    assert_eq!(lines(&seen, "summary")[0]["sizes"][0]["cut_blocks"].as_u64(), Some(20));
    assert!(seen.stderr.contains("20 known blocks with more than 16 places"), "{}", seen.stderr);
    let seen = pfh(&room, "match --sectors 512 image -k set");
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(text.contains("blocks at more places than are kept"), "{text}");
    // Sixteen are kept: nothing is said.
    room.file("known/repeats", &file[..16 * 1024]);
    assert_eq!(pfh(&room, "known build set --blocks 512 --bad known --force").code, Some(0));
    let seen = pfh(&room, "match --sectors 512 image -k set");
    assert!(!seen.stderr.contains("more than 16 places"), "{}", seen.stderr);
}

/// Free space is compared like files: deleted data resembles known data.
#[test]
fn compare_takes_space_that_no_file_has() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let mut raw = disk(&room);
    let lost = random(7, 200_000);
    // In the gap behind the table: 2,047 sectors; the file begins at the first.
    raw[1024..][..lost.len()].copy_from_slice(&lost);
    room.file("raw", &raw);
    let gap = &raw[512..1 << 20];
    let mut resembling = gap.to_vec();
    resembling[5000..5100].fill(1);
    room.file("r/like", &resembling);
    for (options, is_found) in [("", false), ("--unallocated ", true)] {
        let seen = pfh(&room, &format!("compare -r --inside {options}-a tlsh --json --no-progress raw r"));
        assert!(matches!(seen.code, Some(0 | 3)), "{}", seen.stderr);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        let is_pair = |line: &&str| line.contains("!unallocated") && line.contains("r/like");
        assert_eq!(text.lines().any(|line| is_pair(&line)), is_found, "{options}: {text}{}", seen.stderr);
    }
    let seen = pfh(&room, "compare --unallocated -a tlsh raw");
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}
