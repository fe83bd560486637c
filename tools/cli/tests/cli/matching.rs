//! `pfh known`, `pfh match` and `pfh lookup`, beside md5deep and hfind.

use crate::program;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

/// Each file's record by the last component of its name.
fn verdicts(seen: &Outcome) -> Vec<(String, String, Vec<String>)> {
    let lines = seen.lines().into_iter().map(|line| serde_json::from_slice::<Value>(line).unwrap());
    lines
        .filter(|line| line["type"] == "match")
        .map(|line| {
            let name = line["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            let sets = line["sets"].as_array().cloned().unwrap_or_default();
            let sets = sets.iter().map(|set| set["set"].as_str().unwrap().to_owned()).collect();
            (name, line["verdict"].as_str().unwrap().to_owned(), sets)
        })
        .collect()
}

/// A tree of six files, and a known-set file `known` of two sets.
fn prepared() -> Room {
    let room = Room::new();
    for name in ["good", "bad", "both", "new", "sub/deep"] {
        room.file(format!("tree/{name}"), name.as_bytes());
    }
    room.file("tree/empty", b"");
    let list = |names: &[&[u8]]| -> String { names.iter().map(|name| program::sha256(name) + "\n").collect() };
    let good = room.file("os.txt", list(&[b"good", b"both", b""]).as_bytes());
    let bad = room.file("malware.txt", list(&[b"bad", b"both"]).as_bytes());
    let seen = pfh(["known", "build"])
        .arg(room.path().join("known"))
        .arg("--good")
        .arg(good)
        .arg("--bad")
        .arg(bad)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    room
}

#[test]
fn every_file_has_a_verdict_and_its_sets() {
    let room = prepared();
    let seen = pfh(["match", "-r", "-f", "jsonl", "--no-progress", "--known"])
        .arg(room.path().join("known"))
        .arg(room.path().join("tree"))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(1), "known-bad files are there: {}", seen.stderr);
    let expected: [(&str, &str, &[&str]); 6] = [
        ("bad", "known-bad", &["malware"]),
        ("both", "known-bad", &["os", "malware"]),
        ("empty", "unknown", &["os"]),
        ("good", "known-good", &["os"]),
        ("new", "unknown", &[]),
        ("deep", "unknown", &[]),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, verdict, sets)| {
            (name.to_string(), verdict.to_string(), sets.iter().map(|set| set.to_string()).collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(verdicts(&seen), expected);
    let summary: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!(
        (summary["known-bad"].as_u64(), summary["unknown"].as_u64(), summary["error"].as_u64()),
        (Some(2), Some(3), Some(0))
    );
    // The empty file counts only where that is asked for; and only what is asked for is written.
    let known = room.path().join("known");
    let seen = pfh(["match", "-r", "--no-progress", "--only", "good", "--empty-counts", "--fail-on", "", "-k"])
        .arg(&known)
        .arg(room.path().join("tree"))
        .run()
        .unwrap();
    assert_eq!((seen.code, seen.lines().len()), (Some(0), 2), "{}", text(&seen));
    for format in ["csv", "dfxml", "text"] {
        let seen = pfh(["match", "-r", "--no-progress", "-f", format, "-k"])
            .arg(&known)
            .arg(room.path().join("tree"))
            .run()
            .unwrap();
        assert_eq!(text(&seen).matches("known-bad").count(), 2, "{}", text(&seen));
    }
}

#[test]
fn a_file_that_cannot_be_read_has_no_verdict_but_error() {
    let room = prepared();
    let seen = pfh(["match", "-r", "-f", "jsonl", "--no-progress", "--io", "plain", "--known"])
        .arg(room.path().join("known"))
        .arg(room.path().join("tree/bad"))
        .arg(room.path().join("tree/missing"))
        .run()
        .unwrap();
    // Bad stays bad, whatever could not be read besides.
    assert_eq!(seen.code, Some(1));
    assert_eq!(verdicts(&seen)[1], ("missing".to_owned(), "error".to_owned(), vec![]));
    let seen = pfh(["match", "-f", "jsonl", "--no-progress", "--known"])
        .arg(room.path().join("known"))
        .arg(room.path().join("tree/good"))
        .arg(room.path().join("tree/missing"))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
}

#[test]
fn lists_and_digests_without_a_build() {
    let room = prepared();
    let tree = room.path().join("tree");
    let seen = pfh(["match", "-r", "--no-progress", "--only", "known", "-k"])
        .arg(room.path().join("os.txt"))
        .arg(&tree)
        .run()
        .unwrap();
    let lines: Vec<&[u8]> = seen.lines();
    assert_eq!((seen.code, lines.len()), (Some(0), 2), "{}", text(&seen));
    let digest = program::digest_by("md5sum", b"new");
    let seen = pfh(["match", "-r", "--no-progress", "--only", "known", "--digest", &digest]).arg(&tree).run().unwrap();
    assert_eq!(seen.code, Some(0));
    assert!(text(&seen).contains("tree/new") && seen.lines().len() == 1, "{}", text(&seen));
    let digest = program::digest_by("md5sum", b"nowhere");
    let seen = pfh(["match", "-r", "--no-progress", "--digest", &digest]).arg(&tree).run().unwrap();
    assert_eq!(seen.code, Some(1), "nothing was found");
    let seen = pfh(["match", "-r", "--digest", "1234"]).arg(&tree).run().unwrap();
    assert_eq!(seen.code, Some(2));
}

#[test]
fn digests_from_standard_input() {
    let room = prepared();
    let known = room.path().join("known");
    let input = format!("{}\n{}\nrubbish\n", program::sha256(b"bad"), program::sha256(b"new"));
    let seen = pfh(["lookup", "-k"]).arg(&known).input(input.clone()).run().unwrap();
    assert_eq!(seen.code, Some(1));
    let all = text(&seen);
    let lines: Vec<&str> = all.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("known-bad ") && lines[1].starts_with("unknown "), "{lines:?}");
    assert!(seen.stderr.contains("standard input:3:"), "{}", seen.stderr);
    let seen = pfh(["lookup", "-f", "jsonl", "--fail-on", "", "-k"]).arg(&known).input(input).run().unwrap();
    assert_eq!(seen.code, Some(3), "a line was not a digest");
    let first: Value = serde_json::from_slice(seen.lines()[0]).unwrap();
    assert_eq!((first["verdict"].as_str(), first["sets"][0]["set"].as_str()), (Some("known-bad"), Some("malware")));
}

#[test]
fn what_is_in_a_file() {
    let room = prepared();
    let known = room.path().join("known");
    let seen = pfh(["known", "info", "--verify"]).arg(&known).run().unwrap();
    let lines = text(&seen);
    assert!(
        lines.contains("good       os: 3 records") && lines.contains("sha256: 4") && lines.contains("BLAKE3"),
        "{lines}"
    );
    assert!(lines.contains("the empty file is in os"), "{lines}");
    let mut bytes = fs::read(&known).unwrap();
    bytes[20] ^= 1;
    fs::write(&known, bytes).unwrap();
    let seen = pfh(["known", "info", "--verify"]).arg(&known).run().unwrap();
    assert_eq!(seen.code, Some(1));
    // The damaged block is met: no verdict, and the run ends.
    let seen = pfh(["match", "-r", "--no-progress", "-k"]).arg(&known).arg(room.path().join("tree")).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}{}", text(&seen), seen.stderr);
    assert!(!text(&seen).contains("known-good"));
}

