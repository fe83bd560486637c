//! The second command: every output of one command is handed to every command that reads something,
//! and to the command that made it. A pair that makes sense ends with 0; every other pair is
//! refused or reported, never passed over; no pair changes its input.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::program::{Room, trees::noise};
use pfh_inject::{Outcome, Trial};

/// A word of a command line that stands for the artifact under test.
const X: &str = "@";

/// A fresh name for the output of the second command.
const NEW: &str = "@new";

/// The first commands and their outputs, in the order in which they run; each ends with 0.
const FIRST: &[(&str, &[&str])] = &[
    ("sums", &["hash", "-r", "ev", "-o", "sums"]),
    ("bsd", &["hash", "-r", "-a", "blake3,sha3-256", "-f", "bsd", "ev", "-o", "bsd"]),
    ("hashdeep", &["hash", "-r", "-a", "md5,sha256", "-f", "hashdeep", "ev", "-o", "hashdeep"]),
    ("dfxml", &["hash", "-r", "-a", "md5,sha1", "-f", "dfxml", "ev", "-o", "dfxml"]),
    ("jsonl", &["hash", "-r", "-a", "sha1,xxh3-128", "-f", "jsonl", "ev", "-o", "jsonl"]),
    ("csv", &["hash", "-r", "-a", "sha512", "-f", "csv", "ev", "-o", "csv"]),
    ("sealed", &["hash", "-r", "ev", "-o", "sealed", "--seal"]),
    ("ssdeep", &["hash", "-r", "-a", "ssdeep", "-f", "ssdeep", "ev", "-o", "ssdeep"]),
    ("sdbf", &["hash", "-r", "-a", "sdhash", "-f", "sdbf", "ev", "-o", "sdbf"]),
    ("cached", &["hash", "-r", "--cache", "cache", "ev", "-o", "cached"]),
    ("known", &["known", "build", "known", "--good", "sums", "--no-progress"]),
    ("matches", &["match", "-r", "-k", "sums", "-f", "jsonl", "ev", "-o", "matches"]),
    ("pairs", &["compare", "-r", "-a", "ssdeep", "-f", "jsonl", "ev", "-o", "pairs"]),
    ("index", &["match", "-r", "--similar", "ssdeep", "--write-index", "index", "ev", "-o", "similar"]),
    ("raw", &["acquire", "disk", "--to", "raw", "--log", "raw.log", "--map", "raw.map", "--no-progress"]),
    ("split.000", &["acquire", "disk", "--to", "split", "--split", "256KiB", "--log", "split.log", "--no-progress"]),
    ("image.E01", &["acquire", "disk", "--to", "image.E01", "--log", "image.log", "--no-progress"]),
    ("disk.pfhtree", &["tree", "build", "disk", "--no-progress"]),
    ("received", &["tree", "receive", "-o", "received", "512KiB=disk", "--size", "1536KiB", "0+512KiB=disk"]),
    ("kept", &["audit", "commit", "disk", "-o", "kept"]),
    ("challenge", &["audit", "challenge", "kept", "-o", "challenge"]),
    ("proof", &["audit", "prove", "challenge", "disk", "-o", "proof"]),
    ("plan", &["plan", "-r", "ev", "-o", "plan"]),
    ("plan/plan.json", &["run", "plan", "--unit", "1"]),
];

/// Artifacts that are written beside those above, or that nobody wrote as such.
const BESIDE: &[&str] = &[
    "received.pfhtree",
    "sealed.seal",
    "cache",
    "raw.log",
    "raw.log.jsonl",
    "raw.map",
    "ev/text",
    "empty",
    "nowhere",
    "ev",
];

