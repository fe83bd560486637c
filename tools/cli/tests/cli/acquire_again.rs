//! `pfh acquire` after it has ended: the same command, and `--retry-bad`.

use crate::program::acquisition::{acquire, pfh, report};
use crate::program::{MIB, Room, sha256_of};
use pfh_inject::{Errno, File, Files, Loop, Need, Trial, content, lacks};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const BAD: &[u8] = b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0x1EFC00 +\n0x200000 0x200 -\n0x200200 0x1FFE00 +\n";
const FEWER: &[u8] = b"0 +\n0 0x10000 +\n0x10000 0x200 -\n0x10200 0x3EFE00 +\n";

fn with(source: &Path, target: &Path, words: &[&str]) -> Trial {
    acquire(["-a", "sha256,md5"]).args(words).arg("--to").arg(target).arg(source)
}

fn verified(room: &Room, image: &Path) {
    let log = room.path().join("image.log.jsonl");
    let seen = pfh(["verify".as_ref(), image.as_os_str(), "--log".as_ref(), log.as_os_str()]);
    assert_eq!(seen.code, Some(0), "{seen:?}");
}

/// The same command after the end finds everything done, by comparing, and changes nothing; a
/// changed image is found.
#[test]
fn the_same_command_after_the_end_compares() {
    let room = Room::new();
    let source = room.file("source", &content(1, 3 * MIB));
    for name in ["image", "image.E01"] {
        let image = room.path().join(name);
        let first = with(&source, &image, &[]).run().unwrap();
        assert_eq!(first.code, Some(0), "{}", first.stderr);
        let all =
            || ["", ".log", ".log.jsonl", ".map"].map(|ending| sha256_of(&room.path().join(format!("{name}{ending}"))));
        let before = all();
        let again = with(&source, &image, &[]).run().unwrap();
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        assert!(again.stderr.contains("acquired before") && again.stderr.contains("sha256"), "{}", again.stderr);
        assert_eq!(report(&again)["digests"]["sha256"], report(&first)["digests"]["sha256"]);
        assert_eq!(all(), before, "nothing is written");
        let retried = with(&source, &image, &["--retry-bad"]).run().unwrap();
        assert_eq!(retried.code, Some(0), "{}", retried.stderr);
        assert!(retried.stderr.contains("nothing to try again"), "{}", retried.stderr);
    }
    let image = room.path().join("image");
    fs::OpenOptions::new().write(true).open(&image).unwrap().write_all_at(b"x", 70_000).unwrap();
    let changed = with(&source, &image, &[]).run().unwrap();
    assert_eq!(changed.code, Some(1), "{}", changed.stderr);
    assert!(changed.stderr.contains("changed since"), "{}", changed.stderr);
    // Another source of equal size is another acquisition.
    let other = room.file("other", &content(2, 3 * MIB));
    assert_eq!(with(&other, &image, &[]).run().unwrap().code, Some(2));
}

