//! The crate agrees with the reference tools: every digest, every score, and every digest reads
//! back.

use crate::inputs::{expected, inputs};
use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::ssdeep::{self, Generator, Ssdeep};
use pfh_similarity::tlsh::{self, Tlsh};
use pfh_similarity::{Hasher, Method, Score};
use std::collections::BTreeMap;

#[test]
fn ssdeep_file() {
    let inputs = inputs();
    let listed = expected("ssdeep_2.14.1.txt");
    let mut lines = listed.lines();
    assert_eq!(lines.next(), Some(ssdeep::FILE_HEADER));
    let mut digests = BTreeMap::new();
    for line in lines {
        let (parsed, name) = ssdeep::parse_line(line.as_bytes()).unwrap();
        let name = String::from_utf8(name).unwrap();
        let digest = Ssdeep.digest(&inputs[&name]).unwrap();
        assert_eq!(digest, parsed, "{name}");
        let mut printed = Vec::new();
        ssdeep::print_line(&digest, name.as_bytes(), &mut printed).unwrap();
        assert_eq!(String::from_utf8(printed).unwrap(), line);
        digests.insert(name, digest);
    }
    assert_eq!(digests.len(), inputs.len());
    let mut pairs = 0;
    for line in expected("ssdeep_scores_all.tsv").lines() {
        let field: Vec<&str> = line.split('\t').collect();
        let (a, b) = (&digests[field[0]], &digests[field[1]]);
        let score = Score::Similarity(field[2].parse().unwrap());
        assert_eq!(Ssdeep.compare(a, b).score, score, "{line}");
        assert_eq!(Ssdeep.compare(b, a).score, score, "{line}");
        pairs += 1;
    }
    assert_eq!(pairs, 1035);
}

#[test]
fn ssdeep_flags() {
    let inputs = inputs();
    for line in expected("ssdeep_flags.tsv").lines() {
        let field: Vec<&str> = line.split('\t').collect();
        let data = &inputs[field[0]];
        let streamed = |whole: bool| {
            let mut generator = Generator::new();
            generator.update(data);
            if whole { generator.finalize_untruncated().unwrap() } else { generator.finalize().unwrap() }
        };
        let (short, long) = (streamed(false), streamed(true));
        let found = [short, short.collapsed(), long, long.collapsed()].map(|digest| digest.to_string());
        assert_eq!(found.as_slice(), &field[1..], "{}", field[0]);
    }
}

#[test]
fn mrsh_v2_files() {
    let inputs = inputs();
    for (method, file) in [(MrshV2::PLAIN, "mrshv2.txt"), (MrshV2::NETWORK, "mrshv2_network.txt")] {
        let mut digests = BTreeMap::new();
        for line in expected(file).lines().filter(|line| !line.is_empty()) {
            let (parsed, name) = method.parse_line(line.as_bytes()).unwrap();
            let name = std::str::from_utf8(name).unwrap();
            let digest = method.digest(&inputs[name]).unwrap();
            assert_eq!(digest, parsed, "{file} {name}");
            let mut printed = Vec::new();
            digest.print_line(name.as_bytes(), &mut printed).unwrap();
            assert!(printed == line.as_bytes(), "{file} {name}");
            assert_eq!(digest.to_string().parse(), Ok(digest.clone()));
            digests.insert(name.to_string(), digest);
        }
        assert_eq!(digests.len(), inputs.len());
        let scores: &[(&str, Base)] = match method.name() {
            "mrsh-v2" => &[("mrshv2_scores_t0.txt", Base::Smaller), ("mrshv2_scores_fmode_t0.txt", Base::Larger)],
            _ => &[("mrshv2_network_scores_t0.txt", Base::Smaller)],
        };
        for &(file, base) in scores {
            let mut pairs = 0;
            for line in expected(file).lines() {
                let field: Vec<&str> = line.split('|').map(str::trim).collect();
                let score = mrsh_v2::compare(&method, &digests[field[0]], &digests[field[1]], base);
                assert_eq!(score, field[2].parse::<u8>().unwrap(), "{file} {line}");
                pairs += 1;
            }
            assert_eq!(pairs, 1035);
        }
    }
}

