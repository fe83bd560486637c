//! Two states of a tree, each a directory or a list, with any names in the lists.

use crate::room::Room;
use crate::rows::{algorithms, list, printed};
use pfh::diff::{self, Class, Event, Metadata, Nothing, Request, Summary};
use pfh::job::Kind;
use pfh::{Control, Verdict};
use pfh_inject::random;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::{PermissionsExt, symlink};

/// A class, the name that has it, and the one that it came from.
pub type Row = (Class, String, Option<String>);

/// The result between two things of the room, and the rows of all names by name.
pub fn between(room: &Room, a: &str, b: &str) -> (Summary, Vec<Row>) {
    ran(&Request::new(room.at(a), room.at(b)))
}

pub fn ran(request: &Request) -> (Summary, Vec<Row>) {
    let text = |name: &Vec<u8>| String::from_utf8(name.clone()).unwrap();
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(one) = event {
            rows.push((one.class, text(&one.name), one.from.as_ref().map(text)));
        }
        Ok(())
    };
    let summary = diff::run(request, &mut take, &Control::new()).unwrap();
    let counted = Class::ALL.map(|class| summary.counts.of(class));
    assert_eq!(counted, Class::ALL.map(|class| of(&rows, class).len() as u64), "{rows:?}");
    rows.sort_by(|one, other| (&one.1, one.0).cmp(&(&other.1, other.0)));
    (summary, rows)
}

/// The names of a class.
pub fn of(rows: &[Row], class: Class) -> Vec<&str> {
    rows.iter().filter(|row| row.0 == class).map(|row| &*row.1).collect()
}

/// The rows by which the sides differ.
pub fn differing(rows: &[Row]) -> Vec<Row> {
    rows.iter().filter(|row| row.0.is_difference()).cloned().collect()
}

/// A tree and a copy in which one file of each class is.
fn changed() -> Room {
    let room = Room::new();
    for name in ["same", "changed", "rotten", "d/moved", "copied", "removed", "touched"] {
        room.file(format!("a/{name}"), &format!("content of {name}"));
    }
    printed(&room, "find a -type f -exec touch -d 2020-01-01 {} + && cp -a a b");
    let b = room.at("b");
    room.file("b/changed", "another content, longer");
    room.file("b/rotten", "content 0f rotten");
    fs::rename(b.join("d/moved"), b.join("d/here")).unwrap();
    fs::copy(b.join("copied"), b.join("again")).unwrap();
    fs::remove_file(b.join("removed")).unwrap();
    printed(&room, "touch -d 2020-01-01 b/rotten && touch -d 2021-01-01 b/touched");
    room.file("b/added", "new");
    room
}

/// The differences that every way of comparing the two must find.
fn found() -> Vec<Row> {
    let row = |class, name: &str, from: Option<&str>| (class, name.to_owned(), from.map(str::to_owned));
    vec![
        row(Class::Added, "added", None),
        row(Class::Copied, "again", Some("copied")),
        row(Class::Changed, "changed", None),
        row(Class::Moved, "d/here", Some("d/moved")),
        row(Class::Removed, "removed", None),
        row(Class::BitRot, "rotten", None),
    ]
}

#[cfg(unix)]
#[test]
fn directories_and_lists_of_them_differ_alike() {
    let room = changed();
    for (to, name) in [("a.jsonl", "a"), ("b.jsonl", "b")] {
        list(&room, to, "sha256", "jsonl", &[name]);
    }
    for (a, b) in [("a", "b"), ("a.jsonl", "b"), ("a", "b.jsonl"), ("a.jsonl", "b.jsonl")] {
        let (summary, rows) = between(&room, a, b);
        assert_eq!((differing(&rows), summary.verdict()), (found(), Verdict::Differs), "{a} {b}");
        assert_eq!(of(&rows, Class::Same), ["copied", "same", "touched"], "{a} {b}");
        assert_eq!(summary.computed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["sha256"]);
        let (summary, rows) = ran(&Request::new(room.at(a), room.at(b)).metadata(Metadata::Compared));
        assert_eq!((of(&rows, Class::Same), of(&rows, Class::Metadata)), (vec!["copied", "same"], vec!["touched"]));
        assert_eq!((summary.verdict(), summary.counts.differing()), (Verdict::Differs, 7), "{a} {b}");
    }
    // Bit rot names its proof.
    let mut rot = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(one) = event {
            rot.extend(one.rot.map(|rot| rot.sentence()));
        }
        Ok(())
    };
    diff::run(&Request::new(room.at("a"), room.at("b")), &mut take, &Control::new()).unwrap();
    assert_eq!(rot, ["size and mtime are the same, ctime is not"]);
    // The other way round.
    let (_, rows) = between(&room, "b", "a");
    assert_eq!((of(&rows, Class::Added), of(&rows, Class::Removed)), (vec!["removed"], vec!["added", "again"]));
    assert!(rows.contains(&(Class::Moved, "d/moved".into(), Some("d/here".into()))), "{rows:?}");
    // A list that has no times: a changed file may have been written.
    list(&room, "a.sums", "sha256", "sums", &["a"]);
    let (_, rows) = between(&room, "a.sums", "b");
    assert_eq!((of(&rows, Class::Changed), of(&rows, Class::BitRot).len()), (vec!["changed", "rotten"], 0));
    // Of two lists no file is needed.
    list(&room, "b.sums", "sha256", "sums", &["b"]);
    let (_, before) = between(&room, "a.sums", "b.sums");
    ["a", "b"].iter().for_each(|side| fs::remove_dir_all(room.at(side)).unwrap());
    assert_eq!(between(&room, "a.sums", "b.sums").1, before);
    assert_eq!(differing(&before).len(), 6);
}

