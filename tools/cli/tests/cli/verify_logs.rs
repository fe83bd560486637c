//! `pfh verify` and the log of an acquisition: what a log is evidence for, and what it is not.

use crate::program::{MIB, Room, flip, pfh, sha256_of};
use pfh_inject::{Errno, File, Files, Loop, Need, Trial, content, lacks};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// The exit code of `pfh verify`, with everything that it says.
fn verify(room: &Room, words: &str) -> (i32, String) {
    let seen = pfh(room, &format!("verify {words}"));
    (seen.code.unwrap(), format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr))
}

#[track_caller]
fn good(room: &Room, words: &str) {
    let seen = pfh(room, words);
    assert!(matches!(seen.code, Some(0 | 3)), "pfh {words}: {}", seen.stderr);
}

fn keys(room: &Room) {
    // RFC 8410, 10.1.
    let public = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
    room.file("k.pub", public.as_bytes());
    room.file("k.pem", crate::program::PRIVATE_KEY.as_bytes());
}

#[test]
fn a_key_is_checked_with_the_log_that_lies_beside() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(1, MIB));
    good(&room, "acquire s --to signed.dd --key k.pem");
    good(&room, "acquire s --to plain.dd");
    let (code, said) = verify(&room, "signed.dd --key k.pub");
    assert!(
        code == 0 && said.contains("the signature of that key                   signed.dd.log.jsonl  yes"),
        "{said}"
    );
    assert!(verify(&room, "signed.dd").1.contains("signed; give --key"));
    // Nothing differs: the log is not signed.
    for words in ["plain.dd --key k.pub", "plain.dd --key k.pub --log plain.dd.log.jsonl"] {
        let (code, said) = verify(&room, words);
        assert!(code == 3 && said.contains("the log is not signed by the key k.pub"), "{words}: {said}");
        assert!(!said.contains("differs"), "{words}: {said}");
    }
    assert_eq!(verify(&room, "s --key k.pub").0, 3, "there is no log");
}

/// Neither an empty file nor another one is a log, and the chain of a log states nothing of an
/// image.
#[test]
fn a_log_is_evidence_for_a_log() {
    let room = Room::new();
    room.file("s", &content(2, MIB));
    good(&room, "acquire s --to a.dd");
    room.file("empty", b"");
    let (code, said) = verify(&room, "s --log a.dd.log.jsonl --digest md5:00000000000000000000000000000000");
    assert_eq!(code, 1, "{said}");
    for log in ["empty", "/dev/null", "a.dd.log", "s"] {
        let (code, said) = verify(&room, &format!("a.dd --log {log}"));
        assert!(code == 3 && !said.contains("differs"), "{log}: {said}");
    }
    let text = fs::read_to_string(room.path().join("a.dd.log.jsonl")).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    room.file("cut.jsonl", &text.as_bytes()[..=last]);
    let (code, said) = verify(&room, "a.dd --log cut.jsonl");
    assert!(code == 3 && said.contains("the log is not finished"), "{said}");
    // A chain that holds and states no digest of the image.
    let mut chain = pfh::chain::Chain::default();
    let lone = chain.append(&json!({ "kind": "start", "targets": ["a.dd"] })).unwrap()
        + &chain.append(&json!({ "kind": "end", "bytes": MIB })).unwrap();
    room.file("lone.jsonl", lone.as_bytes());
    let (code, said) = verify(&room, "a.dd --log lone.jsonl");
    assert!(code == 3, "{said}");
    assert_eq!(verify(&room, "--log lone.jsonl").0, 0, "the log alone is what it was");
}

