//! A small FRASH (Breitinger, Stivaktakis and Baier 2013): the changes that each method still
//! detects: `frash [--real DIRECTORY]`.
//!
//! Fragments, one common block in otherwise different files, a prefix, random noise, unrelated
//! files; 20 bases of 256 KiB each, half of them random. The other half is made up here (text,
//! records), or with `--real` the beginnings of files of a directory. Beside each value stands that
//! of the reference tools (ssdeep 2.14.1, sdhash 4.0, mrsh-v2 2.0, TLSH 4.12.1) on 20 bases of the
//! same kinds.
//!
//! Ends with 1 where less is detected than should be: on the bases made up here, which never
//! change, less than the rows below state; on real ones, so much less than the reference that a
//! sample of 20 does not explain it. Detected: ssdeep from 1, sdhash from 21, mrsh-v2 from 1, TLSH
//! up to 100.

use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::ssdeep::Ssdeep;
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Method, Score};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const LENGTH: usize = 256 << 10;
const BASES: usize = 20;
const METHODS: [&str; 4] = ["ssdeep", "sdhash", "mrsh-v2", "TLSH"];

/// A test: its name, its amount, the reference's detection in percent for each method, and ours on
/// the made-up bases.
struct Row {
    name: &'static str,
    kind: Kind,
    amount: usize,
    reference: [u32; 4],
    floor: [u32; 4],
}

#[derive(Clone, Copy)]
enum Kind {
    /// A piece of the base, in percent.
    Fragment,
    /// Two different files share a block of that many KiB.
    Common,
    /// That many random KiB in front.
    Prefix,
    /// That many bytes changed.
    Noise,
    /// Another base.
    Unrelated,
}

#[rustfmt::skip]
const ROWS: [Row; 18] = [
    Row { name: "fragment 50 %", kind: Kind::Fragment, amount: 50, reference: [90, 100, 100, 0], floor: [95, 100, 100, 0] },
    Row { name: "fragment 25 %", kind: Kind::Fragment, amount: 25, reference: [10, 100, 100, 0], floor: [20, 100, 100, 0] },
    Row { name: "fragment 10 %", kind: Kind::Fragment, amount: 10, reference: [0, 100, 100, 0], floor: [0, 100, 100, 0] },
    Row { name: "fragment 1 %", kind: Kind::Fragment, amount: 1, reference: [0, 95, 100, 0], floor: [0, 100, 95, 0] },
    Row { name: "common block 64 KiB", kind: Kind::Common, amount: 64, reference: [70, 20, 100, 50], floor: [60, 25, 100, 40] },
    Row { name: "common block 32 KiB", kind: Kind::Common, amount: 32, reference: [20, 0, 85, 45], floor: [0, 0, 95, 25] },
    Row { name: "common block 16 KiB", kind: Kind::Common, amount: 16, reference: [0, 0, 45, 25], floor: [0, 0, 60, 15] },
    Row { name: "common block 8 KiB", kind: Kind::Common, amount: 8, reference: [0, 0, 10, 5], floor: [0, 0, 0, 0] },
    Row { name: "prefix 16 KiB", kind: Kind::Prefix, amount: 16, reference: [100, 100, 100, 100], floor: [100, 100, 100, 100] },
    Row { name: "prefix 64 KiB", kind: Kind::Prefix, amount: 64, reference: [100, 100, 100, 85], floor: [100, 100, 100, 75] },
    Row { name: "prefix 256 KiB", kind: Kind::Prefix, amount: 256, reference: [80, 100, 100, 0], floor: [80, 100, 100, 0] },
    Row { name: "prefix 1024 KiB", kind: Kind::Prefix, amount: 1024, reference: [0, 100, 100, 0], floor: [0, 100, 100, 0] },
    Row { name: "noise 32 B", kind: Kind::Noise, amount: 32, reference: [65, 100, 100, 100], floor: [35, 100, 100, 100] },
    Row { name: "noise 128 B", kind: Kind::Noise, amount: 128, reference: [10, 100, 100, 100], floor: [5, 100, 100, 100] },
    Row { name: "noise 512 B", kind: Kind::Noise, amount: 512, reference: [5, 100, 100, 100], floor: [0, 100, 100, 100] },
    Row { name: "noise 2048 B", kind: Kind::Noise, amount: 2048, reference: [0, 100, 35, 100], floor: [0, 100, 25, 100] },
    Row { name: "noise 8192 B", kind: Kind::Noise, amount: 8192, reference: [0, 0, 0, 100], floor: [0, 0, 0, 100] },
    Row { name: "unrelated", kind: Kind::Unrelated, amount: 0, reference: [0, 0, 0, 0], floor: [0, 0, 0, 0] },
];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length.div_ceil(8)).flat_map(|_| self.next().to_le_bytes()).take(length).collect()
    }
}

