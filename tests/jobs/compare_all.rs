//! All methods at once: a row a pair, with every score, the shared part of each, and a word.

use crate::compare::base;
use crate::room::Room;
use crate::rows::{algorithms, input, list, pairs_as};
use pfh::Control;
use pfh::compare::{self, By, Event, Linkage, Relation, Request, Thresholds};
use pfh::similarity::shingles::Shingles;
use pfh::similarity::{Evidence, Method, Score};
use pfh_inject::content;
use std::collections::BTreeMap;

/// Files in every relation; each is made of pieces of random bytes.
pub fn room() -> Room {
    let room = Room::new();
    let whole = content(1, 60_000);
    let text: Vec<u8> =
        (0..9_000u32).flat_map(|n| format!("{} ", n.wrapping_mul(2_654_435_761) >> 9).into_bytes()).collect();
    // Other words of the same digits.
    let spread: Vec<u8> =
        (0..9_000u32).flat_map(|n| format!("{} ", n.wrapping_mul(2_246_822_519) >> 9).into_bytes()).collect();
    let mut edited = whole.clone();
    edited[30_000] ^= 1;
    for (name, bytes) in [
        ("a-whole", whole.clone()),
        ("b-copy", whole.clone()),
        ("c-edited", edited),
        ("d-part", whole[20_000..32_000].to_vec()),
        ("e-shares", [&content(2, 40_000)[..], &whole[..9_000]].concat()),
        ("f-text", text),
        ("g-spread", spread),
        ("h-tiny", b"tiny".to_vec()),
        ("i-tiny", b"tiny".to_vec()),
        ("j-small", content(3, 70)),
        ("k-small", content(3, 70)),
        ("l-empty", Vec::new()),
        ("m-empty", Vec::new()),
        ("n-strange", content(4, 50_000)),
    ] {
        room.file(format!("s/{name}"), &bytes);
    }
    room
}

/// A row: both names, the word, the score, the shared part of each, and the other scores by method.
pub type Row = (String, String, Relation, u8, Option<[u8; 2]>, BTreeMap<&'static str, u32>);

pub fn rows(request: &Request) -> (Vec<Row>, compare::Summary, Vec<Vec<String>>) {
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        match event {
            Event::Related(row) if row.listed => {
                let scores = row.scores.iter().map(|(method, score)| (method.name(), score.number())).collect();
                rows.push((base(row.a), base(row.b), row.relation, row.score, row.contained, scores));
            }
            Event::Group(group) => groups.push(group.names().map(base).collect()),
            Event::Pair(pair) => panic!("{pair:?}"),
            _ => {}
        }
        Ok(())
    };
    let summary = compare::run(request, &mut take, &Control::new()).unwrap();
    (rows, summary, groups)
}

pub fn asked(room: &Room) -> Request {
    Request::new(input(room, &["s"]))
}

pub fn names(rows: &[Row]) -> Vec<(&str, &str)> {
    rows.iter().map(|row| (&*row.0, &*row.1)).collect()
}

#[test]
fn every_relation_has_its_word() {
    let room = room();
    let (found, summary, _) = rows(&asked(&room));
    let word =
        |a: &str, b: &str| found.iter().find(|row| row.0.starts_with(a) && row.1.starts_with(b)).map(|row| row.2);
    for (a, b, relation) in [
        ("a", "b", Some(Relation::Equal)),
        ("h", "i", Some(Relation::Equal)),
        ("j", "k", Some(Relation::Equal)),
        ("a", "c", Some(Relation::NearlyEqual)),
        ("a", "d", Some(Relation::BInA)),
        ("b", "d", Some(Relation::BInA)),
        ("a", "e", Some(Relation::Shares)),
        ("f", "g", Some(Relation::Alike)),
        ("l", "m", None),
        ("a", "n", None),
        ("f", "n", None),
        ("h", "j", None),
    ] {
        assert_eq!(word(a, b), relation, "{a} {b}: {found:#?}");
    }
    // Files without a digest are counted for each method: the tiny ones for all but ssdeep, the
    // small ones for sdhash and mrsh-v2. None is a program, a table or a picture, and two are
    // texts. Empty ones are not compared.
    assert_eq!(
        (summary.without, summary.pairs, summary.faults),
        (4 * 2 + 2 * 2 + 12 + 10 + 12 + 12 + 12, found.len() as u64, 0)
    );
    // The closest first, then in the order of the files.
    let order: Vec<_> = found.iter().map(|row| (row.2, 100 - row.3, &row.0, &row.1)).collect();
    assert!(order.is_sorted(), "{order:#?}");
    // The same with hardly any memory, and in the other direction.
    let small = asked(&room).plan(Default::default(), Some(1 << 20));
    assert_eq!(rows(&small).0, found);
    let mut twisted = Request::new(input(&room, &["s/d-part", "s/a-whole"]));
    assert_eq!(rows(&twisted).0[0].2, Relation::AInB);
    twisted = Request::new(input(&room, &["s/d-part", "s/h-tiny"]));
    twisted.against = vec![room.at("s/a-whole").into(), room.at("s/i-tiny").into()];
    assert_eq!(names(&rows(&twisted).0), [("h-tiny", "i-tiny"), ("d-part", "a-whole")]);
}

