//! `pfh known build --blocks` and `pfh match --sectors`: every block of a known file is found where
//! it lies, no other one is, and nothing that was not compared passes in silence.

use crate::program::acquisition::{BadDevice, bad_device};
use crate::program::{Room, random};
use pfh_inject::{Loop, Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

fn pfh<S: AsRef<OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// The output of a program that ends well.
fn sh(room: &Room, line: &str) -> String {
    let output = Command::new("sh").args(["-c", line]).current_dir(room.path()).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds `set` of the blocks of `known/`, as bad.
fn build(room: &Room, sizes: &str) -> Outcome {
    pfh(room, ["known", "build", "set", "--blocks", sizes, "--bad", "known", "--force"])
}

/// The lines of a type.
fn lines(seen: &Outcome, kind: &str) -> Vec<Value> {
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).collect()
}

/// The blocks that fragments consist of, by place and size, after a look that the bytes are those
/// of each file that is named, at the place that is named.
fn found(room: &Room, image: &[u8], seen: &Outcome) -> BTreeSet<(u64, u64)> {
    let mut all = BTreeSet::new();
    for line in lines(seen, "fragment") {
        let number = |value: &Value, name: &str| value[name].as_u64().unwrap_or_else(|| panic!("{name}: {value}"));
        let (offset, length, size) = (number(&line, "offset"), number(&line, "length"), number(&line, "block_size"));
        for of in line["files"].as_array().unwrap() {
            let mut file = std::fs::read(room.path().join(of["path"].as_str().unwrap())).unwrap();
            // The last block is filled with zeros.
            file.resize(file.len().next_multiple_of(4096), 0);
            let from = number(of, "offset") as usize;
            let there = &image[offset as usize..(offset + length) as usize];
            assert!(file[from..].starts_with(there), "{line}");
        }
        let blocks = number(&line, "blocks");
        assert!((blocks - 1) * size < length && length <= blocks * size, "{line}");
        (0..blocks).for_each(|at| assert!(all.insert((offset + at * size, size)), "twice: {line}"));
    }
    all
}

/// The same by comparing every sector of the image with every block of every file.
fn naive(image: &[u8], files: &[Vec<u8>], sizes: &[usize]) -> BTreeSet<(u64, u64)> {
    let mut all = BTreeSet::new();
    for &size in sizes {
        let padded = |bytes: &[u8]| [bytes, &vec![0; size - bytes.len()]].concat();
        let blocks: BTreeSet<Vec<u8>> = files.iter().flat_map(|file| file.chunks(size).map(padded)).collect();
        for at in (0..image.len()).step_by(512) {
            let end = image.len().min(at + size);
            if blocks.contains(&padded(&image[at..end])) {
                all.insert((at as u64, size as u64));
            }
        }
    }
    all
}

#[test]
fn the_answers_are_those_of_a_naive_search() {
    let room = Room::new();
    for round in 0..6u64 {
        let mut seed = random(round + 1, 4096).into_iter().map(usize::from);
        let mut pick = move |below: usize| (seed.next().unwrap() * 256 + seed.next().unwrap()) % below;
        let mut files: Vec<Vec<u8>> = (0..5).map(|n| random(round * 10 + n, 1 + pick(30_000))).collect();
        // Repeated and empty content, a copy, a file within another one.
        files.push(vec![0; 9000]);
        files.push([&files[0][..], &files[1]].concat());
        files.push(files[2].clone());
        files.push(b"0123456789abcdef".repeat(700));
        let _ = std::fs::remove_dir_all(room.path().join("known"));
        files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
        let mut image = random(round + 99, (1 << 20) * (round as usize % 3) + 700_000 + pick(2000));
        for _ in 0..25 {
            let file = &files[pick(files.len())];
            let (from, at) = (pick(file.len().div_ceil(512)) * 512, pick(image.len() / 512) * 512);
            let length = (1 + pick(file.len() - from)).min(image.len() - at);
            image[at..at + length].copy_from_slice(&file[from..from + length]);
        }
        room.file("image", &image);
        let seen = build(&room, "512,4096");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        for (sizes, list) in [("512,4096", &[512, 4096][..]), ("4096", &[4096])] {
            let mut outputs = BTreeSet::new();
            for threads in ["1", "3"] {
                let seen = pfh(
                    &room,
                    ["match", "--sectors", sizes, "image", "-k", "set", "--json", "--flagged", "--threads", threads],
                );
                assert_eq!(seen.code, Some(1), "{}", seen.stderr);
                assert_eq!(found(&room, &image, &seen), naive(&image, &files, list), "round {round}, {sizes}");
                let last = lines(&seen, "summary").remove(0);
                assert_eq!((last["bytes"].as_u64(), last["unread"].as_u64()), (Some(image.len() as u64), Some(0)));
                outputs.insert(seen.stdout);
            }
            assert_eq!(outputs.len(), 1, "the output depends on the threads");
        }
        // Sets of one size each have nothing that saves the look at every sector.
        assert_eq!(build(&room, "4096").code, Some(0));
        let seen = pfh(&room, ["match", "--sectors", "4096", "image", "-k", "set", "--json", "--flagged"]);
        assert_eq!(found(&room, &image, &seen), naive(&image, &files, &[4096]));
    }
}

/// Free blocks of 4096 bytes of `image`, by debugfs: the first of the blocks in a row.
fn free(room: &Room, blocks: u64, from: u64) -> u64 {
    let said = sh(room, &format!("debugfs -R 'ffb {blocks} {from}' image 2>/dev/null"));
    let numbers: Vec<u64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len() as u64, blocks, "{said}");
    assert_eq!(numbers[0] + blocks - 1, numbers[numbers.len() - 1], "in a row: {said}");
    numbers[0]
}