#[test]
fn the_log_for_people_is_covered_to_its_last_line() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(3, MIB));
    good(&room, "acquire s --to a.dd --key k.pem");
    let (text, chained) = (room.path().join("a.dd.log"), room.path().join("a.dd.log.jsonl"));
    let (people, records) = (fs::read_to_string(&text).unwrap(), fs::read_to_string(&chained).unwrap());
    let without_last = |text: &str| text[..=text.trim_end().rfind('\n').unwrap()].to_owned();
    fs::write(&text, without_last(&people)).unwrap();
    let (code, said) = verify(&room, "a.dd");
    assert!(code == 3 && said.contains("its last line"), "{said}");
    // The same command adds it, or the rest of it.
    for kept in [without_last(&people), people.trim_end().to_owned()] {
        fs::write(&text, kept).unwrap();
        good(&room, "acquire s --to a.dd --key k.pem");
        assert_eq!(fs::read_to_string(&text).unwrap(), people);
    }
    for changed in [people.replace(", signed with Ed25519", ""), format!("{people}one more\n")] {
        fs::write(&text, changed).unwrap();
        assert_eq!(verify(&room, "a.dd").0, 1);
    }
    // The signature is cut off, and the log for people says that there was one.
    fs::write(&text, &people).unwrap();
    fs::write(&chained, without_last(&records)).unwrap();
    let (code, said) = verify(&room, "a.dd");
    assert!(code == 1 && said.contains("the signature is missing"), "{said}");
    assert!(said.contains("the log is not what was written") && !said.contains("the image differs"), "{said}");
}

/// An image that was changed is not tried again, and its signed log stays as it was finished.
#[test]
fn an_image_that_was_changed_keeps_its_log() {
    let room = Room::new();
    keys(&room);
    room.file("s", &content(4, 2 * MIB));
    room.file("f.map", b"0x0 + 1\n0x0 0x100000 +\n0x100000 0x400 -\n0x100400 0xffc00 +\n");
    good(&room, "acquire s --to m.dd --map-as-faults f.map --key k.pem");
    assert_eq!(verify(&room, "m.dd --key k.pub").0, 0);
    flip(&room, "m.dd", 77);
    let before = fs::read(room.path().join("m.dd.log.jsonl")).unwrap();
    let seen = pfh(&room, "acquire s --to m.dd --retry-bad --key k.pem");
    assert!(seen.code == Some(1) && seen.stderr.contains("nothing was written"), "{}", seen.stderr);
    assert_eq!(fs::read(room.path().join("m.dd.log.jsonl")).unwrap(), before);
    assert_eq!(verify(&room, "m.dd --key k.pub").0, 1);
    // What an older pfh has put behind the end takes nothing away from it.
    let mut chain = pfh::chain::standing(&before[..]).unwrap().chain;
    let more = chain.append(&json!({ "kind": "reopened" })).unwrap();
    fs::write(room.path().join("m.dd.log.jsonl"), [&before[..], more.as_bytes()].concat()).unwrap();
    let (code, said) = verify(&room, "m.dd --key k.pub");
    assert!(code == 1 && said.contains("behind the last end"), "{said}");
    flip(&room, "m.dd", 77);
    let (code, said) = verify(&room, "m.dd --key k.pub");
    assert!(code == 0 && said.contains("the signature of that key"), "{said}");
}

/// A map that contradicts its log accuses neither the image nor the disk.
#[test]
fn a_map_that_contradicts_its_log_is_named() {
    let room = Room::new();
    room.file("s", &content(5, 4 * MIB));
    good(&room, "acquire s --to a.dd");
    let path = room.path().join("a.dd.map");
    let map = fs::read_to_string(&path).unwrap();
    for character in ["-", "?"] {
        let block = map.lines().rfind(|line| line.ends_with('+')).unwrap();
        let lost = format!("0x0 0x100000 +\n0x100000 0x100000 {character}\n0x200000 0x200000 +");
        fs::write(&path, map.replace(block, &lost)).unwrap();
        let (code, said) = verify(&room, "a.dd");
        assert!(code == 3 && said.contains("contradicts the log"), "{said}");
        for words in ["acquire s --to a.dd", "acquire s --to a.dd --retry-bad"] {
            let seen = pfh(&room, words);
            assert!(seen.code == Some(1) && seen.stderr.contains("contradicts the log"), "{words}: {}", seen.stderr);
            assert!(!seen.stderr.contains("Input/output error") && !seen.stderr.contains("was changed"), "{words}");
        }
    }
    fs::write(&path, map).unwrap();
    assert_eq!(verify(&room, "a.dd").0, 0);
}

