//! How many of the pairs that a method finds have something in common: `precision DIRECTORY…`.
//!
//! The ground truth does not come from any of the methods: two files have something in common when
//! they share at least two stretches of 64 bytes, of those whose polynomial hash ends in seven
//! zeros (one in 128) and which hold eight different bytes or more. For thresholds of mrsh-v2 and
//! sdhash, without evidence and with it (a shared chunk, or feature), it prints the pairs found and
//! how many of them have something in common; the recall is relative to all pairs found by the
//! method that have something in common.

use pfh_similarity::index::{self, Hit, Pairs};
use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::{Hasher, shared};
use std::path::{Path, PathBuf};

const STRETCH: usize = 64;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Stretches that two files must share.
const ENOUGH: u64 = 2;

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut entries: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries.iter().for_each(|path| collect(path, files));
    } else {
        files.push(path.into());
    }
}

/// The hashes of the stretches that are looked at, ascending, each once.
fn stretches(bytes: &[u8]) -> Vec<u64> {
    let leaving = (0..STRETCH).fold(1u64, |power, _| power.wrapping_mul(FACTOR));
    let mut hash = 0u64;
    let mut found = Vec::new();
    for (i, &byte) in bytes.iter().enumerate() {
        hash = hash.wrapping_mul(FACTOR).wrapping_add(u64::from(byte) + 1);
        if i >= STRETCH {
            hash = hash.wrapping_sub(leaving.wrapping_mul(u64::from(bytes[i - STRETCH]) + 1));
        }
        if i + 1 >= STRETCH && hash >> 57 == 0 {
            let mut seen = [false; 256];
            bytes[i + 1 - STRETCH..=i].iter().for_each(|&byte| seen[usize::from(byte)] = true);
            if seen.iter().filter(|seen| **seen).count() >= 8 {
                found.push(hash);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Prints the table of a method from every `nth` of its pairs, which come in no order that has to
/// do with their scores.
fn table(name: &str, mut hits: Vec<Hit>, nth: usize, truth: &[Vec<u64>], features: &[Vec<u64>]) {
    let count = hits.len();
    hits.sort_by_key(|hit| (u64::from(hit.a) << 32 | u64::from(hit.b)).wrapping_mul(FACTOR));
    let hits: Vec<Hit> = hits.into_iter().step_by(nth).collect();
    let marked: Vec<(u32, bool, bool)> = hits
        .iter()
        .map(|hit| {
            let (a, b) = (hit.a as usize, hit.b as usize);
            let real = shared(&truth[a], &truth[b]) >= ENOUGH;
            (hit.score.number(), real, shared(&features[a], &features[b]) > 0)
        })
        .collect();
    let all = marked.iter().filter(|hit| hit.1).count();
    println!("{name}: {count} pairs score 1 or more; of {} looked at, {all} have something in common", hits.len());
    println!(
        "{:>9} {:>10} {:>10} {:>8} | with evidence {:>10} {:>10} {:>8}",
        "score ≥", "pairs", "precision", "recall", "pairs", "precision", "recall"
    );
    for threshold in [1, 5, 11, 21, 31, 51, 81] {
        let figures = |evidence: bool| {
            let found: Vec<_> = marked.iter().filter(|hit| hit.0 >= threshold && (hit.2 || !evidence)).collect();
            let real = found.iter().filter(|hit| hit.1).count();
            let percent = |of: usize| if of == 0 { 100.0 } else { 100.0 * real as f64 / of as f64 };
            (found.len(), percent(found.len()), percent(all))
        };
        let (without, with) = (figures(false), figures(true));
        println!(
            "{threshold:>9} {:>10} {:>8.1} % {:>6.1} % | {:>24} {:>8.1} % {:>6.1} %",
            without.0, without.1, without.2, with.0, with.1, with.2
        );
    }
}

fn main() {
    let mut files = Vec::new();
    std::env::args().skip(1).for_each(|path| collect(Path::new(&path), &mut files));
    let (mut truth, mut mrsh, mut sd) = (Vec::new(), Vec::new(), Vec::new());
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        let stretches = stretches(&bytes);
        let mut generator = mrsh_v2::Generator::keeping_features(MrshV2::PLAIN);
        generator.update(&bytes);
        mrsh.push(generator.finalize_featured());
        let mut generator = sdhash::Generator::keeping_features(Sdhash::STREAM);
        generator.update(&bytes);
        if let Ok(featured) = generator.finalize_featured() {
            sd.push((truth.len(), featured));
        }
        truth.push(stretches);
    }
    println!("{} files", files.len());
    let digests: Vec<mrsh_v2::Digest> = mrsh.iter().map(|featured| featured.digest.clone()).collect();
    let chunks: Vec<Vec<u64>> = mrsh.into_iter().map(|featured| featured.chunks).collect();
    let mut hits: Vec<Hit> = Vec::new();
    assert!(index::mrsh_v2(&MrshV2::PLAIN, &digests, Base::Smaller, Pairs::All, 1, &mut hits).is_continue());
    table("mrsh-v2", hits, 1, &truth, &chunks);
    let digests: Vec<sdhash::Digest> = sd.iter().map(|(_, featured)| featured.digest.clone()).collect();
    let truth: Vec<Vec<u64>> = sd.iter().map(|(at, _)| truth[*at].clone()).collect();
    let features: Vec<Vec<u64>> = sd.into_iter().map(|(_, featured)| featured.features).collect();
    let mut hits: Vec<Hit> = Vec::new();
    assert!(index::sdhash(&digests, None, Pairs::All, 1, &mut hits).is_continue());
    table("sdhash", hits, 100, &truth, &features);
}
