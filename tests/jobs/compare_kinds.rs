//! Programs and texts by methods of their own.

use crate::compare_all::{Row, found, rows};
use crate::room::Room;
use crate::rows::{algorithms, input, list};
use pfh::compare::{Relation, Request};
use pfh_inject::content;

/// Programs that have been built again, and texts in other forms: no method of bytes finds them.
fn kinds() -> Room {
    let room = Room::new();
    let words = |seed: u32, number: u32| (0..number).map(move |n| (n + seed).wrapping_mul(2_654_435_761) >> 8);
    // Between its strings a program has other code each time it is built.
    let built = |version: u64, strings: &[String]| {
        let code = |n: usize| content(version * 10_000 + n as u64, 200).into_iter().map(|byte| byte | 128);
        let parts = strings.iter().enumerate().flat_map(|(n, string)| code(n).chain(string.bytes()).chain([0]));
        b"\x7fELF".iter().copied().chain(parts).collect::<Vec<u8>>()
    };
    let strings = |seed| words(seed, 60).map(|word| format!("cannot {word}")).collect::<Vec<_>>();
    let mut second = strings(1);
    second.truncate(50);
    second.extend(strings(900).drain(..10));
    room.file("k/a-first", &built(1, &strings(1)));
    room.file("k/b-second", &built(2, &second));
    room.file("k/c-other", &built(3, &strings(5_000)));
    let prose = |seed| words(seed, 900).map(|word| format!("Word {word}\n")).collect::<String>();
    let text = prose(7);
    let units: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    room.file("k/d-text", text.as_bytes());
    room.file("k/e-crlf", text.replace('\n', "\r\n").as_bytes());
    room.file("k/f-utf16", &units);
    room.file("k/g-upper", text.to_uppercase().replace(' ', "\t  ").as_bytes());
    room.file("k/h-part", &text.to_uppercase().as_bytes()[3_000..6_000]);
    room.file("k/i-other", prose(40_000).as_bytes());
    room
}

#[test]
fn programs_and_texts_are_found_by_their_kind() {
    let room = kinds();
    let (found, summary, _) = rows(&Request::new(input(&room, &["k"])));
    let scores = |a: &str, b: &str| {
        let row = found.iter().find(|row| row.0.starts_with(a) && row.1.starts_with(b));
        row.map(|row| (row.2, row.3, row.5.get("strings").copied(), row.5.get("text").copied()))
    };
    // They share 50 of 70 strings; the code between them hides these from the methods of bytes.
    assert_eq!(scores("a", "b"), Some((Relation::Alike, 71, Some(71), None)), "{found:#?}");
    for copy in ["e", "f", "g"] {
        assert_eq!(scores("d", copy).map(|row| row.3), Some(Some(100)), "{copy} {found:#?}");
        assert!(scores("d", copy).is_some_and(|row| row.1 == 99), "{copy} {found:#?}");
    }
    assert_eq!(scores("d", "h").map(|row| (row.0, row.3 > Some(95))), Some((Relation::Alike, true)), "{found:#?}");
    let strangers = |row: &&Row| row.0.starts_with("c-") || row.1.starts_with("c-") || row.1.starts_with("i-");
    let kin = |row: &Row| [row.5.get("strings"), row.5.get("text")].into_iter().flatten().any(|score| *score > 5);
    assert!(!found.iter().filter(strangers).any(kin), "{found:#?}");
    assert_eq!(summary.pairs, found.len() as u64);
}

/// The same pairs with the same scores from the files, and from lists in each format.
#[test]
fn lists_hold_strings_and_text() {
    let room = kinds();
    for method in ["strings", "text"] {
        let mut request = Request::new(input(&room, &["k"]));
        request.algorithms = algorithms(method);
        let expected = found(&request);
        assert_eq!(expected.len(), if method == "strings" { 1 } else { 4 * 3 / 2 + 4 }, "{expected:#?}");
        for format in ["csv", "jsonl", "sums"] {
            let list = list(&room, &format!("{method}.{format}"), method, format, &["k"]);
            assert_eq!(found(&Request::new(pfh::Input::new([&list]))), expected, "{method} {format}");
        }
    }
}
