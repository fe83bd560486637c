//! The catalogue of a directory: one tree over all its files, updated by entry. The root is that of
//! a build of what is there, and of the files only those are read that changed.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, text};
use pfh_inject::{Need, Outcome, Trial, lacks};

/// A directory of files that were not written just now, so that their times can be relied on.
fn site(files: usize) -> Room {
    let room = Room::new();
    for number in 0..files {
        put(&room, &format!("site/d{}/f{number}", number % 7), &noise(100 + number, number as u64));
    }
    room
}

/// Writes a file and sets its time back; so long ago that its change time, which cannot be set, is
/// what the wait is for.
fn put(room: &Room, name: &str, bytes: &[u8]) {
    let path = room.path().join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(&path, bytes).expect("written");
}

fn settle() {
    std::thread::sleep(Duration::from_millis(2_200));
}

/// The root that a build of what is there now gives.
fn anew(room: &Room) -> String {
    let seen = good(room, ["tree", "build", "site", "--outboard", "anew.pfhtree"]);
    fs::remove_file(room.path().join("anew.pfhtree")).expect("removed");
    text(&seen)[..64].to_owned()
}

fn last(seen: &Outcome) -> serde_json::Value {
    let text = text(seen);
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

#[test]
fn the_root_after_any_update_is_that_of_a_build() {
    let room = site(40);
    let built = good(&room, ["tree", "build", "site"]);
    assert_eq!(text(&built), format!("{}  site\n", anew(&room)));
    // Changed, added, removed, renamed.
    put(&room, "site/d0/f0", b"other");
    put(&room, "site/new directory/new", b"new");
    fs::remove_file(room.path().join("site/d1/f1")).expect("removed");
    fs::rename(room.path().join("site/d2/f2"), room.path().join("site/d3/renamed")).expect("renamed");
    let seen = pfh(&room, ["tree", "check", "site", "--json"]);
    assert_eq!((seen.code, last(&seen)["verdict"].as_str()), (Some(1), Some("differs")));
    let seen = good(&room, ["tree", "update", "site", "--json"]);
    let summary = last(&seen);
    assert_eq!(
        ["added", "changed", "removed", "entries"].map(|member| summary[member].as_u64()),
        [Some(2), Some(1), Some(2), Some(40)]
    );
    assert_eq!(summary["root"], anew(&room));
    let lines: Vec<&str> = std::str::from_utf8(&seen.stdout).expect("text").lines().collect();
    assert!(lines.contains(&r#"{"type":"removed","path":"d1/f1"}"#), "{lines:?}");
    // Again: nothing is to be done, and the check says that all is well, by an absolute name too.
    assert_eq!(text(&good(&room, ["tree", "update", "site"])), format!("{}  site\n", anew(&room)));
    let absolute = room.path().join("site").display().to_string();
    let checked = good(&room, ["tree", "check", &format!("{absolute}/"), "--root", &anew(&room)]);
    assert!(text(&checked).contains("OK: 40 files are those of"), "{checked:?}");
}

#[test]
fn entries_by_name_are_all_that_is_looked_at() {
    let room = site(30);
    good(&room, ["tree", "build", "site"]);
    put(&room, "site/d0/f7", b"other");
    put(&room, "site/d1/added", b"new");
    put(&room, "site/d1/f1", b"changed, and not named");
    fs::remove_file(room.path().join("site/d2/f2")).expect("removed");
    let absolute = room.path().join("site/d1/added");
    let entries = ["--entry", "d0/f7", "--entry", absolute.to_str().expect("a name"), "--entry", "./d2/f2"];
    let seen = good(&room, ["tree", "update", "site", "--json"].into_iter().chain(entries));
    let summary = last(&seen);
    assert_eq!(
        ["added", "changed", "removed", "read"].map(|member| summary[member].as_u64()),
        [Some(1), Some(1), Some(1), Some(2)]
    );
    assert_ne!(summary["root"], anew(&room));
    assert_eq!(pfh(&room, ["tree", "check", "site", "--entry", "d1/f1"]).code, Some(1));
    good(&room, ["tree", "check", "site", "--entry", "d0/f7"]);
    let seen = good(&room, ["tree", "update", "site", "--entry", "d1/f1", "--json"]);
    assert_eq!(last(&seen)["root"], anew(&room));
    // Neither there nor in the catalogue: nothing was compared.
    assert_eq!(pfh(&room, ["tree", "check", "site", "--entry", "nowhere"]).code, Some(3));
    for wrong in ["../other", "/etc/passwd", ".", "d0"] {
        let seen = pfh(&room, ["tree", "update", "site", "--entry", wrong]);
        assert_eq!(seen.code, Some(2), "{wrong}: {seen:?}");
    }
}

/// What an update of one entry costs: its bytes, and its path in the catalogue.
#[test]
fn an_update_opens_what_changed_and_reads_a_path_of_the_catalogue() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = site(5000);
    settle();
    good(&room, ["tree", "build", "site"]);
    put(&room, "site/d5/f5", b"other");
    settle();
    let whole = fs::metadata(room.path().join("site.pfhtree")).expect("a catalogue").len();
    for (entry, catalogue) in [(&["--entry", "d5/f5"][..], whole / 3), (&[], u64::MAX)] {
        let log = room.path().join("trace");
        let seen = Trial::new("strace")
            .args(["-f", "-y", "-e", "trace=read,pread64,openat,openat2", "-o"])
            .arg(&log)
            .args([env!("CARGO_BIN_EXE_pfh"), "tree", "update", "site", "--json"])
            .args(entry)
            .directory(room.path())
            .run()
            .expect("a run");
        assert_eq!(seen.code, Some(0), "{seen:?}");
        let trace = fs::read_to_string(log).expect("a trace");
        let read = |part: &str| -> u64 {
            let lines = trace.lines().filter(|line| line.contains("read") && line.contains(part));
            lines.filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok()).sum()
        };
        assert!(read("/site/d") <= 5, "{} bytes of files", read("/site/d"));
        assert!(read("site.pfhtree>") < catalogue, "{} of {whole} bytes of the catalogue", read("site.pfhtree>"));
        assert_eq!(last(&seen)["read"].as_u64(), Some(u64::from(!entry.is_empty())));
        // Some 12 levels for 5,000 entries, and the root.
        assert!(last(&seen)["values_computed"].as_u64().is_some_and(|values| values < 40), "{seen:?}");
    }
}

/// A file that was written within the clock's tick is read again, whatever its times say.
#[test]
fn a_change_within_the_tick_of_the_clock_is_found() {
    let room = site(3);
    for round in 0..20_u8 {
        good(&room, ["tree", if round == 0 { "build" } else { "update" }, "site"]);
        put(&room, "site/d0/f0", &[round; 100]);
        let back = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        fs::File::options()
            .append(true)
            .open(room.path().join("site/d0/f0"))
            .expect("open")
            .set_modified(back)
            .expect("set");
        let seen = good(&room, ["tree", "update", "site", "--json"]);
        assert_eq!(last(&seen)["changed"].as_u64(), Some(1), "round {round}");
    }
}

#[test]
fn a_catalogue_without_the_root_that_was_kept_or_damaged_is_refused_and_left() {
    let room = site(20);
    let kept = text(&good(&room, ["tree", "build", "site"]))[..64].to_owned();
    let path = room.path().join("site.pfhtree");
    let bytes = fs::read(&path).expect("a catalogue");
    let other = "ab".repeat(32);
    put(&room, "site/d0/f0", b"other");
    for (arguments, code) in [
        (&["tree", "update", "site", "--root", &other][..], 1),
        (&["tree", "update", "site", "--entry", "d0/f0", "--root", &other], 1),
        (&["tree", "check", "site", "--root", &other], 1),
        (&["tree", "update", "site", "--root", "abcd"], 2),
        (&["tree", "update", "site", "--kept", "site/d0/f0"], 2),
        (&["tree", "update", "site", "--range", "0:1"], 2),
        (&["tree", "build", "-a", "ssdeep", "site"], 2),
        (&["tree", "build", "--leaf", "4KiB", "site"], 2),
        (&["tree", "append", "site"], 2),
    ] {
        let seen = pfh(&room, arguments);
        assert_eq!(seen.code, Some(code), "{arguments:?}: {seen:?}");
        assert!(fs::read(&path).expect("a catalogue") == bytes, "{arguments:?}");
    }
    good(&room, ["tree", "update", "site", "--root", &kept]);
    // Not a catalogue: a tree of a file, another file, nothing.
    room.file("note", b"a note");
    for (outboard, code) in [("note", 2), ("nothing", 3)] {
        assert_eq!(pfh(&room, ["tree", "update", "site", "--outboard", outboard]).code, Some(code), "{outboard}");
    }
    assert_eq!(pfh(&room, ["tree", "check", "site", "--outboard", "note"]).code, Some(3));
    assert_eq!(pfh(&room, ["tree", "build", "site", "--outboard", "note"]).code, Some(2));
    assert_eq!(fs::read(room.path().join("note")).expect("a note"), b"a note");
    // Damage: the digest of an entry, wherever it stands in the file.
    let mut damaged = fs::read(&path).expect("a catalogue");
    let digest = blake3::hash(b"other");
    let places: Vec<usize> =
        (0..damaged.len() - 32).filter(|at| damaged[*at..].starts_with(digest.as_bytes())).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| damaged[*at] ^= 1);
    fs::write(&path, &damaged).expect("written");
    for arguments in
        [&["tree", "update", "site"][..], &["tree", "check", "site"], &["tree", "update", "site", "--entry", "d0/f0"]]
    {
        assert_eq!(pfh(&room, arguments).code, Some(3), "{arguments:?}");
        assert_eq!(fs::read(&path).expect("a catalogue"), damaged);
    }
}

