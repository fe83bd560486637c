//! One judge: the same facts have the same verdict, exit code and JSON in every command that
//! compares files with a list, in whichever notation the list is.
//!
//! The table is made of few declared facts: the statements of the list on names, the changes to the
//! tree since, and the outcome. Each is tried in each notation that can state it, by each command.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, Trial, lacks};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// SHA-256 of a file, by the library that the program does not use for it.
fn sha256(path: &Path) -> String {
    let out = Command::new("sha256sum").arg(path).output().unwrap();
    assert!(out.status.success(), "sha256sum is a part of coreutils");
    String::from_utf8_lossy(&out.stdout)[..64].to_owned()
}

/// The statement of a list on a name.
#[derive(Clone, Copy)]
pub enum Stated {
    /// The digest of the file of this name, when the list was made.
    Of(&'static str),
    /// The digest of nothing that is there.
    Other,
    /// BLAKE3 of the file of this name, where the notation does not name the algorithm.
    Twin(&'static str),
    /// A digest of an algorithm that nobody knows.
    Unknown,
    /// No digest.
    Nothing,
}

/// A change to the tree once the list is made.
#[derive(Clone, Copy)]
pub enum Done {
    Write(&'static str, &'static str),
    Rename(&'static str, &'static str),
    Remove(&'static str),
    Directory(&'static str),
    Pipe(&'static str),
    /// A link of this name to that.
    Link(&'static str, &'static str),
}

/// How a list is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Notation {
    Sums,
    Tagged,
    Table,
    Blocks,
    Json,
    Lines,
    Xml,
    Mtree,
}

const NOTATIONS: [Notation; 8] = [
    Notation::Sums,
    Notation::Tagged,
    Notation::Table,
    Notation::Blocks,
    Notation::Json,
    Notation::Lines,
    Notation::Xml,
    Notation::Mtree,
];

impl Notation {
    /// The record of a name; `None` where the notation cannot state it.
    fn record(self, name: &str, stated: Stated, digest: &dyn Fn(&str, &str) -> String) -> Option<String> {
        let (tag, value) = match stated {
            Stated::Of(name) => ("SHA256", digest("sha256", name)),
            Stated::Other => ("SHA256", "12".repeat(32)),
            Stated::Twin(name) => ("", digest("blake3", name)),
            Stated::Unknown => ("FOO999", "12ab".to_owned()),
            Stated::Nothing => ("SHA256", String::new()),
        };
        let is_plain = !name.contains(['"', ' ', '&', '<']) && name.is_ascii();
        let record = match (self, stated) {
            (Notation::Sums, Stated::Unknown | Stated::Nothing) => return None,
            (Notation::Sums, _) => format!("{value}  {name}\n"),
            (_, Stated::Twin(_)) => return None,
            (Notation::Tagged, Stated::Nothing) => return None,
            (Notation::Tagged, _) => format!("{tag} ({name}) = {value}\n"),
            (Notation::Table | Notation::Mtree, Stated::Unknown) => return None,
            (Notation::Table, _) => format!("\"{name}\",{value}\n"),
            (Notation::Blocks, Stated::Unknown | Stated::Nothing) => return None,
            (Notation::Blocks, _) if !is_plain => return None,
            (Notation::Blocks, _) => format!("Name: {name}\n{tag}: {value}\n\n"),
            (Notation::Json | Notation::Lines, Stated::Unknown) => {
                format!("{{\"path\":\"{name}\",\"hashes\":{{\"foo999\":\"{value}\"}}}}\n")
            }
            (Notation::Json | Notation::Lines, _) => format!("{{\"path\":\"{name}\",\"sha256\":\"{value}\"}}\n"),
            (Notation::Xml, _) => {
                format!("<file><path>{name}</path><hash type=\"{tag}\">{value}</hash></file>\n")
            }
            (Notation::Mtree, _) if !is_plain || !name.contains('/') => return None,
            (Notation::Mtree, Stated::Nothing) => format!("{name} type=file\n"),
            (Notation::Mtree, _) => format!("{name} type=file sha256digest={value}\n"),
        };
        Some(record)
    }

    fn list(self, records: &[String]) -> String {
        match self {
            Notation::Sums | Notation::Tagged | Notation::Blocks | Notation::Lines => records.concat(),
            Notation::Table => format!("path,sha256\n{}", records.concat()),
            Notation::Json => format!("[{}]\n", records.join(",")),
            Notation::Xml => format!("<list>{}</list>\n", records.concat()),
            Notation::Mtree => format!("#mtree\n{}", records.concat()),
        }
    }
}

/// A fact, and what follows from it: the exit code of each command, and that of `--update`, which
/// takes changes that somebody made and refuses lists that it cannot write again.
pub struct Fact {
    pub name: &'static str,
    pub stated: &'static [(&'static str, Stated)],
    pub done: &'static [Done],
    pub exit: i32,
    pub update: i32,
}

/// Names of the tree `t`, whose files hold `file` and their name. All are listed as they are, in
/// front of the statements of a fact.
pub const FILES: [&str; 3] = ["./a", "./b", "./d/c"];

pub const FACTS: &[Fact] = &[
    Fact { name: "equal", stated: &[], done: &[], exit: 0, update: 0 },
    Fact { name: "changed", stated: &[], done: &[Done::Write("a", "another")], exit: 1, update: 0 },
    Fact { name: "renamed", stated: &[], done: &[Done::Rename("a", "z")], exit: 1, update: 0 },
    Fact {
        name: "swapped",
        stated: &[],
        done: &[Done::Rename("a", "x"), Done::Rename("b", "a"), Done::Rename("x", "b")],
        exit: 1,
        update: 0,
    },
    Fact { name: "missing", stated: &[], done: &[Done::Remove("a")], exit: 1, update: 0 },
    Fact {
        name: "a directory in its place",
        stated: &[],
        done: &[Done::Remove("a"), Done::Directory("a")],
        exit: 3,
        update: 0,
    },
    Fact { name: "a pipe in its place", stated: &[], done: &[Done::Remove("a"), Done::Pipe("a")], exit: 3, update: 0 },
    Fact { name: "a directory that is listed", stated: &[("./d", Stated::Other)], done: &[], exit: 3, update: 0 },
    Fact {
        name: "a link in the tree",
        stated: &[("./e/link", Stated::Of("a"))],
        done: &[Done::Directory("e"), Done::Link("e/link", "../a")],
        exit: 0,
        update: 0,
    },
    Fact { name: "listed twice alike", stated: &[("./a", Stated::Of("a"))], done: &[], exit: 0, update: 0 },
    Fact { name: "listed twice otherwise", stated: &[("./a", Stated::Other)], done: &[], exit: 1, update: 0 },
    Fact {
        name: "spelt in several ways",
        stated: &[
            ("d/c", Stated::Of("d/c")),
            ("./d//c", Stated::Of("d/c")),
            ("d/../d/c", Stated::Of("d/c")),
            ("./d/./c", Stated::Of("d/c")),
            ("d/c/", Stated::Of("d/c")),
        ],
        done: &[],
        exit: 0,
        update: 0,
    },
    Fact { name: "spelt in two ways otherwise", stated: &[("./d//c", Stated::Other)], done: &[], exit: 1, update: 0 },
    Fact { name: "in other case", stated: &[], done: &[Done::Rename("a", "A")], exit: 3, update: 0 },
    Fact {
        name: "in another normal form",
        stated: &[("./o\u{308}", Stated::Of("a"))],
        done: &[Done::Write("\u{f6}", "file a")],
        exit: 3,
        update: 0,
    },
    Fact {
        name: "with a blank behind the name",
        stated: &[("./d/e ", Stated::Of("a"))],
        done: &[Done::Write("d/e", "file a")],
        exit: 3,
        update: 0,
    },
    Fact {
        name: "an unknown algorithm beside",
        stated: &[("./d/f", Stated::Unknown)],
        done: &[Done::Write("d/f", "x")],
        exit: 3,
        update: 2,
    },
    Fact {
        name: "an unknown algorithm of a file that is gone",
        stated: &[("./d/f", Stated::Unknown)],
        done: &[],
        exit: 3,
        update: 2,
    },
    Fact {
        name: "a file without a digest",
        stated: &[("./d/f", Stated::Nothing)],
        done: &[Done::Write("d/f", "x")],
        exit: 3,
        update: 3,
    },
    Fact {
        name: "another algorithm of that length",
        stated: &[("./d/f", Stated::Twin("a"))],
        done: &[Done::Write("d/f", "file a")],
        exit: 0,
        update: 0,
    },
    Fact {
        name: "another algorithm of that length, changed",
        stated: &[("./d/f", Stated::Twin("a"))],
        done: &[Done::Write("d/f", "x")],
        exit: 1,
        update: 0,
    },
    Fact {
        name: "changed beside a file without a digest",
        stated: &[("./d/f", Stated::Nothing)],
        done: &[Done::Write("d/f", "x"), Done::Write("a", "another")],
        exit: 1,
        update: 3,
    },
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

/// Makes the changes of a fact in a tree.
pub fn change(fact: &Fact, tree: &Path) {
    for done in fact.done {
        match *done {
            Done::Write(name, content) => fs::write(tree.join(name), content).unwrap(),
            Done::Rename(from, to) => fs::rename(tree.join(from), tree.join(to)).unwrap(),
            Done::Remove(name) => fs::remove_file(tree.join(name)).unwrap(),
            Done::Directory(name) => fs::create_dir(tree.join(name)).unwrap(),
            Done::Pipe(name) => assert!(Command::new("mkfifo").arg(tree.join(name)).status().unwrap().success()),
            Done::Link(name, to) => symlink(to, tree.join(name)).unwrap(),
        }
    }
}

/// A tree and a list of it with the statements of a fact; `None` where the notation has no form for
/// them.
pub fn room_of(fact: &Fact, notation: Notation) -> Option<Room> {
    let room = Room::new();
    for name in FILES {
        let name = &name[2..];
        room.file(format!("t/{name}"), format!("file {}", name.trim_start_matches("d/")).as_bytes());
    }
    let digest = |algorithm: &str, name: &str| match algorithm {
        "sha256" => sha256(&room.path().join("t").join(name)),
        algorithm => {
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "-a", algorithm, name]);
            let seen = trial.directory(room.path().join("t")).run().unwrap();
            String::from_utf8_lossy(&seen.stdout).split(' ').next().unwrap_or_default().to_owned()
        }
    };
    let own = FILES.iter().map(|name| (*name, Stated::Of(&name[2..])));
    let records: Option<Vec<String>> =
        own.chain(fact.stated.iter().copied()).map(|(name, stated)| notation.record(name, stated, &digest)).collect();
    fs::write(room.path().join("l"), notation.list(&records?)).unwrap();
    change(fact, &room.path().join("t"));
    Some(room)
}

/// The outcome of a command: its exit code, the verdict of its last row, and all of its output.
pub fn said(room: &Room, arguments: &[&str]) -> (i32, String, String) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json", "--no-progress"]).collect();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(&arguments).directory(room.path()).run().unwrap();
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    let verdict = text.lines().last().and_then(|line| line.split("\"verdict\":\"").nth(1));
    let verdict = verdict.and_then(|rest| rest.split('"').next()).unwrap_or("none").to_owned();
    (seen.code.unwrap_or(-1), verdict, text + &seen.stderr)
}

