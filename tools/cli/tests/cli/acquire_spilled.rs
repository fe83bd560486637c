//! Images that outgrow a disk and go on in another directory; targets that fail beside others.

use crate::program::{MIB, Room, sha256};
use pfh_inject::{Need, Outcome, Tmpfs, Trial, content, lacks};
use serde_json::Value;
use std::fs;
use std::path::Path;

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

/// How many names in a directory are links, and how many are files.
fn counted(directory: &Path) -> (usize, usize) {
    let all: Vec<_> = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.file_type().unwrap()).collect();
    (all.iter().filter(|kind| kind.is_symlink()).count(), all.iter().filter(|kind| kind.is_file()).count())
}

/// AO-10: the next segments go to another volume when the first is full, and are read as one image.
#[test]
fn further_segments_go_to_another_disk() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(61, 6 * MIB);
    room.file("disk", &bytes);
    let small = Tmpfs::mount(&room.path().join("small"), 3 * MIB).unwrap();
    let large = Tmpfs::mount(&room.path().join("large"), 8 * MIB).unwrap();
    for (name, first, more) in
        [("image", "image.000", "--split 512KiB"), ("image.E01", "image.E01", "--split 1MiB --compression none")]
    {
        let words = format!("disk --to small/{name} --then large {more} --verify --log l{name} --map m{name}");
        let seen = acquire(&room, &words).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let ((links, kept), (none, moved)) = (counted(small.path()), counted(large.path()));
        assert!(links > 1 && links == moved && kept > 1 && none == 0, "{links} {kept} {none} {moved}");
        let digest = sha256(&bytes);
        let seen = pfh(&room, &format!("hash --image -a sha256 small/{first}"));
        assert!(String::from_utf8_lossy(&seen.stdout).contains(&digest), "{seen:?}");
        let seen = pfh(&room, &format!("verify small/{first} --log l{name}.jsonl --no-progress"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let log = fs::read_to_string(room.path().join(format!("l{name}"))).unwrap();
        assert_eq!(log.matches(", in /").count(), links, "{log}");
        // The same command compares; with --force both directories are cleared first.
        assert_eq!(acquire(&room, &words).run().unwrap().code, Some(0));
        let seen = acquire(&room, &format!("{words} --force")).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!((counted(small.path()), counted(large.path())), ((links, kept), (none, moved)));
        // A segment on a disk that is not attached is a difference, and is named.
        let gone = fs::read_dir(large.path()).unwrap().flatten().map(|entry| entry.path()).max().unwrap();
        fs::remove_file(&gone).unwrap();
        let seen = pfh(&room, &format!("verify small/{first} --log l{name}.jsonl --no-progress"));
        assert_eq!(seen.code, Some(1), "{}", seen.stderr);
        for directory in [small.path(), large.path()] {
            fs::read_dir(directory).unwrap().flatten().for_each(|entry| fs::remove_file(entry.path()).unwrap());
        }
    }
}

#[test]
fn an_image_on_two_disks_is_resumed() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(62, 6 * MIB);
    room.file("disk", &bytes);
    room.file("faults", b"0x0 +\n0x00000000 0x00480000 +\n0x00480000 0x00180000 -\n");
    let _small = Tmpfs::mount(&room.path().join("small"), 3 * MIB).unwrap();
    let large = Tmpfs::mount(&room.path().join("large"), 8 * MIB).unwrap();
    let words = "disk --to small/image --then large --split 512KiB --log l --map m --verify";
    let seen = acquire(&room, &format!("{words} --map-as-faults faults --max-errors 1")).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(counted(large.path()).1 > 0, "it was cut off on the second disk");
    let seen = acquire(&room, words).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("resuming"), "{}", seen.stderr);
    assert_eq!(report(&seen)["digests"]["sha256"], sha256(&bytes));
}

#[test]
fn what_cannot_go_on_elsewhere_is_refused() {
    let room = Room::new();
    room.file("disk", &content(63, MIB));
    for name in ["a", "b", "c"] {
        fs::create_dir(room.path().join(name)).unwrap();
    }
    room.file("c/image.001", b"precious");
    let before = fs::read_dir(room.path()).unwrap().count();
    for words in [
        "disk --to a/image --then b",
        "disk --to a/image --split 100KiB --then a",
        "disk --to a/image --split 100KiB --then none",
        "disk --to a/image --split 100KiB --then disk",
        "disk --to a/image --split 100KiB --then b --then b",
        "disk --to a/image --split 100KiB --then c",
    ] {
        let seen = acquire(&room, words).run().unwrap();
        assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
    }
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), before);
    assert_eq!(fs::read(room.path().join("c/image.001")).unwrap(), b"precious");
    assert_eq!(fs::read_dir(room.path().join("a")).unwrap().count(), 0);
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
        ["--to small/a --to good.dd", "--to good.E01 --to small/a", "--to good --split 1MiB --to small/a"]
            .into_iter()
            .enumerate()
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
        let first = if number == 2 { "good.000" } else { whole["path"].as_str().unwrap() };
        let seen = pfh(&room, &format!("verify {first} --log l{number}.jsonl --no-progress"));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, &format!("hash --image -a sha256 {first}"));
        assert!(String::from_utf8_lossy(&seen.stdout).contains(&sha256(&bytes)), "{seen:?}");
        let log = fs::read_to_string(room.path().join(format!("l{number}.jsonl"))).unwrap();
        assert!(log.contains("\"kind\":\"target-failed\""), "{log}");
        fs::read_dir(small.path()).unwrap().flatten().for_each(|entry| fs::remove_file(entry.path()).unwrap());
    }
    // Of a file there is a map: the complete image is not resumed with the one that failed.
    let words = "disk --to small/x.E01 --to good.raw --split 100MiB --format raw --log l3 --map m3 --sparse";
    assert_eq!(acquire(&room, words).run().unwrap().code, Some(2), "pieces have no holes");
    let words = "disk --to small/x.E01 --to good.raw --compression none --log l3 --map m3";
    let seen = acquire(&room, words).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    let before = fs::read(room.path().join("good.raw")).unwrap();
    assert!(before == bytes);
    for again in [words.to_owned(), words.replace("l3", "l4")] {
        let seen = acquire(&room, &again).run().unwrap();
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(fs::read(room.path().join("good.raw")).unwrap() == before);
    }
    // Without a healthy one it ends as ever.
    let seen = acquire(&room, "- --to small/a --to small/b --log l").input(bytes).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stdout.is_empty());
}
