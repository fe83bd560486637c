//! Rows U1 to U9 of docs/tests/faults.md: calls that fail again and again, threads that cannot be
//! made, memory that cannot be had, and a write that races the read.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::program::{Room, pfh_hash, records, sha256_of};
use pfh_inject::{Injection, Need, Outcome, Trial, content, lacks};

fn tree() -> (Room, Vec<u8>) {
    let room = Room::new();
    for number in 0..20 {
        room.file(format!("tree/{number:02}"), &content(number, 100 + number * 977));
    }
    let seen = pfh_hash(["-r", "tree"]).directory(room.path()).run().unwrap();
    assert_eq!((seen.code, seen.lines().len()), (Some(0), 20), "{}", seen.stderr);
    (room, seen.stdout)
}

/// Patience of 2 s, and 100 s for the test: an end is distinguished from a hang, also on a busy
/// machine.
fn patient(arguments: &[&str], room: &Room, injection: Injection) -> Outcome {
    let words = ["--stall-timeout", "2", "-f", "jsonl"];
    let trial = pfh_hash(words).args(arguments).directory(room.path()).limit(Duration::from_secs(100));
    trial.inject(injection).run().unwrap()
}

fn assert_clean(seen: &Outcome, what: &str) {
    assert!(seen.code.is_some(), "{what}: it hung");
    for word in ["panicked", "backtrace", "fatal runtime error"] {
        assert!(!seen.stderr.contains(word), "{what}: {}", seen.stderr);
    }
}

#[test]
fn u1_a_call_that_is_always_broken_off_is_a_stall() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, _) = tree();
    for (calls, errno, nth) in [
        ("read", "EINTR", 4),
        ("read", "EINTR", 6),
        ("read", "EAGAIN", 6),
        ("openat2", "EINTR", 2),
        ("openat2", "EAGAIN", 2),
        ("getdents64", "EINTR", 1),
        ("fstat", "EINTR", 3),
    ] {
        for io in ["plain", "uring"] {
            let what = format!("{calls} {errno} {nth}+ {io}");
            let seen = patient(&["--io", io, "-r", "tree"], &room, Injection::from(calls, errno, nth));
            assert_clean(&seen, &what);
            if seen.injected == 0 {
                continue;
            }
            if seen.code == Some(0) {
                // A ring makes other calls.
                continue;
            }
            assert_eq!(seen.code, Some(3), "{what}: {}", seen.stderr);
            let lines = records(&seen);
            let stalled = lines.iter().filter(|line| line.code() == "stalled").count();
            assert!(stalled > 0, "{what}: {}", seen.stderr);
            assert!(lines.iter().all(|line| line.kind() == "file" || line.code() == "stalled"), "{what}: {lines:?}");
        }
    }
}

#[test]
fn u2_an_output_that_is_never_taken_aborts_the_run() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, _) = tree();
    for (calls, errno) in [("write", "EINTR"), ("write", "EAGAIN"), ("fsync", "EINTR"), ("linkat", "EINTR")] {
        let seen = patient(&["-r", "--force", "-o", "out", "tree"], &room, Injection::from(calls, errno, 1));
        assert!(seen.injected > 0, "{calls}");
        assert_clean(&seen, calls);
        assert_eq!(seen.code, Some(4), "{calls} {errno}: {}", seen.stderr);
        assert!(!room.path().join("out").exists());
        if calls != "write" {
            assert!(seen.stderr.contains("stalled") && seen.stderr.contains(errno), "{}", seen.stderr);
        }
    }
}

#[test]
fn u3_an_output_that_does_not_block_is_waited_for() {
    let room = Room::new();
    for number in 0..400 {
        room.file(format!("tree/{:0>200}", number), b"x");
    }
    let plain = pfh_hash(["-r", "tree"]).directory(room.path()).run().unwrap();
    // A pipe that holds less than the list, non-blocking from our side, and read late.
    let (mut reader, writer) = std::io::pipe().unwrap();
    let flags = Command::new("python3")
        .args(["-c", "import fcntl,os; fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_NONBLOCK)"])
        .stdout(writer.try_clone().unwrap())
        .status();
    if !flags.is_ok_and(|status| status.success()) {
        return println!("skipped: no python3 to make a pipe non-blocking");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "--no-progress", "-r", "tree"])
        .current_dir(room.path())
        .stdin(Stdio::null())
        .stdout(writer)
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let mut read = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut read).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(read.len() > 64 << 10 && read == plain.stdout, "{} of {} bytes", read.len(), plain.stdout.len());
}

