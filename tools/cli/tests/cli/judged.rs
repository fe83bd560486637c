//! One judge: the same facts have the same verdict, exit code and JSON in every command that
//! compares files with a list.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::Trial;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// SHA-256 of a file, by the library that the program does not use for it.
fn sha256(path: &Path) -> String {
    let out = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    assert!(out.status.success(), "sha256sum is a part of coreutils");
    String::from_utf8_lossy(&out.stdout)[..64].to_owned()
}

/// A fact, and the exit code that it has in every command.
struct Fact {
    name: &'static str,
    exit: i32,
    /// Makes the tree `t` and the list `l` of it from a tree of the files `a`, `b` and `d/c`.
    make: fn(&Path),
}

fn line(room: &Path, name: &str) -> String {
    format!("{}  {name}\n", sha256(&room.join("t").join(name)))
}

fn list(room: &Path, lines: &[String]) {
    fs::write(room.join("l"), lines.concat()).unwrap();
}

fn all(room: &Path) -> Vec<String> {
    ["a", "b", "d/c"].iter().map(|name| line(room, name)).collect()
}

/// The list in this program's own format, with sizes and times.
fn own(room: &Path) {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "-r", "-f", "jsonl", "-o", "../l", "."]);
    let seen = trial.directory(room.join("t")).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

const FACTS: &[Fact] = &[
    Fact { name: "equal", exit: 0, make: |room| list(room, &all(room)) },
    Fact {
        name: "equal, with times of another second",
        exit: 0,
        make: |room| {
            own(room);
            let file = fs::File::options().write(true).open(room.join("t/a")).unwrap();
            file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(77)).unwrap();
        },
    },
    Fact {
        name: "changed",
        exit: 1,
        make: |room| {
            list(room, &all(room));
            fs::write(room.join("t/a"), "another").unwrap();
        },
    },
    Fact {
        name: "changed under its size and time",
        exit: 1,
        make: |room| {
            own(room);
            let path = room.join("t/a");
            let time = fs::metadata(&path).unwrap().modified().unwrap();
            fs::write(&path, "file A").unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        },
    },
    Fact {
        name: "renamed",
        exit: 1,
        make: |room| {
            list(room, &all(room));
            fs::rename(room.join("t/a"), room.join("t/z")).unwrap();
        },
    },
    Fact {
        name: "swapped",
        exit: 1,
        make: |room| {
            list(room, &all(room));
            fs::rename(room.join("t/a"), room.join("t/x")).unwrap();
            fs::rename(room.join("t/b"), room.join("t/a")).unwrap();
            fs::rename(room.join("t/x"), room.join("t/b")).unwrap();
        },
    },
    Fact {
        name: "missing",
        exit: 1,
        make: |room| {
            list(room, &all(room));
            fs::remove_file(room.join("t/a")).unwrap();
        },
    },
    Fact {
        name: "a directory in its place",
        exit: 3,
        make: |room| {
            list(room, &all(room));
            fs::remove_file(room.join("t/a")).unwrap();
            fs::create_dir(room.join("t/a")).unwrap();
        },
    },
    Fact {
        name: "a directory that is listed",
        exit: 3,
        make: |room| list(room, &[all(room), vec![format!("{}  d\n", "0".repeat(64))]].concat()),
    },
    Fact {
        name: "a link to a file of the tree",
        exit: 0,
        make: |room| {
            symlink("a", room.join("t/link")).unwrap();
            list(room, &[all(room), vec![line(room, "link")]].concat());
        },
    },
    Fact { name: "listed twice alike", exit: 0, make: |room| list(room, &[all(room), vec![line(room, "a")]].concat()) },
    Fact {
        name: "listed twice otherwise",
        exit: 1,
        make: |room| list(room, &[all(room), vec![format!("{}  a\n", "0".repeat(64))]].concat()),
    },
    Fact {
        name: "listed first otherwise",
        exit: 1,
        make: |room| list(room, &[vec![format!("{}  a\n", "0".repeat(64))], all(room)].concat()),
    },
    Fact {
        name: "spelt in several ways",
        exit: 0,
        make: |room| {
            let digest = sha256(&room.join("t/d/c"));
            let spelt = ["./d/c", "d//c", "d/../d/c", "d/./c"].map(|name| format!("{digest}  {name}\n"));
            list(room, &[all(room), spelt.to_vec()].concat());
        },
    },
    Fact {
        name: "in other case",
        exit: 3,
        make: |room| {
            list(room, &all(room));
            fs::rename(room.join("t/a"), room.join("t/A")).unwrap();
        },
    },
    Fact {
        name: "in another normal form",
        exit: 3,
        make: |room| {
            fs::write(room.join("t/o\u{308}"), "x").unwrap();
            let digest = sha256(&room.join("t/o\u{308}"));
            list(room, &[all(room), vec![format!("{digest}  \u{f6}\n")]].concat());
        },
    },
    Fact {
        name: "with a blank behind the name",
        exit: 3,
        make: |room| {
            let lines: Vec<String> = all(room).iter().map(|line| line.replace("  a\n", "  a \n")).collect();
            list(room, &lines);
        },
    },
    Fact {
        name: "an unknown algorithm beside",
        exit: 3,
        make: |room| list(room, &[all(room), vec!["FOO (a) = 12ab\n".to_owned()]].concat()),
    },
    Fact {
        name: "another algorithm of that length",
        exit: 0,
        make: |room| {
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "-a", "blake3", "a"]);
            let seen = trial.directory(room.join("t")).run().unwrap();
            let lines = [vec![String::from_utf8(seen.stdout).unwrap()], all(room)[1..].to_vec()];
            list(room, &lines.concat());
        },
    },
    Fact {
        name: "a line that is no record",
        exit: 3,
        make: |room| list(room, &[all(room), vec!["neither\n".to_owned()]].concat()),
    },
    Fact {
        name: "cut",
        exit: 3,
        make: |room| {
            own(room);
            let text = fs::read_to_string(room.join("l")).unwrap();
            let end = text.trim_end().rfind('\n').unwrap();
            fs::write(room.join("l"), &text[..=end]).unwrap();
        },
    },
    Fact {
        name: "an error beside a good record",
        exit: 3,
        make: |room| {
            own(room);
            let text = fs::read_to_string(room.join("l")).unwrap();
            let error = r#"{"type":"error","path":"./a","stage":"read","code":"EIO","error":"input/output error"}"#;
            // Two lists joined: of a night with an error, and of the next.
            let bad = format!("{error}\n{{\"type\":\"summary\",\"files\":0,\"bytes\":0,\"errors\":1,\"skipped\":0}}\n");
            fs::write(room.join("l"), bad + &text).unwrap();
        },
    },
    Fact { name: "nothing", exit: 3, make: |room| list(room, &[]) },
];

