//! The words for lists without a class, for skips, and for many faults.
#![cfg(unix)]

use crate::program;
use std::fs;
use std::path::Path;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn matched(list: &Path, more: &[&str], file: &Path) -> Outcome {
    pfh(["match", "--no-progress", "-k"]).arg(list).args(more.iter().copied()).arg(file).run().unwrap()
}

#[test]
fn a_list_without_a_class_is_said_and_a_bad_one_prints_hits() {
    let room = Room::new();
    for name in ["evil", "other"] {
        room.file(format!("tree/{name}"), name.as_bytes());
    }
    let tree = room.path().join("tree");
    let list = room.file("malware.txt", (program::sha256(b"evil") + "\n").as_bytes());
    let seen = matched(&list, &["-r"], &tree);
    assert_eq!(seen.code, Some(0));
    assert!(seen.stderr.contains("a list of no class") && seen.stderr.contains("--class bad"), "{}", seen.stderr);
    let seen = matched(&list, &["-r", "--class", "bad"], &tree);
    assert_eq!((seen.code, text(&seen).lines().count()), (Some(1), 1), "{}", text(&seen));
    assert!(text(&seen).starts_with("known-bad ") && text(&seen).contains("malware: bad"), "{}", text(&seen));
    assert!(seen.stderr.contains("1 unknown") && !seen.stderr.contains("no class"), "{}", seen.stderr);
    // Output for machines stays whole.
    let seen = matched(&list, &["-r", "--class", "bad", "-f", "jsonl"], &tree);
    assert_eq!(text(&seen).lines().count(), 3, "{}", text(&seen));
    let seen = matched(&list, &["-r", "--class", "bad", "--only", "unknown"], &tree);
    assert!(text(&seen).starts_with("unknown ") && text(&seen).lines().count() == 1, "{}", text(&seen));
}

#[test]
fn a_skip_is_reported_once_and_a_missing_directory_is_not_made() {
    let room = Room::new();
    room.file("tree/a", b"a");
    std::os::unix::fs::symlink("a", room.path().join("tree/link")).unwrap();
    let list = room.file("l", (program::sha256(b"a") + "\n").as_bytes());
    let seen = matched(&list, &["-r"], &room.path().join("tree"));
    assert_eq!(
        (text(&seen).matches("tree/link").count(), seen.stderr.matches("tree/link").count()),
        (1, 0),
        "{}",
        seen.stderr
    );
    assert!(seen.stderr.contains("1 skipped"), "{}", seen.stderr);
    let out = room.path().join("not/there/known");
    let seen = pfh(["known", "build"]).arg(&out).arg("--good").arg(&list).run().unwrap();
    assert_eq!((seen.code, fs::exists(room.path().join("not")).unwrap()), (Some(2), false), "{}", seen.stderr);
}

/// A thousand faults are not a thousand sentences.
#[test]
fn many_faults_are_few_sentences() {
    let room = Room::new();
    let file = room.file("a", b"a");
    let digest = program::digest_by("md5sum", b"a");
    let list = room.file("many", format!("{digest}\n{}", "hello\n".repeat(1000)).as_bytes());
    let seen = matched(&list, &[], &file);
    // The ten that are named are among them.
    let said = (seen.code, seen.stderr.contains("read in part: 1000 places"), seen.stderr.lines().count() < 20);
    assert_eq!(said, (Some(3), true, true), "{}", seen.stderr);
    let empty = room.file("empty", b"");
    let seen = matched(&empty, &[], &file);
    assert!(seen.code == Some(3) && seen.stderr.contains("holds no digest"), "{}", seen.stderr);
}
