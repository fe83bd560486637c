//! Space that no file has, and containers that take too long: `--unallocated` and
//! `--container-timeout`.
#![cfg(unix)]

use crate::program::{Room, random, records, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

const NEEDS: &[Need] =
    &[Need::Program("mke2fs"), Need::Program("sfdisk"), Need::Program("blkls"), Need::Program("mkfs.vfat")];

/// A disk with two partitions: at 1 MiB an ext4 file system with a file of 100 bytes and noise in
/// its free blocks, at 6 MiB a FAT one; gaps before, between and behind.
fn disk(room: &Room) -> Vec<u8> {
    room.file("tree/small", &random(1, 100));
    room.file("tree/sub/large", &random(2, 300_001));
    sh(room, "truncate -s 4M ext && mke2fs -q -F -t ext4 -b 4096 -d tree ext");
    sh(room, "truncate -s 2M fat && mkfs.vfat fat >/dev/null");
    let mut disk = random(3, 10 << 20);
    let mut ext = std::fs::read(room.path().join("ext")).unwrap();
    // Noise in the free blocks, and behind the small file.
    let free = sh(room, "blkls -l ext");
    for line in String::from_utf8(free).unwrap().lines() {
        if let Some((Ok(block), "f")) = line.split_once('|').map(|(block, state)| (block.parse::<usize>(), state)) {
            ext[block * 4096..(block + 1) * 4096].copy_from_slice(&random(block as u64, 4096));
        }
    }
    let small = random(1, 100);
    let at = (0..ext.len()).step_by(4096).find(|at| ext[*at..].starts_with(&small)).unwrap();
    ext[at + 100..at + 4096].copy_from_slice(&random(9, 3996));
    room.file("ext", &ext);
    disk[1 << 20..5 << 20].copy_from_slice(&ext);
    disk[6 << 20..8 << 20].copy_from_slice(&std::fs::read(room.path().join("fat")).unwrap());
    // The first sector is the table's.
    disk[..512].fill(0);
    room.file("disk", &disk);
    sh(room, "printf '2048,8192,83\n12288,4096,c\n' | sfdisk -q disk");
    std::fs::read(room.path().join("disk")).unwrap()
}

#[test]
fn space_that_no_file_has_is_hashed_and_reads_back() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let disk = disk(&room);
    let seen = pfh(&room, ["hash", "--inside", "--unallocated", "-f", "jsonl", "disk"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    let is_free = |name: &str| name.ends_with("!unallocated") || name.ends_with("!slack");
    let mut names = BTreeSet::new();
    let mut covered = [0; 3];
    for line in lines.iter().filter(|line| line.kind() == "file") {
        assert!(names.insert(line.path().to_owned()), "twice: {}", line.path());
        assert_eq!(line.0["inside"]["unallocated"] == true, is_free(line.path()), "{}", line.path());
        let Some(name) = line.path().strip_suffix("!unallocated") else { continue };
        let base = line.0["inside"]["volume_offset"].as_u64().unwrap_or(0);
        let from = (base + name.rsplit('/').next().unwrap().parse::<u64>().unwrap()) as usize;
        let size = line.0["size"].as_u64().unwrap() as usize;
        assert_eq!(line.digest("sha256").unwrap(), sha256(&disk[from..from + size]), "{}", line.path());
        let place = ["disk!/p1/", "disk!/p2/"].iter().position(|part| name.starts_with(part));
        covered[place.unwrap_or(2)] += size;
    }
    // Free blocks as blkls has them; gaps of 1 MiB in front, 1 MiB between, 2 MiB behind.
    let [ext, fat] = ["blkls ext", "blkls fat"].map(|line| sh(&room, line).len());
    assert_eq!([covered[0], covered[2]], [ext, 4 << 20], "{names:?}");
    // blkls takes sectors behind the last cluster that are too few for one.
    assert!(covered[1] <= fat && fat - covered[1] < 2048, "{names:?}");
    let slack = lines.iter().find(|line| line.path() == "disk!/p1/small!slack").expect("slack");
    assert_eq!(slack.digest("sha256").unwrap(), sha256(&random(9, 3996)));
    assert!(lines.iter().any(|line| line.path() == "disk!/p1/small"));
    // Live files are the same as without, and come first in each file system.
    let without = records(&pfh(&room, ["hash", "--inside", "-f", "jsonl", "disk"]));
    let live: Vec<&str> = lines.iter().map(|line| line.path()).filter(|name| !is_free(name)).collect();
    assert_eq!(live, without.iter().map(|line| line.path()).collect::<Vec<_>>());
    let first_free = lines.iter().position(|line| line.path().starts_with("disk!/p1/") && is_free(line.path()));
    let last_live = lines.iter().rposition(|line| line.path().starts_with("disk!/p1/") && !is_free(line.path()));
    assert!(first_free > last_live);
    // Each format is read back, from another directory as well, and a change is found.
    for format in ["sums", "jsonl", "hashdeep", "dfxml"] {
        let list = format!("list.{format}");
        let seen = pfh(&room, ["hash", "--inside", "--unallocated", "-a", "sha256", "-f", format, "-o", &list, "disk"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, ["check", &list]);
        assert_eq!(seen.code, Some(0), "{format}: {}", seen.stderr);
    }
    let mut other = disk.clone();
    other[(5 << 20) + 7] ^= 1;
    room.file("disk", &other);
    let seen = pfh(&room, ["check", "list.sums"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("disk!/5242880!unallocated: FAILED"), "{seen:?}");
}

#[test]
fn space_is_listed_and_matched_only_when_it_is_asked_for() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    disk(&room);
    let listed = |options: &[&str]| {
        let seen = pfh(&room, [&["list"], options, &["disk"]].concat());
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        (text.matches("!unallocated\n").count() + text.matches("!slack\n").count(), text.lines().count())
    };
    assert_eq!(listed(&[]).0, 0);
    let (free, all) = listed(&["--unallocated"]);
    assert!(free > 4 && all > free);
    assert_eq!(listed(&["--only", "unallocated"]), (free, free));
    assert_eq!(listed(&["--unallocated", "--only", "live"]).0, 0);
    room.file("list", format!("{}  slack\n", sha256(&random(9, 3996))).as_bytes());
    let found = |options: &[&str]| {
        pfh(&room, [&["match", "--inside", "-k", "list", "--only", "known"], options, &["disk"]].concat())
    };
    assert!(found(&[]).stdout.is_empty());
    assert!(String::from_utf8_lossy(&found(&["--unallocated"]).stdout).contains("disk!/p1/small!slack"));
    for words in [&["hash", "--unallocated", "disk"][..], &["hash", "--container-timeout", "3", "disk"]] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(seen.stderr.contains("add --inside"), "{}", seen.stderr);
    }
}

#[test]
fn a_container_that_takes_too_long_is_an_error_and_the_rest_comes() {
    if lacks(&[Need::Program("zstd"), Need::Program("zip"), Need::Time]) {
        return;
    }
    let room = Room::new();
    sh(&room, "head -c 6G /dev/zero | zstd -q -1 -o a.zst");
    room.file("in", b"zip");
    sh(&room, "zip -q b.zip in");
    let seen = pfh(&room, ["hash", "--inside", "--container-timeout", "1", "-f", "jsonl", "a.zst", "b.zip"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("more than 1 seconds (--container-timeout)"), "{}", seen.stderr);
    let lines = records(&seen);
    let of = |name: &str| lines.iter().find(|line| line.path() == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!((of("a.zst!/a").kind(), of("a.zst!/a").code()), ("error", "inside"));
    assert_eq!(of("b.zip!/in").digest("sha256").unwrap(), sha256(b"zip"));
    assert!(of("a.zst").digest("sha256").is_some(), "the file itself is a file");
}
