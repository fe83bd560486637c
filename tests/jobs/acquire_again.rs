//! The same request again: after the end it compares, and on request it tries again what could not
//! be read.

use crate::imaged::{
    acquire, asked, digest, everything, faults, findings, into, lost, patch, ran, refused, refused_and_left, split,
    verdict, verified, verify,
};
use crate::room::Room;
use pfh::acquire::{ImageFormat, Origin, Problem, Request, To};
use pfh::container::ewf::Compression;
use pfh::container::split::Suffix;
use pfh::device::Loss;
use pfh::job::Kind;
use pfh::verify::{self, Verdict};
#[cfg(unix)]
use pfh_inject::{Errno, File, Files, Loop};
use pfh_inject::{Need, content, lacks, sha256_of};
use std::fs;

const MIB: u64 = 1 << 20;
const BAD: &str = "0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x1EFC00 +\n0x200000 0x200 -\n0x200200 0x1FFE00 +\n";
const FEWER: &str = "0 +\n0 0x10000 +\n0x10000 0x200 -\n0x10200 0x3EFE00 +\n";

#[test]
fn the_same_request_after_the_end_compares() {
    let room = Room::new();
    room.file("source", &content(1, 3 * MIB));
    for name in ["image", "image.E01"] {
        let mut request = asked(&room, "source", name);
        let first = acquire(&request);
        let before = everything(&room);
        let (again, seen) = ran(&request);
        assert!(seen.unchanged, "{seen:?}");
        assert_eq!(digest(&again.unwrap(), "sha256"), digest(&first, "sha256"));
        request.retry_bad = true;
        let (retried, seen) = ran(&request);
        assert!(retried.unwrap().is_complete());
        assert!(seen.events.iter().any(|event| event.contains("nothing to try again")), "{seen:?}");
        assert!(everything(&room) == before, "nothing is written");
    }
    patch(&room.at("image"), b"x", 70_000);
    let changed = refused(&asked(&room, "source", "image"));
    assert!(matches!(changed.find(), Some(Problem::ChangedSince { .. })), "{changed}");
    assert_eq!(changed.kind(), Kind::Negative);
    // Another source of equal size is another acquisition.
    room.file("other", &content(2, 3 * MIB));
    assert_eq!(refused(&asked(&room, "other", "image")).kind(), Kind::Request);
}

/// Sectors that are readable later are put in their place: image, map, digests, and a log that has
/// several ends.
#[test]
fn unread_sectors_are_tried_again() {
    let bytes = content(3, 4 * MIB);
    for (form, piecewise) in
        [(ImageFormat::RAW, None), (split(1 << 20, Suffix::Digits), None), (ImageFormat::RAW, Some(1 << 20))]
    {
        let room = Room::new();
        let source = room.file("source", &bytes);
        let is_split = matches!(form, ImageFormat::Split(_));
        let trial = |map: Option<&str>, retry_bad: bool| {
            let mut request = into(&room, "source", "image", form.clone());
            request.faults = map.and_then(|map| faults(&room, "faults", map));
            (request.retry_bad, request.reading.piecewise) = (retry_bad, piecewise);
            ran(&request)
        };
        assert!(!trial(Some(BAD), false).0.unwrap().is_complete());
        let (again, seen) = trial(Some(BAD), false);
        assert!(!again.unwrap().is_complete() && seen.events.iter().any(|event| event.contains("tried again")));
        let (fewer, seen) = trial(Some(FEWER), true);
        assert_eq!((seen.retried, lost(&fewer.unwrap())), (Some((1536, 1024)), vec![(65_536, 512)]));
        let map = fs::read_to_string(room.at("image.map")).unwrap();
        assert!(map.contains("0x00010000  0x00000200  -") && map.matches("  -\n").count() == 1, "{map}");
        let whole = trial(None, true).0.unwrap();
        assert!(whole.is_complete());
        let image: Vec<u8> = if is_split {
            (0..4).flat_map(|n| fs::read(room.at(format!("image.{n:03}"))).unwrap()).collect()
        } else {
            fs::read(room.at("image")).unwrap()
        };
        assert!(image == bytes);
        assert_eq!(digest(&whole, "sha256"), sha256_of(&source));
        assert_eq!(verdict(&room, if is_split { "image.000" } else { "image" }), Verdict::Verified);
        let log = fs::read_to_string(room.at("image.log.jsonl")).unwrap();
        let count = |kind: &str| log.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!((count("end"), count("reopened")), (3, 2), "{log}");
        let (done, seen) = trial(None, false);
        assert!(done.unwrap().is_complete() && seen.unchanged, "and the same request finds it done");
    }
}

/// A changed image is not mended, and the chunks of an E01 image cannot be.
#[test]
fn only_the_image_that_was_written_is_mended() {
    let room = Room::new();
    room.file("source", &content(4, 4 * MIB));
    // With a digest in the map, and with that of the log alone.
    for (name, algorithm) in [("image", "blake3"), ("other", "md5")] {
        let mut request = asked(&room, "source", name);
        request.reading.algorithms = vec![*algorithm.parse::<pfh::Algorithm>().unwrap()];
        let mut again = request.clone();
        request.faults = faults(&room, "bad", BAD);
        assert!(!acquire(&request).is_complete());
        patch(&room.at(name), b"x", 70_000);
        again.retry_bad = true;
        let before = everything(&room);
        let error = refused(&again);
        let is_changed = matches!(error.find(), Some(Problem::ChangedSince { .. } | Problem::Changed { .. }));
        assert!(is_changed && error.kind() == Kind::Negative, "{name}: {error}");
        assert!(everything(&room) == before, "{name}");
    }
    let mut request = asked(&room, "source", "image.E01");
    request.faults = faults(&room, "bad", BAD);
    assert!(!acquire(&request).is_complete());
    let mut again = asked(&room, "source", "image.E01");
    again.retry_bad = true;
    let error = refused(&again);
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::NotInPlace(_))), "{error}");
}

