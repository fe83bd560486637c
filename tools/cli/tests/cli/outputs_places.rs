//! Outputs in places where files cannot be made, or not as usual: the message names the path, the
//! cause and the remedy.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Trial, lacks};
use std::fs;

fn trial(room: &Room, words: &str) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path())
}

#[test]
fn a_directory_that_is_not_there_is_named_with_what_helps() {
    let room = Room::new();
    room.file("a", b"abc");
    for words in [
        "hash a -o none/out",
        "hash a --cache none/out",
        "compare -a ssdeep a --html none/out",
        "report a --html none/out",
        "known build none/out --bad a --no-progress",
        "acquire a --to none/out --no-progress",
        "dups a --script none/out",
    ] {
        let seen = trial(&room, words).run().expect("a run");
        assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
        let why = "none/out: there is no directory none: make it first (mkdir -p)";
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
    }
}

/// A file without a name gets its name by way of `/proc`. In a root without it the file has a
/// hidden name until it is whole.
#[test]
fn a_root_without_proc_gets_its_outputs() {
    if lacks(&[Need::Root, Need::Program("unshare")]) {
        return;
    }
    let room = Room::new();
    room.file("a", b"abc");
    let bare = "umount -l /proc && exec \"$0\" \"$@\"";
    for (words, file, start) in [
        ("hash -q a -o out", "out", &b"ba7816bf"[..]),
        ("hash -q a -o out --force", "out", b"ba7816bf"),
        ("hash -q a -f jsonl -o lines --seal", "lines.seal", b"{"),
    ] {
        let seen = trial(&room, words).under(["unshare", "--mount", "sh", "-c", bare]).run().expect("a run");
        assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""), "{words}");
        assert!(fs::read(room.path().join(file)).expect("the output").starts_with(start), "{words}");
    }
    let names: Vec<_> = fs::read_dir(room.path()).expect("a room").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names.len(), 4, "no hidden name is left: {names:?}");
}
