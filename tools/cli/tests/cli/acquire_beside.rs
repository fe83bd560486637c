//! The same command again, with every file that an acquisition keeps beside the image: after a
//! kill, after the end, with other facts, with another source.

use crate::program::acquisition::acquire;
use crate::program::{MIB, Room, sha256_of};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

const ALL: &str = "--outboard tree --case-uco case.jsonld --map map --log log --piecewise 1MiB --verify";

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap()
}

/// Leaves the records before the first one of this kind, as a kill at that moment does.
fn cut(log: &Path, kind: &str) {
    let text = fs::read_to_string(log).unwrap();
    let kept: String =
        text.split_inclusive('\n').take_while(|line| !line.contains(&format!("\"kind\":\"{kind}\""))).collect();
    assert!(kept.len() < text.len(), "{kind} in {text}");
    fs::write(log, kept).unwrap();
}

/// D7: whatever is there when a run is killed, the same command goes on; and it finds itself done.
#[test]
fn tree_and_document_of_a_killed_run_are_its_own() {
    for target in ["image", "image.E01"] {
        let room = Room::new();
        let source = room.file("source", &content(1, 3 * MIB));
        let words = format!("acquire --no-progress source --to {target} {ALL}");
        assert_eq!(pfh(&room, &words).code, Some(0));
        let digest = sha256_of(&room.path().join("tree"));
        let seen = pfh(&room, &words);
        assert!(seen.code == Some(0) && seen.stderr.contains("acquired before"), "{target}: {}", seen.stderr);
        for kind in ["end", "case", "verified", "start"] {
            // The log cut off; then a document and a tree of an earlier moment as well.
            cut(&room.path().join("log.jsonl"), kind);
            let seen = pfh(&room, &words);
            assert_eq!(seen.code, Some(0), "{target}, {kind}: {}", seen.stderr);
            assert_eq!(sha256_of(&room.path().join("tree")), digest);
            if target == "image" {
                assert_eq!(sha256_of(&room.path().join(target)), sha256_of(&source));
            }
            let checked = pfh(&room, &format!("verify {target} --log log.jsonl"));
            assert_eq!(checked.code, Some(0), "{target}, {kind}: {checked:?}");
        }
    }
    // What another run, or somebody, has made stays.
    let room = Room::new();
    room.file("source", &content(2, MIB));
    for (name, bytes) in [("tree", &b"pfh tree of somebody"[..]), ("case.jsonld", b"{}")] {
        room.file(name, bytes);
        let seen = pfh(&room, &format!("acquire --no-progress source --to image {ALL}"));
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert_eq!(fs::read(room.path().join(name)).unwrap(), bytes);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), 2, "and nothing is made");
        fs::remove_file(room.path().join(name)).unwrap();
    }
}

/// 50 kills at instants over the whole of a run, as long as one takes that is not killed, each
/// followed by the same command.
#[test]
fn fifty_kills_with_every_file_beside_the_image() {
    if lacks(&[Need::Time]) {
        return;
    }
    let size = 24 * MIB;
    let bytes = content(3, size);
    let mut interrupted = 0;
    let targets = ["image", "image.E01"];
    let trial = |room: &Room, target: &str| {
        acquire(["-m", "4", "--map-interval", "0.01", "--to", target, "source"])
            .args(ALL.split_whitespace())
            .directory(room.path())
    };
    let whole = targets.map(|target| {
        let room = Room::in_memory();
        room.file("source", &bytes);
        let started = Instant::now();
        assert_eq!(trial(&room, target).run().unwrap().code, Some(0));
        started.elapsed()
    });
    for round in 0..50_u32 {
        let room = Room::in_memory();
        let source = room.file("source", &bytes);
        let (target, whole) = (targets[round as usize % 2], whole[round as usize % 2]);
        let trial = || trial(&room, target);
        let first = trial().signal(whole * (round + 1) / 51, 9).run().unwrap();
        interrupted += u32::from(first.code == Some(137));
        let seen = trial().run().unwrap();
        assert_eq!(seen.code, Some(0), "round {round}: {}", seen.stderr);
        assert_eq!(trial().run().unwrap().code, Some(0), "round {round}, repeated");
        let checked = pfh(&room, &format!("verify {target} --log log.jsonl"));
        assert_eq!(checked.code, Some(0), "round {round}: {checked:?}");
        if target == "image" {
            assert_eq!(sha256_of(&room.path().join(target)), sha256_of(&source));
            let checked = pfh(&room, "tree check --outboard tree image");
            assert_eq!(checked.code, Some(0), "round {round}: {checked:?}");
        }
    }
    assert!(interrupted > 20, "{interrupted}");
}

