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

/// A bitmap of 8 bits for a pixel.
fn bitmap(rows: &[Vec<u8>]) -> Vec<u8> {
    let (width, height) = (rows[0].len() as u32, rows.len() as u32);
    let mut bytes = b"BM".to_vec();
    for number in [0, 0, 1078, 40, width, height, 1 | 8 << 16, 0, 0, 0, 0, 0, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    (0..=255).for_each(|grey| bytes.extend_from_slice(&[grey, grey, grey, 0]));
    // From the bottom; the width is a multiple of four.
    rows.iter().rev().for_each(|row| bytes.extend_from_slice(row));
    bytes
}

#[test]
fn turned_and_mirrored_pictures_are_alike() {
    let room = Room::new();
    // Splitmix64's numbers.
    let mut state = 5_u64;
    let mut grey = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (state.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as u8
    };
    let greys: Vec<u8> = (0..12 * 9).map(|_| grey()).collect();
    let upright: Vec<Vec<u8>> = (0..540).map(|y| (0..720).map(|x| greys[y / 60 * 12 + x / 60]).collect()).collect();
    let mirrored = |rows: &[Vec<u8>]| rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
    let diagonal = |rows: &[Vec<u8>]| -> Vec<Vec<u8>> {
        (0..rows[0].len()).map(|x| rows.iter().map(|row| row[x]).collect()).collect()
    };
    let turned: Vec<Vec<u8>> = mirrored(&diagonal(&upright));
    room.file("p/upright", &bitmap(&upright));
    room.file("p/turned", &bitmap(&turned));
    room.file("p/over", &bitmap(&mirrored(&diagonal(&turned))));
    room.file("p/mirrored", &bitmap(&mirrored(&upright)));
    let (rows, ..) = crate::compare_all::rows(&Request::new(input(&room, &["p"])));
    let near = rows.iter().filter(|row| row.5.get("pdq").is_some_and(|distance| *distance <= 31));
    assert_eq!(near.count(), 6, "{rows:#?}");
    // The method alone has the distances of its reference.
    let mut alone = Request::new(input(&room, &["p"]));
    alone.algorithms = algorithms("pdq");
    let mut pairs = 0;
    let mut take = |event: Event<'_>| {
        pairs += u32::from(matches!(event, Event::Pair(_)));
        Ok(())
    };
    compare::run(&alone, &mut take, &Control::new()).unwrap();
    assert_eq!(pairs, 0);
}

/// Pictures that one program wrote have its tables in common, and nothing else.
#[test]
fn tables_of_a_program_are_no_relation() {
    let room = Room::new();
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/similarity/pictures");
    for name in ["0-baseline.jpg", "1-baseline.jpg", "2-baseline.jpg"] {
        room.file(format!("p/{name}"), &std::fs::read(vectors.join(name)).unwrap());
    }
    let (rows, ..) = crate::compare_all::rows(&Request::new(input(&room, &["p"])));
    assert_eq!(rows, []);
    // The bytes behind them count: half of a picture, and the same with another comment.
    let whole = std::fs::read(vectors.join("0-baseline.jpg")).unwrap();
    room.file("p/half.jpg", &whole[..3_000]);
    room.file("p/said.jpg", &[&whole[..2], b"\xff\xfe\0\x09comment", &whole[2..]].concat());
    let (rows, ..) = crate::compare_all::rows(&Request::new(input(&room, &["p"])));
    let names: Vec<(&str, &str)> = crate::compare_all::names(&rows);
    for pair in [("0-baseline.jpg", "said.jpg"), ("0-baseline.jpg", "half.jpg"), ("half.jpg", "said.jpg")] {
        assert!(names.contains(&pair), "{names:?}");
    }
    assert_eq!(names.len(), 3);
}

/// A part of a picture is found, and a TIFF is said not to be looked at.
#[test]
fn cropped_pictures_are_alike() {
    let room = Room::new();
    let mut state = 9_u64;
    let greys: Vec<usize> = (0..48 * 36)
        .map(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 56) as usize
        })
        .collect();
    // Soft spots: between the greys of a grid.
    let luma = |x: usize, y: usize| {
        let row = |line: usize| {
            let at = |column: usize| greys[line * 48 + column];
            at(x / 12) * (12 - x % 12) + at(x / 12 + 1) * (x % 12)
        };
        ((row(y / 12) * (12 - y % 12) + row(y / 12 + 1) * (y % 12)) / 144) as u8
    };
    let cut = |left: usize, top: usize, width: usize, height: usize| -> Vec<Vec<u8>> {
        (top..top + height).map(|y| (left..left + width).map(|x| luma(x, y)).collect()).collect()
    };
    room.file("p/a-whole", &bitmap(&cut(0, 0, 540, 400)));
    room.file("p/b-part", &bitmap(&cut(120, 60, 300, 240)));
    let mirrored: Vec<Vec<u8>> = cut(60, 90, 320, 200).iter().map(|row| row.iter().rev().copied().collect()).collect();
    room.file("p/c-mirrored", &bitmap(&mirrored));
    room.file("p/d.tiff", b"II*\0\x08\0\0\0 and more than the bytes that decide");
    let mut said = 0;
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        match event {
            Event::Related(row) => {
                let places =
                    row.scores.iter().find(|(method, _)| method.name() == "crops").map(|(_, score)| score.number());
                found.push((base(row.a), base(row.b), places.is_some_and(|places| places >= 6)));
            }
            Event::OtherPictures(count) => said += count,
            _ => {}
        }
        Ok(())
    };
    compare::run(&Request::new(input(&room, &["p"])), &mut take, &Control::new()).unwrap();
    found.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    let of = |a: &str, b: &str| (a.to_owned(), b.to_owned(), true);
    assert_eq!(found, [of("a-whole", "b-part"), of("a-whole", "c-mirrored"), of("b-part", "c-mirrored")]);
    assert_eq!(said, 1);
}