#[test]
fn sdhash_files() {
    let inputs = inputs();
    for (method, file, scores) in [
        (Sdhash::STREAM, "sdhash4_stream.txt", "sdhash4_stream_scores_t0.txt"),
        (Sdhash::BLOCKS, "sdhash4_dd16.txt", "sdhash4_dd16_scores_t0.txt"),
    ] {
        let mut digests = BTreeMap::new();
        for line in expected(file).lines() {
            let (parsed, name) = sdhash::Digest::parse_line(line.as_bytes()).unwrap();
            let name = std::str::from_utf8(name).unwrap();
            let digest = method.digest(&inputs[name]).unwrap();
            assert_eq!(digest, parsed, "{file} {name}");
            let mut printed = Vec::new();
            digest.print_line(name.as_bytes(), &mut printed).unwrap();
            assert!(printed == line.as_bytes(), "{file} {name}");
            assert_eq!(digest.to_string().parse(), Ok(digest.clone()));
            digests.insert(name.to_string(), digest);
        }
        for (name, data) in &inputs {
            assert_eq!(digests.contains_key(name), method.digest(data).is_ok(), "{name}");
        }
        let given = expected(scores);
        let given: BTreeMap<(&str, &str), u8> = given
            .lines()
            .map(|line| line.split('|').collect::<Vec<_>>())
            .map(|field| ((field[0], field[1]), field[2].parse().unwrap()))
            .collect();
        let mut pairs = 0;
        for (a, x) in &digests {
            for (b, y) in digests.iter().filter(|(b, _)| *b > a) {
                let score = given.get(&(a.as_str(), b.as_str())).copied();
                assert_eq!(sdhash::compare(x, y, a.cmp(b)), score, "{file} {a} {b}");
                assert_eq!(sdhash::compare(y, x, b.cmp(a)), score, "{file} {b} {a}");
                pairs += 1;
            }
        }
        assert_eq!(pairs, 703);
    }
}

#[test]
fn tlsh_file() {
    let inputs = inputs();
    let mut digests = BTreeMap::new();
    for line in expected("tlsh_4.12.1.txt").lines() {
        let (text, name) = line.split_once('\t').unwrap();
        let digest = Tlsh.digest(&inputs[name]).unwrap();
        assert_eq!(digest.to_string(), text, "{name}");
        assert_eq!(tlsh::Digest::parse(text.as_bytes()).unwrap(), digest, "{name}");
        digests.insert(name.to_string(), digest);
    }
    for (name, data) in &inputs {
        assert_eq!(digests.contains_key(name), Tlsh.digest(data).is_ok(), "{name}");
    }
    let mut pairs = 0;
    for line in expected("tlsh_scores_all.tsv").lines() {
        let field: Vec<&str> = line.split('\t').collect();
        let (a, b) = (&digests[field[0]], &digests[field[1]]);
        assert_eq!(Tlsh.compare(a, b).score, Score::Distance(field[2].parse().unwrap()), "{line}");
        assert_eq!(a.distance_without_length(b), field[3].parse::<u32>().unwrap(), "{line}");
        pairs += 1;
    }
    assert_eq!(pairs, 703);
}

/// Any split into pieces gives the digest of the whole.
fn pieces<M: Method>(method: M) {
    for (name, data) in inputs() {
        let whole = method.digest(&data);
        let mut seed = 1u64;
        for most in [3usize, 50, 900, 70_000] {
            if data.len() > 200 * most {
                continue;
            }
            let mut hasher = method.hasher();
            let mut rest = &data[..];
            while !rest.is_empty() {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let (head, tail) = rest.split_at(((seed >> 33) as usize % most + 1).min(rest.len()));
                hasher.update(head);
                hasher.update(&[]);
                rest = tail;
            }
            assert_eq!(hasher.finalize(), whole, "{} {name} in pieces of up to {most}", method.name());
        }
    }
}

#[test]
fn pieces_of_ssdeep() {
    pieces(Ssdeep);
}

#[test]
fn pieces_of_mrsh_v2() {
    pieces(MrshV2::PLAIN);
    pieces(MrshV2::NETWORK);
    pieces(MrshV2::with_parameters(64, 192, 10, mrsh_v2::Ends::Kept).unwrap());
}

#[test]
fn pieces_of_sdhash() {
    pieces(Sdhash::STREAM);
    pieces(Sdhash::with_blocks(1).unwrap());
    pieces(Sdhash::BLOCKS);
}

#[test]
fn pieces_of_tlsh() {
    pieces(Tlsh);
}
