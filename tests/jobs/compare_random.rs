//! The pairs of random lists: with any digests, threshold and memory they are those of comparing
//! each with each.

use crate::room::Room;
use pfh::compare::{self, Event, Request, Thresholds};
use pfh::pairs::SearchStats;
use pfh::similarity::mrsh_v2::{self, Base, MrshV2};
use pfh::similarity::sdhash::{self, Sdhash};
use pfh::similarity::ssdeep::{self, Target};
use pfh::similarity::tlsh::{self, Tlsh};
use pfh::similarity::{Hasher, Method};
use pfh::{Control, Input};
use pfh_inject::random;
use proptest::prelude::*;
use std::cmp::Ordering;
use std::fmt::Display;

/// Least memory of the table, and plenty: with the least, rows that wait to be sorted go to a file.
const MEMORIES: [usize; 2] = [4096, 64 << 20];

/// How one algorithm's list is written, and how two of its digests compare.
struct Kind<'a, D> {
    algorithm: &'a str,
    line: &'a dyn Fn(&D, &str) -> Vec<u8>,
    score: &'a dyn Fn(&D, &D) -> u32,
    thresholds: &'a [u32],
    saturated: bool,
}

/// Names whose order is not that of the digests.
fn name(place: usize) -> String {
    format!("n{:04}", place * 7919 % 10_000)
}

/// The pairs of lists, each with its score, and how much of the work went through a file.
fn pairs(request: &Request, digests: usize) -> (Vec<(String, String, u32)>, Vec<SearchStats>) {
    let (mut found, mut searched) = (Vec::new(), Vec::new());
    let name = |name: &[u8]| String::from_utf8(name.to_vec()).expect("UTF-8");
    let mut take = |event: Event<'_>| {
        match event {
            Event::Pair(pair) => found.push((name(pair.a), name(pair.b), pair.score.number())),
            Event::Searched(search) => searched.push(search.found.clone()),
            _ => {}
        }
        Ok(())
    };
    let summary = compare::run(request, &mut take, &Control::new()).expect("a run");
    assert_eq!(summary.comparable, digests > 1, "one digest has nothing to be compared with");
    assert_eq!((summary.pairs, summary.faults), (found.len() as u64, 0));
    // They come in the order in which they are found.
    found.sort();
    (found, searched)
}

impl<D: Display> Kind<'_, D> {
    /// One set, and two sets across, at every threshold and in every memory. Gives the statistics
    /// of the searches of one set, in the order of the memories.
    fn check(&self, digests: &[D]) -> Vec<SearchStats> {
        let room = Room::new();
        let list = |digests: &[D], from: usize| -> Vec<u8> {
            let head = if self.algorithm == "ssdeep" { format!("{}\n", ssdeep::FILE_HEADER) } else { String::new() };
            let lines = digests.iter().enumerate().flat_map(|(at, d)| (self.line)(d, &name(from + at)));
            head.into_bytes().into_iter().chain(lines).collect()
        };
        let split = digests.len() / 3;
        room.file("all", &list(digests, 0));
        room.file("first", &list(&digests[..split], 0));
        room.file("second", &list(&digests[split..], split));
        let mut took = Vec::new();
        for &threshold in self.thresholds {
            let reaches = |score: u32| {
                if self.algorithm == "tlsh" { score <= threshold } else { score >= threshold.max(1) }
            };
            let expected = |across: bool| -> Vec<(String, String, u32)> {
                let two = (0..digests.len()).flat_map(|a| (a + 1..digests.len()).map(move |b| (a, b)));
                let two = two.filter(|(a, b)| !across || *a < split && *b >= split);
                let scored = two.map(|(a, b)| (a, b, (self.score)(&digests[a], &digests[b])));
                let mut rows: Vec<(String, String, u32)> =
                    scored.filter(|pair| reaches(pair.2)).map(|(a, b, score)| (name(a), name(b), score)).collect();
                rows.sort();
                rows
            };
            for memory in MEMORIES {
                let case = format!("{} at {threshold} in {memory}", self.algorithm);
                let ask = |list: &str| {
                    let mut request = Request::new(Input::new([room.at(list)]));
                    request.algorithms = vec![self.algorithm.parse().expect("a name")];
                    request.thresholds = Thresholds::one(Some(threshold));
                    (request.memory, request.saturated) = (memory, self.saturated);
                    request
                };
                let (found, searched) = pairs(&ask("all"), digests.len());
                assert_eq!(found, expected(false), "{case}");
                took.extend(searched);
                if split > 0 {
                    let mut request = ask("first");
                    request.against = vec![room.at("second").into()];
                    assert_eq!(pairs(&request, digests.len()).0, expected(true), "{case}, two sets");
                }
            }
        }
        took
    }
}

