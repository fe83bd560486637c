//! `pfh hash --update` and `pfh check --update`, as they are typed.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(PFH).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn ends(room: &Room, words: &str, code: i32) -> Outcome {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(code), "{words}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    seen
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn tree() -> Room {
    let room = Room::new();
    for name in ["d/a", "d/b", "d/s/c", "other/x"] {
        room.file(name, name.as_bytes());
    }
    room
}

/// One file each is new, changed and gone.
fn alter(room: &Room) {
    room.file("d/new", b"new");
    room.file("d/b", b"another");
    fs::remove_file(room.path().join("d/s/c")).unwrap();
}

#[test]
fn the_second_command_says_that_nothing_changed() {
    for format in ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"] {
        for update in ["hash --update list d", "check --update list d", "check --update list"] {
            let room = tree();
            ends(&room, &format!("hash -r -f {format} d -o list"), 0);
            alter(&room);
            let seen = ends(&room, update, 0);
            assert_eq!(
                out(&seen),
                "changed        d/b\nnew            d/new\ngone           d/s/c\n",
                "{format} {update}"
            );
            assert!(
                seen.stderr.contains("list: updated, the list before is list.1: 1 new, 1 changed, 1 gone, 1 unchanged"),
                "{}",
                seen.stderr
            );
            for second in ["check list", "check --audit list d", update, "check list d"] {
                let seen = ends(&room, second, 0);
                assert!(!out(&seen).contains("changed "), "{format} {second}: {}", out(&seen));
            }
            ends(&room, "diff list.1 list", 1);
            let list = fs::read(room.path().join("list")).unwrap();
            assert!(ends(&room, update, 0).stderr.contains("list: up to date: 3 unchanged"));
            assert_eq!(fs::read(room.path().join("list")).unwrap(), list);
        }
    }
}

#[test]
fn names_are_found_from_anywhere() {
    let room = tree();
    let update = |directory: &str, words: &str| {
        room.file("d/a", format!("{directory} {words}").as_bytes());
        let trial = Trial::new(PFH).args(words.split_whitespace()).directory(room.path().join(directory));
        let seen = trial.run().unwrap();
        assert_eq!(
            (seen.code, seen.stdout.starts_with(b"changed  ")),
            (Some(0), true),
            "{directory}: {words}: {}",
            seen.stderr
        );
        assert_eq!(
            seen.stdout.split(|byte| *byte == b'\n').count(),
            2,
            "{words}: {}",
            String::from_utf8_lossy(&seen.stdout)
        );
    };
    // Names with the directory in front, from where they start and from elsewhere.
    ends(&room, "hash -r d -o list", 0);
    update("", "hash --update list ./d/");
    update("other", "hash --update ../list ../d");
    update("d", "check --update ../list .");
    // A list in the tree, with names below it.
    let seen = Trial::new(PFH).args(["hash", "-r", ".", "-o", "list"]).directory(room.path().join("d")).run().unwrap();
    assert_eq!(seen.code, Some(0));
    fs::remove_file(room.path().join("list")).unwrap();
    update("", "hash --update d/list d");
    update("d", "check --update list");
    update("d/s", "hash --update ../list ..");
    assert!(fs::read_to_string(room.path().join("d/list")).unwrap().contains("  ./a\n"));
    // Absolute names.
    let absolute = room.path().join("d").display().to_string();
    ends(&room, &format!("hash -r {absolute} -o abs"), 0);
    update("", "hash --update abs d");
    update("other", &format!("hash --update ../abs {absolute}"));
    // A file elsewhere has no name there.
    let seen =
        Trial::new(PFH).args(["hash", "--update", "list", "../other"]).directory(room.path().join("d")).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}

