//! Differences between two trees.

use crate::room::{Room, cancelled};
use pfh::diff::{self, Class, Event, Nothing, Request, Summary};
use pfh::job::{Error, Kind};
use pfh::{Control, Verdict};

fn run(request: &Request) -> (Result<Summary, Error>, Vec<(String, Class)>) {
    let mut rows = Vec::new();
    let ran = diff::run(
        request,
        &mut |event| {
            if let Event::Classed(difference) = event {
                rows.push((String::from_utf8(difference.name.clone()).unwrap(), difference.class));
            }
            Ok(())
        },
        &Control::new(),
    );
    (ran, rows)
}

fn sides() -> (Room, Request) {
    let room = Room::new();
    for (name, content) in [("a/same", "1"), ("a/changed", "2"), ("a/gone", "3"), ("b/same", "1")] {
        room.file(name, content);
    }
    room.file("b/changed", "two");
    room.file("b/new", "4");
    let request = Request::new(room.path().join("a"), room.path().join("b"));
    (room, request)
}

#[test]
fn differences_are_rows() {
    let (_room, request) = sides();
    let (ran, mut rows) = run(&request);
    rows.sort();
    let expected =
        [("changed", Class::Changed), ("gone", Class::Removed), ("new", Class::Added), ("same", Class::Same)];
    assert_eq!(rows, expected.map(|(name, class)| (name.to_owned(), class)));
    let summary = ran.unwrap();
    assert_eq!((summary.verdict(), summary.counts.differing()), (Verdict::Differs, 3));
}

/// Two such names are one file on a volume without regard to case: there one of them is missing.
#[cfg(not(windows))]
#[test]
fn names_that_differ_by_case_alone_are_named() {
    let room = Room::new();
    for (name, content) in [("a/readme", "1"), ("a/README", "2"), ("a/x", "3"), ("b/readme", "1"), ("b/X", "3")] {
        room.file(name, content);
    }
    let mut causes = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(difference) = event {
            let name = String::from_utf8(difference.name.clone()).unwrap();
            causes.push((name, difference.class, difference.cause.clone()));
        }
        Ok(())
    };
    let request = Request::new(room.path().join("a"), room.path().join("b"));
    let summary = diff::run(&request, &mut take, &Control::new()).unwrap();
    let remark = |name: &str| Some(format!("differs from {name} by case alone"));
    let expected = [
        ("readme".to_owned(), Class::Same, None),
        ("README".to_owned(), Class::Removed, remark("readme")),
        ("X".to_owned(), Class::Moved, remark("x")),
    ];
    assert_eq!((causes, summary.verdict()), (expected.to_vec(), Verdict::Differs));
    // Both sides have both: nothing differs.
    room.file("b/README", "2");
    std::fs::rename(room.path().join("b/X"), room.path().join("b/x")).unwrap();
    assert_eq!(run(&request).0.unwrap().verdict(), Verdict::Verified);
}

#[test]
fn one_thing_and_nothing_are_no_verdict() {
    let (room, _) = sides();
    let a = room.path().join("a");
    let summary = run(&Request::new(&a, &a)).0.unwrap();
    assert_eq!((summary.nothing, summary.verdict()), (Some(Nothing::OneThing), Verdict::NothingToCompareWith));
    for empty in ["c", "d"] {
        std::fs::create_dir(room.path().join(empty)).unwrap();
    }
    let summary = run(&Request::new(room.path().join("c"), room.path().join("d"))).0.unwrap();
    assert_eq!(summary.nothing, Some(Nothing::NoFile));
}

#[test]
fn errors_have_their_kinds() {
    let (room, request) = sides();
    let error = run(&Request::new(room.path().join("none"), room.path().join("b"))).0.unwrap_err();
    assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.path().join("none"))));
    assert_eq!(Request::new("-", "-").check().unwrap_err().kind(), Kind::Request);
    let error = diff::run(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    let error = diff::run(&request, &mut |_| Err(std::io::Error::other("full")), &Control::new()).unwrap_err();
    assert!(matches!(error, Error::Sink(_)));
}

#[cfg(feature = "known")]
#[test]
fn a_cache_on_a_list_is_refused_and_the_list_stays() {
    let room = Room::new();
    let list = room.file("list", "900150983cd24fb0d6963f7d28e17f72  a\n");
    room.file("b/a", "abc");
    let reuse = pfh::hash::Reuse { path: list.clone(), sample: 0.0 };
    let error = run(&Request::new(&list, room.path().join("b")).reuse(Some(reuse))).0.unwrap_err();
    assert_eq!(error.kind(), Kind::Request);
    assert!(std::fs::read_to_string(list).unwrap().ends_with("  a\n"));
}