/// The verdicts that go with an exit code.
fn verdicts(exit: i32) -> &'static [&'static str] {
    match exit {
        0 => &["verified"],
        1 => &["differs"],
        2 => &["none"],
        _ => &["incomplete", "nothing-to-compare-with"],
    }
}

/// The cells of the table whose outcome is another.
fn wrong(facts: &[Fact], notation: Notation) -> Vec<String> {
    let mut wrong = Vec::new();
    for fact in facts {
        let commands = COMMANDS.iter().map(|(name, arguments)| (*name, *arguments, fact.exit));
        let update = ("update", &["check", "--update", "l", "t"][..], fact.update);
        for (command, arguments, exit) in commands.chain([update]) {
            // No other program's list but sums and JSON lines of ours is written again.
            if command == "update" && !matches!(notation, Notation::Sums | Notation::Tagged) {
                continue;
            }
            let Some(room) = room_of(fact, notation) else { continue };
            let (code, verdict, text) = said(&room, arguments);
            if code != exit || !verdicts(exit).contains(&verdict.as_str()) {
                let list = fs::read_to_string(room.path().join("l")).unwrap();
                wrong.push(format!(
                    "{}, {notation:?}, {command}: {code}, {verdict}, not {exit}\n{list}{text}",
                    fact.name
                ));
            }
        }
    }
    wrong
}