#[test]
fn json_and_refusals() {
    let room = tree();
    ends(&room, "hash -r -f jsonl d -o list", 0);
    alter(&room);
    let seen = ends(&room, "check --update list d --json", 0);
    let rows: Vec<Value> = seen.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!((&rows[0]["class"], &rows[0]["path"], rows.len()), (&"changed".into(), &"d/b".into(), 4));
    assert_eq!((&rows[3]["new"], &rows[3]["verdict"]), (&1.into(), &"verified".into()));
    for wrong in [
        "hash --update list",
        "hash --update list d -a md5",
        "hash --update list d -o new",
        "hash --update list -",
        "hash --trust-times d",
        "check --update list d --audit",
        "check --force list",
        "hash --update d d",
    ] {
        ends(&room, wrong, 2);
    }
    ends(&room, "hash --update none d", 3);
    fs::rename(room.path().join("d"), room.path().join("away")).unwrap();
    fs::create_dir(room.path().join("d")).unwrap();
    let seen = ends(&room, "hash --update list d", 3);
    assert!(seen.stderr.contains("not mounted") && seen.stderr.contains("--force"), "{}", seen.stderr);
    ends(&room, "hash --update list d --force", 0);
}

/// A list whose form is not written is refused before anything else is looked at, with the line to
/// type.
#[test]
fn a_list_that_cannot_be_brought_up_to_date_says_why_and_what_to_type() {
    let room = tree();
    ends(&room, "hash -r d -o list", 0);
    let packed = Command::new("gzip").args(["-k", "list"]).current_dir(room.path()).status();
    assert!(packed.is_ok_and(|status| status.success()), "gzip(1)");
    let list = fs::read_to_string(room.path().join("list")).unwrap();
    let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(list.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    room.file("wide", &wide);
    room.file("sized", b"     3  60b725f10c9c85c70d97880dfe8191b3  d/a\n");
    room.file("powershell", format!("Algorithm : MD5\nHash : {}\nPath : d/a\n", "A".repeat(32)).as_bytes());
    let volume = "<?xml version=\"1.0\"?>\n<dfxml version=\"1.0\">\n<volume offset=\"0\">\n<fileobject>\n<filename>d/a</filename>\n\
                  <hashdigest type=\"md5\">60b725f10c9c85c70d97880dfe8191b3</hashdigest>\n</fileobject>\n</volume>\n</dfxml>\n";
    room.file("volumes", volume.as_bytes());
    let before = fs::read_dir(room.path()).unwrap().count();
    for (name, why, typed) in [
        ("list.gz", "it is compressed", "`gunzip list.gz` and then `pfh hash --update list DIR`"),
        ("wide", "in UTF-16", "`pfh hash --update NEW DIR`"),
        ("sized", "a form that is read and not written", "`pfh hash -r -o NEW DIR` makes a list that can be"),
        ("powershell", "is read and not written", "`pfh hash -r -o NEW DIR`"),
        ("volumes", "it describes the file systems of images", "`pfh hash -r --inside -f dfxml -o NEW DIR`"),
    ] {
        // The directory is not there: nobody looked.
        for words in [format!("hash --update {name} none"), format!("check --update {name} none")] {
            let seen = ends(&room, &words, 2);
            assert!(seen.stderr.contains(why) && seen.stderr.contains(typed), "{words}: {}", seen.stderr);
            assert!(seen.stdout.is_empty());
        }
    }
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), before, "nothing was made");
}

/// At any instant the list is the old one or the new one, and the next update ends well.
#[test]
fn a_kill_at_any_instant_leaves_a_whole_list_with_its_seal() {
    let room = Room::new();
    for number in 0..200 {
        room.file(format!("d/{:02}/{number:03}", number % 7), &content(number, number * 211));
    }
    ends(&room, "hash -r d -o list --seal", 0);
    let mut killed = 0;
    for number in 0..24_u64 {
        room.file(format!("d/new{number}"), b"new");
        let after = Duration::from_micros(2_000 + number * 2_654_435_761 % 60_000);
        let trial = Trial::new(PFH).args(["hash", "--update", "list", "d", "--no-progress"]).directory(room.path());
        let seen = trial.signal(after, 9).run().unwrap();
        killed += u64::from(seen.code != Some(0));
        // The list may lack new files; the listed ones hold, and so does its seal.
        let checked = pfh(&room, "check list --quiet");
        assert_eq!(checked.code, Some(0), "{after:?}: {}", checked.stderr);
        ends(&room, "hash --update list d --no-progress", 0);
        ends(&room, "check --audit list d", 0);
    }
    assert!(killed > 0, "no run was killed");
}

