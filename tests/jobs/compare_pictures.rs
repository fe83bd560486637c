//! Pictures in other forms: a row of all methods, pairs of one, and lists.

use crate::compare::base;
use crate::room::Room;
use crate::rows::{algorithms, input, list};
use pfh::Control;
use pfh::compare::{self, Event, Relation, Request};
use pfh::digest::Digest;
use std::collections::BTreeMap;
use std::path::Path;

/// One picture in four forms, two others, one without contrast, and a file that is none.
fn room() -> Room {
    let room = Room::new();
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/similarity/pictures");
    for (name, picture) in [
        ("a-jpeg", "0-baseline.jpg"),
        ("b-png", "0-rgb.png"),
        ("c-webp", "0-lossy.webp"),
        ("d-grey", "0-grey.jpg"),
        ("e-other", "1-rgb.png"),
        ("f-other", "2-8.bmp"),
        ("g-plain", "plain.png"),
    ] {
        room.file(format!("p/{name}"), &std::fs::read(vectors.join(picture)).unwrap());
    }
    room.file("p/h-text", b"not a picture, and longer than the fifty bytes that some methods need");
    room
}

#[test]
fn pictures_in_other_forms_are_rows() {
    let room = room();
    let (mut found, mut without) = (Vec::new(), BTreeMap::new());
    let mut take = |event: Event<'_>| {
        match event {
            Event::Related(row) => {
                let pdq = row.scores.iter().find(|(method, _)| method.name() == "pdq").map(|(_, score)| score.number());
                found.push((base(row.a), base(row.b), row.relation, row.score, pdq));
            }
            Event::Without(algorithm, count) => {
                without.insert(algorithm.name(), count);
            }
            _ => {}
        }
        Ok(())
    };
    compare::run(&Request::new(input(&room, &["p"])), &mut take, &Control::new()).unwrap();
    let alike = found.iter().filter(|row| row.4.is_some_and(|distance| distance <= 31)).collect::<Vec<_>>();
    assert_eq!(alike.len(), 6, "{found:#?}");
    for (a, b, relation, score, pdq) in alike {
        assert!(a < b && b.as_str() < "e", "{a} {b}");
        assert_eq!((*relation, u32::from(*score)), (Relation::Alike, 100 - pdq.unwrap().max(1)));
    }
    assert_eq!(without.get("pdq"), Some(&2), "{without:?}");
}

/// The pairs of one method with their distances, from files and from lists in each format.
#[test]
fn lists_hold_digests_of_pictures() {
    let room = room();
    let pairs = |request: &Request| {
        let mut found = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Pair(pair) = event {
                found.push((base(pair.a), base(pair.b), pair.score));
            }
            Ok(())
        };
        compare::run(request, &mut take, &Control::new()).unwrap();
        found
    };
    for method in ["pdq", "phash"] {
        let mut request = Request::new(input(&room, &["p"]));
        request.algorithms = algorithms(method);
        let expected = pairs(&request);
        assert_eq!(expected.len(), 6, "{method} {expected:#?}");
        for format in ["csv", "jsonl", "sums"] {
            let list = list(&room, &format!("{method}.{format}"), method, format, &["p"]);
            assert_eq!(pairs(&Request::new(pfh::Input::new([&list]))), expected, "{method} {format}");
        }
    }
}

/// Digits that SHA-256 could have are read as PDQ's where they are said to be.
#[test]
fn the_text_is_digits() {
    let pdq = *algorithms("pdq")[0];
    let text = "0123456789abcdef".repeat(4);
    let digest = Digest::parse(pdq, &text).unwrap();
    assert_eq!(digest.text(), Some(&*text));
    assert!(Digest::parse(pdq, &text[1..]).is_err());
}
