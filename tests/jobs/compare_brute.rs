//! The pairs of families of files: those of brute force, and of the reference tools.

use crate::compare::{base, good, names};
use crate::room::Room;
use crate::rows::{algorithms, input, list, pairs_as};
use pfh::compare::{self, Event, Request, Thresholds};
use pfh::job::Kind;
use pfh::similarity::mrsh_v2::{self, Base, MrshV2};
use pfh::similarity::sdhash::{self, Sdhash};
use pfh::similarity::ssdeep::Ssdeep;
use pfh::similarity::tlsh::Tlsh;
use pfh::similarity::{Hasher, Method, shared};
use pfh::{Control, Input};
use pfh_inject::{Need, families, lacks};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

type Pairs = Vec<(String, String, u32)>;

/// The families of files below `f`.
fn family(room: &Room) -> Vec<(String, Vec<u8>)> {
    let files = families();
    files.iter().for_each(|(name, bytes)| drop(room.file(format!("f/{name}"), bytes)));
    files
}

/// The pairs of the family by these algorithms, in the order of the files.
fn asked(room: &Room, by: &str) -> Request {
    let mut request = Request::new(input(room, &["f"]));
    (request.algorithms, request.form) = (algorithms(by), "csv".parse().unwrap());
    request
}

/// The pairs of an algorithm by comparing each with each.
fn brute(algorithm: &str, files: &[(String, Vec<u8>)], threshold: u32) -> Pairs {
    fn all<M: Method>(
        method: M,
        files: &[(String, Vec<u8>)],
        threshold: u32,
        score: impl Fn(&M::Digest, &M::Digest) -> u32,
    ) -> Pairs {
        let digests: Vec<(&str, M::Digest)> =
            files.iter().filter_map(|(name, bytes)| Some((name.as_str(), method.digest(bytes).ok()?))).collect();
        let distance = matches!(method.name(), "tlsh");
        let mut rows = Vec::new();
        for (i, (a, first)) in digests.iter().enumerate() {
            for (b, second) in &digests[i + 1..] {
                let score = score(first, second);
                if if distance { score <= threshold } else { score >= threshold } {
                    rows.push(((*a).to_owned(), (*b).to_owned(), score));
                }
            }
        }
        rows
    }
    match algorithm {
        "ssdeep" => all(Ssdeep, files, threshold, |a, b| Ssdeep.compare(a, b).score.number()),
        "sdhash" => {
            all(Sdhash::STREAM, files, threshold, |a, b| u32::from(sdhash::compare(a, b, Ordering::Equal).unwrap_or(0)))
        }
        "mrsh-v2" => all(MrshV2::PLAIN, files, threshold, |a, b| {
            u32::from(mrsh_v2::compare(&MrshV2::PLAIN, a, b, Base::Smaller))
        }),
        _ => all(Tlsh, files, threshold, |a, b| a.distance(b)),
    }
}

/// The pairs by the similarity algorithms that were asked for: equal files that a method makes no
/// digest of are pairs as well, and have another algorithm.
fn similar(request: &Request) -> Pairs {
    let mut pairs = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            assert_eq!(pair.algorithm, pair.asked, "{pair:?}");
            pairs.push((base(pair.a), base(pair.b), pair.score.number()));
        }
        Ok(())
    };
    compare::run(request, &mut take, &Control::new()).unwrap();
    pairs
}

#[test]
fn the_pairs_are_those_of_brute_force() {
    let room = Room::new();
    let files = family(&room);
    for (algorithm, thresholds) in
        [("ssdeep", [1, 50, 100]), ("sdhash", [1, 21, 90]), ("mrsh-v2", [1, 21, 90]), ("tlsh", [5, 30, 200])]
    {
        for threshold in thresholds {
            for memory in [1, 128] {
                let mut request = asked(&room, algorithm).plan(Default::default(), Some(memory << 20));
                request.thresholds = Thresholds::one(Some(threshold));
                let expected = brute(algorithm, &files, threshold);
                assert_eq!(similar(&request), expected, "{algorithm} {threshold}");
                assert!(threshold > 89 || !expected.is_empty(), "{algorithm} {threshold}");
            }
        }
    }
    // The defaults that are stated.
    let expected: Pairs = [("ssdeep", 1), ("sdhash", 30), ("mrsh-v2", 21), ("tlsh", 60)]
        .into_iter()
        .flat_map(|(algorithm, threshold)| brute(algorithm, &files, threshold))
        .collect();
    assert_eq!(similar(&asked(&room, "ssdeep,sdhash,mrsh-v2,tlsh")), expected);
}