#[test]
fn u4_threads_that_cannot_be_made_are_done_without_or_are_an_error() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, plain) = tree();
    for mode in ["adaptive", "mtp", "smt"] {
        for nth in 1..=6 {
            let what = format!("{mode}, clone {nth}+");
            let trial = pfh_hash(["-r", "-t", "4", "--mode", mode, "tree"]).directory(room.path());
            let refused = Injection::from("clone,clone3", "EAGAIN", nth);
            let seen = trial.inject(refused).limit(Duration::from_secs(100)).run().unwrap();
            assert_clean(&seen, &what);
            match seen.code {
                Some(0) => assert_eq!(seen.stdout, plain, "{what}"),
                code => assert_eq!(code, Some(4), "{what}: {}", seen.stderr),
            }
        }
    }
    room.file("list", b"900150983cd24fb0d6963f7d28e17f72  abc\n");
    for nth in 1..=3 {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["known", "build", "set", "list"]);
        let refused = Injection::from("clone,clone3", "EAGAIN", nth);
        let seen = trial.directory(room.path()).inject(refused).run().unwrap();
        assert_clean(&seen, "known build");
        assert!(
            seen.injected == 0 || seen.code == Some(4),
            "known build, clone {nth}+: {:?} {}",
            seen.code,
            seen.stderr
        );
    }
}

#[test]
fn u5_memory_that_cannot_be_had_ends_without_a_signal() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, plain) = tree();
    // From after the loader and the C library have set themselves up: nobody can help failures
    // before.
    for nth in [60, 70, 90, 120] {
        for calls in ["mmap", "brk", "mprotect"] {
            let trial = pfh_hash(["-r", "-t", "4", "tree"]).directory(room.path());
            let refused = Injection::from(calls, "ENOMEM", nth);
            let seen = trial.inject(refused).limit(Duration::from_secs(100)).run().unwrap();
            assert!(seen.code.is_some(), "{calls} {nth}+: it hung");
            match seen.code {
                Some(0) => assert_eq!(seen.stdout, plain),
                code => assert!(matches!(code, Some(3 | 4)), "{calls} {nth}+: {code:?} {}", seen.stderr),
            }
        }
    }
}

/// One large write that begins before the file is opened and ends after it was read: the digest is
/// of the state before, of that after, or there is none.
fn race(tries: u32) {
    const SIZE: u64 = 64 << 20;
    let room = Room::new();
    let path = room.path().join("raced");
    let file = fs::File::create(&path).unwrap();
    let states: Vec<Vec<u8>> = [b'A', b'B'].map(|byte| vec![byte; SIZE as usize]).into();
    let digests: Vec<String> = states
        .iter()
        .map(|state| {
            file.write_all_at(state, 0).unwrap();
            sha256_of(&path)
        })
        .collect();
    let (mut good, mut changed) = (0, 0);
    for round in 0..tries {
        std::thread::scope(|scope| {
            scope.spawn(|| file.write_all_at(&states[round as usize % 2], 0).unwrap());
            std::thread::sleep(Duration::from_micros(u64::from(round % 25) * 1500));
            let seen = pfh_hash(["-f", "jsonl"]).arg(&path).run().unwrap();
            let lines = records(&seen);
            match lines[0].digest("sha256") {
                Some(digest) => {
                    good += 1;
                    assert!(digests.iter().any(|known| known == digest), "a digest of a mixed state in round {round}");
                }
                None => {
                    changed += 1;
                    assert_eq!((seen.code, lines[0].code()), (Some(3), "changed"));
                }
            }
        });
    }
    println!("raced writes: {tries} tries, {good} whole states, {changed} changed, 0 mixed");
}

#[test]
fn u6_a_write_that_races_the_read_gives_no_digest_of_a_mixture() {
    race(12);
}

#[test]
#[ignore = "300 writes of 64 MiB: `make campaigns`"]
fn u6_many_writes_that_race_the_read() {
    race(std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(300));
}

/// One call for each file that was just written; the unit test of `os::settle` says which files
/// those are.
#[test]
fn u7_only_files_just_written_are_asked_about() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, _) = tree();
    let script = "strace -f -qq -e trace=lseek -o log \"$@\" >out; grep -c SEEK_DATA log";
    let trial = pfh_hash(["-r", "tree"]).directory(room.path()).under(["sh", "-c", script, "sh"]);
    assert_eq!(String::from_utf8_lossy(&trial.run().unwrap().stdout).trim(), "20");
}