fn ssdeep_line(digest: &ssdeep::Digest, name: &str) -> Vec<u8> {
    format!("{digest},\"{name}\"\n").into_bytes()
}

fn check_ssdeep(digests: &[ssdeep::Digest], thresholds: &[u32]) -> Vec<SearchStats> {
    let score = |a: &ssdeep::Digest, b: &ssdeep::Digest| u32::from(Target::new(a).score(&b.collapsed()));
    Kind { algorithm: "ssdeep", line: &ssdeep_line, score: &score, thresholds, saturated: false }.check(digests)
}

fn check_tlsh(digests: &[tlsh::Digest], thresholds: &[u32]) {
    let line = |digest: &tlsh::Digest, name: &str| format!("{digest}  {name}\n").into_bytes();
    Kind { algorithm: "tlsh", line: &line, score: &tlsh::Digest::distance, thresholds, saturated: false }
        .check(digests);
}

fn check_mrsh(digests: &[mrsh_v2::Digest], thresholds: &[u32]) {
    let line = |digest: &mrsh_v2::Digest, name: &str| format!("{name}{digest}\n\n").into_bytes();
    let score =
        |a: &mrsh_v2::Digest, b: &mrsh_v2::Digest| u32::from(mrsh_v2::compare(&MrshV2::PLAIN, a, b, Base::Smaller));
    Kind { algorithm: "mrsh-v2", line: &line, score: &score, thresholds, saturated: false }.check(digests);
}

fn check_sdhash(digests: &[sdhash::Digest], thresholds: &[u32]) {
    let line = |digest: &sdhash::Digest, name: &str| {
        let mut line = Vec::new();
        digest.print_line(name.as_bytes(), &mut line).expect("a plain name");
        line.push(b'\n');
        line
    };
    let score = |a: &sdhash::Digest, b: &sdhash::Digest| u32::from(sdhash::compare(a, b, Ordering::Equal).unwrap_or(0));
    // Filters of a common stock look like those of files that match anything, and are compared all
    // the same.
    Kind { algorithm: "sdhash", line: &line, score: &score, thresholds, saturated: true }.check(digests);
}

/// Filters of 256 bytes out of a small stock, thinned out and disturbed, so that every score comes
/// up; some hardly filled.
fn filters(parts: &[(u64, u32, u64)]) -> Vec<u8> {
    let one = |&(stock, density, disturbed): &(u64, u32, u64)| -> Vec<u8> {
        let mut bytes = random(stock, 256);
        (0..density)
            .for_each(|n| bytes.iter_mut().zip(random(stock + 1000 + u64::from(n), 256)).for_each(|(a, b)| *a &= b));
        random(disturbed, 64)
            .chunks(2)
            .take(disturbed as usize % 33)
            .for_each(|two| bytes[usize::from(two[0])] ^= two[1]);
        bytes
    };
    parts.iter().flat_map(one).collect()
}

fn digests_of<M: Method>(method: M, parts: &[(u64, usize, u64, usize)]) -> Vec<M::Digest> {
    let made = |&(a, m, b, n): &(u64, usize, u64, usize)| {
        let mut hasher = method.hasher();
        hasher.update(&random(a, m));
        hasher.update(&random(100 + b, n));
        hasher.finalize().ok()
    };
    parts.iter().filter_map(made).collect()
}

prop_compose! {
    fn some_filters(most: usize)(
        parts in prop::collection::vec((0u64..4, 0u32..4, 0u64..500), 1..4),
        last in 0..=most,
    ) -> (Vec<(u64, u32, u64)>, usize) {
        (parts, last)
    }
}

