//! Commands that look inside of images write to no file of their input: no later segment, piece or
//! extent of an image, and nothing in a directory that becomes a set.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeMap;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-ec", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const NEEDS: &[Need] =
    &[Need::Program("qemu-img"), Need::Program("mke2fs"), Need::Program("split"), Need::Program("sha256sum")];

/// Every file below the room.
fn state(room: &Room) -> BTreeMap<String, Vec<u8>> {
    let output = Command::new("find").args([".", "-type", "f"]).current_dir(room.path()).output().unwrap();
    let names = String::from_utf8(output.stdout).unwrap();
    names.lines().map(|name| (name.to_owned(), std::fs::read(room.path().join(name)).unwrap())).collect()
}

/// A disk as E01 in two segments, split, as a VMDK with its extents, and as a raw file, in `d`.
fn images(room: &Room) {
    room.file("t/a", &random(1, 200_000));
    room.file("t/b", &random(2, 3_000_000));
    sh(room, "mkdir d; truncate -s 6M raw; mke2fs -q -F -t ext4 -d t raw; cp raw d/raw.img");
    sh(room, "split -b 3000000 -a 3 --numeric-suffixes=0 raw d/part.");
    sh(room, "qemu-img convert -O vmdk -o subformat=twoGbMaxExtentSparse raw d/x.vmdk");
    let seen = pfh(room, "acquire raw --to d/case.E01 --split 1MiB");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(room.path().join("d/case.E02").exists() && room.path().join("d/part.001").exists());
    sh(room, "sha256sum t/a > sums; rm raw");
}

/// Each image by its first file, with a file of it that is not named.
const IMAGES: [(&str, &str); 4] = [
    ("d/case.E01", "d/case.E02"),
    ("d/part.000", "d/part.001"),
    ("d/x.vmdk", "d/x-s001.vmdk"),
    ("d/raw.img", "d/raw.img"),
];

#[test]
fn no_command_that_looks_inside_writes_to_a_file_of_the_image() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    images(&room);
    sh(&room, "ls d/case.E01 d/part.000 d/x.vmdk d/raw.img > names");
    let before = state(&room);
    for (image, part) in IMAGES {
        for words in [
            format!("hash --inside --force -o {part} {image}"),
            format!("hash --image --inside --force -o {part} {image}"),
            format!("hash --inside --force -o {part} --files-from names"),
            // A directory in which a part would be taken for an old output of one's own.
            format!("hash -r --inside --force -o {part} d"),
            format!("match --inside -k sums --force -o {part} {image}"),
            format!("match -r --inside -k sums --force -o {part} d"),
            format!("compare --inside -a tlsh --force -o {part} {image}"),
            format!("compare -r --inside -a tlsh --force --html {part} d"),
            format!("known build --inside --force {part} --good {image}"),
            format!("known build --inside --force {part} --good d"),
            format!("known build --blocks 512 --inside --force {part} --good {image}"),
            format!("diff --inside --cache {part} {image} t"),
        ] {
            // A raw file is replaced by a list that is made of the directory, as any other file of
            // the output's name there; it is left out of the list.
            if image == part && words.contains(" -r ") {
                continue;
            }
            let seen = pfh(&room, &words);
            assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
            assert!(state(&room) == before, "{words}");
        }
    }
}

/// The output of a build is never in the directory that becomes a set: a second build would have it
/// in.
#[test]
fn a_set_does_not_lie_in_what_it_is_made_of() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    images(&room);
    let before = state(&room);
    for words in [
        "known build --inside d/set --good d",
        "known build --inside ./d/../d/set --good d --force",
        "known build --inside set --work d/work --good d",
        "known build --blocks 512 set --work d/work --good d",
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains("lies in"), "{words}: {}", seen.stderr);
        assert!(state(&room) == before, "{words}");
    }
    for _ in 0..2 {
        let seen = pfh(&room, "known build --inside set --good d");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    }
    // A list of one's own in a directory that is walked is made again with --force.
    for _ in 0..2 {
        let seen = pfh(&room, "hash -r --inside --force -f jsonl -o d/list d");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, "check d/list");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    }
}
