//! The command line by task: help, aliases of what others type first, one spelling of JSON, pages.

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
    assert_eq!((seen.code, results), (Some(1), vec!["unread", "failed"]));
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
