//! Lists of GNU's tools and OpenSSL: tags, shortened digests, base64. The scripts of GNU's own
//! tests are in `gnu_cases.rs` of the program.

use crate::check::of;
use crate::room::Room;
use crate::rows::{list, printed};
use pfh::check::{FileOutcome, Manner, Request, Verdict};
use pfh_inject::{Need, lacks};

/// Files of one content under names that look like parts of a line.
fn room() -> Room {
    let room = Room::new();
    for name in ["f", "a b (c)", "(x) = y", " lead", "trail ", "f) = 0", "MD5 (f)"] {
        room.file(name, "abc");
    }
    room
}

/// The list that a command prints verifies these files.
#[track_caller]
fn verifies(room: &Room, text: &[u8], names: &[&str]) -> Vec<String> {
    room.file("list", text);
    let ended = crate::check::Ended::of(&Request::new(room.at("list")).root(room.path()).manner(Manner::Strict));
    let what = String::from_utf8_lossy(text);
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Verified, names.to_vec()), "{what}");
    ended.algorithms()
}

#[cfg(unix)]
#[test]
fn tags_of_every_algorithm() {
    let room = room();
    for by in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b"] {
        let text = printed(&room, &format!("cksum -a {by} f 'a b (c)'"));
        assert_eq!(verifies(&room, &text, &["f", "a b (c)"]), [by]);
        // And the tool says so of its own.
        assert_eq!(printed(&room, "cksum -c list"), b"f: OK\na b (c): OK\n");
    }
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    for by in ["sha3-224", "sha3-256", "sha3-384", "sha3-512"] {
        let text = String::from_utf8(printed(&room, &format!("openssl dgst -{by} f"))).unwrap();
        // The form in which coreutils 9.8 tags them, and OpenSSL's own.
        for text in [text.replace("(f)= ", " (f) = "), text] {
            assert_eq!(verifies(&room, text.as_bytes(), &["f"]), [by]);
        }
    }
}

#[test]
fn base64() {
    let room = room();
    // The SHA-256 and MD5 of "abc" in base64, with exact padding; without it or with more the line
    // is none.
    let (sha256, md5) = ("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "kAFQmDzST7DWlj99KOF/cg==");
    for (text, is_record) in [
        (format!("SHA256 (f) = {sha256}\nMD5 (f) = {md5}\n"), true),
        (format!("{sha256}  f\n"), true),
        (format!("{md5}  f\n"), true),
        (format!("{}  f\n", sha256.trim_end_matches('=')), false),
        (format!("{sha256}=  f\n"), false),
        (format!("SHA256 (f) = {md5}\n"), false),
    ] {
        room.file("list", &text);
        let ended = of(&room, "list");
        let (verdict, right) = if is_record { (Verdict::Verified, 1) } else { (Verdict::NothingToCompareWith, 0) };
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (verdict, right), "{text}");
    }
}

/// SM3 and shortened BLAKE2b: lists of coreutils are verified, and ours by coreutils.
#[cfg(unix)]
#[test]
fn algorithms_that_came_later() {
    let room = room();
    // 32 digits are MD5 first: that they are BLAKE2b is found by trying.
    let text = printed(&room, "b2sum -l 128 f 'trail '");
    assert_eq!(verifies(&room, &text, &["f", "trail "]), ["blake2b:16"]);
    for (by, command) in [
        ("blake2b-256", "b2sum -l 256 --tag"),
        ("blake2b:1", "b2sum -l 8 --tag"),
        ("sm3", "cksum -a sm3"),
        ("blake2b-384", "cksum -a blake2b -l 384"),
    ] {
        let text = printed(&room, &format!("{command} f 'trail '"));
        assert_eq!(verifies(&room, &text, &["f", "trail "]).len(), 1, "{by}");
        let ours = std::fs::read_to_string(list(&room, "ours", by, "bsd", &["f", "trail "])).unwrap();
        let root = format!("{}/", room.path().display());
        assert_eq!(ours.replace(&root, ""), String::from_utf8(text).unwrap(), "{by}");
        let program = command.split(' ').next().unwrap();
        assert!(!printed(&room, &format!("{program} --strict -c ours")).is_empty(), "{by}");
    }
}
