//! `pfh verify` and the logs of other imaging tools.

use crate::program::{MIB, Room};
use pfh_inject::{Need, Trial, content, lacks};
use std::fs;

/// The exit code of `pfh WORDS`, with everything that it says.
fn pfh(room: &Room, words: &str) -> (i32, String) {
    let words = words.split_whitespace();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap();
    (seen.code.unwrap(), format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr))
}

fn tool(room: &Room, program: &str, words: &str) {
    let seen = Trial::new(program).args(words.split_whitespace()).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{program} {words}: {}", seen.stderr);
}

/// Verified as it is, and another image when a bit of it was changed.
#[track_caller]
fn is_evidence(room: &Room, image: &str, log: &str, words: &str) {
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 0 && said.contains(&format!("of the image with {log}")), "{words}: {code} {said}");
    let path = room.path().join(image);
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(&path, changed).unwrap();
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 1 && said.contains("the image differs"), "{words}: {code} {said}");
    fs::write(&path, whole).unwrap();
}

/// Not read, and why.
#[track_caller]
fn is_not_read(room: &Room, words: &str, why: &str) {
    let (code, said) = pfh(room, &format!("verify {words}"));
    assert!(code == 3 && said.contains(why) && !said.contains("differs"), "{words}: {code} {said}");
}

#[test]
fn a_hash_log_of_dd() {
    let room = Room::new();
    room.file("s", &content(1, MIB));
    let dd = |words: &str| assert_eq!(pfh(&room, &format!("dd if=s hash=md5,sha256 {words}")).0, 0, "{words}");
    dd("of=a.img hashlog=a.img.hashlog hashwindow=100k");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    dd("of=b.img hashlog=totals");
    is_evidence(&room, "b.img", "totals", "b.img --log totals");
    is_not_read(&room, "b.img", "nothing to compare with");
    // Windows without a total, and lines that no such tool writes.
    let text = fs::read_to_string(room.path().join("a.img.hashlog")).unwrap();
    let windows = &text[..text.find("Total").unwrap()];
    for (changed, why) in [
        (windows.to_owned(), "it states no digest of all"),
        (String::new(), "it states no digest of all"),
        (format!("{text}and more\n"), "is not one of a hash log"),
        (text.replace("Total (md5)", "Total (sha1)"), "a digest that is not understood"),
    ] {
        room.file("a.img.hashlog", changed.as_bytes());
        is_not_read(&room, "a.img", why);
    }
    // The log for people of an acquisition is none of these.
    assert_eq!(pfh(&room, "acquire s --to c.img").0, 0);
    assert_eq!(pfh(&room, "verify c.img").0, 0);
}

#[test]
fn logs_of_dc3dd() {
    if lacks(&[Need::Program("dc3dd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(2, MIB));
    room.file("odd", &content(3, 100_100));
    tool(&room, "dc3dd", "if=s of=a.img hash=md5 hash=sha256 log=a.log hlog=hashes.hlog");
    is_evidence(&room, "a.img", "a.log", "a.img");
    is_evidence(&room, "a.img", "hashes.hlog", "a.img --log hashes.hlog");
    tool(&room, "dc3dd", "if=odd hof=odd.img hash=sha1 hlog=hashlog.txt");
    is_evidence(&room, "odd.img", "hashlog.txt", "odd.img");
    tool(&room, "dc3dd", "if=s hofs=p.000 ofsz=400k hash=md5 log=p.log");
    is_evidence(&room, "p.001", "p.log", "p.000");
    // Of another image, without a digest, not at the start of the file.
    assert_eq!(pfh(&room, "dd if=s of=other.img").0, 0);
    is_not_read(&room, "other.img", "nothing to compare with");
    tool(&room, "dc3dd", "if=s of=none.img log=none.log");
    is_not_read(&room, "none.img", "it states no digest");
    room.file("later.img", &[0; 2048]);
    tool(&room, "dc3dd", "if=s of=later.img oskip=4 hash=md5 log=later.log");
    is_not_read(&room, "later.img", "a part of the file");
}

#[test]
fn hash_logs_of_dcfldd() {
    if lacks(&[Need::Program("dcfldd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(4, MIB));
    tool(&room, "dcfldd", "if=s of=a.img hash=md5,sha256 hashwindow=256k hashlog=a.img.hashlog");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    tool(&room, "dcfldd", "if=s of=b.img hash=sha256 sha256log=b.img.sha256.log");
    is_evidence(&room, "b.img", "b.img.sha256.log", "b.img");
    tool(&room, "dcfldd", "if=s of=c.img hash=md5 hashlog=totals.txt");
    is_evidence(&room, "c.img", "totals.txt", "c.img --log totals.txt");
}
