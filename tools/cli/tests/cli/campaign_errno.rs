//! An errno at every kind of call: call × errno × position × command × algorithms × modes ×
//! threads, through strace. For any failure: no wrong digest, no negative verdict on good files, no
//! hang, no panic, no end by a signal, an exit code that fits the events, and every path exactly
//! once.
//!
//! `PFH_RUNS` sets how many runs the nightly test makes, `PFH_FIRST` the number of the first one;
//! `PFH_RECORD` names a file that its figures are appended to.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::program::{Room, digest_by};
use pfh_inject::{Injection, Need, Outcome, Trial, content, lacks};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");
const FILES: u64 = 12;

const CALLS: [&str; 27] = [
    "read",
    "pread64",
    "openat2",
    "openat",
    "getdents64",
    "fstat",
    "newfstatat",
    "statx",
    "lseek",
    "close",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "linkat",
    "rename,renameat",
    "unlink",
    "ftruncate",
    "fcntl",
    "ioctl",
    "poll",
    "io_uring_setup",
    "io_uring_enter",
    "clone,clone3",
    "fadvise64",
    "fallocate",
    "mmap",
];
const ERRNOS: [&str; 12] = [
    "EIO",
    "EINTR",
    "EAGAIN",
    "ENOMEM",
    "EACCES",
    "ENOENT",
    "ENOSPC",
    "EINVAL",
    "ESTALE",
    "EMFILE",
    "EPERM",
    "ETIMEDOUT",
];
const COMMANDS: [&str; 8] = ["hash", "hash -o", "check", "audit", "verify", "known", "tree", "acquire"];

/// Pseudo-random numbers of a run's number: the same run again has the same fault.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 33) as usize % end
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// Files, with their true digests.
struct Stage {
    room: Room,
    digests: BTreeMap<String, (String, String)>,
}

impl Stage {
    fn new() -> Stage {
        let room = Room::new();
        let mut digests = BTreeMap::new();
        for number in 0..FILES {
            let bytes = content(number, number * 997 + number * number * 400);
            let name = format!("tree/d{}/{number:02}", number % 3);
            room.file(&name, &bytes);
            digests.insert(name, (digest_by("sha256sum", &bytes), digest_by("md5sum", &bytes)));
        }
        room.file("disk", &content(99, 100_000));
        let run = |arguments: &[&str]| {
            let seen = Trial::new(PFH).args(arguments).directory(room.path()).run().unwrap();
            assert_eq!(seen.code, Some(0), "{arguments:?}: {}", seen.stderr);
        };
        run(&["hash", "-r", "-o", "list", "tree"]);
        let inner = Trial::new(PFH).args(["hash", "-r", "-o", "../inner", "."]).directory(room.path().join("tree"));
        assert_eq!(inner.run().unwrap().code, Some(0));
        run(&["acquire", "--no-progress", "disk", "--to", "image"]);
        run(&["tree", "build", "--no-progress", "disk"]);
        Stage { room, digests }
    }
}

/// One fault and the call that it met.
struct Run {
    command: &'static str,
    words: Vec<String>,
    injection: Injection,
    what: String,
}

fn draw(number: u64, target: &str) -> Run {
    let mut random = Random(number);
    let command = random.of(&COMMANDS);
    let (call, errno) = (random.of(&CALLS), random.of(&ERRNOS));
    // Few of the calls come early: that is where most faults meet something.
    let nth = 1 + [random.below(8), random.below(30), random.below(90)][random.below(3)] as u32;
    let hashes = matches!(command, "hash" | "hash -o" | "check" | "audit");
    // Commands without a limit of their own wait for a minute: such faults are for the others.
    let endless = random.below(3) == 0 && (hashes || !matches!(errno, "EINTR" | "EAGAIN"));
    let mut words: Vec<String> = match command {
        "hash" => vec!["hash", "-r", "-f", "jsonl", "tree"],
        "hash -o" => vec!["hash", "-r", "-f", "jsonl", "-o", target, "tree"],
        "check" => vec!["check", "list"],
        "audit" => vec!["check", "--audit", "inner", "tree"],
        "verify" => vec!["verify", "image"],
        "known" => vec!["known", "build", "--bad", "list", target],
        "tree" => vec!["tree", "check", "disk"],
        _ => vec!["acquire", "disk", "--to", target],
    }
    .into_iter()
    .map(str::to_owned)
    .collect();
    words.push("--no-progress".into());
    if hashes {
        let threads = random.of(&["1", "2", "4"]);
        let mode = random.of(&["adaptive", "mtp", "smt"]);
        let io = random.of(&["plain", "uring"]);
        words.extend(["--stall-timeout", "1", "-t", threads, "--mode", mode, "--io", io].map(str::to_owned));
        if command.starts_with("hash") {
            words.extend(["-a", random.of(&["sha256", "md5,sha256"])].map(str::to_owned));
        }
    }
    let injection = if endless { Injection::from(call, errno, nth) } else { Injection::nth(call, errno, nth) };
    let what = format!("run {number}: {words:?} with {call} {errno} {nth}{}", if endless { "+" } else { "" });
    Run { command, words, injection, what }
}

