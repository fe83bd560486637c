//! One cause has one exit code in every command: 3 for input that cannot be read, 2 for a request
//! that makes no sense; neither leaves anything behind.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use std::os::unix::fs::symlink;

fn pfh(room: &Room, line: &str) -> Outcome {
    let words = line.split(' ').filter(|word| !word.is_empty());
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).input("").directory(room.path()).run().unwrap()
}

/// Commands in which `@` stands for a named input.
const INPUTS: &[&str] = &[
    "hash @",
    "hash -r @ -o out",
    "hash f @",
    "hash --files-from @",
    "hash --image @",
    "hash --inside @",
    "hash -n @",
    "match -k list @",
    "match --similar sim @",
    "compare @ f",
    "compare f --against @",
    "dups @",
    "plan @ -o out",
    "plan --files-from @ -o out",
    "list @",
    "report --html out @",
    "export --to timesketch @ -o out",
    "acquire @ --to out",
    "dd if=@ of=out",
    "verify @",
    "check f.sum @",
    "diff @ list",
    "diff list @",
    "bag validate @",
    "tree check @",
    "tree root --as fs-verity @",
    "merge @",
    "run @ --unit 1",
];

/// Commands in which it stands for a set, a list or a key.
const LISTS: &[&str] = &[
    "check @",
    "check --audit @ d",
    "check --audit list @",
    "check --root @ --audit list",
    "match -k @ f",
    "match -k @ -r d -o out",
    "match -k list -k @ f",
    "match --similar @ f",
    "lookup -k @ --digest ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "known info @",
    "known export @ --to hashdeep out",
    "known build out --bad @",
    "known build out --bad list --sets @",
    "hash -a hmac-sha256 --key-file @ f",
    "hash -r d -o out --seal --key @",
    "check --key-file @ list",
    "check --key @ list",
    "verify --key @ --log log f",
    "acquire f --to out --key @",
];

#[test]
fn what_is_not_there_or_cannot_be_read_is_3_everywhere() {
    let room = Room::new();
    room.file("f", b"abc");
    room.file("d/f", b"abc");
    room.file("f.sum", b"900150983cd24fb0d6963f7d28e17f72  f\n");
    symlink("circle", room.path().join("circle")).unwrap();
    assert_eq!(pfh(&room, "hash -r d -o list").code, Some(0));
    assert_eq!(pfh(&room, "hash -a ssdeep -f ssdeep f -o sim").code, Some(0));
    assert_eq!(pfh(&room, "acquire f --to f.img --log log").code, Some(0));
    let before = names(&room);
    let mut wrong = Vec::new();
    // ENOENT, ENOTDIR, ELOOP, and a directory that is not there above it.
    for cause in ["nosuch", "f/nosuch", "circle", "no/such"] {
        for line in INPUTS.iter().chain(LISTS) {
            let line = line.replace('@', cause);
            let seen = pfh(&room, &line);
            if seen.code != Some(3) || seen.stderr.is_empty() {
                wrong.push(format!("{line}: {:?} {}", seen.code, seen.stderr.lines().next().unwrap_or_default()));
            }
            // A plan holds records that its units report later, as one run does.
            let left: Vec<String> = names(&room).into_iter().filter(|name| !before.contains(name)).collect();
            if !(left.is_empty() || line.starts_with("plan ") || line.starts_with("hash -r ")) {
                wrong.push(format!("{line}: left {left:?}"));
            }
            for name in left {
                let path = room.path().join(name);
                let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_makes_no_sense_is_2_everywhere() {
    let room = Room::new();
    room.file("f", b"abc");
    assert_eq!(pfh(&room, "hash f -o list").code, Some(0));
    let before = names(&room);
    for line in [
        "hash -a none f",
        "hash f -o f",
        "hash f -o no/such/out",
        "hash",
        "match f",
        "match -k list f -o list",
        "match -k list --digest xyz f",
        "compare -a none f",
        "compare f -o f",
        "dups f --script f",
        "plan f -o f",
        "check list --key f",
        "diff f",
        "acquire f --to f",
        "verify f --digest none",
        "known build out",
        "known build list --bad list",
        "hash --seal --key f -o out f",
        "hash --include [ f",
    ] {
        let seen = pfh(&room, line);
        assert_eq!(seen.code, Some(2), "{line}: {}", seen.stderr);
        assert_eq!(names(&room), before, "{line}");
    }
}

/// An input that is empty, or of another kind, gives nothing to compare with: never 0, and no
/// output is begun.
#[test]
fn what_is_empty_or_of_another_kind_is_3() {
    let room = Room::new();
    room.file("f", b"abc");
    room.file("empty", b"");
    room.file("noise", &[0xfe; 4000]);
    let mut wrong = Vec::new();
    for cause in ["empty", "noise"] {
        for line in [
            "check @",
            "check --audit @ .",
            "match -k @ f",
            "match --similar @ f",
            "diff @ f",
            "lookup -k @ --digest ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "known info @",
            "report --html out @",
            "export --to timesketch @ -o out",
            "list @",
        ] {
            let line = line.replace('@', cause);
            let seen = pfh(&room, &line);
            let _ = std::fs::remove_file(room.path().join("out"));
            if seen.code != Some(3) || seen.stderr.is_empty() {
                wrong.push(format!("{line}: {:?} {}", seen.code, seen.stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn names(room: &Room) -> Vec<String> {
    let entries = std::fs::read_dir(room.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