#[test]
fn evidence_is_what_both_files_hold() {
    let room = Room::new();
    let files = family(&room);
    let contents: BTreeMap<&str, &[u8]> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    for algorithm in ["mrsh-v2", "sdhash"] {
        let features = |name: &str| -> Vec<u64> {
            if algorithm == "mrsh-v2" {
                let mut generator = mrsh_v2::Generator::keeping_features(MrshV2::PLAIN);
                generator.update(contents[name]);
                generator.finalize_featured().chunks
            } else {
                let mut generator = sdhash::Generator::keeping_features(Sdhash::STREAM);
                generator.update(contents[name]);
                generator.finalize_featured().map(|featured| featured.features).unwrap_or_default()
            }
        };
        let with_evidence = |pair: (String, String, u32)| {
            let both = shared(&features(&pair.0), &features(&pair.1));
            (both > 0).then_some((pair, both))
        };
        // The score decides nothing.
        let all: Vec<_> = brute(algorithm, &files, 0).into_iter().filter_map(with_evidence).collect();
        assert!(all.len() > 10 && all.iter().any(|((.., score), _)| *score < 90), "{algorithm}");
        let default = if algorithm == "mrsh-v2" { 5 } else { 10 };
        for (memory, least) in [(1, Some(1)), (64, Some(1)), (64, None), (64, Some(200))] {
            let wanted = u64::from(least.unwrap_or(default));
            let expected: Vec<_> = all.iter().filter(|(_, both)| *both >= wanted).cloned().collect();
            let mut request = asked(&room, algorithm).plan(Default::default(), Some(memory << 20));
            (request.evidence, request.thresholds) = (true, Thresholds::one(least));
            let mut found = Vec::new();
            let mut take = |event: Event<'_>| {
                if let Event::Pair(pair) = event {
                    let both = pair.evidence.shared_chunks.or(pair.evidence.shared_features).unwrap();
                    found.push(((base(pair.a), base(pair.b), pair.score.number()), both));
                }
                Ok(())
            };
            compare::run(&request, &mut take, &Control::new()).unwrap();
            assert_eq!(found, expected, "{algorithm} {memory}");
        }
    }
    for algorithm in ["ssdeep", "tlsh"] {
        let mut request = asked(&room, algorithm);
        request.evidence = true;
        let error = compare::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "{error}");
        assert!(matches!(error.find(), Some(compare::Problem::NoFeatures(_))), "{error}");
    }
}

#[test]
fn ssdeep_writes_the_same() {
    if lacks(&[Need::Program("ssdeep")]) {
        return;
    }
    let room = Room::new();
    let files = family(&room);
    let paths: Vec<PathBuf> = files.iter().map(|(name, _)| room.at("f").join(name)).collect();
    let theirs = Command::new("ssdeep").arg("-d").args(&paths).output().unwrap();
    let mut request = Request::new(Input::new(&paths));
    request.algorithms = algorithms("ssdeep");
    assert!(!theirs.stdout.is_empty());
    assert_eq!(pairs_as(&room, &request, "text"), String::from_utf8(theirs.stdout).unwrap());
}

fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/similarity/expected").join(name)
}

#[test]
fn lists_of_the_reference_tools_give_their_scores() {
    for (list, scores) in [
        ("sdhash4_stream.txt", "sdhash4_stream_scores_t0.txt"),
        ("sdhash4_dd16.txt", "sdhash4_dd16_scores_t0.txt"),
        ("mrshv2.txt", "mrshv2_scores_t0.txt"),
    ] {
        let mut request = Request::new(Input::new([vector(list)]));
        (request.parity, request.thresholds) = (true, Thresholds::parse(&[], true).unwrap());
        let mut found = good(&request).1.pairs;
        let scores = std::fs::read_to_string(vector(scores)).unwrap();
        // Names and a score; below 0 there is none.
        let row = |line: &str| {
            let mut fields = line.split('|').map(str::trim);
            let [a, b] = [(); 2].map(|()| base(fields.next().unwrap().as_bytes()));
            Some((a, b, fields.next()?.parse().ok().filter(|score| *score > 0)?))
        };
        let mut expected: Pairs = scores.lines().filter_map(row).collect();
        expected.sort();
        found.sort();
        assert!(expected.len() > 90, "{list}: {}", expected.len());
        assert_eq!(found, expected, "{list}");
    }
}