/// Whether the loader or the C library failed before the program began: nobody there can say more.
fn never_began(seen: &Outcome) -> bool {
    seen.code == Some(127) && seen.stderr.contains("error while loading shared libraries")
        || matches!(seen.code, Some(139 | 134 | 127)) && seen.stdout.is_empty() && seen.stderr.is_empty()
}

/// Whether Rust's standard library gave up where nobody can catch it (docs/limitations.md): a
/// directory of `known build` that the system refuses to close, the signal stack of a thread that
/// is being started. It ends with 4 all the same; where it is the first thread, before `main`, with
/// SIGABRT.
fn gave_up_in_std(run: &Run, seen: &Outcome) -> bool {
    let closed = run.command == "known" && seen.stderr.contains("unexpected error during closedir");
    let stack =
        ["an alternative stack", "alternative stack guard page"].iter().any(|words| seen.stderr.contains(words));
    let before_main = stack && seen.stderr.contains("thread 'main'") && seen.stdout.is_empty();
    (closed || stack) && seen.code == Some(4) || before_main && seen.code == Some(134)
}

/// Whether the standard library repeats the interrupted call and nobody can stop it
/// (docs/limitations.md): its `poll` before `main`, its own `File::open`.
fn never_ends_in_std(run: &Run) -> bool {
    run.what.ends_with('+') && ["with poll EINTR ", "with openat EINTR "].iter().any(|call| run.what.contains(call))
}

/// The fault of a run, if any.
fn judge(stage: &Stage, run: &Run, seen: &Outcome, target: &Path) -> Option<String> {
    let Some(code) = seen.code else { return (!never_ends_in_std(run)).then(|| "it hung".into()) };
    if never_began(seen) || gave_up_in_std(run, seen) {
        return None;
    }
    if let Some(word) =
        ["panicked", "internal error", "fatal runtime", "backtrace"].iter().find(|w| seen.stderr.contains(**w))
    {
        return Some(format!("it says {word:?}"));
    }
    if !matches!(code, 0..=4) {
        return Some(format!("it ended with {code}"));
    }
    // A file that is said not to be there is missing: that verdict is right.
    if code == 1 && !run.what.contains("ENOENT") {
        return Some("a negative verdict on good files".into());
    }
    match run.command {
        "hash" | "hash -o" => {
            let text = match run.command {
                "hash" => seen.stdout.clone(),
                _ => fs::read(target).unwrap_or_default(),
            };
            let text = String::from_utf8_lossy(&text).into_owned();
            if run.command == "hash -o" && code == 4 && !text.is_empty() && fs::metadata(target).is_ok() {
                // The last sync, of the directory, is the one that may fail behind the list.
                return (!seen.stderr.contains("incomplete")).then(|| "a list stands there after exit 4".into());
            }
            listed(stage, &text, code)
        }
        "known" => (code == 0 && !target.exists()).then(|| "no set, exit 0".into()),
        "acquire" => {
            let same = || fs::read(target).ok() == fs::read(stage.room.path().join("disk")).ok();
            (code == 0 && !same()).then(|| "not the disk, exit 0".into())
        }
        _ => None,
    }
}

