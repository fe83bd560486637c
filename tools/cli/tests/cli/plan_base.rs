//! `plan --base`, `run --base` and `run --array-size`: units on machines that have the tree
//! elsewhere, and in arrays of bounded size.
#![cfg(unix)]

use crate::plan::{good, pfh, units};
use crate::program::{Room, random};
use std::collections::BTreeSet;
use std::fs;

fn furnished() -> Room {
    let room = Room::new();
    for number in 0..30 {
        room.file(format!("data/tree/{}/{number}", number % 5), &random(number, 700 * number as usize));
    }
    room
}

#[test]
fn relative_names_start_in_the_base_of_each_machine() {
    let room = furnished();
    // Paths of other files are those of where the command was typed.
    room.file("names", b"tree/1/1\ntree/2/2\n");
    for input in ["-r tree --exclude tree/3/8", "--files-from names"] {
        good(&room, &format!("plan {input} --unit 20KiB --base data -o PLAN"));
        let input = input.replace("names", "../names");
        let straight = pfh_inject::Trial::new(env!("CARGO_BIN_EXE_pfh"))
            .args(format!("hash --no-progress {input}").split_whitespace())
            .directory(room.path().join("data"))
            .run()
            .unwrap();
        fs::rename(room.path().join("data"), room.path().join("mount")).unwrap();
        for unit in units(&room) {
            let seen = pfh(&room, &format!("run PLAN --unit {unit}"));
            assert!(seen.code == Some(2) && seen.stderr.contains("--base DIR"), "{}", seen.stderr);
            good(&room, &format!("run PLAN --unit {unit} --base mount"));
        }
        assert_eq!(good(&room, "merge PLAN").stdout, straight.stdout, "{input}");
        fs::rename(room.path().join("mount"), room.path().join("data")).unwrap();
        fs::remove_dir_all(room.path().join("PLAN")).unwrap();
    }
    for (words, code) in [
        ("plan -r tree --base nowhere -o NEW", 3),
        ("plan -r ../data/tree --base data -o NEW", 2),
        ("plan -r / --base data -o NEW", 2),
        ("plan -r tree --base data/tree/1/1 -o NEW", 3),
    ] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
        assert!(!room.path().join("NEW").exists(), "{words}");
    }
}

#[test]
fn an_array_of_bounded_size_carries_out_each_unit_once() {
    let room = furnished();
    good(&room, "plan -r data --unit 20KiB -o PLAN");
    let all = units(&room);
    for size in [1, 4, 7, all.len() as u64, 1000] {
        let mut done = BTreeSet::new();
        let mut most = 0;
        for task in 1..=size.min(all.len() as u64) {
            let seen = good(&room, &format!("run PLAN --unit {task} --array-size {size} --again"));
            let named: Vec<u64> = seen
                .stderr
                .lines()
                .filter_map(|line| line.strip_prefix("pfh: unit ")?.split(':').next()?.parse().ok())
                .collect();
            most = most.max(named.len());
            assert!(named.iter().all(|unit| done.insert(*unit)), "{size}: {task} runs {named:?} again");
        }
        assert_eq!(done.into_iter().collect::<Vec<_>>(), all, "{size}");
        assert_eq!(most as u64, (all.len() as u64).div_ceil(size), "{size}");
    }
    good(&room, "merge PLAN");
    for words in [
        "--unit 5 --array-size 4",
        "--unit 0 --array-size 4",
        "--unit 999 --array-size 1000",
        "--unit 1 --array-size 0",
    ] {
        let seen = pfh(&room, &format!("run PLAN {words}"));
        assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
    }
    // The others are carried out although the list of one is damaged.
    fs::remove_dir_all(room.path().join("PLAN/parts")).unwrap();
    fs::create_dir(room.path().join("PLAN/parts")).unwrap();
    room.file("PLAN/units/000003", b"other");
    let seen = pfh(&room, "run PLAN --unit 1 --array-size 1");
    assert!(seen.code == Some(3) && seen.stderr.contains("000003"), "{:?} {}", seen.code, seen.stderr);
    assert_eq!(fs::read_dir(room.path().join("PLAN/parts")).unwrap().count(), all.len() - 1);
}

#[test]
fn a_merge_names_every_fault_at_once() {
    let room = furnished();
    good(&room, "plan -r data --files 1 --unit 1GiB -o PLAN");
    let all = units(&room);
    assert_eq!(all.len(), 30);
    all.iter().for_each(|unit| drop(good(&room, &format!("run PLAN --unit {unit}"))));
    let parts: Vec<_> = {
        let mut parts: Vec<_> =
            fs::read_dir(room.path().join("PLAN/parts")).unwrap().map(|part| part.unwrap().path()).collect();
        parts.sort();
        parts
    };
    let refused = |named: &[&str]| {
        let seen = pfh(&room, "merge PLAN -o out");
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        let missing: Vec<_> = named.iter().filter(|name| !seen.stderr.contains(**name)).collect();
        assert!(missing.is_empty(), "{missing:?} of {}", seen.stderr);
        assert!(!room.path().join("out").exists());
        seen.stderr
    };
    // Two that are damaged, one each that is missing, twice, of another plan, a directory, and a
    // stray file.
    for (at, byte) in [(2, 200), (4, 60)] {
        let mut bytes = fs::read(&parts[at]).unwrap();
        bytes[byte] ^= 0x20;
        fs::write(&parts[at], bytes).unwrap();
    }
    fs::remove_file(&parts[5]).unwrap();
    fs::copy(&parts[7], room.path().join("PLAN/parts/000007.copy")).unwrap();
    good(&room, "plan -r data -a md5 --files 1 -o OTHER");
    let foreign = fs::read_dir(room.path().join("OTHER/parts")).unwrap().next().unwrap().unwrap().path();
    fs::copy(foreign, room.path().join("PLAN/parts/000000.foreign")).unwrap();
    fs::remove_file(&parts[9]).unwrap();
    fs::create_dir(&parts[9]).unwrap();
    room.file("PLAN/parts/stray", b"");
    refused(&[
        "000002",
        "000004",
        "unit 7 is there twice",
        "another plan",
        "000009",
        "stray",
        "units 2, 4-5, 9 are missing",
    ]);
    // A stray file does not stand for the unit that is missing.
    for (at, part) in parts.iter().enumerate().filter(|(at, _)| [2, 4, 9].contains(at)) {
        fs::remove_dir(part).or_else(|_| fs::remove_file(part)).unwrap();
        good(&room, &format!("run PLAN --unit {at}"));
    }
    ["000007.copy", "000000.foreign"]
        .iter()
        .for_each(|name| fs::remove_file(room.path().join("PLAN/parts").join(name)).unwrap());
    refused(&["stray", "unit 5 is missing"]);
    // Many are counted.
    for number in 0..500 {
        room.file(format!("PLAN/parts/stray-{number}"), b"");
    }
    let said = refused(&["stray", "and 481 more files", "unit 5 is missing"]);
    assert!(said.len() < 4_000, "{}", said.len());
}
