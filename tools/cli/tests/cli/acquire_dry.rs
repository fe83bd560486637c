//! `pfh acquire --dry-run`: the planned reads and writes, refused as the run would be, and nothing
//! changed.

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};
use std::collections::BTreeMap;
use std::fs;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().expect("a run")
}

/// Every file with its content and its times.
fn everything(room: &Room) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
    let entry = |entry: fs::DirEntry| {
        let modified = entry.metadata().expect("a file").modified().expect("a time");
        (entry.file_name().into_string().expect("a name"), (fs::read(entry.path()).expect("content"), modified))
    };
    fs::read_dir(room.path()).expect("a room").flatten().map(entry).collect()
}

/// The dry run, which must leave all as it is; the end of the run itself is for the caller.
fn foreseen(room: &Room, words: &str, code: i32) -> (String, String) {
    let before = everything(room);
    let seen = pfh(room, &format!("acquire --dry-run {words}"));
    assert!(everything(room) == before, "{words}: something has changed");
    assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
    (String::from_utf8(seen.stdout).expect("text"), seen.stderr)
}

#[test]
fn what_is_said_is_what_is_done() {
    let room = Room::new();
    room.file("disk", &content(1, 300_000));
    let words = "disk --to a.img --to b.E01 --split 100000000 --outboard t --case-uco c.json --examiner Ada";
    let words = words.replace("--split 100000000 ", "");
    let (said, noted) = foreseen(&room, &words, 0);
    assert!(said.starts_with("read     disk: 300000 bytes, sectors of 512 bytes\n"), "{said}");
    assert!(said.contains("write    a.img: target (raw), 300000 bytes\n"), "{said}");
    assert!(said.contains("compute  sha256, blake3, md5, sha1\n"), "{said}");
    assert!(noted.contains("300000 bytes would be read; nothing was written"), "{noted}");
    // The files that the run writes are those that were listed.
    let named: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("write    ")?.split(':').next()).collect();
    let seen = pfh(&room, &format!("acquire --no-progress {words}"));
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let mut written: Vec<String> = everything(&room).into_keys().filter(|name| name != "disk").collect();
    written.retain(|name| name != "b.E01.log" && name != "b.E01.map");
    let mut named: Vec<String> = named.into_iter().map(str::to_owned).collect();
    named.sort();
    assert_eq!(named, written);
    // Again: there is nothing to write, and the run compares.
    let (said, _) = foreseen(&room, &words.replace(" --case-uco c.json", "").replace(" --outboard t", ""), 0);
    assert!(said.contains("compare  the image with its log") && !said.contains("write "), "{said}");
    let (said, _) = foreseen(&room, &format!("{words} --force"), 0);
    assert!(said.contains("a.img: target (raw), 300000 bytes, replaces the present file"), "{said}");
}

#[test]
fn it_is_refused_as_the_run_is() {
    let room = Room::new();
    room.file("disk", &content(2, 70_000));
    room.file("mine", b"precious");
    fs::hard_link(room.path().join("disk"), room.path().join("same")).expect("a link");
    for words in [
        "disk --to mine",
        "disk --to disk --force",
        "disk --to same --force",
        "disk --to new --log mine",
        "disk --to new --case-uco mine --force",
        "disk --to none/new",
        "disk --to new --skip 70000",
        "none --to new",
        "disk --to new --key none",
    ] {
        let run = pfh(&room, &format!("acquire --no-progress {words}"));
        let code = run.code.expect("an exit");
        assert!(
            if words.split(' ').any(|word| word == "none") { code == 3 } else { code == 2 || code == 4 },
            "{words}: {code} {}",
            run.stderr
        );
        let (said, noted) = foreseen(&room, words, code);
        assert!(said.is_empty(), "{words}: {said}");
        assert_eq!(noted, run.stderr, "{words}");
    }
}

#[test]
fn pieces_are_counted_and_a_run_that_was_cut_off_is_resumed() {
    let room = Room::new();
    room.file("disk", &content(3, 250_000));
    let (said, _) = foreseen(&room, "disk --to p.img --split 100000", 0);
    assert!(said.contains("write    p.img: target (raw, 3 pieces of 100000 bytes), 250000 bytes\n"), "{said}");
    // A map, as a run leaves it that was killed: half of the image is there.
    let seen = pfh(&room, "acquire --no-progress disk --to half.img --length 131072 --log l --map m");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    fs::remove_file(room.path().join("l")).expect("a log");
    fs::remove_file(room.path().join("l.jsonl")).expect("a log");
    let seen = pfh(&room, "acquire --dry-run disk --to half.img --length 131072 --log l --map m");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let said = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(said.contains("resume   at byte 131072") && said.contains("half.img: target (raw)"), "{said}");
}
