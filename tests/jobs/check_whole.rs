//! Entries of a manifest that no file was compared with are counted, named, and in the verdict.

use crate::check::{self, Ended, of};
use crate::room::{Room, missing};
use crate::rows::{algorithms, list, listed, printed};
use pfh::check::{FileOutcome, Manner, Nothing, Problem, Request, Task, Verdict};
use pfh::job::Kind;
use pfh::sha256;
use pfh_inject::{Need, lacks};
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;

pub fn tree() -> Room {
    let room = Room::new();
    (0..6).for_each(|n| drop(room.file(format!("d/{n}"), &format!("content {n}"))));
    room.file("d/sub/deep", "deep");
    room
}

#[test]
fn a_manifest_that_was_cut_does_not_pass() {
    let room = tree();
    for (by, format) in
        [("sha256", "jsonl"), ("sha256", "csv"), ("sha256", "dfxml"), ("sha256", "hashdeep"), ("sha3-256", "sums")]
    {
        let request = Request::new(list(&room, "m", by, format, &["d"]));
        let whole = fs::read(room.at("m")).unwrap();
        assert_eq!(Ended::of(&request).conclusion(), Verdict::Verified, "{format}");
        // At every line's end, and within lines.
        let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let cuts: Vec<usize> =
            ends.flat_map(|at| [at.saturating_sub(7), at]).filter(|at| *at < whole.len() - 1).collect();
        for cut in cuts {
            room.file("m", &whole[..cut]);
            let ended = Ended::of(&request);
            let what = format!("{format} cut at {cut}: {:?}", ended.summary);
            assert_ne!(ended.conclusion(), Verdict::Verified, "{what}");
            assert!(format != "dfxml" || ended.summary.is_broken(), "{what}");
            let words = ["no end", "not whole", "improper", "not well-formed"];
            let is_said = words.iter().any(|word| ended.not_compared().contains(word));
            assert!(is_said || ended.summary.parts[0].nothing.is_some(), "{what}");
        }
        // A line taken out of the middle.
        if format != "dfxml" {
            let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
            let at = lines.len() - 3;
            room.file("m", &[&lines[..at], &lines[at + 1..]].concat().concat());
            let ended = Ended::of(&request);
            assert!(ended.not_compared().contains("not whole"), "{format}: {:?}", ended.summary);
            assert_eq!((ended.conclusion(), ended.summary.verdict()), (Verdict::Incomplete, Verdict::Verified));
        }
    }
}

/// As many records as the end states: one stands twice, and another is missing. A list whose names
/// were all rewritten, as `sed` does for another root, is whole.
#[test]
fn a_record_in_the_place_of_another_does_not_pass() {
    let room = tree();
    room.file("d/3", "content 2");
    for (by, format) in
        [("sha256", "jsonl"), ("sha256", "csv"), ("sha256", "dfxml"), ("sha256", "hashdeep"), ("sha3-256", "sums")]
    {
        let request = Request::new(list(&room, "m", by, format, &["d"]));
        let whole = fs::read_to_string(room.at("m")).unwrap();
        // Both have one content, so that no digest contradicts.
        let doubled = whole.replace("/d/3", "/d/2");
        assert_ne!(doubled, whole);
        room.file("m", &doubled);
        let ended = Ended::of(&request);
        assert!(ended.not_compared().contains("not whole"), "{format}: {:?}", ended.summary);
        assert_ne!(ended.conclusion(), Verdict::Verified, "{format}");
        let _ = fs::rename(room.at("d"), room.at("e"));
        room.file("m", &whole.replace("/d/", "/e/"));
        let ended = Ended::of(&request);
        assert_eq!((ended.conclusion(), ended.summary.verified()), (Verdict::Verified, 7), "{format}");
        fs::rename(room.at("e"), room.at("d")).unwrap();
    }
}