/// Every command that compares files with a list.
const COMMANDS: &[(&str, &[&str])] = &[
    ("check", &["check", "l", "t"]),
    ("share", &["check", "--share", "1/1", "l", "t"]),
    ("for", &["check", "--for", "1h", "l", "t"]),
    ("audit", &["check", "--audit", "l", "t"]),
    ("diff of the list and the tree", &["diff", "l", "t"]),
    ("diff of the tree and the list", &["diff", "t", "l"]),
];

#[test]
fn the_same_facts_have_the_same_verdict_in_every_command() {
    let mut wrong = Vec::new();
    for fact in FACTS {
        for (command, arguments) in COMMANDS {
            let room = Room::new();
            room.file("t/a", b"file a");
            room.file("t/b", b"file b");
            room.file("t/d/c", b"file c");
            (fact.make)(room.path());
            let arguments: Vec<&str> = arguments.iter().copied().chain(["--json", "--no-progress"]).collect();
            let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(&arguments).directory(room.path()).run().unwrap();
            let said = String::from_utf8_lossy(&seen.stdout).into_owned();
            let verdict = said.lines().last().and_then(|line| line.split("\"verdict\":\"").nth(1));
            let verdict = verdict.and_then(|rest| rest.split('"').next()).unwrap_or("none");
            let expected = match fact.exit {
                0 => ["verified", "verified"],
                1 => ["differs", "differs"],
                _ => ["incomplete", "nothing-to-compare-with"],
            };
            if seen.code != Some(fact.exit) || !expected.contains(&verdict) {
                let code = seen.code.unwrap_or(-1);
                wrong.push(format!(
                    "{}, by {command}: exit {code}, {verdict}, not {}\n{said}{}",
                    fact.name, fact.exit, seen.stderr
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_as_found_are_compared() {
    for (list, file) in [("A.TXT", "a.txt"), ("o\u{308}", "\u{f6}"), ("a ", "a"), ("\"a\"", "a"), ("d\\A", "d/a")] {
        let room = Room::new();
        room.file(format!("t/{file}"), b"x");
        let digest = sha256(&room.path().join("t").join(file));
        room.file("l", format!("{digest}  {list}\n").as_bytes());
        for command in
            [&["check", "l", "t"][..], &["check", "--audit", "l", "t"], &["diff", "l", "t"], &["diff", "t", "l"]]
        {
            let run = |more: &[&str]| {
                let arguments = [command, more, &["--no-progress"]].concat();
                Trial::new(env!("CARGO_BIN_EXE_pfh")).args(&arguments).directory(room.path()).run().unwrap()
            };
            let named = run(&[]);
            assert_eq!(named.code, Some(3), "{list} {command:?}: {}", named.stderr);
            let said = String::from_utf8_lossy(&named.stdout).into_owned() + &named.stderr;
            assert!(said.contains("which differs by"), "{list} {command:?}: {said}");
            let taken = run(&["--names", "as-found"]);
            assert_eq!(taken.code, Some(0), "{list} {command:?}: {}", taken.stderr);
        }
    }
}
