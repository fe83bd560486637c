//! The second command of every user: `pfh check` verifies the lists of `pfh hash`, by absolute and
//! relative names, from any working directory. Algorithms, formats and lists of others are in
//! `check_formats.rs` and `check_others.rs` of the jobs.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

const FORMATS: [&str; 6] = ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"];

fn pfh<S: AsRef<OsStr>>(directory: &Path, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(directory).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// Names of every kind.
fn tree() -> Room {
    let room = Room::new();
    let names: [&[u8]; 9] =
        [b"plain", b"new\nline", b"back\\slash", b"  spaces ", b"*star", b"-", b"not\xffutf8", b"CR\r", b"sub/(x) = y"];
    names.iter().for_each(|name| drop(room.file(Path::new("d").join(OsStr::from_bytes(name)), name)));
    room
}

#[test]
fn from_any_working_directory() {
    let room = tree();
    let (elsewhere, parent) = (Room::new(), room.path().parent().unwrap().to_owned());
    let absolute = room.path().join("d");
    let beside = room.path().join("m");
    let away = elsewhere.path().join("m");
    for format in FORMATS {
        for algorithm in ["sha256", "sha3-256"] {
            if format == "hashdeep" && algorithm != "sha256" {
                continue;
            }
            for operand in [Path::new("d"), &absolute] {
                for manifest in [&beside, &away] {
                    let arguments =
                        ["hash", "--no-progress", "-r", "-a", algorithm, "-f", format, "-o"].map(OsStr::new);
                    let arguments = arguments.into_iter().chain([manifest.as_os_str(), operand.as_os_str()]);
                    let seen = pfh(room.path(), arguments);
                    assert!(matches!((seen.code, format), (Some(0), _) | (Some(3), "hashdeep")), "{}", seen.stderr);
                    for directory in [room.path(), &parent, elsewhere.path()] {
                        let seen = pfh(directory, [OsStr::new("check"), manifest.as_os_str()]);
                        let what = format!("{format} {operand:?} {manifest:?} from {directory:?}: {}", seen.stderr);
                        assert_eq!(seen.code, Some(0), "{what}");
                        let other = operand.is_relative() && directory != room.path();
                        assert_eq!(seen.stderr.contains("names start in"), other, "{what}");
                    }
                    fs::remove_file(manifest).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_copy_is_not_verified_by_its_original() {
    let (room, copy) = (tree(), Room::new());
    let seen = pfh(room.path(), ["hash", "--no-progress", "-r", "-o", "m", "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    // One file of nine arrived: beside a copy the copy is meant.
    copy.file("d/plain", &fs::read(room.path().join("d/plain")).unwrap());
    let seen = pfh(copy.path(), [OsStr::new("check"), room.path().join("m").as_os_str()]);
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(1), 1), "{}", seen.stderr);
    assert!(seen.stderr.contains("more of the names are in"), "{}", seen.stderr);
}

#[test]
fn the_run_leaves_its_own_output_out() {
    let room = Room::new();
    room.file("D/a", b"a");
    room.file("D/b/S", b"another file of that name");
    let hash = ["hash", "--no-progress", "-r", "D", "-f", "jsonl", "-o", "D/S", "--seal", "--cache", "D/c"];
    for round in 0..3 {
        let seen = pfh(room.path(), [&hash[..], if round > 0 { &["--force"] } else { &[] }].concat());
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let manifest = fs::read_to_string(room.path().join("D/S")).unwrap();
        assert_eq!(manifest.matches("\"type\":\"file\"").count(), 2, "{manifest}");
        assert!(round == 0 || seen.stderr.contains("D/S: skipped: output of this run"), "{}", seen.stderr);
        assert!(seen.stderr.contains("D/c: skipped: output of this run"), "{}", seen.stderr);
        let seen = pfh(room.path(), ["check", "--no-progress", "D/S"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(seen.stderr.contains("the seal holds: "), "{}", seen.stderr);
        let seen = pfh(room.path(), ["check", "--no-progress", "--audit", "D/S", "D"]);
        assert_eq!(seen.code, Some(0), "{}{}", text(&seen), seen.stderr);
    }
    // Through the shell.
    let shell = format!("{} hash --no-progress -r . > S", env!("CARGO_BIN_EXE_pfh"));
    for _ in 0..2 {
        let output = Command::new("sh").args(["-c", &shell]).current_dir(room.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.contains("./S: skipped: output of this run"), "{said}");
        assert!(!fs::read_to_string(room.path().join("S")).unwrap().contains("  ./S\n"));
    }
}
