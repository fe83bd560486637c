//! Where images go: devices, several disks one after the other, several targets at once.

use crate::imaged::{acquire, asked, claim, digest, faults, into, ran, refused, split, verify};
use crate::room::{Room, names};
use pfh::acquire::{ImageFormat, Request, To};
use pfh::container::ewf::Compression;
use pfh::container::split::Suffix;
use pfh::imaging::Ring;
use pfh::job::{Error, Kind};
use pfh::verify::{self, Verdict};
#[cfg(unix)]
use pfh_inject::{Loop, Tmpfs};
use pfh_inject::{Need, content, digest_by, lacks, sha256_of};
use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;

fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

/// With log and map of this name in the room.
fn recorded(room: &Room, mut request: Request, name: &str) -> Request {
    (request.log, request.map) = (Some(room.at(format!("l{name}"))), Some(room.at(format!("m{name}"))));
    request
}

fn onto(room: &Room, device: &Path, name: &str) -> Request {
    let mut request = into(room, "source", "none", ImageFormat::RAW);
    request.targets[0].path = device.to_owned();
    recorded(room, request, name)
}

/// A target that is too small is reported before it is written.
#[cfg(unix)]
#[test]
fn a_target_that_is_too_small_is_left() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(4, 2 * MIB));
    let target = room.file("target", &vec![7; MIB as usize]);
    let device = Loop::attach(&target, &[]).unwrap();
    let error = refused(&onto(&room, device.path(), "g"));
    assert_eq!(error.kind(), Kind::Output);
    assert!(error.to_string().contains("1048576") && error.to_string().contains("2097152"), "{error}");
    assert!(fs::read(&target).unwrap().iter().all(|b| *b == 7), "nothing was written");
}

/// Bytes beyond the image stay, and windows have digests.
#[cfg(unix)]
#[test]
fn a_clone_on_a_device_leaves_the_rest_alone() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let bytes = content(5, 2 * MIB);
    room.file("source", &bytes);
    let target = room.file("target", &vec![7; 3 * MIB as usize]);
    for sector in ["512", "4096"] {
        let device = Loop::attach(&target, &["-b", sector]).unwrap();
        let mut request = onto(&room, device.path(), sector);
        (request.reading.piecewise, request.verify) = (Some(1 << 20), true);
        let summary = acquire(&request);
        assert!(summary.is_complete() && summary.compared[0].is_good(), "{summary:?}");
        let windows: Vec<String> = summary.imaged.pieces.iter().map(|piece| piece.digests[0].to_string()).collect();
        assert_eq!(windows, bytes.chunks(1 << 20).map(sha256).collect::<Vec<_>>());
        let log = fs::read_to_string(room.at(format!("l{sector}"))).unwrap();
        assert!(windows.iter().all(|window| log.contains(window)), "{log}");
        drop(device);
        let copied = fs::read(&target).unwrap();
        assert!(copied[..2 << 20] == bytes[..] && copied[2 << 20..].iter().all(|b| *b == 7));
    }
}

/// How many names in a directory are links, and how many are files.
#[cfg(unix)]
fn counted(directory: &Path) -> (usize, usize) {
    let all: Vec<_> = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.file_type().unwrap()).collect();
    (all.iter().filter(|kind| kind.is_symlink()).count(), all.iter().filter(|kind| kind.is_file()).count())
}

fn by_log(room: &Room, image: &str, log: &str) -> verify::Summary {
    let mut request = verify::Request::image(room.at(image));
    request.log = Some(room.at(log));
    verify(&request)
}

