//! The same pairs in another order, and the best of them.

use crate::compare::good;
use crate::room::Room;
use crate::rows::{algorithms, input, pairs_as};
use pfh::compare::{By, Request, Thresholds};
use pfh_inject::random;

type Pairs = Vec<(String, String, u32)>;

/// Files that share more or less with the first one, and whose names are not in that order.
fn asked(room: &Room, by: &str) -> Request {
    let whole = random(1, 60_000);
    let names = ["t/m", "t/c", "t/x", "t/a", "t/k", "t/b", "t/z"];
    for (number, name) in names.iter().enumerate() {
        let own = random(10 + number as u64, 6_000 * number);
        room.file(name, &[&whole[..60_000 - own.len()], &own[..]].concat());
    }
    let mut request = Request::new(input(room, &names));
    (request.algorithms, request.form) = (algorithms(by), "csv".parse().unwrap());
    request.thresholds = Thresholds::one(Some(1));
    request
}

fn by_score(pairs: &Pairs, distance: bool) -> Pairs {
    let mut sorted = pairs.clone();
    sorted.sort_by_key(|pair| if distance { i64::from(pair.2) } else { -i64::from(pair.2) });
    sorted
}

fn by_path(pairs: &[(String, String, u32)]) -> Pairs {
    let mut sorted = pairs.to_vec();
    sorted.sort_by_key(|(a, b, _)| (a.clone(), b.clone()));
    sorted
}

#[test]
fn the_best_pairs_first() {
    let room = Room::new();
    for algorithm in ["mrsh-v2", "sdhash", "ssdeep", "tlsh"] {
        let distance = algorithm == "tlsh";
        let mut request = asked(&room, algorithm);
        request.thresholds = Thresholds::one(Some(if distance { 400 } else { 1 }));
        let all = good(&request).1.pairs;
        assert!(all.len() > 5, "{algorithm}: {all:?}");
        let sorted = by_score(&all, distance);
        assert!(sorted != all, "{algorithm}: the order says something");
        let with = |sort: Option<By>, top: Option<u64>, memory: Option<usize>| {
            let mut request = request.clone();
            if memory.is_some() {
                request = request.plan(Default::default(), memory);
            }
            (request.sort, request.top) = (sort, top);
            let (summary, rows) = good(&request);
            assert_eq!(summary.pairs, all.len() as u64, "all are counted");
            rows.pairs
        };
        assert_eq!(with(Some(By::Score), None, None), sorted, "{algorithm}");
        assert_eq!(with(None, Some(3), None), sorted[..3], "{algorithm}");
        assert_eq!(with(None, Some(1000), None), sorted, "{algorithm}");
        assert_eq!(with(None, Some(3), Some(1 << 20)), sorted[..3], "{algorithm}");
    }
}

#[test]
fn pairs_by_their_names() {
    let room = Room::new();
    let mut request = asked(&room, "mrsh-v2");
    let all = good(&request).1.pairs;
    let sorted = by_path(&all);
    assert!(sorted != all);
    request.sort = Some(By::Path);
    assert_eq!(good(&request).1.pairs, sorted);
    request.top = Some(4);
    assert_eq!(good(&request).1.pairs, by_path(&by_score(&all, false)[..4]));
    request.top = None;
    // Each form has the same pairs in the same order; ssdeep's text begins with the later name.
    let full = |name: &str| room.at(format!("t/{name}")).display().to_string();
    for (form, start) in [
        ("text", (|a, b| format!("{a} | {b} | ")) as fn(&str, &str) -> String),
        ("jsonl", |a, b| format!("{{\"type\":\"pair\",\"a\":\"{a}\",\"b\":\"{b}\"")),
    ] {
        let written = pairs_as(&room, &request, form);
        assert_eq!(written.lines().count(), sorted.len());
        for (line, (a, b, _)) in written.lines().zip(&sorted) {
            assert!(line.starts_with(&start(&full(a), &full(b))), "{form}: {line}");
        }
    }
    let mut ssdeep = asked(&room, "ssdeep");
    ssdeep.sort = Some(By::Path);
    let text = pairs_as(&room, &ssdeep, "text");
    assert!(text.lines().count() > 3 && text.lines().is_sorted(), "{text}");
    // The order of the list changes nothing on the page, nor what evidence counts.
    let page = |sort: Option<By>, top: Option<u64>| {
        let mut request = asked(&room, "sdhash");
        (request.sort, request.top, request.evidence) = (sort, top, true);
        request.page = Some(room.at("page"));
        let written = pairs_as(&room, &request, "csv");
        let lines: Vec<String> = written.lines().map(str::to_owned).collect();
        // The line that states the time of its making aside.
        let text = std::fs::read_to_string(room.at("page")).unwrap();
        let page: Vec<String> = text.lines().filter(|line| !line.contains("made by pfh ")).map(str::to_owned).collect();
        assert_eq!(page.len() + 1, text.lines().count());
        (lines, page)
    };
    let ((mut all, whole), (mut sorted, other)) = (page(None, None), page(Some(By::Path), None));
    assert!(whole == other && whole == page(None, Some(1)).1);
    assert_ne!(all, sorted);
    all.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(all, sorted);
}
