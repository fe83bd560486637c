//! dd: operands and their effect.

use crate::room::cancelled;
use pfh::Control;
use pfh::dd::{self, Event, Problem, Request};
use pfh::job::{Error, Kind};
use std::fs;
use std::path::Path;

fn parse(room: &Path, words: &str) -> Result<Request, Error> {
    let words: Vec<_> =
        words.split(' ').map(|word| word.replace('@', &format!("{}/", room.display())).into()).collect();
    Request::parse(&words, false)
}

fn run(request: &Request) -> Result<dd::Summary, Error> {
    request.check()?;
    dd::run(request, &mut |_| Ok(()), &Control::new())
}

fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().unwrap();
    fs::write(room.path().join("disk"), "abc").unwrap();
    room
}

#[test]
fn a_copy_its_digest_and_its_log() {
    let room = room();
    let request = parse(room.path(), "if=@disk of=@copy hash=md5 hashlog=@log").unwrap();
    let summary = run(&request).unwrap();
    let total = "Total (md5): 900150983cd24fb0d6963f7d28e17f72\n";
    assert_eq!(dd::hashes(&summary.acquired.imaged), total);
    assert_eq!(fs::read(room.path().join("copy")).unwrap(), b"abc");
    assert!(fs::read_to_string(room.path().join("log")).unwrap().ends_with(total));
    // An existing file is not replaced.
    let error = run(&request).unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
    // The same bytes are equal to it, others are not.
    for (content, differs) in [("abc", false), ("abd", true), ("abcd", true)] {
        fs::write(room.path().join("other"), content).unwrap();
        let mut compared = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Compared { is_equal, .. } = event {
                compared.push(is_equal);
            }
            Ok(())
        };
        let request = parse(room.path(), "if=@disk vf=@other").unwrap();
        let summary = dd::run(&request, &mut take, &Control::new()).unwrap();
        assert_eq!((summary.differs, &compared[..]), (differs, &[!differs][..]), "{content}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_leaves_nothing() {
    let room = room();
    for words in ["of", "of=@copy if=@disk conv=nothing", "of=@copy if=@disk bs=0", "of=@copy if=@disk ofsz=9 ofs=@x"] {
        let error = parse(room.path(), words).unwrap_err();
        assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Operand(_))), "{words}: {error}");
    }
    let error = parse(room.path(), "if=@disk of=@copy hash=md6").unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Algorithm(_))), "{error}");
    assert!(matches!(run(&parse(room.path(), "if=@disk of=@disk").unwrap()), Err(Error::Refused(_))));
    let missing = run(&parse(room.path(), "if=@none of=@copy").unwrap()).unwrap_err();
    assert_eq!(missing.kind(), Kind::Input);
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 1);
}

#[test]
fn it_is_cancelled_and_its_events_are_refused() {
    let room = room();
    let request = parse(room.path(), "if=@disk of=@copy").unwrap();
    let error = dd::run(&request, &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled, "{error}");
    let request = parse(room.path(), "if=@disk of=@copy2").unwrap();
    let mut full = |_: Event<'_>| Err(std::io::Error::other("full"));
    assert!(matches!(dd::run(&request, &mut full, &Control::new()), Err(Error::Sink(_))));
}