const EXT: &[Need] = &[Need::Program("mke2fs"), Need::Program("debugfs")];

/// A set of three files, and a file system `image` in whose free blocks two of them were: the first
/// at an odd sector with 10 sectors in the middle overwritten, of the second the last part. The
/// third is a file of the file system.
fn planted(room: &Room) -> (Vec<u8>, u64, u64) {
    let files = [random(1, 50_000), random(2, 33_333), random(3, 20_000)];
    files.iter().enumerate().for_each(|(n, file)| drop(room.file(format!("known/{n}"), file)));
    room.file("tree/live", &files[2]);
    room.file("tree/other", &random(4, 100_000));
    sh(room, "truncate -s 8M image && mke2fs -q -F -t ext4 -b 4096 -d tree image");
    let first = free(room, 16, 900) * 4096 + 3 * 512;
    let second = free(room, 12, 1500) * 4096;
    let mut image = std::fs::read(room.path().join("image")).unwrap();
    image[first as usize..][..50_000].copy_from_slice(&files[0]);
    image[first as usize + 20 * 512..][..10 * 512].copy_from_slice(&random(5, 10 * 512));
    image[second as usize..][..33_333 - 16_384].copy_from_slice(&files[1][16_384..]);
    room.file("image", &image);
    (image, first, second)
}

