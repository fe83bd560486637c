//! The methods as algorithms of a registry: names, texts, any split into pieces, inputs without a
//! digest.

use crate::inputs::{inputs, prng};
use crate::pictures::{bitmap, blocks};
use pfh_digest::{Algorithm, Output, Registry, Row, Standing};
use pfh_similarity::imports::Imports;
use pfh_similarity::mrsh_v2::MrshV2;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::shingles::Shingles;
use pfh_similarity::ssdeep::Ssdeep;
use pfh_similarity::strings::Strings;
use pfh_similarity::text::Text;
use pfh_similarity::tlsh::Tlsh;
use pfh_similarity::{Method, MethodName, ROWS, Similar};

static LISTS: [&[Row]; 1] = [&ROWS];

fn all() -> Vec<Algorithm> {
    Registry::new(&LISTS).all().collect()
}

#[test]
fn names_are_those_of_the_methods() {
    let names: Vec<&str> = all().iter().map(|algorithm| algorithm.name()).collect();
    assert_eq!(names, MethodName::ALL.map(MethodName::name));
    for algorithm in all() {
        assert_eq!((algorithm.output(), algorithm.standing()), (Output::Text, Standing::Similarity));
        assert_eq!(algorithm.standing().name(), "similarity");
    }
}

#[test]
fn texts_are_the_methods_own() {
    for (name, bytes) in inputs() {
        let text = |digest: Result<String, _>, absent: &str| {
            digest.unwrap_or_else(|_: pfh_similarity::NoDigest| absent.into())
        };
        let own = [
            text(Ssdeep.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Sdhash::of_reference(bytes.len() as u64).digest(&bytes).map(|d| d.to_string()), "none"),
            text(Sdhash::STREAM.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Sdhash::BLOCKS.digest(&bytes).map(|d| d.to_string()), "none"),
            text(MrshV2::PLAIN.digest(&bytes).map(|d| d.to_string()), "none"),
            text(MrshV2::NETWORK.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Tlsh.digest(&bytes).map(|d| d.to_string()), "TNULL"),
            text(Shingles.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Strings.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Imports.digest(&bytes).map(|d| d.to_string()), "none"),
            text(Text.digest(&bytes).map(|d| d.to_string()), "none"),
        ];
        for ((algorithm, own), method) in all().into_iter().zip(own).zip(MethodName::ALL) {
            let digest = algorithm.digest(&bytes);
            assert_eq!(digest.text(), Some(own.as_str()), "{name} {algorithm}");
            assert_eq!(
                Similar::parse(method, &own).map(|read| read.to_string()).as_ref(),
                Ok(&own),
                "{name} {algorithm}"
            );
            assert_eq!(MethodName::of(algorithm), Some(method));
            // Both kinds of mrsh-v2 look alike, and an sdhash stream like plain sdhash below 16
            // MiB.
            let looks_like = MethodName::recognise(Registry::new(&LISTS), own.as_bytes()).map(|found| found.name());
            let plain = method.name().trim_end_matches("-network").trim_end_matches("-stream");
            let plain = if own.starts_with("sdbf-dd:") { "sdhash-dd" } else { plain };
            let expected = (own != "none").then_some(plain);
            assert_eq!(looks_like, expected, "{name}");
            for piece in [1000, 16 << 10, 65_537] {
                let mut hasher = algorithm.hasher();
                bytes.chunks(piece).for_each(|piece| hasher.update(piece));
                assert_eq!(hasher.clone().finalize(), digest, "{name} {algorithm} in pieces of {piece}");
            }
        }
    }
}

