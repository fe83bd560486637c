//! A model of acquiring: a disk is a list of sectors that are readable, bad, or bad until they are
//! tried again. After kills, resumptions and retries, image, map, digests and log are the
//! model's.
#![cfg(unix)]

use crate::program::acquisition::{pfh, report};
use crate::program::{Room, sha256};
use pfh_inject::{Trial, content};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// SplitMix64: a case can be repeated by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    fn below(&mut self, most: u64) -> u64 {
        self.next() % most
    }
}

const SECTOR: u64 = 512;

/// Runs of sectors that are bad for good, and runs that are readable when they are tried again.
struct Disk {
    bytes: Vec<u8>,
    bad: Vec<(u64, u64)>,
    flaky: Vec<(u64, u64)>,
}

impl Disk {
    fn random(random: &mut Random) -> Self {
        let sectors = 2000 + random.below(20_000);
        let mut runs = |most: u64| -> Vec<(u64, u64)> {
            let count = random.below(5);
            let mut run = |_| {
                let length = if random.below(4) == 0 { 1 + random.below(most) } else { 1 + random.below(8) };
                let first = random.below(sectors);
                (first, length.min(sectors - first))
            };
            (0..count).map(&mut run).collect()
        };
        let (bad, flaky) = (runs(700), runs(300));
        Disk { bytes: content(random.next(), sectors * SECTOR), bad, flaky }
    }

    /// Sectors that cannot be read: at first, or when the flaky ones answer.
    fn unreadable(&self, at_first: bool) -> Vec<bool> {
        let mut all = vec![false; self.bytes.len() / SECTOR as usize];
        let flaky = self.flaky.iter().filter(|_| at_first);
        for (first, length) in self.bad.iter().chain(flaky) {
            all[*first as usize..(first + length) as usize].fill(true);
        }
        all
    }

    /// As a map for `--map-as-faults`, and as the map of the result.
    fn map(&self, at_first: bool) -> String {
        let all = self.unreadable(at_first);
        let mut text = String::from("0 +\n");
        let mut from = 0;
        for run in all.chunk_by(|a, b| a == b) {
            let length = run.len() as u64 * SECTOR;
            text += &format!("{from:#x} {length:#x} {}\n", if run[0] { '-' } else { '+' });
            from += length;
        }
        text
    }

    fn image(&self, at_first: bool) -> Vec<u8> {
        let mut image = self.bytes.clone();
        for (sector, bad) in self.unreadable(at_first).into_iter().enumerate() {
            if bad {
                image[sector * SECTOR as usize..][..SECTOR as usize].fill(0);
            }
        }
        image
    }
}

/// The bad blocks of a map, in bytes.
fn bad_of(map: &str) -> Vec<(u64, u64)> {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).unwrap(),
        None => word.parse().unwrap(),
    };
    let blocks =
        map.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let bad = blocks.filter(|words| words.len() == 3 && words[2] != "+" && words[2] != "1");
    bad.map(|words| (number(words[0]), number(words[1]))).collect()
}

fn one(seed: u64) {
    let mut random = Random(seed);
    let disk = Disk::random(&mut random);
    let room = Room::in_memory();
    let source = room.file("source", &disk.bytes);
    let (first, later) =
        (room.file("first", disk.map(true).as_bytes()), room.file("later", disk.map(false).as_bytes()));
    let form = random.below(4);
    let (name, words): (&str, &[&str]) = match form {
        0 => ("image", &["--split", "1000KiB"]),
        1 => ("image.E01", &["--split", "2MiB", "--compression", "none"]),
        _ => ("image", &[]),
    };
    let target = room.path().join(name);
    let give_up = if form == 1 { "0" } else { "4096" };
    let run = |faults: &PathBuf, more: &[&str], delay: Option<u64>| {
        let trial = Trial::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["acquire", "--no-progress", "--json", "-a", "sha256,md5", "-m", "4", "--map-interval", "0.005"])
            .args(["--retries", "1", "--give-up", give_up])
            .args(words)
            .args(more)
            .arg("--map-as-faults")
            .arg(faults)
            .arg("--to")
            .arg(&target)
            .arg(&source)
            .limit(Duration::from_secs(300));
        match delay {
            Some(delay) => trial.signal(Duration::from_millis(delay), 9).run().unwrap(),
            None => trial.run().unwrap(),
        }
    };
    let case = |what: &str, detail: &dyn std::fmt::Debug| format!("seed {seed}, {name} {words:?}: {what}: {detail:?}");
    for _ in 0..random.below(6) {
        let seen = run(&first, &[], Some(5 + random.below(150)));
        assert!([Some(128 + 9), Some(0), Some(3)].contains(&seen.code), "{}", case("killed", &seen));
    }
    let check = |at_first: bool, seen: &pfh_inject::Outcome| {
        let image = disk.image(at_first);
        let is_whole = image == disk.bytes;
        assert_eq!(
            seen.code,
            Some(if disk.unreadable(at_first).contains(&true) { 3 } else { 0 }),
            "{}",
            case("exit", &seen)
        );
        let digest = report(seen)["digests"]["sha256"].as_str().unwrap().to_owned();
        assert_eq!(digest, sha256(&image), "{}", case("digest", &is_whole));
        let back: Vec<u8> = match form {
            0 => (0..)
                .map_while(|number| fs::read(room.path().join(format!("image.{number:03}"))).ok())
                .flatten()
                .collect(),
            1 => {
                let out = room.path().join("back");
                let seen = pfh(["acquire", "--image", "--force", "--no-progress", "--to"]
                    .map(AsRef::as_ref)
                    .into_iter()
                    .chain([out.as_os_str(), target.as_os_str()]));
                assert!(seen.code == Some(0) || seen.code == Some(3), "{}", case("back", &seen));
                fs::read(out).unwrap()
            }
            _ => fs::read(&target).unwrap(),
        };
        assert!(back == image, "{}", case("image", &at_first));
        let map = fs::read_to_string(room.path().join(format!("{name}.map"))).unwrap();
        assert_eq!(bad_of(&map), bad_of(&disk.map(at_first)), "{}", case("map", &map));
        let log = room.path().join(format!("{name}.log.jsonl"));
        let seen = pfh(["verify".as_ref(), "--log".as_ref(), log.as_os_str()]);
        assert_eq!(seen.code, Some(0), "{}", case("log", &seen));
    };
    check(true, &run(&first, &[], None));
    if form != 1 {
        // Killed while it is tried again as well.
        for _ in 0..random.below(3) {
            let seen = run(&later, &["--retry-bad"], Some(5 + random.below(100)));
            assert!([Some(128 + 9), Some(0), Some(3)].contains(&seen.code), "{}", case("retry killed", &seen));
        }
        check(false, &run(&later, &["--retry-bad"], None));
    }
}

/// A few cases each time; `PFH_NIGHTLY=1` runs many, from a seed that changes and is in the message
/// of a failure.
#[test]
fn whatever_is_killed_resumed_and_retried_is_the_models() {
    if let Ok(seed) = std::env::var("PFH_SEED") {
        return one(seed.parse().unwrap());
    }
    let is_nightly = std::env::var_os("PFH_NIGHTLY").is_some();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let (from, cases) = if is_nightly { (now, 400) } else { (1, 6) };
    (from..from + cases).for_each(one);
}
