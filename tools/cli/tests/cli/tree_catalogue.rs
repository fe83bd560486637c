//! The catalogue of a directory: of the files only those are read that changed, and no kill leaves
//! a broken one.

use std::fs;
use std::time::Duration;

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
/// the reason for the wait.
fn put(room: &Room, name: &str, bytes: &[u8]) {
    let path = room.path().join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(&path, bytes).expect("written");
}

fn settle() {
    std::thread::sleep(Duration::from_millis(2_200));
}

/// The root that a new build of the present files gives.
fn rebuilt(room: &Room) -> String {
    let seen = good(room, ["tree", "build", "site", "--outboard", "rebuilt.pfhtree"]);
    fs::remove_file(room.path().join("rebuilt.pfhtree")).expect("removed");
    text(&seen)[..64].to_owned()
}

fn last(seen: &Outcome) -> serde_json::Value {
    let text = text(seen);
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

/// The cost of an update of one entry: its bytes, and its path in the catalogue.
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

/// An update that is killed at any moment leaves the old catalogue or the new one.
#[cfg(unix)]
#[test]
fn a_killed_update_leaves_the_old_catalogue_or_the_new_one() {
    let room = site(400);
    let old = text(&good(&room, ["tree", "build", "site"]))[..64].to_owned();
    for number in 0..200 {
        put(&room, &format!("site/d{}/f{number}", number % 7), b"other");
    }
    let new = rebuilt(&room);
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
