//! `pfh selftest`: faults of file systems are found and named, and nothing stays behind.
#![cfg(unix)]

use crate::program::{Room, sha256};
use pfh_inject::{Fault, Need, Outcome, Trial, Workplace, lacks};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn selftest(directory: &Path, options: &[&str]) -> Outcome {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["selftest", "--size", "1MiB"]).args(options);
    trial.arg(directory).run().unwrap()
}

/// The names of the tests with this standing.
fn named(seen: &Outcome, standing: &str) -> Vec<String> {
    let rows = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    let rows = rows.filter(|row| row["standing"] == standing);
    rows.map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Of each fault of a file system the answers that it makes, and no others; without one none.
#[test]
fn each_fault_is_found_and_named() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let position = "io-uring at the file position";
    let cases: [(&[Fault], &[&str]); 8] = [
        (&[], &[]),
        (&[Fault::FoldsCase], &["upper and lower case"]),
        (&[Fault::NoSync], &["fsync"]),
        (&[Fault::StillTimes], &["times after a write", "change times"]),
        (&[Fault::NoChangeTime], &["change times"]),
        (&[Fault::ShortReads], &["reads are whole", "io-uring at offsets", position]),
        (&[Fault::WrongBytes], &["sizes", "reads at offsets", "io-uring at offsets", position]),
        (&[Fault::Keeps], &["removal"]),
    ];
    for (faults, expected) in cases {
        let mounted = Workplace::new(faults).mount().unwrap();
        let seen = selftest(mounted.path(), &["--json"]);
        let text = String::from_utf8_lossy(&seen.stdout);
        let found = named(&seen, "less-safe");
        // Names of upper case come back in lower case: further questions meet that, too.
        let others = found.iter().filter(|name| !faults.contains(&Fault::FoldsCase) || *name != "names of any bytes");
        assert_eq!(others.collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>(), "{faults:?}: {text}");
        assert_eq!(seen.code, Some(if expected.is_empty() { 0 } else { 3 }), "{faults:?}: {text}{}", seen.stderr);
        assert_eq!(named(&seen, "wrong"), Vec::<String>::new(), "{faults:?}");
        let page = selftest(mounted.path(), &[]);
        let page = String::from_utf8_lossy(&page.stdout);
        for name in expected {
            let (_, rest) = page.split_once(name).unwrap_or_else(|| panic!("{name}: {page}"));
            let mut lines = rest.lines();
            assert!(lines.next().unwrap().contains("LESS SAFE"), "{page}");
            assert!(lines.next().unwrap().trim_start().starts_with("so: "), "{page}");
            assert!(lines.next().unwrap().trim_start().starts_with("do: "), "{page}");
        }
        if faults.contains(&Fault::ShortReads) {
            // Through a ring the count of such reads comes back wrong here: no digest of pfh is.
            let bytes = [vec![1; 7], vec![2; 5000], vec![3; 300_000]];
            for (number, bytes) in bytes.iter().enumerate() {
                fs::write(mounted.path().join(number.to_string()), bytes).unwrap();
            }
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-r", "-a", "sha256"]).arg(mounted.path());
            let hashed = trial.run().unwrap();
            let right: Vec<String> = bytes.iter().map(|bytes| sha256(bytes)).collect();
            for line in hashed.lines() {
                let line = String::from_utf8_lossy(line);
                assert!(right.iter().any(|digest| line.starts_with(digest)), "{line}: {}", hashed.stderr);
            }
            assert!(hashed.lines().len() == 3 || hashed.code == Some(3), "{}", hashed.stderr);
            (0..3).for_each(|number| fs::remove_file(mounted.path().join(number.to_string())).unwrap());
        }
        let stays = usize::from(faults.contains(&Fault::Keeps)) * 2;
        assert_eq!(names(mounted.path()).len(), stays, "{faults:?}");
    }
}

/// A file that is not as long as is stated makes no digest wrong: nothing of it is believed.
#[test]
fn wrong_sizes_are_found() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Workplace::new(&[Fault::WrongSizes]).mount().unwrap();
    let seen = selftest(mounted.path(), &["--json"]);
    let text = String::from_utf8_lossy(&seen.stdout);
    assert_eq!(seen.code, Some(3), "{text}");
    assert!(named(&seen, "less-safe").contains(&"sizes".to_owned()), "{text}");
    assert_eq!(named(&seen, "untried").len(), 4, "{text}");
}

/// A real one: mergerfs gives bytes twice to a ring at the file position.
#[test]
fn mergerfs_is_seen_through() {
    if lacks(&[Need::Fuse, Need::Program("mergerfs")]) {
        return;
    }
    struct Mount(PathBuf);
    impl Drop for Mount {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg(&self.0).status();
        }
    }
    let room = Room::new();
    let [one, merged] = ["one", "merged"].map(|name| room.path().join(name));
    for path in [&one, &merged] {
        fs::create_dir(path).unwrap();
    }
    // By default it creates nothing on a disk with less than 4 GiB free.
    let options = ["-o", "cache.files=off,minfreespace=0"];
    let made = Command::new("mergerfs").args(options).arg(&one).arg(&merged).status().unwrap();
    assert!(made.success());
    let merged = Mount(merged);
    let seen = selftest(&merged.0, &["--json"]);
    let text = String::from_utf8_lossy(&seen.stdout);
    let is_named = named(&seen, "less-safe").contains(&"io-uring at the file position".to_owned());
    assert!(is_named, "{:?}: {text}{}", seen.code, seen.stderr);
    assert_eq!((seen.code, names(&merged.0)), (Some(3), Vec::new()), "{text}{}", seen.stderr);
}

/// Ctrl-C at any instant leaves the directory as it was; other files are not touched.
#[test]
fn nothing_stays_behind() {
    let room = Room::new();
    let kept = room.file("d/kept", b"bytes");
    let directory = kept.parent().unwrap();
    let before = fs::metadata(&kept).unwrap().modified().unwrap();
    let mut interrupted = 0;
    for delay in (0..24).map(|step| step * 90) {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["selftest", "--size", "1MiB"]).arg(directory);
        let seen =
            trial.signal_once_caught(Duration::from_millis(delay), [2, 15][(delay / 90 % 2) as usize]).run().unwrap();
        interrupted += usize::from(matches!(seen.code, Some(130 | 143)));
        assert!(matches!(seen.code, Some(0 | 130 | 143)), "{delay}: {:?}\n{}", seen.code, seen.stderr);
        assert_eq!(names(directory), ["kept"], "{delay}");
    }
    assert!(interrupted > 3, "{interrupted} of 24 were interrupted: the test saw nothing");
    assert_eq!(fs::read(&kept).unwrap(), b"bytes");
    assert_eq!(fs::metadata(&kept).unwrap().modified().unwrap(), before);
}

/// Where nothing can be tested the exit says so.
#[test]
fn a_place_that_is_none_is_refused() {
    let room = Room::new();
    let file = room.file("file", b"");
    assert_eq!(selftest(&file, &[]).code, Some(2));
    assert_eq!(selftest(&room.path().join("none"), &[]).code, Some(3));
    assert_eq!(selftest(Path::new("/proc"), &[]).code, Some(4));
    let seen = selftest(room.path(), &["--json"]);
    assert_eq!(named(&seen, "wrong"), Vec::<String>::new());
    // Every level that the processor has, and the kernels.
    let levels = named(&seen, "holds");
    assert!(levels.contains(&"portable".to_owned()) && levels.contains(&"kernels".to_owned()), "{levels:?}");
}
