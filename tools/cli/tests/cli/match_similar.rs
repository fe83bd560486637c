//! `pfh match --similar`: files against a list, through an index or one by one, as `ssdeep -m` says
//! it.

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};
use std::process::Command;

/// The beginning of an index without checksums.
const OLD: &[u8; 8] = b"pfhsim1\n";

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
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
fn each_algorithm_finds_its_own() {
    let room = Room::new();
    files(&room);
    for (algorithm, format) in
        [("ssdeep", "ssdeep"), ("sdhash", "sdbf"), ("mrsh-v2", "mrsh"), ("tlsh", "sums"), ("sha256", "sums")]
    {
        list(&room, algorithm, format);
        let seen = look(&room, &["list", "-f", "csv", "new", "-r"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let text = text(&seen);
        assert_eq!(text.contains("new/changed,known/3,"), algorithm != "sha256", "{algorithm}: {text}");
        assert!(
            text.contains(if algorithm == "tlsh" { "new/same,known/5,tlsh,0," } else { "new/same,known/5," }),
            "{text}"
        );
        assert!(!text.contains("unknown") && !text.contains("short"), "{text}");
        let none = look(&room, &["list", "new/unknown"]);
        assert_eq!((none.code, none.stdout.len()), (Some(1), 0), "{}", none.stderr);
    }
}

#[test]
fn ssdeep_says_the_same_and_an_index_too() {
    let room = Room::new();
    files(&room);
    list(&room, "ssdeep", "ssdeep");
    let ours = look(&room, &["list", "new/changed", "new/same", "new/short", "new/unknown"]);
    let made = look(&room, &["list", "--write-index", "index"]);
    assert_eq!((made.code, made.stdout.len()), (Some(0), 0), "{}", made.stderr);
    let indexed = look(&room, &["index", "new/changed", "new/same", "new/short", "new/unknown"]);
    assert_eq!(text(&indexed), text(&ours).replace("list:", "index:"));
    assert_eq!(text(&ours).lines().count(), 2);
    std::fs::write(room.path().join("cut"), &std::fs::read(room.path().join("index")).expect("an index")[..200])
        .expect("written");
    let damaged = look(&room, &["cut", "new/same"]);
    assert_eq!(damaged.code, Some(3));
    assert!(damaged.stderr.contains("damaged"), "{}", damaged.stderr);
    let mut old = std::fs::read(room.path().join("index")).expect("an index");
    old[..OLD.len()].copy_from_slice(OLD);
    std::fs::write(room.path().join("old"), old).expect("written");
    let outdated = look(&room, &["old", "new/same"]);
    assert_eq!(outdated.code, Some(3));
    assert!(outdated.stderr.contains("make it again from its list with --write-index"), "{}", outdated.stderr);
    let files = ["-l", "-m", "list", "new/changed", "new/same", "new/short", "new/unknown"];
    match Command::new("ssdeep").args(files).current_dir(room.path()).output() {
        Ok(theirs) => assert_eq!(text(&ours), String::from_utf8_lossy(&theirs.stdout)),
        Err(_) => println!("skipped: no ssdeep"),
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = Room::new();
    files(&room);
    list(&room, "tlsh", "sums");
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

/// A file that repeats itself has a digest of sdhash that matches anything: no match without the
/// mark.
#[test]
fn saturated_digests_are_no_matches() {
    let room = Room::new();
    let once = random(3, 400_000);
    room.file("t/twice", &[&once[..], &once[..]].concat());
    room.file("t/other", &random(4, 20_000));
    let run = |arguments: &[&str]| pfh(arguments).directory(room.path()).run().unwrap();
    let seen = run(&["compare", "--no-progress", "-a", "sdhash", "t"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(0), ""), "{}", seen.stderr);
    assert!(seen.stderr.contains("1 pair with a digest that is saturated"), "{}", seen.stderr);
    assert!(seen.stderr.contains("2 digests compared, 0 pairs"), "{}", seen.stderr);
    let seen = run(&["compare", "--no-progress", "-a", "sdhash", "--saturated", "t"]);
    assert!(text(&seen).ends_with("|saturated\n"), "{}", text(&seen));
    for (form, mark) in [("csv", ",saturated,"), ("jsonl", "\"degenerate\":\"saturated\"")] {
        let seen = run(&["compare", "--no-progress", "-a", "sdhash", "--saturated", "-f", form, "t"]);
        assert!(text(&seen).contains(mark), "{}", text(&seen));
    }
    // As the tool has it, and counted.
    let seen = run(&["compare", "--no-progress", "-a", "sdhash", "--parity", "t"]);
    assert_eq!((text(&seen).lines().count(), text(&seen).contains("saturated")), (1, false), "{}", text(&seen));
    assert!(seen.stderr.contains("is among the pairs"), "{}", seen.stderr);
    let listed = run(&["hash", "--no-progress", "-a", "sdhash", "-f", "sdbf", "-o", "list", "t/twice"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    let seen = run(&["match", "--no-progress", "--similar", "list", "t/other"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(1), ""), "{}", seen.stderr);
    assert!(seen.stderr.contains("1 match of digests that are saturated"), "{}", seen.stderr);
    let seen = run(&["match", "--no-progress", "--similar", "list", "--saturated", "t/other"]);
    assert_eq!((seen.code, text(&seen).contains("|saturated")), (Some(0), true), "{}", text(&seen));
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