/// A device whose later part answers EIO to everything: few reads, nothing good is lost, what was
/// not tried is in the map.
#[cfg(unix)]
#[test]
fn a_half_dead_device_is_not_walked_sector_by_sector() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    // Dead from sector 20,000 to 50,000.
    let dead = 20_000 * 512..50_000 * 512;
    let file = File::new("disk", 32 * MIB).fails_in(dead.start..dead.end, Errno::EIO);
    let mut expected = file.bytes();
    expected[dead.start as usize..dead.end as usize].fill(0);
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
    let room = Room::new();
    let of = |target: &str, give_up| {
        let to = To { path: room.at(target), form: ImageFormat::RAW };
        let mut request = Request::new(Origin::Medium(disk.path().to_owned()), vec![to]);
        request.give_up = give_up;
        let summary = acquire(&request);
        assert!(fs::read(room.at(target)).unwrap() == expected, "everything good is there");
        assert_eq!(digest(&summary, "sha256"), sha256_of(&room.at(target)));
        let total: u64 = lost(&summary).iter().map(|run| run.1).sum();
        assert_eq!(total, dead.end - dead.start, "{:?}", summary.imaged.bad);
        summary.imaged.bad.iter().any(|bad| bad.loss == Loss::NotTried)
    };
    let map = |name: &str| fs::read_to_string(room.at(name)).unwrap();
    assert!(of("image", Some(500)) && map("image.map").contains("  ?\n"));
    // As written, and not all of it was acquired.
    assert_eq!(verdict(&room, "image"), Verdict::NothingToCompareWith);
    // Without a limit each sector is tried, and all of the zone is bad.
    assert!(!of("all", None) && !map("all.map").contains("  ?\n"));
}

/// The statements of the chained log beside the image's digests are compared: the log for people,
/// files, windows, case data.
#[test]
fn the_chained_log_covers_what_lies_beside_it() {
    let room = Room::new();
    room.file("source", &content(6, 3 * MIB));
    let by = |examiner: &str, target: &str, is_first: bool| {
        let form = ImageFormat::E01 { compression: Compression::None, segment: ImageFormat::SEGMENT };
        let mut request = into(&room, "source", target, form);
        (request.about.case_number, request.about.examiner) = ("7".into(), examiner.into());
        request.reading.piecewise = is_first.then_some(1 << 20);
        request.verify = is_first;
        acquire(&request);
    };
    by("Ann", "image.E01", true);
    let found = verified(&room, "image.E01");
    assert_eq!(found.verdict(), Verdict::Verified, "{found:?}");
    for words in
        ["the log for people", "3 windows (", "1 file of the image (size and sha256)", "the case data in the image"]
    {
        assert!(found.equal().any(|one| one.what.contains(words)), "{words} in {found:?}");
    }
    let log = room.at("image.E01.log");
    let people = fs::read_to_string(&log).unwrap();
    for words in ["host: ", "case: 7", "examiner: Ann", "file: "] {
        assert!(people.contains(words), "{words} in {people}");
    }
    // The log for people: a word changed, a line behind the end; and with the chained log alone.
    let chained = verify::Request::log(room.at("image.E01.log.jsonl"));
    for changed in [people.replace("examiner: Ann", "examiner: Bob"), format!("{people}all was read\n")] {
        fs::write(&log, changed).unwrap();
        assert_eq!(verdict(&room, "image.E01"), Verdict::Differs);
        assert_eq!(verify(&chained).verdict(), Verdict::Differs);
    }
    fs::write(&log, &people).unwrap();
    assert_eq!(verdict(&room, "image.E01"), Verdict::Verified);
    // Case data of another image with the same content.
    by("Bob", "other.E01", false);
    fs::copy(room.at("other.E01"), room.at("image.E01")).unwrap();
    let found = verified(&room, "image.E01");
    assert_eq!(found.verdict(), Verdict::Differs);
    assert!(findings(&found).contains("the examiner is \"Bob\", the log states \"Ann\""), "{found:?}");
}

/// A log that was cut off is continued by the acquisition that it is of, and by no other.
#[test]
fn the_log_of_another_acquisition_is_refused() {
    use pfh::acquire::LogError;
    let room = Room::new();
    room.file("source", &content(5, MIB));
    let to = |target: &str| {
        let mut request = asked(&room, "source", target);
        request.log = Some(room.at("log"));
        request
    };
    acquire(&to("one"));
    let chained = room.at("log.jsonl");
    let text = fs::read_to_string(&chained).unwrap();
    let begun: String = text.split_inclusive('\n').take_while(|line| !line.contains("\"kind\":\"end\"")).collect();
    assert!(!begun.is_empty() && begun.len() < text.len(), "{text}");
    fs::write(&chained, &begun).unwrap();
    let error = refused_and_left(&room, &to("two"));
    assert!(matches!(error.find(), Some(LogError::OtherTargets { .. })) && error.kind() == Kind::Request, "{error}");
    // Its own acquisition takes it up.
    assert!(acquire(&to("one")).is_complete());
}