/// Text of made-up words, or records with counters: contents of files that are not compressed.
fn made_up(number: usize) -> Vec<u8> {
    let mut random = Random(5000 + number as u64);
    let words: Vec<String> = (0..3000)
        .map(|_| (0..2 + random.below(9)).map(|_| char::from(b'a' + random.below(26) as u8)).collect())
        .collect();
    let mut out = Vec::with_capacity(LENGTH + 100);
    while out.len() < LENGTH {
        let word = words[random.below(3000)].as_bytes();
        if number.is_multiple_of(2) {
            out.extend_from_slice(word);
            out.push(if random.below(12) == 0 { b'\n' } else { b' ' });
        } else {
            out.extend_from_slice(format!("{:08}|{:04x}|", out.len(), random.below(65_536)).as_bytes());
            out.extend_from_slice(word);
            out.extend_from_slice(b"|0000\n");
        }
    }
    out.truncate(LENGTH);
    out
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|path| collect(path, files));
    } else if path.metadata().is_ok_and(|found| found.len() >= LENGTH as u64) {
        files.push(path.into());
    }
}

fn bases(real: Option<&Path>) -> Vec<Vec<u8>> {
    let mut bases: Vec<Vec<u8>> = (0..BASES as u64 / 2).map(|n| Random(n).bytes(LENGTH)).collect();
    match real {
        None => bases.extend((0..BASES / 2).map(made_up)),
        Some(directory) => {
            let mut files = Vec::new();
            collect(directory, &mut files);
            assert!(files.len() >= BASES, "at least {BASES} files of 256 KiB or more");
            let step = files.len() / (BASES / 2);
            for path in files.iter().step_by(step).take(BASES / 2) {
                let mut bytes = std::fs::read(path).unwrap();
                bytes.truncate(LENGTH);
                bases.push(bytes);
            }
        }
    }
    bases
}

/// The two inputs that a test compares.
fn pair(kind: Kind, amount: usize, base: &[u8], other: &[u8], seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut random = Random(seed);
    match kind {
        Kind::Fragment => {
            let length = LENGTH * amount / 100;
            let at = random.below(LENGTH - length);
            (base.to_vec(), base[at..at + length].to_vec())
        }
        Kind::Common => {
            let length = amount << 10;
            let from = random.below(LENGTH - length);
            let around = |random: &mut Random| {
                let mut bytes = random.bytes(LENGTH);
                let at = random.below(LENGTH - length);
                bytes[at..at + length].copy_from_slice(&base[from..from + length]);
                bytes
            };
            (around(&mut random), around(&mut random))
        }
        Kind::Prefix => (base.to_vec(), [&random.bytes(amount << 10), base].concat()),
        Kind::Noise => {
            let mut bytes = base.to_vec();
            for _ in 0..amount {
                bytes[random.below(LENGTH)] ^= 1 + random.below(255) as u8;
            }
            (base.to_vec(), bytes)
        }
        Kind::Unrelated => (base.to_vec(), other.to_vec()),
    }
}

