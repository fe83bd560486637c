//! `pfh diff`: two states of a tree, each a directory or a list.

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn pfh(room: &Room, words: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(room.path()).run().unwrap()
}

fn out(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn copy(room: &Room) {
    let done = Command::new("cp").args(["-a", "a", "b"]).current_dir(room.path()).status().unwrap();
    assert!(done.success());
}

fn touch(path: &Path, date: &str) {
    assert!(Command::new("touch").args(["-d", date]).arg(path).status().unwrap().success());
}

/// A tree and a copy in which one file of each class is.
fn changed() -> Room {
    let room = Room::new();
    for name in ["same", "changed", "rotten", "d/moved", "copied", "removed", "touched"] {
        touch(&room.file(format!("a/{name}"), format!("content of {name}").as_bytes()), "2020-01-01");
    }
    copy(&room);
    let b = room.path().join("b");
    room.file("b/changed", b"another content, longer");
    room.file("b/rotten", b"content 0f rotten");
    touch(&b.join("rotten"), "2020-01-01");
    fs::rename(b.join("d/moved"), b.join("d/here")).unwrap();
    fs::copy(b.join("copied"), b.join("again")).unwrap();
    fs::remove_file(b.join("removed")).unwrap();
    touch(&b.join("touched"), "2021-01-01");
    room.file("b/added", b"new");
    room
}

/// What every way of comparing the two must find.
const FOUND: &str = "\
added     added
copied    again  (from copied)
changed   changed
moved     d/here  (from d/moved)
removed   removed
bit-rot   rotten  (size and mtime are the same, ctime is not)
";

#[test]
fn directories_and_lists_of_them_differ_alike() {
    let room = changed();
    for (list, of) in [("a.jsonl", "a"), ("b.jsonl", "b")] {
        assert_eq!(pfh(&room, &format!("hash -r {of} -f jsonl -o {list}")).code, Some(0));
    }
    for (a, b) in [("a", "b"), ("a.jsonl", "b"), ("a", "b.jsonl"), ("a.jsonl", "b.jsonl")] {
        let seen = pfh(&room, &format!("diff {a} {b}"));
        assert_eq!((seen.code, &*out(&seen)), (Some(1), FOUND), "{a} {b}: {}", seen.stderr);
        let end = "differ: 1 changed, 1 bit-rot, 1 moved, 1 copied, 1 added, 1 removed; 3 same by sha256";
        assert!(seen.stderr.contains(&format!("{a} and {b} {end}")), "{}", seen.stderr);
        let seen = pfh(&room, &format!("diff {a} {b} --metadata --only metadata,same"));
        assert_eq!((seen.code, &*out(&seen)), (Some(1), "same      copied\nsame      same\nmetadata  touched\n"));
    }
    // The other way round, by name.
    let seen = pfh(&room, "diff b a --only added,moved,removed");
    let rows = "removed   added\nremoved   again\nmoved     d/moved  (from d/here)\nadded     removed\n";
    assert_eq!(out(&seen), rows);
    // A list that has no times: what changed may have been written.
    assert_eq!(pfh(&room, "hash -r a -o a.sums").code, Some(0));
    let seen = pfh(&room, "diff a.sums b --only bit-rot,changed");
    assert_eq!(out(&seen), "changed   changed\nchanged   rotten\n");
}

#[test]
fn a_copy_is_the_same_and_the_answer_names_its_evidence() {
    let room = Room::new();
    room.file("a/one", b"1");
    room.file("a/d/two", b"2");
    symlink("one", room.path().join("a/link")).unwrap();
    copy(&room);
    let seen = pfh(&room, "diff a b");
    assert_eq!((seen.code, &*out(&seen)), (Some(0), ""), "{}", seen.stderr);
    assert!(
        seen.stderr.contains("a and b are the same: 2 files by sha256; 2 links and other things"),
        "{}",
        seen.stderr
    );
    // Slashes at the end, the whole path, and both with other algorithms.
    let whole = format!("diff {}/ ./b -a md5,blake3 --json", room.path().join("a").display());
    let seen = pfh(&room, &whole);
    let summary: Value = serde_json::from_slice(seen.lines().last().unwrap()).unwrap();
    assert_eq!((seen.code, &summary["verdict"], &summary["same"]), (Some(0), &"verified".into(), &2.into()));
    assert_eq!(summary["algorithms"].to_string(), r#"["md5","blake3"]"#);
    // Nothing differs, and nothing was compared.
    for (words, why) in
        [("a ./a", "one and the same"), ("none1 none2", "neither has a file"), ("a/one b", "no list at all")]
    {
        fs::create_dir_all(room.path().join("none1")).unwrap();
        fs::create_dir_all(room.path().join("none2")).unwrap();
        let seen = pfh(&room, &format!("diff {words} --json"));
        assert_eq!(seen.code, Some(3), "{words}: {}", seen.stderr);
        assert!(seen.stderr.contains(why), "{words}: {}", seen.stderr);
        assert!(out(&seen).contains(r#""verdict":"nothing-to-compare-with""#), "{words}");
    }
    assert_eq!(pfh(&room, "diff a nowhere").code, Some(3));
    assert_eq!(pfh(&room, "diff - -").code, Some(2));
    assert_eq!(pfh(&room, "diff a b --only new").code, Some(2));
}

#[test]
fn of_two_lists_no_file_is_read() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = changed();
    assert_eq!(pfh(&room, "hash -r a -o a.list").code, Some(0));
    assert_eq!(pfh(&room, "hash -r b -o b.list").code, Some(0));
    let program = env!("CARGO_BIN_EXE_pfh");
    let seen = Trial::new("strace")
        .args(["-f", "-e", "trace=%file", "-o", "calls", program, "diff", "a.list", "b.list"])
        .directory(room.path())
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    let calls = fs::read_to_string(room.path().join("calls")).unwrap();
    assert!(calls.contains("\"a.list\"") && !calls.contains("\"a/") && !calls.contains("\"b/"), "{calls}");
    // A list says so although the trees are gone.
    fs::remove_dir_all(room.path().join("a")).unwrap();
    fs::remove_dir_all(room.path().join("b")).unwrap();
    assert_eq!(out(&pfh(&room, "diff a.list b.list")), out(&seen));
}

#[test]
fn the_base_is_found_whatever_the_lists_call_it() {
    let room = changed();
    let whole = room.path().join("a");
    let lists = [
        ("whole", format!("hash -r {} -f jsonl -o whole", whole.display())),
        ("relative", "hash -r ./a -f hashdeep -o relative".into()),
        ("dfxml", "hash -r a -f dfxml -o dfxml".into()),
        ("above", "hash -r . --exclude b --exclude whole --exclude relative --exclude dfxml -f csv -o above".into()),
    ];
    for (list, words) in &lists {
        assert_eq!(pfh(&room, words).code, Some(0), "{list}");
    }
    for (list, _) in lists {
        let seen = pfh(&room, &format!("diff {list} b"));
        let rows: Vec<String> =
            out(&seen).lines().map(|line| line.split("  (size").next().unwrap().to_owned()).collect();
        assert!(rows.len() == 6 && rows.contains(&"moved     d/here  (from d/moved)".into()), "{list}: {rows:?}");
        if list == "whole" {
            assert!(seen.stderr.contains(&format!("without {}/ in front", whole.display())), "{}", seen.stderr);
        }
        for (a, b) in [(list, "a"), ("a", list), ("relative", list), (list, "relative")] {
            let seen = pfh(&room, &format!("diff {a} {b}"));
            let code = if a == b { 3 } else { 0 };
            assert_eq!((seen.code, &*out(&seen)), (Some(code), ""), "{a} {b}: {}", seen.stderr);
        }
    }
    // A list of more than the other: what is outside of the base has its own name.
    let seen = Command::new("sh").arg("-c").arg("sha256sum b/*  b/d/* 2>/dev/null; sha256sum a.list 2>/dev/null; echo 0000000000000000000000000000000000000000000000000000000000000000 ' elsewhere/same'").current_dir(room.path()).output().unwrap();
    room.file("more", &seen.stdout);
    let seen = pfh(&room, "diff relative more --only added");
    assert_eq!(out(&seen), "added     added\nadded     elsewhere/same\n", "{}", seen.stderr);
}

#[test]
fn lists_without_names_of_algorithms_and_with_others() {
    let room = Room::new();
    room.file("d/one", &random(1, 5000));
    room.file("d/two", &random(2, 5000));
    for (name, options) in
        [("b3", "-a blake3"), ("s2", "-a sha256 -f bsd"), ("both", "-a md5,blake3 -f jsonl"), ("md5", "-a md5")]
    {
        assert_eq!(pfh(&room, &format!("hash -r d {options} -o {name}")).code, Some(0));
    }
    // A line of 64 digits may be of many algorithms: the other side tells.
    for (a, b) in [("b3", "both"), ("both", "b3"), ("b3", "d"), ("d", "b3"), ("md5", "both"), ("both", "md5")] {
        let seen = pfh(&room, &format!("diff {a} {b}"));
        assert_eq!(seen.code, Some(0), "{a} {b}: {} {}", out(&seen), seen.stderr);
    }
    // Nothing in common is not a verdict.
    let seen = pfh(&room, "diff s2 md5");
    assert_eq!(seen.code, Some(3), "{} {}", out(&seen), seen.stderr);
    assert!(out(&seen).contains("error     d/one  (no digest of one algorithm on both sides)"), "{}", out(&seen));
    // What was not understood is named, and in the exit code.
    room.file("torn", [&fs::read(room.path().join("md5")).unwrap()[..], b"rubbish\n"].concat().as_slice());
    let seen = pfh(&room, "diff torn md5");
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(
        seen.stderr.contains("torn:3: ") && seen.stderr.contains("1 line is improperly formatted"),
        "{}",
        seen.stderr
    );
    let list = fs::read(room.path().join("md5")).unwrap();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["diff", "-", "d"]).directory(room.path()).input(list).run();
    assert_eq!(seen.unwrap().code, Some(0));
}

#[test]
fn what_cannot_be_read_is_an_error_and_no_difference() {
    let room = Room::new();
    for name in ["kept", "shut/in", "link", "link2"] {
        room.file(format!("a/{name}"), name.as_bytes());
    }
    copy(&room);
    room.file("b/shut/new", b"new");
    for side in ["a/link2", "b/link"] {
        let path = room.path().join(side);
        fs::remove_file(&path).unwrap();
        symlink("kept", path).unwrap();
    }
    let shut = room.path().join("a/shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read_dir(&shut).is_ok() {
        // Root reads it all the same: a loop of links that are followed cannot be read by anybody.
        fs::remove_dir_all(&shut).unwrap();
        symlink("shut", &shut).unwrap();
    }
    let seen = pfh(&room, "diff a b");
    let text = out(&seen);
    assert_eq!(seen.code, Some(3), "{text}{}", seen.stderr);
    assert!(text.contains("error     link  (is a symbolic link now)"), "{text}");
    assert!(text.contains("error     link2  (is a symbolic link in A)"), "{text}");
    // Nobody knows what was below it.
    assert!(text.contains("error     shut/in") && text.contains("error     shut/new"), "{text}");
    assert!(!text.contains("added") && !text.contains("removed"), "{text}");
    let seen = pfh(&room, "diff b a");
    assert!(out(&seen).contains("error     shut/in"), "{}", out(&seen));
    assert!(!out(&seen).contains("removed"), "{}", out(&seen));
}

#[test]
fn a_cache_makes_it_quick_and_names_are_bytes() {
    let room = changed();
    room.file("a/x\ny", b"odd");
    std::thread::sleep(Duration::from_millis(2500));
    let first = pfh(&room, "diff a b --cache kept");
    let again = pfh(&room, "diff a b --cache kept");
    assert!(again.stderr.contains("; 16 files were not read again"), "{}", again.stderr);
    assert_eq!(out(&first), out(&again));
    assert_eq!(out(&pfh(&room, "diff a b -z --only removed")), "removed\0x\ny\0");
    assert!(out(&pfh(&room, "diff a b --only removed")).contains("removed   x\\ny\n"));
    assert_eq!(out(&pfh(&room, "diff a b --quiet")), "");
    // Not what is compared, and not somebody's file.
    fs::write(room.path().join("precious"), "precious").unwrap();
    for cache in ["precious", "a/same"] {
        let seen = pfh(&room, &format!("diff a b --cache {cache}"));
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    }
    // Its own cache in a tree is not a difference, nor is a list of the tree in it.
    copy_of(&room, "a", "c");
    assert_eq!(pfh(&room, "diff a c --cache a/kept").code, Some(0));
    assert_eq!(pfh(&room, "diff a c --cache a/kept").code, Some(0));
    fs::remove_file(room.path().join("a/kept")).unwrap();
    assert_eq!(pfh(&room, "hash -r c -o c/list").code, Some(0));
    let seen = pfh(&room, "diff c/list c");
    assert_eq!(seen.code, Some(0), "{}{}", out(&seen), seen.stderr);
}

fn copy_of(room: &Room, from: &str, to: &str) {
    assert!(Command::new("cp").args(["-a", from, to]).current_dir(room.path()).status().unwrap().success());
}
