//! `pfh match --similar`: refused requests, and files that are too short.

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

/// Ten known files, and three to look up: one as it was, one changed, one unknown.
fn files(room: &Room) {
    for n in 0..10 {
        room.file(format!("known/{n}"), &random(n, 30_000));
    }
    let mut changed = random(3, 30_000);
    changed.truncate(29_500);
    changed[9000] ^= 1;
    room.file("new/changed", &changed);
    room.file("new/same", &random(5, 30_000));
    room.file("new/unknown", &random(99, 30_000));
    room.file("new/short", b"short");
}

fn list(room: &Room, algorithm: &str, format: &str) {
    let seen = pfh(["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "--force", "-o", "list", "known"])
        .directory(room.path())
        .run()
        .expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

fn look(room: &Room, arguments: &[&str]) -> Outcome {
    pfh(["match", "--no-progress", "--similar"]).args(arguments).directory(room.path()).run().expect("a run")
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = Room::new();
    files(&room);
    list(&room, "sdhash", "sdbf");
    for (arguments, code, why) in [
        (&["list", "--write-index", "index"][..], 2, "only lists of ssdeep"),
        (&["new/same", "new/same"], 3, "no list of digests"),
        (&["nowhere", "new/same"], 3, "nowhere"),
        (&["list"], 2, "nothing is named"),
        (&["list", "-f", "xml", "new"], 2, "text, csv, jsonl and values"),
    ] {
        let seen = look(&room, arguments);
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{}", seen.stderr);
    }
}

/// It was read whole; there is no digest of so little.
#[test]
fn a_file_too_short_is_no_failure() {
    let room = Room::new();
    room.file("t/short", b"short");
    room.file("t/long", &random(4, 20_000));
    for arguments in [
        &["hash", "--no-progress", "-r", "-a", "sdhash", "-f", "sdbf", "t"][..],
        &["-c", "hash", "-h", "sdhash", "-d", "t"],
        &["compare", "--no-progress", "-a", "sdhash", "t"],
    ] {
        let seen = pfh(arguments).directory(room.path()).run().unwrap();
        assert_eq!(seen.code, Some(0), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains("too short"), "{arguments:?}: {}", seen.stderr);
    }
}

/// A list of similarity digests is not a set: the sentence says which command compares with it, and
/// that command, as it is said, does.
#[test]
fn a_list_of_them_given_as_a_set_is_named() {
    let room = Room::new();
    files(&room);
    for algorithm in ["ssdeep", "tlsh", "sdhash", "mrsh-v2"] {
        let made = pfh(["hash", "--no-progress", "-r", "-a", algorithm, "--force", "-o", "list", "known"]);
        assert_eq!(made.directory(room.path()).run().expect("a run").code, Some(0));
        let seen =
            pfh(["match", "--no-progress", "-r", "-k", "list", "new"]).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(3), "{algorithm}: {}", seen.stderr);
        let expected =
            format!("list: digests of {algorithm} are compared, and not looked up: pfh match --similar list PATH");
        assert!(seen.stderr.contains(&expected), "{algorithm}: {}", seen.stderr);
        assert_eq!(look(&room, &["list", "-r", "new"]).code, Some(0), "{algorithm}");
    }
}
