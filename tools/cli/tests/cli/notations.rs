//! Lists in the notations of other programs, by the exits and the words of the commands that read
//! them.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

/// The MD5 and the SHA-256 of `x` with a line feed.
const MD5: &str = "401b30e3b8b5d629635a5c613cdb7919";
const SHA256: &str = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac";

fn pfh(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).directory(room.path()).run().unwrap()
}

/// A room with the files `f` and `d/g`, which hold the same.
fn room() -> Room {
    let room = Room::new();
    room.file("f", b"x\n");
    room.file("d/g", b"x\n");
    room
}

#[test]
fn whole_lists_are_verified_and_others_named() {
    let room = room();
    for (list, code) in [
        (format!("<hashlist><hash><file>f</file><size>2</size><md5>{MD5}</md5></hash></hashlist>"), 0),
        (format!("Name: f\nSize: 2 bytes\nSHA256: {SHA256}\n"), 0),
        (format!("f {MD5}\nd/g {MD5}\n"), 0),
        (format!("Hachage MD5 de f :\r\n{MD5}\r\n"), 0),
        (format!("{{\"files\":[{{\"path\":\"f\",\"md5\":\"{MD5}\"}},{{\"path\":\"d/g\"}}]}}"), 3),
        ("<!DOCTYPE html><html><body>404".to_owned(), 3),
        ("<rss><x/></rss>".to_owned(), 3),
        (format!("{SHA256} ?BLAKE2sp*f\n"), 3),
        (format!("#1  {MD5}\nf  {MD5}\n"), 1),
    ] {
        room.file("l", list.as_bytes());
        let seen = pfh(&room, &["check", "l"]);
        assert_eq!(seen.code, Some(code), "{list}: {}", seen.stderr);
        assert!(!seen.stderr.contains("well-formed"), "{}", seen.stderr);
    }
    room.file("l", format!("{{\"files\":[{{\"path\":\"f\",\"md5\":\"{MD5}\"}},{{\"path\":\"d/g\"}}]}}").as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.stderr.contains("d/g"), "{}", seen.stderr);
}

#[test]
fn columns_that_the_user_states() {
    let room = room();
    room.file("l", format!("7;f;{SHA256};{MD5}\n").as_bytes());
    room.file("t", format!("f\t2\t{SHA256}\n").as_bytes());
    let seen = pfh(&room, &["check", "t"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("read as: column 1 name"), "{}", seen.stderr);
    assert_eq!(pfh(&room, &["check", "--columns", "-,name,-,md5", "l"]).code, Some(0));
    assert_eq!(pfh(&room, &["check", "--columns", "size,name,sha256,-", "l"]).code, Some(1));
    assert_eq!(pfh(&room, &["known", "build", "-o", "s", "--bad", "l", "--columns", "-,-,sha3-256,md5"]).code, Some(0));
}

#[test]
fn a_signed_list_is_never_written_to() {
    let room = room();
    let list = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{SHA256}  f\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
    );
    room.file("l", list.as_bytes());
    let seen = pfh(&room, &["check", "l"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("not checked"), "{}", seen.stderr);
    assert_eq!(pfh(&room, &["hash", "--update", "l", "f", "d"]).code, Some(2));
    assert_eq!(std::fs::read(room.path().join("l")).unwrap(), list.as_bytes());
}

#[test]
fn an_archive_with_its_digest_behind_it() {
    let room = room();
    let mut tar = vec![0; 10_240];
    tar[257..262].copy_from_slice(b"ustar");
    room.file("AP.tar", &tar);
    let line = String::from_utf8(pfh(&room, &["hash", "-a", "md5", "-f", "sums", "AP.tar"]).stdout).unwrap();
    room.file("AP.tar.md5", [&tar[..], line.as_bytes()].concat().as_slice());
    let seen = pfh(&room, &["check", "AP.tar.md5"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    tar[9000] = 1;
    room.file("AP.tar.md5", [&tar[..], line.as_bytes()].concat().as_slice());
    assert_eq!(pfh(&room, &["check", "AP.tar.md5"]).code, Some(1));
}

#[test]
fn sets_are_not_mixed_in_an_export_and_asked_beside_similar_files() {
    let room = room();
    room.file("bad", format!("{MD5}\n").as_bytes());
    room.file("good", b"0123456789abcdef0123456789abcdef\n");
    assert_eq!(pfh(&room, &["known", "build", "-o", "s", "--bad", "bad", "--good", "good"]).code, Some(0));
    let seen = pfh(&room, &["known", "export", "s", "x.idx", "--to", "idx"]);
    assert!(seen.code == Some(2) && seen.stderr.contains("--class good"), "{}", seen.stderr);
    assert!(!room.path().join("x.idx").exists());
    assert_eq!(pfh(&room, &["known", "export", "s", "x.idx", "--to", "idx", "--class", "bad"]).code, Some(0));
    let text: String = (0..3000).map(|n| format!("{n}\n")).collect();
    room.file("t", text.as_bytes());
    let list = pfh(&room, &["hash", "-a", "tlsh", "-f", "sums", "t"]).stdout;
    let list = String::from_utf8(list).unwrap();
    for list in [list.clone(), list.to_lowercase(), list.replacen("T1", "", 1).replace("  ", "\t")] {
        room.file("similar", list.as_bytes());
        let seen = pfh(&room, &["match", "-k", "s", "--similar", "similar", "f", "t"]);
        let said = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(1) && said.contains("known-bad") && said.contains("\nt\tt\t"), "{list}: {said}");
    }
}