#[test]
fn rows_hold_the_scores_of_each_method_alone() {
    let room = room();
    let (found, ..) = rows(&asked(&room));
    let mut pairs: BTreeMap<(String, String), ()> = BTreeMap::new();
    for method in ["shingles", "ssdeep", "sdhash", "mrsh-v2", "tlsh", "strings", "text"] {
        let mut request = asked(&room);
        request.algorithms = algorithms(method);
        let mut take = |event: Event<'_>| {
            let Event::Pair(pair) = event else { return Ok(()) };
            if pair.algorithm != pair.asked || pair.degenerate.is_some() {
                return Ok(());
            }
            let names = (base(pair.a), base(pair.b));
            if names.0.contains("empty") {
                return Ok(());
            }
            let row = found.iter().find(|row| row.0 == names.0 && row.1 == names.1);
            let row = row.unwrap_or_else(|| panic!("{method} {names:?}"));
            if method == "shingles" {
                assert_eq!(row.4, pair.evidence.contained, "{names:?}");
            } else {
                assert_eq!(row.5.get(method), Some(&pair.score.number()), "{method} {names:?}");
            }
            pairs.insert(names, ());
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
    }
    // But for the tiny ones, which no method has digests of.
    let others = found.iter().filter(|row| row.0 != "h-tiny").count();
    assert_eq!(others, pairs.len());
}

#[test]
fn the_best_the_ordered_and_the_groups() {
    let room = room();
    let (found, ..) = rows(&asked(&room));
    let mut top = asked(&room);
    top.top = Some(3);
    let (best, summary, _) = rows(&top);
    assert_eq!((&best[..], summary.pairs), (&found[..3], found.len() as u64));
    // The best three, by their names, whether a page has all pairs or not.
    top.sort = Some(By::Path);
    let mut named = best.clone();
    named.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    assert_eq!(rows(&top).0, named);
    top.page = Some(room.at("page.html"));
    assert_eq!(rows(&top).0, named);
    let mut by_path = asked(&room);
    by_path.sort = Some(By::Path);
    let mut sorted = found.clone();
    sorted.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    assert_eq!(rows(&by_path).0, sorted);
    let mut cluster = asked(&room);
    cluster.cluster = true;
    let (none, _, groups) = rows(&cluster);
    assert!(none.is_empty());
    // All are alike, unlike the part and the file that shares another part.
    assert_eq!(groups[0], ["a-whole", "b-copy", "c-edited", "d-part"]);
    let alike = |a: &str, b: &str| found.iter().any(|row| [&row.0, &row.1] == [a, b] || [&row.1, &row.0] == [a, b]);
    for group in &groups {
        assert!(group.iter().all(|a| group.iter().all(|b| a == b || alike(a, b))), "{group:?}");
    }
    cluster.linkage = Linkage::Single;
    let (_, _, chains) = rows(&cluster);
    assert_eq!(chains[0], ["a-whole", "b-copy", "c-edited", "d-part", "e-shares"]);
    assert_eq!(chains.len(), 4, "{chains:?}");
    // A threshold of one method changes the finds of that one.
    let mut strict = asked(&room);
    strict.thresholds =
        Thresholds::parse(&["tlsh=0".into(), "shingles=50".into(), "mrsh-v2=100".into()], false).unwrap();
    let (strict, ..) = rows(&strict);
    assert!(!names(&strict).contains(&("f-text", "g-spread")) && strict.len() < found.len());
}

