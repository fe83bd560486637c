//! Digests as records, and as a manifest.

use crate::room::{Room, cancelled, names};
use pfh::hash::{self, Event, Manifest, Problem, Request, Reuse, Sealing};
use pfh::job::{Error, Kind};
use pfh::{Control, Input, Outcome, Recurse, Secret, sha256};
use std::fs;
use std::io;
use std::path::Path;

/// A file, an empty one, and a directory with one.
fn room() -> Room {
    let room = Room::new();
    for (name, content) in [("in/a", "abc"), ("in/empty", ""), ("in/sub/b", "b")] {
        room.file(name, content);
    }
    room
}

fn all(room: &Room) -> Request {
    Request::new(Input::new([room.at("in")]).recurse(Recurse::Yes), ["sha256".parse().unwrap()])
}

fn write(request: &Request, manifest: &Manifest) -> Result<hash::ManifestOutcome, Error> {
    hash::write(request, manifest, &mut |_| Ok(()), &Control::new())
}

#[test]
fn a_run_hands_out_rows_and_writes_nothing() {
    let room = room();
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event {
            let Outcome::Hashed(hashed) = &record.outcome else { panic!("{record:?}") };
            rows.push((record.name.clone(), hashed.digests[0].to_string()));
        }
        Ok(())
    };
    let summary = hash::run(&all(&room), &mut take, &Control::new()).unwrap();
    let expected: Vec<(Vec<u8>, String)> = [("in/a", "abc"), ("in/empty", ""), ("in/sub/b", "b")]
        .map(|(name, text)| (room.at(name).into_os_string().into_encoded_bytes(), sha256(text).to_string()))
        .into();
    assert_eq!((rows, summary.run.hashed, summary.run.failed), (expected, 3, 0));
    assert_eq!(room.names(), ["in"]);
}

#[test]
fn a_manifest_is_of_the_same_records_and_no_input_of_itself() {
    let room = room();
    // The manifest lies inside of the input and is left out of it.
    let manifest = Manifest::new(room.at("in/SUMS")).seal(Some(Sealing::default()));
    let written = write(&all(&room), &manifest).unwrap();
    assert_eq!((written.summary.run.hashed, written.unwritten, written.without), (3, 0, 0));
    let text = fs::read_to_string(room.at("in/SUMS")).unwrap();
    assert_eq!(text.lines().next().unwrap(), format!("{}  {}", sha256("abc"), room.at("in/a").display()));
    assert_eq!(names(&room.at("in")), ["SUMS", "SUMS.seal", "a", "empty", "sub"]);
    let refused = write(&all(&room), &manifest).unwrap_err();
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    assert_eq!(write(&all(&room).replace(true), &manifest).unwrap().summary.run.hashed, 3);
    assert_eq!(fs::read_to_string(room.at("in/SUMS")).unwrap(), text);
}

#[test]
fn what_cannot_be_read_is_a_record() {
    let room = room();
    let request = Request::new(Input::new([room.at("in/a"), room.at("none")]), ["md5".parse().unwrap()]);
    let mut failed = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event
            && let Outcome::Failed(_) = &record.outcome
        {
            failed.push(record.number);
        }
        Ok(())
    };
    let written = hash::write(&request, &Manifest::new(room.at("list")), &mut take, &Control::new()).unwrap();
    assert_eq!((written.summary.run.hashed, written.summary.run.failed, failed), (1, 1, vec![1]));
}

#[test]
fn what_a_format_cannot_hold_is_an_event() {
    let room = room();
    let request = Request::new(Input::new([room.at("in/a")]), ["ssdeep".parse().unwrap()]);
    let manifest = Manifest::new(room.at("list")).format("ssdeep".parse().unwrap(), Default::default());
    let mut whys = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::NotWritten(record, why) = event {
            whys.push((record.number, why.to_string()));
        }
        Ok(())
    };
    let written = hash::write(&request, &manifest, &mut take, &Control::new()).unwrap();
    assert_eq!(written.unwritten + written.without, whys.len() as u64, "{whys:?}");
}

#[test]
fn nothing_is_read_or_left_behind_when_a_request_is_refused() {
    let room = room();
    let secret = || Some(Secret::context("a purpose"));
    let reuse = |sample| Some(Reuse { path: room.at("cache"), sample });
    let with = |change: &dyn Fn(&mut Request)| {
        let mut request = all(&room);
        change(&mut request);
        request
    };
    let cases: Vec<(Request, Manifest, Kind)> = vec![
        (
            all(&room),
            Manifest::new(room.at("list")).seal(Some(Sealing { key: Some(room.at("no key")), ..Sealing::default() })),
            if cfg!(any(feature = "audit", feature = "image")) { Kind::Input } else { Kind::Request },
        ),
        (all(&room), Manifest::new(pfh::Destination::default()).seal(Some(Sealing::default())), Kind::Request),
        (
            with(&|request| request.plan.piecewise = Some(0)),
            Manifest::new(room.at("list")).format("hashdeep".parse().unwrap(), Default::default()),
            Kind::Request,
        ),
        (with(&|request| request.plan.piecewise = Some(9)), Manifest::new(room.at("list")), Kind::Request),
        (with(&|request| request.secret = secret()), Manifest::new(room.at("list")), Kind::Request),
        (with(&|request| request.reuse = reuse(2.0)), Manifest::new(room.at("list")), Kind::Request),
        (
            with(&|request| request.plan.algorithms = vec!["ssdeep".parse::<pfh::Algorithm>().unwrap().into()]),
            Manifest::new(room.at("list")).format("mrsh".parse().unwrap(), Default::default()),
            Kind::Request,
        ),
        (
            with(&|request| {
                request.plan.algorithms = vec![Secret::context("c").algorithm("blake3-derive-key").unwrap().into()];
                request.reuse = reuse(0.0);
            }),
            Manifest::new(room.at("list")),
            Kind::Request,
        ),
        (
            with(&|request| {
                request.input = Input::new(["s3://bucket/key"]);
                request.reuse = reuse(0.0);
            }),
            Manifest::new(room.at("list")),
            Kind::Request,
        ),
        (all(&room), Manifest::new(room.at("no room/list")), Kind::Request),
        (Request::new(Input::default(), []), Manifest::new(room.at("list")), Kind::Request),
    ];
    for (number, (request, manifest, kind)) in cases.iter().enumerate() {
        let mut events = 0;
        let mut count = |_: Event<'_>| {
            events += 1;
            Ok(())
        };
        let error = hash::write(request, manifest, &mut count, &Control::new()).unwrap_err();
        assert_eq!((error.kind(), events), (*kind, 0), "case {number}: {error}");
        assert!(!error.to_string().contains("--"), "{error}");
        assert_eq!(room.names(), ["in"], "case {number}");
    }
    let error = write(&cases[2].0, &cases[2].1).unwrap_err();
    assert!(matches!(error.find::<Problem>(), Some(Problem::Window)), "{error}");
}