#[test]
fn sets_with_more_said_of_them() {
    let room = prepared();
    let list = room.file(
        "sets.jsonl",
        format!(
            "{{\"file\":{:?},\"class\":\"mine\",\"name\":\"Case 7\",\"version\":\"2\"}}\n",
            room.path().join("os.txt")
        )
        .as_bytes(),
    );
    let out = room.path().join("other");
    let seen = pfh(["known", "build"])
        .arg(&out)
        .arg("--sets")
        .arg(&list)
        .arg("--class")
        .arg(format!("own={}", room.path().join("malware.txt").display()))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(["match", "--no-progress", "-k"]).arg(&out).arg(room.path().join("tree/good")).run().unwrap();
    assert!(text(&seen).contains("[Case 7 2: mine]"), "{}", text(&seen));
    room.file("sets.jsonl", b"{\"file\":\"x\",\"class\":\"good\",\"colour\":1}\n");
    let seen = pfh(["known", "build"]).arg(&out).arg("--sets").arg(&list).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    // A list with a line that is none still builds, and says so.
    let seen = pfh(["known", "build"])
        .arg(&out)
        .arg("--bad")
        .arg(room.file("half", b"rubbish\n900150983cd24fb0d6963f7d28e17f72\n"))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(3));
    assert!(seen.stderr.contains("half:1: "), "{}", seen.stderr);
}

