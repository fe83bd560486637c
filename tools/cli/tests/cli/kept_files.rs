//! Files kept from run to run, held to the same rules: two writers at once, a reader beside them, a
//! kill at any instant, a full disk.
#![cfg(unix)]

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Tmpfs, Trial, content, lacks};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

/// One kind of file: how it is made, by two at once, and checked.
struct Kept {
    what: &'static str,
    /// The commands before both writers.
    first: &'static str,
    /// The writers; `*` stands for the number of the writer.
    write: &'static str,
    /// Ends with 0 if the present file is whole.
    check: &'static str,
    /// The exit codes of a loser: it waits, or it is refused.
    loses: &'static [i32],
    /// The exit code on a full disk.
    full: i32,
    /// Files removed before a killed one is made again.
    left: Option<&'static str>,
}

const ALL: &[Kept] = &[
    Kept {
        what: "cache",
        first: "",
        write: "hash -q -r t --cache at/kept",
        check: "hash -q -r t --cache at/kept",
        loses: &[0],
        full: 0,
        left: None,
    },
    Kept {
        what: "known set",
        first: "",
        write: "known build --no-progress --good list at/kept --work at/work* --force",
        check: "known info at/kept --verify",
        loses: &[0, 2, 4],
        full: 4,
        left: None,
    },
    Kept {
        what: "manifest and seal",
        first: "",
        write: "hash -q -r t -o at/kept --seal --force",
        check: "check at/kept --quiet",
        loses: &[0, 2, 4],
        full: 4,
        left: None,
    },
    Kept {
        what: "tree",
        first: "",
        write: "tree build t/f1 --outboard at/kept --force",
        check: "tree check t/f1 --outboard at/kept",
        loses: &[0, 4],
        full: 4,
        left: None,
    },
    Kept {
        what: "catalogue, built",
        first: "",
        write: "tree build t --outboard at/kept",
        check: "tree check t --outboard at/kept",
        loses: &[0],
        full: 4,
        left: None,
    },
    Kept {
        what: "catalogue, updated",
        first: "tree build t --outboard at/kept",
        write: "tree update t --outboard at/kept --entry f*",
        check: "tree check t --outboard at/kept",
        loses: &[0],
        full: 4,
        left: None,
    },
    Kept {
        what: "plan",
        first: "",
        write: "plan -r t -o at/kept",
        check: "run at/kept --unit 1 --no-progress",
        loses: &[2],
        full: 4,
        left: Some("at/kept"),
    },
    Kept {
        what: "bag",
        first: "",
        write: "bag create at/bag --force",
        check: "bag validate at/bag",
        loses: &[0, 2, 4],
        full: 4,
        left: Some("at/bag/bagit.txt"),
    },
    Kept {
        what: "map and logs of an acquisition",
        first: "",
        write: "acquire --no-progress disk --to at/kept --map-interval 0.01",
        check: "verify at/kept",
        loses: &[2, 4],
        full: 4,
        left: None,
    },
];

fn room() -> Room {
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("t/f{number}"), &content(number, 100 + number * 37));
        room.file(format!("payload/f{number}"), &content(number, 50));
    }
    room.file("disk", &content(7, 200_000));
    let list = run(&room, "hash -r t");
    room.file("list", &list.stdout);
    fs::create_dir(room.path().join("at")).unwrap();
    room
}

fn words(text: &str, writer: u64) -> Vec<String> {
    text.split_whitespace().map(|word| word.replace('*', &writer.to_string())).collect()
}

fn run(room: &Room, text: &str) -> Outcome {
    Trial::new(PFH).args(words(text, 0)).directory(room.path()).run().unwrap()
}