/// The commands that read, and the artifacts with which they end well (exit 0).
const SECOND: &[(&str, &[&str], &[&str])] = &[
    (
        "check",
        &["check", X],
        &["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv", "sealed", "ssdeep", "sdbf", "cached"],
    ),
    (
        "check --audit",
        &["check", "--audit", X, "ev"],
        &["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv", "sealed", "ssdeep", "sdbf", "cached"],
    ),
    (
        "match -k",
        &["match", "-r", "-k", X, "ev"],
        &["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv", "sealed", "cached", "known"],
    ),
    (
        "known build",
        &["known", "build", NEW, "--good", X, "--no-progress"],
        &["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv", "sealed", "cached"],
    ),
    ("known info", &["known", "info", X], &["known"]),
    ("match --similar", &["match", "-r", "--similar", X, "-a", "ssdeep", "ev"], &["ssdeep", "index"]),
    ("verify --log", &["verify", "raw", "--log", X], &["raw.log.jsonl"]),
    ("verify", &["verify", X], &["raw", "split.000", "image.E01"]),
    ("tree check", &["tree", "check", "--outboard", X, "disk", "--no-progress"], &["disk.pfhtree"]),
    ("tree update", &["tree", "update", "--outboard", X, "disk", "--range", "0:1", "--no-progress"], &["disk.pfhtree"]),
    ("tree check, received", &["tree", "check", "--outboard", X, "received", "--no-progress"], &["received.pfhtree"]),
    ("tree diff", &["tree", "diff", X, "disk"], &["disk.pfhtree"]),
    (
        "tree receive, the same",
        &["tree", "receive", "-o", NEW, "0=@", "0=disk", "--size", "1MiB"],
        &["raw", "split.000", "empty"],
    ),
    ("audit challenge", &["audit", "challenge", X, "-o", NEW], &["kept"]),
    ("audit prove", &["audit", "prove", X, "disk", "-o", NEW], &["challenge"]),
    ("audit verify, kept", &["audit", "verify", X, "challenge", "proof"], &["kept"]),
    ("audit verify, challenge", &["audit", "verify", "kept", X, "proof"], &["challenge"]),
    ("audit verify, answer", &["audit", "verify", "kept", "challenge", X], &["proof"]),
    ("acquire --map", &["acquire", "disk", "--to", NEW, "--map", X, "--no-progress"], &["nowhere"]),
    ("acquire --log", &["acquire", "disk", "--to", NEW, "--log", X, "--no-progress"], &["nowhere", "empty"]),
    ("run", &["run", X, "--unit", "1"], &["plan"]),
    ("merge", &["merge", X, "-o", NEW], &["plan"]),
    ("hash --key", &["hash", "ev/text", "-o", NEW, "--seal", "--key", X], &[]),
    // An empty list names nothing, so nothing is hashed.
    ("hash --files-from", &["hash", "--files-from", X], &["empty"]),
];

/// Words that promise something; a command that does not end with 0 must not say them last.
const GREEN: &[&str] = &["verified\n", "PROVED", "holds\n"];

/// Text that similarity digests find something in.
fn text(length: usize, seed: u64) -> Vec<u8> {
    let words = ["sector", "digest", "leaf", "root", "table", "lane", "chunk", "seal", "known", "unknown"];
    let mut state = seed;
    let mut out = Vec::new();
    while out.len() < length {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        out.extend_from_slice(words[(state >> 33) as usize % words.len()].as_bytes());
        out.push(if state >> 60 == 0 { b'\n' } else { b' ' });
    }
    out.truncate(length);
    out
}

fn run(room: &Path, words: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room).run().expect("a run")
}

/// A room in which each of the first commands ran once.
fn after_the_first() -> Room {
    let room = Room::new();
    room.file("ev/text", &text(30_000, 1));
    room.file("ev/like", &[text(29_000, 1), text(1_000, 2)].concat());
    room.file("ev/sub/noise", &noise(70_000, 3));
    room.file("ev/sub/a name", &text(9_000, 4));
    room.file("disk", &noise(1 << 20, 5));
    room.file("empty", b"");
    for (_, words) in FIRST {
        let seen = run(room.path(), words);
        assert_eq!(seen.code, Some(0), "{words:?}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    }
    room
}

/// Every file below, with its bytes.
fn state(below: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![below.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                let bytes = std::fs::read(entry.path()).unwrap();
                found.insert(entry.path(), bytes);
            }
        }
    }
    found
}