/// What cannot be read is not a file that is gone, and the catalogue of a directory inside of it is
/// not part of it.
#[test]
fn unreadable_directories_and_the_catalogue_itself() {
    let room = site(20);
    let inside = ["--outboard", "site/own.pfhtree"];
    let first = good(&room, ["tree", "build", "site"].into_iter().chain(inside));
    let again = good(&room, ["tree", "update", "site"].into_iter().chain(inside));
    assert_eq!(first.stdout, again.stdout);
    good(&room, ["tree", "check", "site"].into_iter().chain(inside));
    let here = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["tree", "check", ".", "--outboard", "own.pfhtree"])
        .directory(room.path().join("site"))
        .run()
        .expect("a run");
    assert_eq!(here.code, Some(0), "{here:?}");
    let looped = room.path().join("site/d0");
    let away = room.path().join("away");
    fs::rename(&looped, &away).expect("moved");
    std::os::unix::fs::symlink("nowhere", &looped).expect("a link");
    // A link is not a file: its former files are gone.
    assert_eq!(pfh(&room, ["tree", "check", "site"].into_iter().chain(inside)).code, Some(1));
    fs::remove_file(&looped).expect("removed");
    fs::rename(&away, &looped).expect("moved back");
    good(&room, ["tree", "check", "site"].into_iter().chain(inside));
    empty(room.path());
}

