//! The same request with every file that an acquisition keeps beside the image: after a kill, after
//! the end with other facts, and of a source that has changed.

use crate::imaged::{acquire, asked, everything, into, patch, ran, refused, refused_and_left, split, verify};
use crate::room::Room;
use pfh::acquire::{ImageFormat, Problem, Request, Step, intend};
use pfh::container::ewf::Compression;
use pfh::container::split::Suffix;
use pfh::job::Kind;
use pfh::verify::{self, Verdict};
use pfh_inject::{content, sha256_of};
use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// Leaves the records before the first one of this kind, as a kill at that moment does.
fn cut(log: &Path, kind: &str) {
    let text = fs::read_to_string(log).unwrap();
    let is_before = |line: &&str| !line.contains(&format!("\"kind\":\"{kind}\""));
    let kept: String = text.split_inclusive('\n').take_while(is_before).collect();
    assert!(kept.len() < text.len(), "{kind} in {text}");
    fs::write(log, kept).unwrap();
}

/// A run that is killed at any instant goes on by the same request, which then finds itself done.
#[test]
fn tree_and_document_of_a_killed_run_are_its_own() {
    let with_all = |room: &Room, target: &str| {
        let mut request = asked(room, "source", target);
        (request.outboard, request.case) = (Some(room.at("tree")), Some(room.at("case.jsonld")));
        (request.map, request.log) = (Some(room.at("map")), Some(room.at("log")));
        (request.reading.piecewise, request.verify) = (Some(1 << 20), true);
        request
    };
    for target in ["image", "image.E01"] {
        let room = Room::new();
        let source = room.file("source", &content(1, 3 * MIB));
        let request = with_all(&room, target);
        acquire(&request);
        let tree = sha256_of(&room.at("tree"));
        assert!(ran(&request).1.unchanged, "{target}");
        for kind in ["end", "case", "verified", "start"] {
            cut(&room.at("log.jsonl"), kind);
            assert!(acquire(&request).is_complete(), "{target}, {kind}");
            assert_eq!(sha256_of(&room.at("tree")), tree);
            if target == "image" {
                assert_eq!(sha256_of(&room.at(target)), sha256_of(&source));
            }
            let mut by_log = verify::Request::image(room.at(target));
            by_log.log = Some(room.at("log.jsonl"));
            assert_eq!(verify(&by_log).verdict(), Verdict::Verified, "{target}, {kind}");
        }
    }
    // A file that another run, or somebody, has made stays.
    let room = Room::new();
    room.file("source", &content(2, MIB));
    for (name, bytes) in [("tree", "pfh tree of somebody"), ("case.jsonld", "{}")] {
        room.file(name, bytes);
        assert_eq!(refused(&with_all(&room, "image")).kind(), Kind::Request);
        assert_eq!(fs::read_to_string(room.at(name)).unwrap(), bytes);
        assert_eq!(room.names().len(), 2, "and nothing is made");
        fs::remove_file(room.at(name)).unwrap();
    }
}

/// After the end the same request with other facts is for another image.
#[test]
fn other_facts_after_the_end_are_refused() {
    let room = Room::new();
    room.file("source", &content(4, 2 * MIB));
    let e01 = |compression, segment| ImageFormat::E01 { compression, segment };
    let first = || {
        let mut request = into(&room, "source", "a.E01", e01(Compression::Fast, 1 << 20));
        (request.about.case_number, request.about.examiner) = ("1".into(), "Ann".into());
        request.reading.algorithms = vec![*"sha256".parse::<pfh::Algorithm>().unwrap()];
        request
    };
    acquire(&first());
    type Change<'a> = &'a dyn Fn(&mut Request);
    let changes: [(Change<'_>, &str); 9] = [
        (&|r| r.about.case_number = "2".into(), "the case number is \"2\", it was \"1\""),
        (&|r| r.about.examiner = "Eve".into(), "the examiner is \"Eve\", it was \"Ann\""),
        (&|r| r.about.evidence_number = "7".into(), "the evidence number is \"7\""),
        (
            &|r| r.reading.algorithms = vec![*"md5".parse::<pfh::Algorithm>().unwrap()],
            "the algorithms are md5, sha1, they were md5, sha1, sha256",
        ),
        (&|r| r.targets[0].form = e01(Compression::Fast, 1_500_000), "in segments of 1500000 bytes"),
        (&|r| r.targets[0].form = e01(Compression::Best, 1 << 20), "Best"),
        (&|r| r.reading.piecewise = Some(1 << 20), "window"),
        (&|r| r.outboard = Some(room.at("tree")), "BLAKE3 tree"),
        (&|r| r.case = Some(room.at("case.jsonld")), "CASE document"),
    ];
    for (change, said) in changes {
        let mut other = first();
        change(&mut other);
        let error = refused_and_left(&room, &other);
        let Some(Problem::Another { differ, .. }) = error.find() else { panic!("{said}: {error}") };
        assert!(differ.contains(said) && error.kind() == Kind::Request, "{said}: {differ}");
    }
    assert!(acquire(&first()).is_complete());
    assert_eq!(intend(&first()).unwrap().step, Step::Compare);
    acquire(&into(&room, "source", "o", split(500_000, Suffix::Digits)));
    let error = refused(&into(&room, "source", "o", split(400_000, Suffix::Digits)));
    assert!(
        matches!(error.find(), Some(Problem::Another { differ, .. }) if differ.contains("of 400000 bytes")),
        "{error}"
    );
}

/// The bytes read before an interruption are sampled, and a source that has changed is refused.
#[test]
fn a_source_that_changed_meanwhile_is_found_by_samples() {
    let room = Room::new();
    let source = room.file("source", &content(5, 7 * MIB));
    let mut request = asked(&room, "source", "image");
    request.reading.checkpoint = std::time::Duration::from_millis(10);
    acquire(&request);
    let image = room.at("image");
    cut(&room.at("image.log.jsonl"), "end");
    let change = |path: &Path, byte: u8| patch(path, &[byte], 2_000_001);
    let old = fs::read(&source).unwrap()[2_000_001];
    let before = everything(&room);
    change(&source, !old);
    let error = refused(&request);
    assert!(error.kind() == Kind::Request && error.to_string().contains("offset 1998848"), "{error}");
    // And where the image was changed, the image is named.
    change(&source, old);
    change(&image, !old);
    let error = refused(&request);
    assert!(error.kind() == Kind::Negative && matches!(error.find(), Some(Problem::Changed { .. })), "{error}");
    change(&image, old);
    assert!(everything(&room) == before, "nothing is written");
    let (resumed, seen) = ran(&request);
    assert!(resumed.unwrap().is_complete());
    let remark = "224 blocks of 32768 bytes were read again";
    assert!(seen.events.iter().any(|event| event.contains(remark)), "{seen:?}");
    for log in ["image.log", "image.log.jsonl"] {
        let text = fs::read_to_string(room.at(log)).unwrap();
        assert!(text.contains("were read again from the source and are equal"), "{text}");
    }
    // Finished, and the medium written to since.
    change(&source, !old);
    assert_eq!(refused(&request).kind(), Kind::Request);
}
