//! Equal files are a pair by their content, also where a method makes no digest of them.

use crate::compare::{Rows, good, names};
use crate::room::Room;
use crate::rows::{algorithms, input};
use pfh::Control;
use pfh::compare::{self, Event, Request, Thresholds};
use pfh_inject::content;

fn room() -> Room {
    let room = Room::new();
    for (name, bytes) in [("a", &b"hello"[..]), ("b", b"hello"), ("e", b""), ("f", b""), ("g", b"other")] {
        room.file(format!("s/{name}"), bytes);
    }
    ["c", "d"].iter().for_each(|name| drop(room.file(format!("s/{name}"), &content(1, 30_000))));
    room
}

fn asked(room: &Room, by: &str, names: &[&str]) -> Request {
    let mut request = Request::new(input(room, names));
    (request.algorithms, request.form) = (algorithms(by), "csv".parse().unwrap());
    request
}

#[test]
fn equal_files_are_pairs_whatever_the_method() {
    let room = room();
    for method in ["mrsh-v2", "sdhash", "sdhash-dd", "tlsh", "ssdeep"] {
        let (_, rows) = good(&asked(&room, method, &["s"]));
        let mut pairs = names(&rows);
        pairs.sort_unstable();
        // Empty files have nothing in common; ssdeep has a digest of them all the same.
        let expected: &[_] =
            if method == "ssdeep" { &[("a", "b"), ("c", "d"), ("e", "f")] } else { &[("a", "b"), ("c", "d")] };
        assert_eq!(pairs, expected, "{method}");
        if method != "ssdeep" {
            let name = method;
            assert_eq!(rows.without, [(name.to_owned(), 5)], "{method}");
            let counts = |rows: &Rows| -> Vec<(String, u64, u64)> {
                rows.searched.iter().map(|(name, digests, found)| (name.clone(), *digests, found.pairs)).collect()
            };
            assert_eq!(counts(&rows), [(name.to_owned(), 2, 1), ("sha256".to_owned(), 3, 1)], "{method}");
        }
    }
    // Rows name the proof of the pair.
    let mut by = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            by.push((pair.algorithm.to_string(), pair.asked.to_string(), crate::compare::base(pair.a)));
        }
        Ok(())
    };
    compare::run(&asked(&room, "mrsh-v2", &["s"]), &mut take, &Control::new()).unwrap();
    assert!(by.contains(&("sha256".into(), "mrsh-v2".into(), "a".into())), "{by:?}");
    // Across two sets only pairs of one from each; groups hold them as well.
    let mut across = asked(&room, "mrsh-v2", &["s/a", "s/c"]);
    across.against = vec![room.at("s/b").into()];
    assert_eq!(names(&good(&across).1), [("a", "b")]);
    let mut groups = asked(&room, "mrsh-v2", &["s"]);
    groups.cluster = true;
    let with_b: Vec<_> = good(&groups).1.groups.into_iter().filter(|group| group.contains(&"b".to_owned())).collect();
    assert_eq!(with_b, [["a", "b"]]);
    // As the reference tools have it there are none.
    let mut parity = asked(&room, "mrsh-v2", &["s"]);
    (parity.parity, parity.thresholds) = (true, Thresholds::parse(&[], true).unwrap());
    assert_eq!(names(&good(&parity).1), [("c", "d")]);
}

#[test]
fn two_thousand_small_files_with_a_thousand_equal_pairs() {
    let room = Room::new();
    for at in 0..1000 {
        for copy in ["a", "b"] {
            room.file(format!("s/{copy}{at}"), &at.to_string());
        }
    }
    let (summary, rows) = good(&asked(&room, "mrsh-v2", &["s"]));
    assert!(rows.pairs.iter().all(|(a, b, _)| a[1..] == b[1..]) && rows.pairs.len() == 1000);
    assert_eq!((summary.pairs, rows.without), (1000, vec![("mrsh-v2".to_owned(), 2000)]));
    let exact = rows.searched.iter().find(|(name, ..)| name == "sha256").unwrap();
    assert_eq!((exact.1, exact.2.pairs), (2000, 1000));
}
