//! `pfh check`, beside `sha256sum -c` and `hashdeep -a`; its output.

use crate::program;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};

fn pfh<S: AsRef<std::ffi::OsStr>>(room: &Room, arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn run(directory: &Path, program: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(program).args(arguments).current_dir(directory).env("LC_ALL", "C").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A tree `d` of some files.
fn tree() -> Room {
    let room = Room::new();
    for n in 0..6 {
        room.file(format!("d/{n}"), format!("content {n}").as_bytes());
    }
    room.file("d/sub/deep", b"deep");
    room
}

/// GNU's cases of tests/cksum, from their documented behaviour: the option, the list, the result.
#[cfg(unix)]
#[test]
fn the_same_as_sha256sum() {
    let room = tree();
    let good: String =
        (0..6).map(|n| format!("{}  d/{n}\n", program::sha256(format!("content {n}").as_bytes()))).collect();
    let wrong = format!("{}  d/0\n", program::sha256(b"other"));
    let missing = format!("{}  d/none\n", program::sha256(b"none"));
    let lists: BTreeMap<&str, String> = [
        ("good", good.clone()),
        ("wrong", good.clone() + &wrong),
        ("missing", good.clone() + &missing),
        ("only missing", missing.clone()),
        ("rubbish between", format!("{good}rubbish\n")),
        ("only rubbish", "rubbish\n".to_owned()),
        ("short digest", format!("{good}0123456789  d/0\n")),
        ("comment", format!("# a comment\n{good}")),
        ("binary", good.replace("  ", " *")),
        (
            "tagged",
            (0..6)
                .map(|n| format!("SHA256 (d/{n}) = {}\n", program::sha256(format!("content {n}").as_bytes())))
                .collect(),
        ),
        ("capitals", good.lines().map(|line| line[..64].to_uppercase() + &line[64..] + "\n").collect()),
        ("CRLF", good.replace('\n', "\r\n")),
        ("empty", String::new()),
    ]
    .into();
    for (what, list) in &lists {
        room.file("list", list.as_bytes());
        for options in
            [&[][..], &["--quiet"], &["--status"], &["--strict"], &["--ignore-missing"], &["--warn", "--quiet"]]
        {
            let theirs = run(room.path(), "sha256sum", &[&["-c"], options, &["list"]].concat());
            // A line that is not a record is only reported there; here that takes an option.
            let lenient = if options.contains(&"--strict") { &[][..] } else { &["--lenient"] };
            let arguments: Vec<&str> = [&["check", "--no-progress"], options, lenient, &["list"]].concat();
            let ours = pfh(&room, &arguments);
            let sorted = |text: &str| -> Vec<String> {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            // A file that two lines name is one file here: reported once, and wrong where either
            // is.
            if *what != "wrong" {
                assert_eq!(sorted(&text(&ours)), sorted(&theirs.1), "{what} {options:?}");
            }
            let nothing = ours.stderr.contains("nothing to compare with") || matches!(*what, "only rubbish" | "empty");
            // Nothing to compare with is not a negative verdict.
            let nothing = nothing || (*what == "only missing" && options.contains(&"--ignore-missing"));
            let rubbish = *what == "only rubbish" && options.contains(&"--strict");
            let expected = if nothing && !rubbish { Some(3) } else { theirs.0 };
            assert_eq!(ours.code, expected, "{what} {options:?}: {} against {}", ours.stderr, theirs.2);
            if theirs.0 == Some(0) && theirs.2.contains("improperly") {
                let strict = pfh(&room, [&["check", "--no-progress"], options, &["list"]].concat());
                assert_eq!(strict.code, Some(3), "{what} {options:?}");
            }
            if options.contains(&"--status") && *what != "only rubbish" && *what != "empty" {
                assert!(!ours.stderr.contains("WARNING"), "{what}: {}", ours.stderr);
            }
        }
    }
}

#[test]
fn the_same_audit_as_hashdeep() {
    if lacks(&[Need::Program("hashdeep")]) {
        return;
    }
    let room = tree();
    let d = room.path().join("d");
    let (code, manifest, _) = run(room.path(), "hashdeep", &["-l", "-r", "d"]);
    assert_eq!(code, Some(0));
    room.file("m", manifest.as_bytes());
    let both = |what: &str| {
        let (code, theirs, _) = run(room.path(), "hashdeep", &["-l", "-r", "-a", "-vv", "-k", "m", "d"]);
        let seen = pfh(&room, ["check", "--no-progress", "--audit", "-f", "hashdeep", "--below", "d", "m"]);
        // Its two first counters are never filled.
        let comparable = |text: &str| -> Vec<String> {
            let mut lines: Vec<String> = text.lines().map(|line| line.trim().to_owned()).collect();
            lines
                .retain(|line| !line.starts_with("Input files examined") && !line.starts_with("Known files expecting"));
            lines.sort();
            lines
        };
        assert_eq!(comparable(&text(&seen)), comparable(&theirs), "{what}");
        assert_eq!(seen.code, code, "{what}");
    };
    both("nothing changed");
    fs::rename(d.join("2"), d.join("renamed")).unwrap();
    fs::write(d.join("new"), "new").unwrap();
    fs::remove_file(d.join("4")).unwrap();
    both("moved, new, missing");
    fs::write(d.join("1"), "another").unwrap();
    both("modified");
}

/// A seal without a signature differs from nothing; one of another key, or of other records, does.
#[cfg(unix)]
#[test]
fn an_unsigned_seal_is_not_signed_by_the_key() {
    let room = tree();
    room.file("key", b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    assert_eq!(pfh(&room, "hash --no-progress -r --seal -o m d".split(" ")).code, Some(0));
    let seen = pfh(&room, ["check", "--no-progress", "m"]);
    assert!(seen.stderr.contains("m.seal: the seal holds: 7 records, not signed"), "{}", seen.stderr);
    assert!(pfh(&room, ["check", "--no-progress", "--status", "m"]).stderr.is_empty());
    assert_eq!(pfh(&room, ["hash", "--no-progress", "-r", "--seal", "d"]).code, Some(2), "a seal needs a file");
    let asked =
        [("check --no-progress --key key m", ""), ("report m m.seal --html page --key key --force", "m.seal: ")];
    for (words, name) in asked {
        let seen = pfh(&room, words.split(" "));
        let is_said = seen.stderr.contains(name) && seen.stderr.contains("the seal is not signed by this key");
        assert!(seen.code == Some(3) && is_said, "{words}: {:?} {}", seen.code, seen.stderr);
        assert!(!seen.stderr.contains("HOLD"), "{words}: {}", seen.stderr);
    }
    let whole = fs::read_to_string(room.path().join("m")).unwrap();
    fs::write(room.path().join("m"), whole.replace("d/5", "d/6")).unwrap();
    for (words, _) in asked {
        assert_eq!(pfh(&room, words.split(" ")).code, Some(1), "{words}: the records are not those");
    }
}

#[cfg(unix)]
#[test]
fn what_is_printed_of_each_file() {
    let room = tree();
    assert_eq!(pfh(&room, ["hash", "--no-progress", "-r", "-o", "m", "d"]).code, Some(0));
    let seen = pfh(&room, ["check", "--no-progress", "m"]);
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 7), "{}", seen.stderr);
    fs::write(room.path().join("d/3"), "changed 3").unwrap();
    fs::remove_file(room.path().join("d/4")).unwrap();
    let seen = pfh(&room, ["check", "--no-progress", "--quiet", "m"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "d/3: FAILED\nd/4: FAILED open or read\n"));
    room.file("list", format!("{}  ../secret\n", program::sha256(b"secret")).as_bytes());
    room.file("secret", b"secret");
    let seen = pfh(&room, ["check", "--no-progress", "list", "d"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("--allow-outside"), "{}", seen.stderr);
    let seen = pfh(&room, ["check", "--no-progress", "--allow-outside", "list", "d"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(0), "../secret: OK\n"), "{}", seen.stderr);
    let list = pfh(&room, ["hash", "--no-progress", "-z", "d/1", "d/2"]).stdout;
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["check", "--no-progress", "-z", "-"]);
    assert_eq!(trial.directory(room.path()).input(list).run().unwrap().code, Some(0));
    let empty = "d41d8cd98f00b204e9800998ecf8427e";
    room.file("m2", format!("{empty}  d\n{empty}  d/none\n").as_bytes());
    let seen = pfh(&room, ["check", "--no-progress", "m2"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("pfh: d: open: is a directory, not a file"), "{}", seen.stderr);
    assert!(seen.stderr.contains("pfh: d/none: open: No such file or directory"), "{}", seen.stderr);
    room.file("MD5SUMS", b"00000000000000000000000000000000  d/1\n");
    let xxh = text(&pfh(&room, ["hash", "-a", "xxh3-128", "-f", "bsd", "d/1"]));
    let value = xxh.trim().rsplit(' ').next().unwrap();
    room.file("MD5SUMS", format!("{value}  d/1\n").as_bytes());
    let seen = pfh(&room, ["check", "MD5SUMS"]);
    assert!(seen.code == Some(1) && seen.stderr.contains("-a xxh3-128"), "{}", seen.stderr);
}
