//! Lists of RHash: the cases of its own tests/test_rhash.sh, by number.
//!
//! | there | here |
//! |---|---|
//! | 1 to 4, 6, 11 | `hash_peers.rs`: digests of every algorithm |
//! | 5, 19, 20, 26 | [`lists_with_the_checksum_in_front`] |
//! | 9, 12, 15 | [`lines_of_every_form`], `check_others.rs`, `known_dialects.rs` |
//! | 13, 14 | [`links`] |
//! | 16 | [`digests_without_a_name`] |
//! | 18 | [`lists_in_other_directories`] |

use crate::check::{Ended, of};
use crate::room::Room;
use crate::rows::printed;
use pfh::check::{FileOutcome, Request, Task, Verdict};
use pfh_inject::{Need, lacks};

fn missing() -> bool {
    lacks(&[Need::Program("rhash")])
}

fn room() -> Room {
    let room = Room::new();
    room.file("data", &(0..=255).cycle().take(1024).collect::<Vec<u8>>());
    room.file("empty", "");
    room
}

/// The list has this conclusion, and another one after the file has changed.
#[track_caller]
fn verifies(room: &Room, list: &str, conclusion: Verdict) {
    let ended = of(room, list);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (conclusion, vec!["data"]), "{list}");
    let before = std::fs::read(room.at("data")).unwrap();
    room.file("data", "something else");
    let ended = of(room, list);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong)), (Verdict::Differs, vec!["data"]), "{list}");
    room.file("data", &before);
}

#[test]
fn lines_of_every_form() {
    if missing() {
        return;
    }
    let room = room();
    for form in ["--simple --sha256", "--simple --md5", "--bsd --sha1 --tth", "--sfv --crc32", "--simple -M -H"] {
        room.file("list", &printed(&room, &format!("rhash {form} data")));
        verifies(&room, "list", Verdict::Verified);
    }
    // A name behind an asterisk.
    let sum = String::from_utf8(printed(&room, "rhash --simple --crc32 data")).unwrap().replace("  ", " *");
    room.file("list.crc32", &sum);
    verifies(&room, "list.crc32", Verdict::Verified);
    // Algorithms that are not here (BTIH, HAS-160, EDON-R, Snefru) are named, and in the verdict.
    room.file("list", &printed(&room, "rhash --bsd -a data"));
    verifies(&room, "list", Verdict::Incomplete);
}

#[test]
fn links() {
    if missing() {
        return;
    }
    let room = room();
    for form in ["-L", "--magnet --crc32c", "--magnet"] {
        room.file("list", &printed(&room, &format!("rhash {form} data")));
        verifies(&room, "list", Verdict::Verified);
    }
    #[cfg(feature = "known")]
    {
        let answered =
            crate::known_files::Answered::of(&crate::known_files::against(&room, &["list"], &["data", "empty"]));
        assert_eq!(
            (answered.names("known"), answered.names("unknown")),
            (vec!["data"], vec!["empty"]),
            "{:?}",
            answered.gaps
        );
    }
    // Names in their escapes.
    room.file("a b&(c)", "a");
    room.file("list", &printed(&room, "rhash -L 'a b&(c)'"));
    let ended = of(&room, "list");
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["a b&(c)"]));
    room.file("list", &printed(&room, "rhash --magnet -a data"));
    verifies(&room, "list", Verdict::Incomplete);
}

#[test]
fn digests_without_a_name() {
    if missing() {
        return;
    }
    let room = room();
    let digests = printed(&room, r"rhash -p '%c\n%m\n%e\n%h\n%g\n%t\n%a\n' data");
    room.file("data.sum", &digests);
    verifies(&room, "data.sum", Verdict::Verified);
    // Of another content: none of them is right.
    let others = printed(&room, r"rhash -p '%c\n%m\n%h\n%t\n' -m WRONG");
    room.file("data.sum", &others);
    let ended = of(&room, "data.sum");
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong)), (Verdict::Differs, vec!["data"]));
    // One right and one wrong are wrong; of a file that is not there nothing is said.
    room.file("data.sum", &[&digests[..9], &others[9..]].concat());
    assert_eq!(of(&room, "data.sum").conclusion(), Verdict::Differs);
    room.file("none.sum", &digests);
    assert_eq!(of(&room, "none.sum").conclusion(), Verdict::NothingToCompareWith);
}

#[test]
fn lists_with_the_checksum_in_front() {
    let room = room();
    room.file("a.sfv", "00000000 none\n00000000 empty\n");
    let request = Request::new(room.at("a.sfv")).root(room.path());
    let ended = Ended::of(&request);
    let found = (ended.conclusion(), ended.names(FileOutcome::Missing), ended.names(FileOutcome::Right));
    assert_eq!(found, (Verdict::Differs, vec!["none"], vec!["empty"]));
    let ended = Ended::of(&request.task(Task::Files { allow_outside: false, ignore_missing: true }));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["empty"]));
    for line in ["00000000 *empty\n", "00000000  empty\n", "00000000\tempty\n", "; a comment\nempty 00000000\n"] {
        room.file("a.sfv", line);
        assert_eq!(of(&room, "a.sfv").names(FileOutcome::Right), ["empty"], "{line:?}");
    }
    room.file("a.sfv", "00000001 empty\n");
    assert_eq!(of(&room, "a.sfv").conclusion(), Verdict::Differs);
}

#[test]
fn lists_in_other_directories() {
    let room = room();
    room.file("check/a/b.data", "");
    room.file("check/b.sfv", "a/b.data 00000000\n");
    room.file("check/a/b.data.crc32", "00000000\n");
    // Each names the file beside it.
    let ended = Ended::of(&Request::all(["check/b.sfv", "check/a/b.data.crc32"].map(|name| room.at(name))));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["a/b.data", "b.data"]));
    // From a directory that is named.
    room.file("check/t.sfv", "empty 00000000\n");
    assert_eq!(of(&room, "check/t.sfv").names(FileOutcome::Right), ["empty"]);
}
