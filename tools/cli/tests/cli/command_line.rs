//! The command line by task: help, aliases of words that others type first, one spelling of JSON,
//! pages.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;
use std::fs;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

#[test]
fn help_and_what_others_type_first() {
    let room = Room::new();
    room.file("f", b"abc");
    for (typed, means) in [("help hash", "hash --help"), ("help", "--help"), ("help bag create", "bag create --help")] {
        let (one, other) = (pfh(&room, typed), pfh(&room, means));
        assert_eq!((one.code, out(&one)), (Some(0), out(&other)), "{typed}");
        let text = out(&one);
        assert!(text.contains("\nExamples:\n") && text.contains("Exit codes: 0"), "{typed}: {text}");
    }
    assert_eq!(pfh(&room, "help nonsense").code, Some(2));
    let sums = pfh(&room, "sum -a md5 f");
    assert_eq!(out(&sums), "900150983cd24fb0d6963f7d28e17f72  f\n");
    room.file("list", &sums.stdout);
    for words in ["sum -c list", "hash -c list", "hash --check list", "check list"] {
        let seen = pfh(&room, words);
        assert_eq!((seen.code, &*out(&seen)), (Some(0), "f: OK\n"), "{words}: {}", seen.stderr);
    }
    room.file("f", b"abd");
    assert_eq!(pfh(&room, "sum -c list").code, Some(1));
}

/// Without the other program its pages are there, and running it names the remedy.
#[test]
fn bench_starts_the_program_beside_it() {
    let room = Room::new();
    let program = room.executable("pfh", &fs::read(env!("CARGO_BIN_EXE_pfh")).unwrap());
    let run = |words: &str| {
        let alone = std::process::Command::new(&program).args(words.split(' ')).env("PATH", "").output().unwrap();
        (alone.status.code(), String::from_utf8(alone.stdout).unwrap(), String::from_utf8(alone.stderr).unwrap())
    };
    let (code, text, _) = run("bench self --help");
    assert!(code == Some(0) && text.contains("Usage: pfh bench self"), "{text}");
    assert!(run("help").1.contains("\n  bench "));
    let (code, _, said) = run("bench sizes .");
    assert!(code == Some(2) && said.contains("pfh-bench") && said.contains("cargo install"), "{said}");
    // Arguments are looked at before it is started; its output, exit code and signal are passed on.
    assert_eq!(run("bench sizes").0, Some(2));
    room.executable("pfh-bench", b"#!/bin/sh\necho \"$PFH_PROGRAM:$*\"\necho err >&2\nexit 3\n");
    let expected = format!("{}:sizes -- -x\n", program.canonicalize().unwrap().display());
    assert_eq!(run("bench sizes -- -x"), (Some(3), expected, "err\n".to_owned()));
    room.executable("pfh-bench", b"#!/bin/sh\nkill -TERM $$\n");
    assert_eq!(run("bench sizes .").0, None);
}

#[test]
fn json_has_one_spelling() {
    let room = Room::new();
    room.file("d/f", b"abc");
    room.file("d/g", b"abc");
    assert_eq!(pfh(&room, "hash -r d -o list").code, Some(0));
    for words in [
        "hash -r d --json",
        "check list --json",
        "check --audit list --json",
        "diff d list --json",
        "dups d --json",
        "compare -a sha256 d --json",
        "match -r -k list d --json",
        "algorithms --json",
        "tree build d/f --json",
    ] {
        let seen = pfh(&room, words);
        assert!(matches!(seen.code, Some(0 | 1)), "{words}: {}", seen.stderr);
        let lines = seen.lines();
        assert!(!lines.is_empty(), "{words}");
        for line in lines {
            let line: Value = serde_json::from_slice(line).unwrap_or_else(|error| panic!("{words}: {error}"));
            assert!(line.is_object(), "{words}");
        }
    }
    for words in ["hash d/f --json -f sums", "compare d --json -f csv", "check --audit list --json -f hashdeep"] {
        assert_eq!(pfh(&room, words).code, Some(2), "{words}");
    }
    // Of a check: each file, and the verdict.
    room.file("d/g", b"other");
    fs::remove_file(room.path().join("d/f")).unwrap();
    let seen = pfh(&room, "check list --json");
    let lines: Vec<Value> = seen.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    let results: Vec<&str> = lines[..2].iter().map(|line| line["result"].as_str().unwrap()).collect();
    assert_eq!((seen.code, results), (Some(1), vec!["missing", "failed"]));
    assert_eq!((&lines[2]["verdict"], &lines[2]["missing"]), (&"differs".into(), &1.into()));
    let quiet = pfh(&room, "check -q list");
    assert_eq!(out(&quiet), "d/f: FAILED open or read\nd/g: FAILED\n");
}

#[test]
fn each_man_page_has_examples_and_what_exit_codes_mean() {
    let room = Room::new();
    assert_eq!(pfh(&room, "man pages").code, Some(0));
    let mut seen = 0;
    for page in fs::read_dir(room.path().join("pages")).unwrap().flatten() {
        let name = page.file_name().into_string().unwrap();
        if name.starts_with("pfh-paper") {
            continue;
        }
        let text = fs::read_to_string(page.path()).unwrap();
        for section in [".SH EXAMPLES\n.nf\n", ".SH EXIT STATUS\n0"] {
            assert!(text.contains(section), "{name}: {section}");
        }
        assert!(!text.contains("EXTRA"), "{name}");
        assert_eq!(text.contains(".SH \"SEE ALSO\"") || text.contains(".SH SEE ALSO"), name != "pfh.1", "{name}");
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}