/// Sectors that are readable later are put in their place: image, map, digests, and a log that has
/// two ends.
#[test]
fn what_could_not_be_read_is_tried_again() {
    let bytes = content(3, 4 * MIB);
    for words in [&[][..], &["--split", "1MiB"], &["--piecewise", "1MiB"]] {
        let room = Room::new();
        let source = room.file("source", &bytes);
        let (bad, fewer) = (room.file("bad", BAD), room.file("fewer", FEWER));
        let image = room.path().join("image");
        let trial = |faults: Option<&PathBuf>, more: &[&str]| {
            let trial = with(&source, &image, words).args(more);
            let trial = match faults {
                Some(faults) => trial.arg("--map-as-faults").arg(faults),
                None => trial,
            };
            trial.run().unwrap()
        };
        assert_eq!(trial(Some(&bad), &[]).code, Some(3));
        let again = trial(Some(&bad), &[]);
        assert_eq!(again.code, Some(3), "{}", again.stderr);
        {
            assert!(again.stderr.contains("--retry-bad"), "{}", again.stderr);
            let seen = trial(Some(&fewer), &["--retry-bad"]);
            assert_eq!(seen.code, Some(3), "{}", seen.stderr);
            assert!(
                seen.stderr.contains("1536 bytes that were not read at first were tried again, 1024"),
                "{}",
                seen.stderr
            );
            let lost = report(&seen)["unreadable"].clone();
            assert_eq!(
                (lost[0]["sector"].as_u64(), lost[0]["length"].as_u64(), lost.as_array().map(Vec::len)),
                (Some(128), Some(512), Some(1))
            );
            let map = fs::read_to_string(room.path().join("image.map")).unwrap();
            assert!(map.contains("0x00010000  0x00000200  -") && map.matches("  -\n").count() == 1, "{map}");
            let seen = trial(None, &["--retry-bad"]);
            assert_eq!(seen.code, Some(0), "{}", seen.stderr);
            let whole: Vec<u8> = match words.first() {
                Some(&"--split") => {
                    (0..4).flat_map(|n| fs::read(room.path().join(format!("image.{n:03}"))).unwrap()).collect()
                }
                _ => fs::read(&image).unwrap(),
            };
            assert!(whole == bytes, "{words:?}");
            assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256_of(&source));
            let first = if words.first() == Some(&"--split") { room.path().join("image.000") } else { image.clone() };
            verified(&room, &first);
            let log = fs::read_to_string(room.path().join("image.log.jsonl")).unwrap();
            assert_eq!(
                (log.matches("\"kind\":\"end\"").count(), log.matches("\"kind\":\"reopened\"").count()),
                (3, 2),
                "{log}"
            );
            assert_eq!(trial(None, &[]).code, Some(0), "and the same command finds it done");
        }
    }
}

/// A changed image is not mended, and the chunks of an E01 image cannot be.
#[test]
fn only_the_image_that_was_written_is_mended() {
    let room = Room::new();
    let source = room.file("source", &content(4, 4 * MIB));
    let bad = room.file("bad", BAD);
    let image = room.path().join("image");
    let seen = acquire(["-a", "md5", "--map-as-faults"]).arg(&bad).arg("--to").arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    fs::OpenOptions::new().write(true).open(&image).unwrap().write_all_at(b"x", 70_000).unwrap();
    let before = sha256_of(&image);
    let seen = acquire(["-a", "md5", "--retry-bad", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("changed since"), "{}", seen.stderr);
    assert_eq!(sha256_of(&image), before);
    let e01 = room.path().join("image.E01");
    let seen = acquire(["--map-as-faults"]).arg(&bad).arg("--to").arg(&e01).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let seen = acquire(["--retry-bad", "--to"]).arg(&e01).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("cannot be changed in place"), "{}", seen.stderr);
}

/// A device whose later part answers EIO to everything: few reads, nothing good is lost, what was
/// not tried is in the map.
#[test]
fn a_half_dead_device_is_not_walked_sector_by_sector() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let size = 32 * MIB;
    // Dead from sector 20,000 to 50,000.
    let dead = 20_000 * 512..50_000 * 512;
    let file = File::new("disk", size).fails_in(dead.start..dead.end, Errno::EIO);
    let mut expected = file.bytes();
    expected[dead.start as usize..dead.end as usize].fill(0);
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
    let room = Room::new();
    let image = room.path().join("image");
    let seen = with(disk.path(), &image, &["--give-up", "500"]).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(fs::read(&image).unwrap() == expected, "everything good is there");
    assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256_of(&image));
    let lost = report(&seen)["unreadable"].clone();
    let total: u64 = lost.as_array().unwrap().iter().map(|run| run["length"].as_u64().unwrap()).sum();
    assert_eq!(total, dead.end - dead.start, "{lost}");
    assert!(
        lost.as_array().unwrap().iter().any(|run| run["cause"].as_str().unwrap().starts_with("not tried")),
        "{lost}"
    );
    let map = fs::read_to_string(room.path().join("image.map")).unwrap();
    assert!(map.contains("  ?\n"), "{map}");
    let seen = pfh(["verify".as_ref(), image.as_os_str()]);
    assert_eq!(seen.code, Some(3), "as written, and not all of it was acquired: {seen:?}");
    // Without a limit each sector is tried, and all of the zone is bad.
    let all = room.path().join("all");
    let seen = with(disk.path(), &all, &["--give-up", "0", "--retries", "0"]).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(fs::read(&all).unwrap() == expected);
    let map = fs::read_to_string(room.path().join("all.map")).unwrap();
    assert!(!map.contains("  ?\n"), "{map}");
}