/// The next segments go to another volume when the first is full, and are read as one image.
#[cfg(unix)]
#[test]
fn further_segments_go_to_another_disk() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(61, 6 * MIB);
    room.file("disk", &bytes);
    let small = Tmpfs::mount(&room.at("small"), 3 * MIB).unwrap();
    let large = Tmpfs::mount(&room.at("large"), 8 * MIB).unwrap();
    let e01 = ImageFormat::E01 { compression: Compression::None, segment: 1 << 20 };
    for (name, first, form) in
        [("image", "image.000", split(512 << 10, Suffix::Digits)), ("image.E01", "image.E01", e01)]
    {
        let mut request = recorded(&room, into(&room, "disk", &format!("small/{name}"), form), name);
        (request.then, request.verify) = (vec![room.at("large")], true);
        assert!(acquire(&request).is_complete());
        let ((links, kept), (none, moved)) = (counted(small.path()), counted(large.path()));
        assert!(links > 1 && links == moved && kept > 1 && none == 0, "{links} {kept} {none} {moved}");
        let (first, log) = (format!("small/{first}"), format!("l{name}.jsonl"));
        let mut found = verify::Request::image(room.at(&first));
        (found.log, found.claims) = (Some(room.at(&log)), vec![claim("sha256", &sha256(&bytes))]);
        assert_eq!(verify(&found).verdict(), Verdict::Verified);
        let people = fs::read_to_string(room.at(format!("l{name}"))).unwrap();
        assert_eq!(people.matches(", in /").count(), links, "{people}");
        // The same request compares; replaced, both directories are cleared first.
        assert!(ran(&request).1.unchanged);
        request.replace = true;
        assert!(acquire(&request).is_complete());
        assert_eq!((counted(small.path()), counted(large.path())), ((links, kept), (none, moved)));
        // A segment on a disk that is not attached is a difference, and is named.
        let gone = names(large.path()).pop().unwrap();
        fs::remove_file(large.path().join(&gone)).unwrap();
        assert_eq!(by_log(&room, &first, &log).verdict(), Verdict::Differs);
        for directory in [small.path(), large.path()] {
            names(directory).iter().for_each(|name| fs::remove_file(directory.join(name)).unwrap());
        }
    }
    // One that was cut off on the second disk is resumed there.
    let mut request = recorded(&room, into(&room, "disk", "small/cut", split(512 << 10, Suffix::Digits)), "cut");
    (request.then, request.verify) = (vec![room.at("large")], true);
    let mut dying = request.clone();
    dying.faults = faults(&room, "faults", "0x0 +\n0x00000000 0x00480000 +\n0x00480000 0x00180000 -\n");
    dying.reading.policy.most_errors = Some(1);
    assert_eq!(refused(&dying).kind(), Kind::Aborted);
    assert!(counted(large.path()).1 > 0, "it was cut off on the second disk");
    let (summary, seen) = ran(&request);
    assert!(seen.resumed.is_some_and(|bytes| bytes > 0), "{seen:?}");
    assert_eq!(digest(&summary.unwrap(), "sha256"), sha256(&bytes));
}

#[test]
fn an_image_that_cannot_go_on_elsewhere_is_refused() {
    let room = Room::new();
    room.file("disk", &content(63, MIB));
    for name in ["a", "b", "c"] {
        fs::create_dir(room.at(name)).unwrap();
    }
    room.file("c/image.001", "precious");
    let before = room.names();
    let pieces = || split(100 << 10, Suffix::Digits);
    for (form, then) in [
        (ImageFormat::RAW, &["b"][..]),
        (pieces(), &["a"]),
        (pieces(), &["none"]),
        (pieces(), &["disk"]),
        (pieces(), &["b", "b"]),
        (pieces(), &["c"]),
    ] {
        let mut request = into(&room, "disk", "a/image", form);
        request.then = then.iter().map(|name| room.at(name)).collect();
        let error = refused(&request);
        assert!(error.kind() == Kind::Request && !error.to_string().contains("--"), "{then:?}: {error}");
    }
    assert_eq!((room.names(), names(&room.at("a")).len()), (before, 0));
    assert_eq!(fs::read(room.at("c/image.001")).unwrap(), b"precious");
}

