//! The tree hashes against the vectors of `vectors/tree` and against the slow reference.

use crate::reference;
use std::fs;
use std::path::{Path, PathBuf};

use pfh_digest::{Algorithm, Executor, Registry, Task, hash_many};
use pfh_tree::{Growing, Mode, ROWS};
use proptest::collection::vec;
use proptest::prelude::*;

static TREES: Registry = Registry::new(&[&ROWS]);

const GROWING: &[(&str, Mode)] = &[
    ("kt128", Mode::KT128),
    ("kt256", Mode::KT256),
    ("parallelhash128", Mode::PARALLELHASH128),
    ("parallelhash256", Mode::PARALLELHASH256),
    ("parallelhashxof128", Mode::PARALLELHASHXOF128),
    ("parallelhashxof256", Mode::PARALLELHASHXOF256),
    ("sakura-fng-128", Mode::SAKURA_FNG_128),
    ("sakura-fng-256", Mode::SAKURA_FNG_256),
];

fn growing(name: &str, customization: &[u8], leaf: usize) -> Option<Growing> {
    let (_, mode) = GROWING.iter().find(|(other, _)| *other == name)?;
    Some(Growing::with_leaf_length(*mode, customization, leaf))
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

fn value(text: &str) -> Vec<u8> {
    match text.split(':').collect::<Vec<_>>()[..] {
        ["pattern", length] => pattern(length.parse().unwrap()),
        ["repeat", byte, count] => hex(byte).repeat(count.parse().unwrap()),
        ["hex", digits] => hex(digits),
        _ => panic!("{text}"),
    }
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/tree")
}

#[test]
fn every_vector_through_every_door() {
    for algorithm in TREES.all() {
        let file = format!("{}.txt", algorithm.name());
        let own = fs::read_to_string(directory().join(&file)).unwrap();
        // XKCP has all modes but those of Sakura that are defined here.
        let xkcp = match fs::read_to_string(directory().join("xkcp").join(&file)) {
            Ok(text) => text,
            Err(_) => {
                assert!(algorithm.name().starts_with("sakura"), "{algorithm} has no vectors of XKCP");
                String::new()
            }
        };
        let mut through_the_registry = 0;
        for line in own.lines().chain(xkcp.lines()).filter(|line| !line.starts_with('#')) {
            let [message, customization, leaf, digest] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let (message, customization, leaf) = (value(message), value(customization), leaf.parse().unwrap());
            let (skip, digest) =
                digest.strip_prefix('@').and_then(|digest| digest.split_once(':')).unwrap_or(("0", digest));
            let (skip, digest): (usize, _) = (skip.parse().unwrap(), hex(digest));
            let length = skip + digest.len();
            for piece in [1000, 8192, 70_000, usize::MAX] {
                let Some(mut hasher) = growing(algorithm.name(), &customization, leaf) else { break };
                message.chunks(piece.min(message.len().max(1))).for_each(|piece| hasher.update(piece));
                let mut output = vec![0; length];
                hasher.finalize(&mut output);
                assert_eq!(output[skip..], digest, "{algorithm} {line:.80}");
            }
            if customization.is_empty() {
                let block = if leaf == 8192 { String::new() } else { format!(",block={leaf}") };
                let algorithm = TREES.find(&format!("{}:{length}{block}", algorithm.name())).unwrap();
                for piece in [777, 8192, 139_264, 300_000] {
                    let mut hasher = algorithm.hasher();
                    message.chunks(piece).for_each(|piece| hasher.update(piece));
                    assert_eq!(hasher.finalize().bytes()[skip..], digest, "{algorithm} {line:.80}");
                }
                assert_eq!(algorithm.digest(&message).bytes()[skip..], digest, "{algorithm} {line:.80}");
                assert_eq!(hash_many(algorithm, &[&message, &message])[1].bytes()[skip..], digest);
                through_the_registry += 1;
            }
        }
        assert!(through_the_registry > 20, "{algorithm}");
    }
}

#[test]
fn every_row_has_vectors_and_all_vectors_have_a_row() {
    let mut rows: Vec<_> = TREES.all().map(|algorithm| format!("{}.txt", algorithm.name())).collect();
    let mut files: Vec<_> = fs::read_dir(directory())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".txt"))
        .collect();
    rows.sort();
    files.sort();
    assert_eq!(rows, files);
}

