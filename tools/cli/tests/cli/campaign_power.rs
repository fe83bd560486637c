//! Power cuts over everything that pfh keeps: lists, caches, known sets, hash trees, images with
//! their maps and logs. After each cut the next command gives the old answer, the new one, or
//! refuses; never a wrong one with exit 0.
//!
//! `PFH_RUNS` sets how many cuts the nightly test makes; `PFH_RECORD` names a file that its figures
//! are appended to.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::program::{Room, sha256};
use pfh_inject::{Need, Outcome, Recording, Trial, content, lacks};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

fn pfh(room: &Path, arguments: &[&str]) -> Outcome {
    Trial::new(PFH).args(arguments).directory(room).run().unwrap()
}

fn good(room: &Path, arguments: &[&str]) -> Vec<u8> {
    let seen = pfh(room, arguments);
    assert_eq!(seen.code, Some(0), "{arguments:?}: {}", seen.stderr);
    seen.stdout
}

fn record(room: &Path, arguments: &[&str]) -> Recording {
    let recording = Recording::of(Path::new(PFH), arguments, room).unwrap();
    assert_eq!(recording.code, Some(0), "{arguments:?}");
    assert!(recording.points() > 4, "{arguments:?}: nothing was recorded");
    recording
}

/// The outcomes of the cuts of one scene.
#[derive(Default)]
struct Count {
    cuts: u64,
    old: u64,
    new: u64,
    refused: u64,
}

/// The commands after a cut end by themselves, without a panic.
fn ended(seen: &Outcome, what: &str) {
    assert!(matches!(seen.code, Some(0..=4)), "{what}: {:?} {}", seen.code, seen.stderr);
    assert!(!seen.stderr.contains("internal error"), "{what}: {}", seen.stderr);
}

fn tree(room: &Room) {
    for number in 0..12 {
        room.file(format!("tree/{number:02}"), &content(number, 500 + number * 311));
    }
}

/// `hash -o`: the list is the old one or the new one.
fn list(cuts: std::ops::Range<u64>) -> Count {
    let (room, after) = (Room::new(), Room::new());
    tree(&room);
    good(room.path(), &["hash", "-r", "--force", "-o", "list", "tree/01", "tree/02"]);
    let old = fs::read(room.path().join("list")).unwrap();
    let recording = record(room.path(), &["hash", "-r", "--force", "-o", "list", "--no-progress", "tree"]);
    let new = fs::read(room.path().join("list")).unwrap();
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        let found = fs::read(after.path().join("list")).unwrap();
        count.cuts += 1;
        if found == new {
            count.new += 1;
        } else {
            assert!(found == old, "list, cut {seed}: neither the old nor the new one");
            count.old += 1;
        }
    }
    count
}

/// `hash --cache`: the output of the next run is right, or it refuses the cache.
fn cache(cuts: std::ops::Range<u64>) -> Count {
    let (files, room, after) = (Room::new(), Room::new(), Room::new());
    tree(&files);
    // The cache does not keep files that changed within the last two seconds.
    std::thread::sleep(std::time::Duration::from_millis(2_200));
    let base = files.path().to_str().unwrap().to_owned();
    let word = |name: &str| format!("{base}/tree/{name}");
    good(room.path(), &["hash", "--cache", "cache", &word("01"), &word("02"), &word("03")]);
    let all = format!("{base}/tree");
    let recording = record(room.path(), &["hash", "-r", "--cache", "cache", "--no-progress", &all]);
    let right = good(room.path(), &["hash", "-r", &all]);
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        let seen = pfh(after.path(), &["hash", "-r", "--cache", "cache", &all]);
        ended(&seen, &format!("cache, cut {seed}"));
        count.cuts += 1;
        if seen.code == Some(0) {
            assert!(seen.stdout == right, "cache, cut {seed}: a wrong list with exit 0");
            count.new += 1;
        } else {
            eprintln!("cache, cut {seed}: {}", seen.stderr.trim());
            count.refused += 1;
        }
    }
    count
}

/// `known build`: the set is the old one, the new one, or none; and the same command makes the new
/// one from any state.
fn known(cuts: std::ops::Range<u64>) -> Count {
    let (room, after) = (Room::new(), Room::new());
    let line = |number: u64| format!("{}  name{number}\n", sha256(&number.to_le_bytes()));
    room.file("first", (0..6).map(line).collect::<String>().as_bytes());
    room.file("second", (3..15).map(line).collect::<String>().as_bytes());
    let build = ["known", "build", "--no-progress", "--bad", "second", "set"];
    let recording = record(room.path(), &build);
    let new = fs::read(room.path().join("set")).unwrap();
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        count.cuts += 1;
        match fs::read(after.path().join("set")) {
            Ok(found) => {
                assert!(found == new, "known, cut {seed}: half a set has the name");
                count.new += 1;
            }
            Err(_) => count.old += 1,
        }
        let _ = fs::remove_file(after.path().join("set"));
        let seen = pfh(after.path(), &build);
        ended(&seen, &format!("known, cut {seed}"));
        assert_eq!(seen.code, Some(0), "known, cut {seed}: not built again: {}", seen.stderr);
        // The set holds its times: its answers are compared.
        let asked = [0_u64, 3, 14].map(|number| sha256(&number.to_le_bytes()) + "\n").concat();
        let lookup = Trial::new(PFH).args(["lookup", "-k", "set"]).input(asked).directory(after.path());
        let seen = lookup.run().unwrap();
        ended(&seen, &format!("known, cut {seed}"));
        let bad: Vec<bool> = seen.lines().iter().map(|line| line.windows(3).any(|word| word == b"bad")).collect();
        assert_eq!(bad, [false, true, true], "known, cut {seed}: {}", String::from_utf8_lossy(&seen.stdout));
    }
    count
}