#[test]
fn features_come_along() {
    let bytes = prng(9, 300_000);
    let keeping: Vec<Algorithm> = all().into_iter().filter_map(Algorithm::keeping_features).collect();
    assert_eq!(keeping.len(), 10, "all but ssdeep, TLSH and those of pictures");
    // Some digests are their features.
    let is_apart =
        |algorithm: &Algorithm| !MethodName::of(*algorithm).is_some_and(|method| method.profile().is_features);
    for algorithm in keeping.into_iter().filter(is_apart) {
        let plain = all().into_iter().find(|plain| plain.name() == algorithm.name()).unwrap();
        let (both, alone) = (algorithm.digest(&bytes), plain.digest(&bytes));
        assert_eq!(both, alone, "the same digest");
        assert_eq!(Similar::of(&alone).and_then(Similar::features), None);
        let features = Similar::of(&both).and_then(Similar::features).expect("features");
        assert!(features.len() > 1000 && features.is_sorted_by(|a, b| a < b));
    }
    let sdhash =
        all().into_iter().find(|plain| plain.name() == "sdhash").and_then(Algorithm::keeping_features).unwrap();
    assert_eq!(sdhash.digest(b"short").text(), Some("none"));
}

/// The text of a digest is read once and printed once; other texts are not digests.
#[test]
fn texts_are_read_as_values() {
    for algorithm in all() {
        let bytes = match MethodName::of(algorithm) {
            Some(MethodName::Strings) => b"MZ and a string, \0and another".to_vec(),
            Some(MethodName::Imports) => std::fs::read(std::env::current_exe().unwrap()).unwrap(),
            Some(MethodName::Text) => b"a text with more than thirty-two letters".to_vec(),
            Some(MethodName::Cells) => b"name;place\nanna;berlin\nbruno;vienna\nclara;zurich\n".to_vec(),
            Some(MethodName::Pdq | MethodName::Phash | MethodName::Crops) => bitmap(&blocks(5, 400, 300, 20)),
            _ => prng(9, 300_000),
        };
        let digest = algorithm.digest(&bytes);
        let again = pfh_digest::Digest::parse(algorithm, digest.text().unwrap()).expect("its own text");
        assert!(Similar::of(&again).is_some_and(|similar| !similar.is_absent()) && again == digest);
        assert!(pfh_digest::Digest::parse(algorithm, "rubbish").is_err(), "{algorithm}");
    }
}

/// Without knowing the length: a stream below 16 MiB, blocks from there on, in pieces of any
/// length; the features too.
#[test]
fn sdhash_takes_the_mode_of_its_tool() {
    let bytes = prng(9, (16 << 20) + 700);
    let sdhash = all().into_iter().find(|algorithm| algorithm.name() == "sdhash").expect("a method");
    for length in [(16 << 20) - 1, 16 << 20, bytes.len()] {
        let bytes = &bytes[..length];
        let expected = Sdhash::of_reference(length as u64).digest(bytes).expect("long enough").to_string();
        assert_eq!(expected.starts_with("sdbf-dd:"), length >= 16 << 20);
        let mut state = sdhash.hasher();
        for piece in bytes.chunks(5_000_011) {
            state.update(piece);
        }
        assert!(state.finalize().text() == Some(&expected), "length {length}");
    }
}

/// Repetitions fill the filters of stream mode until anything is found in them; blocks do not
/// suffer from them.
#[test]
fn repetitions_saturate_a_stream() {
    use pfh_similarity::{Degenerate, sdhash};
    let once = prng(3, 400_000);
    let twice = [&once[..], &once[..]].concat();
    let degenerate = |method: Sdhash, bytes: &[u8]| method.digest(bytes).expect("long enough").degenerate();
    assert_eq!(degenerate(Sdhash::STREAM, &once), None);
    assert_eq!(degenerate(Sdhash::STREAM, &twice), Some(Degenerate::Saturated));
    assert_eq!(degenerate(Sdhash::BLOCKS, &twice), None);
    let other = Sdhash::STREAM.digest(&prng(4, 20_000)).expect("long enough");
    let saturated = Sdhash::STREAM.digest(&twice).expect("long enough");
    let score = sdhash::compare(&other, &saturated, std::cmp::Ordering::Equal);
    assert!(score.is_some_and(|score| score > 90), "{score:?} with an input that has nothing in common");
}
