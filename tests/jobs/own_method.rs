//! A similarity method of a foreign row: the example, which runs as it is.

#[path = "../../examples/own_method.rs"]
#[allow(dead_code, reason = "its main function")]
mod example;

use crate::room::Room;
use pfh::digest::{Digest, Registry, Row};
use pfh::manifest::{Decoder, Item, Options};
use pfh::similarity::{MethodName, Score, Similar};
use pfh::{Outcome, hash};

/// Texts of letters, and one of digits.
fn files(room: &Room) -> Vec<std::path::PathBuf> {
    let letters = "the quick brown fox jumps over the lazy dog ".repeat(50);
    room.file("a", letters.as_bytes());
    room.file("b", format!("{letters}{letters}and a little more").as_bytes());
    room.file("digits", "0123456789 ".repeat(200).as_bytes());
    room.file("empty", b"");
    ["a", "b", "digits", "empty"].map(|name| room.at(name)).to_vec()
}

#[test]
fn a_foreign_method_makes_digests_that_read_back() {
    let room = Room::new();
    let (files, algorithm) = (files(&room), example::algorithm());
    let mut records = hash::records(pfh::Input::new(files), [algorithm.into()]).unwrap();
    let mut texts = Vec::new();
    for record in &mut records {
        let Outcome::Hashed(file) = record.outcome else { panic!("{record:?}") };
        let digest = &file.digests[0];
        let again = Digest::parse(algorithm, digest.text().unwrap()).unwrap();
        assert_eq!(again, *digest);
        assert_eq!(MethodName::of(digest.algorithm()).map(MethodName::name), Some("spectrum"));
        texts.push(digest.to_string());
    }
    records.finish().unwrap();
    assert_eq!(example::alike(&texts[0], &texts[0]).unwrap(), Some(Score::Similarity(100)));
    assert!(matches!(example::alike(&texts[0], &texts[2]).unwrap(), Some(Score::Similarity(..30))), "{texts:?}");
    assert_eq!(texts[3], "none");
    assert_eq!(example::alike(&texts[0], "none").unwrap(), None);
    for rubbish in ["", "spectrum:", "spectrum:0", "spectre:00000000000000000000000000000000", "nothing"] {
        assert!(Digest::parse(algorithm, rubbish).is_err(), "{rubbish}");
    }
    // Digests of two methods have no score.
    let other = "ssdeep".parse::<pfh::Algorithm>().unwrap().digest(&[7; 9000]);
    let own = Digest::parse(algorithm, &texts[0]).unwrap();
    assert!(Similar::of(&own).zip(Similar::of(&other)).is_some_and(|(a, b)| a.compare(b).is_none()));
}

#[test]
fn lists_of_its_digests_are_read_where_the_registry_has_it() {
    static LISTS: [&[Row]; 2] = [&pfh::digest::ROWS, &[example::ROW]];
    let list = format!("spectrum:{}  a\n{}  b\n", "06".repeat(16), pfh::sha256(b"b"));
    let decoder = Decoder::with_registry(list.as_bytes(), &Options::default(), Registry::new(&LISTS)).unwrap();
    let found: Vec<String> = decoder
        .map(|located| match located.unwrap().item {
            Item::Entry(entry) => entry.digests[0].algorithm().to_string(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(found, ["spectrum", "sha256"]);
}

#[test]
fn a_foreign_method_finds_pairs() {
    let room = Room::new();
    let found = example::pairs(files(&room), room.at("pairs")).unwrap();
    let text = std::fs::read_to_string(room.at("pairs")).unwrap();
    assert_eq!(found, 1, "{text}");
    let line: Vec<&str> = text.trim_end().split('\t').collect();
    let [a, b, score] = line[..] else { panic!("{text}") };
    assert!(a.ends_with("/a") && b.ends_with("/b") && score.parse::<u8>().unwrap() >= 95, "{text}");
}
