//! All methods at once: a row a pair, with every score, what is shared, and a word.

use crate::compare::base;
use crate::room::Room;
use crate::rows::{algorithms, input, list, pairs_as};
use pfh::Control;
use pfh::compare::{self, By, Event, Linkage, Problem, Relation, Request, Thresholds};
use pfh::report::pairs::Format;
use pfh::similarity::shingles::Shingles;
use pfh::similarity::{Evidence, Method, Score};
use pfh_inject::{content, random};
use std::collections::BTreeMap;

/// Files in every relation; each is made of pieces of random bytes.
fn room() -> Room {
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

/// A row: both names, the word, the score, what is shared, and the other scores by method.
type Row = (String, String, Relation, u8, Option<[u8; 2]>, BTreeMap<&'static str, u32>);

fn rows(request: &Request) -> (Vec<Row>, compare::Summary, Vec<Vec<String>>) {
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

fn asked(room: &Room) -> Request {
    Request::new(input(room, &["s"]))
}

fn names(rows: &[Row]) -> Vec<(&str, &str)> {
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
    // small ones for sdhash and mrsh-v2. None is a program, and two are texts. Empty ones are not
    // compared.
    assert_eq!((summary.without, summary.pairs, summary.faults), (4 * 2 + 2 * 2 + 12 + 10 + 12, found.len() as u64, 0));
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
    // A threshold of one method changes what that one finds.
    let mut strict = asked(&room);
    strict.thresholds =
        Thresholds::parse(&["tlsh=0".into(), "shingles=50".into(), "mrsh-v2=100".into()], false).unwrap();
    let (strict, ..) = rows(&strict);
    assert!(!names(&strict).contains(&("f-text", "g-spread")) && strict.len() < found.len());
}

/// Pairs with a digest that is like anything are counted, and shown where that is asked for.
#[test]
fn pairs_by_chance_are_counted() {
    let room = Room::new();
    let once = random(3, 400_000);
    room.file("t/twice", &[&once[..], &once[..]].concat());
    room.file("t/other", &random(4, 20_000));
    for saturated in [false, true] {
        let mut request = Request::new(input(&room, &["t"]));
        request.saturated = saturated;
        let (mut counted, mut listed) = (Vec::new(), 0);
        let mut take = |event: Event<'_>| {
            match event {
                Event::Saturated { pairs, listed, .. } => counted.push((pairs, listed)),
                Event::Related(_) => listed += 1,
                _ => {}
            }
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
        assert_eq!((counted, listed), (vec![(1, saturated)], u64::from(saturated)));
    }
}

/// Of pairs with such a digest those that share features for certain are pairs by sdhash alone.
#[test]
fn saturated_pairs_that_share_features_are_listed() {
    let room = Room::new();
    let once = random(3, 400_000);
    let twice = [&once[..], &once[..]].concat();
    room.file("t/a-twice", &twice);
    room.file("t/b-twice", &[&twice[..], &random(5, 3_000)].concat());
    room.file("t/c-other", &random(4, 20_000));
    for (memory, saturated) in [(64 << 20, false), (1 << 20, false), (64 << 20, true)] {
        let mut request = Request::new(input(&room, &["t"])).plan(Default::default(), Some(memory));
        (request.algorithms, request.saturated) = (algorithms("sdhash"), saturated);
        let (mut pairs, mut counted) = (Vec::new(), 0);
        let mut take = |event: Event<'_>| {
            match event {
                Event::Pair(pair) => pairs.push((base(pair.a), base(pair.b), pair.evidence.shared_features)),
                Event::Saturated { pairs, .. } => counted = pairs,
                _ => {}
            }
            Ok(())
        };
        let summary = compare::run(&request, &mut take, &Control::new()).unwrap();
        if saturated {
            assert_eq!((pairs.len(), summary.pairs), (3, 3), "{pairs:?}");
            continue;
        }
        let [(a, b, shared)] = &pairs[..] else { panic!("{pairs:?}") };
        assert_eq!((&**a, &**b, counted, summary.pairs), ("a-twice", "b-twice", 2, 1));
        // As many as --evidence says.
        request.evidence = true;
        let mut certain = None;
        let mut take = |event: Event<'_>| {
            if let Event::Pair(pair) = event {
                certain = pair.evidence.shared_features;
            }
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
        assert!(shared.is_some_and(|shared| shared > 100) && *shared == certain, "{shared:?} {certain:?}");
    }
}

#[test]
fn rows_are_written_in_every_form() {
    let room = room();
    let (found, ..) = rows(&asked(&room));
    let text = pairs_as(&room, &asked(&room), "text");
    assert_eq!(text.lines().count(), found.len() + 1);
    assert!(text.starts_with("relation ") && text.lines().nth(1).unwrap().starts_with("equal "), "{text}");
    let csv = pairs_as(&room, &asked(&room), "csv");
    let (head, rest) = csv.split_once('\n').unwrap();
    let fields = "a,b,relation,score,shared_bytes,a_in_b,b_in_a,resemblance,ssdeep,sdhash,mrsh_v2,tlsh,strings,text,pdq,once_in,rarer,degenerate,\
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

/// A window that very many files have says nothing, and is counted.
#[test]
fn windows_of_a_thousand_files_are_left_out() {
    let room = Room::new();
    let common = content(1, 4_000);
    for number in 0..1_010u64 {
        let mut bytes = common.clone();
        bytes.extend(content(100 + number / 2, 4_000));
        room.file(format!("s/{number:04}"), &bytes);
    }
    let mut request = asked(&room);
    request.algorithms = algorithms("shingles");
    let (mut pairs, mut left_out) = (0, 0);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Pair(pair) => {
                let [a, b] = [pair.a, pair.b].map(|name| base(name).parse::<u64>().unwrap());
                assert_eq!(a / 2, b / 2);
                pairs += 1;
            }
            Event::Searched(searched) => left_out = searched.found.common,
            _ => {}
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!(pairs, 505);
    assert!((80..200).contains(&left_out), "{left_out}");
}

/// Bytes that many files have make two of them no relatives; bytes that two have do.
#[test]
fn common_bytes_count_less_than_rare_ones() {
    let room = Room::new();
    let (head, rare) = (content(1, 2_000), content(2, 2_000));
    for number in 0..300u64 {
        let mut bytes = head.clone();
        bytes.extend(content(100 + number, 30_000));
        if number == 7 || number == 170 {
            bytes.extend(&rare);
        }
        room.file(format!("s/{number:04}"), &bytes);
    }
    let mut request = asked(&room);
    request.algorithms = algorithms("shingles");
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            found.push((base(pair.a), base(pair.b), pair.evidence.contained));
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    let [(a, b, Some([share, _]))] = &found[..] else { panic!("{found:?}") };
    // All shared bytes are in the evidence.
    assert!((&**a, &**b) == ("0007", "0170") && (8..=16).contains(share), "{found:?}");
}

/// Groups of an earlier run keep their numbers and members, whatever is new.
#[test]
fn earlier_groups_grow() {
    let room = room();
    let kept = room.at("groups");
    let run = |names: &[&str], earlier: bool, to: &str| {
        let mut request = Request::new(input(&room, names)).output(room.at(to));
        (request.cluster, request.form) = (true, Format::Jsonl);
        request.earlier = earlier.then(|| kept.clone());
        request.page = Some(room.at(format!("{to}.html")));
        let mut missing = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Missing { algorithm, members } = event {
                missing.push((algorithm.to_owned(), members));
            }
            Ok(())
        };
        compare::write(&request, &mut take, &Control::new()).unwrap();
        let text = std::fs::read_to_string(room.at(to)).unwrap();
        let row = |line: &str| -> (u64, Vec<String>) {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = |of: &serde_json::Value| base(of["path"].as_str().unwrap().as_bytes());
            (row["cluster"].as_u64().unwrap(), row["members"].as_array().unwrap().iter().map(name).collect())
        };
        (text.lines().map(row).collect::<Vec<_>>(), missing)
    };
    let of = |number: u64, names: &[&str]| (number, names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let first = ["s/a-whole", "s/b-copy", "s/i-tiny", "s/h-tiny", "s/n-strange"];
    let (groups, _) = run(&first, false, "groups");
    assert_eq!(groups, [of(1, &["a-whole", "b-copy"]), of(2, &["i-tiny", "h-tiny"])]);
    // One more is like both of the first group, others are a new one; a member is gone.
    let second = ["s/j-small", "s/k-small", "s/n-strange", "s/c-edited", "s/b-copy", "s/a-whole", "s/h-tiny"];
    let (groups, missing) = run(&second, true, "again");
    let expected = [of(1, &["c-edited", "b-copy", "a-whole"]), of(2, &["h-tiny"]), of(3, &["j-small", "k-small"])];
    assert_eq!(groups, expected, "what is left of an earlier group is listed");
    assert_eq!(missing, [("auto".to_owned(), 1)]);
    // Two groups of before stay apart, even if all of their members are equal.
    let text = std::fs::read_to_string(&kept).unwrap();
    let path = |name: &str| room.at(name).to_str().unwrap().to_owned();
    let line = |number: u64, name: &str| serde_json::json!({"type": "cluster", "algorithm": "auto", "cluster": number, "size": 1, "members": [{"path": path(name)}]});
    std::fs::write(&kept, format!("{}\n{}\n", line(7, "s/a-whole"), line(4, "s/b-copy"))).unwrap();
    let (groups, _) = run(&["s/a-whole", "s/b-copy", "s/c-edited"], true, "apart");
    assert_eq!(groups, [of(4, &["b-copy"]), of(7, &["a-whole", "c-edited"])]);
    // The page has their numbers.
    let page = std::fs::read_to_string(room.at("apart.html")).unwrap();
    assert!(page.contains("data-g=\"auto-7\">7</td>") && !page.contains("data-g=\"auto-1\""), "{page}");
    // Groups of another algorithm are not passed over in silence.
    std::fs::write(&kept, line(1, "s/a-whole").to_string().replace("auto", "ssdeep")).unwrap();
    let (_, missing) = run(&["s/a-whole", "s/b-copy"], true, "other");
    assert_eq!(missing, [("ssdeep".to_owned(), 1)]);
    for wrong in ["{}\n", "no JSON\n", &format!("{text}{text}")] {
        std::fs::write(&kept, wrong).unwrap();
        let mut request = Request::new(input(&room, &["s"]));
        (request.cluster, request.earlier) = (true, Some(kept.clone()));
        let error = compare::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(matches!(error.find::<Problem>(), Some(Problem::NoGroups(_))), "{error}");
        request.linkage = Linkage::Single;
        let error = compare::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(error.find::<Problem>(), Some(&Problem::NotGrouped));
    }
}

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

/// The pairs of one method with their scores and what they share; none of those that stand for it.
fn found(request: &Request) -> Vec<(String, String, u32, Evidence)> {
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

/// A page has every row, and shows where the files of a pair have bytes in common.
#[test]
fn a_page_shows_where_bytes_are_shared() {
    let room = room();
    let mut request = asked(&room).output(room.at("pairs"));
    request.page = Some(room.at("page.html"));
    let mut rows = 0;
    let mut take = |event: Event<'_>| {
        rows += u64::from(matches!(event, Event::Related(_)));
        Ok(())
    };
    compare::write(&request, &mut take, &Control::new()).unwrap();
    let page = std::fs::read_to_string(room.at("page.html")).unwrap();
    assert_eq!(page.matches("<tr data-r=").count() as u64, rows);
    let row = |a: &str, b: &str| {
        let is_of = |row: &&str| [a, b].iter().all(|name| row.contains(&format!("</span>{name} <")));
        page.split("<tr data-r=").skip(1).find(is_of).unwrap_or_else(|| panic!("{a} {b}"))
    };
    // The part lies 20,000 bytes into the whole; what is shared with the other lies at its end.
    assert!(row("a-whole", "d-part").contains("<li>12000 bytes at 20000, and at 0</li>"));
    assert!(row("a-whole", "e-shares").contains("<li>9000 bytes at 0, and at 40000</li>"));
    let edited = row("a-whole", "c-edited");
    assert!(edited.contains("<li>30000 bytes at 0, and at 0</li><li>29999 bytes at 30001, and at 30001</li>"));
    // Equal files, and files that are only alike, share no places.
    for (a, b) in [("a-whole", "b-copy"), ("f-text", "g-spread")] {
        assert!(!row(a, b).contains("<details>"), "{a} {b}");
    }
    assert!(row("f-text", "g-spread").contains("data-v="), "how often unrelated files are so much alike");
    for relation in ["equal", "nearly-equal", "b-in-a", "shares", "alike"] {
        assert!(page.contains(&format!("<option>{relation}</option>")), "{relation}");
    }
    // A file that is gone: the row says why there is no drawing.
    let mut take = |event: Event<'_>| {
        if matches!(event, Event::Relating(_)) {
            std::fs::remove_file(room.at("s/d-part")).unwrap();
        }
        Ok(())
    };
    compare::write(&request.clone().replace(true), &mut take, &Control::new()).unwrap();
    let page = std::fs::read_to_string(room.at("page.html")).unwrap();
    assert!(page.contains("(places not shown)") && page.contains("d-part: open: No such file"), "{page}");
}

/// What a linker puts into each program makes no pair of two; much shared code does.
#[test]
fn programs_share_more_than_their_compiler() {
    let room = Room::new();
    let (start, library) = (content(1, 2_000), content(2, 20_000));
    for (number, parts) in [&[&start[..]][..], &[&start], &[&start, &library], &[&library]].iter().enumerate() {
        let own = 10 + number as u64;
        let strings: Vec<u8> =
            (0..400u64).flat_map(|n| format!("{own} of {}\0", n * n * 7_919 + own).into_bytes()).collect();
        let bytes = [b"\x7fELF\x02\x01\x01\0", &parts.concat()[..], &content(own, 30_000), &strings].concat();
        room.file(format!("s/{number}"), &bytes);
    }
    let (found, ..) = rows(&asked(&room));
    assert_eq!(names(&found), [("2", "3")], "{found:#?}");
    let mut each = asked(&room);
    each.thresholds = Thresholds::parse(&["shingles=3".into()], false).unwrap();
    assert_eq!(rows(&each).0.len(), 4);
    // The same bytes in front of other kinds of files are shared.
    for number in 0..2 {
        let bytes = std::fs::read(room.at(format!("s/{number}"))).unwrap();
        room.file(format!("s/{number}"), &bytes[4..]);
    }
    assert!(names(&rows(&asked(&room)).0).contains(&("0", "1")));
}
