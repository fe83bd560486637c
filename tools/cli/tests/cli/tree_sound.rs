//! `pfh tree`: a change costs its path, and a journal that was left is taken up.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::Room;
use crate::program::trees::{good, noise, pfh, text};
use pfh_inject::{Need, lacks};

/// The program's reads and writes for one byte of 256 MiB, in leaves of 1 KiB: a tree of 16 MiB.
#[test]
fn a_change_of_one_byte_reads_and_writes_its_path() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let file = room.path().join("file");
    std::fs::File::create(&file).and_then(|file| file.set_len(1 << 28)).expect("a sparse file");
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    let (mut read, mut written) = (0, 0);
    let traced = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=read,pread64,write,pwrite64", "-o", "trace", env!("CARGO_BIN_EXE_pfh")])
        .args(["tree", "update", "file", "--range", "12345678:1"])
        .current_dir(room.path())
        .stdout(Stdio::null())
        .status()
        .expect("strace");
    assert!(traced.success());
    for line in std::fs::read_to_string(room.path().join("trace")).expect("a trace").lines() {
        let bytes: i64 = line.rsplit(" = ").next().and_then(|n| n.split(' ').next()?.parse().ok()).unwrap_or(0);
        if line.contains("file.pfhtree") && line.contains("read") {
            read += bytes;
        } else if line.contains("file.pfhtree") {
            written += bytes;
        }
    }
    assert!((500..16 << 10).contains(&read), "{read} bytes of the tree were read");
    assert!((500..16 << 10).contains(&written), "{written} bytes of tree and journal were written");
    let seen = good(&room, ["tree", "check", "file"]);
    assert!(text(&seen).contains("OK: 262144 leaves"));
}

#[test]
fn an_update_without_a_range_names_both_options() {
    let room = Room::new();
    room.file("file", b"data");
    let seen = pfh(&room, ["tree", "update", "file"]);
    assert_eq!(seen.code, Some(2));
    assert!(seen.stderr.contains("--range") && seen.stderr.contains("--changed-since"), "{}", seen.stderr);
    let seen = pfh(&room, ["tree", "build", "."]);
    assert_eq!((seen.code, seen.stderr.contains("pfh tree build -r")), (Some(2), true), "{}", seen.stderr);
    // No hint names an option that these commands have not.
    assert!(Command::new("mkfifo").arg(room.path().join("fifo")).status().is_ok_and(|made| made.success()));
    for arguments in [["tree", "build", "fifo"], ["tree", "check", "fifo"], ["audit", "commit", "fifo"]] {
        let seen = pfh(&room, arguments);
        assert!(seen.code == Some(3) && !seen.stderr.contains("--special"), "{arguments:?}: {}", seen.stderr);
    }
    for option in ["tree", "audit"] {
        let help = text(&good(&room, [option, "--help"]));
        assert!(help.contains("Exit codes:") && help.contains("leaf"), "{help}");
    }
}

/// The next command completes an update that a power cut stopped between journal and tree; readers
/// see the new state at once.
#[test]
fn a_journal_that_was_left_is_taken_up() {
    let room = Room::new();
    let mut bytes = noise(200_000, 9);
    let file = room.file("file", &bytes);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    let tree: PathBuf = room.path().join("file.pfhtree");
    let journal: &Path = &room.path().join("file.pfhtree.journal");
    bytes[77_777] ^= 1;
    std::fs::write(&file, &bytes).expect("written");
    // Killed when the header, which is written last, is about to be written.
    let killed = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", "inject=pwrite64:signal=SIGKILL:when=3"])
        .args([env!("CARGO_BIN_EXE_pfh"), "tree", "update", "file", "--range", "77777:1"])
        .current_dir(room.path())
        .status();
    if killed.is_err() || !journal.exists() {
        assert!(lacks(&[Need::Program("strace")]), "the kill left no journal");
        return;
    }
    let torn = std::fs::read(&tree).expect("a tree");
    good(&room, ["tree", "check", "file"]);
    assert_eq!(std::fs::read(&tree).expect("a tree"), torn, "a check writes nothing");
    good(&room, ["tree", "update", "file", "--range", "0:1"]);
    assert!(!journal.exists());
    let whole = std::fs::read(&tree).expect("a tree");
    assert_ne!(whole, torn);
    good(&room, ["tree", "build", "--leaf", "1KiB", "file"]);
    assert_eq!(std::fs::read(&tree).expect("a tree"), whole);
}
