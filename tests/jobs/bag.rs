//! Packages with their manifests.

use crate::room::{Room, cancelled};
use pfh::bag::{self, Event, Problem, Request, Severity, Summary};
use pfh::job::{Error, Kind};
use pfh::{Control, Verdict};

pub type Verb = fn(&Request, &mut bag::Events<'_>, &Control<'_>) -> Result<Summary, Error>;

pub fn run(verb: Verb, request: &Request) -> (Result<Summary, Error>, Vec<(Severity, String)>) {
    let mut found = Vec::new();
    let ran = verb(
        request,
        &mut |event| {
            if let Event::Found(finding) = event {
                found.push((finding.severity, String::from_utf8(finding.path.clone()).unwrap()));
            }
            Ok(())
        },
        &Control::new(),
    );
    (ran, found)
}

/// All findings, however the job ended.
pub fn found(verb: Verb, request: &Request) -> Vec<(Severity, String, String)> {
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Found(one) = event {
            found.push((one.severity, String::from_utf8(one.path.clone()).unwrap(), one.what.clone()));
        }
        Ok(())
    };
    let _ = verb(request, &mut take, &Control::new());
    found
}

fn bag() -> (Room, Request) {
    let room = Room::new();
    room.file("data/a", "one");
    room.file("data/b", "two");
    let request = Request::new(room.path());
    (room, request)
}

#[test]
fn a_bag_is_made_valid_and_its_damage_found() {
    let (room, request) = bag();
    let made = run(bag::create, &request).0.unwrap();
    assert_eq!((made.files, made.bytes), (2, 6));
    let (valid, found) = run(bag::validate, &request);
    assert_eq!((valid.unwrap().verdict(), found), (Verdict::Verified, vec![]));
    room.file("data/a", "One");
    std::fs::remove_file(room.path().join("data/b")).unwrap();
    let (damaged, found) = run(bag::validate, &request);
    assert_eq!(damaged.unwrap().verdict(), Verdict::Differs);
    for name in ["data/a", "data/b"] {
        assert!(found.contains(&(Severity::Error, name.to_owned())), "{found:?}");
    }
}

/// A volume without regard to case would hold one of them.
#[cfg(not(windows))]
#[test]
fn names_that_differ_by_case_alone_are_named() {
    let (room, request) = bag();
    room.file("data/A", "three");
    let (made, found) = run(bag::create, &request);
    assert_eq!((made.unwrap().warnings, found), (1, vec![(Severity::Warning, "data/a".to_owned())]));
}

#[test]
fn an_update_takes_changed_contents_only_if_asked() {
    let (room, request) = bag();
    run(bag::create, &request).0.unwrap();
    room.file("data/a", "One");
    let before = std::fs::read(room.path().join("manifest-sha512.txt")).unwrap();
    let error = run(bag::update, &request).0.unwrap_err();
    assert!(error.kind() == Kind::Negative && !error.to_string().contains("--"), "{error}");
    assert!(matches!(error.find(), Some(Problem::Changed(1))));
    assert_eq!(std::fs::read(room.path().join("manifest-sha512.txt")).unwrap(), before);
    run(bag::update, &request.clone().replace(true)).0.unwrap();
    assert_eq!(run(bag::validate, &request).0.unwrap().verdict(), Verdict::Verified);
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let (room, request) = bag();
    let similar = request.clone().algorithms_of(vec!["ssdeep".parse().unwrap()]);
    let no_line = request.clone().info(vec![("no:label".into(), "value".into())]);
    for wrong in [similar, no_line] {
        assert_eq!(run(bag::create, &wrong).0.unwrap_err().kind(), Kind::Request);
    }
    let interrupted = bag::create(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(interrupted.kind(), Kind::Cancelled);
    assert_eq!(room.names(), ["data"]);
    run(bag::create, &request).0.unwrap();
    assert!(matches!(run(bag::create, &request).0.unwrap_err().find(), Some(Problem::IsBag(_))));
    let none = Request::new(room.path().join("none"));
    for verb in [bag::create as Verb, bag::validate, bag::update] {
        let error = run(verb, &none).0.unwrap_err();
        assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.path().join("none"))));
    }
    let empty = Room::new();
    assert!(matches!(run(bag::create, &Request::new(empty.path())).0.unwrap_err().find(), Some(Problem::NoData(_))));
}
