//! How long all pairs of many digests take: `joins METHOD COUNT [--sample N] PATH…`, where METHOD
//! is
//! `tlsh`, `mrsh-v2` or `sdhash`.
//!
//! Files of up to 256 kB below the paths are the models: a made digest has the length, ratios and
//! number of filters of one of them, and contents of its own. Of ten digests three are in families,
//! some large and most small, changed a little each. Prints the pairs, the comparisons and the
//! CPU seconds, at TLSH up to 30, mrsh-v2 from 21 and sdhash from 30. With `--sample`, that many
//! digests are compared with each other one by the method itself, and their pairs must be the same.

use pfh_similarity::index::{self, Hit, Pairs, Report};
use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::tlsh::{self, Tlsh};
use pfh_similarity::{Method, Score};
use std::cmp::Ordering;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

const LONGEST: u64 = 256 << 10;
const MODELS: usize = 16_000;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Always the same numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        // Splitmix64 by Steele, Lea and Flood.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    /// The place of the earlier digest whose relative the next one is, or none for a stranger. Each
    /// ten thousand digests have families of their own, so that pairs grow as digests do.
    fn relative(&mut self, made: usize) -> Option<usize> {
        let share = self.next() as f64 / u64::MAX as f64;
        // The `n`th head is as often as n^(−2/3).
        let head = made / 10_000 * 10_000 + (3000.0 * share.powi(3)) as usize;
        (self.below(10) < 3 && head < made).then_some(head)
    }
}

fn models<T>(paths: &[String], make: impl Fn(&[u8]) -> Option<T>) -> Vec<T> {
    fn below<T>(path: &Path, make: &impl Fn(&[u8]) -> Option<T>, found: &mut Vec<T>) {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Ok(stat) = entry.metadata() else { continue };
            if stat.is_dir() {
                below(&entry.path(), make, found);
            } else if stat.is_file() && stat.len() <= LONGEST && found.len() < MODELS {
                found.extend(std::fs::read(entry.path()).ok().and_then(|bytes| make(&bytes)));
            }
        }
    }
    let mut found = Vec::new();
    paths.iter().for_each(|path| below(Path::new(path), &make, &mut found));
    assert!(!found.is_empty(), "no files");
    found
}

/// The digits of a digest by twos: checksum, length, ratios and body.
type Digits = [u8; 35];

fn digits(digest: &tlsh::Digest) -> Digits {
    let text = digest.to_string();
    std::array::from_fn(|at| u8::from_str_radix(&text[2 + 2 * at..][..2], 16).expect("digits"))
}

fn tlsh_of(digits: &Digits) -> tlsh::Digest {
    let text: String = digits.iter().map(|two| format!("{two:02X}")).collect();
    text.parse().expect("a model's length")
}

fn made_tlsh(count: usize, paths: &[String]) -> Vec<tlsh::Digest> {
    let models = models(paths, |bytes| Tlsh.digest(bytes).ok().map(|digest| digits(&digest)));
    let mut numbers = Numbers(1);
    let mut made: Vec<Digits> = Vec::with_capacity(count);
    while made.len() < count {
        let mut bytes = models[numbers.below(models.len())];
        match numbers.relative(made.len()) {
            Some(head) => {
                bytes = made[head];
                (0..numbers.below(16)).for_each(|_| bytes[3 + numbers.below(32)] ^= 1 << numbers.below(8));
            }
            // Four buckets change places with four others, again and again.
            None => (0..64).for_each(|_| bytes.swap(3 + numbers.below(32), 3 + numbers.below(32))),
        }
        made.push(bytes);
    }
    made.iter().map(tlsh_of).collect()
}

/// Filters with the elements of a model's, or of a relative with some exchanged.
fn filters(numbers: &mut Numbers, elements: &[u32], made: &[(Vec<u32>, Vec<u8>)]) -> (Vec<u32>, Vec<u8>) {
    let (elements, mut bytes, fresh) = match numbers.relative(made.len()) {
        Some(head) => (made[head].0.clone(), made[head].1.clone(), 2 + numbers.below(6) as u32),
        None => (elements.to_vec(), vec![0; 256 * elements.len()], 1),
    };
    for (filter, elements) in bytes.chunks_mut(256).zip(&elements) {
        // Of a relative's bits some are lost, and others are set for them.
        if fresh > 1 {
            (0..256 / fresh as usize).for_each(|_| filter[numbers.below(256)] = 0);
        }
        for _ in 0..5 * elements / fresh {
            filter[numbers.below(256)] |= 1 << numbers.below(8);
        }
    }
    (elements, bytes)
}

fn made_filters(count: usize, models: &[Vec<u32>]) -> Vec<(Vec<u32>, Vec<u8>)> {
    let mut numbers = Numbers(2);
    let mut made = Vec::with_capacity(count);
    while made.len() < count {
        let model = &models[numbers.below(models.len())];
        let next = filters(&mut numbers, model, &made);
        made.push(next);
    }
    made
}

