//! `plan --split`: large files in ranges, which any units read in any order.

use crate::plan::{good, pfh};
use crate::program::{Room, random};
use pfh_inject::Outcome;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

/// Small files, and some that are larger than a range, by a byte or many ranges.
fn furnished() -> Room {
    let room = Room::new();
    for number in 0..5 {
        room.file(format!("tree/{number}"), &random(number, 9_000 * number as usize));
    }
    room.file("tree/large", &random(10, 3_000_000));
    room.file("tree/even", &random(11, 4 << 16));
    room.file("tree/odd name\n", &random(12, (1 << 16) + 1));
    room.file("tree/just", &random(13, 1 << 16));
    room
}

fn units(room: &Room) -> usize {
    fs::read_dir(room.path().join("PLAN/units")).unwrap().count()
}

/// Runs all units in an order that the seed decides, some of them twice.
fn run(room: &Room, seed: usize) {
    let units = units(room);
    // A number that shares no divisor with that of the units reaches each.
    let step =
        (seed + 1..).find(|step| (2..=units).all(|d| !units.is_multiple_of(d) || !step.is_multiple_of(d))).unwrap();
    for n in 0..units {
        let unit = n * step % units + 1;
        let again = if n % 3 == 0 { "--again" } else { "" };
        good(room, &format!("run PLAN --no-progress --unit {unit}"));
        good(room, &format!("run PLAN --no-progress {again} --unit {unit} -t 1"));
    }
}

#[test]
fn ranges_in_any_order_give_the_manifest_of_one_run() {
    for (seed, settings) in [
        "-f sums -a blake3",
        "-f jsonl -a blake3,kt128,sakura-fng-256",
        "-f dfxml -a kt256",
        "-f csv -a parallelhash128,blake3:64",
        "-f jsonl -a parallelhash256,block=4096",
    ]
    .into_iter()
    .enumerate()
    {
        let room = furnished();
        fs::create_dir(room.path().join("elsewhere")).unwrap();
        let one = pfh(&room, &format!("hash -r tree missing {settings} -o elsewhere/one --seal"));
        let planned =
            pfh(&room, &format!("plan -r tree missing {settings} --split 64KiB --unit 200KiB -o PLAN --json"));
        assert_eq!((planned.code, one.code), (Some(3), Some(3)), "{}", planned.stderr);
        let made: serde_json::Value = serde_json::from_slice(&planned.stdout).unwrap();
        assert_eq!(made["files"], 9, "{made}");
        assert!(units(&room) > 10, "{settings}");
        run(&room, 7 * seed + 3);
        let merged = pfh(&room, "merge PLAN -o elsewhere/many --seal");
        assert_eq!(merged.code, Some(3), "{settings}: {}", merged.stderr);
        let read = |name: &str| fs::read(room.path().join("elsewhere").join(name)).unwrap();
        assert!(read("many") == read("one"), "{settings}: {}", String::from_utf8_lossy(&read("many")));
        assert!(read("many.seal") == read("one.seal"), "{settings}");
        assert!(pfh(&room, "check --no-progress elsewhere/many").stderr.contains("the seal holds"));
    }
}

#[test]
fn a_file_that_changed_has_no_digest() {
    let large = |room: &Room| room.path().join("tree/large");
    type Change = fn(&PathBuf);
    let changes: [(&str, Change); 5] = [
        ("change time", |path| {
            // A byte is another, and the modification time is put back.
            let file = fs::File::options().write(true).open(path).unwrap();
            let times = fs::FileTimes::new().set_modified(file.metadata().unwrap().modified().unwrap());
            file.write_all_at(b"!", 1_000_000).unwrap();
            file.set_times(times).unwrap();
        }),
        ("modification time", |path| {
            let file = fs::File::options().write(true).open(path).unwrap();
            file.write_all_at(b"!", 2_999_999).unwrap();
        }),
        ("size", |path| fs::File::options().append(true).open(path).unwrap().set_len(3_000_001).unwrap()),
        ("file", |path| {
            let other = path.with_file_name("other");
            fs::copy(path, &other).unwrap();
            fs::rename(other, path).unwrap();
        }),
        ("No such file", |path| fs::remove_file(path).unwrap()),
    ];
    for (what, change) in changes {
        // Before any unit runs, and between the units.
        for ran in [0, 3] {
            let room = furnished();
            good(&room, "plan -r tree -a blake3,kt128 -f jsonl --split 256KiB --unit 256KiB -o PLAN");
            let units = units(&room);
            (1..=ran).for_each(|unit| drop(good(&room, &format!("run PLAN --unit {unit}"))));
            change(&large(&room));
            let ended: Vec<Outcome> =
                (ran + 1..=units).map(|unit| pfh(&room, &format!("run PLAN --no-progress --unit {unit}"))).collect();
            assert!(ended.iter().any(|seen| seen.code == Some(3) && seen.stderr.contains(what)), "{what}");
            assert!(ended.iter().all(|seen| matches!(seen.code, Some(0 | 3))), "{what}");
            let merged = pfh(&room, "merge PLAN");
            assert_eq!(merged.code, Some(3), "{what}: {}", merged.stderr);
            assert!(merged.stderr.contains("tree/large: ") && merged.stderr.contains(what), "{}", merged.stderr);
            let text = String::from_utf8_lossy(&merged.stdout).into_owned();
            let of = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_owned();
            assert!(of("tree/large").contains("\"error\"") && !of("tree/large").contains("blake3"), "{text}");
            assert!(of("tree/even").contains("blake3"), "{text}");
            assert!(text.lines().last().unwrap().contains("\"errors\":1"), "{text}");
        }
    }
}

