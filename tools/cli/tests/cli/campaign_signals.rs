//! Signals at random instants: SIGKILL, SIGTERM, SIGINT, SIGHUP over commands that write, and the
//! same command once more on the remains.
//!
//! `PFH_RUNS` sets how many runs the nightly test makes; `PFH_RECORD` names a file that its figures
//! are appended to.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::time::Duration;

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");
const SIGNALS: [i32; 4] = [9, 15, 2, 1];
const COMMANDS: [&[&str]; 4] = [
    &["hash", "-r", "--no-progress", "-o", "list", "tree"],
    &["hash", "-r", "--no-progress", "--cache", "cache", "tree"],
    &["known", "build", "--no-progress", "--bad", "known", "set"],
    &["acquire", "--no-progress", "disk", "--to", "image"],
];

fn run(room: &Room, arguments: &[&str], signal: Option<(Duration, i32)>) -> Outcome {
    let trial = Trial::new(PFH).args(arguments).directory(room.path());
    let trial = if let Some((after, number)) = signal { trial.signal(after, number) } else { trial };
    trial.run().unwrap()
}

/// Gives how many runs ended by their signal, and how many of the runs after it were refused.
fn campaign(runs: u64) -> (u64, u64) {
    let room = Room::new();
    for number in 0..300 {
        room.file(format!("tree/{:02}/{number:03}", number % 7), &content(number, number * 211));
    }
    let disk = content(1, 3_000_000);
    room.file("disk", &disk);
    let known = run(&room, &["hash", "-r", "tree"], None).stdout;
    room.file("known", &known);
    let (mut cut, mut refused) = (0, 0);
    for number in 0..runs {
        let command = COMMANDS[number as usize % COMMANDS.len()];
        let signal = SIGNALS[number as usize / COMMANDS.len() % SIGNALS.len()];
        // Instants from the start to beyond the end of a run.
        let after = Duration::from_micros(number.wrapping_mul(2_654_435_761) % 90_000);
        let what = format!("run {number}: {command:?}, signal {signal} after {after:?}");
        let seen = run(&room, command, Some((after, signal)));
        assert!(seen.code == Some(0) || seen.code == Some(128 + signal), "{what}: {:?} {}", seen.code, seen.stderr);
        cut += u64::from(seen.code != Some(0));
        if seen.code != Some(0) && signal != 9 && command[0] == "hash" {
            assert!(!room.path().join("list").exists(), "{what}: a list stands there");
        }
        // The next command: the same, to its end.
        let target = room.path().join(["list", "cache", "set", "image"][number as usize % 4]);
        let done = target.exists() && seen.code == Some(0);
        if !done || command[0] == "hash" && command.contains(&"--cache") {
            let again = run(&room, command, None);
            match again.code {
                Some(0) => {}
                // An acquisition that had come to its end is not made again. Killed between the
                // name of the list and its exit: the whole list is there, and is not replaced
                // unasked.
                Some(2) if command.contains(&"-o") && fs::read(&target).ok().as_ref() == Some(&known) => refused += 1,
                Some(2) if command[0] == "acquire" && fs::read(&target).ok().as_ref() == Some(&disk) => refused += 1,
                code => panic!("{what}: then {code:?} {}", again.stderr),
            }
            if command.contains(&"--cache") {
                assert!(again.stdout == known, "{what}: another list");
            }
        }
        match command[0] {
            "hash" if command.contains(&"-o") => assert!(fs::read(&target).unwrap() == known, "{what}: another list"),
            "acquire" => assert!(fs::read(&target).unwrap() == disk, "{what}: another image"),
            _ => {}
        }
        for entry in fs::read_dir(room.path()).unwrap().flatten() {
            if !["tree", "disk", "known"].iter().any(|kept| entry.file_name() == *kept) {
                let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
            }
        }
    }
    (cut, refused)
}

#[test]
fn a_few_signals() {
    let (cut, _) = campaign(32);
    assert!(cut > 0, "every run had ended before its signal");
}

#[test]
#[ignore = "4,000 runs take minutes: `make campaigns`"]
fn many_signals() {
    let runs = std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(4_000);
    let (cut, refused) = campaign(runs);
    let line = format!(
        "Signals at random instants: {runs} runs, {cut} ended by the signal, {refused} refused afterwards, 0 wrong.\n"
    );
    println!("{line}");
    if let Some(path) = std::env::var_os("PFH_RECORD") {
        let mut record = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(record, "{line}").unwrap();
    }
}