/// A delta changes what is known, and neither the edition nor anything else.
#[test]
fn deltas_of_nsrl() {
    let room = Room::new();
    let base = room.path().join("rds.db");
    let connection = rusqlite::Connection::open(&base).unwrap();
    let sql = "CREATE TABLE FILE (sha256 TEXT, sha1 TEXT, md5 TEXT); CREATE TABLE VERSION (version TEXT);
        INSERT INTO VERSION VALUES ('2026.03.1');";
    connection.execute_batch(sql).unwrap();
    let insert = |name: &str| format!("INSERT INTO FILE(sha256) VALUES('{}');\n", program::sha256(name.as_bytes()));
    connection.execute_batch(&(insert("old") + &insert("stays"))).unwrap();
    connection.close().unwrap();
    let before = fs::read(&base).unwrap();
    let gone = format!("DELETE FROM FILE WHERE sha256='{}';\n", program::sha256(b"old"));
    let delta = insert("new") + &gone + "UPDATE VERSION SET version='2026.06.1';\n";
    let delta = room.file("delta.sql", delta.as_bytes());
    let out = room.path().join("known");
    let build = |arguments: &[&Path]| {
        pfh(["known", "build", "--no-progress"]).arg(&out).args(arguments.iter().copied()).run().unwrap()
    };
    let [good, bad, with, sets] = ["--good", "--bad", "--delta", "--sets"].map(Path::new);
    let verdicts = || -> Vec<bool> {
        let input: String = ["old", "stays", "new"].map(|name| program::sha256(name.as_bytes()) + "\n").concat();
        let seen = pfh(["lookup", "-k"]).arg(&out).input(input).run().unwrap();
        text(&seen).lines().map(|line| line.starts_with("known-good") && line.contains("2026.06.1")).collect()
    };
    let seen = build(&[good, &base, with, &delta]);
    assert_eq!((seen.code, verdicts()), (Some(0), vec![false, true, true]), "{}", seen.stderr);
    // Twice the same: the second time nothing is deleted.
    let seen = build(&[good, &base, with, &delta, with, &delta]);
    assert_eq!((seen.code, seen.stderr.contains("delta.sql:2: changes nothing")), (Some(3), true), "{}", seen.stderr);
    let described = format!("{{\"file\":{base:?},\"class\":\"good\",\"deltas\":[{delta:?}]}}\n");
    let list = room.file("sets", described.as_bytes());
    assert_eq!((build(&[sets, &list]).code, verdicts()), (Some(0), vec![false, true, true]));
    assert_eq!(fs::read(&base).unwrap(), before);
    // Which of two databases, or of none?
    assert_eq!(build(&[good, &base, bad, &base, with, &delta]).code, Some(2));
    assert_eq!(build(&[good, &list, with, &delta]).code, Some(2));
    let hostile = room.file("hostile.sql", format!("ATTACH '{}' AS x;", room.path().join("x").display()).as_bytes());
    let seen = build(&[good, &base, with, &hostile]);
    assert_eq!((seen.code, seen.stderr.contains("hostile.sql: line 1: ")), (Some(4), true), "{}", seen.stderr);
    assert!(!room.path().join("x").exists());
}

#[test]
fn the_same_files_as_md5deep() {
    if lacks(&[Need::Program("md5deep")]) {
        return;
    }
    let room = Room::new();
    let mut list = String::new();
    for n in 0..40 {
        let content = format!("content {}", n % 23);
        room.file(format!("tree/{}/{n}", n % 3), content.as_bytes());
        if n % 4 == 0 {
            list += &format!("{}  name\n", program::digest_by("md5sum", content.as_bytes()));
        }
    }
    let list = room.file("list", list.as_bytes());
    let tree = room.path().join("tree");
    for (flag, only) in [("-m", "known"), ("-x", "unknown")] {
        let deep = Command::new("md5deep").args(["-r", "-l", flag]).arg(&list).arg(&tree).output().unwrap();
        let mut theirs: Vec<String> = String::from_utf8(deep.stdout).unwrap().lines().map(str::to_owned).collect();
        theirs.sort();
        let seen = pfh(["match", "-r", "-f", "jsonl", "--no-progress", "--only", only, "-k"])
            .arg(&list)
            .arg(&tree)
            .run()
            .unwrap();
        let mut ours: Vec<String> = seen
            .lines()
            .iter()
            .map(|line| serde_json::from_slice::<Value>(line).unwrap())
            .filter(|line| line["type"] == "match")
            .map(|line| line["path"].as_str().unwrap().to_owned())
            .collect();
        ours.sort();
        assert_eq!(ours, theirs, "{flag}");
        assert!(!ours.is_empty());
    }
}

#[test]
fn the_same_answers_as_hfind() {
    if lacks(&[Need::Program("hfind")]) {
        return;
    }
    let room = Room::new();
    let digests: Vec<String> = (0..60).map(|n| program::digest_by("md5sum", format!("file {n}").as_bytes())).collect();
    let list: String = digests.iter().step_by(2).map(|digest| format!("{digest}  name\n")).collect();
    let list = room.file("list.txt", list.as_bytes());
    let indexed = Command::new("hfind").args(["-i", "md5sum"]).arg(&list).output().unwrap();
    assert!(indexed.status.success());
    let input: String = digests.iter().map(|digest| format!("{digest}\n")).collect();
    // The list, and the index that hfind made of it.
    let index = room.path().join("list.txt-md5.idx");
    for known in [&list, &index] {
        let seen = pfh(["lookup", "-k"]).arg(known).input(input.clone()).run().unwrap();
        let all = text(&seen);
        for (digest, line) in digests.iter().zip(all.lines()) {
            let theirs = Command::new("hfind").arg("-q").arg(&list).arg(digest).output().unwrap();
            let known = String::from_utf8(theirs.stdout).unwrap().trim() == "1";
            assert_eq!(line.starts_with("known "), known, "{line}");
        }
        assert_eq!(all.lines().count(), 60);
    }
}
