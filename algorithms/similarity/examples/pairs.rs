//! How fast all pairs are found: `pairs [--digests N] [--filters N] [--rounds N] [--windows
//! KIB[,KIB…] [--most N]] [PATH…]`.
//!
//! * `--digests N`: the ssdeep join over N made-up digests, a fifth of them changed copies of
//!   others; the pairs are proved against brute force on the first 2,000.
//! * `--filters N`: sdhash and mrsh-v2 over made-up inputs with about N filters.
//! * paths: digests of these files (of directories, all below), then all pairs of each method.
//! * `--windows`: ssdeep only, over the pieces of that many KiB that the files are made of, one
//!   behind the other, in place of the files; at most `--most`, taken evenly. Those of one file and
//!   of its copies are real digests, as many as there are never files at hand.
//!
//! CPU time of this thread; memory is the process's peak.

use pfh_similarity::index::{self, Hit, Pairs, Report, Visitor};
use pfh_similarity::mrsh_v2::{Base, MrshV2};
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::ssdeep::{self, Ssdeep, Target};
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Method, Score};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|path| collect(path, files));
    } else {
        files.push(path.into());
    }
}

/// Seconds that this thread has spent on a CPU.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap()
        .split_whitespace()
        .skip(1)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Counts the pairs and adds up their scores.
#[derive(Default)]
struct Sum(u64, u64);

impl Visitor for Sum {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        self.0 += 1;
        self.1 += u64::from(hit.score.number());
        ControlFlow::Continue(())
    }
}

fn show(name: &str, search: impl FnOnce(&mut Sum) -> ControlFlow<(), Report>) {
    let mut sum = Sum::default();
    let start = cpu();
    let ControlFlow::Continue(report) = search(&mut sum) else { unreachable!() };
    let seconds = cpu() - start;
    println!(
        "{name:28} {seconds:8.2} s  {} pairs, sum of scores {}; {} compared, {:.0} M/s; {} passes; peak {}",
        sum.0,
        sum.1,
        report.compared,
        report.compared as f64 / 1e6 / seconds,
        report.passes,
        peak()
    );
    for hot in report.hottest.iter().take(2) {
        println!("    {}:{} in {} digests", hot.block_size, String::from_utf8_lossy(&hot.letters), hot.digests);
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn letters(&mut self, count: usize) -> Vec<u8> {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..count).map(|_| ALPHABET[(self.next() & 63) as usize]).collect()
    }
}

/// Digests like those of real files in length and block size; one in five is another with a few
/// letters changed.
fn made_up(count: usize) -> Vec<ssdeep::Digest> {
    let mut random = Random(1);
    let mut digests: Vec<ssdeep::Digest> = Vec::with_capacity(count);
    for i in 0..count {
        let (size, mut first, mut second) = if i > 10 && random.next().is_multiple_of(5) {
            let other = digests[(random.next() % i as u64) as usize];
            (other.block_size(), other.first().letters().to_vec(), other.second().letters().to_vec())
        } else {
            let lengths = (32 + random.next() % 33, 16 + random.next() % 17);
            let size = 3u64 << (3 + random.next() % 14);
            (size, random.letters(lengths.0 as usize), random.letters(lengths.1 as usize))
        };
        for _ in 0..random.next() % 6 {
            let at = (random.next() % first.len() as u64) as usize;
            first[at] = random.letters(1)[0];
            let at = (random.next() % second.len() as u64) as usize;
            second[at] = random.letters(1)[0];
        }
        let text = format!("{size}:{}:{}", String::from_utf8_lossy(&first), String::from_utf8_lossy(&second));
        digests.push(text.parse().unwrap());
    }
    digests
}

