//! Lists that are signed with PGP, verified by `gpgv` where keys are given.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Trial, lacks};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// Runs GnuPG with the keys of a person, in the room.
fn gpg(room: &Room, person: &str, arguments: &[&str]) -> Vec<u8> {
    let home = room.path().join(person);
    fs::create_dir_all(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let mut command = Command::new("gpg");
    command.env("GNUPGHOME", &home).args(["--batch", "--quiet", "--yes", "--passphrase", ""]);
    let out = command.args(arguments).current_dir(room.path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

fn key_of(room: &Room, person: &str) {
    gpg(room, person, &["--quick-gen-key", &format!("{person} <{person}@example.org>"), "ed25519", "sign", "never"]);
}

#[test]
fn a_signature_is_verified_by_the_keys_that_are_given() {
    if lacks(&[Need::Program("gpg"), Need::Program("gpgv")]) {
        return;
    }
    let room = Room::new();
    room.file("t/a", b"abc");
    room.file("l", b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n");
    ["one", "other"].iter().for_each(|person| key_of(&room, person));
    fs::write(room.path().join("one.asc"), gpg(&room, "one", &["--armor", "--export"])).unwrap();
    fs::write(room.path().join("one.gpg"), gpg(&room, "one", &["--export"])).unwrap();
    fs::write(room.path().join("other.gpg"), gpg(&room, "other", &["--export"])).unwrap();
    gpg(&room, "one", &["--clearsign", "-o", "clear", "l"]);
    gpg(&room, "one", &["--detach-sign", "-o", "l.sig", "l"]);
    let clear = fs::read_to_string(room.path().join("clear")).unwrap();
    room.file("changed", clear.replace("ba7816bf", "aa7816bf").as_bytes());
    room.file(
        "longer",
        format!("{clear}aa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n").as_bytes(),
    );
    room.file("bare", b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n");
    let cases = [
        ("clear", "one.asc", 0, "signed with PGP by "),
        ("clear", "one.gpg", 0, "signed with PGP by "),
        ("l", "one.asc", 0, "signed with PGP by "),
        // Lines outside of the signature are not read.
        ("longer", "one.asc", 0, "1 file verified"),
        ("changed", "one.asc", 1, "its PGP signature does not hold"),
        ("clear", "other.gpg", 3, "which is not in other.gpg"),
        ("l", "other.gpg", 3, "which is not in other.gpg"),
        ("bare", "one.asc", 3, "it has no PGP signature"),
    ];
    for (list, key, exit, words) in cases {
        for audit in [false, true] {
            let mut arguments = vec!["check", "--no-progress", "--key", key, list, "t"];
            arguments.extend(audit.then_some("--audit"));
            let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(&arguments).directory(room.path()).run().unwrap();
            assert_eq!(seen.code, Some(exit), "{arguments:?}: {}", seen.stderr);
            assert!(seen.stderr.contains(words), "{arguments:?}: {}", seen.stderr);
        }
    }
}

#[test]
fn sets_state_what_guessed_digests_were_taken_for() {
    let room = Room::new();
    room.file("t/a", b"evil");
    let run = |arguments: &[&str]| {
        Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
    };
    for (algorithm, taken) in [("blake3", "sha256"), ("sha3-256", "sha256"), ("ripemd160", "sha1"), ("sha512", "")] {
        let list = run(&["hash", "-q", "-a", algorithm, "t/a"]).stdout;
        // As other programs write it: nothing names the algorithm.
        let text = String::from_utf8_lossy(&list).into_owned();
        let line = text.lines().find(|line| !line.starts_with('#')).unwrap();
        room.file("l", format!("{line}\n").as_bytes());
        let built = run(&["known", "build", "--no-progress", "--force", "--bad", "l", "-o", "s"]);
        assert_eq!(built.code, Some(0), "{}", built.stderr);
        assert_eq!(built.stderr.contains(&format!("taken for {taken},")), !taken.is_empty(), "{}", built.stderr);
        for set in ["l", "s"] {
            let seen = run(&["match", "--no-progress", "-k", set, "--class", "bad", "t/a"]);
            assert_eq!(seen.code, Some(1), "{algorithm}, {set}: {}", seen.stderr);
            let digest = line.split(' ').next().unwrap();
            let seen = run(&["lookup", "-k", set, "--class", "bad", "--digest", digest]);
            assert!(
                String::from_utf8_lossy(&seen.stdout).starts_with("known-bad"),
                "{algorithm}, {set}: {}",
                seen.stderr
            );
        }
        fs::remove_file(room.path().join("s")).unwrap();
    }
}

#[test]
fn columns_are_stated_for_sets_too() {
    let room = Room::new();
    room.file("t/a", b"abc");
    room.file("l", b"x;900150983cd24fb0d6963f7d28e17f72;0cc175b9c0f1b6a831c399e269772661\n");
    let run = |columns: &str| {
        let arguments = ["match", "--no-progress", "-k", "l", "--class", "bad", "--columns", columns, "t/a"];
        Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
    };
    assert_eq!(run("-,md5,-").code, Some(1));
    // The other column holds another file's.
    assert_eq!(run("-,-,md5").code, Some(0));
}
