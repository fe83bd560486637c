//! `--block` and `--blocks` of `pfh acquire` and `pfh dd`: the ring decides nothing but how much
//! waits between reading and writing.

use crate::program::{Room, sha256_of};
use pfh_inject::{Outcome, Trial, content};

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split_whitespace()).directory(room.path()).run().expect("a run")
}

#[test]
fn every_ring_makes_the_same_image() {
    let room = Room::new();
    // No multiple of any block, and larger than several.
    let source = room.file("source", &content(1, 9 * 1024 * 1024 + 512));
    let expected = sha256_of(&source);
    let rings = [
        "--block 12288 --blocks 3 --readers 4",
        "--block 64MB --blocks 5 --cached",
        "--block auto",
        "--block auto --readers 3",
    ];
    for ring in rings {
        let seen = pfh(&room, &format!("acquire source --to image --force --no-progress --verify {ring}"));
        assert_eq!(seen.code, Some(0), "{ring}: {}", seen.stderr);
        assert_eq!(sha256_of(&room.path().join("image")), expected, "{ring}");
        let log = std::fs::read_to_string(room.path().join("image.log")).unwrap_or_default();
        let said = String::from_utf8_lossy(&seen.stdout).into_owned() + &seen.stderr + &log;
        assert!(said.contains(&expected), "{ring}: {said}");
        let ring = ring.replace("--readers 4", "").replace("--readers 3", "").replace("--cached", "");
        let seen = pfh(&room, &format!("dd if=source of=copy hash=sha256 {ring} --force"));
        assert_eq!(seen.code, Some(0), "{ring}: {}", seen.stderr);
        assert!(seen.stderr.contains(&expected) || String::from_utf8_lossy(&seen.stdout).contains(&expected), "{ring}");
        assert_eq!(sha256_of(&room.path().join("copy")), expected, "{ring}");
    }
    // The paper's own line, and its ring.
    let seen = pfh(&room, "dd if=source of=part bs=1MB count=4 --block 64MB --blocks 5");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(
        std::fs::read(room.path().join("part")).expect("a part"),
        content(1, 9 * 1024 * 1024 + 512)[..4_000_000]
    );
}

#[test]
fn a_stream_goes_through_any_ring() {
    let room = Room::new();
    let bytes = content(2, 3_000_001);
    for ring in [&["--block", "4096", "--blocks", "2"][..], &["--block", "64MB"], &["--block", "auto"]] {
        let trial =
            Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "-", "--to", "image", "--force", "--no-progress"]);
        let seen = trial.args(ring).input(bytes.clone()).directory(room.path()).run().expect("a run");
        assert_eq!(seen.code, Some(0), "{ring:?}: {}", seen.stderr);
        assert_eq!(std::fs::read(room.path().join("image")).expect("an image"), bytes, "{ring:?}");
    }
}

#[test]
fn rings_that_cannot_be_are_refused_before_anything_is_written() {
    let room = Room::new();
    room.file("source", &content(1, 4096));
    for (ring, word) in [
        ("--block 512", "4096"),
        ("--block 0", "4096"),
        ("--block 2GiB", "1 GiB"),
        ("--blocks 1", "from 2"),
        ("--block many", "not a size"),
        ("--block auto --blocks 5", "leave out --blocks"),
    ] {
        for line in ["acquire source --to image", "dd if=source of=image"] {
            let seen = pfh(&room, &format!("{line} {ring}"));
            assert_eq!(seen.code, Some(2), "{line} {ring}: {}", seen.stderr);
            assert!(seen.stderr.contains(word), "{line} {ring}: {}", seen.stderr);
            assert!(!room.path().join("image").exists());
        }
    }
    assert_eq!(pfh(&room, "acquire source --to image --memory 4 --blocks 3").code, Some(2));
}

/// `--stats` has each stage's time, none longer than the run, and names the longest.
#[test]
fn stages_say_which_of_them_bounds_the_run() {
    let room = Room::new();
    room.file("source", &content(3, 9 << 20));
    for (target, packs, readers) in [("image", false, 1), ("image.E01", true, 2), ("other", false, 8)] {
        let line =
            format!("acquire source --to {target} --readers {readers} --compression best --no-progress --stats json");
        let seen = pfh(&room, &line);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let line = seen.stderr.lines().find(|line| line.starts_with('{')).expect("an object");
        let stages: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let seconds = |name: &str| stages[format!("{name}_s")].as_f64().expect("a number");
        let names = ["read", "hash", "pack", "write"];
        let longest = names.into_iter().max_by(|a, b| seconds(a).total_cmp(&seconds(b))).unwrap();
        assert_eq!(stages["bound_by"], longest, "{line}");
        assert!(names.iter().all(|name| seconds(name) <= seconds("total")), "{line}");
        assert!(seconds("read") > 0.0 && seconds("hash") > 0.0 && (seconds("pack") > 0.0) == packs, "{line}");
    }
    let seen = pfh(&room, "acquire source --to third --no-progress --stats text");
    assert!(seen.stderr.contains(": bound by the "), "{}", seen.stderr);
}
