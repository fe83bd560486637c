//! An acquisition that stopped is resumed: from the same medium, into the same image, or not at
//! all.

use crate::imaged::{acquire, asked, copy, digest, faults, into, lost, patch, ran, refused, verdict, verified};
use crate::room::Room;
use pfh::acquire::{Foreign, ImageFormat, Origin, Problem, Request, To};
use pfh::container::ewf::Compression;
use pfh::job::Kind;
use pfh::verify::Verdict;
#[cfg(unix)]
use pfh_inject::Loop;
use pfh_inject::{Need, content, lacks, sha256_of};
use std::fs;
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;

/// Stops at this offset, as a dying disk does.
fn stopped(room: &Room, request: &Request, offset: u64, size: u64) {
    let (next, rest) = (offset + 512, size - offset - 512);
    let map = format!("0 +\n0 {offset:#x} +\n{offset:#x} 0x200 -\n{next:#x} {rest:#x} +\n");
    let mut request = request.clone();
    request.faults = faults(room, "faults", &map);
    (request.reading.policy.most_errors, request.reading.readers) = (Some(0), 1);
    let error = refused(&request);
    assert!(matches!(error.find(), Some(Problem::Stopped { resumable: true, .. })), "{error}");
    assert_eq!(error.kind(), Kind::Aborted);
}

/// The same with little memory, so that it stops early.
fn little(mut request: Request) -> Request {
    request.reading.memory = 4 << 20;
    request
}

/// Every file of the room but the logs, with its digest.
fn everything(room: &Room) -> Vec<(String, String)> {
    let names = room.names().into_iter().filter(|name| !name.contains(".log"));
    names.map(|name| (name.clone(), sha256_of(&room.at(&name)))).collect()
}

/// Why the map is of another source.
fn foreign(request: &Request) -> String {
    let error = refused(request);
    assert_eq!(error.kind(), Kind::Request);
    match error.find() {
        Some(Problem::Foreign { why: Foreign::Source { what }, .. }) => what.clone(),
        _ => panic!("{error}"),
    }
}

/// A disk is known by its identity and not by its name: under the same name another disk of equal
/// size is refused, under another name the same disk is resumed.
#[cfg(unix)]
#[test]
fn a_disk_is_not_known_by_its_name() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let size = 16 * MIB;
    let (one, two) = (room.file("one", &content(1, size)), room.file("two", &content(2, size)));
    let of = |device: &Path| {
        let to = To { path: room.at("image"), form: ImageFormat::RAW };
        little(Request::new(Origin::Medium(device.to_owned()), vec![to]))
    };
    let first = Loop::attach(&one, &["-r"]).unwrap();
    let name = first.path().to_owned();
    stopped(&room, &of(&name), size / 2 + 4096, size);
    drop(first);
    // The other disk under the same name; or, if somebody was quicker, under one that is not
    // better.
    let attached = Command::new("losetup").arg("-r").arg(&name).arg(&two).status().unwrap();
    if attached.success() {
        let before = everything(&room);
        let what = foreign(&of(&name));
        assert!(Command::new("losetup").arg("-d").arg(&name).status().unwrap().success());
        assert!(what.contains("SHA-256 of the first MiB"), "{what}");
        assert_eq!(everything(&room), before, "a refused request changes nothing");
    }
    let _other = Loop::attach(&two, &["-r"]).unwrap();
    let again = Loop::attach(&one, &["-r"]).unwrap();
    let (summary, seen) = ran(&of(again.path()));
    assert!(summary.unwrap().is_complete() && seen.resumed.is_some(), "{seen:?}");
    if again.path() != name {
        let remark = format!("it was named {}", name.display());
        assert!(seen.events.iter().any(|event| event.contains(&remark)), "{seen:?}");
    }
    assert_eq!(sha256_of(&room.at("image")), sha256_of(&one));
    let log = fs::read_to_string(room.at("image.log.jsonl")).unwrap();
    assert!(log.contains("\"first-mib\":{\"sha256\":"), "{log}");
}

