//! Files against manifests.

use crate::room::{Room, cancelled};
use pfh::Control;
use pfh::check::{self, Class, Event, FileOutcome, Manner, Problem, Request, Summary, Task, Verdict};
use pfh::job::{Error, Kind};
use std::path::{Path, PathBuf};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

/// The files `a` and `b` have the content `abc`.
fn room() -> Room {
    let room = Room::new();
    room.file("a", "abc");
    room.file("b", "abc");
    room
}

fn list(room: &Room, name: &str, files: &[&str]) -> PathBuf {
    room.file(name, &files.iter().map(|file| format!("{MD5}  {file}\n")).collect::<String>())
}

/// The result, and each file with its outcome.
pub fn run(request: &Request) -> (Result<Summary, Error>, Vec<(String, FileOutcome)>) {
    let mut files = Vec::new();
    let ran = check::run(
        request,
        &mut |event| {
            if let Event::Compared { entry, found, .. } = event {
                files.push((String::from_utf8_lossy(&entry.name).into_owned(), found));
            }
            Ok(())
        },
        &Control::new(),
    );
    (ran, files)
}

/// A check that comes to its end.
pub struct Ended {
    pub summary: Summary,
    /// Each listed file with its outcome.
    pub files: Vec<(String, FileOutcome)>,
}

impl Ended {
    pub fn of(request: &Request) -> Ended {
        let (ran, files) = run(request);
        Ended { summary: ran.unwrap_or_else(|error| panic!("{error}: {request:?}")), files }
    }

    pub fn conclusion(&self) -> Verdict {
        self.summary.conclusion()
    }

    /// The names of the files with this outcome, in the order of the list.
    pub fn names(&self, found: FileOutcome) -> Vec<&str> {
        self.files.iter().filter(|(_, one)| *one == found).map(|(name, _)| &**name).collect()
    }

    /// Algorithms by which files were verified.
    pub fn algorithms(&self) -> Vec<String> {
        self.summary.by_algorithm().into_keys().collect()
    }

    /// Entries of the lists that were not compared.
    pub fn not_compared(&self) -> String {
        self.summary.parts.iter().flat_map(|part| part.not_compared.clone()).collect::<Vec<_>>().join("\n")
    }
}

/// Compares the files that a list in the room names from there.
pub fn of(room: &Room, list: &str) -> Ended {
    Ended::of(&Request::new(room.at(list)).root(room.path()))
}

#[test]
fn files_are_rows_and_the_verdict_is_theirs() {
    let room = room();
    let list = list(&room, "list", &["a", "b", "gone"]);
    let request = Request::new(&list).root(room.path());
    let (ran, files) = run(&request);
    assert_eq!(ran.unwrap().verdict(), Verdict::Differs);
    let found = [("a", FileOutcome::Right), ("b", FileOutcome::Right), ("gone", FileOutcome::Missing)];
    assert_eq!(files, found.map(|(name, found)| (name.to_owned(), found)));
    room.file("b", "abd");
    let task = Task::Files { allow_outside: false, ignore_missing: true };
    let (ran, files) = run(&request.task(task));
    assert_eq!((ran.unwrap().verified(), files[1].1, files[2].1), (1, FileOutcome::Wrong, FileOutcome::Ignored));
}

#[test]
fn several_manifests_have_one_summary() {
    let room = room();
    let (good, bad) = (list(&room, "good", &["a"]), list(&room, "bad", &["gone"]));
    let (ran, files) = run(&Request::operands([good.clone(), bad, room.path().to_owned()]));
    let summary = ran.unwrap();
    assert_eq!((summary.parts.len(), summary.verified(), summary.expected(), files.len()), (2, 1, 2, 2));
    assert_eq!((summary.verdict(), summary.parts[0].verdict()), (Verdict::Differs, Verdict::Verified));
    // One that is not there is said, and the other is checked.
    let mut said = Vec::new();
    let request = Request::all([room.at("none"), good]).root(room.path());
    let summary = check::run(
        &request,
        &mut |event| {
            if let Event::Unchecked { manifest, error } = event {
                said.push((manifest.to_owned(), error.kind()));
            }
            Ok(())
        },
        &Control::new(),
    );
    let summary = summary.unwrap();
    assert_eq!(said, [(room.at("none"), Kind::Input)]);
    assert_eq!((summary.parts.len(), summary.unchecked.len()), (1, 1));
    assert_eq!(summary.conclusion(), Verdict::Incomplete);
    // Alone it is the error of the check.
    let (ran, _) = run(&Request::new(room.at("none")));
    let error = ran.unwrap_err();
    assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at("none"))));
}