#[test]
fn the_same_facts_have_the_same_verdict_in_every_command() {
    // A thousand runs of the program.
    let notations = if lacks(&[Need::Time]) { &NOTATIONS[..2] } else { &NOTATIONS[..] };
    let wrong: Vec<String> = notations.iter().flat_map(|notation| wrong(FACTS, *notation)).collect();
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

/// The list in this program's own format, with sizes and times.
fn own(room: &Path) {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "-r", "-f", "jsonl", "-o", "../l", "."]);
    let seen = trial.directory(room.join("t")).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

/// A change to a tree and its list, in the directory of both.
type Change = fn(&Path);

/// Damage to a list of this program as a whole, or facts that its times show.
const OWN: &[(&str, i32, Change)] = &[
    ("equal, with times of another second", 0, |room| {
        let file = fs::File::options().write(true).open(room.join("t/a")).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(77)).unwrap();
    }),
    ("changed under its size and time", 1, |room| {
        let path = room.join("t/a");
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "file A").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    }),
    ("cut", 3, |room| {
        let text = fs::read_to_string(room.join("l")).unwrap();
        let end = text.trim_end().rfind('\n').unwrap();
        fs::write(room.join("l"), &text[..=end]).unwrap();
    }),
    ("cut, and a file changed", 1, |room| {
        let text = fs::read_to_string(room.join("l")).unwrap();
        let end = text.trim_end().rfind('\n').unwrap();
        fs::write(room.join("l"), &text[..=end]).unwrap();
        fs::write(room.join("t/a"), "another").unwrap();
    }),
    ("an error beside a good record", 3, |room| {
        let text = fs::read_to_string(room.join("l")).unwrap();
        let error = r#"{"type":"error","path":"./a","stage":"read","code":"EIO","error":"input/output error"}"#;
        // Two lists joined: of a night with an error, and of the next.
        let bad = format!("{error}\n{{\"type\":\"summary\",\"files\":0,\"bytes\":0,\"errors\":1,\"skipped\":0}}\n");
        fs::write(room.join("l"), bad + &text).unwrap();
    }),
    ("a line that is none", 3, |room| {
        let text = fs::read_to_string(room.join("l")).unwrap();
        fs::write(room.join("l"), format!("neither\n{text}")).unwrap();
    }),
    ("nothing", 3, |room| fs::write(room.join("l"), "").unwrap()),
];

