//! Attacks and races on signed things: lists and logs that are exchanged while they are written or
//! verified, signals, and two runs at once over one state. Each scene makes its own files; the
//! right outcome follows from the file that was exchanged.
//!
//! `PFH_RUNS` sets how many scenes the nightly test plays; `PFH_RECORD` names a file that its
//! figures are appended to.
#![cfg(unix)]

use crate::program::{Room, keys, pfh, random, sha256};
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");
/// SIGINT, SIGTERM, SIGHUP, SIGKILL.
const SIGNALS: [i32; 4] = [2, 15, 1, 9];

/// A scene with its number; whether its attack or race came about, as far as that shows.
type Scene = fn(&Room, u64) -> bool;

const SCENES: [(&str, Scene); 8] = [
    ("another list takes the place of the list while `hash --seal --key` ends", list_swapped),
    ("a list that fits the changed file alternates with the signed one while `check --key` reads", list_alternates),
    ("`IMAGE.log` is changed or continued while `acquire --key` runs", log_forged),
    ("a signal during `acquire --to i.dd --to j.E01 --key`, and the same command", acquisition_signalled),
    ("a signal during `hash --update --seal --key`, and the same command", update_signalled),
    ("two updates of one sealed list at once", two_updates),
    ("two `check --share` of one list at once", two_shares),
    ("two `audit ask --tokens` at once", two_audits),
];

fn run(room: &Room, words: &str, signal: Option<(Duration, i32)>) -> Outcome {
    let trial = Trial::new(PFH).args(words.split(' ')).directory(room.path());
    let trial = if let Some((after, number)) = signal { trial.signal(after, number) } else { trial };
    trial.run().unwrap()
}

fn spawned(room: &Room, words: &str) -> Child {
    let mut command = Command::new(PFH);
    command.args(words.split(' ')).current_dir(room.path()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn read(room: &Room, name: &str) -> Vec<u8> {
    fs::read(room.path().join(name)).unwrap()
}

/// An instant within the first 90 ms, another one for each number.
fn instant(number: u64) -> Duration {
    Duration::from_micros(number.wrapping_mul(2_654_435_761) % 90_000)
}

/// A signed list of forty files below `d`, and one in which a digest is another.
fn lists(room: &Room, number: u64) -> (Vec<u8>, Vec<u8>) {
    keys(room);
    for file in 0..40 {
        room.file(format!("d/{file}"), format!("content {file} of {number}").as_bytes());
    }
    let seen = pfh(room, "hash -q -r d -o true --seal --key k.pem");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let written = read(room, "true");
    let digest = sha256(format!("content 7 of {number}").as_bytes());
    let forged = String::from_utf8(written.clone()).unwrap().replace(&digest, &sha256(b"forged"));
    assert_ne!(forged.as_bytes(), written);
    (written, forged.into_bytes())
}

fn list_swapped(room: &Room, number: u64) -> bool {
    let (written, forged) = lists(room, number);
    let (list, other) = (room.path().join("l"), room.file("forged", &forged));
    let swapper = std::thread::spawn({
        let list = list.clone();
        move || {
            let end = Instant::now() + Duration::from_secs(60);
            while !list.exists() && Instant::now() < end {}
            fs::rename(&other, &list).is_ok()
        }
    });
    let seen = run(room, "hash -q -r d -o l --seal --key k.pem", None);
    assert!(seen.code == Some(0) && swapper.join().unwrap(), "{}", seen.stderr);
    assert_eq!(run(room, "check --status --key k.pub l", None).code, Some(1), "the forged list");
    fs::write(&list, &written).unwrap();
    assert_eq!(run(room, "check --status --key k.pub l", None).code, Some(0), "the list that was written");
    true
}

fn list_alternates(room: &Room, number: u64) -> bool {
    let (written, forged) = lists(room, number);
    room.file("d/7", b"forged");
    let (one, other) = (room.file("one", &written), room.file("other", &forged));
    let list = room.path().join("true");
    let (end, goes_on) = (Instant::now() + Duration::from_secs(60), AtomicBool::new(true));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let copy = |from: &PathBuf| {
                let next = list.with_extension("next");
                fs::copy(from, &next).and_then(|_| fs::rename(&next, &list)).unwrap();
            };
            while goes_on.load(Ordering::Relaxed) && Instant::now() < end {
                copy(&other);
                copy(&one);
            }
        });
        let mut refused = 0;
        for _ in 0..4 {
            let seen = run(room, "check --key k.pub true", None);
            // The signed list does not fit the file, and the list that fits is not signed.
            assert_eq!(seen.code, Some(1), "{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
            refused += u64::from(seen.stderr.contains("sealed"));
        }
        goes_on.store(false, Ordering::Relaxed);
        refused > 0
    })
}