#[test]
fn an_interrupted_run_leaves_no_file() {
    let room = room();
    let control = cancelled();
    // A run of three files may be over before it looks.
    let interrupted = (0..200).any(|_| {
        let written = hash::write(&all(&room), &Manifest::new(room.at("list")), &mut |_| Ok(()), &control).unwrap();
        let is_interrupted = written.summary.run.interrupted;
        assert_eq!(room.at("list").exists(), !is_interrupted);
        if !is_interrupted {
            std::fs::remove_file(room.at("list")).unwrap();
        }
        is_interrupted
    });
    assert!(interrupted);
    assert_eq!(room.names(), ["in"]);
}

#[test]
fn an_event_that_is_refused_ends_the_run() {
    let room = room();
    let mut refuse = |_: Event<'_>| Err(io::Error::other("enough"));
    let error = hash::write(&all(&room), &Manifest::new(room.at("list")), &mut refuse, &Control::new()).unwrap_err();
    assert!(matches!(&error, Error::Sink(why) if why.to_string() == "enough"), "{error}");
    assert_eq!(room.names(), ["in"]);
}

#[test]
#[cfg(feature = "known")]
fn digests_are_kept_from_run_to_run() {
    let room = room();
    let request = all(&room).reuse(Some(Reuse { path: room.at("cache"), sample: 0.0 }));
    // A file that changed a moment ago may change again without a new time, and is not kept.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let (first, second) = (
        hash::run(&request, &mut |_| Ok(()), &Control::new()).unwrap().cache.unwrap(),
        hash::run(&request, &mut |_| Ok(()), &Control::new()).unwrap(),
    );
    assert_eq!((first.reused, second.run.hashed), (0, 3));
    let used = second.cache.unwrap();
    assert_eq!(used.reused + used.timeless, 3, "{used:?}");
}

#[test]
fn records_come_one_by_one_and_end_when_dropped() {
    let room = room();
    for number in 0..2000 {
        fs::write(room.at(format!("in/{number:04}")), number.to_string()).unwrap();
    }
    let records = || {
        let input = Input::new([room.at("in")]).recurse(Recurse::Yes);
        hash::records(input, ["sha256".parse().unwrap()]).unwrap()
    };
    let mut some = records();
    assert_eq!(some.by_ref().take(3).map(|record| record.number).collect::<Vec<_>>(), [0, 1, 2]);
    drop(some);
    let mut all = records();
    assert_eq!(all.by_ref().count(), 2003);
    assert_eq!(all.finish().unwrap().hashed, 2003);
    assert_eq!(records().finish().unwrap().hashed, 2003);
    let error = hash::records(Input::default(), []).err().expect("nothing is named");
    assert_eq!(error.kind(), Kind::Request);
}

#[test]
fn one_file_has_one_digest() {
    let room = room();
    let digest = |path: &Path, algorithm: &str| pfh::hash_file(path, algorithm);
    assert_eq!(digest(&room.at("in/a"), "sha256").unwrap(), sha256("abc"));
    assert_eq!(digest(&room.at("in/empty"), "SHA-256").unwrap(), sha256(""));
    let algorithm: pfh::Algorithm = "md5".parse().unwrap();
    assert_eq!(pfh::hash_file(room.at("in/a"), algorithm).unwrap(), algorithm.digest(b"abc"));
    assert_eq!(digest(&room.at("in/a"), "sha0").unwrap_err().kind(), Kind::Request);
    for missing in ["none", "in"] {
        let error = digest(&room.at(missing), "sha256").unwrap_err();
        assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at(missing))), "{error}");
    }
}

/// The library takes paths as Windows has them, and gives names as all that pfh writes has them.
#[cfg(windows)]
#[test]
fn backslashes_of_paths_become_slashes() {
    let room = room();
    let mut names = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event {
            names.push(String::from_utf8(record.name.clone()).unwrap());
        }
        Ok(())
    };
    let typed = room.at("in").display().to_string().replace('/', "\\");
    let request = hash::Request::new(Input::new([typed]).recurse(Recurse::Yes), ["sha256".parse().unwrap()]);
    hash::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!(names, ["in/a", "in/empty", "in/sub/b"].map(|name| room.at(name).display().to_string()));
}
