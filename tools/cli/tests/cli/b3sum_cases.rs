//! The cases of b3sum's own tests/cli_tests.rs, by name, beside the program. How each is counted is
//! in `docs/tests/others.md`.
//!
//! | there | here |
//! |---|---|
//! | hash_one, hash_one_tag, hash_many, hash_many_tag, no_mmap, globbing | [`files_and_standard_input`] |
//! | missing_files | [`a_missing_file_ends_with_another_code`] |
//! | length_and_seek, length_without_value | [`lengths`]; output from an offset is not here |
//! | keyed, derive_key | `keyed.rs` of the jobs |
//! | newline_and_backslash_escaping, invalid_unicode | [`names`] |
//! | check | [`a_list_and_what_becomes_of_its_files`] |
//! | check_invalid_characters | [`names_that_nobody_can_open`] |
//! | hash_one_raw, raw_with_multi_files | bytes in place of digits: not here |
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: &[S], input: &[u8]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).input(input).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn b3sum<S: AsRef<OsStr>>(room: &Room, arguments: &[S]) -> Vec<u8> {
    Command::new("b3sum").args(arguments).current_dir(room.path()).output().unwrap().stdout
}

fn room() -> Option<Room> {
    if lacks(&[Need::Program("b3sum")]) {
        return None;
    }
    let room = Room::new();
    room.file("a", b"a");
    room.file("b", b"b");
    room.file("c/d", b"cd");
    Some(room)
}

#[test]
fn files_and_standard_input() {
    let Some(room) = room() else { return };
    for names in [&["a"][..], &["a", "b", "c/d"]] {
        let ours = pfh(&room, &[&["hash", "--no-progress", "-a", "blake3"], names].concat(), b"");
        assert_eq!((ours.code, &ours.stdout), (Some(0), &b3sum(&room, names)));
    }
    let foo = "04e0bb39f30b1a3feb89f536c93be15055482df748674b00d26e5a75777702e9";
    let seen = pfh(&room, &["hash", "-a", "blake3", "-"], b"foo");
    assert_eq!(text(&seen), format!("{foo}  -\n"));
    let seen = pfh(&room, &["hash", "-a", "blake3", "-f", "bsd", "-"], b"foo");
    assert_eq!(text(&seen), format!("BLAKE3 (-) = {foo}\n"));
}

#[test]
fn a_missing_file_ends_with_another_code() {
    let Some(room) = room() else { return };
    let names = ["a", "missing", "b"];
    let seen = pfh(&room, &[&["hash", "--no-progress", "-a", "blake3"][..], &names].concat(), b"");
    assert_eq!((seen.code, &seen.stdout), (Some(3), &b3sum(&room, &names)));
    assert!(seen.stderr.contains("missing: ") && seen.stderr.contains("No such file or directory"), "{}", seen.stderr);
}

#[test]
fn lengths() {
    let Some(room) = room() else { return };
    for length in ["1", "20", "99", "100"] {
        let seen = pfh(&room, &["hash", "-f", "bsd", "-a", &format!("blake3:{length}"), "a"], b"");
        let theirs = b3sum(&room, &["--no-names", "--length", length, "a"]);
        let theirs = String::from_utf8(theirs).unwrap();
        assert_eq!(text(&seen).rsplit(' ').next(), Some(&*theirs), "{length}");
    }
    assert_eq!(pfh(&room, &["hash", "-a", "blake3:", "a"], b"").code, Some(2));
}

#[test]
fn names() {
    let Some(room) = room() else { return };
    let odd = ["abcdef", "abc\\def", "abc\ndef", "abc\rdef", "abc\r\ndef"];
    for name in odd {
        room.file(name, b"");
    }
    let ours = pfh(&room, &[&["hash", "--no-progress", "-a", "blake3"], &odd[..]].concat(), b"");
    let said = text(&ours);
    for line in ["  abcdef\n", "  abc\\\\def\n", "  abc\\ndef\n", "  abc\\rdef\n", "  abc\\r\\ndef\n"] {
        assert!(said.contains(line), "{line:?} {said}");
    }
    assert_eq!(said.lines().filter(|line| line.starts_with('\\')).count(), 4);
    // A name that is not UTF-8 stays as it is, and is found again.
    room.file(OsStr::from_bytes(b"abc\xffdef"), b"");
    let ours = pfh(&room, &[OsStr::new("hash"), OsStr::new("-ablake3"), OsStr::from_bytes(b"abc\xffdef")], b"");
    assert!(ours.stdout.ends_with(b"  abc\xffdef\n"), "{:?}", ours.stdout);
    assert_eq!(pfh(&room, &["check", "--no-progress", "-"], &ours.stdout).code, Some(0));
}

#[test]
fn a_list_and_what_becomes_of_its_files() {
    let Some(room) = room() else { return };
    let files = ["a", "b", "c/d"];
    let plain = b3sum(&room, &files);
    let tagged = pfh(&room, &[&["hash", "-a", "blake3", "-f", "bsd"], &files[..]].concat(), b"").stdout;
    for list in [plain, tagged] {
        room.file("b", b"b");
        let windows = String::from_utf8(list.clone()).unwrap().replace('\n', "\r\n");
        for form in [&list[..], windows.as_bytes()] {
            let seen = pfh(&room, &["check", "--no-progress", "-"], form);
            assert_eq!((seen.code, &*text(&seen)), (Some(0), "a: OK\nb: OK\nc/d: OK\n"), "{}", seen.stderr);
        }
        room.file("list", &list);
        let seen = pfh(&room, &["check", "--no-progress", "list", "list"], b"");
        assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 6), "{}", seen.stderr);
        room.file("b", b"CORRUPTION");
        let seen = pfh(&room, &["check", "--no-progress", "list"], b"");
        assert_eq!((seen.code, &*text(&seen)), (Some(1), "a: OK\nb: FAILED\nc/d: OK\n"), "{}", seen.stderr);
        std::fs::remove_file(room.path().join("b")).unwrap();
        let seen = pfh(&room, &["check", "--no-progress", "list"], b"");
        assert_eq!((seen.code, &*text(&seen)), (Some(1), "a: OK\nb: FAILED open or read\nc/d: OK\n"));
        let seen = pfh(&room, &["check", "--no-progress", "--quiet", "list"], b"");
        assert_eq!((seen.code, &*text(&seen)), (Some(1), "b: FAILED open or read\n"), "{}", seen.stderr);
    }
}

/// Nothing is verified by them, and no exit code is 0.
#[test]
fn names_that_nobody_can_open() {
    let room = Room::new();
    let zeros = "0".repeat(64);
    for line in [format!("{zeros}  \0"), format!("{zeros}  \u{fffd}"), format!("\\{zeros}  \\a")] {
        let seen = pfh(&room, &["check", "--no-progress", "-"], line.as_bytes());
        assert!(matches!(seen.code, Some(1 | 3)) && !text(&seen).contains("OK"), "{line:?}: {:?}", seen.code);
    }
}
