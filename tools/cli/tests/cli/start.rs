//! The cost of a start in numbers that no load changes: threads and system calls.

use crate::program::{Room, pfh};
use pfh_inject::{Need, Trial, lacks};
use std::fs;

/// (threads beside the first, system calls) of a run.
fn calls(room: &Room, words: &[&str]) -> (usize, usize) {
    let log = room.path().join("calls");
    let traced = Trial::new("strace").args(["-f", "-q", "-o"]).arg(&log).arg(env!("CARGO_BIN_EXE_pfh")).args(words);
    let seen = traced.directory(room.path()).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = fs::read_to_string(&log).expect("strace's log");
    let is_start = |line: &&str| line.contains(" clone3(") || line.contains(" clone(");
    let is_call = |line: &&str| line.contains('(') && !line.contains("resumed>") && !line.contains("+++");
    (lines.lines().filter(is_start).count(), lines.lines().filter(is_call).count())
}

#[test]
fn threads_start_when_there_is_work_for_them() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    room.file("small", b"a\n");
    room.file("other", b"b\n");
    room.file("large", &vec![7; 8 << 20]);
    let (none, of_version) = calls(&room, &["--version"]);
    assert_eq!(none, 0);
    let (one, of_file) = calls(&room, &["hash", "-t", "4", "small"]);
    assert_eq!(one, 1, "a file of two bytes is read and hashed by one thread");
    assert!(of_file < of_version + 250, "{of_file} system calls, and {of_version} of --version");
    assert!(calls(&room, &["hash", "-t", "4", "small", "other"]).0 > 1, "a second file");
    assert!(calls(&room, &["hash", "-t", "4", "-a", "blake3", "large"]).0 > 1, "a file that several threads share");
    assert_eq!(pfh(&room, "hash small -o list").code, Some(0));
    assert_eq!(calls(&room, &["check", "-t", "4", "list"]).0, 1, "the same of check");
}
