//! `pfh diff` with images and archives as sides.

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

const NEEDS: &[Need] = &[Need::Program("mke2fs"), Need::Program("sfdisk"), Need::Program("zip"), Need::Program("tar")];

/// A tree `a`, a copy `b` in which a file of each class is, and of both a disk with one partition,
/// `a.disk` and `b.disk`.
fn disks() -> Room {
    let room = Room::new();
    for (n, name) in ["same", "d/changed", "moved", "removed", "d/e/deep"].iter().enumerate() {
        room.file(format!("a/{name}"), &random(n as u64, 3000 * n + 7));
    }
    sh(&room, "cp -a a b && printf x >> b/d/changed && mv b/moved b/d/here && rm b/removed && printf new > b/added");
    sh(&room, "(cd a && zip -q -0 -r ../z.zip . ) && cp z.zip a/z.zip && cp z.zip b/z.zip");
    for side in ["a", "b"] {
        sh(&room, &format!("truncate -s 4M fs && mke2fs -q -F -t ext4 -d {side} fs"));
        sh(&room, &format!("truncate -s 6M {side}.disk && echo '2048,8192,83' | sfdisk -q {side}.disk"));
        sh(&room, &format!("dd if=fs of={side}.disk bs=1M seek=1 conv=notrunc status=none && rm fs"));
    }
    room
}

const FOUND: &str = "\
added     added
changed   d/changed
moved     d/here  (from moved)
removed   removed
";

/// The lines in order of names: which class comes when depends on which side is read.
fn classes(seen: &Outcome) -> String {
    let text = String::from_utf8(seen.stdout.clone()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(|line| line.split_whitespace().nth(1).map(str::to_owned));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_image_is_a_side_like_a_directory_and_a_list() {
    if lacks(NEEDS) {
        return;
    }
    let room = disks();
    assert_eq!(pfh(&room, "acquire a.disk --to a.E01").code, Some(0));
    for (list, words) in [
        ("a.sums", "hash -r a -o a.sums"),
        ("a.jsonl", "hash -r a -f jsonl -o a.jsonl"),
        ("in.jsonl", "hash --inside --depth 1 a.disk -f jsonl -o in.jsonl"),
        ("in.sums", "hash --inside --depth 1 a.E01 -o in.sums"),
    ] {
        assert_eq!(pfh(&room, words).code, Some(0), "{list}");
    }
    for a in ["a", "a.disk", "a.E01", "a.disk!/p1", "a.sums", "a.jsonl", "in.jsonl", "in.sums"] {
        let seen = pfh(&room, &format!("diff {a} b.disk"));
        assert_eq!((seen.code, classes(&seen).as_str()), (Some(1), FOUND), "{a}: {}", seen.stderr);
        let seen = pfh(&room, &format!("diff {a} a.E01"));
        assert_eq!(seen.code, Some(if a == "a.E01" { 3 } else { 0 }), "{a}: {}", seen.stderr);
        let seen = pfh(&room, &format!("diff a.disk {a}"));
        assert_eq!(seen.code, Some(if a == "a.disk" { 3 } else { 0 }), "{a}: {}", seen.stderr);
    }
    let seen = pfh(&room, "diff a.disk b");
    assert_eq!((seen.code, classes(&seen).as_str()), (Some(1), FOUND), "{}", seen.stderr);
    assert!(seen.stderr.contains("compared without a.disk!/p1/ in front"), "{}", seen.stderr);
    // A directory in an image.
    sh(&room, "cp -a b/d only && rm only/here");
    let seen = pfh(&room, "diff b.disk!/p1/d only");
    assert_eq!((seen.code, classes(&seen).as_str()), (Some(1), "removed   here\n"), "{}", seen.stderr);
}

#[test]
fn an_archive_is_a_side_and_archives_in_both_are_opened_on_request() {
    if lacks(NEEDS) {
        return;
    }
    let room = disks();
    sh(&room, "tar -cf a.tar -C a . && tar -czf a.tar.gz -C a . && (cd a && zip -q -r ../a.zip .)");
    for archive in ["a.zip", "a.tar", "a.tar.gz"] {
        let seen = pfh(&room, &format!("diff {archive} a"));
        assert_eq!(seen.code, Some(0), "{archive}: {} {}", seen.stderr, classes(&seen));
        let seen = pfh(&room, &format!("diff a.disk {archive}"));
        assert_eq!(seen.code, Some(0), "{archive}: {}", seen.stderr);
    }
    // A list that is packed stays one.
    assert_eq!(pfh(&room, "hash -r a -o list").code, Some(0));
    sh(&room, "gzip list");
    assert_eq!(pfh(&room, "diff list.gz a").code, Some(0));
    // Another file in an archive in both.
    sh(&room, "printf y > same && cp b/z.zip x.zip && zip -q -0 x.zip same && cp x.zip b/z.zip");
    let seen = pfh(&room, "diff a b --only changed");
    assert!(classes(&seen).ends_with("changed   z.zip\n"), "{}", classes(&seen));
    let seen = pfh(&room, "diff a b --inside --only changed,added");
    assert!(classes(&seen).contains("changed   z.zip\n"), "{}", classes(&seen));
    assert!(classes(&seen).contains("changed   z.zip!/same\n"), "{}", classes(&seen));
    // A damaged member is an error, and not a difference.
    sh(&room, "printf '\\377' | dd of=a.zip bs=1 seek=3000 conv=notrunc status=none");
    let seen = pfh(&room, "diff a a.zip");
    assert_ne!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("a.zip!/"), "{}", seen.stderr);
}

/// An archive of a folder has the folder's name in front of all of its names.
#[test]
fn a_common_directory_is_taken_off_an_archive() {
    if lacks(&[Need::Program("zip"), Need::Program("tar")]) {
        return;
    }
    let room = Room::new();
    room.file("d/1", b"one");
    room.file("d/s/2", b"two");
    sh(&room, "zip -qr z.zip d && tar cf z.tar d && cp -r d e && printf 2 > e/s/2 && zip -qr more.zip d z.tar");
    for line in ["diff z.zip d", "diff d z.tar", "diff z.zip z.tar", "diff z.tar d", "diff z.zip .", "diff z.zip!/d d"]
    {
        let seen = pfh(&room, line);
        let expected = if line.ends_with('.') { Some(1) } else { Some(0) };
        assert_eq!((seen.code, seen.stderr.contains("moved")), (expected, false), "{line}: {}", seen.stderr);
    }
    let seen = pfh(&room, "diff z.zip e");
    assert_eq!((seen.code, &*classes(&seen)), (Some(1), "changed   s/2\n"), "{}", seen.stderr);
    assert!(seen.stderr.contains("names of z.zip are compared without z.zip!/d/ in front"), "{}", seen.stderr);
    // Where something lies beside the folder, nothing is left out.
    let seen = pfh(&room, "diff more.zip d");
    assert!(seen.code == Some(1) && classes(&seen).contains("removed   z.tar"), "{}", classes(&seen));
}