/// The vectors of `vectors/tree/make` for modes whose parameters are stated.
#[test]
fn every_vector_with_parameters() {
    let text = fs::read_to_string(directory().join("parameters/all.txt")).unwrap();
    let mut names = std::collections::BTreeSet::new();
    for line in text.lines() {
        let [name, message, digest] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (algorithm, message, digest) = (TREES.find(name).unwrap(), value(message), hex(digest));
        assert_eq!(algorithm.to_string(), name);
        assert_eq!(algorithm.digest(&message).bytes(), digest, "{line:.80}");
        assert_eq!(hash_many(algorithm, &[&message, b""])[0].bytes(), digest, "{line:.80}");
        let plain = name.replace(":32", "");
        assert_eq!(reference::digest(&plain, &message, b"", 8192, digest.len()), digest, "{line:.80}");
        names.insert(name);
    }
    assert_eq!(names.len(), 12);
}

/// A name with parameters prints back in one way, and impossible parameters are refused.
#[test]
fn names_with_parameters() {
    for (written, printed) in [
        ("sakura-li-128,leaves=32", "sakura-li-128,leaves=32"),
        ("SAKURA_LI_128:64,Block=168,leaves=3", "sakura-li-128:64,leaves=3,block=168"),
        ("sakura-li-128,leaves=16", "sakura-li-128"),
        ("sakura-li-128,block=10752,leaves=16,capacity=256", "sakura-li-128"),
        ("sakura-li-128,capacity=448,block=9216", "sakura-li-128,capacity=448"),
        ("sakura-fng-256,block=8192,capacity=512", "sakura-fng-256"),
        ("sakura-fng-128,capacity=512", "sakura-fng-128,capacity=512"),
        ("parallelhash128:32,block=8", "parallelhash128,block=8"),
    ] {
        let algorithm = TREES.find(written).unwrap();
        assert_eq!(algorithm.to_string(), printed);
        assert_eq!(TREES.find(printed), Ok(algorithm));
        assert_eq!(algorithm.has_own_parameters(), printed.contains('='));
    }
    let usual = TREES.find("sakura-li-128").unwrap();
    let other = TREES.find("sakura-li-128,leaves=32").unwrap();
    assert!(usual != other && usual.digest(b"abc") != other.digest(b"abc"));
    assert_eq!(other.parameters().collect::<Vec<_>>(), [("leaves", 32), ("block", 10_752), ("capacity", 256)]);
    for (wrong, why) in [
        ("kt128,block=8192", "kt128 has no parameters"),
        ("sakura-li-128,leaves", "leaves, block, capacity"),
        ("sakura-li-128,leaves=", "leaves, block, capacity"),
        ("sakura-li-128,leaves=032", "leaves, block, capacity"),
        ("sakura-li-128,lanes=2", "leaves, block, capacity"),
        ("sakura-li-128,leaves=32:64", "leaves, block, capacity"),
        ("sakura-li-128,leaves=2,leaves=3", "twice"),
        ("sakura-li-128,leaves=0", "1 to 4096"),
        ("sakura-li-128,leaves=4097", "1 to 4096"),
        ("sakura-li-128,leaves=4096", "block=168"),
        ("sakura-li-128,block=8192", "168, 336, 672, 1344"),
        ("sakura-li-128,block=2184", "odd part"),
        ("sakura-li-128,block=0", "168"),
        ("sakura-li-128,capacity=257", "multiple of 64"),
        ("sakura-fng-128,capacity=832", "256 to 768"),
        ("sakura-fng-128,capacity=192", "256 to 768"),
        ("sakura-fng-128,block=0", "1 to 1048576"),
        ("sakura-fng-128,leaves=2", "block, capacity"),
        ("parallelhash128,capacity=256", "block"),
        ("sakura-li-127,leaves=2", "unknown algorithm"),
    ] {
        let error = TREES.find(wrong).unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
    }
}

#[test]
fn the_reference_agrees_with_the_standards() {
    for name in ["kt128", "kt256", "parallelhash128", "parallelhash256", "parallelhashxof128", "parallelhashxof256"] {
        let text = fs::read_to_string(directory().join(format!("standards/{name}.txt"))).unwrap();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.contains("24137569")) {
            let [message, customization, leaf, digest] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let (skip, digest) =
                digest.strip_prefix('@').and_then(|digest| digest.split_once(':')).unwrap_or(("0", digest));
            let (skip, digest): (usize, _) = (skip.parse().unwrap(), hex(digest));
            let length = skip + digest.len();
            let output = reference::digest(name, &value(message), &value(customization), leaf.parse().unwrap(), length);
            assert_eq!(output[skip..], digest, "{name} {line:.80}");
        }
    }
}

