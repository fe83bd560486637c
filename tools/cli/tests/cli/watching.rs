//! `pfh tree watch`: the catalogue of a directory follows changes as they happen.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::Trial;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

struct Watching {
    child: Child,
    lines: Receiver<Value>,
}

impl Watching {
    fn begin(room: &Room, words: &[&str]) -> Watching {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pfh"));
        command.args(["tree", "watch", "--json"]).args(words).current_dir(room.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (to, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = to.send(serde_json::from_str(&line).unwrap());
            }
        });
        Watching { child, lines }
    }

    /// The next update, and the names that changed before it.
    fn update(&self) -> (Value, Vec<String>) {
        let mut names = Vec::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("an update");
            if line["type"] == "updated" {
                return (line, names);
            }
            names.push(line["path"].as_str().unwrap_or_default().to_owned());
        }
    }

    /// Updates until the root is that of the directory as it is now.
    fn until(&self, room: &Room, wanted: &str) -> Vec<String> {
        let mut names = Vec::new();
        loop {
            let (line, more) = self.update();
            names.extend(more);
            if line["root"] == wanted {
                assert_eq!(of_catalogue(room), wanted, "the file has the root that is printed");
                return names;
            }
        }
    }

    fn signal(&self, number: &str) {
        let sent = Command::new("kill").args([number, &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
    }

    /// Ends it as Ctrl-C does.
    fn end(mut self) -> (Option<i32>, String) {
        self.signal("-INT");
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut self.child.stderr.take().unwrap(), &mut said).unwrap();
        (status.code(), said)
    }
}

fn pfh(room: &Room, words: &[&str]) -> (Option<i32>, String) {
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap();
    (seen.code, String::from_utf8_lossy(&seen.stdout).into_owned() + &seen.stderr)
}

/// The root that a new catalogue of the directory has.
fn built(room: &Room) -> String {
    let (code, said) = pfh(room, &["tree", "build", "d", "--outboard", "new.pfhtree"]);
    assert_eq!(code, Some(0), "{said}");
    fs::remove_file(room.path().join("new.pfhtree")).unwrap();
    said.split_whitespace().next().unwrap().to_owned()
}

fn of_catalogue(room: &Room) -> String {
    let (code, said) = pfh(room, &["tree", "check", "d", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    let line = said.lines().last().unwrap();
    serde_json::from_str::<Value>(line).unwrap()["root"].as_str().unwrap().to_owned()
}

fn prepared() -> Room {
    let room = Room::new();
    for name in ["d/a", "d/b", "d/deep/c"] {
        room.file(name, name.as_bytes());
    }
    let (code, said) = pfh(&room, &["tree", "build", "d"]);
    assert_eq!(code, Some(0), "{said}");
    room
}

#[test]
fn changes_are_followed_while_they_happen() {
    let room = prepared();
    // Changed before anybody watches.
    room.file("d/b", b"changed before");
    let watching = Watching::begin(&room, &["d"]);
    assert_eq!(watching.until(&room, &built(&room)), ["b"]);
    let at = |name: &str| room.path().join(name);

    fs::write(at("d/a"), "changed").unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["a"]);
    // New directories are watched, and so are those below them.
    fs::create_dir_all(at("d/new/below")).unwrap();
    fs::write(at("d/new/below/e"), "e").unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["new/below/e"]);
    fs::write(at("d/new/below/e"), "another").unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["new/below/e"]);
    // A file is renamed, another one takes its place.
    fs::rename(at("d/a"), at("d/moved")).unwrap();
    let mut names = watching.until(&room, &built(&room));
    names.sort();
    assert_eq!(names, ["a", "moved"]);
    // A directory moves with its contents, and is followed there.
    fs::rename(at("d/new"), at("d/old")).unwrap();
    watching.until(&room, &built(&room));
    fs::write(at("d/old/below/f"), "f").unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["old/below/f"]);
    fs::remove_dir_all(at("d/old")).unwrap();
    let mut names = watching.until(&room, &built(&room));
    names.sort();
    assert_eq!(names, ["old/below/e", "old/below/f"]);
    // A file becomes a link: its entry goes.
    fs::remove_file(at("d/moved")).unwrap();
    std::os::unix::fs::symlink("b", at("d/moved")).unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["moved"]);

    let (code, said) = watching.end();
    assert_eq!((code, said.as_str()), (Some(130), ""), "{said}");
    assert_eq!(of_catalogue(&room), built(&room));
}

/// More changes than the kernel keeps: it says so, and all files are compared.
#[test]
fn lost_changes_lead_to_a_rescan() {
    let most = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").ok();
    let Some(most) = most.and_then(|text| text.trim().parse::<usize>().ok()).filter(|most| *most <= 20_000) else {
        return;
    };
    let room = prepared();
    let watching = Watching::begin(&room, &["d"]);
    watching.update();
    watching.signal("-STOP");
    // Two notices at least: made, closed.
    for number in 0..most / 2 + 100 {
        fs::write(room.path().join(format!("d/{number:05}")), "").unwrap();
    }
    fs::create_dir(room.path().join("d/lost")).unwrap();
    fs::write(room.path().join("d/lost/file"), "1").unwrap();
    watching.signal("-CONT");
    watching.until(&room, &built(&room));
    // The directory that was made in the meantime is watched.
    fs::write(room.path().join("d/lost/file"), "22").unwrap();
    assert_eq!(watching.until(&room, &built(&room)), ["lost/file"]);
    let (code, said) = watching.end();
    assert!(code == Some(130) && said.contains("changes were lost"), "{said}");
}

#[test]
fn what_cannot_be_watched_says_so() {
    let room = prepared();
    for (words, code) in [(&["tree", "watch", "none"][..], 3), (&["tree", "watch", "d", "--outboard", "none"], 3)] {
        let seen = pfh(&room, words);
        assert_eq!(seen.0, Some(code), "{words:?}: {}", seen.1);
    }
    // The directory itself is removed.
    let mut watching = Watching::begin(&room, &["d"]);
    watching.update();
    fs::remove_dir_all(room.path().join("d")).unwrap();
    assert_eq!(watching.child.wait().unwrap().code(), Some(3));
    // A catalogue within the directory does not follow itself.
    let room = prepared();
    assert_eq!(pfh(&room, &["tree", "build", "d", "--outboard", "d/own.pfhtree"]).0, Some(0));
    let watching = Watching::begin(&room, &["d", "--outboard", "d/own.pfhtree"]);
    watching.update();
    fs::write(Path::new(room.path()).join("d/b"), "changed").unwrap();
    let (update, names) = watching.update();
    assert_eq!((&update["changed"], names.as_slice()), (&Value::from(1), &["b".to_owned()][..]));
    assert!(watching.lines.recv_timeout(Duration::from_secs(1)).is_err(), "its own writes are no changes");
    assert_eq!(watching.end().0, Some(130));
}