#[test]
fn damage_to_a_list_has_the_same_verdict_in_every_command() {
    let mut wrong = Vec::new();
    for (name, exit, make) in OWN {
        for (command, arguments) in COMMANDS {
            let room = Room::new();
            FILES.iter().for_each(|name| drop(room.file(format!("t/{}", &name[2..]), b"file a")));
            own(room.path());
            make(room.path());
            let (code, verdict, text) = said(&room, arguments);
            if code != *exit || !verdicts(*exit).contains(&verdict.as_str()) {
                wrong.push(format!("{name}, {command}: {code}, {verdict}, not {exit}\n{text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_broken_seal_and_a_list_that_names_itself() {
    for (command, arguments) in COMMANDS {
        let room = Room::new();
        FILES.iter().for_each(|name| drop(room.file(format!("t/{}", &name[2..]), b"file a")));
        own(room.path());
        let seal = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["hash", "-q", "-r", "--seal", "-o", "../s", "."]);
        assert_eq!(seal.directory(room.path().join("t")).run().unwrap().code, Some(0));
        fs::rename(room.path().join("s.seal"), room.path().join("l.seal")).unwrap();
        // The seal is of another list; `diff` compares what lists say and reads no seals.
        let (code, verdict, text) = said(&room, arguments);
        if !command.starts_with("diff") {
            assert_eq!((code, verdict.as_str()), (1, "none"), "{command}: {text}");
        }
        let room = Room::new();
        room.file("t/a", b"file a");
        let digest = sha256(&room.path().join("t/a"));
        room.file("t/l", format!("{digest}  a\n{}  l\n", "12".repeat(32)).as_bytes());
        let arguments: Vec<&str> = arguments.iter().map(|word| if *word == "l" { "t/l" } else { *word }).collect();
        let (code, verdict, text) = said(&room, &arguments);
        assert!(code != 0 || verdict == "verified", "{command}: {text}");
        assert_ne!((code, verdict.as_str()), (0, "differs"), "{command}: {text}");
    }
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