#[test]
fn what_was_not_compared_counts_as_the_manner_says() {
    let room = room();
    let list = list(&room, "list", &["a"]);
    std::fs::write(&list, format!("{MD5}  a\nno record\n")).unwrap();
    let of = |manner| {
        let (ran, _) = run(&Request::new(&list).root(room.path()).manner(manner));
        let summary = ran.unwrap();
        assert_eq!(summary.verdict(), Verdict::Verified);
        summary.conclusion()
    };
    assert_eq!(of(Manner::Usual), Verdict::Incomplete);
    assert_eq!(of(Manner::Strict), Verdict::Differs);
    assert_eq!(of(Manner::Lenient), Verdict::Verified);
}

#[test]
fn an_audit_is_of_all_manifests_together() {
    let room = room();
    std::fs::create_dir(room.at("d")).unwrap();
    for name in ["a", "b"] {
        std::fs::rename(room.at(name), room.at("d").join(name)).unwrap();
    }
    room.file("d/c", "new");
    let lists = [list(&room, "one", &["a"]), list(&room, "two", &["b"])];
    let request = Request::all(lists).root(room.at("d")).task(Task::Audit { below: vec![], follow: false });
    let mut classes = Vec::new();
    let summary = check::run(
        &request,
        &mut |event| {
            if let Event::Classed(change) = event {
                classes.push((change.name.clone(), change.class));
            }
            Ok(())
        },
        &Control::new(),
    );
    assert_eq!((summary.unwrap().parts.len(), classes.len()), (1, 3));
    assert!(classes.contains(&(b"c".to_vec(), Class::New)), "{classes:?}");
}

#[test]
fn requests_are_refused_before_anything_is_read() {
    let room = room();
    let list = list(&room, "list", &["a"]);
    let nobody: [&Path; 0] = [];
    let (ran, _) = run(&Request::all(nobody));
    assert!(matches!(ran.unwrap_err().find(), Some(Problem::NoManifest)));
    let (ran, _) = run(&Request::all([room.path(), &list]));
    let error = ran.unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Directory(_))), "{error}");
    assert!(!error.to_string().contains("--"), "{error}");
    let (ran, _) = run(&Request::all(["-", "-"]));
    assert_eq!(ran.unwrap_err().kind(), Kind::Request);
    #[cfg(any(feature = "audit", feature = "image"))]
    {
        let (ran, _) = run(&Request::new(&list).key(Some(room.at("none"))));
        assert_eq!(ran.unwrap_err().kind(), Kind::Input);
    }
}

#[test]
fn an_empty_manifest_compares_nothing() {
    let room = room();
    let (ran, _) = run(&Request::new(room.file("empty", "")));
    assert_eq!(ran.unwrap().verdict(), Verdict::NothingToCompareWith);
}

#[test]
fn interrupted_and_refused_events_end_the_check() {
    let room = room();
    let request = Request::all([list(&room, "one", &["a"]), list(&room, "two", &["b"])]).root(room.path());
    let ran = check::run(&request, &mut |_| Ok(()), &cancelled());
    assert_eq!(ran.unwrap_err().kind(), Kind::Cancelled);
    let full = || std::io::Error::other("full");
    let ran = check::run(&request, &mut |_| Err(full()), &Control::new());
    assert!(matches!(ran.unwrap_err(), Error::Sink(_)));
}
