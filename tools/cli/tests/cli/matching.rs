//! `pfh known`, `pfh match` and `pfh lookup`, as they are typed.

use crate::program;
use std::fs;
use std::path::Path;

use crate::program::Room;
use pfh_inject::{Outcome, Trial};
use serde_json::Value;

fn pfh<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments)
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
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
    // Without a digest nothing is known.
    for nothing in ["", "\n\n"] {
        let empty = pfh(["lookup", "-k"]).arg(&known).input(nothing).run().unwrap();
        assert_eq!((empty.code, empty.stdout.len()), (Some(3), 0));
        assert!(empty.stderr.contains("standard input holds no digest"), "{}", empty.stderr);
    }
    let first: Value = serde_json::from_slice(seen.lines()[0]).unwrap();
    assert_eq!((first["verdict"].as_str(), first["sets"][0]["set"].as_str()), (Some("known-bad"), Some("malware")));
}

/// A delta changes the known digests, and neither the edition nor anything else.
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

/// Only the verdicts that are asked for are written, in every form; the exit is theirs.
#[test]
fn verdicts_are_written_as_asked() {
    let room = prepared();
    let run = |words: &str| {
        let words = words.split(' ').chain(["--no-progress", "-k", "known"]);
        pfh(["match"]).args(words).directory(room.path()).run().unwrap()
    };
    let seen = run("-r tree --only good --empty-counts --fail-on none");
    assert_eq!(seen.code, Some(2), "none is not a verdict: {}", seen.stderr);
    let seen = pfh(["match", "-r", "tree", "--only", "good", "--empty-counts", "--fail-on", "", "-k", "known"]);
    let seen = seen.directory(room.path()).run().unwrap();
    assert_eq!((seen.code, seen.lines().len()), (Some(0), 2), "{}", text(&seen));
    for format in ["csv", "dfxml", "text", "jsonl"] {
        let seen = run(&format!("-r tree -f {format}"));
        let bad = text(&seen).matches("known-bad").count();
        assert_eq!((seen.code, bad), (Some(1), if format == "jsonl" { 3 } else { 2 }), "{}", text(&seen));
    }
    let seen = run("tree/bad tree/missing -f jsonl");
    let rows: Vec<Value> = seen.lines().into_iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    assert_eq!((seen.code, &rows[1]["verdict"], rows[2]["error"].as_u64()), (Some(1), &"error".into(), Some(1)));
    assert_eq!(run("tree/good tree/missing").code, Some(3));
    assert_eq!(pfh(["match", "--digest", "1234"]).arg(room.path().join("tree")).run().unwrap().code, Some(2));
    // The content of a set, and the effect of damage on it.
    let info = || pfh(["known", "info", "--verify", "known"]).directory(room.path()).run().unwrap();
    let lines = text(&info());
    for part in ["good       os: 3 records", "sha256: 4", "BLAKE3", "the empty file is in os"] {
        assert!(lines.contains(part), "{part}: {lines}");
    }
    let known = room.path().join("known");
    let mut bytes = fs::read(&known).unwrap();
    bytes[20] ^= 1;
    fs::write(&known, bytes).unwrap();
    assert_eq!(info().code, Some(1));
    let seen = run("-r tree");
    assert!(seen.code == Some(4) && !text(&seen).contains("known-good"), "{}{}", text(&seen), seen.stderr);
}

#[test]
fn the_version_of_a_set_is_printed_and_lists_of_sets_are_refused() {
    let room = prepared();
    let describe = |line: &str| room.file("sets.jsonl", format!("{line}\n").as_bytes());
    describe(r#"{"file":"os.txt","class":"mine","name":"Case 7","version":"2"}"#);
    let run = |words: &str| pfh(words.split(' ')).directory(room.path()).run().unwrap();
    assert_eq!(run("known build other --sets sets.jsonl --class own=malware.txt").code, Some(0));
    assert!(text(&run("match --no-progress -k other tree/good")).contains("[Case 7 2: mine]"));
    describe(r#"{"file":"x","class":"good","colour":1}"#);
    assert_eq!(run("known build other --sets sets.jsonl").code, Some(2));
    room.file("half", b"rubbish\n900150983cd24fb0d6963f7d28e17f72\n");
    let seen = run("known build other --bad half");
    assert!(seen.code == Some(3) && seen.stderr.contains("half:1: "), "{:?} {}", seen.code, seen.stderr);
    assert_eq!(run("known build other --bad half -o more").code, Some(2));
    assert_eq!(run("known build --bad half").code, Some(2));
    assert_eq!(run("known export half out --to wings").code, Some(2));
    assert_eq!(run("lookup --digest 900150983cd24fb0d6963f7d28e17f72").code, Some(2), "nothing to look up in");
    let seen = run("lookup -k half --digest 900150983cd24fb0d6963f7d28e17f72");
    assert!(seen.code == Some(3) && text(&seen).starts_with("known "), "{} {}", text(&seen), seen.stderr);
    let named = run("lookup -k half --digest md5:900150983cd24fb0d6963f7d28e17f72");
    assert_eq!((named.code, text(&named)), (seen.code, text(&seen)));
    assert_eq!(run("lookup -k half --digest sha1:900150983cd24fb0d6963f7d28e17f72").code, Some(2));
}