#[test]
fn what_was_not_understood_counts() {
    let room = tree();
    let right = sha256("content 0");
    let list = |more: &str| {
        room.file("list", &format!("SHA256 (d/0) = {right}\n{more}"));
        Request::new(room.at("list")).root(room.path())
    };
    assert_eq!(Ended::of(&list("")).conclusion(), Verdict::Verified);
    for (more, word) in [
        (format!("SNEFRU-256 (d/1) = {right}\nSNEFRU-256 (d/2) = {right}\n"), "2 lines of SNEFRU-256 not verified"),
        ("hello world\n".to_owned(), "1 line is improperly formatted"),
        (format!("HAS-160 (d/1) = 00000000\n{right}0  d/0\n"), "1 line of HAS-160 not verified"),
    ] {
        let ended = Ended::of(&list(&more));
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Incomplete, vec!["d/0"]), "{more}");
        assert!(ended.not_compared().contains(word), "{more}: {}", ended.not_compared());
        assert_eq!((ended.files.len(), ended.algorithms()), (1, vec!["sha256".to_owned()]));
        assert_eq!(Ended::of(&list(&more).manner(Manner::Lenient)).conclusion(), Verdict::Verified);
    }
    // Entries that the request leaves out were not asked for.
    let asked = list(&format!("SNEFRU-256 (d/1) = {right}\nMD5 (d/1) = 00\n")).algorithms(algorithms("sha256"));
    assert_eq!(Ended::of(&asked).conclusion(), Verdict::Verified);
    // A negative verdict goes before it.
    let ended = Ended::of(&list(&format!("SHA256 (d/1) = {right}\nSNEFRU-256 (d/1) = {right}\n")));
    assert_eq!(ended.conclusion(), Verdict::Differs);
    // A column of an algorithm that is not here.
    room.file("list", &format!("%%%% HASHDEEP-1.0\n%%%% size,snefru,sha256,filename\n9,x,{right},d/0\n"));
    let ended = of(&room, "list");
    assert_eq!(ended.conclusion(), Verdict::Incomplete);
    assert!(ended.not_compared().contains("1 digest of snefru not compared"), "{}", ended.not_compared());
}

#[cfg(unix)]
#[test]
fn errors_of_the_run_that_wrote_it_are_not_passed_over() {
    let room = tree();
    for format in ["jsonl", "csv", "dfxml"] {
        let written = listed(&room, "m", "sha256", format, &["d/0", "d/none", "d/1"]).unwrap();
        assert_eq!((written.summary.run.failed, written.summary.run.hashed), (1, 2));
        let ended = Ended::of(&Request::new(room.at("m")));
        assert_eq!((ended.conclusion(), ended.summary.verdict()), (Verdict::Incomplete, Verdict::Verified), "{format}");
        let said = ended.not_compared();
        assert!(said.contains("1 record has no digest") && said.contains("d/none"), "{format}: {said}");
    }
    // Files left out by rule are counted, and no fault: there is nothing to compare.
    symlink("0", room.at("d/link")).unwrap();
    let ended = Ended::of(&Request::new(list(&room, "m", "sha256", "jsonl", &["d"])));
    assert_eq!((ended.conclusion(), ended.summary.parts[0].skipped), (Verdict::Verified, 1));
}

#[test]
fn nothing_to_compare_with() {
    let room = tree();
    room.file("empty", "");
    room.file("rubbish", "no list at all\n");
    room.file("absent", &format!("{}  nowhere\n", sha256("")));
    let request = |list: &str| Request::new(room.at(list)).root(room.path());
    let audit = Task::Audit { below: Vec::new(), follow: false };
    let ignoring = Task::Files { allow_outside: false, ignore_missing: true };
    for (request, why) in [
        (request("empty"), Nothing::NoRecord),
        (request("rubbish"), Nothing::NoRecord),
        (request("rubbish").manner(Manner::Lenient), Nothing::NoRecord),
        (request("absent").task(ignoring), Nothing::NoFile),
        (request("empty").task(audit.clone()), Nothing::NoRecord),
    ] {
        let ended = Ended::of(&request);
        assert_eq!(ended.conclusion(), Verdict::NothingToCompareWith, "{request:?}");
        assert_eq!(ended.summary.parts[0].nothing, Some(why), "{request:?}");
    }
    for (request, kind, name) in [
        (request("nosuch"), Kind::Input, "nosuch"),
        (request("d"), Kind::Request, "d"),
        (Request::all([room.at("absent"), room.at("nosuch")]).task(audit), Kind::Input, "nosuch"),
    ] {
        let error = check::run(&request).0.unwrap_err();
        let directory = matches!(error.find(), Some(Problem::Directory(_)));
        assert_eq!((error.kind(), directory), (kind, kind == Kind::Request), "{error}");
        assert!(error.to_string().contains(&room.at(name).display().to_string()), "{error}");
    }
    // Several manifests, and a directory behind them.
    room.file("one", &format!("{}  0\n", sha256("content 0")));
    room.file("two", &format!("{}  1\n", sha256("content 1")));
    let behind = Request::operands(["one", "two", "d"].map(|name| room.at(name)));
    for request in [behind, Request::all(["one", "two"].map(|name| room.at(name))).root(room.at("d"))] {
        let ended = Ended::of(&request);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["0", "1"]));
    }
    // A missing file outweighs a list that cannot be read.
    let both = Request::all(["one", "nosuch"].map(|name| room.at(name))).root(room.path());
    assert_eq!(Ended::of(&both).conclusion(), Verdict::Differs);
}