fn empty(room: &Path) {
    assert!(!room.join("site/own.pfhtree-journal").exists());
}

/// An update that is killed at any moment leaves the old catalogue or the new one.
#[test]
fn a_killed_update_leaves_the_old_catalogue_or_the_new_one() {
    let room = site(400);
    let old = text(&good(&room, ["tree", "build", "site"]))[..64].to_owned();
    for number in 0..200 {
        put(&room, &format!("site/d{}/f{number}", number % 7), b"other");
    }
    let new = anew(&room);
    let path = room.path().join("site.pfhtree");
    let bytes = fs::read(&path).expect("a catalogue");
    for wait in [5, 20, 40, 60, 80, 120] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["tree", "update", "site", "--no-progress"])
            .current_dir(room.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("a child");
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        child.wait().expect("an end");
        let seen = pfh(&room, ["tree", "check", "site", "--json"]);
        let root = last(&seen)["root"].as_str().expect("a root").to_owned();
        assert!(root == old || root == new, "{wait}: {seen:?}");
        assert_eq!(seen.code, Some(if root == old { 1 } else { 0 }));
        fs::write(&path, &bytes).expect("written");
    }
    assert_eq!(json(&good(&room, ["tree", "check", "site", "--json", "--entry", "d6/f300"]))["root"], old);
}

/// What a change that was killed leaves is a journal, which a reader neither needs nor touches.
#[test]
fn a_journal_that_was_left_is_taken_back_in_a_copy() {
    let room = site(20);
    let old = text(&good(&room, ["tree", "build", "site"]))[..64].to_owned();
    // A change by another process, killed when the database is written and the journal is synced.
    let script = "import os, sqlite3, sys\n\
        db = sqlite3.connect('site.pfhtree', isolation_level=None)\n\
        db.execute('PRAGMA cache_size = 1')\n\
        db.execute('BEGIN IMMEDIATE')\n\
        db.execute(\"UPDATE facts SET value = zeroblob(100000) WHERE name = 'root'\")\n\
        db.execute(\"UPDATE entries SET digest = zeroblob(50000)\")\n\
        os.kill(os.getpid(), 9)\n";
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    std::process::Command::new("python3").args(["-c", script]).current_dir(room.path()).status().expect("python3");
    let files = || ["site.pfhtree", "site.pfhtree-journal"].map(|name| fs::read(room.path().join(name)).expect(name));
    let left = files();
    std::os::unix::fs::symlink("site.pfhtree", room.path().join("link")).expect("a link");
    for outboard in ["site.pfhtree", "link", "site.pfhtree"] {
        let seen = json(&good(&room, ["tree", "check", "site", "--json", "--outboard", outboard]));
        assert_eq!(seen["root"], old, "{outboard}");
    }
    assert!(files() == left, "a check has written");
    // Who writes takes it back.
    good(&room, ["tree", "update", "site"]);
    assert!(!room.path().join("site.pfhtree-journal").exists());
    assert_eq!(json(&good(&room, ["tree", "check", "site", "--json"]))["root"], old);
}
