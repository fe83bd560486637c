//! `pfh acquire` resumed: from the same medium, into the same image, or not at all.

use crate::program::acquisition::{acquire, pfh, report, said};
use crate::program::{MIB, Room, sha256_of};
use pfh_inject::{Loop, Need, Trial, content, lacks};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Stops at this offset with exit 4, as a dying disk does.
fn stops_at(room: &Room, offset: u64, size: u64) -> PathBuf {
    let rest = size - offset - 512;
    room.file(
        "faults",
        format!("0 +\n0 {offset:#x} +\n{offset:#x} 0x200 -\n{:#x} {rest:#x} +\n", offset + 512).as_bytes(),
    )
}

fn interrupted(room: &Room, source: &Path, targets: &[&Path], words: &[&str], size: u64) {
    let seen = with(source, targets, words).args(["--max-errors", "0", "--readers", "1", "--map-as-faults"]);
    let seen = seen.arg(stops_at(room, size / 2 + 4096, size)).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
}

fn with(source: &Path, targets: &[&Path], words: &[&str]) -> Trial {
    let mut trial = acquire(["-a", "sha256,md5", "-m", "4"]).args(words);
    for target in targets {
        trial = trial.arg("--to").arg(target);
    }
    trial.arg(source)
}

/// Every file of the room and its digest.
fn everything(room: &Room) -> Vec<(PathBuf, String)> {
    let files = fs::read_dir(room.path()).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = files
        .filter(|path| !path.to_string_lossy().contains(".log"))
        .map(|path| (path.clone(), sha256_of(&path)))
        .collect();
    all.sort();
    all
}

/// A disk is known by what it is and not by its name: under the same name another disk of equal
/// size is refused, under another name the same disk is resumed.
#[test]
fn a_disk_is_not_known_by_its_name() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let size = 16 * MIB;
    let (one, two) = (room.file("one", &content(1, size)), room.file("two", &content(2, size)));
    let image = room.path().join("image");
    let first = Loop::attach(&one, &["-r"]).unwrap();
    let name = first.path().to_owned();
    interrupted(&room, &name, &[&image], &[], size);
    drop(first);
    // The other disk under the same name; or, if somebody was quicker, under one that is not
    // better.
    let attached = Command::new("losetup").arg("-r").arg(&name).arg(&two).status().unwrap();
    if attached.success() {
        let before = everything(&room);
        let seen = with(&name, &[&image], &[]).run().unwrap();
        assert!(Command::new("losetup").arg("-d").arg(&name).status().unwrap().success());
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(
            seen.stderr.contains("another source") && seen.stderr.contains("SHA-256 of the first MiB"),
            "{}",
            seen.stderr
        );
        assert_eq!(everything(&room), before, "a refused command changes nothing");
    }
    let _other = Loop::attach(&two, &["-r"]).unwrap();
    let again = Loop::attach(&one, &["-r"]).unwrap();
    let seen = with(again.path(), &[&image], &[]).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("resuming: "), "{}", seen.stderr);
    if again.path() != name {
        assert!(seen.stderr.contains(&format!("it was named {}", name.display())), "{}", seen.stderr);
    }
    assert_eq!(sha256_of(&image), sha256_of(&one));
    let log = fs::read_to_string(room.path().join("image.log.jsonl")).unwrap();
    assert!(log.contains("\"first-mib\":{\"sha256\":"), "{log}");
}

/// Of a file the bytes decide as well: a copy is the same source, another file of equal size is
/// not.
#[test]
fn a_file_is_known_by_its_ends() {
    let room = Room::new();
    let size = 8 * MIB;
    let source = room.file("source", &content(3, size));
    let image = room.path().join("image");
    interrupted(&room, &source, &[&image], &[], size);
    let mut other = content(3, size);
    other[size as usize - 5] ^= 1;
    let seen = with(&room.file("other", &other), &[&image], &[]).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("SHA-256 of the last MiB"), "{}", seen.stderr);
    let copy = room.file("copy", &content(3, size));
    let seen = with(&copy, &[&image], &[]).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(sha256_of(&image), sha256_of(&source));
}