fn log_forged(room: &Room, number: u64) -> bool {
    keys(room);
    room.file("s", &random(number, 4 << 20));
    let mut child = spawned(room, "acquire s --to i.dd --key k.pem -q --examiner Ann");
    let log = room.path().join("i.dd.log");
    let mut forged = false;
    while child.try_wait().unwrap().is_none() && !forged {
        let Ok(text) = fs::read_to_string(&log) else { continue };
        if let Some(at) = text.find("Ann") {
            let mut file = fs::OpenOptions::new().write(true).append(number % 2 == 1).open(&log).unwrap();
            if number.is_multiple_of(2) {
                use std::os::unix::fs::FileExt;
                file.write_all_at(b"Eve", at as u64).unwrap();
            } else {
                file.write_all(b"one more line\n").unwrap();
            }
            // A log that is forged after the end of the run is found as well.
            forged = true;
        }
    }
    let code = child.wait().unwrap().code();
    let seen = run(room, "verify -q i.dd --key k.pub", None);
    let expected = if forged { Some(1) } else { Some(0) };
    assert!(code == Some(0) && seen.code == expected, "{code:?}, {forged}: {:?} {}", seen.code, seen.stderr);
    forged
}

/// The facts that the last run of a log states, without times and the history of runs.
fn facts(room: &Room, log: &str) -> Vec<String> {
    let text = String::from_utf8(read(room, log)).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = records.iter().rfind(|record| record["kind"] == "end").expect("an end");
    let mut facts: Vec<String> = ["bytes", "padded", "digests", "unreadable-bytes"]
        .iter()
        .map(|fact| format!("{fact} {}", end[*fact]))
        .collect();
    let files = records.iter().filter(|record| record["kind"] == "files").flat_map(|record| record["files"].as_array());
    // The length of an E01 depends on the dates in it, which are packed.
    let is_raw = |file: &Value| file["name"].as_str().is_some_and(|name| name.ends_with(".dd"));
    let stated = |file: &Value| {
        if is_raw(file) { format!("{} {}", file["name"], file["bytes"]) } else { file["name"].to_string() }
    };
    let mut files: Vec<String> = files.flatten().map(stated).collect();
    files.sort();
    files.dedup();
    facts.append(&mut files);
    let people = String::from_utf8(read(room, log.trim_end_matches(".jsonl"))).unwrap();
    let starts = ["padding:", "  sha256 ", "  blake3 ", "  md5 ", "  sha1 ", "file: i.dd"];
    let mut lines: Vec<String> =
        people.lines().filter(|line| starts.iter().any(|start| line.starts_with(start))).map(str::to_owned).collect();
    lines.sort();
    lines.dedup();
    facts.append(&mut lines);
    facts
}

fn acquisition_signalled(room: &Room, number: u64) -> bool {
    keys(room);
    // Not of whole sectors.
    room.file("s", &random(number, 3_000_000 + (number as usize * 37) % 511));
    fs::create_dir(room.path().join("once")).unwrap();
    let words = "acquire s --to i.dd --to j.E01 --key k.pem -q";
    let whole = run(room, &words.replace("--to ", "--to once/"), None);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let signal = SIGNALS[number as usize % 4];
    let seen = run(room, words, Some((instant(number), signal)));
    assert!([Some(0), Some(128 + signal)].contains(&seen.code), "{:?} {}", seen.code, seen.stderr);
    let again = run(room, words, None);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let verified = run(room, "verify -q i.dd --key k.pub --against s", None);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    assert_eq!(facts(room, "i.dd.log.jsonl"), facts(room, "once/i.dd.log.jsonl"), "signal {signal}");
    seen.code != Some(0)
}