#[cfg(unix)]
#[test]
fn a_copy_is_the_same_and_the_answer_names_its_evidence() {
    let room = Room::new();
    room.file("a/one", "1");
    room.file("a/d/two", "2");
    symlink("one", room.at("a/link")).unwrap();
    printed(&room, "cp -a a b && mkdir none1 none2");
    let (summary, rows) = between(&room, "a", "b");
    assert_eq!((summary.verdict(), of(&rows, Class::Same)), (Verdict::Verified, vec!["d/two", "one"]));
    assert_eq!((rows.len(), summary.skipped), (2, [1, 1]));
    // A slash at the end, and other algorithms.
    let request = Request::new(room.at("a/"), room.at("b")).algorithms_of(algorithms("md5,blake3"));
    let (summary, _) = ran(&request);
    assert_eq!((summary.verdict(), summary.counts.of(Class::Same)), (Verdict::Verified, 2));
    assert_eq!(summary.computed.iter().map(ToString::to_string).collect::<Vec<_>>(), ["md5", "blake3"]);
    // Nothing differs, and nothing was compared.
    for (a, b, why) in [
        ("a", "./a", Nothing::OneThing),
        ("none1", "none2", Nothing::NoFile),
        ("a/one", "b", Nothing::NoRecord(diff::DiffSide::A)),
    ] {
        let (summary, _) = between(&room, a, b);
        assert_eq!((summary.verdict(), summary.nothing), (Verdict::NothingToCompareWith, Some(why)), "{a} {b}");
    }
}

#[cfg(unix)]
#[test]
fn the_base_is_found_whatever_the_lists_call_it() {
    let room = changed();
    let root = format!("{}/", room.path().display());
    let written = |to: &str, format: &str, names: &[&str], from: &str, by: &str| {
        let text = fs::read_to_string(list(&room, to, "sha256", format, names)).unwrap();
        room.file(to, &text.replace(from, by));
    };
    list(&room, "whole", "sha256", "jsonl", &["a"]);
    written("relative", "hashdeep", &["a"], &root, "./");
    written("dfxml", "dfxml", &["a"], &root, "");
    written("above", "csv", &["a"], &root, "./");
    let lists = ["whole", "relative", "dfxml", "above"];
    for list in lists {
        let (summary, rows) = between(&room, list, "b");
        let mut expected = found();
        if !matches!(list, "whole" | "dfxml" | "above") {
            // It has no times.
            expected[5].0 = Class::Changed;
        }
        assert_eq!(differing(&rows), expected, "{list}");
        if list == "whole" {
            assert_eq!(summary.bases[0], format!("{root}a/").into_bytes());
        }
        for (a, b) in [(list, "a"), ("a", list), ("relative", list), (list, "relative")] {
            let (summary, rows) = between(&room, a, b);
            let verdict = if a == b { Verdict::NothingToCompareWith } else { Verdict::Verified };
            assert_eq!((summary.verdict(), differing(&rows)), (verdict, vec![]), "{a} {b}");
        }
    }
    // A list of more than the other: a file outside of the base has its own name.
    let more = String::from_utf8(printed(&room, "find b -type f -exec sha256sum {} +")).unwrap();
    room.file("more", &format!("{more}{}  elsewhere/same\n", "0".repeat(64)));
    let (_, rows) = between(&room, "relative", "more");
    assert_eq!(of(&rows, Class::Added), ["added", "elsewhere/same"]);
}