/// A byte that changed in the part that was written is found before anything is written, in each
/// target.
#[test]
fn what_was_written_is_compared_before_it_is_resumed() {
    if lacks(&[Need::Time]) {
        return;
    }
    let size = 16 * MIB;
    for targets in [&["image"][..], &["image.E01"], &["image", "image.E01"], &["image.E01", "image"]] {
        for which in 0..targets.len() {
            let room = Room::new();
            let source = room.file("source", &content(4, size));
            let paths: Vec<PathBuf> = targets.iter().map(|name| room.path().join(name)).collect();
            let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            // Small segments: an E01 image resumes at the end of one.
            let words: &[&str] = if targets.len() > 1 || targets[0] != "image" {
                &["--compression", "none", "--format", "auto"]
            } else {
                &[]
            };
            if targets.contains(&"image.E01") {
                interrupted_e01(&room, &source, &paths, words, size);
            } else {
                interrupted(&room, &source, &paths, words, size);
            }
            let target = fs::OpenOptions::new().read(true).write(true).open(paths[which]).unwrap();
            let mut byte = [0];
            // Behind the first sections of an E01 image, and not in a checksum: the chunk stays
            // readable where it is bare.
            target.read_exact_at(&mut byte, 1_000_001).unwrap();
            target.write_all_at(&[byte[0] ^ 0x10], 1_000_001).unwrap();
            let before = everything(&room);
            let seen = with(&source, &paths, words).run().unwrap();
            let is_e01 = targets[which] == "image.E01";
            assert!(seen.code == Some(1) || is_e01 && seen.code == Some(4), "{targets:?} {which}: {seen:?}");
            if !is_e01 {
                assert!(
                    seen.stderr.contains("changed since it was written, between offsets 0 and "),
                    "{}",
                    seen.stderr
                );
                assert!(seen.stderr.contains(&*paths[which].to_string_lossy()), "{}", seen.stderr);
            }
            assert_eq!(everything(&room), before, "nothing is written");
            let seen = with(&source, &paths, words).arg("--force").run().unwrap();
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256_of(&source));
        }
    }
}

/// As [`interrupted`], late enough for an E01 image to have finished sections: it is written in 64
/// MiB of them.
fn interrupted_e01(room: &Room, source: &Path, targets: &[&Path], words: &[&str], size: u64) {
    let larger = 130 * MIB;
    fs::write(source, content(4, larger)).unwrap();
    let _ = size;
    interrupted_at(room, source, targets, words, larger, 100 * MIB);
}

fn interrupted_at(room: &Room, source: &Path, targets: &[&Path], words: &[&str], size: u64, at: u64) {
    let seen = with(source, targets, words).args(["--max-errors", "0", "--readers", "1", "--map-as-faults"]);
    let seen = seen.arg(stops_at(room, at, size)).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
}

/// An image begun by GNU ddrescue is completed by pfh, once somebody says that the map is this
/// source's, and hashed whole.
#[test]
fn ddrescues_map_is_taken_when_its_source_is_named() {
    if lacks(&[Need::Program("ddrescue")]) {
        return;
    }
    let room = Room::new();
    let size = 8 * MIB;
    let source = room.file("source", &content(5, size));
    let (image, map) = (room.path().join("image"), room.path().join("image.map"));
    said(
        "ddrescue",
        &["-q", "-s", "3MiB"]
            .map(AsRef::as_ref)
            .into_iter()
            .chain([source.as_os_str(), image.as_os_str(), map.as_os_str()])
            .collect::<Vec<_>>(),
    );
    let before = everything(&room);
    let seen = with(&source, &[&image], &[]).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("GNU ddrescue's map") && seen.stderr.contains("--adopt-map"), "{}", seen.stderr);
    assert_eq!(everything(&room), before);
    let small = room.file("small", &content(5, MIB));
    let seen = with(&small, &[&image], &["--adopt-map"]).run().unwrap();
    assert_eq!(seen.code, Some(2), "the map is longer than the source: {}", seen.stderr);
    let seen = with(&source, &[&image], &["--adopt-map"]).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("resuming: 3145728 bytes"), "{}", seen.stderr);
    assert_eq!(sha256_of(&image), sha256_of(&source));
    assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256_of(&source));
    let log = fs::read_to_string(room.path().join("image.log")).unwrap();
    assert!(log.contains("--adopt-map"), "{log}");
    // And the other way round: pfh's remarks are none of ddrescue's business.
    let text = said("ddrescue", &["-q".as_ref(), source.as_os_str(), image.as_os_str(), map.as_os_str()]);
    assert_eq!(sha256_of(&image), sha256_of(&source), "{text}");
}

