//! `pfh acquire` with more segments than files may be open, and words that are none of its.
#![cfg(unix)]

use crate::program::acquisition::acquire;
use crate::program::{MIB, Room, sha256};
use pfh_inject::{Need, Trial, content, lacks};
use std::fs;
use std::path::Path;

/// A disk of some TB has more segments than a process may have open files; here it is 150 and 64.
#[test]
fn more_files_than_may_be_open() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let room = Room::new();
    let bytes = content(7, 150 * MIB / 8);
    let source = room.file("source", &bytes);
    for (name, first, split) in [("split", "split.000", "128KiB"), ("image.E01", "image.E01", "256KiB")] {
        let target = room.path().join(name);
        let few = ["prlimit", "--nofile=64"];
        let made = ["-a", "md5,sha256", "--compression", "none", "--split", split, "--verify", "--to"];
        let seen = acquire(made).arg(&target).arg(&source).under(few).run().unwrap();
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        let stem = Path::new(name).file_stem().unwrap();
        let files = fs::read_dir(room.path()).unwrap().flatten();
        let files = files.filter(|f| Path::new(&f.file_name()).file_stem() == Some(stem)).count();
        assert!(files > 64, "{name}: {files} files");
        let first = room.path().join(first);
        let verify: [&[&str]; 2] = [&["verify"], &["hash", "--image"]];
        for arguments in verify {
            let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).arg(&first).under(few).run().unwrap();
            assert_eq!(seen.code, Some(0), "{name} {arguments:?}: {}", seen.stderr);
            let out = String::from_utf8_lossy(&seen.stdout);
            assert!(arguments[0] == "verify" || out.contains(&sha256(&bytes)), "{out}");
        }
    }
}

#[test]
fn bad_input_is_a_usage_error() {
    let room = Room::new();
    let source = room.file("source", b"x");
    let image = room.path().join("image");
    for words in [
        &["--suffix", "q", "--split", "1M"][..],
        &["--fill", "xyz"],
        &["-a", "nonsense"],
        &["--format", "e01"],
        &["--examiner", "a\tb", "--split", "0"],
        &["--map-interval", "-1"],
    ] {
        let seen = acquire(words).arg("--to").arg(&image).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(2), "{words:?}: {}", seen.stderr);
        assert!(!image.exists());
    }
    let seen = acquire(["--to"]).arg(&image).arg(room.path().join("missing")).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("missing") && !image.exists(), "{}", seen.stderr);
}
