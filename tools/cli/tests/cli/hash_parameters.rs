//! Tree modes whose number of leaves, block or capacity is stated: part of the digest's name in
//! every list that is written and read again.

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

const STATED: &str = "sakura-li-128,leaves=32,block=336";

fn pfh(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().expect("a run")
}

fn room() -> Room {
    let room = Room::new();
    room.file("one", &crate::program::trees::noise(300_000, 1));
    room.file("other", b"short");
    room
}

#[test]
fn what_a_list_states_is_what_check_computes() {
    let room = room();
    let (all, one) = (format!("md5,{STATED},sha256"), format!("-a{STATED}"));
    for format in ["sums", "dfxml", "jsonl", "csv"] {
        // The digests of sums are distinguished by their length.
        let algorithms = if format == "sums" { format!("md5,{STATED}") } else { all.clone() };
        let list = format!("list.{format}");
        assert_eq!(pfh(&room, &["hash", "-a", &algorithms, "-f", format, "-o", &list, "one", "other"]).code, Some(0));
        let seen = pfh(&room, &["check", &list]);
        assert_eq!(seen.code, Some(0), "{format}: {seen:?}");
        assert!(seen.stderr.contains("2 files verified") && seen.stderr.contains(STATED), "{seen:?}");
        if format == "sums" {
            // Its digests have no names of their own: under other parameters they are others.
            let other = pfh(&room, &["check", "-a", "sakura-li-128,leaves=32,md5", &list]);
            assert_eq!(other.code, Some(1), "{other:?}");
        }
        std::fs::remove_file(room.path().join(list)).expect("removed");
    }
    let seen = pfh(&room, &["hash", &one, "one"]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(text.starts_with(&format!("# pfh begin algorithms={STATED}\n")), "{text}");
    for (list, text) in
        [("absolute", text.replace("  one", &format!("  {}/one", room.path().display()))), ("own", text)]
    {
        room.file(list, text.as_bytes());
        assert_eq!(pfh(&room, &["check", list]).code, Some(0), "{list}");
    }
    room.file("one", b"changed");
    assert_eq!(pfh(&room, &["check", "own"]).code, Some(1));
}

#[test]
fn lists_without_a_place_for_parameters_are_refused_and_name_one_that_has() {
    let room = room();
    for format in ["bsd", "hashdeep"] {
        let seen = pfh(&room, &["hash", "-a", STATED, "-f", format, "-o", "list", "one"]);
        assert_eq!(seen.code, Some(2), "{seen:?}");
        assert!(seen.stderr.contains(STATED) && seen.stderr.contains("jsonl"), "{seen:?}");
        assert!(!room.path().join("list").exists());
    }
}

#[test]
fn values_that_no_tree_can_have_are_refused() {
    let room = room();
    for (name, why) in [
        ("sakura-li-128,leaves=0", "there are 1 to 4096 leaves"),
        ("sakura-li-128,block=1000", "a multiple of 168 bytes"),
        ("sakura-fng-128,capacity=100", "a multiple of 64 bits"),
        ("sakura-fng-128,leaves=4", "block, capacity"),
        ("sha256,leaves=4", "sha256 has no parameters"),
        ("leaves=4", "unknown algorithm"),
    ] {
        let seen = pfh(&room, &["hash", "-a", name, "one"]);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{name}");
        assert!(seen.stderr.contains(why), "{name}: {}", seen.stderr);
    }
    // The usual values, stated, are the usual name.
    let [usual, stated] = ["sakura-li-128", "sakura-li-128,leaves=16,block=10752,capacity=256"]
        .map(|name| pfh(&room, &["hash", "-a", name, "one"]).stdout);
    assert_eq!(usual, stated);
}