fn start(room: &Room, text: &str, writer: u64) -> Child {
    let mut command = Command::new(PFH);
    command.args(words(text, writer)).current_dir(room.path()).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// An empty place for the next try.
fn fresh(room: &Room, kept: &Kept) {
    let at = room.path().join("at");
    for entry in fs::read_dir(&at).unwrap().flatten() {
        let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
    }
    if kept.what == "bag" {
        fs::create_dir_all(at.join("bag/data")).unwrap();
        for entry in fs::read_dir(room.path().join("payload")).unwrap().flatten() {
            fs::copy(entry.path(), at.join("bag/data").join(entry.file_name())).unwrap();
        }
    }
    if !kept.first.is_empty() {
        assert_eq!(run(room, kept.first).code, Some(0), "{}", kept.what);
    }
}

fn rounds(usual: u64) -> u64 {
    std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(usual)
}

#[test]
fn two_writers_and_a_reader() {
    two_writers(rounds(2));
}

fn two_writers(rounds: u64) {
    let room = room();
    for kept in ALL {
        for round in 0..rounds {
            fresh(&room, kept);
            // Work for both in earnest: other content under the names that they take.
            room.file("t/f0", &content(round + 1000, 300));
            room.file("t/f1", &content(round + 2000, 300));
            room.file("list", &run(&room, "hash -r t").stdout);
            let (mut one, mut other) = (start(&room, kept.write, 0), start(&room, kept.write, 1));
            let _reader = start(&room, kept.check, 9).wait().unwrap();
            let codes = [one.wait().unwrap(), other.wait().unwrap()].map(|status| status.code().unwrap_or(-1));
            assert!(codes.contains(&0), "{}, {round}: {codes:?}", kept.what);
            assert!(codes.iter().all(|code| *code == 0 || kept.loses.contains(code)), "{}: {codes:?}", kept.what);
            let seen = run(&room, kept.check);
            assert_eq!(seen.code, Some(0), "{}, {round}, {codes:?}: {seen:?}", kept.what);
        }
    }
}

#[test]
fn a_kill_at_any_instant() {
    kills(rounds(3));
}

/// `make nightly`: more of both.
#[test]
#[ignore = "a thousand runs take minutes: `make nightly`"]
fn at_length() {
    two_writers(rounds(25));
    kills(rounds(60));
}

fn kills(rounds: u64) {
    let room = room();
    for kept in ALL {
        for round in 0..rounds {
            fresh(&room, kept);
            let mut killed = start(&room, kept.write, 0);
            std::thread::sleep(Duration::from_micros((round + 1).wrapping_mul(2_654_435_761) % 60_000));
            let _ = killed.kill();
            killed.wait().unwrap();
            if let Some(left) = kept.left {
                let path = room.path().join(left);
                let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            }
            let again = run(&room, kept.write);
            assert_eq!(again.code, Some(0), "{}, {round}: {again:?}", kept.what);
            let seen = run(&room, kept.check);
            assert_eq!(seen.code, Some(0), "{}, {round}: {seen:?}", kept.what);
        }
    }
}

#[test]
fn a_full_disk_leaves_no_half_file_under_a_final_name() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = room();
    let starts_over = |kept: &&Kept| kept.left != Some("at/bag/bagit.txt") && !kept.write.starts_with("acquire");
    for (number, kept) in (77..).zip(ALL.iter().filter(starts_over)) {
        let full = Tmpfs::mount(&room.path().join("at"), 96 << 10).unwrap();
        if !kept.first.is_empty() {
            assert_eq!(run(&room, kept.first).code, Some(0), "{}", kept.what);
        }
        let before = fs::read(full.path().join("kept")).ok();
        // All that is left of the disk.
        let _ = fs::write(full.path().join("filler"), vec![1; 96 << 10]);
        room.file("t/f0", &content(number, 200));
        let seen = run(&room, kept.write);
        assert_eq!(seen.code, Some(kept.full), "{}: {seen:?}", kept.what);
        if kept.what == "cache" {
            assert_eq!(seen.stdout, run(&room, "hash -q -r t").stdout, "digests cost time, and no more");
            assert!(seen.stderr.contains("without it"), "{seen:?}");
        } else {
            assert_eq!(fs::read(full.path().join("kept")).ok(), before, "{}: the old one or none", kept.what);
            let left = fs::read_dir(full.path()).unwrap().flatten().map(|entry| entry.file_name());
            let left: Vec<_> = left.filter(|name| *name != "filler" && *name != "kept").collect();
            assert!(left.is_empty() || kept.what == "known set", "{}: {left:?}", kept.what);
        }
        fs::remove_file(full.path().join("filler")).unwrap();
        if kept.what == "plan" {
            assert!(!full.path().join("kept").exists(), "the same command can be given again");
        }
        let again = run(&room, kept.write);
        assert_eq!(again.code, Some(0), "{}: {again:?}", kept.what);
        assert_eq!(run(&room, kept.check).code, Some(0), "{}", kept.what);
    }
}