fn update_signalled(room: &Room, number: u64) -> bool {
    lists(room, number);
    room.file("d/7", b"another content");
    room.file("d/new", b"new");
    let signal = SIGNALS[number as usize % 4];
    let words = "hash -q --update true d --seal --key k.pem";
    let seen = run(room, words, Some((instant(number), signal)));
    assert!([Some(0), Some(128 + signal)].contains(&seen.code), "{:?} {}", seen.code, seen.stderr);
    // The old list with its seal, or the new one.
    let checked = run(room, "check --key k.pub true", None);
    let is_old = checked.code == Some(1) && checked.stderr.contains("seal holds");
    assert!(checked.code == Some(0) || is_old, "{:?} {}", checked.code, checked.stderr);
    let again = run(room, words, None);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let checked = run(room, "check --audit --status --key k.pub true d", None);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let left = fs::read_dir(room.path()).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|name| name.contains(".new") || name.contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    seen.code != Some(0)
}

/// Two runs that begin together, and their codes.
fn both(room: &Room, words: [&str; 2]) -> [Option<i32>; 2] {
    words.map(|words| spawned(room, words)).map(|mut child| child.wait().unwrap().code())
}

fn two_updates(room: &Room, number: u64) -> bool {
    lists(room, number);
    room.file("d/7", b"another content");
    let words = "hash -q --update true d --seal --key k.pem";
    let codes = both(room, [words; 2]);
    assert!(codes.contains(&Some(0)) && codes.iter().all(|code| matches!(code, Some(0 | 2 | 3 | 4))), "{codes:?}");
    let checked = run(room, "check --status --key k.pub true", None);
    assert_eq!(checked.code, Some(0), "{codes:?}: {}", checked.stderr);
    codes[0] != codes[1]
}

fn two_shares(room: &Room, number: u64) -> bool {
    lists(room, number);
    let codes = both(room, ["check --status --share 1/4 true"; 2]);
    assert!(codes.contains(&Some(0)), "{codes:?}");
    // Every run that counts takes files that no other took.
    let good = codes.iter().filter(|code| **code == Some(0)).count();
    for _ in good..4 {
        let seen = run(room, "check --status --share 1/4 true", None);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    }
    let seen = run(room, "check --share 1/4 true", None);
    let said = format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    assert!(seen.code == Some(0) && !said.contains("never"), "{codes:?}: {said}");
    codes[0] != codes[1]
}

fn two_audits(room: &Room, number: u64) -> bool {
    for copy in ["img", "sv/img"] {
        room.file(copy, &random(number, 50_000));
    }
    for words in ["tree build -q sv/img", "tree build -q img", "audit commit img -o kept"] {
        assert_eq!(run(room, words, None).code, Some(0), "{words}");
    }
    let seen = run(room, "audit tokens kept --data img --count 4 -o tok", None);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let serving = crate::trusted::Serving::start(room, "audit serve sv --listen 127.0.0.1:0 -q");
    let ask = format!("audit ask {} --tokens tok", serving.url());
    let codes = both(room, [&ask; 2]);
    let text = String::from_utf8(read(room, "tok")).unwrap();
    let used = text.lines().filter(|line| line.starts_with("used ")).count();
    let good = codes.iter().filter(|code| **code == Some(0)).count();
    assert!(good > 0 && used == good, "{codes:?}, {used} tokens used");
    serving.end();
    good == 2
}

/// Plays this many scenes in turn: of each how often its attack or race came about.
fn campaign(runs: u64) -> [(u64, u64); 8] {
    let mut counts = [(0, 0); 8];
    for number in 0..runs {
        let at = number as usize % SCENES.len();
        let room = Room::new();
        let came = (SCENES[at].1)(&room, number);
        counts[at] = (counts[at].0 + 1, counts[at].1 + u64::from(came));
    }
    counts
}

#[test]
fn a_few_attacks_and_races() {
    campaign(SCENES.len() as u64 * 2);
}

#[test]
#[ignore = "2,000 scenes take minutes: `make campaigns`"]
fn many_attacks_and_races() {
    let runs = std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(2_000);
    let mut lines = format!("Attacks and races on what is signed: {runs} scenes, 0 wrong.\n");
    for ((scene, _), (tries, came)) in SCENES.iter().zip(campaign(runs)) {
        lines += &format!("- {scene}: {tries}, {came} hit\n");
    }
    println!("{lines}");
    if let Some(path) = std::env::var_os("PFH_RECORD") {
        let mut record = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(record, "{lines}").unwrap();
    }
}
