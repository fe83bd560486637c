//! `pfh bench`: the program's own studies, small ones, from the command line to the report.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

fn bench(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .arg("bench")
        .args(arguments)
        .directory(room.path())
        .limit(Duration::from_secs(300))
        .run()
        .unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn scripts() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench").to_str().unwrap().to_owned()
}

#[test]
fn a_papers_table_is_measured_once_and_kept() {
    let room = Room::new();
    for n in 0..8 {
        room.file(format!("d/{n}"), format!("content {n} ").repeat(3000).as_bytes());
    }
    // Far from a checkout: the program has the scripts with it.
    let ask = ["papers", "--only", "pfh-VIII", "--rounds", "1", "--corpus", "d"];
    let seen = bench(&room, &ask);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(text(&seen).contains("Table VIII") && seen.stderr.contains("1 of 1"), "{}{}", text(&seen), seen.stderr);
    let found = |name: &str| fs::read_to_string(room.path().join("pfh-bench").join(name)).unwrap();
    assert!(found("report.html").contains("Table VIII") && found("papers.txt") == text(&seen));
    assert!(found("papers.csv").lines().count() > 1);
    let again = bench(&room, &ask);
    assert_eq!((again.code, text(&again)), (Some(0), text(&seen)));
    assert!(!again.stderr.contains("1 of 1"), "{}", again.stderr);
    // The project's own are the same ones.
    let checkout = bench(&room, &[&ask[..], &["--again", "--bench", &scripts()]].concat());
    assert!(checkout.code == Some(0) && text(&checkout).contains("Table VIII"), "{}", checkout.stderr);
    assert!(!room.path().join("pfh-bench/scripts").exists());
}

/// One page: every table and figure of the five papers, theirs, ours, a verdict and bars; nothing
/// is loaded.
#[test]
fn one_page_of_the_papers() {
    let room = Room::new();
    for n in 0..8 {
        room.file(format!("d/{n}"), format!("content {n} ").repeat(3000).as_bytes());
    }
    let ask = ["papers", "--only", "pfh-VIII", "--rounds", "1", "--corpus", "d", "--html", "page.html"];
    let seen = bench(&room, &ask);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let page = fs::read_to_string(room.path().join("page.html")).unwrap();
    for word in ["Table XIII", "Table 15", "Fig. 3", "SMT, -m 128", "66.36", "<svg", "in the paper", "not measured yet"]
    {
        assert!(page.contains(word), "{word}");
    }
    for loaded in ["<script", "src=", "href=", "@import", "url("] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    // Made again over its own page, and over no other file.
    assert_eq!(bench(&room, &ask).code, Some(0));
    room.file("mine", b"mine");
    let seen = bench(&room, &[&ask[..ask.len() - 1], &["mine"]].concat());
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert_eq!(fs::read(room.path().join("mine")).unwrap(), b"mine");
}

#[test]
fn every_table_of_the_papers_is_listed() {
    let room = Room::new();
    let seen = bench(&room, &["papers", "--list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let listed = text(&seen);
    let papers = [("Breitinger", 16), ("Gueron", 4), ("Gurjar", 15), ("Lopes", 3), ("Panichprecha", 6)];
    for (author, items) in papers {
        let below = listed.lines().skip_while(|line| !line.starts_with(author)).skip(1);
        assert_eq!(below.take_while(|line| line.starts_with(' ')).count(), items, "{author}: {listed}");
    }
}

#[test]
fn what_cannot_be_repeated_says_why() {
    let room = Room::new();
    room.file("bench/run", b"import sys\nsys.exit('needs two disks')\n");
    let seen = bench(&room, &["papers", "--only", "cloner", "--bench", "bench"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(text(&seen).contains("not reproduced here: needs two disks"), "{}", text(&seen));
}

#[test]
fn a_small_study_of_languages_and_its_report() {
    let room = Room::new();
    let runners = scripts() + "/runners";
    let common =
        ["languages", "--runners", &runners, "--only", "python", "-a", "md5,sha256", "--sizes", "64KiB,256KiB"];
    let ask = [&common[..], &["--processes", "2", "--repeats", "2", "--warm-bytes", "64KiB"]].concat();
    let seen = bench(&room, &ask);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(text(&seen).contains("Python (Linux, 2014)"), "{}", text(&seen));
    let values = fs::read_to_string(room.path().join("pfh-bench/results.csv")).unwrap();
    // A head; two algorithms, two sizes, two processes, two repeats.
    assert_eq!(values.lines().count(), 1 + 16);
    let again = bench(&room, &ask);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("going on after 8 of 8"), "{}", again.stderr);
    let report = bench(&room, &["report", "--time", "cpu"]);
    assert!(report.code == Some(0) && text(&report).contains("CPU time"), "{}", report.stderr);
}

#[test]
fn bad_arguments_are_usage_errors() {
    let room = Room::new();
    let scripts = scripts();
    let runners = scripts.clone() + "/runners";
    for bad in [
        &["papers", "--bench", &scripts, "--only", "pfh-XLII"][..],
        &["papers", "--bench", &scripts, "--rounds", "0"],
        &["languages", "--runners", &runners, "--only", "python", "--sizes", "0"],
        &["languages", "--runners", &runners, "--only", "python", "-a", "md6"],
        &["forecast"],
        &["forecast", "--bytes", "many"],
        &["nothing"],
    ] {
        let seen = bench(&room, bad);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{bad:?}: {}", seen.stderr);
        assert!(!seen.stderr.is_empty(), "{bad:?}");
    }
}