#[test]
fn lists_without_names_of_algorithms_and_with_others() {
    let room = Room::new();
    room.file("d/one", &random(1, 5000));
    room.file("d/two", &random(2, 5000));
    for (to, by, format) in
        [("b3", "blake3", "sums"), ("s2", "sha256", "bsd"), ("both", "md5,blake3", "jsonl"), ("md5", "md5", "sums")]
    {
        list(&room, to, by, format, &["d"]);
    }
    // A line of 64 digits may be of many algorithms: the other side tells.
    for (a, b) in [("b3", "both"), ("both", "b3"), ("b3", "d"), ("d", "b3"), ("md5", "both"), ("both", "md5")] {
        let (summary, rows) = between(&room, a, b);
        assert_eq!((summary.verdict(), of(&rows, Class::Same).len()), (Verdict::Verified, 2), "{a} {b}: {rows:?}");
    }
    // Nothing in common is not a verdict.
    let mut causes = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(one) = event {
            causes.push((one.class, one.cause.clone().unwrap_or_default()));
        }
        Ok(())
    };
    let summary = diff::run(&Request::new(room.at("s2"), room.at("md5")), &mut take, &Control::new()).unwrap();
    let cause = (Class::Error, "no digest of one algorithm on both sides".to_owned());
    assert_eq!((summary.verdict(), causes), (Verdict::Incomplete, vec![cause.clone(), cause]));
    // Lines that were not understood are named, and in the verdict.
    room.file("torn", &[&fs::read(room.at("md5")).unwrap()[..], b"rubbish\n"].concat());
    let mut faults = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Read(which, list) = event {
            faults.extend(list.faults.iter().map(|(line, _)| (which, *line)));
        }
        Ok(())
    };
    let summary = diff::run(&Request::new(room.at("torn"), room.at("md5")), &mut take, &Control::new()).unwrap();
    assert_eq!((summary.verdict(), faults), (Verdict::Incomplete, vec![(diff::DiffSide::A, 3)]));
    assert!(summary.not_compared[0].contains("1 line is improperly formatted"), "{:?}", summary.not_compared);
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_an_error_and_no_difference() {
    let room = Room::new();
    ["kept", "shut/in", "link", "link2"].iter().for_each(|name| drop(room.file(format!("a/{name}"), name)));
    printed(&room, "cp -a a b");
    room.file("b/shut/new", "new");
    for side in ["a/link2", "b/link"] {
        fs::remove_file(room.at(side)).unwrap();
        symlink("kept", room.at(side)).unwrap();
    }
    let shut = room.at("a/shut");
    fs::set_permissions(&shut, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read_dir(&shut).is_ok() {
        // Root reads it all the same: a loop of links that are followed cannot be read by anybody.
        fs::remove_dir_all(&shut).unwrap();
        symlink("shut", &shut).unwrap();
    }
    let mut causes = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(one) = event
            && let (Class::Error, Some(cause)) = (one.class, &one.cause)
        {
            causes.push(format!("{}: {cause}", String::from_utf8_lossy(&one.name)));
        }
        Ok(())
    };
    diff::run(&Request::new(room.at("a"), room.at("b")), &mut take, &Control::new()).unwrap();
    for cause in ["link: is a symbolic link now", "link2: is a symbolic link in A"] {
        assert!(causes.contains(&cause.to_owned()), "{causes:?}");
    }
    // Nobody knows the names below the directory.
    for (a, b, below) in [("a", "b", &["shut/in", "shut/new"][..]), ("b", "a", &["shut/in"])] {
        let (summary, rows) = between(&room, a, b);
        assert_eq!((summary.verdict(), differing(&rows)), (Verdict::Incomplete, vec![]), "{a} {b}");
        assert!(below.iter().all(|name| of(&rows, Class::Error).contains(name)), "{a} {b}: {rows:?}");
    }
}

#[cfg(feature = "known")]
#[cfg(unix)]
#[test]
fn a_cache_spares_the_reading_and_changes_no_row() {
    use pfh::hash::Reuse;
    let room = changed();
    room.file("a/x\ny", "odd");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    let cached = |a: &str, b: &str, cache: &str| {
        Request::new(room.at(a), room.at(b)).reuse(Some(Reuse { path: room.at(cache), sample: 0.0 }))
    };
    let (_, first) = ran(&cached("a", "b", "kept"));
    let (summary, again) = ran(&cached("a", "b", "kept"));
    assert_eq!((summary.cache.unwrap().reused, again), (16, first.clone()));
    assert_eq!(of(&first, Class::Removed), ["removed", "x\ny"]);
    // A compared file or somebody's file is refused as a cache.
    room.file("precious", "precious");
    for cache in ["precious", "a/same"] {
        let error = diff::run(&cached("a", "b", cache), &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(error.kind(), Kind::Request, "{error}");
    }
    // Its own cache in a tree is not a difference, nor is a list of the tree in it.
    printed(&room, "cp -a a c");
    for _ in 0..2 {
        assert_eq!(ran(&cached("a", "c", "a/kept")).0.verdict(), Verdict::Verified);
    }
    fs::remove_file(room.at("a/kept")).unwrap();
    list(&room, "c/list", "sha256", "sums", &["c"]);
    assert_eq!(between(&room, "c/list", "c").0.verdict(), Verdict::Verified);
}
