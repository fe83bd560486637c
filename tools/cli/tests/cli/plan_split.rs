//! `plan --split`: large files in ranges, which any units read in any order.
#![cfg(unix)]

use crate::plan::{good, pfh};
use crate::program::{Room, random};

/// A small file, and one of many ranges.
fn furnished() -> Room {
    let room = Room::new();
    room.file("tree/small", &random(1, 9_000));
    room.file("tree/large", &random(10, 3_000_000));
    room
}

#[test]
fn ranges_that_are_not_shared_out_are_said() {
    let room = furnished();
    let said = |words: &str| good(&room, &format!("plan -r tree -a blake3 {words}")).stderr;
    assert!(said("--split 64KiB -o ONE").contains("--split shares nothing out"));
    assert!(!said("--split 64KiB --unit 200KiB -o MANY").contains("shares nothing out"));
    assert!(!said("--unit 200KiB -o WHOLE").contains("shares nothing out"));
    // No file is larger than a range.
    let seen = pfh(&room, "plan -r tree -a blake3 -f jsonl --piecewise 4KiB --split 1MiB -o NONE");
    assert!(seen.code == Some(2) && seen.stderr.contains("--piecewise"), "{:?} {}", seen.code, seen.stderr);
    assert!(!said("--split 1GiB -o SMALL").contains("shares nothing out"));
    // A file that holds all others up.
    let whole = said("--unit 200KiB -o LONG");
    assert!(whole.contains("the longest unit is one file of 3.0 MB") && whole.contains("--split"), "{whole}");
    assert!(!said("--unit 1MiB --split 64KiB -o SHORT").contains("the longest unit"));
    assert!(!said("--unit 4MiB -o ENOUGH").contains("the longest unit"));
}
