//! `pfh check`, beside `sha256sum -c` and `hashdeep -a`; audits whose counts add up; seals.

use crate::program;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

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

#[test]
fn every_format_is_verified_and_a_change_is_seen() {
    for format in ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"] {
        let room = tree();
        let seen =
            pfh(&room, ["hash", "--no-progress", "-r", "-a", "md5,sha256", "-f", format, "--force", "-o", "m", "d"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, ["check", "--no-progress", "m"]);
        assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 7), "{format}: {}", seen.stderr);
        fs::write(room.path().join("d/3"), "changed 3").unwrap();
        fs::remove_file(room.path().join("d/4")).unwrap();
        let seen = pfh(&room, ["check", "--no-progress", "--quiet", "m"]);
        assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "d/3: FAILED\nd/4: FAILED open or read\n"), "{format}");
    }
}

#[test]
fn pieces_are_verified() {
    let room = Room::new();
    room.file("d/long", &[7; 10_000]);
    for format in ["hashdeep", "jsonl", "dfxml"] {
        let seen = pfh(
            &room,
            [
                "hash",
                "--no-progress",
                "-r",
                "-a",
                "md5",
                "--piecewise",
                "4096",
                "-f",
                format,
                "--force",
                "-o",
                "m",
                "d",
            ],
        );
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(pfh(&room, ["check", "--no-progress", "m"]).code, Some(0), "{format}");
        for change in [vec![7; 10_001], vec![7; 9_999], [vec![7; 5000], vec![8; 5000]].concat()] {
            let kept = fs::read(room.path().join("d/long")).unwrap();
            fs::write(room.path().join("d/long"), change).unwrap();
            assert_eq!(pfh(&room, ["check", "--no-progress", "m"]).code, Some(1), "{format}");
            fs::write(room.path().join("d/long"), kept).unwrap();
        }
    }
}

