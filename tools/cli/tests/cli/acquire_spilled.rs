//! `pfh acquire` where one target fails beside others, and the words for further directories.
#![cfg(unix)]

use crate::program::{MIB, Room, sha256};
use pfh_inject::{Need, Outcome, Tmpfs, Trial, content, lacks};
use serde_json::Value;
use std::fs;

fn acquire(room: &Room, words: &str) -> Trial {
    let words = ["acquire", "--no-progress", "--json"].into_iter().chain(words.split(' '));
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path())
}

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn report(seen: &Outcome) -> Value {
    serde_json::from_slice(&seen.stdout).unwrap_or_else(|error| panic!("{error}: {seen:?}"))
}

/// Further directories are options, and a log names the files that went there.
#[test]
fn further_directories_are_words() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    room.file("disk", &content(61, 6 * MIB));
    let _small = Tmpfs::mount(&room.path().join("small"), 3 * MIB).unwrap();
    fs::create_dir(room.path().join("large")).unwrap();
    let words = "disk --to small/image --then large --split 512KiB --verify --log l --map m";
    let seen = acquire(&room, words).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(fs::read_to_string(room.path().join("l")).unwrap().contains(", in /"));
    for wrong in ["--to small/b --then large", "--to small/b --split 100KiB --then none"] {
        let seen = acquire(&room, &format!("disk {wrong}")).run().unwrap();
        assert_eq!(seen.code, Some(2), "{wrong}: {}", seen.stderr);
    }
}

/// The healthy target is whole, verified and logged; the other is named, and the exit is 4.
#[test]
fn one_failing_target_ends_no_other() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(64, 6 * MIB);
    room.file("disk", &bytes);
    let small = Tmpfs::mount(&room.path().join("small"), 3 * MIB).unwrap();
    for (number, targets) in
        ["--to small/a --to good.dd", "--to good --split 1MiB --to small/a"].into_iter().enumerate()
    {
        // A stream: how much room it takes is not known before.
        let words = format!("- {targets} --verify --log l{number} --outboard t{number}");
        let seen = acquire(&room, &words).input(bytes.clone()).run().unwrap();
        assert_eq!(seen.code, Some(4), "{}", seen.stderr);
        assert!(seen.stderr.contains("small/a") && seen.stderr.contains("No space left"), "{}", seen.stderr);
        let report = report(&seen);
        assert_eq!(report["lost"][0]["path"], "small/a");
        let [whole] = &report["targets"].as_array().unwrap()[..] else { panic!("{report}") };
        assert_eq!(whole["verified"], true);
        let first = if number == 1 { "good.000" } else { whole["path"].as_str().unwrap() };
        let seen = pfh(&room, &format!("verify {first} --log l{number}.jsonl --no-progress"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, &format!("hash --image -a sha256 {first}"));
        assert!(String::from_utf8_lossy(&seen.stdout).contains(&sha256(&bytes)), "{seen:?}");
        let log = fs::read_to_string(room.path().join(format!("l{number}.jsonl"))).unwrap();
        assert!(log.contains("\"kind\":\"target-failed\""), "{log}");
        fs::read_dir(small.path()).unwrap().flatten().for_each(|entry| fs::remove_file(entry.path()).unwrap());
    }
}
