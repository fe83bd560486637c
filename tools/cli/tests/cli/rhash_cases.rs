//! The cases of RHash's own tests/test_rhash.sh, by number, beside the program. How each is counted
//! is in `docs/tests/others.md`.
//!
//! | there | here |
//! |---|---|
//! | 1 to 4, 6, 11 | [`digests_of_every_algorithm`] |
//! | 5, 19, 20, 26 | [`lists_with_the_checksum_in_front`] |
//! | 9, 12, 15 | [`lines_of_every_form`], `check_others.rs` and `known_dialects.rs` of the jobs |
//! | 13, 14 | [`links`] |
//! | 16 | [`digests_without_a_name`] |
//! | 18 | [`lists_in_other_directories`] |
//! | 10, 21, 23, 24 | `check.rs`, `outputs.rs`, `hash_check.rs`: files from a list, audits, `--include`, own outputs |
//! | 7, 8, 17, 22, 25 | templates, CRCs in names, lists brought up to date, torrents: not here |

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::Command;

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn rhash(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("rhash").args(line.split(' ')).current_dir(room.path()).output().unwrap();
    assert!(output.status.success(), "rhash {line}: {output:?}");
    output.stdout
}

fn missing() -> bool {
    lacks(&[Need::Program("rhash")])
}

fn room() -> Room {
    let room = Room::new();
    let pattern: Vec<u8> = (0..=255).cycle().take(1024).collect();
    room.file("data", &pattern);
    room.file("empty", b"");
    room
}

/// `check` of the list has this exit code, and another one after the file has changed.
#[track_caller]
fn verifies(room: &Room, list: &str, code: i32) {
    let seen = pfh(room, &format!("check --no-progress {list}"));
    assert_eq!((seen.code, &*text(&seen)), (Some(code), "data: OK\n"), "{list}: {}", seen.stderr);
    let before = std::fs::read(room.path().join("data")).unwrap();
    room.file("data", b"something else");
    let seen = pfh(room, &format!("check --no-progress {list}"));
    assert_eq!((seen.code, &*text(&seen)), (Some(1), "data: FAILED\n"), "{list}: {}", seen.stderr);
    room.file("data", &before);
}

#[test]
fn digests_of_every_algorithm() {
    if missing() {
        return;
    }
    let room = room();
    for (ours, theirs) in [
        ("crc32", "crc32"),
        ("crc32c", "crc32c"),
        ("md4", "md4"),
        ("md5", "md5"),
        ("sha1", "sha1"),
        ("tiger", "tiger"),
        ("tth", "tth"),
        ("ed2k", "ed2k"),
        ("aich", "aich"),
        ("whirlpool", "whirlpool"),
        ("ripemd160", "ripemd160"),
        ("gost94", "gost94"),
        ("gost94-cryptopro", "gost94-cryptopro"),
        ("streebog-256", "gost12-256"),
        ("streebog-512", "gost12-512"),
        ("sha512", "sha512"),
        ("sha3-256", "sha3-256"),
    ] {
        for name in ["data", "empty"] {
            // In hexadecimal, whatever the algorithm's own habit is.
            let expected = rhash(&room, &format!("--{theirs} --hex --simple {name}"));
            let expected = String::from_utf8(expected).unwrap().split_whitespace().next().unwrap().to_owned();
            let expected = if expected == name { String::new() } else { expected };
            let seen = text(&pfh(&room, &format!("hash --no-progress -f jsonl -a {ours} {name}")));
            assert!(!expected.is_empty() && seen.contains(&format!(":\"{expected}\"")), "{ours}: {expected} {seen}");
        }
    }
}

#[test]
fn lines_of_every_form() {
    if missing() {
        return;
    }
    let room = room();
    for form in ["--simple --sha256", "--simple --md5", "--bsd --sha1 --tth", "--sfv --crc32", "--simple -M -H"] {
        room.file("list", &rhash(&room, &format!("{form} data")));
        verifies(&room, "list", 0);
    }
    // A name behind an asterisk.
    let sum = String::from_utf8(rhash(&room, "--simple --crc32 data")).unwrap().replace("  ", " *");
    room.file("list.crc32", sum.as_bytes());
    verifies(&room, "list.crc32", 0);
    // Algorithms that are not here (BTIH, HAS-160, EDON-R, Snefru) are named, and in the exit code.
    room.file("list", &rhash(&room, "--bsd -a data"));
    verifies(&room, "list", 3);
}

