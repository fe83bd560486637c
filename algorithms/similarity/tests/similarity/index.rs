//! The indexes find the same pairs as a comparison of each with each.

use crate::inputs::{inputs, prng};
use pfh_similarity::index::{self, Clusters, Filters, Hit, Pairs, Ranges, Report, Share, Visitor};
use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::pictures::Bits;
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::ssdeep::{self, Ssdeep, Target};
use pfh_similarity::tlsh::{self, Tlsh};
use pfh_similarity::{Method, Score};
use proptest::prelude::*;
use std::ops::ControlFlow;

fn found<R>(search: impl FnOnce(&mut Vec<Hit>) -> ControlFlow<(), R>) -> Vec<Hit> {
    let mut hits = Vec::new();
    assert!(search(&mut hits).is_continue());
    hits.sort_by_key(|hit| (hit.a, hit.b));
    assert!(hits.windows(2).all(|two| (two[0].a, two[0].b) < (two[1].a, two[1].b)), "a pair came twice");
    hits
}

/// Every pair whose score reaches the threshold, by comparing all.
fn brute<T>(digests: &[T], pairs: Pairs, threshold: Score, compare: impl Fn(usize, usize) -> Score) -> Vec<Hit> {
    let mut hits = Vec::new();
    for a in 0..digests.len() {
        for b in a + 1..digests.len() {
            let included = match pairs {
                Pairs::All => true,
                Pairs::Across(split) => a < split as usize && b >= split as usize,
            };
            let score = compare(a, b);
            if included && score.reaches(threshold) {
                hits.push(Hit { a: a as u32, b: b as u32, score });
            }
        }
    }
    hits
}

/// All hits of the shares of a search.
fn shares(search: impl Fn(Share, &mut Vec<Hit>) -> ControlFlow<(), Report>) -> Vec<Hit> {
    let of = 5;
    found(|hits| {
        let mut whole = Report::default();
        for part in 0..of {
            whole.compared += search(Share { part, of }, hits)?.compared;
        }
        ControlFlow::Continue(whole)
    })
}