/// GNU's cases of tests/cksum, from their documented behaviour: the option, what the list holds,
/// what happens.
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
fn names_of_every_kind() {
    let room = Room::new();
    for name in ["new\nline", "back\\slash", "  spaces ", "*star", "-", "CR\r"] {
        room.file(format!("d/{name}"), name.as_bytes());
    }
    use std::os::unix::ffi::OsStrExt;
    room.file(Path::new(std::ffi::OsStr::from_bytes(b"d/not\xffutf8")), b"bytes");
    for format in ["sums", "bsd", "dfxml", "jsonl", "csv"] {
        let seen = pfh(&room, ["hash", "--no-progress", "-r", "-f", format, "--force", "-o", "m", "d"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = pfh(&room, ["check", "--no-progress", "m"]);
        assert_eq!(
            (seen.code, text(&seen).matches(": OK").count()),
            (Some(0), 7),
            "{format}: {}{}",
            text(&seen),
            seen.stderr
        );
    }
    let seen = pfh(&room, ["hash", "--no-progress", "-r", "-z", "--force", "-o", "m", "d"]);
    assert_eq!(seen.code, Some(0));
    assert_eq!(pfh(&room, ["check", "--no-progress", "-z", "m"]).code, Some(0));
}

#[test]
fn names_do_not_lead_out() {
    let room = tree();
    room.file("secret", b"secret");
    symlink("../secret", room.path().join("d/link")).unwrap();
    let absolute = room.path().join("secret");
    let list: String = ["../secret", "link", absolute.to_str().unwrap()]
        .map(|name| format!("{}  {name}\n", program::sha256(b"secret")))
        .concat();
    room.file("list", list.as_bytes());
    let seen = pfh(&room, ["check", "--no-progress", "list", "d"]);
    assert_eq!((seen.code, text(&seen).matches("FAILED open or read").count()), (Some(3), 3), "{}", text(&seen));
    assert_eq!(seen.stderr.matches("--allow-outside").count(), 3, "{}", seen.stderr);
    let seen = pfh(&room, ["check", "--no-progress", "--allow-outside", "list", "d"]);
    assert_eq!((seen.code, text(&seen).matches(": OK").count()), (Some(0), 3), "{}", seen.stderr);
}

/// Each file's class, and where it came from.
type Classes = BTreeMap<String, (String, Option<String>)>;

fn audit(room: &Room, more: &[&str]) -> (Option<i32>, Classes, Value) {
    let arguments: Vec<&str> = [&["check", "--no-progress", "--audit", "--all", "-f", "jsonl", "m"], more].concat();
    let seen = pfh(room, &arguments);
    let mut lines: Vec<Value> = seen.lines().iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
    let summary = lines.pop().unwrap_or_else(|| panic!("{}", seen.stderr));
    let classes = lines
        .iter()
        .map(|line| {
            let from = line["from"].as_str().map(str::to_owned);
            (line["path"].as_str().unwrap().to_owned(), (line["class"].as_str().unwrap().to_owned(), from))
        })
        .collect();
    (seen.code, classes, summary)
}

#[test]
fn every_change_has_its_class() {
    let room = tree();
    let d = room.path().join("d");
    room.file("d/twin", b"content 0");
    assert_eq!(pfh(&room, ["hash", "--no-progress", "-r", "-f", "jsonl", "--force", "-o", "m", "d"]).code, Some(0));
    let (code, classes, summary) = audit(&room, &[]);
    assert_eq!((code, classes.len(), summary["passed"].as_bool()), (Some(0), 8, Some(true)), "{classes:?}");
    fs::write(d.join("1"), "another").unwrap();
    fs::rename(d.join("2"), d.join("sub/renamed")).unwrap();
    fs::copy(d.join("3"), d.join("copy")).unwrap();
    fs::remove_file(d.join("4")).unwrap();
    fs::write(d.join("new"), "new").unwrap();
    assert!(Command::new("touch").args(["-d", "2001-01-01"]).arg(d.join("5")).status().unwrap().success());
    fs::remove_file(d.join("sub/deep")).unwrap();
    symlink("/etc/passwd", d.join("sub/deep")).unwrap();
    let (code, classes, summary) = audit(&room, &[]);
    assert_eq!(code, Some(1));
    let expected = [
        ("d/0", "matched", None),
        ("d/1", "modified", None),
        ("d/sub/renamed", "moved", Some("d/2")),
        ("d/3", "matched", None),
        ("d/copy", "copied", Some("d/3")),
        ("d/4", "missing", None),
        ("d/new", "new", None),
        ("d/5", "metadata-only", None),
        ("d/sub/deep", "error", None),
        ("d/twin", "matched", None),
    ];
    let expected: Classes = expected
        .into_iter()
        .map(|(name, class, from)| (name.to_owned(), (class.to_owned(), from.map(str::to_owned))))
        .collect();
    assert_eq!(classes, expected);
    let count = |class: &str| summary[class].as_u64().unwrap();
    let own = count("matched") + count("metadata-only") + count("modified") + count("bit-rot");
    assert_eq!(count("examined"), own + count("moved") + count("copied") + count("new") + count("error"));
    assert_eq!(count("expected"), own + count("moved") + count("missing") + count("unverified"));
    // A part of the tree; at the rest of the manifest nobody looked.
    let (_, classes, _) = audit(&room, &["--below", "d/sub"]);
    assert_eq!(classes.values().filter(|(class, _)| class == "unverified").count(), 6, "{classes:?}");
    assert_eq!(classes.values().filter(|(class, _)| class == "missing").count(), 0, "{classes:?}");
}

#[test]
fn content_that_changed_without_a_write_is_bit_rot() {
    let room = tree();
    assert_eq!(pfh(&room, ["hash", "--no-progress", "-r", "-f", "jsonl", "--force", "-o", "m", "d"]).code, Some(0));
    // Nobody can change a file and keep its ctime: the manifest is made to say that the content was
    // another.
    let manifest = fs::read_to_string(room.path().join("m")).unwrap();
    let rotten = manifest.replace(&program::sha256(b"content 2"), &program::sha256(b"content X"));
    fs::write(room.path().join("m"), rotten).unwrap();
    let (code, classes, _) = audit(&room, &[]);
    assert_eq!((code, classes["d/2"].0.as_str()), (Some(1), "bit-rot"));
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

#[test]
fn seals() {
    let room = tree();
    // The public key of RFC 8032 §7.1, test 1.
    room.file("key", crate::program::PRIVATE_KEY.as_bytes());
    room.file("other", b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    for format in ["sums", "jsonl", "dfxml", "hashdeep"] {
        let seen = pfh(
            &room,
            ["hash", "--no-progress", "-r", "--seal", "--key", "key", "-f", format, "--force", "-o", "m", "d"],
        );
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(pfh(&room, ["check", "--no-progress", "--key", "key", "m"]).code, Some(0), "{format}");
        assert_eq!(pfh(&room, ["check", "--no-progress", "--key", "other", "m"]).code, Some(1), "{format}");
        assert_eq!(pfh(&room, ["check", "--no-progress", "--audit", "m"]).code, Some(1), "key and other are new");
        // One record less, one more, one digit changed: nothing is checked any more.
        let whole = fs::read_to_string(room.path().join("m")).unwrap();
        let digest = program::sha256(b"content 0");
        for changed in [whole.replace("d/5", "d/6"), whole.replace(&digest[..8], "00000000")] {
            assert_ne!(changed, whole);
            fs::write(room.path().join("m"), changed).unwrap();
            let seen = pfh(&room, ["check", "--no-progress", "m"]);
            assert_eq!((seen.code, text(&seen).as_str()), (Some(1), ""), "{format}: {}", seen.stderr);
            assert!(seen.stderr.contains("not those that were sealed"), "{}", seen.stderr);
        }
        fs::write(room.path().join("m"), whole).unwrap();
        fs::remove_file(room.path().join("m.seal")).unwrap();
        assert_eq!(pfh(&room, ["check", "--no-progress", "m"]).code, Some(0));
        assert_eq!(pfh(&room, ["check", "--no-progress", "--key", "key", "m"]).code, Some(3), "no seal");
    }
    assert_eq!(pfh(&room, ["hash", "--no-progress", "-r", "--seal", "d"]).code, Some(2), "a seal needs a file");
}

/// A seal without a signature differs from nothing; one of another key, or of other records, does.
#[test]
fn an_unsigned_seal_is_not_signed_by_the_key() {
    let room = tree();
    room.file("key", b"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
    assert_eq!(pfh(&room, "hash --no-progress -r --seal -o m d".split(" ")).code, Some(0));
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

#[test]
fn what_is_no_file_is_said_to_be_none() {
    let room = tree();
    let empty = "d41d8cd98f00b204e9800998ecf8427e";
    room.file("m", format!("{empty}  d\n{empty}  d/none\n").as_bytes());
    let seen = pfh(&room, ["check", "--no-progress", "m"]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("pfh: d: open: is a directory, not a file"), "{}", seen.stderr);
    assert!(seen.stderr.contains("pfh: d/none: open: No such file or directory"), "{}", seen.stderr);
}