/// Every path once, every digest right; all digests with exit 0.
fn listed(stage: &Stage, text: &str, code: i32) -> Option<String> {
    let mut seen = BTreeMap::new();
    for line in text.lines() {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else {
            if code == 4 {
                continue;
            }
            return Some(format!("a broken line: {line}"));
        };
        let kind = value["type"].as_str().unwrap_or_default().to_owned();
        let path = value["path"].as_str().unwrap_or_default().to_owned();
        if kind == "file" {
            let Some((sha256, md5)) = stage.digests.get(&path) else {
                return Some(format!("{path} is not a file of ours"));
            };
            let digest = |name: &str| value["digests"][name].as_str().map(str::to_owned);
            if digest("sha256").is_some_and(|found| found != *sha256)
                || digest("md5").is_some_and(|found| found != *md5)
            {
                return Some(format!("a wrong digest of {path}"));
            }
        }
        if kind != "summary" && seen.insert(path.clone(), kind).is_some() {
            return Some(format!("{path} twice"));
        }
    }
    let missing = || stage.digests.keys().filter(|path| !seen.contains_key(*path)).count();
    let files = seen.values().filter(|kind| *kind == "file").count();
    match code {
        0 if files as u64 != FILES => Some(format!("{files} digests, exit 0")),
        // A directory that cannot be listed stands for its contents.
        3 if missing() > 0 && !seen.values().any(|kind| kind == "error") => Some("paths are missing, exit 3".into()),
        _ => None,
    }
}

fn campaign(numbers: std::ops::Range<u64>) -> (BTreeMap<&'static str, BTreeMap<String, u64>>, Vec<String>) {
    let stage = Stage::new();
    let (next, wrong, counts) = (AtomicU64::new(numbers.start), Mutex::new(Vec::new()), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers.end {
                        return;
                    }
                    let name = format!("out{number}");
                    let run = draw(number, &name);
                    let trial = Trial::new(PFH).args(&run.words).directory(stage.room.path());
                    let seen = trial.inject(run.injection.clone()).limit(Duration::from_secs(120)).run().unwrap();
                    let target = stage.room.path().join(&name);
                    let judged = judge(&stage, &run, &seen, &target);
                    let ended = match (&judged, seen.injected) {
                        (Some(_), _) => "wrong".to_owned(),
                        (None, 0) => "not met".to_owned(),
                        (None, _) if never_began(&seen) => "never began".to_owned(),
                        (None, _) if gave_up_in_std(&run, &seen) || seen.code.is_none() => "in std".to_owned(),
                        (None, _) => format!("exit {}", seen.code.unwrap_or(-1)),
                    };
                    *counts
                        .lock()
                        .unwrap()
                        .entry(run.command)
                        .or_insert_with(BTreeMap::new)
                        .entry(ended)
                        .or_insert(0) += 1;
                    if let Some(judged) = judged {
                        let line = format!("{judged}: {}: {:?} {}", run.what, seen.code, seen.stderr.trim());
                        eprintln!("{line}");
                        wrong.lock().unwrap().push(line);
                    }
                    let left = fs::read_dir(stage.room.path()).unwrap().flatten();
                    for entry in
                        left.filter(|e| e.file_name().to_string_lossy().trim_start_matches('.').starts_with(&name))
                    {
                        let _ = fs::remove_file(entry.path()).or_else(|_| fs::remove_dir_all(entry.path()));
                    }
                }
            });
        }
    });
    (counts.into_inner().unwrap(), wrong.into_inner().unwrap())
}

#[test]
fn an_errno_at_some_calls() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (_, wrong) = campaign(0..120);
    assert!(wrong.is_empty(), "{} of 120:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
#[ignore = "20,000 runs take an hour: `make campaigns`"]
fn an_errno_at_every_call() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let runs = std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(20_000);
    let first = std::env::var("PFH_FIRST").ok().and_then(|first| first.parse().ok()).unwrap_or(1_000);
    let (counts, wrong) = campaign(first..first + runs);
    let mut text = String::from(
        "| command | runs | not met | exit 0 | exit 2 | exit 3 | exit 4 | in std | never began | wrong |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for (command, ends) in &counts {
        let of = |end: &str| ends.get(end).copied().unwrap_or(0);
        let cells = ["not met", "exit 0", "exit 2", "exit 3", "exit 4", "in std", "never began", "wrong"]
            .map(|end| of(end).to_string());
        text.push_str(&format!("| {command} | {} | {} |\n", ends.values().sum::<u64>(), cells.join(" | ")));
    }
    println!("{text}");
    if let Some(path) = std::env::var_os("PFH_RECORD") {
        let mut record = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(record, "{text}").unwrap();
    }
    assert!(wrong.is_empty(), "{} of {runs}:\n{}", wrong.len(), wrong.join("\n"));
}