fn check_ssdeep(digests: &[ssdeep::Digest], thresholds: &[u8]) {
    for &threshold in thresholds {
        for pairs in [Pairs::All, Pairs::Across(digests.len() as u32 / 3)] {
            let compare =
                |a: usize, b: usize| Score::Similarity(Target::new(&digests[a]).score(&digests[b].collapsed()));
            let expected = brute(digests, pairs, Score::Similarity(threshold), compare);
            for memory in [0, usize::MAX] {
                let hits = found(|hits| index::ssdeep(digests, pairs, threshold, memory, hits));
                assert_eq!(hits, expected, "threshold {threshold}, {pairs:?}, memory {memory}");
                let shared = shares(|share, hits| index::ssdeep_share(digests, pairs, threshold, memory, share, hits));
                assert_eq!(shared, expected, "in shares: threshold {threshold}, {pairs:?}, memory {memory}");
                let ControlFlow::Continue((_, groups)) =
                    index::ssdeep_groups(digests, pairs, threshold, memory, &mut Vec::new())
                else {
                    panic!("broken off")
                };
                let mut linked = Clusters::new(digests.len() as u32);
                expected.iter().for_each(|hit| linked.join(hit.a, hit.b));
                assert_eq!(groups.groups(), linked.groups(), "threshold {threshold}, {pairs:?}, memory {memory}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    /// Digests cut from a few long texts, so that many share letters in a row, at neighbouring
    /// block sizes; short and identical ones among them.
    #[test]
    fn ssdeep_digests(
        stock in prop::collection::vec("[A-Da/]{120}", 3),
        cuts in prop::collection::vec((0usize..3, 0usize..60, 0usize..64, 0usize..3, 0usize..60, 0usize..33, 0u32..4), 2..120),
    ) {
        let digests: Vec<ssdeep::Digest> = cuts
            .iter()
            .map(|&(i, from, length, j, start, short, level)| {
                let (first, second) = (&stock[i][from..from + length.min(60)], &stock[j][start..start + short]);
                format!("{}:{first}:{second}", 3 << level).parse().unwrap()
            })
            .collect();
        check_ssdeep(&digests, &[1, 40, 100]);
    }
}

/// 60,000 digests that differ from each other in some letters: 1.8 billion pairs, one group, and
/// some comparisons for each digest.
#[test]
fn groups_of_near_equal_digests_need_few_comparisons() {
    let base: Vec<u8> = prng(1, 96).iter().map(|byte| b'A' + byte % 26).collect();
    let digests: Vec<ssdeep::Digest> = (0..60_000u64)
        .map(|i| {
            let mut letters = base.clone();
            for (n, byte) in prng(i + 2, 6).into_iter().enumerate() {
                letters[usize::from(byte) % 96] = b'a' + n as u8;
            }
            let letters = String::from_utf8(letters).unwrap();
            format!("96:{}:{}", &letters[..64], &letters[64..]).parse().unwrap()
        })
        .collect();
    for (pairs, threshold) in [(Pairs::All, 1), (Pairs::Across(20_000), 1), (Pairs::All, 60)] {
        let groups = index::ssdeep_groups(&digests, pairs, threshold, 1 << 30, &mut Vec::new());
        let ControlFlow::Continue((report, groups)) = groups else { panic!("broken off") };
        let sizes: Vec<usize> = groups.groups().iter().map(Vec::len).collect();
        assert_eq!(sizes, [60_000], "{pairs:?}, threshold {threshold}");
        assert!(report.compared < 2_000_000, "{} comparisons for {pairs:?}, {threshold}", report.compared);
    }
}

#[test]
fn ssdeep_passes_hand_out_each_pair_once() {
    // Enough keys for several passes at the least memory.
    let digests: Vec<ssdeep::Digest> = (0..1500u64)
        .map(|i| {
            let letters: String = prng(i / 3, 96).iter().map(|byte| char::from(b'A' + byte % 26)).collect();
            format!("{}:{}:{}", 3 << (i % 2), &letters[(i % 3) as usize..64], &letters[64..96]).parse().unwrap()
        })
        .collect();
    let mut hits: Vec<Hit> = Vec::new();
    let ControlFlow::Continue(report) = index::ssdeep(&digests, Pairs::All, 1, 0, &mut hits) else { panic!() };
    assert!(report.passes > 1);
    assert!(!report.hottest.is_empty());
    check_ssdeep(&digests, &[1]);
}

#[test]
fn vectors() {
    let inputs: Vec<(String, Vec<u8>)> = inputs().into_iter().collect();
    let data: Vec<&Vec<u8>> = inputs.iter().map(|(_, data)| data).collect();

    let digests: Vec<_> = data.iter().map(|data| Ssdeep.digest(data).unwrap()).collect();
    check_ssdeep(&digests, &[1, 50, 90]);

    let digests: Vec<_> = data.iter().filter_map(|data| Tlsh.digest(data).ok()).collect();
    for threshold in [0, 30, 100, 300, 10_000] {
        for pairs in [Pairs::All, Pairs::Across(11)] {
            let compare = |a: usize, b: usize| Score::Distance(digests[a].distance(&digests[b]));
            let expected = brute(&digests, pairs, Score::Distance(threshold), compare);
            assert_eq!(found(|hits| index::tlsh(&digests, pairs, threshold, hits)), expected);
            assert_eq!(shares(|share, hits| Ranges::new(&digests, pairs, threshold).search(share, hits)), expected);
        }
    }

    for method in [MrshV2::PLAIN, MrshV2::NETWORK] {
        let digests: Vec<_> = data.iter().map(|data| method.digest(data).unwrap()).collect();
        for base in [Base::Smaller, Base::Larger] {
            for (pairs, threshold) in [(Pairs::All, 1), (Pairs::All, 21), (Pairs::Across(20), 1)] {
                let compare =
                    |a: usize, b: usize| Score::Similarity(mrsh_v2::compare(&method, &digests[a], &digests[b], base));
                let expected = brute(&digests, pairs, Score::Similarity(threshold), compare);
                let hits = found(|hits| index::mrsh_v2(&method, &digests, base, pairs, threshold, hits));
                assert_eq!(hits, expected, "{method:?} {base:?}");
            }
        }
    }

    for method in [Sdhash::STREAM, Sdhash::BLOCKS, Sdhash::with_blocks(2).unwrap()] {
        let (names, digests): (Vec<&[u8]>, Vec<_>) =
            inputs.iter().filter_map(|(name, data)| Some((name.as_bytes(), method.digest(data).ok()?))).unzip();
        for (pairs, threshold) in [(Pairs::All, 1), (Pairs::All, 21), (Pairs::Across(20), 1)] {
            for names in [None, Some(&names[..])] {
                let order =
                    |a: usize, b: usize| names.map_or(std::cmp::Ordering::Equal, |names| names[a].cmp(names[b]));
                let compare = |a: usize, b: usize| {
                    Score::Similarity(sdhash::compare(&digests[a], &digests[b], order(a, b)).unwrap_or(0))
                };
                let expected = brute(&digests, pairs, Score::Similarity(threshold), compare);
                assert_eq!(found(|hits| index::sdhash(&digests, names, pairs, threshold, hits)), expected);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5, ..ProptestConfig::default() })]

    /// Many small inputs that share stretches: sparse last filters, ties, digests without any
    /// comparable filter.
    #[test]
    fn filters(seeds in prop::collection::vec((0u64..4, 0usize..30_000, 0u64..40, 0usize..30_000), 2..40)) {
        let data: Vec<Vec<u8>> =
            seeds.iter().map(|&(a, m, b, n)| [prng(a, m), prng(100 + b, n)].concat()).collect();
        let method = MrshV2::PLAIN;
        let digests: Vec<_> = data.iter().map(|data| method.digest(data).unwrap()).collect();
        let compare =
            |a: usize, b: usize| Score::Similarity(mrsh_v2::compare(&method, &digests[a], &digests[b], Base::Smaller));
        let expected = brute(&digests, Pairs::All, Score::Similarity(1), compare);
        prop_assert_eq!(found(|hits| index::mrsh_v2(&method, &digests, Base::Smaller, Pairs::All, 1, hits)), expected);
        for method in [Sdhash::STREAM, Sdhash::with_blocks(1).unwrap()] {
            let digests: Vec<_> = data.iter().filter_map(|data| method.digest(data).ok()).collect();
            let compare = |a: usize, b: usize| {
                Score::Similarity(sdhash::compare(&digests[a], &digests[b], std::cmp::Ordering::Equal).unwrap_or(0))
            };
            let expected = brute(&digests, Pairs::All, Score::Similarity(1), compare);
            prop_assert_eq!(found(|hits| index::sdhash(&digests, None, Pairs::All, 1, hits)), expected);
        }
    }
}

/// Numbers below others, always the same.
fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let noise = prng(seed, 1 << 18);
    let mut noise = noise.into_iter().cycle();
    move |most| (0..4).fold(0, |number, _| number << 8 | usize::from(noise.next().unwrap_or(0))) % most
}

/// Many in one group, some in each of those near it and across the ends of both rings, some copies,
/// and quartiles at every distance.
#[test]
fn tlsh_digests_are_found_by_groups() {
    let mut next = numbers(31);
    let mut made: Vec<[u8; tlsh::BYTES]> = Vec::new();
    for number in 0..2200 {
        let mut bytes: [u8; tlsh::BYTES] = std::array::from_fn(|_| next(256) as u8);
        if number % 9 != 0 {
            bytes = made[next(number)];
            (0..next(14)).for_each(|_| bytes[3 + next(32)] ^= 1 << next(8));
        }
        if number % 3 == 0 {
            (bytes[1], bytes[2]) = (90, 0x35);
        } else {
            bytes[1] = [0, 1, 2, 89, 90, 92, 168, 169][next(8)];
            bytes[2] = [0x00, 0x0f, 0xf1, 0x35, 0x45, 0x38][next(6)];
        }
        made.push(bytes);
    }
    let all: Vec<tlsh::Digest> = made.iter().map(|bytes| tlsh::Digest::from_bytes(bytes).unwrap()).collect();
    let few: Vec<tlsh::Digest> = all.iter().step_by(40).cloned().collect();
    for (digests, thresholds) in [(&all, &[0, 14, 30, 60, 131][..]), (&few, &[0, 30, 300, 2000, u32::MAX])] {
        for &threshold in thresholds {
            for pairs in [Pairs::All, Pairs::Across(digests.len() as u32 / 5), Pairs::Across(0)] {
                let compare = |a: usize, b: usize| Score::Distance(digests[a].distance(&digests[b]));
                let expected = brute(digests, pairs, Score::Distance(threshold), compare);
                assert_eq!(found(|hits| index::tlsh(digests, pairs, threshold, hits)), expected, "{threshold}");
                assert_eq!(shares(|share, hits| Ranges::new(digests, pairs, threshold).search(share, hits)), expected);
                let is_rich = threshold == 30 && pairs == Pairs::All && digests.len() == all.len();
                assert!(!is_rich || expected.len() > 500, "{}", expected.len());
            }
        }
    }
}

/// Bytes of filters: of families, full and nearly empty, some with more bits than elements set.
fn some_filters(next: &mut impl FnMut(usize) -> usize, made: &[Vec<u8>]) -> Vec<u8> {
    let mut all = Vec::new();
    for _ in 0..1 + next(3) {
        let elements = [160, 160, 160, 90, 30, 9, 300][next(7)];
        let mut filter = vec![0u8; 256];
        if next(3) > 0 && !made.is_empty() {
            let other = &made[next(made.len())];
            filter.copy_from_slice(&other[256 * next(other.len() / 256)..][..256]);
            (0..next(40)).for_each(|_| filter[next(256)] &= next(256) as u8);
        }
        let ones = |filter: &[u8]| filter.iter().map(|byte| byte.count_ones()).sum::<u32>() as usize;
        while ones(&filter) < elements * 4 {
            filter[next(256)] |= 1 << next(8);
        }
        all.extend(filter);
    }
    all
}

/// Filters that fill several tiles and chunks.
#[test]
fn filters_of_many_digests_are_found_by_columns() {
    let mut next = numbers(32);
    let mut made: Vec<Vec<u8>> = Vec::new();
    for _ in 0..900 {
        made.push(some_filters(&mut next, &made));
    }
    let text = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
    let line = |bytes: &Vec<u8>, last: usize| format!(":9000:{}:{last}:{}", bytes.len() / 256 - 1, text(bytes));
    let digests: Vec<mrsh_v2::Digest> = made.iter().map(|of| line(of, next(161)).parse().unwrap()).collect();
    let method = MrshV2::PLAIN;
    for base in [Base::Smaller, Base::Larger] {
        let compare = |a: usize, b: usize| Score::Similarity(mrsh_v2::compare(&method, &digests[a], &digests[b], base));
        let scored = brute(&digests, Pairs::All, Score::Similarity(1), compare);
        for (pairs, threshold) in [(Pairs::All, 1), (Pairs::All, 21), (Pairs::All, 80), (Pairs::Across(100), 21)] {
            let asked = |hit: &&Hit| pairs.include(hit.a, hit.b) && hit.score.reaches(Score::Similarity(threshold));
            let expected: Vec<Hit> = scored.iter().filter(asked).copied().collect();
            let of = Filters::mrsh_v2(&method, &digests, base, pairs, threshold);
            assert_eq!(found(|hits| of.search(Share::WHOLE, hits)), expected, "{base:?} {pairs:?} {threshold}");
            assert_eq!(shares(|share, hits| of.search(share, hits)), expected, "{base:?} {pairs:?} {threshold}");
            assert!(expected.len() > 50, "{} {threshold}", expected.len());
        }
    }
    let digests: Vec<sdhash::Digest> = made.iter().map(|of| sdhash_of(of, next(161))).collect();
    let compare = |a: usize, b: usize| {
        Score::Similarity(sdhash::compare(&digests[a], &digests[b], std::cmp::Ordering::Equal).unwrap_or(0))
    };
    let scored = brute(&digests, Pairs::All, Score::Similarity(1), compare);
    for (pairs, threshold) in [(Pairs::All, 1), (Pairs::All, 30), (Pairs::All, 100), (Pairs::Across(700), 30)] {
        let asked = |hit: &&Hit| pairs.include(hit.a, hit.b) && hit.score.reaches(Score::Similarity(threshold));
        let expected: Vec<Hit> = scored.iter().filter(asked).copied().collect();
        let of = Filters::sdhash(&digests, None, pairs, threshold);
        assert_eq!(found(|hits| of.search(Share::WHOLE, hits)), expected, "{pairs:?} {threshold}");
        assert_eq!(shares(|share, hits| of.search(share, hits)), expected, "{pairs:?} {threshold}");
        assert!(expected.len() > 5, "{} {threshold}", expected.len());
    }
}

/// A stream's digest with these filters.
fn sdhash_of(filters: &[u8], last: usize) -> sdhash::Digest {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let word = three.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let letter = |i: usize| match i <= three.len() {
            true => char::from(ALPHABET[(word >> (18 - 6 * i) & 63) as usize]),
            false => '=',
        };
        (0..4).map(letter).collect::<String>()
    };
    let text: String = filters.chunks(3).map(group).collect();
    format!("sdbf:03:0::90000:sha1:256:5:7ff:160:{}:{last}:{text}", filters.len() / 256).parse().unwrap()
}

#[test]
fn a_visitor_can_stop() {
    struct First(u32);
    impl Visitor for First {
        fn hit(&mut self, _: Hit) -> ControlFlow<()> {
            self.0 += 1;
            ControlFlow::Break(())
        }
    }
    let digests = vec!["3:abcdefgh:abcdefgh".parse().unwrap(); 5];
    let mut visitor = First(0);
    assert!(index::ssdeep(&digests, Pairs::All, 1, 0, &mut visitor).is_break());
    assert_eq!(visitor.0, 1);
}

#[test]
fn clusters_of_the_vectors() {
    let inputs: Vec<(String, Vec<u8>)> = inputs().into_iter().collect();
    let digests: Vec<_> = inputs.iter().map(|(_, data)| Ssdeep.digest(data).unwrap()).collect();
    let mut clusters = Clusters::new(digests.len() as u32);
    for hit in found(|hits| index::ssdeep(&digests, Pairs::All, 1, usize::MAX, hits)) {
        clusters.join(hit.a, hit.b);
    }
    let groups = clusters.groups();
    let names = |group: &[u32]| -> Vec<&str> { group.iter().map(|&place| inputs[place as usize].0.as_str()).collect() };
    assert!(names(&groups[0]).contains(&"rand_1m.bin"));
    let texts = ["T_half.bin", "T_ins_line.bin", "T_upper_mid.bin", "text_200k.bin"];
    assert!(groups.iter().any(|group| names(group) == texts), "{groups:?}");
}

/// Digests of bits at every distance from a few: by pieces and each with each.
fn check_bits<const WORDS: usize>(thresholds: &[u32]) {
    let mut digests: Vec<Bits<WORDS>> = Vec::new();
    let noise = prng(21, 40_000);
    let mut noise = noise.iter().map(|byte| usize::from(*byte)).cycle();
    let mut next = || noise.next().unwrap_or(0) << 8 | noise.next().unwrap_or(0);
    for number in 0..700 {
        let mut words = [0; WORDS];
        if number % 7 == 0 {
            words = std::array::from_fn(|_| (0..4).fold(0, |word, _| word << 16 | next() as u64));
        } else {
            words = digests.get(next() % number).map_or(words, |digest| digest.0);
            for _ in 0..next() % 24 {
                let bit = next() % (64 * WORDS);
                words[bit / 64] ^= 1 << (bit % 64);
            }
        }
        digests.push(Bits(words));
    }
    for digests in [&digests[..], &digests[..50], &[]] {
        for &threshold in thresholds {
            for pairs in [Pairs::All, Pairs::Across(17)] {
                let compare = |a: usize, b: usize| Score::Distance(digests[a].distance(&digests[b]));
                let expected = brute(digests, pairs, Score::Distance(threshold), compare);
                assert_eq!(found(|hits| index::bits(digests, pairs, threshold, hits)), expected);
                assert_eq!(shares(|share, hits| index::bits_share(digests, pairs, threshold, share, hits)), expected);
                let is_rich = pairs == Pairs::All && digests.len() == 700 && threshold > 2;
                assert!(!is_rich || expected.len() > 20, "{}", expected.len());
            }
        }
    }
}

#[test]
fn digests_of_bits_are_found_by_their_pieces() {
    check_bits::<4>(&[0, 3, 15, 16, 31, 32, 256]);
    check_bits::<1>(&[0, 3, 4, 7, 8, 64]);
}