#[test]
fn rows_are_written_in_every_form() {
    let room = room();
    let (found, ..) = rows(&asked(&room));
    let text = pairs_as(&room, &asked(&room), "text");
    // Below each pair stand the scores of the methods, where there are some.
    let below = text.lines().filter(|line| line.starts_with(' ')).count();
    assert_eq!(
        (text.lines().count(), below),
        (found.len() + below + 1, found.iter().filter(|row| !row.5.is_empty()).count())
    );
    assert!(text.starts_with("relation ") && text.lines().nth(1).unwrap().starts_with("equal "), "{text}");
    let csv = pairs_as(&room, &asked(&room), "csv");
    let (head, rest) = csv.split_once('\n').unwrap();
    let fields = "a,b,relation,score,shared_bytes,a_in_b,b_in_a,resemblance,ssdeep,sdhash,mrsh_v2,tlsh,strings,text,cells,pdq,crops,once_in,rarer,degenerate,\
         a_b64,b_b64";
    assert_eq!((head.trim_end(), rest.lines().count()), (fields, found.len()));
    let rows = pairs_as(&room, &asked(&room), "jsonl");
    for (line, row) in rows.lines().zip(&found) {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((line["type"].as_str(), line["relation"].as_str()), (Some("related"), Some(row.2.word())));
        assert_eq!(line["score"], row.3);
        for (method, score) in &row.5 {
            assert_eq!(line[method.replace('-', "_")], *score, "{line}");
        }
        // Shared bytes need no chance.
        assert_eq!(line["once_in"].is_u64(), row.2 == Relation::Alike, "{line}");
        assert_eq!(line["resemblance"].is_u64(), line["a_in_b"].is_u64(), "{line}");
    }
    // One method's output is that method's.
    assert!(!pairs_as(&room, &asked(&room), "values").contains("equal "));
}

#[test]
fn shared_bytes_alone_are_those_of_brute_force() {
    let room = room();
    let files: Vec<(String, Vec<u8>)> = [
        "a-whole",
        "b-copy",
        "c-edited",
        "d-part",
        "e-shares",
        "f-text",
        "g-spread",
        "j-small",
        "k-small",
        "n-strange",
    ]
    .map(|name| (name.to_owned(), std::fs::read(room.at("s").join(name)).unwrap()))
    .into();
    let mut expected = Vec::new();
    for (i, (a, first)) in files.iter().enumerate() {
        for (b, second) in &files[i + 1..] {
            let compared = Shingles.compare(&Shingles.digest(first).unwrap(), &Shingles.digest(second).unwrap());
            if compared.score.reaches(Score::Similarity(3)) {
                expected.push((a.clone(), b.clone(), compared.score.number(), compared.evidence));
            }
        }
    }
    assert!(expected.len() > 5);
    for memory in [1, 64] {
        let mut request = asked(&room).plan(Default::default(), Some(memory << 20));
        request.algorithms = algorithms("shingles");
        assert_eq!(found(&request), expected, "{memory}");
    }
    // From a list in each format that holds it, with and without the files beside it.
    for format in ["csv", "jsonl", "sums"] {
        let list = list(&room, &format!("list.{format}"), "shingles", format, &["s"]);
        let mut request = Request::new(pfh::Input::new([&list]));
        assert_eq!(found(&request), expected, "{format}");
        request.against = vec![room.at("s/d-part").into()];
        let across = found(&request);
        assert_eq!(across.iter().map(|row| &*row.0).collect::<Vec<_>>(), ["a-whole", "b-copy", "c-edited", "d-part"]);
    }
}

/// The pairs of one method with their scores and the shared parts; none of those that stand for it.
pub fn found(request: &Request) -> Vec<(String, String, u32, Evidence)> {
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event
            && pair.algorithm == pair.asked
        {
            found.push((base(pair.a), base(pair.b), pair.score.number(), pair.evidence));
        }
        Ok(())
    };
    compare::run(request, &mut take, &Control::new()).unwrap();
    found
}
