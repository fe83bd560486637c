//! Streams of PDFs as members: opened where they are asked for, and by a comparison.

use crate::inside::{asked, ran, row, rows};
use crate::room::Room;
use pfh::check::{self, Task};
use pfh::compare::{self, Event};
use pfh::hash::{self, Manifest};
use pfh::{Control, Input, Recurse, Verdict, inside};
use pfh_inject::{Need, lacks, random};

/// A document of these streams, behind a catalogue, with a table.
fn document(streams: &[Vec<u8>]) -> Vec<u8> {
    let (mut all, mut offsets) = (b"%PDF-1.4\n".to_vec(), Vec::new());
    let catalogue = b"<< /Type /Catalog >>".to_vec();
    for (number, object) in [catalogue].iter().chain(streams).enumerate() {
        offsets.push(all.len());
        all.extend([format!("{} 0 obj\n", number + 1).as_bytes(), object, b"\nendobj\n"].concat());
    }
    let table = all.len();
    let lines: String = offsets.iter().map(|offset| format!("{offset:010} 00000 n \n")).collect();
    let count = offsets.len() + 1;
    let end = format!("xref\n0 {count}\n0000000000 65535 f \n{lines}trailer\n<< /Size {count} /Root 1 0 R >>\n");
    [&all[..], end.as_bytes(), format!("startxref\n{table}\n%%EOF\n").as_bytes()].concat()
}

fn stream(kind: &str, bytes: &[u8]) -> Vec<u8> {
    let dictionary = format!("<< {kind} /Length {} >>\nstream\n", bytes.len());
    [dictionary.as_bytes(), bytes, b"\nendstream"].concat()
}

/// The same picture stored as it is, and in hexadecimal digits.
fn pair(room: &Room) {
    let picture = random(9, 40_000);
    let hex: String = picture.iter().map(|byte| format!("{byte:02x}")).collect();
    room.file("d/a.pdf", &document(&[stream("/Subtype /Image", &picture), stream("", b"contents")]));
    room.file("d/b.pdf", &document(&[stream("/Subtype /Image /Filter /ASCIIHexDecode", hex.as_bytes())]));
}

#[test]
fn documents_are_opened_only_where_they_are_asked_for_and_keep_their_records() {
    let room = Room::new();
    pair(&room);
    let (plain, summary) = rows(&room, &["d"]);
    assert_eq!((plain.len(), summary.failed), (2, 0), "{plain:?}");
    for members in [false, true] {
        let (all, summary) =
            ran(&room, &asked(&room, &["d"], |options| (options.documents, options.members) = (true, members)));
        let names: Vec<&str> = all.iter().map(|row| &*row.name).collect();
        let streams = ["d/a.pdf", "d/a.pdf!/obj-2-image", "d/a.pdf!/obj-3", "d/b.pdf", "d/b.pdf!/obj-2-image"];
        assert_eq!((&names[..], summary.failed), (&streams[..], 0));
        assert_eq!(row(&all, "d/a.pdf!/obj-2-image").digest(), row(&all, "d/b.pdf!/obj-2-image").digest());
        assert_eq!(row(&all, "d/a.pdf").digest(), row(&plain, "d/a.pdf").digest());
    }
    // Damaged, and encrypted: named, and the file has its digest.
    room.file("e/cut.pdf", b"%PDF-1.4\nnothing of it is left");
    let locked = String::from_utf8(document(&[stream("", b"x")])).unwrap();
    room.file("e/locked.pdf", locked.replace("/Root", "/Encrypt << /Filter /Standard /V 5 >> /Root").as_bytes());
    let (all, summary) = ran(&room, &asked(&room, &["e"], |options| options.documents = true));
    assert_eq!((all.len(), summary.hashed, summary.unopened), (4, 2, 2), "{all:?}");
    assert!(row(&all, "e/cut.pdf!/").cause().contains("no object is found"), "{all:?}");
    assert!(row(&all, "e/locked.pdf!/").cause().contains("is encrypted (AES-256)"), "{all:?}");
    assert_eq!(rows(&room, &["e"]).1.failed, 0);
}

#[test]
fn a_list_of_streams_is_checked_and_audited() {
    let room = Room::new();
    pair(&room);
    let request = asked(&room, &["d"], |options| options.documents = true);
    let list = room.at("list");
    hash::write(&request, &Manifest::new(&list), &mut |_| Ok(()), &Control::new()).unwrap();
    let audit = Task::Audit { below: Vec::new(), follow: false };
    for task in [None, Some(audit)] {
        let mut asked = check::Request::new(&list);
        if let Some(task) = task {
            asked = asked.root(room.at("d")).task(task).inside(Some(inside::Options::default()));
        }
        let summary = check::run(&asked, &mut |_| Ok(()), &Control::new()).unwrap();
        assert_eq!((summary.conclusion(), summary.verified()), (Verdict::Verified, 5));
    }
    // Another picture in one of them.
    room.file("d/b.pdf", &document(&[stream("/Subtype /Image", b"another")]));
    let summary = check::run(&check::Request::new(&list), &mut |_| Ok(()), &Control::new()).unwrap();
    assert_eq!((summary.conclusion(), summary.verified()), (Verdict::Differs, 3));
}

#[test]
fn a_comparison_finds_what_two_documents_share() {
    let room = Room::new();
    pair(&room);
    let mut input = Input::new([room.at("d")]).recurse(Recurse::Yes);
    input.inside = Some(inside::Options::default());
    let mut request = compare::Request::new(input);
    request.algorithms = vec!["shingles".parse().unwrap()];
    let mut pairs = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            pairs.push((String::from_utf8_lossy(pair.a).into_owned(), String::from_utf8_lossy(pair.b).into_owned()));
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    let is_found = |(a, b): &(String, String)| a.ends_with("a.pdf!/obj-2-image") && b.ends_with("b.pdf!/obj-2-image");
    assert!(pairs.iter().any(is_found), "{pairs:?}");
}

#[test]
fn a_document_in_an_archive_and_an_archive_in_a_document() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("f", "content");
    room.sh("zip -q z.zip f");
    let zip = std::fs::read(room.at("z.zip")).unwrap();
    let name = b"<< /Type /Filespec /F (z.zip) /EF << /F 2 0 R >> >>".to_vec();
    room.file("a.pdf", &document(&[stream("/Type /EmbeddedFile", &zip), name]));
    room.sh("zip -q outer.zip a.pdf");
    let (all, summary) = ran(&room, &asked(&room, &["outer.zip"], |options| options.documents = true));
    let inner = "outer.zip!/a.pdf!/obj-2-file/z.zip!/f";
    assert!(summary.failed == 0 && row(&all, inner).found.is_ok(), "{all:?}");
    assert_eq!(rows(&room, &["outer.zip"]).0.len(), 2);
}