/// A bag grows around the files that are there, and an image that was cut off is resumed.
#[test]
fn a_full_disk_ends_bags_and_images_until_there_is_room() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = room();
    for kept in ALL.iter().filter(|kept| kept.what == "bag" || kept.write.starts_with("acquire")) {
        let full = Tmpfs::mount(&room.path().join("at"), 1 << 20).unwrap();
        fresh(&room, kept);
        let filler = full.path().join("filler");
        let _ = fs::write(&filler, vec![1; 1 << 20]);
        let seen = run(&room, kept.write);
        assert_eq!(seen.code, Some(kept.full), "{}: {seen:?}", kept.what);
        assert_ne!(run(&room, kept.check).code, Some(0), "{}", kept.what);
        fs::remove_file(filler).unwrap();
        let again = run(&room, kept.write);
        assert_eq!(again.code, Some(0), "{}: {again:?}", kept.what);
        assert_eq!(run(&room, kept.check).code, Some(0), "{}", kept.what);
    }
}

/// Two runs resume the remains of a third one: one does it, and the other is refused before it
/// reads or writes anything.
#[test]
fn two_that_resume_one_acquisition_take_turns() {
    let room = Room::new();
    let bytes = content(8, 40 << 20);
    room.file("disk", &bytes);
    let words = "acquire --no-progress disk --to kept --map-interval 0.01 -m 4";
    let mut both = 0;
    for round in 0..6 {
        for name in ["kept", "kept.map", "kept.log", "kept.log.jsonl"] {
            let _ = fs::remove_file(room.path().join(name));
        }
        let mut first = start(&room, words, 0);
        std::thread::sleep(Duration::from_millis(80 + 30 * round));
        let _ = first.kill();
        first.wait().unwrap();
        let (mut one, mut other) = (start(&room, words, 0), start(&room, words, 1));
        let codes = [one.wait().unwrap(), other.wait().unwrap()].map(|status| status.code().unwrap_or(-1));
        assert!(codes.contains(&0) && codes.iter().all(|code| [0, 2].contains(code)), "{round}: {codes:?}");
        both += u32::from(codes == [0, 0]);
        assert!(fs::read(room.path().join("kept")).unwrap() == bytes, "{round}");
        let seen = run(&room, "verify kept");
        assert_eq!(seen.code, Some(0), "{round}, {codes:?}: {seen:?}");
    }
    assert!(both < 6, "no two runs met");
}

/// A cache that another run holds is not waited for without an end, and no digest is lost.
#[test]
fn a_cache_that_is_held_costs_time_and_not_the_run() {
    if lacks(&[Need::Time, Need::Program("python3")]) {
        return;
    }
    let room = room();
    let plain = run(&room, "hash -q -r t");
    assert_eq!(run(&room, "hash -q -r t --cache at/kept").code, Some(0));
    let hold = "import sqlite3,sys; c=sqlite3.connect('at/kept',isolation_level=None); c.execute('BEGIN IMMEDIATE'); \
                print('held',flush=True); sys.stdin.read()";
    let mut holder = Command::new("python3");
    let holder = holder.args(["-c", hold]).current_dir(room.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(holder.stdout.as_mut().unwrap()), &mut line).unwrap();
    room.file("t/new", b"new");
    let seen = run(&room, "hash -q -r t -f sums --cache at/kept");
    drop(holder.stdin.take());
    holder.wait().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    assert!(seen.stderr.contains("without it"), "{seen:?}");
    assert_eq!(seen.stdout, run(&room, "hash -q -r t").stdout);
    assert!(seen.stdout.len() > plain.stdout.len());
}