/// Of a file the bytes decide as well: a copy is the same source, another file of equal size is
/// not.
#[test]
fn a_file_is_known_by_its_ends() {
    let room = Room::new();
    let size = 8 * MIB;
    let source = room.file("source", &content(3, size));
    let of = |source: &str| little(asked(&room, source, "image"));
    stopped(&room, &of("source"), size / 2 + 4096, size);
    let mut other = content(3, size);
    other[size as usize - 5] ^= 1;
    room.file("other", &other);
    let what = foreign(&of("other"));
    assert!(what.contains("SHA-256 of the last MiB"), "{what}");
    room.file("copy", &content(3, size));
    let (summary, seen) = ran(&of("copy"));
    assert!(summary.unwrap().is_complete() && seen.resumed.is_some(), "{seen:?}");
    assert_eq!(sha256_of(&room.at("image")), sha256_of(&source));
}

/// A byte that changed in the part that was written is found before anything is written, in each
/// target.
#[test]
fn the_written_part_is_compared_before_it_is_resumed() {
    if lacks(&[Need::Time]) {
        return;
    }
    for targets in [&["image"][..], &["image.E01"], &["image", "image.E01"], &["image.E01", "image"]] {
        for which in 0..targets.len() {
            let room = Room::new();
            // An E01 image is resumed at the end of its sections, which have 64 MiB.
            let has_e01 = targets.contains(&"image.E01");
            let (size, at) = if has_e01 { (130 * MIB, 100 * MIB) } else { (16 * MIB, 8 * MIB + 4096) };
            let source = room.file("source", &content(4, size));
            let e01 = ImageFormat::E01 { compression: Compression::None, segment: ImageFormat::SEGMENT };
            let form = |name: &str| if name == "image" { ImageFormat::RAW } else { e01.clone() };
            let to = targets.iter().map(|name| To { path: room.at(name), form: form(name) }).collect();
            let mut request = little(Request::new(Origin::Medium(source.clone()), to));
            stopped(&room, &request, at, size);
            // Behind the first sections of an E01 image, and not in a checksum: the chunk stays
            // readable where it is bare.
            let byte = fs::read(room.at(targets[which])).unwrap()[1_000_001];
            patch(&room.at(targets[which]), &[byte ^ 0x10], 1_000_001);
            let before = everything(&room);
            let error = refused(&request);
            match error.find() {
                Some(Problem::Changed { path, from: 0, .. }) => {
                    assert_eq!((error.kind(), path), (Kind::Negative, &room.at(targets[which])));
                }
                _ => assert!(
                    targets[which] == "image.E01" && error.kind() == Kind::Aborted,
                    "{targets:?} {which}: {error}"
                ),
            }
            assert!(everything(&room) == before, "nothing is written");
            request.replace = true;
            assert_eq!(digest(&acquire(&request), "sha256"), sha256_of(&source));
        }
    }
}

