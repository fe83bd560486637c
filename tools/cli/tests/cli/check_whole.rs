//! The words of `pfh check` on names that it could not compare, and its exit.
#![cfg(unix)]

use crate::program;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

fn check(room: &Room, more: &[&str]) -> Outcome {
    pfh(room, [&["check", "--no-progress"], more].concat())
}

fn tree() -> Room {
    let room = Room::new();
    for n in 0..6 {
        room.file(format!("d/{n}"), format!("content {n}").as_bytes());
    }
    room.file("d/sub/deep", b"deep");
    room
}

/// The manifest of `d` in a format that promises an end.
fn manifest(room: &Room, algorithm: &str, format: &str) -> Vec<u8> {
    let seen = pfh(room, ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen.stdout
}

#[test]
fn an_interrupted_run_says_what_is_true() {
    let room = tree();
    let fifo = room.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // It waits for the pipe's writer until the signal comes.
    let script = format!(
        "sleep 600 > fifo & p=$!; {} hash --special -o m d/0 fifo & sleep 2; kill -INT $!; wait $!; code=$?; kill $p; exit $code",
        env!("CARGO_BIN_EXE_pfh")
    );
    let output = Command::new("bash").args(["-mc", &script]).current_dir(room.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: no file was written") && !said.contains("records are out"), "{said}");
    assert!(!room.path().join("m").exists());
}

#[test]
fn a_terminal_gets_nothing_raw() {
    if lacks(&[Need::Program("script")]) {
        return;
    }
    let room = Room::new();
    room.file("d/\u{1b}[31mred\u{202e}", b"x");
    for format in ["sums", "bsd", "hashdeep", "csv"] {
        let command = format!("{} hash --no-progress -r -a md5 -f {format} d", env!("CARGO_BIN_EXE_pfh"));
        let output =
            Command::new("script").args(["-qec", &command, "/dev/null"]).current_dir(room.path()).output().unwrap();
        let seen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!seen.contains('\u{1b}') && !seen.contains('\u{202e}'), "{format}: {seen:?}");
        assert!(seen.contains("\\x1b[31mred\\u{202e}"), "{format}: {seen:?}");
    }
    // Into a file it goes as it is.
    assert!(text(&pfh(&room, ["hash", "-r", "d"])).contains('\u{1b}'));
}

#[test]
fn what_was_not_compared_is_in_the_words_and_in_the_exit() {
    let room = tree();
    let right = program::sha256(b"content 0");
    room.file("list", format!("SHA256 (d/0) = {right}\nSNEFRU-256 (d/1) = {right}\n").as_bytes());
    let seen = check(&room, &["list"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(3), "d/0: OK\n"), "{}", seen.stderr);
    for words in ["1 line of SNEFRU-256 not verified", "1 file verified against list: sha256; not all"] {
        assert!(seen.stderr.contains(words), "{}", seen.stderr);
    }
    assert_eq!(check(&room, &["--lenient", "list"]).code, Some(0));
    assert!(check(&room, &["--status", "list"]).stderr.is_empty());
    // A document that breaks off has no verdict.
    let whole = manifest(&room, "sha256", "dfxml");
    room.file("m", &whole[..whole.len() / 2]);
    assert_eq!(check(&room, &["--quiet", "m"]).code, Some(4));
    room.file("empty", b"");
    for (arguments, code, word) in [
        (&["empty"][..], 3, "nothing to compare with"),
        (&["--audit", "empty"], 3, "nothing to compare with"),
        (&["--ignore-missing", "list", "d/sub"], 3, "nothing to compare with"),
        (&["nosuch"], 3, "nosuch: open: No such file or directory (ENOENT)"),
        (&["d"], 2, "d is a directory: give the manifest first"),
    ] {
        let seen = check(&room, arguments);
        assert!(seen.code == Some(code) && seen.stderr.contains(word), "{arguments:?}: {seen:?}");
    }
}

/// From the working directory, by relative names of it.
#[test]
fn an_audit_finds_its_base_by_relative_names() {
    let room = tree();
    room.file("relative", &manifest(&room, "sha256", "jsonl"));
    let inside = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-r", "-f", "jsonl", "."]);
    room.file("inside", &inside.directory(room.path().join("d")).run().unwrap().stdout);
    let more = [manifest(&room, "sha256", "sums"), format!("{}  e/x\n", program::sha256(b"x")).into_bytes()];
    room.file("more", &more.concat());
    assert!(Command::new("cp").args(["-a", "d", "copy"]).current_dir(room.path()).status().unwrap().success());
    for (arguments, code, words) in [
        (&["relative"][..], 1, ""),
        (&["relative", "d"], 0, "7 files verified"),
        (&["relative", "copy"], 0, "7 files verified"),
        (&["relative", "d/"], 0, "7 files verified"),
        (&["inside", "d"], 0, "7 files verified"),
        (&["--below", "sub", "relative", "d"], 0, "6 outside of the audited part"),
        (&["--below", "d/sub", "relative"], 0, "6 outside of the audited part"),
        (&["more", "d"], 3, "1 could not be looked at"),
    ] {
        let seen = check(&room, &[&["--audit"], arguments].concat());
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}{}", text(&seen), seen.stderr);
        assert!(seen.stderr.contains(words), "{arguments:?}: {}", seen.stderr);
    }
}

/// A directory that nobody may read is not one without files.
#[test]
fn missing_is_not_said_of_a_directory_that_cannot_be_read() {
    if lacks(&[Need::Program("setpriv")]) {
        return;
    }
    let room = tree();
    room.file("m", &manifest(&room, "sha256", "jsonl"));
    fs::set_permissions(room.path().join("d/sub"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(room.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let pfh = [env!("CARGO_BIN_EXE_pfh"), "check", "--audit", "-f", "jsonl", "--all", "m", "d"];
    let arguments = [&["--reuid=65534", "--clear-groups"], &pfh[..]].concat();
    let output = Command::new("setpriv").args(arguments).current_dir(room.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("\"class\":\"unverified\"") && !said.contains("\"class\":\"missing\""), "{said}");
}
