//! The file of defaults, profiles, and the command at the end.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::fs;

/// Runs a line where the file of defaults is below `config`.
fn pfh(room: &Room, words: &[&str]) -> Outcome {
    let place = format!("XDG_CONFIG_HOME={}/config", room.path().display());
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    trial.under(["env".to_owned(), place]).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

const FILE: &str = "\
[hash]
algorithm = 'md5'

[profile.case.hash]
algorithm = ['md5', 'sha1']
format = 'jsonl'
recursive = true

[profile.case.acquire]
examiner = 'Ada'
algorithm = 'sha256'

[profile.seal.hash]
seal = true
";

fn room() -> Room {
    let room = Room::new();
    room.file("d/f", b"abc");
    room.file("config/pfh/config.toml", FILE.as_bytes());
    room
}

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

#[test]
fn defaults_are_taken_and_named_and_what_is_typed_wins() {
    let room = room();
    let seen = pfh(&room, &["hash", "d/f"]);
    assert_eq!(out(&seen), format!("{MD5}  d/f\n"), "{}", seen.stderr);
    for words in
        [&["hash", "--no-config", "d/f"][..], &["--no-config", "hash", "d/f"], &["hash", "-a", "sha256", "d/f"]]
    {
        assert!(out(&pfh(&room, words)).starts_with("ba7816bf"), "{words:?}");
    }
    for words in [&["--profile", "case", "hash", "d"][..], &["hash", "d", "--profile=case"]] {
        let seen = pfh(&room, words);
        let line: Value = serde_json::from_slice(seen.lines()[0]).unwrap_or_else(|_| panic!("{}", seen.stderr));
        assert!(line["digests"]["md5"] == MD5 && line["digests"]["sha1"].is_string(), "{line}");
    }
    // An option that excludes a default takes its place.
    let seen = pfh(&room, &["hash", "d", "--profile", "case", "-f", "csv"]);
    assert!(seen.code == Some(0) && out(&seen).contains("sha1"), "{}", seen.stderr);
    assert_eq!(pfh(&room, &["hash", "d", "--profile", "case", "--json"]).code, Some(0));
    // The file and its digest are in the recorded command line.
    let sha256 = crate::program::sha256(FILE.as_bytes());
    let named = |text: &str| text.contains(&sha256) && text.contains("config/pfh/config.toml");
    let seen = pfh(&room, &["hash", "d/f", "-f", "hashdeep"]);
    assert!(named(&out(&seen)) && out(&seen).contains("defaults: --algorithm=md5"), "{}", out(&seen));
    assert!(!named(&out(&pfh(&room, &["hash", "--no-config", "d/f", "-f", "hashdeep"]))));
    assert_eq!(pfh(&room, &["acquire", "d/f", "--to", "x.img", "--profile", "case"]).code, Some(0));
    for log in ["x.img.log", "x.img.log.jsonl"] {
        let text = fs::read_to_string(room.path().join(log)).unwrap();
        assert!(named(&text) && text.contains("profile case") && text.contains("Ada"), "{text}");
    }
    assert_eq!(pfh(&room, &["hash", "d/f", "--profile", "seal", "-o", "list"]).code, Some(0));
    let seal = fs::read_to_string(room.path().join("list.seal")).unwrap();
    assert!(named(&seal), "{seal}");
    assert_eq!(pfh(&room, &["check", "list"]).code, Some(0));
}

/// A list that is brought up to date keeps the defaults in its seal.
#[test]
fn a_seal_that_is_renewed_keeps_its_defaults() {
    let room = room();
    assert_eq!(pfh(&room, &["hash", "-r", "d", "--profile", "seal", "-o", "list"]).code, Some(0));
    let defaults = || {
        let seal: Value = serde_json::from_slice(&fs::read(room.path().join("list.seal")).unwrap()).unwrap();
        (seal["defaults"].as_str().unwrap_or_default().to_owned(), seal["records"].clone())
    };
    let before = defaults();
    assert!(before.0.contains("profile seal") && before.1 == 1, "{before:?}");
    room.file("d/new", b"new");
    let seen = pfh(&room, &["--no-config", "hash", "--update", "list", "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(defaults(), (before.0, 2.into()));
    assert_eq!(pfh(&room, &["check", "list"]).code, Some(0));
}

/// Every output that has a command line names the file of defaults and its digest.
#[test]
fn command_lines_name_the_defaults() {
    let room = room();
    let file = FILE.to_owned() + "\n[match]\nthreads = 1\n\n[plan]\nunit = '1MiB'\n";
    room.file("config/pfh/config.toml", file.as_bytes());
    let sha256 = crate::program::sha256(file.as_bytes());
    assert_eq!(pfh(&room, &["hash", "d/f", "-a", "sha256", "-o", "known"]).code, Some(0));
    for (words, options) in [
        (&["hash", "d/f", "-f", "hashdeep", "-o", "out"][..], "--algorithm=md5"),
        (&["hash", "d/f", "-f", "dfxml", "-o", "out"], "--algorithm=md5"),
        (&["match", "d/f", "-k", "known", "-f", "dfxml", "-o", "out"], "--threads=1"),
        (&["plan", "d/f", "-a", "md5", "-f", "hashdeep", "-o", "plan"], "--unit=1MiB"),
        (&["acquire", "d/f", "--to", "x.img", "--profile", "case"], "--algorithm=sha256"),
    ] {
        let _ = fs::remove_file(room.path().join("out"));
        let seen = pfh(&room, words);
        assert!(matches!(seen.code, Some(0 | 1)), "{words:?}: {}", seen.stderr);
        let outputs =
            ["out", "plan/plan.json", "x.img.log.jsonl"].map(|name| fs::read_to_string(room.path().join(name)));
        let named = |text: &String| text.contains(&sha256) && text.contains(options);
        assert!(outputs.iter().flatten().any(named), "{words:?}: {outputs:?}");
    }
}

/// A signature is of the defaults too.
#[test]
fn a_signed_seal_does_not_hold_with_other_defaults() {
    let room = room();
    let keys = "openssl genpkey -algorithm ed25519 -out key && openssl pkey -in key -pubout -out key.pub";
    let made = std::process::Command::new("sh").args(["-c", keys]).current_dir(room.path()).output();
    if !made.is_ok_and(|made| made.status.success()) {
        return eprintln!("skipped: no openssl");
    }
    let words = ["hash", "d/f", "--profile", "seal", "-o", "list", "--key", "key"];
    assert_eq!(pfh(&room, &words).code, Some(0));
    assert_eq!(pfh(&room, &["check", "list", "--key", "key.pub"]).code, Some(0));
    let seal = room.path().join("list.seal");
    let text = fs::read_to_string(&seal).unwrap();
    fs::write(&seal, text.replace("profile seal", "profile case")).unwrap();
    assert_eq!(pfh(&room, &["check", "list", "--key", "key.pub"]).code, Some(1));
}

#[test]
fn a_file_that_makes_no_sense_is_refused_with_line_and_key() {
    let room = room();
    for (text, expected) in [
        ("[hash]\nalgoritm = 'md5'\n", "config.toml:2: algoritm: pfh hash has no option --algoritm"),
        ("[hash]\nforce = true\n", "config.toml:2: force: --force cannot be a default"),
        ("[match]\n[known.build]\nmemory = true\n", "config.toml:3: memory: --memory takes a text or a number"),
        ("[hash]\nformat = \n", "config.toml:2: "),
    ] {
        room.file("config/pfh/config.toml", text.as_bytes());
        let seen = pfh(&room, &["hash", "d/f", "-o", "list"]);
        assert!(seen.code == Some(2) && seen.stderr.contains(expected), "{text}: {}", seen.stderr);
        assert!(!room.path().join("list").exists());
        assert_eq!(pfh(&room, &["hash", "--no-config", "d/f"]).code, Some(0));
        assert_eq!(pfh(&room, &["hash", "--help"]).code, Some(0));
    }
    room.file("config/pfh/config.toml", b"");
    let seen = pfh(&room, &["hash", "d/f", "--profile", "case"]);
    assert!(seen.code == Some(2) && seen.stderr.contains("there is no [profile.case]"), "{}", seen.stderr);
    fs::remove_file(room.path().join("config/pfh/config.toml")).unwrap();
    assert_eq!(pfh(&room, &["hash", "d/f", "--profile", "case"]).code, Some(2));
    assert!(out(&pfh(&room, &["hash", "d/f"])).starts_with("ba7816bf"));
}

#[test]
fn a_command_runs_at_the_end_with_code_and_counts() {
    let room = room();
    let show = "echo $PFH_COMMAND $PFH_EXIT $PFH_FILES $PFH_BYTES $PFH_ERRORS > ended; echo said";
    let ended = || {
        let text = fs::read_to_string(room.path().join("ended")).unwrap_or_default();
        let _ = fs::remove_file(room.path().join("ended"));
        text
    };
    let seen = pfh(&room, &["hash", "d/f", "--on-finish", show]);
    assert_eq!((seen.code, &*ended()), (Some(0), "hash 0 1 3 0\n"), "{}", seen.stderr);
    // Standard output has results alone.
    assert!(out(&seen).lines().count() == 1 && seen.stderr.contains("said"), "{}", seen.stderr);
    let seen = pfh(&room, &["hash", "d/f", "d/none", "--on-finish", show]);
    assert_eq!((seen.code, &*ended()), (Some(3), "hash 3 1 3 1\n"), "{}", seen.stderr);
    // Also under the sandbox, and of commands that refuse.
    let seen = pfh(&room, &["hash", "--inside", "d/f", "--on-finish", show]);
    assert_eq!((seen.code, &*ended()), (Some(0), "hash 0 1 3 0\n"), "{}", seen.stderr);
    let seen = pfh(&room, &["check", "none", "--on-finish", "echo $PFH_COMMAND $PFH_EXIT > ended"]);
    assert_eq!(ended(), format!("check {}\n", seen.code.unwrap()));
    // Its failure is said, and changes nothing.
    let seen = pfh(&room, &["hash", "d/f", "--on-finish", "exit 7"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("--on-finish: exit status: 7"), "{}", seen.stderr);
}