/// D14: after the end the same command with other facts is for another image.
#[test]
fn other_facts_after_the_end_are_refused() {
    let room = Room::new();
    room.file("source", &content(4, 2 * MIB));
    let first = "acquire --no-progress source --to a.E01 --case 1 --examiner Ann -a sha256 --split 1MiB";
    assert_eq!(pfh(&room, first).code, Some(0));
    let files = || fs::read_dir(room.path()).unwrap().count();
    let before = (sha256_of(&room.path().join("a.E01.log.jsonl")), files());
    for (other, said) in [
        (first.replace("--case 1", "--case 2"), "the case number is \"2\", it was \"1\""),
        (first.replace("Ann", "Eve"), "the examiner is \"Eve\", it was \"Ann\""),
        (format!("{first} --evidence 7"), "the evidence number is \"7\""),
        (first.replace("-a sha256", "-a md5"), "the algorithms are md5, sha1, they were md5, sha1, sha256"),
        (first.replace("1MiB", "1500000"), "in segments of 1500000 bytes"),
        (format!("{first} --compression best"), "Best"),
        (format!("{first} --piecewise 1MiB"), "window"),
        (format!("{first} --outboard tree"), "BLAKE3 tree"),
        (format!("{first} --case-uco case.jsonld"), "CASE document"),
    ] {
        for words in [other.clone(), format!("{other} --dry-run")] {
            let seen = pfh(&room, &words);
            assert!(seen.code == Some(2) && seen.stderr.contains(said), "{words}: {}", seen.stderr);
        }
    }
    assert_eq!((sha256_of(&room.path().join("a.E01.log.jsonl")), files()), before, "nothing is written");
    assert_eq!(pfh(&room, first).code, Some(0));
    assert_eq!(pfh(&room, "acquire --no-progress source --to o --split 500000").code, Some(0));
    let seen = pfh(&room, "acquire --no-progress source --to o --split 400000");
    assert!(seen.code == Some(2) && seen.stderr.contains("pieces of 400000 bytes"), "{}", seen.stderr);
}

/// D17: what was read before an interruption is sampled, and a source that has changed is refused.
#[test]
fn a_source_that_changed_meanwhile_is_found_by_samples() {
    let room = Room::new();
    let source = room.file("source", &content(5, 7 * MIB));
    let words = "acquire --no-progress source --to image --map-interval 0.01";
    assert_eq!(pfh(&room, words).code, Some(0));
    let log = room.path().join("image.log.jsonl");
    cut(&log, "end");
    let change = |path: &Path, byte: &[u8]| {
        fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(byte, 2_000_001).unwrap();
    };
    let old = fs::read(&source).unwrap()[2_000_001];
    let before = (sha256_of(&log), sha256_of(&room.path().join("image")));
    change(&source, &[!old]);
    let seen = pfh(&room, words);
    assert!(seen.code == Some(2) && seen.stderr.contains("offset 1998848"), "{}", seen.stderr);
    // And where the image was changed, the image is named.
    change(&source, &[old]);
    change(&room.path().join("image"), &[!old]);
    let seen = pfh(&room, words);
    assert!(seen.code == Some(1) && seen.stderr.contains("changed since it was written"), "{}", seen.stderr);
    change(&room.path().join("image"), &[old]);
    assert_eq!((sha256_of(&log), sha256_of(&room.path().join("image"))), before, "nothing is written");
    let seen = pfh(&room, words);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("224 blocks of 32768 bytes were read again"), "{}", seen.stderr);
    for log in ["image.log", "image.log.jsonl"] {
        let text = fs::read_to_string(room.path().join(log)).unwrap();
        assert!(text.contains("were read again from the source and are equal"), "{text}");
    }
    // Finished, and the medium written to since.
    change(&source, &[!old]);
    let seen = pfh(&room, words);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}
