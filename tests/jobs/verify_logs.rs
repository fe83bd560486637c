//! The log of an acquisition: evidence that a log gives, and evidence that it does not.

use crate::imaged::{
    acquire, asked, claim, findings, flip, into, is_equal, keys, ran, refused, verdict, verified, verify,
};
use crate::room::Room;
use pfh::Control;
use pfh::acquire::{ImageFormat, Origin, Problem, Request as Acquisition, Start, To};
use pfh::chain::{Chain, standing};
use pfh::job::Kind;
use pfh::verdict::{Comparison, Side, Subject};
use pfh::verify::{Finding, Request, Summary, Verdict};
#[cfg(unix)]
use pfh_inject::{Errno, File, Files, Loop};
use pfh_inject::{Need, content, lacks, sha256_of};
use serde_json::json;
use std::ffi::OsStr;
use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const MIB: u64 = 1 << 20;

/// The verification of an image and its log under the key `k.pub`.
fn under_key(room: &Room, image: &str) -> Summary {
    let mut request = Request::image(room.at(image));
    request.key = Some(room.at("k.pub"));
    verify(&request)
}

fn by_log(image: &Path, log: &Path) -> Summary {
    let mut request = Request::image(image);
    request.log = Some(log.to_owned());
    verify(&request)
}

/// The subjects of the differences.
fn unequal(found: &Summary) -> Vec<Subject> {
    found.comparisons.iter().filter(|one| one.is_unequal()).map(|one| one.about).collect()
}

#[test]
fn a_key_is_checked_with_the_log_that_lies_beside() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(1, MIB));
    let mut signing = asked(&room, "s", "signed.dd");
    signing.key = Some(room.at("k.pem"));
    acquire(&signing);
    acquire(&asked(&room, "s", "plain.dd"));
    let found = under_key(&room, "signed.dd");
    let signer = |one: &Comparison| one.about == Subject::Signer && one.with.ends_with("signed.dd.log.jsonl");
    assert!(found.verdict() == Verdict::Verified && found.equal().any(signer), "{found:?}");
    let unchecked = verified(&room, "signed.dd");
    assert!(unchecked.findings.iter().any(|finding| matches!(finding, Finding::Signed { .. })), "{unchecked:?}");
    // Nothing differs: the log is not signed.
    for log in [None, Some(room.at("plain.dd.log.jsonl"))] {
        let mut request = Request::image(room.at("plain.dd"));
        (request.key, request.log) = (Some(room.at("k.pub")), log);
        let found = verify(&request);
        assert_eq!((found.verdict(), unequal(&found)), (Verdict::NothingToCompareWith, vec![]));
        assert!(findings(&found).contains("the log is not signed by the key"), "{found:?}");
    }
    assert_eq!(under_key(&room, "s").verdict(), Verdict::NothingToCompareWith, "there is no log");
}

/// Neither an empty file nor another one is a log, and the chain of a log states nothing of an
/// image.
#[test]
fn a_log_is_evidence_for_a_log() {
    let room = Room::new();
    let source = room.file("s", &content(2, MIB));
    acquire(&asked(&room, "s", "a.dd"));
    room.file("empty", "");
    let (image, log) = (room.at("a.dd"), room.at("a.dd.log.jsonl"));
    let mut stating = Request::image(&source);
    (stating.log, stating.claims) = (Some(log.clone()), vec![claim("md5", &"0".repeat(32))]);
    assert_eq!(verify(&stating).verdict(), Verdict::Differs);
    for other in [room.at("empty"), "/dev/null".into(), room.at("a.dd.log"), source] {
        let found = by_log(&image, &other);
        assert_eq!((found.verdict(), unequal(&found)), (Verdict::NothingToCompareWith, vec![]), "{other:?}");
    }
    let text = fs::read_to_string(&log).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    let cut = by_log(&image, &room.file("cut.jsonl", &text[..=last]));
    assert_eq!(cut.verdict(), Verdict::NothingToCompareWith);
    assert!(findings(&cut).contains("the log is not finished"), "{cut:?}");
    // A chain that holds and states no digest of the image.
    let mut chain = Chain::default();
    let lone = chain.append(&json!({ "kind": "start", "targets": ["a.dd"] })).unwrap()
        + &chain.append(&json!({ "kind": "end", "bytes": MIB })).unwrap();
    let lone = room.file("lone.jsonl", &lone);
    assert_eq!(by_log(&image, &lone).verdict(), Verdict::NothingToCompareWith);
    assert_eq!(verify(&Request::log(lone)).verdict(), Verdict::Verified, "the log alone is what it was");
}

