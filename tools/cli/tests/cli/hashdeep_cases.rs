//! The cases of hashdeep's own tests/tests.sh beside the programs that they are of. They ask for
//! the same and are written differently, so lines are compared in the form that says least.
//! Digests, pieces, matches and lists need no program of ours: they are in `hash_peers.rs` and
//! `match_peers.rs` of the jobs, with their table; here are the command lines.
//!
//! | tests.sh | there | here |
//! |---|---|---|
//! | 4, 13 | `-b`, `-k`: bare names, asterisks | [`bare_names_and_asterisks`] |
//! | 10 | `-n`: known files that are not there | `check_audit.rs` of the jobs |
//! | 18 to 20 | a list with a line that is none, a directory without `-r` | [`a_line_that_is_none_and_a_directory`] |
//! | 21, 41 | `/dev/null` | [`devices`] |
//! | 39, 40 | `hashdeep -a`, `-v` | [`audits`], and `check.rs` |
//! | 42 to 45 | standard input | [`standard_input`] |
#![cfg(unix)]

use std::process::{Command, Stdio};

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};

fn pfh<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

/// The output of one of the deep programs, with `input` at its standard input; relative names.
fn deep(room: &Room, program: &str, arguments: &[&str], input: &str) -> String {
    deep_as_is(room, program, &[&["-l"], arguments].concat(), input)
}

fn deep_as_is(room: &Room, program: &str, arguments: &[&str], input: &str) -> String {
    use std::io::Write;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(room.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn missing() -> bool {
    lacks(&["md5deep", "sha1deep", "sha256deep", "hashdeep"].map(Need::Program))
}

/// The lines of a text in order; hashdeep's comments aside.
fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().filter(|line| !line.starts_with(['%', '#'])).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Some files in `d`.
fn tree() -> Room {
    let room = Room::new();
    // Its MD5 begins with deadbeef.
    room.file("d/deadbeef.txt", b"10259750338\n");
    room.file("d/empty", b"");
    room.file("d/s/comma,name", b"comma");
    room
}

#[test]
fn bare_names_and_asterisks() {
    if missing() {
        return;
    }
    let room = tree();
    let theirs = deep_as_is(&room, "md5deep", &["-b", "d/deadbeef.txt"], "");
    let ours = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "-a", "md5", "deadbeef.txt"])
        .directory(room.path().join("d"))
        .run()
        .unwrap();
    assert_eq!(text(&ours), theirs);
    let theirs = deep(&room, "md5deep", &["-k", "d/deadbeef.txt"], "");
    assert_eq!(text(&pfh(&room, ["hash", "-a", "md5", "--binary", "d/deadbeef.txt"])), theirs);
    assert!(theirs.starts_with("deadbeef") && theirs.contains(" *d/"), "{theirs}");
}

#[test]
fn a_line_that_is_none_and_a_directory() {
    let room = tree();
    room.file("list", b"07ff3b8f4f2990192b595ca148d284bd  ChangeLog\nhello world!\n");
    // The line is reported, the directory is an error: neither is passed over in silence, and there
    // is not an option that would.
    let seen = pfh(&room, ["match", "--no-progress", "-k", "list", "d"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("list:2: ") && text(&seen).contains("is a directory"), "{}", seen.stderr);
}

#[test]
fn devices() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, options) in [("md5deep", &["-a", "md5"][..]), ("hashdeep", &["-a", "md5,sha256", "-f", "hashdeep"])] {
        let seen = pfh(&room, [&["hash", "--special"], options, &["/dev/null"]].concat());
        assert_eq!((seen.code, sorted(&text(&seen))), (Some(0), sorted(&deep(&room, program, &["/dev/null"], ""))));
    }
    // Nobody reads a device by accident.
    assert_eq!(pfh(&room, ["hash", "/dev/null"]).code, Some(3));
}

#[test]
fn audits() {
    if missing() {
        return;
    }
    let room = tree();
    let manifest = deep(&room, "hashdeep", &["-r", "d"], "");
    room.file("list", manifest.as_bytes());
    for verbose in [&[][..], &["-v"]] {
        let theirs = deep(&room, "hashdeep", &[verbose, &["-r", "-a", "-k", "list", "d"]].concat(), "");
        assert!(theirs.starts_with("hashdeep: Audit passed"), "{theirs}");
    }
    let seen = pfh(&room, ["check", "--no-progress", "--audit", "-f", "hashdeep", "--below", "d", "list"]);
    assert!(seen.code == Some(0) && text(&seen).starts_with("hashdeep: Audit passed"), "{}", text(&seen));
    assert!(text(&seen).contains("Files matched: 3"), "{}", text(&seen));
}

#[test]
fn standard_input() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, algorithm) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256")] {
        let seen =
            Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-a", algorithm, "-"]).input("README.txt\n").run();
        let ours = text(&seen.unwrap());
        let theirs = deep(&room, program, &[], "README.txt\n");
        assert_eq!(ours.split_whitespace().next(), theirs.split_whitespace().next(), "{program}");
    }
    let arguments = ["hash", "-a", "md5,sha256", "-f", "hashdeep", "-"];
    let ours = text(&Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).input("README.txt\n").run().unwrap());
    let theirs = deep(&room, "hashdeep", &[], "README.txt\n").replace(",stdin\n", ",-\n");
    assert_eq!(sorted(&ours), sorted(&theirs));
}
