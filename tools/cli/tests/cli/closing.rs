//! Closing sentences: each number in one is counted where the thing happens, in a whole run and in
//! one that was interrupted.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::time::Duration;

fn shell(room: &Room, line: &str) -> Outcome {
    Trial::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

/// The number in front of a word of a sentence.
fn number(text: &str, before: &str) -> u64 {
    let at = text.find(before).unwrap_or_else(|| panic!("{before} is not in {text}"));
    text[..at].rsplit([' ', '\n', ':']).find(|word| !word.is_empty()).unwrap().parse().unwrap()
}

/// A tree whose files are old enough to be kept by a cache.
fn tree(files: u64) -> Room {
    let room = Room::new();
    for at in 0..files {
        room.file(format!("d/{at:04}"), &content(at, 20_000));
    }
    room
}

/// A file that a cache has is not read: `strace` counts the files that are read.
#[test]
fn a_cache_claims_no_comparison_that_was_not_made() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = tree(400);
    std::thread::sleep(Duration::from_secs(3));
    // Interrupted where it waits for standard input: the next run goes on as the same run.
    assert!(std::process::Command::new("mkfifo").arg(room.path().join("pipe")).status().unwrap().success());
    let line = "exec 9<>pipe; exec timeout --foreground -s INT 3 \"$0\" hash --io plain -r d - --cache c -o o <pipe";
    let cut = shell(&room, line);
    assert!(cut.stderr.contains("interrupted: no file was written"), "{}", cut.stderr);
    assert!(!cut.stderr.contains("not read again"), "{}", cut.stderr);
    room.file("d/0400", &content(400, 20_000));
    let trace = "strace -f -y -qq -e trace=read,pread64,readv -o t";
    let resumed = shell(&room, &format!("{trace} \"$0\" hash --io plain -r d - --cache c -o o </dev/null"));
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    let trace = std::fs::read_to_string(room.path().join("t")).unwrap();
    let opened = (0..401).filter(|at| trace.contains(&format!("/d/{at:04}>"))).count() as u64;
    let reused = number(&resumed.stderr, " files were not read again");
    assert!(reused > 300 && reused + opened == 401, "{reused} + {opened}: {}", resumed.stderr);
    assert_eq!(number(&resumed.stderr, " were and compared"), 0, "{}", resumed.stderr);
    // A whole run over all that is kept, and one that reads all of it and compares.
    std::thread::sleep(Duration::from_secs(3));
    shell(&room, "rm -f o; \"$0\" hash -r d --cache c -o o");
    for (share, expected) in [("", (401, 0)), ("--cache-verify 100", (0, 401))] {
        let seen = shell(&room, &format!("rm -f o; \"$0\" hash -r d --cache c {share} -o o"));
        let found = (number(&seen.stderr, " files were not read"), number(&seen.stderr, " were and compared"));
        assert_eq!((seen.code, found), (Some(0), expected), "{share}: {}", seen.stderr);
    }
}

#[test]
fn an_interrupted_run_claims_only_what_is_out() {
    let room = tree(3);
    // A reader that waits for good: the files before it are done, and the rest is not.
    assert!(std::process::Command::new("mkfifo").arg(room.path().join("pipe")).status().unwrap().success());
    let interrupted = |line: &str| {
        let line = format!("exec 9<>pipe; exec timeout --foreground -s INT 2 \"$0\" {line} <pipe");
        shell(&room, &line)
    };
    let seen = interrupted("hash d/0000 d/0001 -");
    let out = seen.lines().len() as u64;
    assert_eq!(number(&seen.stderr, " records are out"), out, "{}", seen.stderr);
    let seen = interrupted("hash -o o d/0000 -");
    assert!(seen.stderr.contains("interrupted: no file was written"), "{}", seen.stderr);
    assert!(!room.path().join("o").exists());
    // Nothing of a comparison is out before all is read.
    let seen = interrupted("compare d/0000 d/0001 -");
    assert!(seen.stdout.is_empty() && !seen.stderr.contains("are out"), "{}", seen.stderr);
    assert_eq!(number(&seen.stderr, " files were read, nothing was compared"), 2, "{}", seen.stderr);
    let seen = interrupted("compare -o o d/0000 d/0001 -");
    assert!(seen.stderr.contains("nothing was compared") && !room.path().join("o").exists(), "{}", seen.stderr);
    shell(&room, "\"$0\" hash d/0002 -o known");
    let seen = interrupted("match -k known -o o d/0000 -");
    assert!(seen.stderr.contains("interrupted: no file was written"), "{}", seen.stderr);
    let seen = interrupted("match -k known d/0002 -");
    assert_eq!(number(&seen.stderr, " record is out"), seen.lines().len() as u64, "{}", seen.stderr);
}

/// The bytes that `dups` states are those of its reads, which may be more than the files have.
#[test]
fn dups_counts_what_it_reads() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for name in ["a", "b", "c"] {
        room.file(format!("d/{name}"), &content(1, 100_000));
    }
    let line = "strace -f -qq -e trace=read,pread64 -P d/a -P d/b -P d/c -o t \"$0\" dups --io plain d";
    let seen = shell(&room, line);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let trace = std::fs::read_to_string(room.path().join("t")).unwrap();
    let bytes: u64 = trace.lines().filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok()).sum();
    // 3 × (a block in front, one behind, the whole).
    assert_eq!(bytes, 3 * (100_000 + 2 * 4096), "{trace}");
    assert!(seen.stderr.contains("3 files, 300.0 kB; 324.6 kB were read"), "{}", seen.stderr);
}