fn prove(digests: &[ssdeep::Digest]) {
    let mut expected = Vec::new();
    for (a, digest) in digests.iter().enumerate() {
        let target = Target::new(digest);
        for (b, other) in digests.iter().enumerate().skip(a + 1) {
            let score = target.score(&other.collapsed());
            if score > 0 {
                expected.push(Hit { a: a as u32, b: b as u32, score: Score::Similarity(score) });
            }
        }
    }
    let mut hits: Vec<Hit> = Vec::new();
    assert!(index::ssdeep(digests, Pairs::All, 1, usize::MAX, &mut hits).is_continue());
    hits.sort_by_key(|hit| (hit.a, hit.b));
    assert_eq!(hits, expected);
    println!("{} digests: the {} pairs of brute force", digests.len(), hits.len());
}

fn main() {
    let (mut digests, mut filters, mut rounds, mut most, mut files) = (0, 0, 1, usize::MAX, Vec::new());
    let mut windows: Vec<usize> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().unwrap().parse::<usize>().unwrap();
        match argument.as_str() {
            "--digests" => digests = number(),
            "--filters" => filters = number(),
            "--rounds" => rounds = number(),
            "--most" => most = number(),
            "--windows" => {
                windows.extend(arguments.next().unwrap().split(',').map(|kib| kib.parse::<usize>().unwrap()))
            }
            path => collect(Path::new(path), &mut files),
        }
    }
    let mut inputs: Vec<Vec<u8>> = files.iter().map(|path| std::fs::read(path).unwrap()).collect();
    if !windows.is_empty() {
        let of = |input: &[u8]| -> Vec<ssdeep::Digest> {
            let pieces = windows.iter().flat_map(|kib| input.chunks(kib << 10));
            pieces.map(|piece| Ssdeep.digest(piece).unwrap()).collect()
        };
        let all: Vec<ssdeep::Digest> = inputs.iter().flat_map(|input| of(input)).collect();
        drop(inputs);
        let count = all.len().min(most);
        let evenly: Vec<ssdeep::Digest> = (0..count).map(|i| all[i * all.len() / count]).collect();
        println!("{} pieces of {} files, {count} taken", all.len(), files.len());
        prove(&evenly[..count.min(2000)]);
        for _ in 0..rounds {
            show("ssdeep, pieces of files", |sum| index::ssdeep(&evenly, Pairs::All, 1, 3 << 30, sum));
        }
        return;
    }
    for _ in 0..rounds {
        if digests > 0 {
            let made_up = made_up(digests);
            prove(&made_up[..digests.min(2000)]);
            show("ssdeep, made up", |sum| index::ssdeep(&made_up, Pairs::All, 1, 3 << 30, sum));
        }
    }
    if filters > 0 {
        // About 9.6 kB for each sdhash filter, 37 kB for each of mrsh-v2's.
        let mut random = Random(2);
        inputs.extend((0..filters / 10).map(|_| (0..12_000).flat_map(|_| random.next().to_le_bytes()).collect()));
    }
    if inputs.is_empty() {
        return;
    }
    let ssdeep: Vec<_> = inputs.iter().map(|input| Ssdeep.digest(input).unwrap()).collect();
    let tlsh: Vec<_> = inputs.iter().filter_map(|input| Tlsh.digest(input).ok()).collect();
    let mrsh_v2: Vec<_> = inputs.iter().map(|input| MrshV2::PLAIN.digest(input).unwrap()).collect();
    let sdhash: Vec<_> = inputs.iter().filter_map(|input| Sdhash::STREAM.digest(input).ok()).collect();
    drop(inputs);
    for _ in 0..rounds {
        show("ssdeep", |sum| index::ssdeep(&ssdeep, Pairs::All, 1, 3 << 30, sum));
        show("tlsh, distance up to 30", |sum| index::tlsh(&tlsh, Pairs::All, 30, sum));
        show("mrsh-v2", |sum| index::mrsh_v2(&MrshV2::PLAIN, &mrsh_v2, Base::Smaller, Pairs::All, 1, sum));
        show("sdhash", |sum| index::sdhash(&sdhash, None, Pairs::All, 1, sum));
    }
}
