//! `pfh compare --sort` and `--top`: the same pairs in another order, and the best of them.

use crate::program::{Room, random};
use pfh_inject::{Outcome, Trial};

/// Files that share more or less with the first one, and whose names are not in that order.
fn files(room: &Room) -> Vec<&'static str> {
    let whole = random(1, 60_000);
    let names = ["t/m", "t/c", "t/x", "t/a", "t/k", "t/b", "t/z"];
    for (number, name) in names.iter().enumerate() {
        let own = random(10 + number as u64, 6_000 * number);
        room.file(name, &[&whole[..60_000 - own.len()], &own[..]].concat());
    }
    names.to_vec()
}

fn compare(room: &Room, options: &[&str], names: &[&str]) -> Outcome {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["compare", "--no-progress", "--threshold", "1"]);
    trial.args(options).args(names).directory(room.path()).run().expect("a run")
}

fn lines(seen: &Outcome) -> Vec<String> {
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    String::from_utf8(seen.stdout.clone()).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// Score and names of a line of csv.
fn parts(line: &str) -> (u32, String, String) {
    let fields: Vec<&str> = line.split(',').collect();
    (fields[3].parse().expect("a score"), fields[0].to_owned(), fields[1].to_owned())
}

fn by_score(pairs: &[String], distance: bool) -> Vec<String> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by_key(|line| if distance { i64::from(parts(line).0) } else { -i64::from(parts(line).0) });
    sorted
}

fn by_path(pairs: &[String]) -> Vec<String> {
    let mut sorted = pairs.to_vec();
    sorted.sort_by_key(|line| (parts(line).1, parts(line).2));
    sorted
}

#[test]
fn the_best_pairs_first() {
    let room = Room::new();
    let names = files(&room);
    for algorithm in ["mrsh-v2", "sdhash", "ssdeep", "tlsh"] {
        let distance = algorithm == "tlsh";
        let threshold = if distance { "400" } else { "1" };
        let ask = |options: &[&str]| {
            let options = [&["-a", algorithm, "-f", "csv", "--threshold", threshold], options].concat();
            let seen = compare(&room, &options, &names);
            let said = seen.stderr.clone();
            (lines(&seen)[1..].to_vec(), said)
        };
        let (all, said) = ask(&[]);
        assert!(all.len() > 5 && !said.contains("listed"), "{algorithm}: {all:?}");
        let sorted = by_score(&all, distance);
        assert!(sorted != all, "{algorithm}: the order says something");
        assert_eq!(ask(&["--sort", "score"]).0, sorted, "{algorithm}");
        let (best, said) = ask(&["--top", "3"]);
        assert_eq!(best, sorted[..3], "{algorithm}");
        assert!(said.contains(&format!("{algorithm}: the 3 best are listed")), "{said}");
        assert!(said.contains(&format!("{} pairs", all.len())), "all are counted: {said}");
        let (more, said) = ask(&["--top", "1000"]);
        assert!(more == sorted && !said.contains("listed"), "{said}");
        assert_eq!(ask(&["--top", "3", "-m", "1M"]).0, sorted[..3], "{algorithm}");
    }
}

#[test]
fn pairs_by_their_names() {
    let room = Room::new();
    let names = files(&room);
    let all = lines(&compare(&room, &["-a", "mrsh-v2", "-f", "csv"], &names))[1..].to_vec();
    let sorted = by_path(&all);
    assert!(sorted != all);
    assert_eq!(lines(&compare(&room, &["-a", "mrsh-v2", "-f", "csv", "--sort", "path"], &names))[1..], sorted);
    let best = by_path(&by_score(&all, false)[..4]);
    let seen = compare(&room, &["-a", "mrsh-v2", "-f", "csv", "--sort", "path", "--top", "4"], &names);
    assert_eq!(lines(&seen)[1..], best);
    // The other forms have the same pairs in the same order; the text of ssdeep begins with the
    // later name.
    let text = lines(&compare(&room, &["-a", "mrsh-v2", "--sort", "path"], &names));
    let start = |line: &String| format!("{} | {} | ", parts(line).1, parts(line).2);
    assert!(text.len() == sorted.len() && text.iter().zip(&sorted).all(|(text, line)| text.starts_with(&start(line))));
    let json = lines(&compare(&room, &["-a", "mrsh-v2", "-f", "jsonl", "--sort", "path"], &names));
    let start = |line: &String| format!("{{\"type\":\"pair\",\"a\":\"{}\",\"b\":\"{}\"", parts(line).1, parts(line).2);
    assert!(json.len() == sorted.len() && json.iter().zip(&sorted).all(|(json, line)| json.starts_with(&start(line))));
    let text = lines(&compare(&room, &["-a", "ssdeep", "--sort", "path"], &names));
    assert!(text.len() > 3 && text.is_sorted(), "{text:?}");
    // Listed digests change nothing on the page, nor what --evidence counts.
    let page = |options: &[&str]| {
        let seen =
            compare(&room, &[&["-a", "sdhash", "--evidence", "--html", "page", "--force"], options].concat(), &names);
        (lines(&seen), std::fs::read(room.path().join("page")).expect("a page"))
    };
    let ((mut all, whole), (mut sorted, other)) = (page(&[]), page(&["--sort", "path"]));
    assert!(whole == other && whole == page(&["--top", "1"]).1);
    assert_ne!(all, sorted);
    all.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(all, sorted);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let room = Room::new();
    let names = files(&room);
    for options in
        [&["--top", "0"][..], &["--sort", "size"], &["--top", "3", "--cluster"], &["--sort", "path", "--cluster"]]
    {
        assert_eq!(compare(&room, options, &names).code, Some(2), "{options:?}");
    }
}