/// Removes new files, and names the changed ones among the rest.
fn restore(below: &Path, before: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let mut changed = Vec::new();
    for (path, bytes) in state(below) {
        match before.get(&path) {
            None => std::fs::remove_file(&path).unwrap(),
            Some(was) if *was == bytes => {}
            Some(was) => {
                std::fs::write(&path, was).unwrap();
                changed.push(path);
            }
        }
    }
    for (path, was) in before {
        if !path.exists() {
            std::fs::write(path, was).unwrap();
            changed.push(path.clone());
        }
    }
    changed
}

#[test]
fn every_artifact_in_the_hands_of_every_reader() {
    let room = after_the_first();
    let before = state(room.path());
    let artifacts: Vec<&str> = FIRST.iter().map(|(name, _)| *name).chain(BESIDE.iter().copied()).collect();
    let mut wrong = Vec::new();
    for (second, words, good) in SECOND {
        for name in good.iter() {
            assert!(artifacts.contains(name), "{second}: {name} is not an artifact");
        }
        for artifact in &artifacts {
            let words: Vec<String> = words
                .iter()
                .map(|word| match *word {
                    NEW => "new".to_owned(),
                    word => word.replace(X, artifact),
                })
                .collect();
            let seen = run(room.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
            let said = format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
            let line = words.join(" ");
            let changed = restore(room.path(), &before);
            // The log goes into a file that is empty; every other file stays as it is.
            if changed.iter().any(|path| !path.ends_with("empty")) {
                wrong.push(format!("{line}: changed {changed:?}"));
            }
            match (good.contains(artifact), seen.code) {
                (true, Some(0)) => {}
                (false, Some(1..=4)) if said.is_empty() => wrong.push(format!("{line}: not a word")),
                (false, Some(1..=4)) => {
                    let green = GREEN.iter().filter(|green| said.contains(*green) && !said.contains("NOT "));
                    wrong.extend(green.map(|green| format!("{line}: says {green:?} and ends with {:?}", seen.code)));
                }
                (expected, code) => wrong.push(format!("{line}: {code:?}, good: {expected}: {said}")),
            }
            if said.contains("panicked") || seen.stderr.contains("os error") {
                wrong.push(format!("{line}: not a sentence for a user: {said}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of the pairs:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_command_again() {
    let room = after_the_first();
    let before = state(room.path());
    let mut wrong = Vec::new();
    // These continue or confirm the present file; all others refuse to replace it.
    let may_repeat = ["known", "disk.pfhtree", "raw", "split.000", "image.E01", "plan/plan.json"];
    for (name, words) in FIRST {
        let seen = run(room.path(), words);
        let changed = restore(room.path(), &before);
        let expected: &[i32] = if may_repeat.contains(name) { &[0, 2] } else { &[2] };
        if !seen.code.is_some_and(|code| expected.contains(&code)) {
            wrong.push(format!("{words:?}: {:?}: {}", seen.code, seen.stderr));
        }
        if !changed.is_empty() {
            wrong.push(format!("{words:?}: changed {changed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_again_with_force() {
    let room = after_the_first();
    // A plan is made once, and its units say `--again`.
    for (name, words) in FIRST.iter().filter(|(name, _)| !name.starts_with("plan")) {
        let words = [words, &["--force"][..]].concat();
        let was = std::fs::read(room.path().join(name)).unwrap();
        let seen = run(room.path(), &words);
        assert_eq!(seen.code, Some(0), "{words:?}: {}", seen.stderr);
        // A challenge and its answer are new each time, and so are the files that name the moment
        // of their making.
        if !["challenge", "proof", "dfxml", "image.E01", "index"].contains(name) {
            assert!(std::fs::read(room.path().join(name)).unwrap() == was, "{words:?}: another {name}");
        }
    }
    // The new artifacts fit together as the first did.
    for words in [&["audit", "verify", "kept", "challenge", "proof"][..], &["check", "sealed"], &["verify", "raw"]] {
        assert_eq!(run(room.path(), words).code, Some(0), "{words:?}");
    }
}
