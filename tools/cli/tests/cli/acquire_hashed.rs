//! `pfh acquire --hash-only`: digests, map and log of a disk, without an image.
#![cfg(unix)]

use crate::program::{MIB, Room, sha256};
use pfh_inject::{Loop, Need, Outcome, Trial, content, lacks};
use std::fs;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn names(room: &Room) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(room.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_disk_is_hashed_and_later_verified_by_the_log() {
    let room = Room::new();
    let bytes = content(31, 3 * MIB + 700);
    room.file("ev/disk", &bytes);
    let hashed = "acquire ev/disk --hash-only --no-progress --json --piecewise 1MiB --examiner Ada";
    let seen = pfh(&room, hashed);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let report: serde_json::Value = serde_json::from_slice(&seen.stdout).unwrap();
    assert_eq!(report["digests"]["sha256"], sha256(&bytes));
    assert!(report["targets"].as_array().unwrap().is_empty());
    // Beside the evidence nothing is written, and no image anywhere.
    assert_eq!(names(&room), ["disk.log", "disk.log.jsonl", "disk.map", "ev"]);
    assert_eq!(fs::read_dir(room.path().join("ev")).unwrap().count(), 1);
    let log = fs::read_to_string(room.path().join("disk.log")).unwrap();
    assert!(log.contains("targets: none") && log.contains("examiner: Ada") && log.contains(&sha256(&bytes)), "{log}");
    let verify = "verify ev/disk --log disk.log.jsonl --no-progress";
    let seen = pfh(&room, verify);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let mut changed = bytes;
    changed[5000] ^= 1;
    room.file("ev/disk", &changed);
    assert_eq!(pfh(&room, verify).code, Some(1));
    // A finished log is never written over unasked.
    let seen = pfh(&room, hashed);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert_eq!(pfh(&room, verify).code, Some(1));
    assert_eq!(pfh(&room, &format!("{hashed} --force")).code, Some(0));
    assert_eq!(pfh(&room, verify).code, Some(0));
}

#[test]
fn a_run_that_is_cut_off_starts_over_and_a_stream_names_its_log() {
    let room = Room::new();
    let bytes = content(32, MIB);
    room.file("disk", &bytes);
    room.file("faults", b"0x0 +\n0x00000000 0x00010000 +\n0x00010000 0x000F0000 -\n");
    let cut = "acquire disk --hash-only --no-progress --map-as-faults faults --max-errors 1";
    assert_eq!(pfh(&room, cut).code, Some(4));
    let seen = pfh(&room, "acquire disk --hash-only --no-progress --json");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let report: serde_json::Value = serde_json::from_slice(&seen.stdout).unwrap();
    assert_eq!(report["digests"]["sha256"], sha256(&bytes));
    assert_eq!(pfh(&room, "verify disk --log disk.log.jsonl --no-progress").code, Some(0));
    let stream = |words: &str| {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path());
        trial.input(bytes.clone()).run().unwrap()
    };
    assert_eq!(stream("acquire - --hash-only --no-progress").code, Some(2));
    assert_eq!(stream("acquire - --hash-only --no-progress --log l").code, Some(0));
    for refused in ["--to image", "--verify", "--split 1MiB", "--then .", "--outboard t"] {
        assert_eq!(pfh(&room, &format!("acquire disk --hash-only {refused}")).code, Some(2), "{refused}");
    }
    assert_eq!(pfh(&room, "acquire disk").code, Some(2));
}

/// A device is verified by the log of its digests, as an image of it would be.
#[test]
fn a_device_that_was_hashed_is_verified() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(33, MIB));
    let device = Loop::attach(&source, &["-r"]).unwrap();
    let name = device.path().display();
    let seen = pfh(&room, &format!("acquire {name} --hash-only --no-progress"));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let log = format!("{}.log.jsonl", device.path().file_name().unwrap().to_str().unwrap());
    let seen = pfh(&room, &format!("verify {name} --log {log} --no-progress"));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}