/// A stream has no second try, and nothing says that it had.
#[test]
fn an_interrupted_stream_is_not_said_to_be_resumable() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = Room::new();
    let (image, fifo) = (room.path().join("image"), room.path().join("fifo"));
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Slowly, until the other side has gone.
    let writer = std::thread::spawn({
        let (fifo, bytes) = (fifo.clone(), content(8, 65_536));
        move || {
            let mut open = fs::OpenOptions::new().write(true).open(fifo).unwrap();
            while std::io::Write::write_all(&mut open, &bytes).is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        }
    });
    let trial = acquire(["--to"]).arg(&image).arg(&fifo);
    let seen = trial.signal_once_caught(std::time::Duration::from_millis(300), 2).run().unwrap();
    writer.join().unwrap();
    assert_eq!(seen.code, Some(130), "{}", seen.stderr);
    let log = fs::read_to_string(room.path().join("image.log")).unwrap();
    assert!(log.contains("stopped after") && !log.contains("resumes here"), "{log}");
    assert!(!seen.stderr.contains("resumes here"), "{}", seen.stderr);
}

/// Sectors are those of the medium also where the image starts inside of it (AM-10).
#[test]
fn sectors_are_those_of_the_medium() {
    let room = Room::new();
    let source = room.file("source", &content(6, 2 * MIB));
    let faults = room.file("faults", b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x1EFC00 +\n");
    let image = room.path().join("image");
    let seen = with(&source, &[&image], &["--skip", "60000", "--map-as-faults"]);
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["acquire", "--no-progress"])
        .args(["--skip", "60000", "--to"])
        .arg(&image)
        .arg("--map-as-faults")
        .arg(&faults)
        .arg(&source)
        .run()
        .map(|text| (text, seen))
        .unwrap()
        .0;
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let text = String::from_utf8_lossy(&seen.stdout);
    let words = "unreadable: sectors 128 - 129 (offset 65536 of the medium, 5536 of the image, 1024 bytes)";
    assert!(text.contains(words), "{text}");
    assert!(fs::read_to_string(room.path().join("image.log")).unwrap().contains(words));
    let seen = acquire(["--force", "--skip", "60000", "--to"])
        .arg(&image)
        .arg("--map-as-faults")
        .arg(&faults)
        .arg(&source)
        .run()
        .unwrap();
    let bad = &report(&seen)["unreadable"][0];
    assert_eq!(
        (bad["sector"].as_u64(), bad["medium-offset"].as_u64(), bad["offset"].as_u64()),
        (Some(128), Some(65_536), Some(5536))
    );
}

/// A copy of an image carries its errors and its case data on (CFTT AO-09), and says so with exit
/// 3.
#[test]
fn a_copy_of_an_image_carries_errors_and_case_data() {
    if lacks(&[Need::Program("ewfinfo")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(7, 2 * MIB));
    let faults = room.file(
        "faults",
        b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0xFFE00 +\n0x110200 0x200 -\n0x110400 0xEFC00 +\n",
    );
    let [first, second, third, raw] = ["a.E01", "b.E01", "c.E01", "raw"].map(|name| room.path().join(name));
    let case = ["--case", "7", "--evidence", "7-1", "--examiner", "Ann", "--notes", "found open"];
    let seen = with(&source, &[&first], &case).arg("--map-as-faults").arg(&faults).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let seen = with(&first, &[&second, &raw], &["--image"]).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let bad = report(&seen)["unreadable"].clone();
    assert_eq!((bad[0]["sector"].as_u64(), bad[0]["length"].as_u64()), (Some(128), Some(1024)), "{bad}");
    assert!(bad[1]["cause"].as_str().unwrap().contains("when the source image was made"), "{bad}");
    let info = said("ewfinfo", &[second.as_os_str()]);
    for words in ["128 - 129", "2177 - 2177", "7-1", "Ann", "found open"] {
        assert!(info.contains(words), "{words} in {info}");
    }
    let map = fs::read_to_string(room.path().join("b.E01.map")).unwrap();
    assert!(map.contains("0x00010000  0x00000400  -"), "{map}");
    let log = fs::read_to_string(room.path().join("b.E01.log")).unwrap();
    assert!(log.contains("unreadable: sectors 128 - 129"), "{log}");
    assert_eq!(pfh(["verify".as_ref(), second.as_os_str()]).code, Some(0));
    // Options of the command line take precedence.
    let seen = with(&second, &[&third], &["--image", "--examiner", "Bob"]).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let info = said("ewfinfo", &[third.as_os_str()]);
    assert!(
        info.contains("Bob") && !info.contains("Ann") && info.contains("7-1") && info.contains("128 - 129"),
        "{info}"
    );
}