fn without_last(text: &str) -> String {
    text[..=text.trim_end().rfind('\n').unwrap()].to_owned()
}

#[test]
fn the_log_for_people_is_covered_to_its_last_line() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(3, MIB));
    let mut signing = asked(&room, "s", "a.dd");
    signing.key = Some(room.at("k.pem"));
    acquire(&signing);
    let (text, chained) = (room.at("a.dd.log"), room.at("a.dd.log.jsonl"));
    let (people, records) = (fs::read_to_string(&text).unwrap(), fs::read_to_string(&chained).unwrap());
    fs::write(&text, without_last(&people)).unwrap();
    let found = verified(&room, "a.dd");
    assert_eq!(found.verdict(), Verdict::NothingToCompareWith);
    assert!(findings(&found).contains("its last line"), "{found:?}");
    // The same request adds it, or the rest of it.
    for kept in [without_last(&people), people.trim_end().to_owned()] {
        fs::write(&text, kept).unwrap();
        acquire(&signing);
        assert_eq!(fs::read_to_string(&text).unwrap(), people);
    }
    for changed in [people.replace(", signed with Ed25519", ""), format!("{people}one more\n")] {
        assert_ne!(changed, people);
        fs::write(&text, changed).unwrap();
        assert_eq!(verdict(&room, "a.dd"), Verdict::Differs);
    }
    // The signature is cut off, and the log for people says that there was one.
    fs::write(&text, &people).unwrap();
    fs::write(&chained, without_last(&records)).unwrap();
    let found = verified(&room, "a.dd");
    assert!(findings(&found).contains("the signature is missing"), "{found:?}");
    assert_eq!(found.verdict(), Verdict::Differs);
    assert!(unequal(&found).iter().all(|about| *about == Subject::Log), "{found:?}");
}

/// The statements of the chained log beside the digests: the log for people, the case data in an
/// E01, digests of windows.
#[test]
fn the_log_for_people_and_the_case_data_are_compared() {
    let room = Room::new();
    room.file("source", &content(10, MIB));
    let by = |examiner: &str, target: &str| {
        let mut request = asked(&room, "source", target);
        (request.about.examiner, request.about.case_number) = (examiner.into(), "7".into());
        request.reading.piecewise = Some(300_000);
        acquire(&request);
    };
    by("Ann", "a.E01");
    let found = verified(&room, "a.E01");
    assert!(found.equal().any(|one| one.what.contains("case data")), "{found:?}");
    assert!(found.equal().any(|one| one.what.contains("log for people")), "{found:?}");
    let path = room.at("a.E01.log");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replacen("examiner: Ann", "examiner: Bob", 1)).unwrap();
    let found = verified(&room, "a.E01");
    assert!(found.verdict() == Verdict::Differs && findings(&found).contains("log for people"), "{found:?}");
    assert_eq!(verify(&Request::log(room.at("a.E01.log.jsonl"))).verdict(), Verdict::Differs);
    fs::write(&path, whole).unwrap();
    assert_eq!(verdict(&room, "a.E01"), Verdict::Verified);
    // Another acquisition of the same bytes, by another examiner, under the first one's log.
    by("Bob", "b.E01");
    fs::rename(room.at("b.E01"), room.at("a.E01")).unwrap();
    let found = verified(&room, "a.E01");
    assert!(found.verdict() == Verdict::Differs && findings(&found).contains("examiner"), "{found:?}");
}

/// An image that was changed is not tried again, and its signed log stays as it was finished.
#[test]
fn an_image_that_was_changed_keeps_its_log() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(4, 2 * MIB));
    let map = "0x0 + 1\n0x0 0x100000 +\n0x100000 0x400 -\n0x100400 0xffc00 +\n";
    let mut request = asked(&room, "s", "m.dd");
    (request.faults, request.key) = (Some(room.file("f.map", map)), Some(room.at("k.pem")));
    assert!(!acquire(&request).is_complete());
    assert_eq!(under_key(&room, "m.dd").verdict(), Verdict::Verified);
    flip(&room, "m.dd", 77);
    let log = room.at("m.dd.log.jsonl");
    let before = fs::read(&log).unwrap();
    let mut again = asked(&room, "s", "m.dd");
    (again.retry_bad, again.key) = (true, Some(room.at("k.pem")));
    assert_eq!(refused(&again).kind(), Kind::Negative);
    assert_eq!(fs::read(&log).unwrap(), before);
    assert_eq!(under_key(&room, "m.dd").verdict(), Verdict::Differs);
    // An entry of an older pfh behind the end takes nothing away from it.
    let mut chain = standing(&before[..]).unwrap().chain;
    let more = chain.append(&json!({ "kind": "reopened" })).unwrap();
    fs::write(&log, [&before[..], more.as_bytes()].concat()).unwrap();
    let found = under_key(&room, "m.dd");
    assert!(found.verdict() == Verdict::Differs && findings(&found).contains("behind the last end"), "{found:?}");
    flip(&room, "m.dd", 77);
    let found = under_key(&room, "m.dd");
    assert!(found.verdict() == Verdict::Verified && found.equal().any(|one| one.about == Subject::Signer), "{found:?}");
}