/// The healthy target is whole, verified and logged; the other is named.
#[cfg(unix)]
#[test]
fn one_failing_target_ends_no_other() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(64, 6 * MIB);
    room.file("disk", &bytes);
    let small = Tmpfs::mount(&room.at("small"), 3 * MIB).unwrap();
    room.sh("mkfifo pipe");
    // A stream: how much room it takes is not known before.
    let streamed = |request: &Request| {
        std::thread::scope(|scope| {
            scope.spawn(|| drop(fs::write(room.at("pipe"), &bytes)));
            ran(request)
        })
    };
    let cases = [
        ("good.dd", "good.dd", ImageFormat::RAW, 1),
        ("good.E01", "good.E01", ImageFormat::e01(), 0),
        ("good", "good.000", split(1 << 20, Suffix::Digits), 0),
    ];
    for (good, first, form, place) in cases {
        let mut request = into(&room, "pipe", "small/a", ImageFormat::RAW);
        request.targets.insert(place, To { path: room.at(good), form });
        (request.log, request.map) = (Some(room.at(format!("l{good}"))), None);
        (request.verify, request.outboard) = (true, Some(room.at(format!("t{good}"))));
        let (summary, seen) = streamed(&request);
        let summary = summary.unwrap();
        let [lost] = &summary.lost[..] else { panic!("{summary:?}") };
        assert!(lost.path == room.at("small/a") && lost.cause.contains("No space left"), "{lost:?} {seen:?}");
        assert_eq!(summary.targets, [room.at(good)]);
        assert!(summary.compared.iter().all(|one| one.is_good()) && summary.compared.len() == 1, "{summary:?}");
        let mut found = verify::Request::image(room.at(first));
        found.log = Some(room.at(format!("l{good}.jsonl")));
        found.claims = vec![claim("sha256", &sha256(&bytes))];
        assert_eq!(verify(&found).verdict(), Verdict::Verified);
        let log = fs::read_to_string(room.at(format!("l{good}.jsonl"))).unwrap();
        assert!(log.contains("\"kind\":\"target-failed\""), "{log}");
        names(small.path()).iter().for_each(|name| fs::remove_file(small.path().join(name)).unwrap());
    }
    // Of a file there is a map: the complete image is not resumed with the one that failed.
    let e01 = ImageFormat::E01 { compression: Compression::None, segment: ImageFormat::SEGMENT };
    let both = |log: &str| {
        let mut request = into(&room, "disk", "small/x.E01", e01.clone());
        request.targets.push(To { path: room.at("good.raw"), form: ImageFormat::RAW });
        (request.log, request.map) = (Some(room.at(log)), Some(room.at("m3")));
        request
    };
    assert_eq!(acquire(&both("l3")).lost.len(), 1);
    assert!(fs::read(room.at("good.raw")).unwrap() == bytes);
    for log in ["l3", "l4"] {
        assert_eq!(refused(&both(log)).kind(), Kind::Request, "{log}");
        assert!(fs::read(room.at("good.raw")).unwrap() == bytes);
    }
    // Without a healthy one it ends as ever.
    let mut request = into(&room, "pipe", "small/a", ImageFormat::RAW);
    request.targets.push(To { path: room.at("small/b"), form: ImageFormat::RAW });
    (request.log, request.map) = (Some(room.at("l")), None);
    let error: Error = streamed(&request).0.unwrap_err();
    assert!(matches!(error.kind(), Kind::Output | Kind::Aborted), "{error}");
}

/// The ring decides nothing but how much waits between reading and writing.
#[test]
fn every_ring_makes_the_same_image() {
    let room = Room::new();
    // No multiple of any block, and larger than several.
    let source = room.file("source", &content(1, 9 * MIB + 512));
    let expected = sha256_of(&source);
    for (block, blocks, readers) in [
        (Some(4096), Some(2), 2),
        (Some(64 << 10), None, 2),
        (Some(12_288), Some(3), 4),
        (Some(3 << 20), Some(2), 2),
        (Some(64_000_000), None, 2),
        (Some(64_000_000), Some(5), 1),
        (None, Some(5), 2),
    ] {
        let mut request = asked(&room, "source", "image");
        request.reading.ring = Some(Ring::new(block, blocks).unwrap());
        (request.reading.readers, request.verify, request.replace) = (readers, true, true);
        let summary = acquire(&request);
        assert!(summary.is_complete() && !summary.differs(), "{block:?} {blocks:?}");
        assert_eq!((digest(&summary, "sha256"), sha256_of(&room.at("image"))), (expected.clone(), expected.clone()));
    }
}