#[cfg(unix)]
#[test]
fn a_list_in_any_format_has_the_pairs_of_its_files() {
    let room = Room::new();
    let files = family(&room);
    for (algorithm, format) in
        [("ssdeep", "ssdeep"), ("sdhash", "csv"), ("mrsh-v2", "mrsh"), ("tlsh", "sums"), ("mrsh-v2", "jsonl")]
    {
        let list = list(&room, "list", algorithm, format, &["f"]);
        let direct = similar(&asked(&room, algorithm));
        assert!(!direct.is_empty());
        // Without an algorithm: the list names its algorithm.
        let mut request = asked(&room, "");
        request.input = Input::new([&list]);
        assert_eq!(similar(&request), direct, "{algorithm} {format}");
        // Two sets: the pairs across, whether listed or hashed.
        (request.algorithms, request.against) = (algorithms(algorithm), vec![list.into()]);
        request.input = input(&room, &["f/1-0", "f/2-0"]);
        let across = similar(&request);
        assert!(across.iter().all(|(a, ..)| a == "1-0" || a == "2-0"), "{across:?}");
        let with_1 = direct.iter().filter(|(a, b, _)| a == "1-0" || b == "1-0").count();
        // Besides its relatives the file meets itself in the list.
        assert_eq!(across.iter().filter(|(a, ..)| a == "1-0").count(), with_1 + 1, "{algorithm}");
    }
    // Equal digests, for algorithms that know nothing else.
    assert_eq!(good(&asked(&room, "sha256")).1.pairs, [("empty".into(), "empty2".into(), 100)]);
    assert_eq!(files.len(), 26);
}

#[test]
fn families_are_groups() {
    let room = Room::new();
    family(&room);
    let mut request = asked(&room, "mrsh-v2");
    (request.cluster, request.linkage) = (true, compare::Linkage::Single);
    let (_, rows) = good(&request);
    let expected = [1, 2, 3].map(|n| (0..6).map(|m| format!("{n}-{m}")).collect::<Vec<_>>());
    assert_eq!(rows.groups, expected);
    assert!(names(&rows).is_empty());
    let all = |n: usize| (0..6).map(|m| format!("{}\n", room.at(format!("f/{n}-{m}")).display())).collect::<String>();
    let text: String = [1, 2, 3].map(|n| format!("** Cluster size 6\n{}\n", all(n))).concat();
    assert_eq!(pairs_as(&room, &request, "text"), text);
    let csv = pairs_as(&room, &request, "csv");
    assert_eq!(csv.lines().nth(7), Some(&*format!("mrsh-v2,2,6,,,{},", room.at("f/2-0").display())));
    request.linkage = compare::Linkage::Complete;
    let csv = pairs_as(&room, &request, "csv");
    let stands = csv.lines().filter(|line| line.starts_with("mrsh-v2,1,6,") && line.contains(",yes,")).count();
    assert_eq!(stands, 1, "{csv}");
    let json = pairs_as(&room, &request, "jsonl");
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    let last = room.at("f/3-5");
    assert_eq!((&first["size"], &first["members"][5]["path"]), (&6.into(), &last.to_str().unwrap().into()));
    // The weakest pair is that of the pairs' own list, and no two members are less alike.
    let members: Vec<String> = (0..6).map(|m| format!("3-{m}")).collect();
    let pairs = good(&asked(&room, "mrsh-v2")).1.pairs;
    let within = pairs.iter().filter(|(a, b, _)| members.contains(a) && members.contains(b));
    let scores: Vec<u32> = within.map(|(.., score)| *score).collect();
    assert_eq!((scores.len(), first["weakest"].as_u64()), (15, scores.iter().min().map(|least| u64::from(*least))));
    assert!(first["representative"]["path"].as_str().unwrap().contains("/f/3-"));
}