#[test]
fn links() {
    if missing() {
        return;
    }
    let room = room();
    room.file("list", &rhash(&room, "-L data"));
    verifies(&room, "list", 0);
    room.file("list", &rhash(&room, "--magnet --crc32c data"));
    verifies(&room, "list", 0);
    room.file("list", &rhash(&room, "--magnet data"));
    verifies(&room, "list", 0);
    let seen = pfh(&room, "match --no-progress --only known -k list data empty");
    assert!(text(&seen).contains("data") && !text(&seen).contains("empty"), "{} {}", text(&seen), seen.stderr);
    // Names in their escapes.
    room.file("a b&(c)", b"a");
    let output = Command::new("rhash").args(["-L", "a b&(c)"]).current_dir(room.path()).output().unwrap();
    room.file("list", &output.stdout);
    let seen = pfh(&room, "check --no-progress list");
    assert_eq!((seen.code, &*text(&seen)), (Some(0), "a b&(c): OK\n"), "{}", seen.stderr);
    room.file("list", &rhash(&room, "--magnet -a data"));
    verifies(&room, "list", 3);
}

#[test]
fn digests_without_a_name() {
    if missing() {
        return;
    }
    let room = room();
    let all = ["-p", "%c\n%m\n%e\n%h\n%g\n%t\n%a\n", "data"];
    let digests = Command::new("rhash").args(all).current_dir(room.path()).output().unwrap().stdout;
    room.file("data.sum", &digests);
    verifies(&room, "data.sum", 0);
    // Of another content: none of them is right.
    let output = Command::new("rhash").args(["-p", "%c\n%m\n%h\n%t\n", "-m", "WRONG"]).output().unwrap();
    room.file("data.sum", &output.stdout);
    let seen = pfh(&room, "check --no-progress data.sum");
    assert_eq!((seen.code, &*text(&seen)), (Some(1), "data: FAILED\n"), "{}", seen.stderr);
    // One right and one wrong are wrong; of a file that is not there nothing is said.
    let mixed = [&digests[..9], &output.stdout[9..]].concat();
    room.file("data.sum", &mixed);
    assert_eq!(pfh(&room, "check --no-progress data.sum").code, Some(1));
    room.file("none.sum", &digests);
    assert_eq!(pfh(&room, "check --no-progress none.sum").code, Some(3));
}

#[test]
fn lists_with_the_checksum_in_front() {
    let room = room();
    room.file("a.sfv", b"00000000 none\n00000000 empty\n");
    let seen = pfh(&room, "check --no-progress a.sfv");
    assert_eq!((seen.code, &*text(&seen)), (Some(1), "none: FAILED open or read\nempty: OK\n"), "{}", seen.stderr);
    let seen = pfh(&room, "check --no-progress --ignore-missing a.sfv");
    assert_eq!((seen.code, &*text(&seen)), (Some(0), "empty: OK\n"), "{}", seen.stderr);
    for line in ["00000000 *empty\n", "00000000  empty\n", "00000000\tempty\n", "; a comment\nempty 00000000\n"] {
        room.file("a.sfv", line.as_bytes());
        assert_eq!(text(&pfh(&room, "check --no-progress a.sfv")), "empty: OK\n", "{line:?}");
    }
    room.file("a.sfv", b"00000001 empty\n");
    assert_eq!(pfh(&room, "check --no-progress a.sfv").code, Some(1));
}

#[test]
fn lists_in_other_directories() {
    let room = room();
    room.file("check/a/b.data", b"");
    room.file("check/b.sfv", b"a/b.data 00000000\n");
    room.file("check/a/b.data.crc32", b"00000000\n");
    room.file("check/t.sfv", b"empty 00000000\n");
    let seen = pfh(&room, "check --no-progress check/b.sfv check/a/b.data.crc32 check/t.sfv");
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 3), "{} {}", text(&seen), seen.stderr);
}