/// Lengths near those that may matter: a leaf, a company of leaves, a round of interleaved blocks.
fn length() -> impl Strategy<Value = usize> {
    let near = prop::sample::select(vec![0usize, 168, 8192, 10_752, 65_536, 139_264, 172_032, 300_000]);
    prop_oneof![0usize..400_000, (near, -9isize..9).prop_map(|(near, off)| near.saturating_add_signed(off))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn as_the_reference(length in length(), output in 1usize..300, cuts in vec(0usize..400_000, 0..6), seed: u64) {
        let message: Vec<u8> =
            (0..length as u64).map(|i| ((i + 1).wrapping_mul(seed.wrapping_mul(2) | 1).wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(length)).chain([0, length]).collect();
        cuts.sort_unstable();
        let stated = ["sakura-li-128,leaves=9,block=336", "sakura-li-256,leaves=32", "sakura-fng-128,block=1000,capacity=320"];
        for algorithm in TREES.all().chain(stated.map(|name| TREES.find(name).unwrap())) {
            let algorithm = algorithm.with_length(output).unwrap();
            let expected = reference::digest(&algorithm.to_string().replace(&format!(":{output}"), ""), &message, b"", 8192, output);
            let mut hasher = algorithm.hasher();
            for cut in cuts.windows(2) {
                hasher.update(&message[cut[0]..cut[1]]);
            }
            let copy = hasher.clone();
            prop_assert_eq!(hasher.finalize().bytes().to_vec(), expected.clone(), "{} of {}", algorithm, length);
            prop_assert_eq!(copy.finalize().bytes().to_vec(), expected);
        }
    }

    #[test]
    fn as_the_reference_with_customization_and_any_leaf(
        length in 0usize..4000, customization in vec(any::<u8>(), 0..400), leaf in 1usize..700, output in 1usize..200,
    ) {
        let message = pattern(length);
        for (name, _) in GROWING {
            let leaf = if name.starts_with("kt") { 8192 } else { leaf };
            let mut hasher = growing(name, &customization, leaf).unwrap();
            hasher.update(&message);
            let mut digest = vec![0; output];
            hasher.finalize(&mut digest);
            prop_assert_eq!(digest, reference::digest(name, &message, &customization, leaf, output), "{}", name);
        }
    }
}

/// Threads that are started for each run, last task first.
struct Threads(usize);

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        std::thread::scope(|scope| tasks.into_iter().rev().for_each(|task| drop(scope.spawn(task))));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_digest() {
    let message: Vec<u8> = (0..6_000_011u64).map(|i| (i.wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect();
    for algorithm in TREES.all().chain([TREES.find("sakura-li-128,leaves=33,block=336").unwrap()]) {
        for length in [8193, 139_264, 172_032, 1 << 20, 6_000_011] {
            let expected = algorithm.digest(&message[..length]);
            for width in [1, 2, 3, 7, 100] {
                for piece in [100_000, 1 << 20, length] {
                    let mut hasher = algorithm.hasher();
                    message[..length].chunks(piece).for_each(|piece| hasher.update_on(&[piece], &Threads(width)));
                    assert_eq!(hasher.finalize(), expected, "{algorithm}, {length} bytes, {width} threads");
                    let pieces: Vec<&[u8]> = message[..length].chunks(piece).collect();
                    let mut hasher = algorithm.hasher();
                    pieces.chunks(3).for_each(|pieces| hasher.update_on(pieces, &Threads(width)));
                    assert_eq!(hasher.finalize(), expected, "{algorithm}, {length} bytes, {width} threads, ropes");
                }
            }
        }
    }
}

/// Sakura's single node is the function that FIPS 202 made for it.
#[test]
fn a_short_message_under_final_node_growing_is_shake() {
    for (tree, shake) in [("sakura-fng-128", "shake128"), ("sakura-fng-256", "shake256")] {
        for length in [0, 1, 168, 8192] {
            let message = pattern(length);
            let shake: Algorithm = shake.parse().unwrap();
            assert_eq!(TREES.find(tree).unwrap().digest(&message).bytes(), shake.digest(&message).bytes());
        }
    }
}
