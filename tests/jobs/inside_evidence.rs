//! Mail and logical images: attachments are files with names that read back.

use crate::cat::{bytes, request};
use crate::inside::{asked, checked, found, ran, row, rows};
use crate::room::Room;
use pfh::inside::Options;
use pfh_inject::{Need, digest_by, lacks};
use std::fs;

const HEAD: &str =
    "From: a@example.org\nTo: b@example.org\nSubject: x\nMIME-Version: 1.0\nMessage-ID: <1@example.org>\n";

/// A message with a zip and a text.
fn message(room: &Room) -> String {
    room.sh("mkdir -p t && printf hello > t/a.txt && zip -q x.zip t/a.txt");
    let packed = String::from_utf8(room.sh("base64 x.zip")).unwrap();
    format!(
        "{HEAD}Content-Type: multipart/mixed; boundary=\"b\"\n\n--b\nContent-Type: text/plain\n\na text\n--b\n\
         Content-Type: application/zip; name=\"x.zip\"\nContent-Transfer-Encoding: base64\n\n{packed}--b--\n"
    )
}

#[test]
fn attachments_have_the_digests_of_the_files() {
    if lacks(&[Need::Program("zip"), Need::Program("base64")]) {
        return;
    }
    let room = Room::new();
    let message = message(&room);
    let sum = |bytes: &[u8]| digest_by("sha256sum", bytes);
    let zip = fs::read(room.at("x.zip")).unwrap();
    room.file("one.eml", message.as_bytes());
    let expected = [
        ("part 1.txt".to_owned(), sum(b"a text")),
        ("x.zip".to_owned(), sum(&zip)),
        ("x.zip!/t/a.txt".to_owned(), sum(b"hello")),
    ];
    assert_eq!(found(&room, "one.eml"), expected.clone().into());
    let line = "From a@example.org Thu Nov 26 20:00:00 2026\n";
    room.file("mail.mbox", format!("{line}{message}\n{line}{message}\n").as_bytes());
    let of_store = found(&room, "mail.mbox");
    assert_eq!(of_store.len(), 2 * (1 + expected.len()));
    for number in [1, 2] {
        for (name, digest) in &expected {
            assert_eq!(&of_store[&format!("message {number}.eml!/{name}")], digest);
        }
    }
    assert_eq!(of_store["message 1.eml"], sum(message.as_bytes()));
    assert_eq!(bytes(&request(&room, "mail.mbox!/message 2.eml!/x.zip!/t/a.txt")), b"hello");
    assert_eq!(bytes(&request(&room, "mail.mbox!/message 2.eml!/x.zip")), zip);
}

#[test]
fn names_of_attachments_are_checked() {
    let room = Room::new();
    let text = |letter: &str| {
        format!(
            "{HEAD}Content-Type: text/plain; name=\"a/b.txt\"\nContent-Transfer-Encoding: base64\n\naGVsbG{letter}=\n"
        )
    };
    let store = room.file("one.eml", text("8").as_bytes());
    let mut list = String::new();
    for (name, digest) in found(&room, "one.eml") {
        assert_eq!((name.as_str(), digest.as_str()), ("a%2Fb.txt", &*digest_by("sha256sum", b"hello")));
        list.push_str(&format!("{digest}  {}!/{name}\n", store.display()));
    }
    let list = room.file("list.sha256", list.as_bytes());
    assert_eq!(checked(&list), [1, 0, 0, 0]);
    fs::write(&store, text("*")).unwrap();
    assert_eq!(checked(&list), [0, 0, 0, 1]);
    let (found, _) = rows(&room, &["one.eml"]);
    let wrong = row(&found, "one.eml!/a%2Fb.txt");
    assert!(wrong.code() == "inside" && wrong.cause().contains("base64"), "{wrong:?}");
}

/// A message keeps its record where stores leave theirs out; segments that are missing are named.
#[test]
fn records_of_their_own() {
    let room = Room::new();
    room.file("one.eml", format!("{HEAD}\nx\n").as_bytes());
    room.file("image.ad1", &[&b"ADSEGMENTEDFILE\0\x01\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0"[..], &[0; 600]].concat());
    room.file("image.ad2", &[&b"ADSEGMENTEDFILE\0\x01\0\0\0\x02\0\0\0\x02\0\0\0\x02\0\0\0"[..], &[0; 600]].concat());
    let request = |names: &[&str]| asked(&room, names, |options: &mut Options| options.members = true);
    let (found, _) = ran(&room, &request(&["one.eml"]));
    assert_eq!(found.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["one.eml", "one.eml!/part 1.txt"]);
    let (found, _) = ran(&room, &request(&["image.ad2"]));
    assert!(found.iter().any(|row| row.name == "image.ad2!/" && row.code() == "inside"), "{found:?}");
    let (found, _) = ran(&room, &request(&["image.ad1", "image.ad2"]));
    let wrong = row(&found, "image.ad1!/");
    assert!(wrong.cause().contains("no header of an AD1 segment"), "{wrong:?}");
}
