//! Disk images of virtual machines, of macOS and of other imagers, in every command that reads
//! images: the digests of the disk that went in, refusals with their causes, and verdicts.
#![cfg(unix)]

use crate::program::{Room, records, sha256};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::collections::BTreeMap;
use std::process::Command;

#[path = "../../../../media/container/tests/container/kit/aff4.rs"]
mod aff4;
#[path = "../../../../media/container/tests/container/kit/dmg.rs"]
mod dmg;
#[path = "../../../../media/container/tests/container/kit/ex01.rs"]
mod ex01;
#[path = "../../../../media/container/tests/container/kit/zip.rs"]
mod zip;

/// A digest by its name, for the writers.
fn sum(algorithm: &str, bytes: &[u8]) -> Vec<u8> {
    let algorithm: pfh::Algorithm = algorithm.parse().expect("an algorithm");
    algorithm.digest(bytes).bytes().to_vec()
}

const NEEDS: &[Need] =
    &[Need::Program("qemu-img"), Need::Program("mkfs.ext4"), Need::Program("sfdisk"), Need::Program("zip")];

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) {
    let output = Command::new("sh").args(["-ec", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A disk of 12 MiB with one partition of ext4, and the tree that is in it.
pub fn disk(room: &Room) -> Vec<u8> {
    for (at, name) in ["plain", "sub/b.bin", "sub/c"].iter().enumerate() {
        room.file(format!("t/{name}"), &crate::program::random(at as u64, 5000 + at * 400_000));
    }
    sh(
        room,
        "truncate -s 12M raw; echo 2048,,L | sfdisk -q raw; truncate -s 11M part; mkfs.ext4 -q -d t part; \
         dd if=part of=raw bs=1M seek=1 conv=notrunc status=none; rm part",
    );
    std::fs::read(room.path().join("raw")).unwrap()
}

/// Digest by name of the files inside of a container.
fn inside(room: &Room, words: &str, container: &str) -> BTreeMap<String, String> {
    let seen = pfh(room, &format!("hash --inside -f jsonl {words}{container}"));
    assert_eq!(seen.code, Some(0), "{container}: {}", seen.stderr);
    let lines = records(&seen);
    let start = format!("{container}!/");
    let found = lines.iter().filter(|line| line.kind() == "file" && line.path().starts_with(&start));
    found.map(|line| (line.path()[start.len()..].to_owned(), line.digest("sha256").unwrap().to_owned())).collect()
}

/// Each image of the disk by its first file.
pub fn images(room: &Room, disk: &[u8]) -> Vec<&'static str> {
    sh(
        room,
        "qemu-img convert -O vpc -o subformat=fixed,force_size=on raw f.vhd
         qemu-img convert -O vpc -o subformat=dynamic,force_size=on raw d.vhd
         qemu-img convert -O vhdx raw d.vhdx
         qemu-img convert -O vmdk raw m.vmdk
         qemu-img convert -O vmdk -o subformat=streamOptimized raw s.vmdk
         qemu-img convert -O vmdk -o subformat=twoGbMaxExtentSparse raw x.vmdk
         qemu-img convert -O vmdk -o subformat=monolithicFlat raw y.vmdk
         qemu-img convert -O qcow2 raw q.qcow2
         qemu-img convert -c -O qcow2 raw c.qcow2",
    );
    let runs = |part: &[u8]| {
        let run = |piece: &[u8]| dmg::Run {
            kind: if piece.iter().all(|byte| *byte == 0) { 0 } else { 0x8000_0005 },
            sectors: piece.len() as u64 / 512,
            stored: if piece.iter().all(|byte| *byte == 0) { Vec::new() } else { ex01::stored(piece) },
        };
        part.chunks(128 << 10).map(run).collect::<Vec<_>>()
    };
    room.file("a.dmg", &dmg::write(disk, &[("head", runs(&disk[..1 << 20])), ("disk", runs(&disk[1 << 20..]))]));
    room.file("a.aff4", &aff4::write(disk, "https://www.ietf.org/rfc/rfc1950.txt", &|_| None));
    for (number, bytes) in ex01::write(disk, 3, &ex01::stored).iter().enumerate() {
        room.file(format!("a.Ex0{}", number + 1), bytes);
    }
    vec![
        "f.vhd", "d.vhd", "d.vhdx", "m.vmdk", "s.vmdk", "x.vmdk", "y.vmdk", "q.qcow2", "c.qcow2", "a.dmg", "a.aff4",
        "a.Ex01",
    ]
}

#[test]
fn every_command_reads_the_disk_in_every_image() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let disk = disk(&room);
    let digest = sha256(&disk);
    let before = inside(&room, "", "raw");
    assert_eq!(before.len(), 3, "{before:?}");
    let tree = sha256(&std::fs::read(room.path().join("t/sub/b.bin")).unwrap());
    assert_eq!(before["p1/sub/b.bin"], tree);
    let images = images(&room, &disk);
    sh(&room, "sha256sum t/plain > bad");
    for image in &images {
        let seen = pfh(&room, &format!("hash --image -f bsd {image}"));
        assert_eq!(seen.code, Some(0), "{image}: {}", seen.stderr);
        let line = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(line.contains(&digest), "{image}: {line}");
        assert_eq!(inside(&room, "", image), before, "{image}");
        assert_eq!(inside(&room, "--image ", image), before, "{image}");
        let seen = pfh(&room, &format!("list {image}"));
        let list = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(0) && list.contains(&format!("{image}!/p1/sub/c")), "{image}: {list}");
        // The second command: check, match, compare, a known set, by the names that were printed.
        let seen = pfh(&room, &format!("hash --inside --force -o m {image}"));
        assert_eq!(seen.code, Some(0), "{image}: {}", seen.stderr);
        for words in ["check m".to_owned(), format!("known build --force set.pfhknown --inside --good {image}")] {
            let seen = pfh(&room, &words);
            assert_eq!(seen.code, Some(0), "{words}, {image}: {}", seen.stderr);
        }
        let seen = pfh(&room, &format!("match --inside -k bad --class bad {image}"));
        assert_eq!(seen.code, Some(1), "{image}: {}", seen.stderr);
        assert!(String::from_utf8_lossy(&seen.stdout).contains(&format!("{image}!/p1/plain")));
        // The digests of the container hold; a file without one has nothing to be compared with.
        let seen = pfh(&room, &format!("verify {image}"));
        let states = image.starts_with("a.");
        assert_eq!(seen.code, Some(if states { 0 } else { 3 }), "{image}: {}{:?}", seen.stderr, seen.stdout);
    }
    // A copy as raw is the disk.
    assert_eq!(pfh(&room, "acquire --image c.qcow2 --to copy.dd").code, Some(0));
    assert!(std::fs::read(room.path().join("copy.dd")).unwrap() == disk);
    // Within an archive, an image in one file is opened, and extents are not images of their own.
    sh(&room, "zip -q -0 z.zip c.qcow2 a.dmg f.vhd a.aff4; mkdir d; mv x.vmdk x-s001.vmdk a.Ex0* d");
    let found = inside(&room, "", "z.zip");
    for image in ["c.qcow2", "a.dmg", "f.vhd", "a.aff4"] {
        assert_eq!(found[&format!("{image}!/p1/sub/b.bin")], tree, "{image}");
    }
    let seen = pfh(&room, "hash -r --inside -f jsonl d");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    assert_eq!(lines.iter().filter(|line| line.path().ends_with("sub/b.bin")).count(), 2);
}