/// Base64 of RFC 4648 with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| -> String {
        let word = three.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let letter =
            |i: usize| if i <= three.len() { char::from(ALPHABET[(word >> (18 - 6 * i) & 63) as usize]) } else { '=' };
        (0..4).map(letter).collect()
    };
    bytes.chunks(3).map(group).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Letters cut from a few long texts, at neighbouring block sizes; short, empty and identical
    /// digests among them.
    #[test]
    fn ssdeep_lists(
        stock in prop::collection::vec("[A-Da/]{120}", 3),
        cuts in prop::collection::vec((0usize..3, 0usize..60, 0usize..61, 0usize..3, 0usize..60, 0usize..33, 0u32..4), 1..60),
        threshold in 1u32..=100,
    ) {
        let made = |&(i, from, long, j, start, short, level): &(usize, usize, usize, usize, usize, usize, u32)| {
            let (first, second) = (&stock[i][from..from + long], &stock[j][start..start + short]);
            format!("{}:{first}:{second}", 3u64 << level).parse().expect("a digest")
        };
        check_ssdeep(&cuts.iter().map(made).collect::<Vec<_>>(), &[1, threshold, 100]);
    }

    #[test]
    fn tlsh_lists(
        parts in prop::collection::vec((0u64..4, 0usize..3000, 0u64..40, 200usize..3000), 1..30),
        threshold in 0u32..300,
    ) {
        let digests = digests_of(Tlsh, &parts);
        prop_assume!(!digests.is_empty());
        check_tlsh(&digests, &[0, threshold, 5000]);
    }

    #[test]
    fn filters_of_mrsh_v2(made in prop::collection::vec(some_filters(160), 1..30), threshold in 1u32..=100) {
        let digest = |(parts, last): &(Vec<(u64, u32, u64)>, usize)| {
            let digits: String = filters(parts).iter().map(|byte| format!("{byte:02X}")).collect();
            format!(":{}:{}:{last}:{digits}", 30_000 * parts.len(), parts.len() - 1).parse().expect("a digest")
        };
        check_mrsh(&made.iter().map(digest).collect::<Vec<_>>(), &[1, threshold, 100]);
    }

    #[test]
    fn filters_of_sdhash(made in prop::collection::vec(some_filters(160), 1..30), threshold in 1u32..=100) {
        let digest = |(parts, last): &(Vec<(u64, u32, u64)>, usize)| {
            let text = base64(&filters(parts));
            let (size, count) = (9_000 * parts.len(), parts.len());
            format!("sdbf:03:0::{size}:sha1:256:5:7ff:160:{count}:{last}:{text}").parse().expect("a digest")
        };
        check_sdhash(&made.iter().map(digest).collect::<Vec<_>>(), &[1, threshold, 100]);
    }

    /// Digests of inputs that share stretches.
    #[test]
    fn inputs(
        parts in prop::collection::vec((0u64..4, 0usize..30_000, 0u64..40, 600usize..30_000), 1..20),
        threshold in 1u32..=100,
    ) {
        check_mrsh(&digests_of(MrshV2::PLAIN, &parts), &[1, threshold]);
        check_sdhash(&digests_of(Sdhash::STREAM, &parts), &[1, threshold]);
        check_sdhash(&digests_of(Sdhash::BLOCKS, &parts), &[1, threshold]);
    }
}

/// More pairs than the least memory sorts, and more keys than it indexes: both go another way, to
/// the same pairs.
#[test]
fn what_memory_does_not_hold() {
    let digests: Vec<ssdeep::Digest> = (0..1430)
        .map(|i| {
            let letters: String = random(1 + i / 65, 96).iter().map(|byte| char::from(b'A' + byte % 26)).collect();
            let (first, second) = (&letters[..63 - (i % 5) as usize], &letters[64..90 + (i % 7) as usize]);
            format!("{}:{first}:{second}", 192 << (i % 2)).parse().expect("a digest")
        })
        .collect();
    let [little, plenty] = &check_ssdeep(&digests, &[1])[..] else { panic!("a search in each memory") };
    assert!(little.spilled > 0 && little.passes > 1, "{little:?}");
    assert_eq!(plenty.spilled, 0, "{plenty:?}");
}
