//! `pfh acquire` writing: targets that are full or limited.
#![cfg(unix)]

use crate::program::acquisition::{acquire, pfh};
use crate::program::{MIB, Room};
use pfh_inject::{Injection, Loop, Need, Tmpfs, Trial, Zram, content, lacks};
use std::ffi::OsStr;
use std::fs;

/// AO-21: dd, dcfldd, dc3dd and ddrescue all exit 0 here, with a wrong clone.
#[test]
fn a_write_that_fails_late_is_a_failure() {
    if lacks(&[Need::Zram]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(1, 16 * MIB));
    let zram = Zram::add(32 * MIB, 4 * MIB).unwrap();
    for way in [&["--log"][..], &["--cached", "--log"]] {
        let log = room.path().join(format!("log{}", way.len()));
        let map = room.path().join(format!("map{}", way.len()));
        let seen = acquire(way).arg(log).arg("--map").arg(map).arg("--to").arg(zram.path()).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(4), "{}", seen.stderr);
        assert!(seen.stdout.is_empty() && seen.stderr.contains("zram"), "{}", seen.stderr);
    }
    let copied = pfh([
        OsStr::new("dd"),
        format!("if={}", source.display()).as_ref(),
        format!("of={}", zram.path().display()).as_ref(),
        "bs=1M".as_ref(),
    ]);
    assert_eq!(copied.code, Some(4), "{}", copied.stderr);
}

/// AO-03, AO-04: no room, reported before the first byte where that can be known, and in the middle
/// where not.
#[test]
fn a_full_target_is_reported() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(2, 16 * MIB);
    let source = room.file("source", &bytes);
    let small = Tmpfs::mount(&room.path().join("small"), 4 * MIB).unwrap();
    let at = |name: &str| small.path().join(name);
    let map = || room.path().join("m");
    let seen = acquire(["--log"])
        .arg(room.path().join("l1"))
        .arg("--map")
        .arg(map())
        .arg("--to")
        .arg(at("a"))
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("No space left"), "{}", seen.stderr);
    let _ = fs::remove_file(at("a"));
    for (name, split) in [("b", "0"), ("c.E01", "3MiB"), ("d", "1MiB")] {
        let mut trial =
            acquire(["--log"]).arg(room.path().join(format!("l{name}"))).arg("--to").arg(at(name)).input(bytes.clone());
        if split != "0" {
            trial = trial.args(["--split", split]);
        }
        let seen = trial.arg("-").run().unwrap();
        assert_eq!(seen.code, Some(4), "{name}: {}", seen.stderr);
        assert!(seen.stderr.contains("No space left") && seen.stdout.is_empty(), "{}", seen.stderr);
        for left in fs::read_dir(small.path()).unwrap().flatten() {
            fs::remove_file(left.path()).unwrap();
        }
    }
}

/// A limit on file sizes is an error that is reported, not a death by signal.
#[test]
fn a_file_size_limit_is_reported() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let room = Room::new();
    let image = room.path().join("image");
    let seen = acquire(["--to"])
        .arg(&image)
        .arg("-")
        .input(content(3, 4 * MIB))
        .under(["prlimit", "--fsize=1000000"])
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("File too large"), "{}", seen.stderr);
}

/// Files among devices are lost when the machine is turned off.
#[test]
fn the_records_of_a_clone_lie_in_the_working_directory() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(3, 2 * MIB));
    let device = Loop::attach(&room.file("disk", &content(4, 2 * MIB)), &[]).unwrap();
    let name = device.path().file_name().unwrap().to_str().unwrap();
    let seen = acquire(["--force", "--to"]).arg(device.path()).arg(&source).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for ending in ["log", "log.jsonl", "map"] {
        assert!(room.path().join(format!("{name}.{ending}")).is_file(), "{name}.{ending}");
        assert!(!device.path().with_extension(ending).exists(), "{ending} among the devices");
    }
    let verify = |directory| {
        Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("verify").arg(device.path()).directory(directory).run().unwrap()
    };
    let found = verify(room.path());
    assert_eq!(found.code, Some(0), "{}", found.stderr);
    assert!(String::from_utf8_lossy(&found.stdout).contains(&format!("{name}.log.jsonl")), "{found:?}");
    let elsewhere = Room::new();
    assert_ne!(verify(elsewhere.path()).code, Some(0), "nothing there states a digest");
}

/// Half a map beside the image would be taken for one.
#[test]
fn a_map_that_cannot_take_its_place_leaves_no_half() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    room.file("disk", &content(1, 300_000));
    let injection = Injection::always("rename,renameat,renameat2", "EIO");
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "disk", "--to", "image", "--no-progress"]);
    let seen = trial.directory(room.path()).inject(injection).run().unwrap();
    assert!(seen.code == Some(4) && seen.stderr.contains("image.map: "), "{:?}: {}", seen.code, seen.stderr);
    assert!(!room.path().join("image.map.new").exists());
}