fn mrsh_of((elements, bytes): &(Vec<u32>, Vec<u8>)) -> mrsh_v2::Digest {
    let mut text = format!(":90000:{}:{}:", elements.len() - 1, elements.last().expect("a filter"));
    bytes.iter().for_each(|byte| write!(text, "{byte:02X}").expect("memory"));
    text.parse().expect("a digest")
}

fn sdhash_of((elements, bytes): &(Vec<u32>, Vec<u8>)) -> sdhash::Digest {
    let last = elements.last().expect("a filter");
    let mut text = format!("sdbf:03:0::90000:sha1:256:5:7ff:160:{}:{last}:", elements.len());
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for i in 0..4 {
            text.push(if i <= three.len() { char::from(ALPHABET[(word >> (18 - 6 * i) & 63) as usize]) } else { '=' });
        }
    }
    text.parse().expect("a digest")
}

/// Seconds that this thread has spent on a CPU.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn run<T>(
    digests: &[T],
    sample: usize,
    search: impl Fn(&[T], &mut Vec<Hit>) -> ControlFlow<(), Report>,
    score: impl Fn(&T, &T) -> Option<Score>,
) {
    let (mut hits, start) = (Vec::new(), cpu());
    let ControlFlow::Continue(report) = search(digests, &mut hits) else { unreachable!("a list takes all") };
    println!(
        "{} digests, {} pairs, {} compared: {:.2} CPU s",
        digests.len(),
        hits.len(),
        report.compared,
        cpu() - start
    );
    let start = cpu();
    for number in 0..sample {
        let one = number * digests.len() / sample;
        let is_of = |hit: &&Hit| hit.a as usize == one || hit.b as usize == one;
        let mut found: Vec<(usize, Score)> =
            hits.iter().filter(is_of).map(|hit| ((hit.a + hit.b) as usize - one, hit.score)).collect();
        found.sort_unstable_by_key(|(other, _)| *other);
        let of = |other: usize| Some((other, score(&digests[one.min(other)], &digests[one.max(other)])?));
        let expected: Vec<_> = (0..digests.len()).filter(|other| *other != one).filter_map(of).collect();
        assert_eq!(found, expected, "digest {one}");
    }
    if sample > 0 {
        println!("{sample} of them compared with each: the same pairs, {:.2} CPU s", cpu() - start);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let usage = "joins METHOD COUNT [--sample N] PATH…";
    let (method, count) = (arguments.next().expect(usage), arguments.next().expect(usage).parse().expect(usage));
    let mut paths: Vec<String> = arguments.collect();
    let mut sample = 0;
    if paths.first().is_some_and(|first| first == "--sample") {
        sample = paths[1].parse().expect(usage);
        paths.drain(..2);
    }
    match &*method {
        "tlsh" => run(
            &made_tlsh(count, &paths),
            sample,
            |digests, hits| index::tlsh(digests, Pairs::All, 30, hits),
            |a, b| Some(a.distance(b)).filter(|distance| *distance <= 30).map(Score::Distance),
        ),
        "mrsh-v2" => {
            let plain = MrshV2::PLAIN;
            let elements = |digest: mrsh_v2::Digest| (0..digest.filters()).map(|at| digest.chunks(at)).collect();
            let made = made_filters(count, &models(&paths, |bytes| plain.digest(bytes).ok().map(elements)));
            println!("{} filters", made.iter().map(|(elements, _)| elements.len()).sum::<usize>());
            let digests: Vec<_> = made.iter().map(mrsh_of).collect();
            let score = |a: &_, b: &_| Some(mrsh_v2::compare(&plain, a, b, Base::Smaller));
            let search =
                |digests: &[_], hits: &mut _| index::mrsh_v2(&plain, digests, Base::Smaller, Pairs::All, 21, hits);
            run(&digests, sample, search, |a, b| score(a, b).filter(|score| *score >= 21).map(Score::Similarity));
        }
        "sdhash" => {
            let elements = |digest: sdhash::Digest| (0..digest.filters()).map(|at| digest.elements(at)).collect();
            let made = made_filters(count, &models(&paths, |bytes| Sdhash::STREAM.digest(bytes).ok().map(elements)));
            println!("{} filters", made.iter().map(|(elements, _)| elements.len()).sum::<usize>());
            let digests: Vec<_> = made.iter().map(sdhash_of).collect();
            let score = |a: &_, b: &_| sdhash::compare(a, b, Ordering::Equal);
            let search = |digests: &[_], hits: &mut _| index::sdhash(digests, None, Pairs::All, 30, hits);
            run(&digests, sample, search, |a, b| score(a, b).filter(|score| *score >= 30).map(Score::Similarity));
        }
        _ => panic!("{usage}"),
    }
}
