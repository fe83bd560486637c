//! Images of any size: copies that do not end with a sector, or were cut off.

use crate::program::{Room, random, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const NEEDS: &[Need] =
    &[Need::Program("mke2fs"), Need::Program("mkfs.vfat"), Need::Program("mcopy"), Need::Program("sfdisk")];

/// `SHA256  NAME` of a file inside.
fn line(name: &str, content: &[u8]) -> String {
    format!("{}  {name}", sha256(content))
}

#[test]
fn an_image_need_not_end_with_a_sector() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let (one, two) = (random(1, 5000), random(2, 300_001));
    room.file("t/one", &one);
    room.file("t/sub/two", &two);
    // 100 bytes beyond the last sector, and one less than a block.
    sh(&room, "truncate -s 9000100 ext && mke2fs -q -F -t ext4 -d t ext");
    sh(&room, "truncate -s 4M fat && mkfs.vfat fat >/dev/null && mcopy -s -i fat t/one t/sub :: && printf tail >>fat");
    sh(
        &room,
        "truncate -s 16M disk && printf '2048,20480,83\n' | sfdisk -q disk && dd if=ext of=disk bs=1M seek=1 conv=notrunc status=none && printf tail >>disk",
    );
    sh(&room, "gzip -k ext disk");
    for image in ["ext", "fat", "disk", "ext.gz", "disk.gz"] {
        let inner = image.strip_suffix(".gz").map_or(String::new(), |inner| format!("{inner}!/"));
        let part = if image.starts_with("disk") { "p1/" } else { "" };
        let seen = pfh(&room, ["hash", "--inside", image]);
        assert_eq!(seen.code, Some(0), "{image}: {}", seen.stderr);
        let listed = String::from_utf8_lossy(&seen.stdout).into_owned();
        for (name, content) in [("one", &one), ("sub/two", &two)] {
            let line = line(&format!("{image}!/{inner}{part}{name}"), content);
            assert!(listed.lines().any(|one| one == line), "{line} is not in\n{listed}");
        }
    }
}

/// What lies behind the cut is an error each, and what lies before it has its digest.
#[test]
fn an_image_that_was_cut_off_has_errors() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("t/{number:02}"), &random(number, 200_000));
    }
    sh(&room, "truncate -s 16M ext && mke2fs -q -F -t ext4 -d t ext && head -c 6000001 ext >cut");
    let whole = pfh(&room, ["hash", "--inside", "ext"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let whole = String::from_utf8_lossy(&whole.stdout).replace("ext!/", "cut!/");
    let cut = pfh(&room, ["hash", "--inside", "cut"]);
    assert_eq!(cut.code, Some(3), "{}", cut.stderr);
    let cut_lines = String::from_utf8_lossy(&cut.stdout).into_owned();
    let inside: Vec<&str> = cut_lines.lines().filter(|line| line.contains("!/")).collect();
    assert!(!inside.is_empty() && inside.len() < 40, "{cut_lines}");
    assert!(inside.iter().all(|line| whole.lines().any(|other| other == *line)), "{cut_lines}");
    let failed: Vec<&str> = cut.stderr.lines().filter(|line| line.contains("cut!/")).collect();
    assert!(failed[0].contains("cut!/: ") && failed[0].contains("the volume only 6000001"), "{}", cut.stderr);
    assert_eq!(inside.len() + failed.len() - 1, 40, "{}", cut.stderr);
}

/// Letters that stand where a magic does make no text an image.
#[test]
fn texts_are_no_images() {
    let room = Room::new();
    let mut digits = vec![b'4'; 40_001];
    digits[510..512].copy_from_slice(b"55");
    room.file("digits", &digits);
    let mut letters = "ABCDEFGH".repeat(5001).into_bytes();
    letters[1024..1026].copy_from_slice(b"BD");
    room.file("letters", &letters);
    for text in ["digits", "letters"] {
        let seen = pfh(&room, ["hash", "--inside", text]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(seen.stdout.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