/// `tree update`: the tree beside a file is the old one or the new one.
fn outboard(cuts: std::ops::Range<u64>) -> Count {
    let (room, after) = (Room::new(), Room::new());
    let file = room.file("file", &content(7, 300_000));
    good(room.path(), &["tree", "build", "--no-progress", "file"]);
    let old = fs::read(room.path().join("file.pfhtree")).unwrap();
    let mut bytes = content(7, 300_000);
    bytes[100_000..100_010].fill(1);
    fs::write(&file, &bytes).unwrap();
    let update = ["tree", "update", "--no-progress", "--range", "99990:100", "file"];
    let recording = record(room.path(), &update);
    let new = fs::read(room.path().join("file.pfhtree")).unwrap();
    assert_ne!(old, new);
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        count.cuts += 1;
        let check = || pfh(after.path(), &["tree", "check", "--no-progress", "file"]);
        // A journal that was synced is part of the tree: the tree as it is read counts, not the
        // file's bytes.
        match check().code {
            Some(0) => count.new += 1,
            Some(1) => {
                let found = fs::read(after.path().join("file.pfhtree")).unwrap();
                assert!(found == old, "outboard, cut {seed}: neither the old tree nor the new one");
                count.old += 1;
            }
            code => panic!("outboard, cut {seed}: {code:?}"),
        }
        // From either state the same update ends with the new tree.
        good(after.path(), &update);
        let whole = fs::read(after.path().join("file.pfhtree")).unwrap();
        assert!(whole == new && check().code == Some(0), "outboard, cut {seed}: not updated again");
    }
    count
}

/// `tree receive`: the file is whole or has no name, and the same command ends with its root.
fn received(cuts: std::ops::Range<u64>) -> Count {
    let (room, after) = (Room::new(), Room::new());
    let whole = content(5, 150_000);
    room.file("front", &whole[..70_001]);
    room.file("back", &whole[70_001..]);
    let receive =
        ["tree", "receive", "--no-progress", "--receipt-every=1", "-m1", "-o", "file", "70001=back", "0=front"];
    let recording = record(room.path(), &receive);
    let tree = fs::read(room.path().join("file.pfhtree")).unwrap();
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        count.cuts += 1;
        let is_placed = after.path().join("file").exists();
        let is_whole = || fs::read(after.path().join("file")).is_ok_and(|found| found == whole);
        assert!(!is_placed || is_whole(), "received, cut {seed}: a file that is not whole");
        let seen = pfh(after.path(), &receive);
        // Without a receipt the file is somebody's, and is not replaced.
        let is_ended = is_placed && seen.code == Some(2);
        assert!(seen.code == Some(0) || is_ended, "received, cut {seed}: {:?} {}", seen.code, seen.stderr);
        let found = fs::read(after.path().join("file.pfhtree")).unwrap();
        assert!(is_whole() && found == tree, "received, cut {seed}: another file or tree");
        if is_placed { count.new += 1 } else { count.old += 1 }
    }
    count
}

/// `acquire`: the same command after the cut ends with the whole image, or refuses.
fn image(cuts: std::ops::Range<u64>) -> Count {
    let (room, after) = (Room::new(), Room::new());
    let disk = content(9, 200_000);
    room.file("disk", &disk);
    let acquire = ["acquire", "--no-progress", "disk", "--to", "image"];
    let recording = record(room.path(), &acquire);
    let mut count = Count::default();
    for seed in cuts {
        recording.cut(seed, after.path()).unwrap();
        count.cuts += 1;
        let begun = after.path().join("image").exists();
        let seen = pfh(after.path(), &acquire);
        ended(&seen, &format!("image, cut {seed}"));
        if seen.code == Some(0) {
            assert!(fs::read(after.path().join("image")).unwrap() == disk, "image, cut {seed}: not the disk, exit 0");
            if begun { count.new += 1 } else { count.old += 1 }
        } else {
            count.refused += 1;
        }
        // The verdict of the next reader on the present files: never a good word about another
        // image.
        let verified = pfh(after.path(), &["verify", "--no-progress", "image"]);
        ended(&verified, &format!("image, cut {seed}, verify"));
        let there = fs::read(after.path().join("image")).unwrap_or_default();
        let log = after.path().join("image.log.jsonl").exists();
        assert!(verified.code != Some(0) || there == disk || !log, "image, cut {seed}: another image was verified");
    }
    count
}

type Scene = fn(std::ops::Range<u64>) -> Count;
const SCENES: [(&str, Scene); 6] = [
    ("list", list),
    ("cache", cache),
    ("known", known),
    ("outboard", outboard),
    ("received", received),
    ("image", image),
];

fn campaign(runs: u64, from: u64) -> Vec<String> {
    let each = runs.div_ceil(SCENES.len() as u64);
    let run = |(name, scene): &(&str, Scene)| {
        let Count { cuts, old, new, refused } = scene(from..from + each);
        let line = format!("| {name} | {cuts} | {old} | {new} | {refused} | 0 |");
        println!("{line}");
        line
    };
    SCENES.iter().map(run).collect()
}

#[test]
fn a_few_power_cuts() {
    if !lacks(&[Need::Program("strace")]) {
        campaign(60, 1);
    }
}

#[test]
#[ignore = "10,000 power cuts take minutes: `make campaigns`"]
fn ten_thousand_power_cuts() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let runs = std::env::var("PFH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(10_000);
    let lines = campaign(runs, 1_000);
    if let Some(path) = std::env::var_os("PFH_RECORD") {
        let mut record = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(record, "| scene | cuts | old | new | refused | wrong |\n|---|---:|---:|---:|---:|---:|").unwrap();
        writeln!(record, "{}", lines.join("\n")).unwrap();
    }
}
