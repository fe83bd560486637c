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
    assert!(
        found("report.html").contains("Table VIII")
            && found("papers.txt") == text(&seen)
            && found("claims.csv").lines().count() > 40
    );
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
    for word in [
        "Table XIII",
        "Table 15",
        "Fig. 3",
        "SMT, -m 128",
        "66.36",
        "<svg",
        "cannot be shown here",
        "not measured yet",
        "<h2>The claims</h2>",
        "The originals of sdhash and mrsh-v2",
    ] {
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
    let papers = [("Breitinger", 16), ("Gueron", 5), ("Gurjar", 17), ("Lopes", 3), ("Panichprecha", 6)];
    for (author, items) in papers {
        let below = listed.lines().skip_while(|line| !line.starts_with(author)).skip(1);
        assert_eq!(below.take_while(|line| line.starts_with(' ')).count(), items, "{author}: {listed}");
    }
}

/// An interrupted run has its page: it grows with each part.
#[test]
fn the_page_grows_while_parts_finish() {
    let room = Room::new();
    let script = "import sys, json, pathlib\n\
                  if 'tree' in sys.argv: sys.exit(0 if pathlib.Path('copy').write_text(pathlib.Path('page').read_text()) else 1)\n\
                  print(json.dumps({'table': 'T of the lanes', 'columns': ['a'], 'rows': [['x']]}))\n";
    room.file("bench/run", script.as_bytes());
    let seen = bench(&room, &["papers", "--only", "s-hash,tree", "--bench", "bench", "--html", "page"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let page = |name: &str| fs::read_to_string(room.path().join(name)).unwrap();
    // The second part saw the page with the first one.
    assert!(page("copy").contains("1 of 2 parts") && page("copy").contains("T of the lanes"), "{}", page("copy"));
    assert!(page("page").contains("All 2 parts were run"));
}

/// The claims are judged over the kept results, by rows of one kind: a claim that fails in its own
/// rows is not reached by another row.
#[test]
fn claims_have_verdicts_in_every_form() {
    let room = Room::new();
    let script = "import json\nprint(json.dumps({'table': 'pfh Table IX: prefetchers, md5', 'columns': ['row', 'here, s'],\n\
                  'rows': [['-p 1', 100], ['-p 2', 67], ['adaptive', 57]], 'conditions': ['cold', 'flash']}))\n";
    room.file("bench/run", script.as_bytes());
    let ask = ["papers", "--only", "pfh-IX", "--bench", "bench"];
    let seen = bench(&room, &ask);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(text(&seen).contains("-p 2 / -p 1: 67 %") && !text(&seen).contains("reached"), "{}", text(&seen));
    let values = fs::read_to_string(room.path().join("pfh-bench/claims.csv")).unwrap();
    let line = values.lines().find(|line| line.contains("\"Table IX\",\"a second prefetcher")).unwrap();
    assert!(line.contains("\"does not hold here\"") && line.contains("no moving head"), "{line}");
    let seen = bench(&room, &[&ask[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&text(&seen)).unwrap();
    let claims = json["claims"].as_array().unwrap();
    assert!(claims.len() >= 40 && json["parts"][0]["name"] == "pfh-IX", "{json}");
    let verdicts = |word: &str| claims.iter().filter(|claim| claim["verdict"] == word).count();
    assert!(verdicts("cannot be shown here") > 40 && verdicts("does not hold here") >= 2);
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
