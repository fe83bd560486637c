//! `pfh check --share` and `--for`, as they are typed.

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::fs;

fn pfh(room: &Room, words: &str, code: i32) -> Outcome {
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path());
    let seen = seen.run().unwrap();
    assert_eq!(seen.code, Some(code), "{words}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    seen
}

fn room() -> Room {
    let room = Room::new();
    for number in 0..30 {
        room.file(format!("d/{number:02}"), &[b'x'; 100]);
    }
    pfh(&room, "hash -r d -o list", 0);
    room
}

#[test]
fn a_sentence_names_the_part_and_the_oldest_check() {
    let room = room();
    let seen = pfh(&room, "check --share 1/10 list", 0);
    assert_eq!(seen.lines().len(), 3);
    let expected = "3 files verified against list: sha256; a share: 1/10, 3 of 30 files, 10.0 % of the bytes; \
                    the oldest check was 0 seconds ago; 27 files were never checked";
    assert!(seen.stderr.contains(expected), "{}", seen.stderr);
    for _ in 1..10 {
        pfh(&room, "check --share 10% -q list", 0);
    }
    let seen = pfh(&room, "check --share 1/10 --json list", 0);
    let last: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!((&last["share"]["never"], &last["share"]["read"], &last["expected"]), (&0.into(), &3.into(), &3.into()));
    let seen = pfh(&room, "check --for 1h list", 0);
    assert!(seen.stderr.contains("30 of 30 files, 100.0 % of the bytes"), "{}", seen.stderr);
    // The state is not among the files that are listed.
    pfh(&room, "check --audit list .", 0);
    fs::rename(room.path().join("list"), room.path().join("d/list")).unwrap();
    fs::rename(room.path().join("list.checked"), room.path().join("d/list.checked")).unwrap();
    pfh(&room, "check --audit d/list d", 0);
}

#[test]
fn the_exit_is_that_of_what_was_checked() {
    let room = room();
    room.file("d/29", b"changed");
    pfh(&room, "check --share 1/2 list", 0);
    let seen = pfh(&room, "check --share 1/2 list", 1);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("d/29: FAILED\n"));
    // It is read again each time.
    pfh(&room, "check --share 1/30 list", 1);
    for wrong in [
        "check --share 2 list",
        "check --share 31/30 list",
        "check --for 2 list",
        "check --share 1/2 --audit list",
        "check --state s list",
        "check --share 1/2 -",
        "check --share 1/2 --state d/00 list",
    ] {
        pfh(&room, wrong, 2);
    }
}

/// Files that are gone need no reading, and are named in whichever share.
#[test]
fn what_is_gone_is_named_at_once() {
    let room = room();
    let gone = ["d/03", "d/17", "d/29"];
    gone.iter().for_each(|name| fs::remove_file(room.path().join(name)).unwrap());
    for share in ["1/30", "1/3", "1/1", "5%"] {
        let seen = pfh(&room, &format!("check --share {share} list"), 1);
        let said = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(gone.iter().all(|name| said.contains(name)), "{share}: {said}");
    }
}

#[test]
fn sizes_that_no_sum_has_room_for_do_not_wrap() {
    let room = Room::new();
    let mut list = String::from("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n");
    for name in ["a", "b", "c"] {
        room.file(format!("d/{name}"), b"");
        list += &format!("{},d41d8cd98f00b204e9800998ecf8427e,{name}\n", u64::MAX - 1);
    }
    room.file("list", list.as_bytes());
    // A file of another size is a file that has changed.
    let seen = pfh(&room, "check --share 2/3 --json list d", 1);
    let last: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    let share = &last["share"];
    assert_eq!(share["total"], u64::MAX);
    assert!(share["read"] == 3 || share["bytes"].as_u64() >= Some(u64::MAX - 1), "{share}");
}
