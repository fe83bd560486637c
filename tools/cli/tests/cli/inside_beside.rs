//! Bytes beside those that a disk's tables list: archives behind its end, snapshots in its image,
//! archives far in other files and in strings.
#![cfg(unix)]

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::Command;

fn inside(room: &Room, name: &str) -> Outcome {
    let arguments = ["hash", "--no-progress", "--inside", "--members", "-a", "md5", name];
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const NEEDS: &[Need] =
    &[Need::Program("mke2fs"), Need::Program("sfdisk"), Need::Program("qemu-img"), Need::Program("gzip")];

#[test]
fn snapshots_and_archives_behind_a_disk_are_named() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    room.file("t/a", b"words\n");
    sh(
        &room,
        "truncate -s 2M e && mke2fs -q -F -t ext4 -d t e && truncate -s 4M d && dd if=e of=d bs=1M seek=1 conv=notrunc",
    );
    sh(&room, "printf '2048,4096,83\n' | sfdisk -q d && gzip -nc t/a > a.gz && cat d a.gz > behind");
    sh(&room, "qemu-img convert -O qcow2 d q && cat q a.gz > q-behind && cp q s && qemu-img snapshot -c one s");
    for name in ["d", "q"] {
        let seen = inside(&room, name);
        assert_eq!((seen.code, seen.stderr.as_str()), (Some(0), ""), "{name}");
    }
    for (name, said) in [("behind", "gzip behind"), ("q-behind", "gzip behind the disk"), ("s", "keeps 1 snapshot,")] {
        let seen = inside(&room, name);
        assert_eq!(seen.code, Some(3), "{name}");
        assert!(seen.stderr.contains(said), "{name}: {}", seen.stderr);
        assert!(String::from_utf8_lossy(&seen.stdout).contains("!/"), "{name}");
    }
}

#[test]
fn archives_deep_in_a_file_and_in_strings_have_their_members() {
    if lacks(&[Need::Program("gzip"), Need::Program("base64")]) {
        return;
    }
    let room = Room::new();
    room.file("front", &[&b"\x01\x02"[..], &random(1, 300_000)].concat());
    room.file("words", &b"some words\n".repeat(100));
    sh(&room, "gzip -nc words > w.gz && cat front w.gz > far");
    sh(&room, "(printf '<img src=\"data:a/b;base64,'; base64 -w0 w.gz; echo '\">') > page.html");
    sh(&room, "(printf 'base64 -d > w.gz <<E\n'; base64 w.gz; printf 'E\ngunzip w.gz\n') > script");
    let expected = inside(&room, "w.gz");
    let sum = String::from_utf8_lossy(&expected.stdout)[..32].to_owned();
    for name in ["far", "page.html", "script"] {
        let seen = inside(&room, name);
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        assert!(text.lines().any(|line| line.starts_with(&sum) && line.contains("!/")), "{name}: {text}");
    }
}