#[test]
fn ranges_that_are_missing_or_another_are_not_merged() {
    let room = furnished();
    good(&room, "plan tree/large -a kt128 --split 512KiB --unit 512KiB -o PLAN");
    assert_eq!(units(&room), 6);
    run(&room, 4);
    let part = |unit: usize| {
        let parts = fs::read_dir(room.path().join("PLAN/parts")).unwrap().map(|part| part.unwrap().path());
        parts
            .into_iter()
            .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{unit:06}.")))
            .unwrap()
    };
    let (path, bytes) = (part(3), fs::read(part(3)).unwrap());
    let refused = |what: &str| {
        let seen = pfh(&room, "merge PLAN -o out");
        assert!(seen.code == Some(3) && seen.stderr.contains(what), "{what}: {:?} {}", seen.code, seen.stderr);
        assert!(!room.path().join("out").exists());
    };
    fs::remove_file(&path).unwrap();
    refused("unit 3 is missing");
    // Each bit counts.
    for at in [bytes.len() / 3, bytes.len() / 2, bytes.len() - 100] {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        fs::write(&path, flipped).unwrap();
        refused("000003");
    }
    fs::write(&path, fs::read(part(4)).unwrap()).unwrap();
    refused("unit 4 is there twice");
    fs::write(&path, &bytes).unwrap();
    assert_eq!(good(&room, "merge PLAN").stdout, good(&room, "hash -a kt128 tree/large").stdout);
}

#[test]
fn what_has_no_ranges_is_refused() {
    let room = furnished();
    for (words, what) in [
        ("-a sha256 --split 1MiB", "sha256 needs a file from its first byte to its last"),
        ("-a blake3,md5 --split 1MiB", "md5 needs"),
        ("-a sakura-li-128 --split 1MiB", "sakura-li-128 needs"),
        ("-a blake3 --split 3MB", "power of two"),
        ("-a blake3 --split 512", "power of two"),
        ("-a blake3 --split 0", "power of two"),
        ("-a kt128 --split 12KiB", "multiple of 8192"),
        ("-a blake3 -f jsonl --piecewise 4KiB --split 1MiB", "--piecewise"),
    ] {
        let seen = pfh(&room, &format!("plan -r tree {words} -o PLAN"));
        assert!(seen.code == Some(2) && seen.stderr.contains(what), "{words}: {:?} {}", seen.code, seen.stderr);
        assert!(!room.path().join("PLAN").exists(), "{words}");
    }
    // A file no longer than a range is read as ever, also when it grows later.
    good(&room, "plan tree/just -a blake3 --split 64KiB -o PLAN");
    room.file("tree/just", &random(14, 100_000));
    good(&room, "run PLAN --unit 1");
    assert_eq!(good(&room, "merge PLAN").stdout, good(&room, "hash -a blake3 tree/just").stdout);
}

#[test]
fn ranges_that_are_not_shared_out_are_said() {
    let room = furnished();
    let said = |words: &str| good(&room, &format!("plan -r tree -a blake3 {words}")).stderr;
    assert!(said("--split 64KiB -o ONE").contains("--split shares nothing out"));
    assert!(!said("--split 64KiB --unit 200KiB -o MANY").contains("shares nothing out"));
    assert!(!said("--unit 200KiB -o WHOLE").contains("shares nothing out"));
    // No file is larger than a range.
    assert!(!said("--split 1GiB -o SMALL").contains("shares nothing out"));
}
