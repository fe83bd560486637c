//! `pfh acquire`: its output for runs that end, resume and are refused, as text and as JSON.

use crate::program::acquisition::report;
use crate::program::{MIB, Room, pfh};
use pfh_inject::content;

/// The same command finds everything done, and names the option that tries again.
#[cfg(unix)]
#[test]
fn the_same_command_again_names_its_options() {
    let room = Room::new();
    room.file("source", &content(3, 4 * MIB));
    room.file("bad", b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x3EFC00 +\n");
    room.file("fewer", b"0 +\n0 0x10000 +\n0x10000 0x200 -\n0x10200 0x3EFE00 +\n");
    let acquire = |words: &str| pfh(&room, &format!("acquire --no-progress --json source --to image {words}"));
    assert_eq!(acquire("--map-as-faults bad").code, Some(3));
    let seen = acquire("--map-as-faults bad");
    assert!(seen.code == Some(3) && seen.stderr.contains("--retry-bad"), "{}", seen.stderr);
    let seen = acquire("--map-as-faults fewer --retry-bad");
    let said = "1024 bytes that were not read at first were tried again, 512";
    assert!(seen.code == Some(3) && seen.stderr.contains(said), "{}", seen.stderr);
    let lost = &report(&seen)["unreadable"];
    assert_eq!(
        (&lost[0]["sector"], &lost[0]["length"], &lost[1]),
        (&128.into(), &512.into(), &serde_json::Value::Null)
    );
    assert_eq!(acquire("--retry-bad").code, Some(0));
    let seen = acquire("--retry-bad");
    assert!(seen.code == Some(0) && seen.stderr.contains("nothing to try again"), "{}", seen.stderr);
    let seen = acquire("");
    assert!(seen.code == Some(0) && seen.stderr.contains("acquired before"), "{}", seen.stderr);
    for (words, said) in [
        ("--to image --case 2", "start over with --force"),
        ("--to other --log image.log", "with --log"),
        ("--to e.E01 --split 1000", "--split 1000: E01 segments must have at least"),
        ("--to other --suffix 0 --split 1000", "two places"),
        ("--to other --log /dev/null", "--log /dev/null: a log has a twin beside it and must be a file"),
    ] {
        let seen = pfh(&room, &format!("acquire --no-progress source {words}"));
        assert!(seen.code == Some(2) && seen.stderr.contains(said), "{words}: {}", seen.stderr);
    }
    crate::program::flip(&room, "image", 70_000);
    let seen = acquire("");
    assert!(seen.code == Some(1) && seen.stderr.contains("changed since"), "{}", seen.stderr);
}

/// A later segment names the first, by every command that reads images.
#[test]
fn the_first_segment_is_asked_for() {
    let room = Room::new();
    room.file("source", &content(6, 300_000));
    assert_eq!(pfh(&room, "acquire source --to o --split 100000").code, Some(0));
    for (words, code) in [("hash --image", 3), ("verify", 2), ("acquire --no-progress --to copy --image", 2)] {
        let seen = pfh(&room, &format!("{words} o.001"));
        assert!(seen.code == Some(code) && seen.stderr.contains("name the first segment, o.000"), "{words}: {seen:?}");
    }
    let seen = pfh(&room, "acquire --no-progress source --to x.E02");
    assert!(seen.code == Some(2) && seen.stderr.contains("say -f raw"), "{}", seen.stderr);
    assert_eq!(pfh(&room, "acquire --no-progress source --to x.E02 -f raw").code, Some(0));
}

/// Lost sectors are counted and named, and too many of them end the run.
#[test]
fn lost_sectors_have_their_exits() {
    let room = Room::new();
    room.file("source", &content(14, MIB));
    room.file("faults", b"0x0 +\n0x00000000 0x00010000 +\n0x00010000 0x00000400 -\n0x00010400 0x000EFC00 +\n");
    let acquire = |words: &str| pfh(&room, &format!("acquire --no-progress --json source --to image {words}"));
    let seen = acquire("--fill 42AD --map-as-faults faults --retries 1");
    assert_eq!((seen.code, &report(&seen)["unreadable"][0]["length"]), (Some(3), &1024.into()), "{}", seen.stderr);
    let image = std::fs::read(room.path().join("image")).unwrap();
    assert_eq!(image[0x1_0000..0x1_0004], [0x42, 0xad, 0x42, 0xad]);
    let seen = acquire("--force --max-errors 1 --map-as-faults faults");
    assert!(seen.code == Some(4) && seen.stdout.is_empty(), "{}", seen.stderr);
    assert!(seen.stderr.contains("more unreadable sectors than allowed"), "{}", seen.stderr);
    let seen = acquire("--skip-holes --sparse --verify --readers 2 -m 4 --force");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// Places are those of the medium, and a map without a source names the option that takes it.
#[test]
fn sectors_and_maps_are_named() {
    let room = Room::new();
    room.file("source", &content(6, 2 * MIB));
    room.file("faults", b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x1EFC00 +\n");
    let words = "acquire --no-progress --skip 60000 --to image --map-as-faults faults source";
    let seen = pfh(&room, words);
    let said = "unreadable: sectors 128 - 129 (offset 65536 of the medium, 5536 of the image, 1024 bytes)";
    assert!(seen.code == Some(3) && String::from_utf8_lossy(&seen.stdout).contains(said), "{seen:?}");
    let bad = &report(&pfh(&room, &format!("{words} --force --json")))["unreadable"][0];
    let place = ["sector", "medium-offset", "offset"].map(|name| bad[name].as_u64());
    assert_eq!(place, [Some(128), Some(65_536), Some(5536)]);
    room.file("begun", &content(6, 4096));
    room.file(
        "begun.map",
        b"# Mapfile. Created by GNU ddrescue version 1.27\n0x1000 ? 1\n0x0 0x1000 +\n0x1000 0x1FF000 ?\n",
    );
    let seen = pfh(&room, "acquire --no-progress source --to begun");
    assert!(seen.code == Some(2) && seen.stderr.contains("GNU ddrescue's map"), "{}", seen.stderr);
    assert!(seen.stderr.contains("--adopt-map"), "{}", seen.stderr);
    let seen = pfh(&room, "acquire --no-progress source --to begun --adopt-map");
    assert!(seen.code == Some(0) && seen.stderr.contains("resuming: 4096 bytes"), "{}", seen.stderr);
}
