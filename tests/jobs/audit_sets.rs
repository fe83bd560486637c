//! The audit over HTTP of sets of files, with tokens in place of the data, and by a schedule.

use crate::audited::{Served, ask, asked, commit, committed, damage};
use crate::room::Room;
use crate::trees::{build_all, built};
use pfh::Control;
use pfh::audit::ask::AskMode;
use pfh::audit::{By, Event, Evidence, Extent, Status, ask as verb, commit as committing, tokens};
use pfh::job::Kind;
use pfh::tree::{Function, Parameters, build};
use pfh_inject::random;
use std::fs;
use std::time::Duration;

#[test]
fn tokens_audit_without_the_data_once_each() {
    let (room, file) = committed("blake3", 300_000);
    let copy = room.file("copy", &fs::read(&file).unwrap());
    let mut making = tokens::Request::new(room.at("kept"), &copy, room.at("tokens"));
    (making.count, making.extent) = (3, Extent { loss: 0.01, by: By::Leaves(50) });
    making.replace = true;
    let make = |request: &tokens::Request| tokens::run(request, &mut |_| Ok(()), &Control::new());
    make(&making).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(room.at("tokens")).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The data is gone, and the kept record is not needed.
    fs::remove_file(&copy).unwrap();
    let server = Served::start(&room);
    let with =
        |name: &str| server.ask(&room, |ask| (ask.how, ask.kept) = (AskMode::Token(room.at(name)), room.at("none")));
    let judged = asked(&with("tokens"));
    assert_eq!((judged.status, judged.leaves, judged.evidence), (Status::Proved, (50, 293), Evidence::Token));
    assert_eq!(judged.identity, "disk.img");
    // A server that lost every leaf's first byte is found out by the next one.
    let genuine = fs::read(&file).unwrap();
    damage(&file);
    assert_eq!(asked(&with("tokens")).status, Status::Rejected);
    let damaged = fs::read(&file).unwrap();
    fs::write(&file, &genuine).unwrap();
    let mut last = 0;
    let mut count = |event: Event<'_>| {
        last += u32::from(matches!(event, Event::LastToken(_)));
        Ok(())
    };
    assert_eq!(verb::run(&with("tokens"), &mut count, &Control::new()).unwrap(), Status::Proved);
    assert_eq!(last, 1);
    let used = ask(&with("tokens")).unwrap_err();
    assert!(used.kind() == Kind::Input && used.to_string().contains("all tokens have been used"), "{used}");
    // A copy that is not the file makes no tokens; a part of a token is none.
    let before = fs::read(room.at("tokens")).unwrap();
    fs::write(&copy, &damaged).unwrap();
    assert_eq!(make(&making).unwrap_err().kind(), Kind::Input);
    assert_eq!(fs::read(room.at("tokens")).unwrap(), before);
    room.file("cut", &before[..before.len() - 30]);
    assert_eq!(ask(&with("cut")).unwrap_err().kind(), Kind::Request);
}

/// Forty small files under one commitment: one sample over all of them, and small files are not
/// transferred whole.
#[test]
fn a_set_is_sampled_as_a_whole_under_one_commitment() {
    let room = Room::of_server();
    let files: Vec<_> = (0..40).map(|n| room.file(format!("case/f{n}"), &random(n, 20_000))).collect();
    let mut trees = build::Request::below([room.at("case")]);
    trees.parameters = Parameters::new(Function::Blake3, 1024).unwrap();
    assert_eq!(build_all(&trees).unwrap().len(), 40);
    // A line for each file, under its name below the server's directory.
    let mut lines = String::new();
    for file in &files {
        let mut request = committing::Request::new([file]).output(room.at("line"));
        (request.identity, request.replace) = (file.file_name().map(Into::into), true);
        committing::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
        lines += &fs::read_to_string(room.at("line")).unwrap();
    }
    room.file("catalogue", &lines);
    // The owner stores the catalogue as well, and the auditor keeps the line for it.
    let stored = room.file("case/catalogue", &lines);
    built(&stored, "blake3", 16 << 10);
    commit(&room, &stored, "catalogue", "one").unwrap();
    assert_eq!(fs::read_to_string(room.at("one")).unwrap().lines().count(), 1);
    let server = Served::start(&room);
    let of = |kept: &str, how: AskMode, confidence: f64| {
        let extent = Extent { loss: 0.05, by: By::Confidence(confidence) };
        let kept = room.at(kept);
        ask(&server.ask(&room, |ask| (ask.how, ask.extent, ask.kept) = (how, extent, kept))).unwrap()
    };
    for (kept, how) in [("catalogue", AskMode::Together), ("one", AskMode::Catalogue)] {
        let (status, rows) = of(kept, how, 0.99);
        let set = rows.last().unwrap();
        assert_eq!((status, set.status, set.leaves), (Status::Proved, Status::Proved, (90, 800)), "{kept}");
        assert!(set.finds > 0.99, "{set:?}");
        let (asked, of) = set.files.unwrap();
        assert!((25..=40).contains(&asked) && of == 40, "{set:?}");
    }
    // A tenth of all leaves is lost.
    for file in &files[..4] {
        fs::write(file, vec![0; 20_000]).unwrap();
    }
    let (status, rows) = of("one", AskMode::Catalogue, 0.999_999);
    assert!(status == Status::Rejected && rows.iter().any(|row| row.status == Status::Rejected), "{rows:?}");
    // Another catalogue than the one committed to is found out before it is believed.
    let mut other = lines.into_bytes();
    other[100] ^= 1;
    fs::write(&stored, &other).unwrap();
    let (status, rows) = of("one", AskMode::Catalogue, 0.99);
    assert!(status == Status::Rejected && rows.iter().all(|row| row.files.is_none()), "{rows:?}");
}

/// A renewed commitment is the one that the server answers for, not the old one.
#[test]
fn a_server_answers_for_the_root_that_it_has() {
    use pfh::audit::renew;
    use pfh::tree::update::{self, ChangedParts};
    let (room, file) = committed("blake3", 300_000);
    let mut bytes = fs::read(&file).unwrap();
    bytes[5000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let mut request = update::Request::new(&file, ChangedParts::Ranges(vec![5000..5001; 1]));
    request.proof = Some(room.at("update"));
    update::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let mut renewing = renew::Request::new(room.at("kept"), room.at("update"));
    renewing.output = room.at("new").into();
    renew::run(&renewing, &mut |_| Ok(()), &Control::new()).unwrap();
    let server = Served::start(&room);
    let of = |kept: &str| asked(&server.ask(&room, |ask| ask.kept = room.at(kept)));
    assert_eq!(of("new").status, Status::Proved);
    assert_eq!(of("kept").status, Status::NotAsked);
}

#[test]
fn a_schedule_ends_when_a_server_is_caught() {
    let (room, file) = committed("blake3", 50_000);
    let server = Served::start(&room);
    let (every, rounds) = (Some(Duration::from_millis(200)), Some(2));
    let request = server.ask(&room, |ask| (ask.every, ask.rounds) = (every, rounds));
    let (status, rows) = ask(&request).unwrap();
    assert_eq!((status, rows.len()), (Status::Proved, 2));
    let mut nobody = request.clone();
    nobody.url = "http://127.0.0.1:9".into();
    let (status, rows) = ask(&nobody).unwrap();
    assert_eq!((status, rows.len()), (Status::NotAsked, 2));
    fs::write(&file, vec![0; 50_000]).unwrap();
    let (status, rows) = ask(&request).unwrap();
    assert_eq!((status, rows.len()), (Status::Rejected, 1));
}