/// An image begun by GNU ddrescue is completed, once somebody says that the map is this source's,
/// and hashed whole.
#[test]
fn ddrescues_map_is_taken_when_its_source_is_named() {
    if lacks(&[Need::Program("ddrescue")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(5, 8 * MIB));
    room.sh("ddrescue -q -s 3MiB source image image.map");
    let before = everything(&room);
    let mut request = asked(&room, "source", "image");
    let error = refused(&request);
    let is_unnamed = matches!(error.find(), Some(Problem::Foreign { why: Foreign::Unnamed { .. }, .. }));
    assert!(is_unnamed && error.kind() == Kind::Request && error.to_string().contains("GNU ddrescue's map"), "{error}");
    assert_eq!(everything(&room), before);
    room.file("small", &content(5, MIB));
    let mut small = asked(&room, "small", "image");
    small.adopt_map = true;
    let error = refused(&small);
    assert!(matches!(error.find(), Some(Problem::Foreign { why: Foreign::Longer { .. }, .. })), "{error}");
    request.adopt_map = true;
    let (summary, seen) = ran(&request);
    let summary = summary.unwrap();
    assert_eq!((summary.is_complete(), seen.resumed), (true, Some(3 * MIB)));
    assert_eq!(sha256_of(&room.at("image")), sha256_of(&source));
    assert_eq!(digest(&summary, "sha256"), sha256_of(&source));
    // And the other way round: remarks in the map are none of ddrescue's business.
    room.sh("ddrescue -q source image image.map");
    assert_eq!(sha256_of(&room.at("image")), sha256_of(&source));
}

/// Sectors are those of the medium also where the image starts inside of it.
#[test]
fn sectors_are_those_of_the_medium() {
    let room = Room::new();
    room.file("source", &content(6, 2 * MIB));
    let mut request = asked(&room, "source", "image");
    request.faults = faults(&room, "faults", "0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x1EFC00 +\n");
    request.reading.from = 60_000;
    let (summary, seen) = ran(&request);
    let summary = summary.unwrap();
    assert_eq!((summary.from, lost(&summary)), (60_000, vec![(5536, 1024)]));
    let words = "unreadable: sectors 128 - 129 (offset 65536 of the medium, 5536 of the image, 1024 bytes)";
    assert!(seen.events.iter().any(|event| event.starts_with(words)), "{seen:?}");
    assert!(fs::read_to_string(room.at("image.log")).unwrap().contains(words));
}

/// A copy of an image carries its errors and its case data on (CFTT AO-09).
#[test]
fn a_copy_of_an_image_carries_errors_and_case_data() {
    if lacks(&[Need::Program("ewfinfo")]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(7, 2 * MIB));
    let map = "0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0xFFE00 +\n0x110200 0x200 -\n0x110400 0xEFC00 +\n";
    let mut request = asked(&room, "source", "a.E01");
    request.faults = faults(&room, "faults", map);
    let about = &mut request.about;
    (about.case_number, about.evidence_number) = ("7".into(), "7-1".into());
    (about.examiner, about.notes) = ("Ann".into(), "found open".into());
    assert!(!acquire(&request).is_complete());
    let second = copy(&room, "a.E01", "b.E01").0.unwrap();
    assert_eq!(lost(&second), [(65_536, 1024), (0x11_0200, 512)]);
    assert!(second.imaged.bad[1].cause().contains("when the source image was made"), "{:?}", second.imaged.bad);
    let info = |image: &str| String::from_utf8_lossy(&room.sh(&format!("ewfinfo {image}"))).into_owned();
    for words in ["128 - 129", "2177 - 2177", "7-1", "Ann", "found open"] {
        assert!(info("b.E01").contains(words), "{words} in {}", info("b.E01"));
    }
    let map = fs::read_to_string(room.at("b.E01.map")).unwrap();
    assert!(map.contains("0x00010000  0x00000400  -"), "{map}");
    let log = fs::read_to_string(room.at("b.E01.log")).unwrap();
    assert!(log.contains("unreadable: sectors 128 - 129"), "{log}");
    assert_eq!(verdict(&room, "b.E01"), Verdict::Verified);
    // Facts in the request take precedence.
    let to = To { path: room.at("c.E01"), form: ImageFormat::e01() };
    let mut third = Request::new(Origin::Image(room.at("b.E01")), vec![to]);
    third.about.examiner = "Bob".into();
    assert!(!acquire(&third).is_complete());
    let info = info("c.E01");
    assert!(
        info.contains("Bob") && !info.contains("Ann") && info.contains("7-1") && info.contains("128 - 129"),
        "{info}"
    );
}

/// Unreadable sectors from before an interruption are still reported afterwards: in the summary,
/// the map and the E01 image.
#[test]
fn sectors_lost_before_are_reported_after() {
    if lacks(&[Need::Program("ewfinfo")]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(31, 130 * MIB));
    let trial = |map: &str| {
        let mut request = into(&room, "source", "image", ImageFormat::RAW);
        request.targets.push(To { path: room.at("image.E01"), form: ImageFormat::e01() });
        request.faults = faults(&room, "faults", map);
        (request.reading.readers, request.reading.policy.most_errors) = (1, Some(2));
        ran(&request)
    };
    let early = "0x0 +\n0 0x10000 +\n0x10000 0x400 -\n";
    let (ended, _) = trial(&format!("{early}0x10400 0x63EFC00 +\n0x6400000 0x1000 -\n0x6401000 0x1DFF000 +\n"));
    assert_eq!(ended.unwrap_err().kind(), Kind::Aborted);
    let (summary, seen) = trial(&format!("{early}0x10400 0x81EFC00 +\n"));
    assert_eq!((seen.resumed, lost(&summary.unwrap())), (Some(64 * MIB), vec![(65_536, 1024)]));
    let map = fs::read_to_string(room.at("image.map")).unwrap();
    assert!(map.contains("0x00010000  0x00000400  -"), "{map}");
    assert!(String::from_utf8_lossy(&room.sh("ewfinfo image.E01")).contains("128 - 129"));
}

/// A remark on a resumption stands in the chained log beside the examiner's notes, and a
/// verification lists it.
#[test]
fn a_remark_on_a_resumption_does_not_replace_the_notes() {
    let room = Room::new();
    room.file("source", &content(3, 4 * MIB));
    let mut request = asked(&room, "source", "image");
    request.about.notes = "found open".into();
    stopped(&room, &request, 2 * MIB, 4 * MIB);
    fs::OpenOptions::new().write(true).open(room.at("image")).unwrap().set_len(MIB).unwrap();
    let (summary, seen) = ran(&request);
    assert!(summary.unwrap().is_complete());
    let remark = seen.events.iter().find(|event| event.contains("the targets hold")).expect("a remark");
    let log = fs::read_to_string(room.at("image.log.jsonl")).unwrap();
    let records = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let starts: Vec<_> = records.filter(|record| record["kind"] == "start").collect();
    assert_eq!(starts.len(), 2, "{log}");
    assert!(starts.iter().all(|start| start["notes"] == "found open"), "{log}");
    assert_eq!((&starts[0]["remarks"], &starts[1]["remarks"][0]), (&serde_json::json!([]), &serde_json::json!(remark)));
    let found = verified(&room, "image");
    assert_eq!(found.verdict(), Verdict::Verified);
    assert!(found.findings.iter().any(|finding| finding.to_string().contains(remark)), "{found:?}");
}

/// Wherever a run is cut off, the one that completes it states in its log what one run would state.
#[test]
fn a_resumed_log_states_what_one_run_states() {
    /// Not whole sectors: the image is padded for its E01.
    const SIZE: u64 = (9 * MIB) + 333;
    let end = |room: &Room, image: &str| {
        let log = fs::read_to_string(room.at(format!("{image}.log.jsonl"))).unwrap();
        let last: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        ["bytes", "padded", "digests", "unreadable-bytes", "kind"].map(|fact| last[fact].clone())
    };
    let room = Room::new();
    room.file("source", &content(17, SIZE));
    let request = |image: &str| {
        let mut request = little(asked(&room, "source", image));
        request.targets.push(To { path: room.at(format!("{image}.E01")), form: ImageFormat::e01() });
        request.reading.readers = 1;
        request
    };
    let whole = acquire(&request("whole"));
    assert!(whole.is_complete() && whole.imaged.padded == 512 - SIZE % 512);
    let expected = end(&room, "whole");
    let mut cuts = 0;
    for cut in 0.. {
        let image = format!("cut{cut}");
        let mut left = cut;
        let mut stop = |event: pfh::acquire::Event<'_>| {
            if matches!(event, pfh::acquire::Event::Checkpoint { .. }) {
                left -= 1;
                if left < 0 {
                    return Err(std::io::Error::other("cut off"));
                }
            }
            Ok(())
        };
        if pfh::acquire::run(&request(&image), &mut stop, &pfh::Control::new()).is_ok() {
            break;
        }
        cuts += 1;
        let (summary, _) = ran(&request(&image));
        assert!(summary.unwrap().is_complete(), "{image}");
        assert_eq!(end(&room, &image), expected, "cut off at checkpoint {cut}");
        let mut against = pfh::verify::Request::image(room.at(&image));
        against.against = Some(room.at("source"));
        assert_eq!(crate::imaged::verify(&against).verdict(), Verdict::Verified, "{image}");
    }
    assert!(cuts > 0, "no checkpoint was seen");
}