/// A map that contradicts its log accuses neither the image nor the disk.
#[test]
fn a_map_that_contradicts_its_log_is_named() {
    let room = Room::new();
    room.file("s", &content(5, 4 * MIB));
    acquire(&asked(&room, "s", "a.dd"));
    let map = fs::read_to_string(room.at("a.dd.map")).unwrap();
    for character in ["-", "?"] {
        let block = map.lines().rfind(|line| line.ends_with('+')).unwrap();
        let lost = format!("0x0 0x100000 +\n0x100000 0x100000 {character}\n0x200000 0x200000 +");
        fs::write(room.at("a.dd.map"), map.replace(block, &lost)).unwrap();
        let found = verified(&room, "a.dd");
        assert_eq!((found.verdict(), unequal(&found)), (Verdict::NothingToCompareWith, vec![]));
        assert!(findings(&found).contains("contradicts the log"), "{found:?}");
        for retry_bad in [false, true] {
            let mut again = asked(&room, "s", "a.dd");
            again.retry_bad = retry_bad;
            let (error, seen) = ran(&again);
            let error = error.unwrap_err();
            assert!(matches!(error.find(), Some(Problem::Contradiction(_))), "{error}");
            assert_eq!(error.kind(), Kind::Negative);
            assert!(!seen.events.iter().any(|event| event.starts_with("unreadable")), "{seen:?}");
        }
    }
    fs::write(room.at("a.dd.map"), map).unwrap();
    assert_eq!(verdict(&room, "a.dd"), Verdict::Verified);
}

