//! The order in which files inside of an image are read: that of their places with `--order extent`
//! and on a rotational disk, while the output keeps the order of the names.
#![cfg(unix)]

use crate::program::{MIB, Room, random, records};
use pfh_inject::{Loop, Need, Outcome, Trial, lacks};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn sh(room: &Room, line: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-ec", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Bytes of each file: more than the part of each that shows whether it is a container.
const SIZE: usize = 40_000;
const FILES: usize = 24;

const NEEDS: &[Need] = &[Need::Program("mkfs.vfat"), Need::Program("mcopy"), Need::Program("strace")];

/// A FAT file system `image` whose files lie in another order than that of their names: they were
/// written into three directories in turn. The first byte of each file by its place.
fn image(room: &Room) -> BTreeMap<u64, String> {
    sh(room, "truncate -s 24M image; mkfs.vfat -F 16 image >/dev/null; mmd -i image ::c ::a ::b");
    for number in 0..FILES {
        room.file("one", &random(number as u64, SIZE));
        let directory = ["c", "a", "b"][number % 3];
        sh(room, &format!("mcopy -i image one ::{directory}/{number:02}"));
    }
    let seen = pfh(room, ["hash", "--inside", "-f", "dfxml", "-a", "md5", "image"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    let mut places = BTreeMap::new();
    for object in text.split("<fileobject>").skip(1) {
        let of = |from: &str, to: &str| Some(object.split_once(from)?.1.split_once(to)?.0.to_owned());
        let Some(place) = of("img_offset='", "'") else { continue };
        places.insert(place.parse::<u64>().unwrap(), of("<filename>", "<").unwrap());
    }
    assert_eq!(places.len(), FILES);
    places
}

/// The files of the image in the order in which their starts were read, and in that in which the
/// read of what lies behind these began: 4,096 bytes are looked at of each.
fn order(log: &str, places: &BTreeMap<u64, String>) -> [Vec<String>; 2] {
    let mut orders = [Vec::new(), Vec::new()];
    for line in log.lines().filter(|line| line.contains("pread64(") && line.contains("image>")) {
        // Of a call that another thread's interrupts this is the first of two lines.
        let Some((call, _)) = line.split_once(") = ").or_else(|| line.split_once(" <unfinished")) else { continue };
        let numbers: Vec<u64> = call.rsplit(", ").take(2).filter_map(|number| number.trim().parse().ok()).collect();
        let [offset, length] = numbers[..] else { continue };
        let starts = places.range(offset..offset + length).next().map(|(_, name)| (0, name));
        let rests = offset.checked_sub(4096).and_then(|start| places.get(&start)).map(|name| (1, name));
        if let Some((part, name)) = rests.or(starts)
            && !orders[part].contains(name)
        {
            orders[part].push(name.clone());
        }
    }
    orders
}

/// Whether an order is that of two threads which each follow `all`: no three files in it stand in
/// reverse.
fn is_of_two(order: &[String], all: &[String]) -> bool {
    let ranks: Vec<usize> = order.iter().map(|name| all.iter().position(|one| one == name).unwrap()).collect();
    // The largest that came after a larger one: nothing smaller may follow it.
    let (mut most, mut late) = (0, 0);
    ranks.into_iter().all(|rank| {
        let is_in_order = rank >= late;
        if rank < most {
            late = late.max(rank);
        }
        most = most.max(rank);
        is_in_order
    })
}

/// The log of strace over a run of one reader in `directory`.
fn traced(room: &Room, before: &str, directory: &str, options: &[&str]) -> (Outcome, String) {
    let log = room.path().join("log");
    let script = format!(
        "{before}cd {directory} && log=$1 && shift && exec strace -f -y -qq -e trace=pread64 -o \"$log\" \"$@\""
    );
    let arguments = [&["hash", "--inside", "-f", "jsonl", "--no-progress", "-p", "1", "-t", "1"], options];
    let outcome = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(arguments.concat())
        .arg("image")
        .directory(room.path())
        .under(["unshare", "-m", "sh", "-ec", &script, "sh"].iter().map(OsStr::new).chain([log.as_os_str()]))
        .run()
        .unwrap();
    (outcome, String::from_utf8_lossy(&std::fs::read(&log).unwrap()).into_owned())
}

#[test]
fn files_in_an_image_are_read_in_the_order_of_their_places() {
    if lacks(&[NEEDS, &[Need::Root, Need::Program("unshare")]].concat()) {
        return;
    }
    let room = Room::new();
    let places = image(&room);
    let by_place: Vec<String> = places.values().cloned().collect();
    let plain = traced(&room, "", ".", &["--mode", "mtp"]);
    let swept = traced(&room, "", ".", &["--mode", "mtp", "--order", "extent"]);
    for (outcome, _) in [&plain, &swept] {
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
    // The output is the same, and so are the digests.
    assert!(plain.0.stdout == swept.0.stdout);
    let lines = records(&swept.0);
    let named: Vec<&str> = lines.iter().map(|line| line.path()).filter(|name| name.contains("!/")).collect();
    assert_eq!(named.len(), FILES);
    assert_ne!(named, by_place, "places are in another order than names: otherwise nothing is seen here");
    assert_eq!(order(&swept.1, &places), [by_place.clone(), by_place.clone()]);
    assert_ne!(order(&plain.1, &places)[0], by_place);
    assert!(!is_of_two(&order(&plain.1, &places)[0], &by_place), "the order of names differs from that of places");
    // Other orders are of files alone.
    for by in ["size", "inode", "balanced"] {
        let seen = pfh(&room, ["hash", "--inside", "--order", by, "image"]);
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(seen.stderr.contains("--order extent"), "{}", seen.stderr);
    }
}

#[test]
fn an_image_on_a_rotational_disk_is_read_so_without_being_asked() {
    let needs = [Need::Root, Need::Loop, Need::Program("unshare"), Need::Program("mkfs.ext4")];
    if lacks(&[NEEDS, &needs].concat()) {
        return;
    }
    let room = Room::new();
    let places = image(&room);
    let by_place: Vec<String> = places.values().cloned().collect();
    sh(&room, "mkdir d mounted; cp image d/image");
    std::fs::File::create(room.path().join("disk")).unwrap().set_len(64 * MIB).unwrap();
    sh(&room, "mkfs.ext4 -q -d d disk");
    let expected = pfh(&room, ["hash", "--inside", "-f", "jsonl", "image"]);
    for (rotational, mode) in [("1", "mtp"), ("1", "adaptive"), ("0", "mtp")] {
        let disk = Loop::attach(&room.path().join("disk"), &["-r"]).unwrap();
        let name = disk.path().file_name().unwrap().to_str().unwrap();
        std::fs::write(format!("/sys/block/{name}/queue/rotational"), rotational).unwrap();
        // The mount is private to the run and ends with it.
        let before = format!("mount -o ro,noload {} mounted && ", disk.path().display());
        let (outcome, log) = traced(&room, &before, "mounted", &["--mode", mode]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let digests = |seen: &Outcome| {
            let lines = records(seen);
            let of = |line: &crate::program::Line| Some((line.path().to_owned(), line.digest("sha256")?.to_owned()));
            lines.iter().filter_map(of).collect::<Vec<_>>()
        };
        assert_eq!(digests(&outcome), digests(&expected), "{mode}");
        let orders = order(&log, &places);
        if mode == "adaptive" {
            // Two threads read here, each the files that it takes in order, one at a time; which of
            // them is first at the disk is the scheduler's.
            assert!(orders.iter().all(|order| is_of_two(order, &by_place)), "{orders:?}");
            assert_eq!(orders[1].len(), FILES);
        } else {
            assert_eq!(orders == [by_place.clone(), by_place.clone()], rotational == "1", "{mode}: {orders:?}");
        }
    }
}
