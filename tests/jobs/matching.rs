//! Files against known files, as the job's events.

use crate::room::{Room, cancelled};
use pfh::job::{Error, Kind};
use pfh::known::KnownStatus;
use pfh::matching::{self, Event, Request, Sets, Verdicts, similar};
use pfh::{Control, Input, Verdict};
use std::fs;

const ABC: &str = "900150983cd24fb0d6963f7d28e17f72";

/// A known-bad file, an unknown one, a list and a torn one.
fn room() -> Room {
    let room = Room::new();
    room.file("bad", "abc");
    room.file("other", "other");
    room.file("list", &format!("{ABC}  malware\n"));
    room.file("torn", &format!("{}  malware\nzz\n{:032}  nothing\n", &ABC[..20], 7));
    room
}

fn asked(room: &Room, list: &str, files: &[&str]) -> Request {
    let sets = Sets { class: Some("bad".parse().unwrap()), ..Sets::new([room.at(list)]) };
    Request::new(Input::new(files.iter().map(|name| room.at(name))), sets)
}

/// Verdicts and gaps of a run.
fn rows(request: &Request) -> (Result<matching::Summary, Error>, Vec<&'static str>, usize) {
    let (mut words, mut gaps) = (Vec::new(), 0);
    let ran = matching::run(
        request,
        &mut |event| {
            match event {
                Event::Match(found) => words.push(found.word()),
                Event::Gap(_) => gaps += 1,
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    );
    (ran, words, gaps)
}

#[test]
fn verdicts_are_rows_in_the_order_of_the_input() {
    let room = room();
    let request = asked(&room, "list", &["other", "bad", "gone"]);
    let (ran, words, gaps) = rows(&request);
    let summary = ran.unwrap();
    assert_eq!((words, gaps), (vec!["unknown", "known-bad", "error"], 1));
    // How digests without a named algorithm are taken is a remark, not a gap of the set.
    assert_eq!((summary.known(), summary.run.failed, summary.gaps), (1, 1, 0));
    // A known-bad file stays so, even if others could not be read.
    assert_eq!(summary.conclusion(&request, &[KnownStatus::KnownBad]), Verdict::Differs);
    assert_eq!(summary.conclusion(&request, &[]), Verdict::Incomplete);
}

#[test]
fn a_set_that_was_read_in_part_is_counted() {
    let room = room();
    let request = asked(&room, "torn", &["bad"]);
    let (ran, words, gaps) = rows(&request);
    let summary = ran.unwrap();
    assert_eq!(words, ["unknown"]);
    assert!(gaps >= 2 && summary.gaps == 1, "{gaps} {summary:?}");
    assert_eq!(summary.conclusion(&request, &[KnownStatus::Unknown]), Verdict::Incomplete);
    room.file("empty", "");
    let (ran, words, _) = rows(&asked(&room, "empty", &["bad"]));
    let summary = ran.unwrap();
    assert_eq!(summary.conclusion(&request, &[]), Verdict::NothingToCompareWith);
    assert!(words.is_empty() && !summary.comparable);
}

#[test]
fn what_is_refused_leaves_nothing_behind() {
    let room = room();
    let names = room.names();
    for (request, kind) in [
        (asked(&room, "gone", &["bad"]), Kind::Input),
        (asked(&room, "list", &[]), Kind::Request),
        (Request::new(Input::new([room.at("bad")]), Sets::default()), Kind::Request),
    ] {
        let ran = matching::write(&request, &Verdicts::new(room.at("new")), &mut |_| Ok(()), &Control::new());
        let error = ran.err().unwrap();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(!error.to_string().contains("--"), "{error}");
    }
    let onto = matching::write(
        &asked(&room, "list", &["bad"]).replace(true),
        &Verdicts::new(room.at("list")),
        &mut |_| Ok(()),
        &Control::new(),
    );
    assert!(matches!(onto.err().unwrap(), Error::Refused(_)));
    assert_eq!(room.names(), names);
}

#[test]
fn verdicts_are_written_whole_or_not_at_all() {
    let room = room();
    let request = asked(&room, "list", &["other", "bad"]);
    let verdicts = Verdicts::new(room.at("new")).form("jsonl".parse().unwrap());
    let mut refuse = |event: Event<'_>| match event {
        Event::Match(_) => Err(std::io::Error::other("enough")),
        _ => Ok(()),
    };
    let error = matching::write(&request, &verdicts, &mut refuse, &Control::new()).err().unwrap();
    assert!(matches!(error, Error::Sink(_)) && !room.at("new").exists(), "{error}");
    let written = matching::write(&request, &verdicts, &mut |_| Ok(()), &cancelled()).unwrap();
    assert!(written.summary.run.interrupted && !room.at("new").exists());
    let written = matching::write(&request, &verdicts, &mut |_| Ok(()), &Control::new()).unwrap();
    let lines = fs::read_to_string(room.at("new")).unwrap();
    assert_eq!((lines.lines().count(), written.hits_only), (3, false));
    // As text, and by sets of the bad alone, unknown files are counted and not written.
    let text = Verdicts::new(room.at("text"));
    let written = matching::write(&request, &text, &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(written.hits_only && written.summary.counts.of(KnownStatus::Unknown) == 1);
    assert_eq!(fs::read_to_string(room.at("text")).unwrap().lines().count(), 1);
}

#[test]
fn similar_files_are_rows() {
    let room = Room::new();
    let text: String = (0..3000).map(|n: u64| format!("{} ", n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7)).collect();
    let file = room.file("file", &text);
    room.file("near", &text.replace(" 1", " 2"));
    let hash = pfh::hash::Request::new(Input::new([&file]), ["ssdeep".parse().unwrap()]);
    let manifest = pfh::hash::Manifest::new(room.at("list"));
    pfh::hash::write(&hash, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    let request = similar::Request::new(Input::new([&file]), room.at("list"));
    let mut scores = Vec::new();
    let mut events = |event: similar::Event<'_>| {
        if let similar::Event::Match(found) = event {
            scores.push(found.score.number());
        }
        Ok(())
    };
    let summary = similar::run(&request, &mut events, &Control::new()).unwrap();
    assert_eq!((scores, summary.conclusion()), (vec![100], Verdict::Verified));
    let none = room.file("none", "no list\n");
    let error = similar::run(&similar::Request::new(Input::new([&file]), none), &mut |_| Ok(()), &Control::new());
    assert_eq!(error.unwrap_err().kind(), Kind::Input);
    let index = similar::Request::new(Input::default(), room.at("list")).write_index(room.at("list"));
    assert!(matches!(index.check().unwrap_err(), Error::Refused(_)));
}

#[cfg(feature = "inside")]
#[test]
fn fragments_are_rows() {
    use pfh::matching::sectors::{Event, Problem, Request, run};
    let room = Room::new();
    let content: Vec<u8> =
        (0..2000_u32).flat_map(|n| n.wrapping_mul(n).wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    fs::write(room.at("file"), &content).unwrap();
    fs::write(room.at("disk"), [&[7; 1024][..], &content[1024..4096], &[7; 512]].concat()).unwrap();
    let mut build = pfh::known::build::Request::new(room.at("set")).set(room.at("file"), pfh::known::Class::Bad);
    build.blocks = vec![512];
    pfh::known::build::run(&build, &mut |_| Ok(()), &Control::new()).unwrap();
    let mut found = Vec::new();
    let mut events = |event: Event<'_>| {
        if let Event::Fragment(of) = event {
            found.push((of.fragment.offset, of.length(), of.verdict()));
        }
        Ok(())
    };
    let request = Request::new([room.at("disk")], [room.at("set")], [512]);
    let summary = run(&request, &mut events, &Control::new()).unwrap();
    assert_eq!(found, [(1024, 3072, KnownStatus::KnownBad)]);
    assert_eq!(summary.conclusion(&[KnownStatus::KnownBad]), Verdict::Differs);
    let other = Request::new([room.at("disk")], [room.at("set")], [4096]);
    let error = run(&other, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NoSuchBlocks { size: 4096, .. })), "{error}");
    let gone = Request::new([room.at("disk")], [room.at("gone")], [512]);
    assert_eq!(run(&gone, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Input);
    assert_eq!(Request::new([room.at("disk")], [room.at("set")], [513]).check().unwrap_err().kind(), Kind::Request);
}
