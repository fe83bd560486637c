//! The plain implementations agree with the reference tools: every digest, every score.

use crate::inputs::{expected, inputs};
use pfh_similarity::naive::{mrsh_v2, sdhash, ssdeep};
use std::collections::BTreeMap;

#[test]
fn ssdeep_digests() {
    let inputs = inputs();
    let listed = expected("ssdeep_2.14.1.txt");
    let mut seen = 0;
    for line in listed.lines().skip(1) {
        let (digest, name) = line.split_once(',').unwrap();
        let name = name.trim_matches('"');
        assert_eq!(ssdeep::digest(&inputs[name], false, false), digest, "{name}");
        seen += 1;
    }
    for line in expected("ssdeep_flags.tsv").lines() {
        let field: Vec<&str> = line.split('\t').collect();
        let data = &inputs[field[0]];
        for (i, (eliminate, whole)) in
            [(false, false), (true, false), (false, true), (true, true)].into_iter().enumerate()
        {
            assert_eq!(ssdeep::digest(data, eliminate, whole), field[i + 1], "{} {i}", field[0]);
        }
    }
    assert_eq!(seen, inputs.len());
}

#[test]
fn ssdeep_scores() {
    let listed = expected("ssdeep_2.14.1.txt");
    let digests: BTreeMap<&str, &str> = listed
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').unwrap())
        .map(|(d, n)| (n.trim_matches('"'), d))
        .collect();
    let mut pairs = 0;
    for line in expected("ssdeep_scores_all.tsv").lines() {
        let field: Vec<&str> = line.split('\t').collect();
        let score = ssdeep::compare(digests[field[0]], digests[field[1]]).unwrap();
        assert_eq!(score, field[2].parse::<u32>().unwrap(), "{line}");
        pairs += 1;
    }
    assert_eq!(pairs, 1035);
}

#[test]
fn mrsh_v2_digests_and_scores() {
    let inputs = inputs();
    for (network, file) in [(false, "mrshv2.txt"), (true, "mrshv2_network.txt")] {
        let digests: BTreeMap<&str, mrsh_v2::Digest> =
            inputs.iter().map(|(name, data)| (name.as_str(), mrsh_v2::digest(data, 160, 160, network))).collect();
        let listed = expected(file);
        assert_eq!(listed.lines().filter(|line| !line.is_empty()).count(), inputs.len());
        for line in listed.lines().filter(|line| !line.is_empty()) {
            let name = line.split_once(':').unwrap().0;
            assert!(mrsh_v2::print(&digests[name], name) == line, "{file} {name}");
        }
        let scores: &[(&str, bool)] = if network {
            &[("mrshv2_network_scores_t0.txt", false)]
        } else {
            &[("mrshv2_scores_t0.txt", false), ("mrshv2_scores_fmode_t0.txt", true)]
        };
        for &(file, fragment) in scores {
            for line in expected(file).lines() {
                let field: Vec<&str> = line.split('|').map(str::trim).collect();
                let score = mrsh_v2::compare(&digests[field[0]], &digests[field[1]], 8, fragment);
                assert_eq!(score, field[2].parse::<u32>().unwrap(), "{file} {line}");
            }
        }
    }
}

#[test]
fn sdhash_digests_and_scores() {
    let inputs = inputs();
    let stream: fn(&[u8], &str) -> Option<sdhash::Digest> = sdhash::stream;
    let blocks: fn(&[u8], &str) -> Option<sdhash::Digest> = |data, name| sdhash::blocks(data, name, 16 << 10);
    for (kind, file, scores) in [
        (stream, "sdhash4_stream.txt", "sdhash4_stream_scores_t0.txt"),
        (blocks, "sdhash4_dd16.txt", "sdhash4_dd16_scores_t0.txt"),
    ] {
        let digests: BTreeMap<&str, sdhash::Digest> =
            inputs.iter().filter_map(|(name, data)| Some((name.as_str(), kind(data, name)?))).collect();
        let listed = expected(file);
        assert_eq!(listed.lines().count(), digests.len());
        for line in listed.lines() {
            let name = line.split(':').nth(3).unwrap();
            assert!(sdhash::print(&digests[name]) == line, "{file} {name}");
        }
        let given = expected(scores);
        let given: BTreeMap<(&str, &str), u32> = given
            .lines()
            .map(|line| line.split('|').collect::<Vec<_>>())
            .map(|field| ((field[0], field[1]), field[2].parse().unwrap()))
            .collect();
        for (a, x) in &digests {
            for (b, y) in digests.iter().filter(|(b, _)| *b > a) {
                assert_eq!(sdhash::compare(x, y), given.get(&(*a, *b)).copied(), "{file} {a} {b}");
            }
        }
    }
}
