//! `pfh acquire` killed, interrupted and resumed.
#![cfg(unix)]

use crate::program::acquisition::{acquire, pfh, report, said};
use crate::program::{MIB, Room, digest_by, sha256, sha256_of};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::ffi::OsStr;
use std::fs;
use std::process::Command;
use std::time::Duration;

/// A tree kept on the way is that of the finished image, also where the run was cut off; an image
/// is a source of `pfh hash`.
#[test]
fn the_tree_of_an_image_is_kept() {
    let room = Room::in_memory();
    let source = room.file("source", &content(21, 64 * MIB + 99));
    let (image, tree) = (room.path().join("image"), room.path().join("tree"));
    let trial =
        || acquire(["-m", "4", "--map-interval", "0.02", "--outboard"]).arg(&tree).arg("--to").arg(&image).arg(&source);
    let first = trial().signal(Duration::from_millis(60), 9).run().unwrap();
    // A fast machine, or a late signal: it had ended.
    if first.code != Some(0) {
        let seen = trial().run().unwrap();
        assert!(seen.code == Some(0) || has_ended(&seen), "{}", seen.stderr);
    }
    let checked = pfh(["tree".as_ref(), "check".as_ref(), "--outboard".as_ref(), tree.as_os_str(), image.as_os_str()]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let e01 = room.path().join("image.E01");
    let seen = acquire(["--length", "1MiB", "--to"]).arg(&e01).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(["hash".as_ref(), "--image".as_ref(), e01.as_os_str()]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(&content(21, 64 * MIB + 99)[..1 << 20])));
}

/// A kill behind the last record, at each byte of the last line for people: the log is continued
/// with that line whole, and holds.
#[test]
fn a_log_without_its_last_line_is_continued() {
    let room = Room::in_memory();
    let source = room.file("source", &content(22, MIB));
    let bad = room.file("bad", b"0 +\n0 0x80000 +\n0x80000 0x200 -\n0x80200 0x7FE00 +\n");
    let good = room.file("good", b"0 +\n0 0x100000 +\n");
    for (name, rest) in [("none", Some(0)), ("some", Some(20)), ("whole", None)] {
        let image = room.path().join(name);
        let trial = |faults: &std::path::Path| acquire(["--map-as-faults"]).arg(faults).arg("--to").arg(&image);
        let seen = trial(&bad).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        let log = room.path().join(format!("{name}.log"));
        let text = fs::read(&log).unwrap();
        let last = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        fs::write(&log, &text[..rest.map_or(text.len(), |rest| last + rest)]).unwrap();
        let seen = trial(&good).arg("--retry-bad").arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(fs::read(&log).unwrap().starts_with(&text), "{name}");
        let verified =
            pfh(["verify".as_ref(), "--log".as_ref(), room.path().join(format!("{name}.log.jsonl")).as_os_str()]);
        assert_eq!(verified.code, Some(0), "{name}: {}", verified.stderr);
    }
}

/// Whether the run before this one was killed between its last word to the log and its end: there
/// is nothing to resume.
fn has_ended(seen: &Outcome) -> bool {
    seen.code == Some(2) && seen.stderr.contains("finished acquisition")
}

/// Killed at any moment, and resumed by the same command: the image of an undisturbed run.
#[test]
fn a_killed_acquisition_goes_on() {
    if lacks(&[Need::Time]) {
        return;
    }
    let room = Room::in_memory();
    let size = 96 * MIB;
    let source = room.file("source", &content(12, size));
    let expected = sha256_of(&source);
    for (form, targets) in [("raw", vec!["image"]), ("e01", vec!["image.E01"]), ("both", vec!["two", "two.E01"])] {
        let mut interrupted = 0;
        let mut delay = 40;
        let seen = loop {
            let mut trial =
                acquire(["-a", "sha256,md5,sha1", "--map-interval", "0.02", "--compression", "best", "-m", "4"]);
            for target in &targets {
                trial = trial.arg("--to").arg(room.path().join(target));
            }
            // Later and later, so that it ends.
            let seen = trial.arg(&source).signal(Duration::from_millis(delay), 9).run().unwrap();
            if seen.code == Some(0) || has_ended(&seen) {
                break seen;
            }
            assert_eq!(seen.code, Some(128 + 9), "{form}: {}", seen.stderr);
            (interrupted, delay) = (interrupted + 1, delay + delay / 2);
        };
        if seen.code == Some(0) {
            let reported = &report(&seen)["digests"]["sha256"];
            assert_eq!(reported.as_str().unwrap(), expected, "{form} after {interrupted} kills");
        }
        for target in &targets {
            let path = room.path().join(target);
            if target.ends_with("E01") {
                let back = room.path().join("back");
                let seen = acquire(["--image", "--force", "--to"]).arg(&back).arg(&path).run().unwrap();
                assert_eq!(seen.code, Some(0), "{}", seen.stderr);
                assert_eq!(sha256_of(&back), expected, "{form} after {interrupted} kills");
                assert_eq!(pfh(["verify".as_ref(), path.as_os_str()]).code, Some(0), "{form}");
            } else {
                assert_eq!(sha256_of(&path), expected, "{form} after {interrupted} kills");
            }
        }
        let log = room.path().join(format!("{}.log.jsonl", targets[0]));
        assert_eq!(pfh(["verify".as_ref(), "--log".as_ref(), log.as_os_str()]).code, Some(0), "{form}");
        assert!(interrupted > 0, "{form} was never interrupted");
    }
}

/// Ctrl-C stops soon, says so, and can be resumed.
#[test]
fn an_interrupted_acquisition_says_so() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = Room::in_memory();
    let source = room.file("source", &content(13, 192 * MIB));
    let image = room.path().join("image.E01");
    let trial = || acquire(["-a", "md5", "--compression", "best", "-m", "4", "--to"]).arg(&image).arg(&source);
    let seen = trial().signal_once_caught(Duration::from_millis(100), 2).run().unwrap();
    assert_eq!(seen.code, Some(130), "{}", seen.stderr);
    assert!(seen.stderr.contains("the same command resumes here") && seen.stdout.is_empty(), "{}", seen.stderr);
    let seen = trial().limit(Duration::from_secs(120)).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(report(&seen)["digests"]["md5"].as_str().unwrap(), digest_by("md5sum", &content(13, 192 * MIB)));
}

/// A signal while targets are read back ends as a signal does, the logs state it, and the same
/// command ends well.
#[test]
fn a_signal_while_targets_are_read_back_is_a_signal() {
    let room = Room::new();
    let (source, image) = (room.path().join("source"), room.path().join("image"));
    fs::File::create(&source).unwrap().set_len(512 * MIB).unwrap();
    let log = room.path().join("image.log.jsonl");
    let arguments =
        ["acquire", "--no-progress", "--verify", "--skip-holes", "--sparse", "-a", "sha512", "source", "--to", "image"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(arguments)
        .current_dir(room.path())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The digests are in the log when the source has been read, and before the first target is.
    let is_read = || fs::read_to_string(room.path().join("image.log")).is_ok_and(|log| log.contains("\n  sha512 "));
    while !is_read() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was read back");
        std::thread::sleep(Duration::from_millis(2));
    }
    said("kill", &[OsStr::new("-INT"), OsStr::new(&child.id().to_string())]);
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("stopped"), "{stderr}");
    assert!(fs::read_to_string(&log).unwrap().contains("\"kind\":\"failed\""));
    assert_eq!(fs::metadata(&image).unwrap().len(), 512 * MIB);
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(String::from_utf8_lossy(&seen.stdout).contains("image: verified, equal"), "{seen:?}");
}
