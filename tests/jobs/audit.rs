//! An audit through files, as its steps return it.

use crate::room::Room;
use pfh::audit::{Event, Problem, Status, challenge, commit, parse, prove, renew, tokens, verify};
use pfh::job::{Error, Kind};
use pfh::tree::update::{self, ChangedParts};
use pfh::tree::{self, build};
use pfh::{Control, Destination};
use std::fs;
use std::path::PathBuf;

/// A file with its tree, and an auditor's record of it.
fn room() -> (Room, PathBuf) {
    let room = Room::new();
    let file = room.file("disk", &"0123456789".repeat(100_000));
    build::run(&build::Request::file(&file), &mut |_| Ok(()), &Control::new()).unwrap();
    commit::run(&commit::Request::new([&file]).output(room.at("kept")), &mut |_| Ok(()), &Control::new()).unwrap();
    (room, file)
}

/// A challenge and its answer.
fn asked(room: &Room, file: &PathBuf) {
    let (challenge, answer) = (room.at("challenge"), room.at("answer"));
    let mut request = challenge::Request::new(room.at("kept")).output(&*challenge);
    request.replace = true;
    challenge::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let mut request = prove::Request::new(challenge, file).output(answer);
    request.replace = true;
    prove::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
}

fn judge(room: &Room) -> Result<Status, Error> {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Judged(verdict) = event {
            rows.push(verdict.status());
        }
        Ok(())
    };
    let request = verify::Request::new(room.at("kept"), room.at("challenge"), room.at("answer"));
    let verdict = verify::run(&request, &mut take, &Control::new())?;
    assert_eq!(rows, [verdict.status()]);
    Ok(verdict.status())
}

#[test]
fn an_answer_proves_the_file_and_a_changed_one_nothing() {
    let (room, file) = room();
    asked(&room, &file);
    assert_eq!(judge(&room).unwrap(), Status::Proved);
    let mut answer = fs::read(room.at("answer")).unwrap();
    let middle = answer.len() / 2;
    answer[middle] ^= 1;
    fs::write(room.at("answer"), answer).unwrap();
    assert_eq!(judge(&room).unwrap(), Status::Rejected);
    fs::write(room.at("answer"), "").unwrap();
    assert_ne!(judge(&room).unwrap(), Status::Proved);
}

#[test]
fn a_change_is_followed_by_its_proof() {
    let (room, file) = room();
    let before = fs::read(room.at("kept")).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[500_000] ^= 1;
    fs::write(&file, bytes).unwrap();
    let mut request = update::Request::new(&file, ChangedParts::Ranges(vec![500_000..500_001; 1]));
    request.proof = Some(room.at("update"));
    update::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    let mut request = renew::Request::new(room.at("kept"), room.at("update"));
    request.output = Destination::from(room.at("new"));
    let mut rows = 0;
    let mut count = |event: Event<'_>| {
        rows += u32::from(matches!(event, Event::Renewed(_)));
        Ok(())
    };
    let summary = renew::run(&request, &mut count, &Control::new()).unwrap();
    let new = parse(&fs::read(room.at("new")).unwrap()).unwrap();
    assert_eq!((rows, new.len(), new[0].commitment), (1, 1, summary.commitment));
    assert_ne!(fs::read(room.at("new")).unwrap(), before);
    // The same proof leads nowhere from the new root, and no file is made.
    let mut again = renew::Request::new(room.at("new"), room.at("update"));
    again.output = Destination::from(room.at("newer"));
    let error = renew::run(&again, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.kind() == Kind::Negative && matches!(error.find(), Some(Problem::Rejected { .. })), "{error}");
    assert!(!room.at("newer").exists());
}

#[test]
fn requests_are_refused_before_anything_is_read_or_written() {
    let (room, file) = room();
    let names = room.names();
    let mut two = commit::Request::new([&file, &room.at("none")]).output(room.at("new"));
    two.identity = Some("one name".into());
    let mut long = commit::Request::new([&file]);
    long.identity = Some("x".repeat(5000).into());
    let mut key = verify::Request::new(room.at("kept"), room.at("none"), room.at("none"));
    key.signed_by = Some(room.at("no key"));
    let mut signed = prove::Request::new(room.at("none"), &file).output(room.at("new"));
    signed.answer = prove::Answer::Leaves(Some(room.at("no key")));
    let mut onto = challenge::Request::new(room.at("kept")).output(room.at("kept"));
    onto.replace = true;
    let secret = tokens::Request::new(room.at("kept"), &file, &file);
    let update = renew::Request::new("-", "-");
    let quiet = || Control::new();
    type Case = (Result<(), Error>, Result<(), Error>, Kind);
    let cases: [Case; 7] = [
        (two.check(), commit::run(&two, &mut |_| Ok(()), &quiet()), Kind::Request),
        (long.check(), commit::run(&long, &mut |_| Ok(()), &quiet()), Kind::Request),
        (key.check(), verify::run(&key, &mut |_| Ok(()), &quiet()).map(drop), Kind::Input),
        (signed.check(), prove::run(&signed, &mut |_| Ok(()), &quiet()), Kind::Input),
        (onto.check(), challenge::run(&onto, &mut |_| Ok(()), &quiet()), Kind::Request),
        (secret.check(), tokens::run(&secret, &mut |_| Ok(()), &quiet()), Kind::Request),
        (update.check(), renew::run(&update, &mut |_| Ok(()), &quiet()).map(drop), Kind::Request),
    ];
    for (number, (checked, ran, kind)) in cases.into_iter().enumerate() {
        let (checked, ran) = (checked.unwrap_err(), ran.unwrap_err());
        assert_eq!((checked.kind(), ran.kind()), (kind, kind), "case {number}: {ran}");
        assert_eq!(checked.to_string(), ran.to_string(), "case {number}");
        assert!(!ran.to_string().contains("--"), "{ran}");
    }
    assert_eq!(room.names(), names);
    assert_eq!(tree::beside(&file).metadata().unwrap().len(), fs::metadata(room.at("disk.pfhtree")).unwrap().len());
}

#[test]
fn what_is_missing_is_an_input_and_a_refused_event_ends_it() {
    let (room, file) = room();
    asked(&room, &file);
    let none = commit::Request::new([room.at("none")]).output(room.at("new"));
    assert_eq!(commit::run(&none, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Input);
    let none = challenge::Request::new(room.at("none")).output(room.at("new"));
    assert_eq!(challenge::run(&none, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Input);
    assert!(!room.at("new").exists());
    let request = verify::Request::new(room.at("kept"), room.at("challenge"), room.at("answer"));
    let mut full = |_: Event<'_>| Err(std::io::Error::other("full"));
    assert!(matches!(verify::run(&request, &mut full, &Control::new()), Err(Error::Sink(_))));
}

#[cfg(feature = "serve")]
#[test]
fn a_server_without_trees_or_key_does_not_listen() {
    use pfh::audit::serve;
    let room = Room::new();
    let mut listening = 0;
    let mut count = |_: Event<'_>| {
        listening += 1;
        Ok(())
    };
    let mut request = serve::Request::new(room.path());
    request.listen = "127.0.0.1:0".into();
    let error = serve::run(&request, &mut count, &Control::new()).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Empty(_))), "{error}");
    request.key = Some(room.at("no key"));
    assert_eq!(request.check().unwrap_err().kind(), Kind::Input);
    assert_eq!(serve::run(&request, &mut count, &Control::new()).unwrap_err().kind(), Kind::Input);
    assert_eq!(listening, 0);
}
