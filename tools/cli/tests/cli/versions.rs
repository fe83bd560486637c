//! Files that a former release wrote (`vectors/versions`): this one reads them, continues runs that
//! were killed half-way, and brings kept files to date.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::program::Room;
use crate::program::trees::{pfh, text};
use pfh_inject::Outcome;

/// The releases whose files are kept.
const RELEASES: [&str; 1] = ["0.1.0"];

/// The files of a release, and the medium that it acquired.
fn unpacked(release: &str) -> Room {
    let room = Room::new();
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../vectors/versions/{release}.tar.gz"));
    let tar = Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(room.path()).status().unwrap();
    assert!(tar.success());
    let number = |n: u64| format!("{:032}", n * 2_654_435_761 % 1_000_000_007);
    room.file("medium", (1..=10_000).map(number).collect::<String>().as_bytes());
    room
}

/// For each release, in a room of its own.
fn each(test: impl Fn(&Room)) {
    for release in RELEASES {
        let room = unpacked(release);
        let version = std::fs::read_to_string(room.path().join("version")).unwrap();
        assert!(version.contains(release), "{version}");
        test(&room);
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// A line that ends well, with or without a word.
fn run(room: &Room, line: &str) -> Outcome {
    let seen = pfh(room, words(line));
    assert_eq!(seen.code, Some(0), "{line}: {seen:?}");
    seen
}

fn read(room: &Room, name: &str) -> Vec<u8> {
    std::fs::read(room.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn lists_and_seals_are_verified_and_brought_to_date() {
    each(|room| {
        for list in ["list.sums", "list.bsd", "list.hashdeep", "list.csv", "list.dfxml", "list.jsonl", "sealed.sums"] {
            let seen = text(&run(room, &format!("check {list}")));
            assert_eq!(seen.lines().count(), 4, "{list}: {seen}");
        }
        room.file("e/a", b"abd");
        for list in ["list.sums", "list.jsonl", "sealed.sums"] {
            let seen = pfh(room, ["check", "-q", list]);
            assert_eq!((seen.code, &*text(&seen)), (Some(1), "e/a: FAILED\n"), "{list}: {seen:?}");
        }
        // A seal of before stands for its list alone.
        let sealed = String::from_utf8(read(room, "sealed.sums")).unwrap();
        room.file("sealed.sums", sealed.replace("e/a", "e/b").as_bytes());
        let seen = pfh(room, ["check", "sealed.sums"]);
        assert!(seen.code == Some(1) && seen.stderr.contains("seal"), "{seen:?}");
        run(room, "hash -r --update list.jsonl e");
        run(room, "check -q list.jsonl");
    });
}

#[test]
fn sets_indexes_and_caches_answer() {
    each(|room| {
        let seen = text(&run(room, "match -r -k set.pfhknown e"));
        let known: Vec<&str> = seen.lines().filter(|line| line.starts_with("known-good")).collect();
        assert!(known.len() == 2 && known[0].contains("e/a") && known[1].contains("e/sub/numbers"), "{seen}");
        for index in ["ssdeep.index", "shingles.index"] {
            let seen = text(&run(room, &format!("match --similar {index} e/sub/text")));
            assert!(seen.contains("e/sub/text"), "{index}: {seen}");
        }
        // The files have other inodes here: what the cache says of others is not believed, and its
        // file is continued.
        let fresh = text(&run(room, "hash -q -r -a sha256 e"));
        for _ in 0..2 {
            assert_eq!(text(&run(room, "hash -q -r -a sha256 --cache cache e")), fresh);
        }
    });
}

#[test]
fn a_plan_is_carried_out_to_its_end() {
    each(|room| {
        let expected = text(&run(room, "hash -q -r -a sha256 e"));
        let units = std::fs::read_dir(room.path().join("plan/units")).unwrap().count();
        for unit in 1..=units {
            // It was made in another directory.
            run(room, &format!("run plan --unit {unit} --base {}", room.path().display()));
        }
        assert_eq!(text(&run(room, "merge plan")), expected);
    });
}

#[test]
fn trees_find_changes_and_are_continued() {
    each(|room| {
        run(room, "tree check medium");
        run(room, "tree check e --outboard catalogue.pfhtree");
        run(room, "tree check medium --outboard keyed.pfhtree --key-file key");
        let mut medium = read(room, "medium");
        medium[200_000] ^= 1;
        room.file("medium", &medium);
        room.file("e/a", b"abd");
        for line in [
            "tree check medium",
            "tree check e --outboard catalogue.pfhtree",
            "tree check medium --outboard keyed.pfhtree --key-file key",
        ] {
            let seen = pfh(room, words(line));
            assert_eq!(seen.code, Some(1), "{line}: {seen:?}");
        }
        run(room, "tree update medium --range 200000:1");
        run(room, "tree check medium");
        run(room, "tree update medium --range 200000:1 --outboard keyed.pfhtree --key-file key");
        run(room, "tree check medium --outboard keyed.pfhtree --key-file key");
        run(room, "tree update e --outboard catalogue.pfhtree");
        run(room, "tree check e --outboard catalogue.pfhtree");
    });
}

#[test]
fn an_audit_that_was_begun_is_ended() {
    each(|room| {
        run(room, "audit verify kept asked answer");
        let mut answer = read(room, "answer");
        let middle = answer.len() / 2;
        answer[middle] ^= 1;
        room.file("answer", &answer);
        let seen = pfh(room, ["audit", "verify", "kept", "asked", "answer"]);
        assert_eq!(seen.code, Some(1), "{seen:?}");
    });
}

#[test]
fn what_was_killed_half_way_is_continued() {
    each(|room| {
        let medium = read(room, "medium");
        assert!(read(room, "half.raw").len() < medium.len(), "it was killed in the middle");
        run(room, "acquire medium --to half.raw -a sha256 --block 16KiB");
        assert_eq!(read(room, "half.raw"), medium);
        run(room, "verify half.raw");
        room.file("part0", &medium[..200_000]);
        room.file("part1", &medium[200_000..]);
        run(room, "tree receive -o received 0=part0 200000=part1");
        assert_eq!(read(room, "received"), medium);
        assert_eq!(read(room, "received.pfhtree"), read(room, "medium.pfhtree"));
        assert!(!room.path().join("received.receipt").exists());
    });
}
