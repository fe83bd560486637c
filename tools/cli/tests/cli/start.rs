//! The cost of a start in numbers that no load changes: threads and system calls.

use crate::program::{Room, pfh};
use pfh_inject::{Need, Trial, lacks};
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

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

/// Whether a run is seen in which this holds: a thread that ends before the next one is due leaves
/// it out, and on a loaded machine one that is late brings it.
fn is_seen(room: &Room, words: &[&str], holds: impl Fn(usize, usize) -> bool) -> bool {
    (0..20).map(|_| calls(room, words)).any(|(threads, calls)| holds(threads, calls))
}

/// The threads beside the first of a run whose standard input stays open, once there are as many.
fn threads_of_an_open_stream(room: &Room, words: &[&str], wanted: usize) -> usize {
    let mut run = Command::new(env!("CARGO_BIN_EXE_pfh"));
    let run = run.args(words).current_dir(room.path()).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut run = run.spawn().expect("a run");
    let tasks = format!("/proc/{}/task", run.id());
    let mut beside = 0;
    for _ in 0..3000 {
        beside = fs::read_dir(&tasks).expect("the run's threads").count() - 1;
        if beside >= wanted {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    drop(run.stdin.take());
    assert!(run.wait().expect("its end").success());
    beside
}

#[test]
fn threads_start_when_there_is_work_for_them() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    room.file("small", b"a\n");
    room.file("large", &vec![7; 8 << 20]);
    let (none, of_version) = calls(&room, &["--version"]);
    assert_eq!(none, 0);
    let is_alone = |threads, calls| threads == 1 && calls < of_version + 250;
    assert!(is_seen(&room, &["hash", "-t", "4", "small"], is_alone), "a file of two bytes");
    let large = ["hash", "-t", "4", "-a", "blake3", "large"];
    assert!(is_seen(&room, &large, |threads, _| threads > 1), "a file that several threads share");
    assert_eq!(pfh(&room, "hash small -o list").code, Some(0));
    assert!(is_seen(&room, &["check", "-t", "4", "list"], |threads, _| threads == 1), "of check");
    // The second input is there and not at its end, so that no thread can be done before another
    // one is started.
    assert!(threads_of_an_open_stream(&room, &["hash", "-t", "4", "small", "-"], 4) >= 4);
}