/// What the chained log states beside the image's digests is compared: the log for people, files,
/// windows, case data.
#[test]
fn the_chained_log_covers_what_lies_beside_it() {
    let room = Room::new();
    let source = room.file("source", &content(6, 3 * MIB));
    let image = room.path().join("image.E01");
    let words = ["--piecewise", "1MiB", "--case", "7", "--examiner", "Ann", "--verify", "--compression", "none"];
    let seen = with(&source, &image, &words).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let log = room.path().join("image.E01.log");
    let chained = room.path().join("image.E01.log.jsonl");
    let verify = || pfh(["verify".as_ref(), image.as_os_str(), "--log".as_ref(), chained.as_os_str()]);
    let seen = verify();
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    for words in
        ["the log for people", "3 windows (", "1 file of the image (size and sha256)", "the case data in the image"]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    let people = fs::read_to_string(&log).unwrap();
    for words in ["host: ", "case: 7", "examiner: Ann", "file: image.E01, "] {
        assert!(people.contains(words), "{words} in {people}");
    }
    // The log for people: a word changed, a line behind the end; and with the chained log alone.
    for changed in [people.replace("examiner: Ann", "examiner: Bob"), format!("{people}all was read\n")] {
        fs::write(&log, changed).unwrap();
        assert_eq!(verify().code, Some(1));
        assert_eq!(pfh(["verify".as_ref(), "--log".as_ref(), chained.as_os_str()]).code, Some(1));
    }
    fs::write(&log, &people).unwrap();
    assert_eq!(verify().code, Some(0));
    // Case data of another image with the same content.
    let other = room.path().join("other.E01");
    let words = ["--case", "7", "--examiner", "Bob", "--compression", "none"];
    assert_eq!(with(&source, &other, &words).run().unwrap().code, Some(0));
    fs::copy(&other, &image).unwrap();
    let seen = verify();
    assert_eq!(seen.code, Some(1), "{seen:?}");
    assert!(seen.stderr.contains("the examiner is \"Bob\", the log states \"Ann\""), "{}", seen.stderr);
}

/// A log that was cut off is continued by the acquisition that it is of, and by no other.
#[test]
fn the_log_of_another_acquisition_is_refused() {
    let room = Room::new();
    let source = room.file("source", &content(5, MIB));
    let (one, two, log) = (room.path().join("one"), room.path().join("two"), room.path().join("log"));
    let to = |target: &Path| with(&source, target, &[]).arg("--log").arg(&log).run().unwrap();
    assert_eq!(to(&one).code, Some(0));
    let chained = room.path().join("log.jsonl");
    let text = fs::read_to_string(&chained).unwrap();
    let begun: String = text.split_inclusive('\n').take_while(|line| !line.contains("\"kind\":\"end\"")).collect();
    assert!(!begun.is_empty() && begun.len() < text.len(), "{text}");
    fs::write(&chained, &begun).unwrap();
    let seen = to(&two);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("other targets"), "{}", seen.stderr);
    assert!(!two.exists() && fs::read_to_string(&chained).unwrap() == begun);
    // Its own acquisition takes it up.
    let seen = to(&one);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}