#[test]
fn names_are_bytes() {
    let room = Room::new();
    room.file("s", &content(6, MIB));
    for name in [&b"T\xff.dd"[..], b"T\xff.E01", b"two\nlines.dd", b"back\\slash.dd"] {
        let program = || Trial::new(env!("CARGO_BIN_EXE_pfh")).directory(room.path());
        let seen = program().args(["acquire", "s", "--to"]).arg(OsStr::from_bytes(name)).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = program().arg("verify").arg(OsStr::from_bytes(name)).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    }
    let log = fs::read_to_string(room.path().join(OsStr::from_bytes(b"T\xff.dd.log.jsonl"))).unwrap();
    assert!(log.contains(r#""name":"T\\xff.dd""#) && !log.contains('\u{fffd}'), "{log}");
}

/// A cut-off image is not verified by its beginning, and the sizes of both are in the answer.
#[test]
fn what_one_side_has_alone_is_said() {
    let room = Room::new();
    let all = content(7, MIB);
    room.file("a", &all);
    for (name, bytes, longer) in [("half", &all[..500_000], 548_576), ("none", &all[..0], 1_048_576)] {
        room.file(name, bytes);
        let seen = pfh(&room, &format!("verify {name} --against a --json"));
        let value: Value = serde_json::from_slice(&seen.stdout).unwrap();
        assert!(seen.code == Some(3) && value["verified"] == false && value["complete"] == false, "{value}");
        let one = &value["comparisons"][0];
        assert_eq!((&one["size"], &one["other-size"]), (&bytes.len().into(), &all.len().into()), "{value}");
        assert_eq!(one["alone"][0]["length"], longer);
        assert!(value["missing"][0].as_str().unwrap().contains(&format!("{longer} bytes longer")), "{value}");
    }
    let (code, said) = verify(&room, "a --against half");
    assert!(code == 3 && said.contains("the image is 548576 bytes longer than half"), "{said}");
}

/// A clone on a larger device, and an image behind an offset, are what their log states.
#[test]
fn a_clone_on_a_larger_device_is_verified_by_its_log() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    room.file("d1", &content(8, 3_000_320));
    let larger = room.file("larger", &content(9, 4 * MIB));
    let device = Loop::attach(&larger, &[]).unwrap();
    let to = device.path().display();
    good(&room, &format!("acquire d1 --to {to} --log lg --map mp --force"));
    for words in ["", "--against d1", &format!("--digest sha256:{}", sha256_of(&room.path().join("d1")))] {
        let (code, said) = verify(&room, &format!("{to} --log lg.jsonl {words}"));
        assert!(code == 0 && said.contains("3000320 bytes from offset 0 on, of 4194304"), "{words}: {said}");
    }
    let (code, said) = verify(&room, &format!("{to} --against d1"));
    assert!(code == 3 && said.contains("1193984 bytes longer"), "without the log: {said}");
    good(&room, "acquire d1 --to sk.dd --seek 4096");
    for words in ["sk.dd", "sk.dd --against d1"] {
        let (code, said) = verify(&room, words);
        assert!(code == 0 && said.contains("from offset 4096 on"), "{words}: {said}");
    }
    drop(device);
    flip(&room, "larger", 2_000_000);
    let device = Loop::attach(&larger, &[]).unwrap();
    assert_eq!(verify(&room, &format!("{} --log lg.jsonl", device.path().display())).0, 1);
}

/// Sectors that died after the copy was made do not differ, on either side, and they are named
/// exactly.
#[test]
fn unreadable_sectors_are_no_difference() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let disk = File::new("disk.dd", 4 * MIB);
    room.file("copy.dd", &disk.bytes());
    let bad = 2_560_000..2_562_048;
    let mounted = Files::new().with(disk.fails_in(bad, Errno::EIO)).mount().unwrap();
    let disk = mounted.file("disk.dd").display().to_string();
    for words in [format!("copy.dd --against {disk}"), format!("{disk} --against copy.dd")] {
        let (code, said) = verify(&room, &words);
        assert!(code == 3 && said.contains("unreadable: sector") && !said.contains("iffer"), "{words}: {said}");
    }
    flip(&room, "copy.dd", 2_562_100);
    let (code, said) = verify(&room, &format!("copy.dd --against {disk}"));
    assert!(code == 1 && said.contains("unreadable: sector"), "{said}");
}