/// The scores of two inputs; none where one has no digest.
fn scores(a: &[u8], b: &[u8]) -> [Option<u32>; 4] {
    fn of<M: Method>(method: M, a: &[u8], b: &[u8], score: impl Fn(&M::Digest, &M::Digest) -> u32) -> Option<u32> {
        Some(score(&method.digest(a).ok()?, &method.digest(b).ok()?))
    }
    [
        of(Ssdeep, a, b, |a, b| Ssdeep.compare(a, b).score.number()),
        of(Sdhash::STREAM, a, b, |a, b| u32::from(sdhash::compare(a, b, Ordering::Equal).unwrap_or(0))),
        of(MrshV2::PLAIN, a, b, |a, b| u32::from(mrsh_v2::compare(&MrshV2::PLAIN, a, b, Base::Smaller))),
        of(Tlsh, a, b, |a, b| a.distance(b)),
    ]
}

fn detected(method: usize, score: Option<u32>) -> bool {
    let Some(score) = score else { return false };
    match method {
        0 | 2 => Score::Similarity(score as u8).reaches(Score::Similarity(1)),
        1 => Score::Similarity(score as u8).reaches(Score::Similarity(21)),
        _ => Score::Distance(score).reaches(Score::Distance(100)),
    }
}

/// Whether that many percent are fewer than the reference's by more than two samples of 20 explain:
/// by over 2.5 standard errors of a difference.
fn is_less(percent: u32, reference: u32) -> bool {
    let (ours, theirs) = (f64::from(percent) / 100.0, f64::from(reference) / 100.0);
    let draws = BASES as f64;
    let pooled = ((ours + theirs) * draws + 2.0) / (2.0 * draws + 4.0);
    theirs - ours > 2.5 * (2.0 * pooled * (1.0 - pooled) / draws).sqrt()
}

/// Runs all tests and prints the table; returns the tests and methods that failed.
fn run(real: Option<&Path>) -> Vec<String> {
    let bases = bases(real);
    println!("detected in % of {BASES} (median score) | reference");
    println!("{:<22}{}", "", METHODS.map(|method| format!("{method:>20}")).concat());
    let mut less = Vec::new();
    for (number, row) in ROWS.iter().enumerate() {
        let mut all: [Vec<Option<u32>>; 4] = Default::default();
        for (i, base) in bases.iter().enumerate() {
            // From the other half: a random one and one that is not have nothing in common.
            let other = &bases[(i + BASES / 2) % BASES];
            let (a, b) = pair(row.kind, row.amount, base, other, (number * 1000 + i) as u64);
            for (all, score) in all.iter_mut().zip(scores(&a, &b)) {
                all.push(score);
            }
        }
        print!("{:<22}", row.name);
        for (method, all) in all.iter_mut().enumerate() {
            let count = all.iter().filter(|score| detected(method, **score)).count();
            let percent = (100 * count / BASES) as u32;
            all.sort_unstable();
            let median = all[all.len() / 2].map_or("–".to_owned(), |score| score.to_string());
            print!("{:>20}", format!("{percent} ({median}) | {}", row.reference[method]));
            let wrong = match (row.kind, real) {
                (Kind::Unrelated, _) => percent > 0,
                (_, None) => percent < row.floor[method],
                (_, Some(_)) => is_less(percent, row.reference[method]),
            };
            if wrong {
                less.push(format!("{} {}: {percent} %", row.name, METHODS[method]));
            }
        }
        println!();
    }
    less
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let real = match &arguments[..] {
        [] => None,
        [flag, directory] if flag == "--real" => Some(PathBuf::from(directory)),
        _ => {
            eprintln!("frash [--real DIRECTORY]");
            return ExitCode::from(2);
        }
    };
    let less = run(real.as_deref());
    if less.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("detected less than before, or than the reference, or between unrelated files:\n{}", less.join("\n"));
    ExitCode::FAILURE
}

#[test]
fn nothing_less_is_detected() {
    assert_eq!(run(None), [""; 0]);
    assert!(is_less(50, 100) && !is_less(80, 100) && !is_less(100, 90));
}