#[test]
fn what_is_not_read_is_refused_by_its_cause() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    disk(&room);
    // For LUKS qemu-img measures the processor, and gives up where its time is counted by ticks.
    sh(
        &room,
        "qemu-img create -q -f qcow2 base.qcow2 8M
         qemu-img create -q -f qcow2 -b base.qcow2 -F qcow2 child.qcow2
         qemu-img create -q -f vmdk base.vmdk 8M
         qemu-img create -q -f vmdk -b base.vmdk -F vmdk child.vmdk
         rm base.qcow2 base.vmdk
         luks='-o encrypt.format=luks,encrypt.key-secret=s'
         for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
             qemu-img create -q -f qcow2 --object secret,id=s,data=x $luks key.qcow2 1M && break
         done
         [ -s key.qcow2 ]",
    );
    for (image, cause) in [
        ("child.qcow2", "base.qcow2\", which is not beside it"),
        ("child.vmdk", "not beside it"),
        ("key.qcow2", "encrypted"),
    ] {
        for (words, code) in [("verify", 2), ("hash --image", 3), ("hash --inside", 3), ("list", 3)] {
            let seen = pfh(&room, &format!("{words} {image}"));
            assert_eq!(seen.code, Some(code), "{words} {image}: {}", seen.stderr);
            assert!(seen.stderr.contains(cause), "{words} {image}: {}", seen.stderr);
        }
        let seen = pfh(&room, &format!("acquire --image {image} --to copy.dd"));
        assert!(seen.code == Some(2) && !room.path().join("copy.dd").exists(), "{image}: {}", seen.stderr);
    }
}

/// Damage in a container: no digest, the place, and the verdict *differs*.
#[test]
fn damage_is_found_and_no_digest_is_printed() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    let disk = disk(&room);
    images(&room, &disk);
    for image in ["a.dmg", "a.aff4", "a.Ex02"] {
        let path = room.path().join(image);
        let mut bytes = std::fs::read(&path).unwrap();
        // In the middle of the content.
        let middle = bytes.len() / 3;
        bytes[middle] ^= 0x40;
        std::fs::write(&path, bytes).unwrap();
        let first = if image == "a.Ex02" { "a.Ex01" } else { image };
        let seen = pfh(&room, &format!("verify {first}"));
        assert_eq!(seen.code, Some(1), "{image}: {}", seen.stderr);
        let words = ["DIFFERENT", "damaged", "checksum"];
        assert!(words.iter().any(|word| seen.stderr.contains(word)), "{image}: {}", seen.stderr);
        // Chunks of Ex01 and of zlib have checksums of their own, those of AFF4 one for a segment.
        let seen = pfh(&room, &format!("hash --image {first}"));
        assert!(seen.code == Some(3) && seen.stdout.is_empty(), "{image}: {:?}", seen.stdout);
        let seen = pfh(&room, &format!("hash --inside --members {first}"));
        assert_eq!(seen.code, Some(3), "{image}: {}", seen.stderr);
        assert!(words.iter().any(|word| seen.stderr.contains(word)), "{image}: {}", seen.stderr);
        let seen = pfh(&room, &format!("acquire --no-progress --image {first} --to copy-{image}.dd"));
        // A table of chunks that is damaged lets nothing be opened: refused.
        assert_eq!(seen.code, Some(if image == "a.Ex02" { 2 } else { 3 }), "{image}: {}", seen.stderr);
        let claims = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(claims.is_empty() || claims.contains("bytes were unreadable and are filled in"), "{image}: {claims}");
    }
}