#[test]
fn of_two_at_once_one_waits_for_another_day() {
    let room = tree();
    ends(&room, "hash -r d -o list", 0);
    alter(&room);
    let held = fs::File::open(room.path().join("list")).unwrap();
    held.lock().unwrap();
    let seen = ends(&room, "hash --update list d", 3);
    assert!(seen.stderr.contains("another run of pfh"), "{}", seen.stderr);
    let seen = ends(&room, "check --share 1/2 list", 3);
    assert!(seen.stderr.contains("another run of pfh"), "{}", seen.stderr);
    // Closing is not enough: a child of another test holds the descriptor between fork and exec.
    held.unlock().unwrap();
    ends(&room, "hash --update list d", 0);
}

/// Renamed files keep their digest and say so as an audit does.
#[test]
fn a_renamed_file_is_moved_as_in_an_audit() {
    for form in ["sums", "jsonl"] {
        let room = tree();
        ends(&room, &format!("hash -q -r d -f {form} -o l"), 0);
        fs::rename(room.path().join("d/b"), room.path().join("d/renamed")).unwrap();
        let said = |seen: &Outcome| {
            out(seen).lines().filter(|line| line.starts_with("moved ")).map(str::to_owned).collect::<Vec<_>>()
        };
        let audit = said(&ends(&room, "check --audit l", 1));
        let update = said(&ends(&room, "check --update l", 0));
        assert_eq!(update, audit);
        assert!(audit.len() == 1 && audit[0].contains("d/renamed") && audit[0].contains("from d/b"), "{audit:?}");
        ends(&room, "check l", 0);
    }
}

/// A list keeps the algorithm that it has, even where all files are others and none shows which.
#[test]
fn no_update_changes_the_algorithm() {
    for algorithm in ["sha256", "blake3"] {
        let room = tree();
        ends(&room, &format!("hash -q -r d -a {algorithm} -o list"), 0);
        let list = fs::read(room.path().join("list")).unwrap();
        for name in ["d/a", "d/b", "d/s/c"] {
            room.file(name, b"another");
        }
        for words in ["check --update -a md5 list", "hash --update list -a sha512 -r d", "check --update list"] {
            let seen = ends(&room, words, 2);
            assert!(fs::read(room.path().join("list")).unwrap() == list, "{words}: {}", seen.stderr);
        }
        assert!(pfh(&room, "check --update list").stderr.contains("do not name their algorithm"));
    }
}

/// File systems and archives cut times: a change beneath the same time is found, and the grain is
/// named.
#[test]
fn times_are_compared_at_the_grain_of_the_coarser() {
    for (nanoseconds, grain) in
        [(123_456_700, "in steps of 100 ns"), (123_456_000, "in microseconds"), (0, "in whole seconds")]
    {
        let set = |path: &Path, nanoseconds: u32| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::new(1_577_880_000, nanoseconds)).unwrap();
        };
        let room = Room::new();
        for name in ["t/a", "t/b"] {
            room.file(name, b"file a");
            set(&room.path().join(name), 123_456_789);
        }
        ends(&room, "hash -q -r t -f jsonl -o l", 0);
        for (name, content) in [("t/a", "fIle a"), ("t/b", "file a")] {
            room.file(name, content.as_bytes());
            set(&room.path().join(name), nanoseconds);
        }
        for words in ["check --audit l", "diff l t", "check --update l"] {
            let said = out(&ends(&room, words, 1));
            let line =
                said.lines().find(|line| line.starts_with("bit-rot")).unwrap_or_else(|| panic!("{words}: {said}"));
            assert!(line.contains(grain), "{words}: {line}");
        }
    }
}