#[test]
fn a_document_of_fiwalk() {
    if lacks(&[Need::Program("fiwalk"), Need::Program("mkfs.ext2")]) {
        return;
    }
    let room = tree();
    printed(&room, "truncate -s 4M fs.img && mkfs.ext2 -q -d d fs.img && fiwalk -X m fs.img >/dev/null");
    let request = Request::new(room.at("m")).root(room.at("d"));
    let ended = Ended::of(&request);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Incomplete, 7));
    assert!(ended.not_compared().contains("records of a directory not verified"), "{}", ended.not_compared());
    assert!(ended.files.iter().all(|(name, _)| !name.ends_with("/.")));
    assert_eq!(Ended::of(&request.manner(Manner::Lenient)).conclusion(), Verdict::Verified);
}

/// Names that lead out of the root are not opened, unless that is asked for.
#[cfg(unix)]
#[test]
fn names_do_not_lead_out() {
    let room = tree();
    let secret = room.file("secret", "secret");
    symlink("../secret", room.at("d/link")).unwrap();
    let names = ["../secret", "link", secret.to_str().unwrap()];
    room.file("list", &names.map(|name| format!("{}  {name}\n", sha256("secret"))).concat());
    let request = Request::new(room.at("list")).root(room.at("d"));
    let ended = Ended::of(&request);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Unread)), (Verdict::Incomplete, names.to_vec()));
    let ended = Ended::of(&request.task(Task::Files { allow_outside: true, ignore_missing: false }));
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, names.to_vec()));
}

/// A list hides no absolute name among relative ones that leads out of its directory; one that
/// stays below it is read, and a list of absolute names alone is read as it stands.
#[test]
fn an_absolute_name_among_relative_ones_is_asked_for() {
    let room = Room::new();
    room.file("l/d/f", "1");
    let secret = room.file("secret", "2");
    let full = secret.to_str().unwrap();
    room.file("l/mixed", &format!("{}  d/f\n{}  {full}\n", sha256("1"), sha256("2")));
    let mixed = Request::new(room.at("l/mixed"));
    let ended = Ended::of(&mixed);
    let found = (ended.conclusion(), ended.names(FileOutcome::Right), ended.names(FileOutcome::Unread));
    assert_eq!(found, (Verdict::Incomplete, vec!["d/f"], vec![full]));
    let allowing = Task::Files { allow_outside: true, ignore_missing: false };
    assert_eq!(Ended::of(&mixed.clone().task(allowing)).conclusion(), Verdict::Verified);
    let below = room.file("l/below", "2");
    let below = below.to_str().unwrap();
    room.file("l/mixed", &format!("{}  d/f\n{}  {below}\n", sha256("1"), sha256("2")));
    let ended = Ended::of(&mixed);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, vec!["d/f", below]));
    room.file("absolute", &format!("{0}  {full}\n{0}  {full}\n", sha256("2")));
    assert_eq!(Ended::of(&Request::new(room.at("absolute"))).conclusion(), Verdict::Verified);
}

#[test]
fn what_is_not_a_file_and_what_is_not_there_differ() {
    let room = tree();
    let empty = "d41d8cd98f00b204e9800998ecf8427e";
    room.file("m", &format!("{empty}  d\n{empty}  d/none\n"));
    let request = Request::new(room.at("m")).root(room.path());
    let mut problems = Vec::new();
    let mut take = |event: pfh::check::Event<'_>| {
        if let pfh::check::Event::Unread(record) = event
            && let pfh::Outcome::Failed(problem) = &record.outcome
        {
            problems.push(problem.to_string());
        }
        Ok(())
    };
    let summary = pfh::check::run(&request, &mut take, &pfh::Control::new()).unwrap();
    assert_eq!(summary.conclusion(), Verdict::Differs);
    assert_eq!(problems, ["open: is a directory, not a file", &format!("open: {} (ENOENT)", missing())]);
}