#[cfg(unix)]
#[test]
fn names_are_bytes() {
    let room = Room::new();
    let source = room.file("s", &content(6, MIB));
    for name in [&b"T\xff.dd"[..], b"T\xff.E01", b"two\nlines.dd", b"back\\slash.dd"] {
        let path = room.path().join(OsStr::from_bytes(name));
        let form = if name.ends_with(b"E01") { ImageFormat::e01() } else { ImageFormat::RAW };
        acquire(&Acquisition::new(Origin::Medium(source.clone()), vec![To { path: path.clone(), form }]));
        let found = verify(&Request::image(&path));
        assert_eq!(found.verdict(), Verdict::Verified, "{found:?}");
        assert!(found.equal().any(|one| one.about == Subject::Log), "{found:?}");
    }
    let log = fs::read_to_string(room.path().join(OsStr::from_bytes(b"T\xff.dd.log.jsonl"))).unwrap();
    assert!(log.contains(r#"T\\xff.dd""#) && !log.contains('\u{fffd}'), "{log}");
}

/// A cut-off image is not verified by its beginning, and the sizes of both are in the answer.
#[test]
fn what_one_side_has_alone_is_a_row() {
    let room = Room::new();
    let all = content(7, MIB);
    room.file("a", &all);
    room.file("half", &all[..500_000]);
    room.file("none", "");
    for (name, against, side, longer) in
        [("half", "a", Side::Other, 548_576), ("none", "a", Side::Other, 1_048_576), ("a", "half", Side::This, 548_576)]
    {
        let mut request = Request::image(room.at(name));
        request.against = Some(room.at(against));
        let found = verify(&request);
        assert_eq!((found.verdict(), found.is_complete()), (Verdict::NothingToCompareWith, false), "{name}");
        let one = &found.comparisons[0];
        let size = |name: &str| room.at(name).metadata().unwrap().len();
        assert_eq!(one.coverage.sizes, (size(name), Some(size(against))), "{found:?}");
        let alone: Vec<_> = one.coverage.alone.iter().map(|alone| (alone.side, alone.length)).collect();
        assert_eq!(alone, [(side, longer)]);
        assert!(found.missing()[0].contains(&format!("{longer} bytes longer")), "{found:?}");
    }
}

/// A clone on a larger device, and an image behind an offset, are as their log states.
#[cfg(unix)]
#[test]
fn a_clone_on_a_larger_device_is_verified_by_its_log() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("d1", &content(8, 3_000_320));
    let larger = room.file("larger", &content(9, 4 * MIB));
    let device = Loop::attach(&larger, &[]).unwrap();
    let on_device = ImageFormat::Raw { seek: 0, sparse: false, direct: false, start: Some(Start::Into), synced: true };
    let to = To { path: device.path().to_owned(), form: on_device };
    let mut request = Acquisition::new(Origin::Medium(source.clone()), vec![to]);
    (request.log, request.map, request.replace) = (Some(room.at("lg")), Some(room.at("mp")), true);
    acquire(&request);
    let of = |log: bool, change: &dyn Fn(&mut Request)| {
        let mut request = Request::image(device.path());
        request.log = log.then(|| room.at("lg.jsonl"));
        change(&mut request);
        verify(&request)
    };
    let ranges = |found: &Summary| -> Vec<_> {
        found.comparisons.iter().flat_map(|one| one.coverage.compared.clone()).collect()
    };
    let stated = claim("sha256", &sha256_of(&source));
    let changes: [&dyn Fn(&mut Request); 3] =
        [&|_| {}, &|request| request.against = Some(source.clone()), &|request| request.claims = vec![stated.clone()]];
    for change in changes {
        let found = of(true, change);
        assert_eq!(found.verdict(), Verdict::Verified, "{found:?}");
        assert!(ranges(&found).iter().all(|range| *range == (0, 3_000_320)), "{found:?}");
    }
    let without = of(false, &|request| request.against = Some(source.clone()));
    assert_eq!(without.verdict(), Verdict::NothingToCompareWith, "without the log");
    assert!(without.missing()[0].contains("1193984 bytes longer"), "{without:?}");
    let seek = ImageFormat::Raw { seek: 4096, sparse: false, direct: false, start: None, synced: true };
    acquire(&into(&room, "d1", "sk.dd", seek));
    for against in [None, Some(source.clone())] {
        let mut request = Request::image(room.at("sk.dd"));
        request.against = against;
        let found = verify(&request);
        assert!(found.verdict() == Verdict::Verified && is_equal(&found, "sk.dd.log.jsonl"), "{found:?}");
        assert!(ranges(&found).contains(&(4096, 3_000_320)), "{found:?}");
    }
    drop(device);
    flip(&room, "larger", 2_000_000);
    let device = Loop::attach(&larger, &[]).unwrap();
    assert_eq!(by_log(device.path(), &room.at("lg.jsonl")).verdict(), Verdict::Differs);
}

/// Sectors that died after the copy was made do not differ, on either side, and they are named
/// exactly.
#[cfg(unix)]
#[test]
fn unreadable_sectors_are_no_difference() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let disk = File::new("disk.dd", 4 * MIB);
    let copy = room.file("copy.dd", &disk.bytes());
    let bad = 2_560_000..2_562_048;
    let mounted = Files::new().with(disk.fails_in(bad, Errno::EIO)).mount().unwrap();
    let disk = mounted.file("disk.dd");
    let compare = |image: &Path, against: &Path| {
        let mut request = Request::image(image);
        request.against = Some(against.to_owned());
        pfh::verify::run(&request, &mut |_| Ok(()), &Control::new()).unwrap()
    };
    for (image, against, side) in [(&copy, &disk, Side::Other), (&disk, &copy, Side::This)] {
        let found = compare(image, against);
        assert_eq!((found.verdict(), unequal(&found)), (Verdict::NothingToCompareWith, vec![]), "{found:?}");
        let unread: Vec<_> = found.comparisons.iter().flat_map(|one| one.coverage.unread.clone()).collect();
        assert_eq!(unread.iter().map(|one| one.length).sum::<u64>(), 2048, "{unread:?}");
        assert!(
            unread.iter().all(|one| one.side == side && (2_560_000..2_562_048).contains(&one.offset)),
            "{unread:?}"
        );
    }
    flip(&room, "copy.dd", 2_562_100);
    let found = compare(&copy, &disk);
    assert_eq!((found.verdict(), found.is_complete()), (Verdict::Differs, false));
}
