//! What `pfh acquire` refuses before it writes, and what it reports of sources that are no quiet
//! disks.

use crate::program::acquisition::report;
use crate::program::{MIB, Room};
use pfh_inject::{File, Files, Loop, Need, Outcome, Trial, content, lacks};
use std::fs;
use std::process::Command;

fn acquire(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "--json"]).args(words).directory(room.path()).run().unwrap()
}

#[test]
fn what_cannot_work_is_refused_and_leaves_nothing() {
    let room = Room::in_memory();
    room.file("source", &content(1, 100_000));
    fs::create_dir(room.path().join("directory")).unwrap();
    // More chunks than 32 bits count; no byte of it is on the disk.
    fs::File::create(room.path().join("vast")).unwrap().set_len(200 << 40).unwrap();
    for (words, why) in [
        ("directory --to new", "directory"),
        ("source --to new --skip 100000", "nothing lies beyond"),
        ("source --to new --skip 1T", "nothing lies beyond"),
        ("source --to new.E01 --split 1000", "35677"),
        ("source --to new --split 100 --suffix a", "names"),
        ("vast --to new.E01", "at most"),
        ("source --to -", "pfh dd"),
        ("source --to directory", "irectory"),
        ("source --to missing/new", "target missing/new"),
        ("source --to new --log /dev/null", "must be a file"),
    ] {
        let seen = acquire(&room, words);
        assert!(seen.code == Some(2) && seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 3, "{words} left something");
    }
}

/// Files of /proc state no size, and have data.
#[test]
fn files_without_a_size_are_read_to_their_end() {
    let room = Room::new();
    let seen = acquire(&room, "/proc/version --to version");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(fs::read(room.path().join("version")).unwrap(), fs::read("/proc/version").unwrap());
    room.file("empty", b"");
    assert_eq!(acquire(&room, "empty --to copy").code, Some(0));
    assert_eq!(fs::read(room.path().join("copy")).unwrap(), b"");
}

/// A file that is written to while it is read: the image is of no state of it, and that is said.
#[test]
fn a_source_that_changes_is_reported() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let mounted = Files::new().with(File::new("again", 4 * MIB).is_rewritten()).mount().unwrap();
    let seen = acquire(&room, &format!("{} --to image", mounted.file("again").display()));
    assert!(seen.code == Some(3) && seen.stderr.contains("changed while"), "{seen:?}");
    let log = fs::read_to_string(room.path().join("image.log.jsonl")).unwrap();
    assert!(log.contains("\"kind\":\"changed\""), "{log}");
    // One that has become shorter, or longer than what there is to read, is no image at all.
    let mounted = Files::new().with(File::new("grown", 4 * MIB).grows(1000)).mount().unwrap();
    let seen = acquire(&room, &format!("{} --to other", mounted.file("grown").display()));
    assert!(seen.code == Some(4) && seen.stderr.contains("its size was"), "{seen:?}");
}

#[test]
fn the_log_says_that_hidden_areas_were_not_looked_for() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("disk", &content(2, MIB));
    for (number, options) in [&["-r"][..], &[]].into_iter().enumerate() {
        let device = Loop::attach(&source, options).unwrap();
        assert_eq!(acquire(&room, &format!("{} --to {number}", device.path().display())).code, Some(0));
        let log = fs::read_to_string(room.path().join(format!("{number}.log"))).unwrap();
        assert!(log.contains("HPA"), "{log}");
    }
}

/// Pieces that an earlier and longer image left would be read as part of the new one.
#[test]
fn pieces_of_an_older_image_do_not_stay_behind_the_new_one() {
    let room = Room::new();
    room.file("long", &content(3, 10_000));
    room.file("short", &content(4, 3000));
    assert_eq!(acquire(&room, "long --to image --split 1000").code, Some(0));
    assert_eq!(acquire(&room, "short --to image --split 1000").code, Some(2));
    let seen = acquire(&room, "short --to image --split 1000 --force -a sha256 --verify");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let verified =
        Command::new(env!("CARGO_BIN_EXE_pfh")).args(["verify", "image.000"]).current_dir(room.path()).output();
    assert_eq!(verified.unwrap().status.code(), Some(0));
    assert!(!room.path().join("image.003").exists() && report(&seen)["bytes"] == 3000);
}