#[test]
fn fragments_are_found_in_unallocated_space() {
    if lacks(EXT) {
        return;
    }
    let room = Room::new();
    let (image, first, second) = planted(&room);
    assert_eq!(build(&room, "512,4096").code, Some(0));
    let seen = pfh(&room, ["match", "--sectors", "512", "--inside", "image", "-k", "set", "--json"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let place = |line: &Value| {
        let of = line["files"].as_array().unwrap();
        assert_eq!(of.len(), 1);
        let numbers = [&line["offset"], &line["length"], &of[0]["offset"]].map(|value| value.as_u64().unwrap());
        (of[0]["path"].as_str().unwrap().to_owned(), numbers)
    };
    let fragments: Vec<_> = lines(&seen, "fragment").iter().map(place).collect();
    let expected = [
        ("known/0".to_owned(), [first, 20 * 512, 0]),
        ("known/0".to_owned(), [first + 30 * 512, 50_000 - 30 * 512, 30 * 512]),
        ("known/1".to_owned(), [second, 33_333 - 16_384, 16_384]),
    ];
    assert_eq!(fragments, expected, "{}", seen.stderr);
    found(&room, &image, &seen);
    // The whole medium has the live file as well.
    let seen = pfh(&room, ["match", "--sectors", "512,4096", "image", "-k", "set", "--json"]);
    let of: BTreeMap<String, u64> =
        lines(&seen, "fragment").iter().map(place).fold(BTreeMap::new(), |mut all, (name, at)| {
            *all.entry(name).or_default() += at[1];
            all
        });
    assert_eq!(of.get("known/2"), Some(&(2 * 20_000)), "once for each size: {of:?}");
    // People see where, of what, and what was compared.
    let seen = pfh(&room, ["match", "--sectors", "4096", "image", "-k", "set"]);
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(
        text.contains(&format!(
            "bytes at {second}: 5 blocks of 4096 bytes, 1 flagged (histogram) <- known/1 at 16384 (known)"
        )),
        "{text}"
    );
    assert!(seen.stderr.contains("compared with 1 set by sha256"), "{}", seen.stderr);
}

#[test]
fn every_kind_of_image_gives_the_same_answer() {
    if lacks(&[EXT, &[Need::Loop, Need::Program("split")]].concat()) {
        return;
    }
    let room = Room::new();
    planted(&room);
    assert_eq!(build(&room, "512,4096").code, Some(0));
    sh(&room, "split -b 3000000 -a 3 --numeric-suffixes=0 image part. ");
    let seen = pfh(&room, ["acquire", "image", "--to", "case.E01"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let device = Loop::attach(&room.path().join("image"), &["--read-only"]).unwrap();
    let device = device.path().to_str().unwrap().to_owned();
    for inside in [&[][..], &["--inside"]] {
        let mut answers = BTreeSet::new();
        for image in ["image", "part.000", "case.E01", &device] {
            let arguments = [&["match", "--sectors", "512,4096", image, "-k", "set", "--json"], inside].concat();
            let seen = pfh(&room, arguments);
            assert_eq!(seen.code, Some(1), "{image}: {}", seen.stderr);
            let mut found = lines(&seen, "fragment");
            found.iter_mut().for_each(|line| drop(line.as_object_mut().unwrap().remove("path")));
            answers.insert(format!("{found:?} {}", lines(&seen, "summary")[0]));
        }
        assert_eq!(answers.len(), 1, "{answers:?}");
    }
    // The same image twice is searched twice.
    let seen = pfh(&room, ["match", "--sectors", "512", "image", "./image", "-k", "set", "--json"]);
    let (twice, once) = (lines(&seen, "fragment").len(), answers_of(&room, "image"));
    assert_eq!((twice, lines(&seen, "summary")[0]["images"].as_u64()), (2 * once, Some(2)));
}

fn answers_of(room: &Room, image: &str) -> usize {
    lines(&pfh(room, ["match", "--sectors", "512", image, "-k", "set", "--json"]), "fragment").len()
}

#[test]
fn blocks_that_say_little_are_counted_and_no_verdict_rests_on_them() {
    let room = Room::new();
    room.file("known/zeros", &vec![0; 100_000]);
    room.file("known/ramp", &(0..5000u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
    // In more than eight files.
    (0..9).for_each(|n| drop(room.file(format!("known/copy{n}"), &random(7, 2048))));
    let image = [&vec![0; 65_536][..], &random(7, 2048), &random(8, 4096)].concat();
    room.file("image", &image);
    let built = build(&room, "512");
    assert_eq!(built.code, Some(0));
    assert!(built.stderr.contains("blocks say little of their files"), "{}", built.stderr);
    let seen = pfh(&room, ["match", "--sectors", "512", "image", "-k", "set", "--json"]);
    assert_eq!((seen.code, lines(&seen, "fragment").len()), (Some(0), 0), "{}", seen.stderr);
    assert!(seen.stderr.contains("--flagged lists them"), "{}", seen.stderr);
    let last = lines(&seen, "summary").remove(0);
    assert_eq!((last["sizes"][0]["blocks"].as_u64(), last["sizes"][0]["flagged"].as_u64()), (Some(132), Some(132)));
    let seen = pfh(&room, ["match", "--sectors", "512", "image", "-k", "set", "--json", "--flagged"]);
    assert_eq!(seen.code, Some(0), "no verdict rests on them: {}", seen.stderr);
    let flags: BTreeSet<String> = lines(&seen, "fragment").iter().map(|line| line["flags"][0].to_string()).collect();
    assert_eq!(flags, BTreeSet::from(["\"common\"".to_owned(), "\"constant\"".to_owned()]));
    let info = String::from_utf8_lossy(&pfh(&room, ["known", "info", "--verify", "set"]).stdout).into_owned();
    assert!(info.contains("blocks     of 512 bytes, sha256:") && info.contains("flagged"), "{info}");
}

#[test]
fn what_makes_no_sense_is_refused_with_its_remedy() {
    let room = Room::new();
    room.file("known/a", &random(1, 5000));
    room.file("image", &random(2, 10_000));
    room.file("list", b"d41d8cd98f00b204e9800998ecf8427e\n");
    assert_eq!(build(&room, "512").code, Some(0));
    assert_eq!(pfh(&room, ["known", "build", "files", "--good", "list"]).code, Some(0));
    let remedy = "pfh known build --blocks";
    for (arguments, code, words) in [
        (&["match", "--sectors", "512", "image", "-k", "list"][..], 2, remedy),
        (&["match", "--sectors", "512", "image", "-k", "files"], 2, remedy),
        (&["match", "--sectors", "512", "image", "-k", "image"], 2, remedy),
        (&["match", "--sectors", "512", "image"], 2, remedy),
        (&["match", "--sectors", "512", "-k", "set"], 2, "needs the name of an image"),
        (&["match", "--sectors", "4096", "image", "-k", "set"], 2, "no set has blocks of that size, but of 512"),
        (&["match", "--sectors", "1000", "image", "-k", "set"], 2, "power of two"),
        (&["match", "--sectors", "512", "image", "-k", "set", "-f", "dfxml"], 2, "jsonl"),
        (&["match", "--sectors", "512", "image", "-k", "set", "--only", "unknown"], 2, "known blocks"),
        (&["match", "--sectors", "512", "image", "-k", "set", "--digest", "00"], 2, "cannot be used"),
        (&["match", "--sectors", "512", "image", "-k", "set", "-o", "image", "--force"], 2, "is read"),
        (&["match", "--sectors", "512", "image", "-k", "missing"], 3, "missing"),
        (&["match", "--flagged", "image", "-k", "set"], 2, "--sectors"),
        (&["known", "build", "new", "--blocks", "1000", "--bad", "known"], 2, "power of two"),
        (&["known", "build", "new", "--blocks", "512", "-a", "crc32", "--bad", "known"], 2, "16 to 64 bytes"),
        (&["known", "build", "new", "--blocks", "512"], 2, "no set was named"),
        (&["known", "build", "known/a", "--blocks", "512", "--bad", "known", "--force"], 2, "lies in"),
        (&["known", "build", "known/new", "--blocks", "512", "--bad", "known"], 2, "lies in"),
        // What a set of blocks says of files, and a missing file of a set, of an image.
        (&["match", "-k", "set", "known/a"], 3, "--sectors"),
        (&["lookup", "-k", "set", "--digest", "d41d8cd98f00b204e9800998ecf8427e"], 3, ""),
        (&["known", "build", "part", "--blocks", "512", "--bad", "known", "--good", "missing"], 3, "missing"),
        (&["match", "--sectors", "512", "image", "missing", "-k", "set"], 3, "missing"),
        (&["match", "--sectors", "512", "missing", "-k", "set"], 3, "nothing to compare with"),
        // No file system, so that what is unallocated is not known.
        (&["match", "--sectors", "512", "--inside", "image", "-k", "set"], 3, "no file system"),
    ] {
        let seen = pfh(&room, arguments);
        assert_eq!(seen.code, Some(code), "{arguments:?}: {}", seen.stderr);
        assert!(seen.stderr.contains(words), "{arguments:?}: {}", seen.stderr);
        assert!(!room.path().join("new").exists() && !room.path().join("new.work").exists(), "{arguments:?}");
    }
}

#[test]
fn a_set_is_the_same_each_time_and_damage_to_it_is_found() {
    let room = Room::new();
    (0..40).for_each(|n| drop(room.file(format!("known/{n}"), &random(n % 30, 700 * n as usize))));
    room.file("image", &[random(5, 3500), random(77, 8000)].concat());
    assert_eq!(build(&room, "512,1024").code, Some(0));
    let set = std::fs::read(room.path().join("set")).unwrap();
    assert_eq!(build(&room, "1024,512").code, Some(0));
    assert!(std::fs::read(room.path().join("set")).unwrap() == set && !room.path().join("set.work").exists());
    let search = || pfh(&room, ["match", "--sectors", "512,1024", "image", "-k", "set", "--json", "--flagged"]);
    let right = search();
    assert_eq!(right.code, Some(1), "{}", right.stderr);
    for at in (16..set.len()).step_by(set.len() / 60) {
        let mut other = set.clone();
        other[at] ^= 0x10;
        room.file("set", &other);
        let seen = search();
        // Either the damage lies where nobody looked, or it is said.
        let says = matches!(seen.code, Some(3 | 4)) && seen.stderr.contains("damaged");
        assert!(
            seen.stdout == right.stdout && seen.code == right.code || says,
            "{at}: {:?} {}",
            seen.code,
            seen.stderr
        );
        let verified = pfh(&room, ["known", "info", "--verify", "set"]);
        assert_ne!(verified.code, Some(0), "{at}");
    }
}

#[test]
fn sectors_that_cannot_be_read_are_counted() {
    if lacks(&[Need::Fuse, Need::Loop, Need::Root]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    room.file("known/a", &expected[3 << 20..(3 << 20) + 70_000]);
    assert_eq!(build(&room, "512").code, Some(0));
    let seen = pfh(
        &room,
        [
            OsStr::new("match"),
            "--sectors".as_ref(),
            "512".as_ref(),
            disk.path().as_os_str(),
            "-k".as_ref(),
            "set".as_ref(),
            "--json".as_ref(),
        ],
    );
    assert_eq!(seen.code, Some(1), "what was found stays found: {}", seen.stderr);
    assert!(seen.stderr.contains("were not read"), "{}", seen.stderr);
    assert_eq!(lines(&seen, "fragment")[0]["offset"].as_u64(), Some(3 << 20));
    assert!(lines(&seen, "summary")[0]["unread"].as_u64() > Some(0));
}

#[test]
fn a_file_that_cannot_be_read_is_not_in_the_set() {
    if lacks(EXT) {
        return;
    }
    let room = Room::new();
    // A file of an archive whose checksum does not hold: its bytes come, and count for nothing.
    let Ok(_) = Command::new("zip").arg("-v").output() else { return };
    room.file("a", &random(1, 20_000));
    room.file("b", &random(2, 20_000));
    sh(&room, "zip -q -0 a.zip a b");
    let path = room.path().join("a.zip");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[10_000] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let seen = pfh(&room, ["known", "build", "set", "--blocks", "512", "--inside", "--bad", "a.zip"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("a.zip!/a") && seen.stderr.contains("1 file in the sets"), "{}", seen.stderr);
    let named = |name: &str| {
        let seen = pfh(&room, ["match", "--sectors", "512", name, "-k", "set", "--json"]);
        let files = lines(&seen, "fragment").into_iter().flat_map(|line| line["files"].as_array().cloned().unwrap());
        files.map(|of| of["path"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    assert_eq!(named("a"), BTreeSet::new());
    assert!(named("b").contains("a.zip!/b"));
    assert!(Path::new(&path).is_file());
}
