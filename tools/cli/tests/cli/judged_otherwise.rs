//! Commands that judge, but ask another question than the table of `judged.rs`: on each of its
//! facts `"verdict":"verified"` comes with exit code 0 alone.
#![cfg(unix)]

use crate::judged::{FACTS, FILES, Fact, Notation, change, room_of, said};
use crate::program::Room;
use pfh_inject::Trial;
use std::fs;

/// The digest of nothing that is there.
const OTHER: &str = "1212121212121212121212121212121212121212121212121212121212121212";

/// The commands and their questions.
const COMMANDS: &[&[&str]] = &[
    &["match", "-r", "-k", "l", "--class", "good", "--json", "t"],
    &["match", "-r", "-k", "l", "--class", "bad", "--json", "t"],
    &["lookup", "-k", "l", "--json", "--digest", OTHER],
    &["known", "build", "--good", "l", "-o", "set"],
    &["report", "--html", "page.html", "l"],
    &["check", "--strict", "--json", "l", "t"],
    &["check", "--lenient", "--json", "l", "t"],
    &["check", "--ignore-missing", "--json", "l", "t"],
    &["check", "--update", "--json", "l", "t"],
    &["check", "--audit", "--json", "l", "l", "t"],
];

/// Whether a good verdict stands in the output, of the whole and not of a file.
fn is_good(text: &str) -> bool {
    text.lines().any(|line| line.contains("\"verdict\":\"verified\""))
}

#[test]
fn a_good_verdict_has_a_good_exit_in_every_command() {
    let mut wrong = Vec::new();
    for fact in FACTS {
        for notation in [Notation::Sums, Notation::Json] {
            for arguments in COMMANDS {
                let Some(room) = room_of(fact, notation) else { continue };
                let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(*arguments).directory(room.path());
                let seen = trial.run().unwrap();
                let text = String::from_utf8_lossy(&seen.stdout).into_owned();
                let is_wrong = is_good(&text) && seen.code != Some(0);
                if is_wrong || !matches!(seen.code, Some(0..=3)) {
                    wrong.push(format!("{}, {arguments:?}: {:?}\n{text}{}", fact.name, seen.code, seen.stderr));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

/// A bag has its facts in its own manifests, and its Payload-Oxum counts what may be read: of a
/// file in whose place something else is, it contradicts.
#[test]
fn a_bag_is_judged_as_a_list_is() {
    let is_of_tree = |fact: &&Fact| fact.stated.is_empty();
    for fact in FACTS.iter().filter(is_of_tree) {
        let room = Room::new();
        for name in FILES {
            room.file(format!("g/data/{}", &name[2..]), format!("file {name}").as_bytes());
        }
        let made = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["bag", "create", "g"]).directory(room.path());
        assert_eq!(made.run().unwrap().code, Some(0));
        change(fact, &room.path().join("g/data"));
        let exit = if fact.name.ends_with("in its place") { 1 } else { fact.exit };
        let (code, verdict, text) = said(&room, &["bag", "validate", "g"]);
        assert_eq!((code, verdict == "verified"), (exit, exit == 0), "{}: {text}", fact.name);
    }
}

/// Lists without a record give no good verdict either.
#[test]
fn a_list_that_says_nothing_is_never_verified() {
    for list in ["", "neither\n", "# nothing\n", "{\"type\":\"summary\"}\n", "<rss/>"] {
        for arguments in COMMANDS {
            let room = Room::new();
            room.file("t/a", b"file a");
            fs::write(room.path().join("l"), list).unwrap();
            let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(*arguments).directory(room.path()).run().unwrap();
            let text = String::from_utf8_lossy(&seen.stdout).into_owned();
            assert!(!is_good(&text), "{list:?} {arguments:?}: {text}{}", seen.stderr);
            assert_ne!(seen.code, Some(0), "{list:?} {arguments:?}: {text}{}", seen.stderr);
        }
    }
}
