//! Sets of known digests: build, description, export and look-up.

use crate::room::{Room, cancelled};
use pfh::Control;
use pfh::job::Kind;
use pfh::known::{Class, KnownStatus, Problem, build, export, info, lookup};
use pfh::matching::Sets;
use std::fs;

const ABC: &str = "900150983cd24fb0d6963f7d28e17f72";
const NONE: &str = "d41d8cd98f00b204e9800998ecf8427f";

/// A list of one known-bad digest and a line that is none, and the set that it becomes.
fn room() -> Room {
    let room = Room::new();
    let list = room.file("bad.txt", &format!("{ABC}  malware\nzz  torn\n"));
    let request = build::Request::new(room.at("set")).set(list, Class::Bad);
    let mut faults = Vec::new();
    let mut events = |event: build::Event<'_>| {
        if let build::Event::Fault { line, .. } = event {
            faults.push(line);
        }
        Ok(())
    };
    let summary = build::run(&request, &mut events, &Control::new()).unwrap();
    assert_eq!((summary.faults(), summary.is_complete(), faults), (1, false, vec![2]));
    room
}

#[test]
fn answers_are_rows() {
    let room = room();
    let sets = Sets { digests: vec![ABC.into(), NONE.into()], ..Sets::new([room.at("set")]) };
    let mut rows = Vec::new();
    let mut events = |event: lookup::Event<'_>| {
        if let lookup::Event::Answer(found) = event {
            rows.push((found.verdict, found.places().iter().map(|place| place.set.to_owned()).collect::<Vec<_>>()));
        }
        Ok(())
    };
    let summary = lookup::run(&lookup::Request::new(sets), &mut events, &Control::new()).unwrap();
    assert_eq!(rows[0], (Some(KnownStatus::KnownBad), vec!["bad".to_owned()]));
    assert_eq!(rows[1], (Some(KnownStatus::Unknown), vec![]));
    assert_eq!(summary.conclusion(&[KnownStatus::Unknown]), pfh::Verdict::Differs);
    assert_eq!(summary.conclusion(&[]), pfh::Verdict::Verified);
}

#[test]
fn sets_are_described() {
    let room = room();
    let mut names = Vec::new();
    let mut events = |event: info::Event<'_>| {
        if let info::Event::Set(set) = event {
            names.push((set.name.clone(), set.records));
        }
        Ok(())
    };
    let mut request = info::Request::new(room.at("set"));
    request.verify = true;
    let summary = info::run(&request, &mut events, &Control::new()).unwrap();
    assert!(summary.digest.is_some());
    assert_eq!(names, [("bad".to_owned(), 1)]);
    // A changed byte is an answer, and no missing file.
    let mut bytes = fs::read(room.at("set")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(room.at("set"), bytes).unwrap();
    let error = info::run(&request, &mut |_| Ok(()), &Control::new()).err().unwrap();
    assert!(matches!(error.kind(), Kind::Negative | Kind::Input | Kind::Aborted), "{error}");
}

#[test]
fn an_export_counts_what_it_leaves_out() {
    let room = room();
    let request = export::Request::new(room.at("bad.txt"), room.at("out"), "hashdeep".parse().unwrap());
    let mut faults = 0;
    let mut events = |_: export::Event<'_>| {
        faults += 1;
        Ok(())
    };
    // The list has no sizes: hashdeep cannot hold its entries.
    let error = export::run(&request, &mut events, &Control::new()).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NothingToExport(_))), "{error}");
    assert_eq!((error.kind(), faults, room.at("out").exists()), (Kind::Input, 1, false));
    let request = export::Request::new(room.at("set"), room.at("out"), "kdb".parse().unwrap());
    assert_eq!(export::run(&request, &mut |_| Ok(()), &Control::new()).unwrap().written, 1);
    let error = export::run(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(error.kind(), Kind::Request, "somebody's file is there: {error}");
}

#[test]
fn a_refused_build_leaves_nothing_behind() {
    let room = room();
    let names = room.names();
    let wrong = |request: build::Request, kind: Kind| {
        let checked = request.check().unwrap_err();
        let error = build::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!((checked.kind(), error.kind()), (kind, kind), "{error}");
        assert_eq!(checked.to_string(), error.to_string());
        assert!(!error.to_string().contains("--"), "{error}");
        assert_eq!(room.names(), names);
    };
    let list = room.at("bad.txt");
    wrong(build::Request::new(room.at("new")), Kind::Request);
    wrong(build::Request::new(room.at("new")).set(room.at("gone"), Class::Bad), Kind::Input);
    wrong(build::Request::new(room.at("no/new")).set(&list, Class::Bad), Kind::Request);
    wrong(build::Request::new(&list).set(&list, Class::Bad), Kind::Request);
    let mut blocks = build::Request::new(room.at("new")).set(&list, Class::Bad);
    blocks.blocks = vec![513];
    wrong(blocks, Kind::Request);
}

#[test]
fn a_refused_event_ends_a_build() {
    let room = room();
    let request = build::Request::new(room.at("new")).set(room.at("bad.txt"), Class::Bad);
    let refuse = |_: build::Event<'_>| Err(std::io::Error::other("enough"));
    let error = build::run(&request, &mut { refuse }, &Control::new()).unwrap_err();
    assert!(matches!(error, pfh::job::Error::Sink(_)) && !room.at("new").exists(), "{error}");
    let error = build::run(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!((error.kind(), room.at("new").exists()), (Kind::Cancelled, false), "{error}");
}

#[test]
fn a_lookup_needs_sets_and_digests() {
    let room = room();
    let ask = |sets: Sets| lookup::run(&lookup::Request::new(sets), &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert_eq!(ask(Sets::default()).kind(), Kind::Request);
    let gone = Sets { digests: vec![ABC.into()], ..Sets::new([room.at("gone")]) };
    assert_eq!(ask(gone).kind(), Kind::Input);
    let torn = Sets { digests: vec!["xyz".into()], ..Sets::new([room.at("set")]) };
    assert_eq!(ask(torn).kind(), Kind::Request);
}
