//! Containers that are recognised and not read: each is named and counted, and ordinary files are
//! not mistaken for one.

use crate::inside::{Row, asked, input, ran, row, rows};
use crate::room::Room;
use pfh::check::{self, Task};
use pfh::hash::{self, Event, Manifest};
use pfh::{Cause, Control, Input, Outcome, Recurse, Selection, Verdict, inside, list};
use pfh_inject::{Need, lacks, random};
use std::fs;
use std::path::Path;

/// Bytes at an offset of a file of this size, and zeros.
fn at(size: usize, places: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for (at, part) in places {
        bytes[*at..*at + part.len()].copy_from_slice(part);
    }
    bytes
}

/// CRC-32 as zip and ARJ have it.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

/// Each format with the start that it is known by, and the word that names it.
fn unread() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let arj = {
        let header = [&[30, 6, 1, 0, 0, 0, 0, 0][..], &[7; 26]].concat();
        let sum = crc(&header);
        [b"\x60\xea\x22\0".as_slice(), &header, &sum.to_le_bytes(), &[0; 16]].concat()
    };
    let ext = [(1024, &[16, 0, 0, 0, 64, 0, 0, 0][..]), (1080, b"\x53\xef\x01\0")];
    vec![
        ("a.sit", b"StuffIt (c)1997-..............".to_vec(), "StuffIt"),
        ("a.rar", b"RE~^....................".to_vec(), "RAR 1.4"),
        ("a.wim", b"WLPWM\0\0\0..............".to_vec(), "WIM"),
        ("a.lzo", b"\x89LZO\0\r\n\x1a\n...............".to_vec(), "lzop"),
        ("a.a", b"!<thin>\nx.o/            1234567890".to_vec(), "thin ar"),
        ("a.arj", arj, "ARJ"),
        ("a.odlgz", at(300, &[(0, b"EBFGONED"), (256, b"\x1f\x8b\x08")]), "OneDrive log"),
        ("later.7z.002", random(7, 100), "piece 2 of a split archive"),
        ("a.vma", at(64, &[(0, b"VMA\0\0\0\0\x01")]), "VMA"),
        ("a.vbk", at(4096, &[(0, &[9, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]), (12, b"md5")]), "Veeam"),
        (
            "a.arc",
            [&b"\x1a\x08NAME.TXT\0\0\0\0\0"[..], &[9, 0, 0, 0, 0x21, 0x50, 0, 0, 1, 2, 9, 0, 0, 0]].concat(),
            "ARC",
        ),
        ("a.shar", b"#!/bin/sh\n# This is a shell archive.\nexit 0\n".to_vec(), "shar"),
        ("winmail.dat", b"\x78\x9f\x3e\x22.....................".to_vec(), "TNEF"),
        ("a.sparseimage", at(4096, &[(0, b"sprs\0\0\0\x03")]), "sparse image"),
        ("system.img", at(4096, &[(0, b"\x3a\xff\x26\xed\x01\0")]), "Android sparse image"),
        ("hibernated", at(40_000, &[(4086, b"S1SUSPEND\0")]), "hibernated"),
        ("ubifs", at(40_000, &[(0, b"\x31\x18\x10\x06")]), "UBIFS"),
        ("minix", at(40_000, &[(1024, &[32, 0, 100, 0, 1, 0, 1, 0, 8, 0, 0, 0]), (1040, b"\x8f\x13")]), "minix"),
        ("luks2", at(40_000, &[(0x4000, b"SKUL\xba\xbe\0\x02"), (0x4000 + 262, &[0x40, 0])]), "LUKS"),
        ("hfs", at(40_000, &[(1024, b"BD"), (1044, &[0, 0, 2, 0])]), "HFS"),
        ("ddf", at(40_960, &[(40_960 - 512, b"\xde\x11\xde\x11")]), "DDF"),
        ("vinum", at(40_000, &[(4096, b"IN VINO")]), "vinum"),
        ("pool", at(40_000, &[(32, b"\xba\x52\x9c\x01\0\0\0\0\x02")]), "thin pool"),
        ("small.sqfs", at(12_288, &[(0, b"hsqs")]), "squashfs"),
        ("small.ext", at(20_000, &ext), "ext"),
        // One wrong byte.
        ("f.E01", b"FVF\x09\x0d\x0a\xff\0\x01\x01\0..............".to_vec(), "E01"),
        ("no-name", b"EVF\x09\x0d\x0a\xfe\0\x01\x01\0..............".to_vec(), "E01"),
        ("b.7z", b"7z\xbc\xaf\x26\x1c\0\x04.............".to_vec(), "7z"),
        ("b.zip", b"PL\x03\x04......................".to_vec(), "zip"),
        ("b.gz", b"\x1e\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0".to_vec(), "gzip"),
        ("tarred", at(10_240, &[(0, b"name"), (148, b"0000000"), (257, b"ustar\x0000")]), "tar"),
    ]
}

#[test]
fn files_in_texts_and_archives_behind_them_are_members() {
    let room = Room::new();
    room.file("a.txt", b"Here it is\nbegin 644 cat.txt\n#0V%T\n`\nend\nand thanks\n");
    let (found, summary) = rows(&room, &["a.txt"]);
    assert_eq!((found.len(), summary.failed, summary.unopened), (2, 0, 0), "{found:?}");
    assert!(row(&found, "a.txt!/cat.txt").found.is_ok() && row(&found, "a.txt").found.is_ok());
    // A tar behind a page.
    let mut header = at(512, &[(0, b"x"), (100, b"0000644"), (124, b"00000000003"), (136, b"00000000000")]);
    header[148..157].copy_from_slice(b"        0");
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let tar = [&header[..], b"cat", &[0; 509 + 1024]].concat();
    room.file("a.html", &[&b"<!DOCTYPE html>\n<html><body>a page</body></html>\n"[..], &tar].concat());
    let (found, summary) = rows(&room, &["a.html"]);
    assert_eq!((found.len(), summary.failed, summary.unopened), (2, 0, 0), "{found:?}");
    assert!(row(&found, "a.html!/x").found.is_ok());
}

#[test]
fn recognised_formats_that_are_not_read_are_named_and_counted() {
    let room = Room::new();
    let formats = unread();
    for (name, bytes, word) in &formats {
        room.file(format!("d/{name}"), bytes);
        let path = format!("d/{name}");
        let (rows, summary) = rows(&room, &[&path]);
        assert_eq!((rows.len(), summary.failed, summary.unopened), (2, 1, 1), "{rows:?}");
        assert!(row(&rows, &format!("{path}!/")).cause().contains(word), "{rows:?}");
        // The file itself has its digest.
        assert!(row(&rows, &path).found.is_ok(), "{rows:?}");
    }
    // Together, and by a check.
    let (_, summary) = rows(&room, &["d"]);
    assert_eq!(summary.unopened, formats.len() as u64);
    let list = room.at("list");
    let request = hash::Request::new(Input::new([room.at("d")]).recurse(Recurse::Yes), ["sha256".parse().unwrap()]);
    hash::write(&request, &Manifest::new(&list), &mut |_| Ok(()), &Control::new()).unwrap();
    let task = Task::Audit { below: Vec::new(), follow: false };
    let audit = check::Request::new(&list).root(room.at("d")).task(task).inside(Some(inside::Options::default()));
    let mut unopened = 0;
    let mut take = |event: check::Event<'_>| {
        if let check::Event::Passed(run) = event {
            unopened += run.unopened;
        }
        Ok(())
    };
    let summary = check::run(&audit, &mut take, &Control::new()).unwrap();
    assert_ne!(summary.conclusion(), Verdict::Verified);
    assert_eq!(unopened, formats.len() as u64);
    // Inside of an archive as well.
    if lacks(&[Need::Program("tar")]) {
        return;
    }
    room.sh("tar -cf all.tar d");
    let (rows, _) = rows(&room, &["all.tar"]);
    let is_missing = |name: &&str| !rows.iter().any(|row| row.name == format!("all.tar!/d/{name}!/"));
    let missing: Vec<_> = formats.iter().map(|(name, ..)| *name).filter(is_missing).collect();
    // Their signatures are behind the part that is looked at of a member whose name says nothing,
    // or too short (minix) to be looked for in each member.
    assert_eq!(missing, ["minix", "luks2", "ddf", "vinum"]);
}

/// Formats that are not read are skipped if that is asked for; damaged containers are not.
#[test]
fn lenience_skips_formats_and_no_damage() {
    let room = Room::new();
    for (name, bytes, _) in unread() {
        room.file(format!("d/{name}"), &bytes);
    }
    let lenient = |name: &str| ran(&room, &asked(&room, &[&format!("d/{name}")], |options| options.lenient = true));
    for name in ["a.rar", "a.sit", "hfs", "small.sqfs"] {
        let (rows, summary) = lenient(name);
        assert_eq!((summary.failed, summary.skipped, summary.unopened), (0, 1, 1), "{name}: {rows:?}");
    }
    for name in ["f.E01", "b.7z", "tarred", "small.ext"] {
        let (rows, summary) = lenient(name);
        assert_eq!((summary.failed, summary.skipped), (1, 0), "{name}: {rows:?}");
    }
}

/// Programs, libraries, sources, documents and texts are not containers.
#[test]
fn ordinary_files_are_not_mistaken() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for folder in [docs.as_path(), Path::new("/usr/bin"), Path::new("/usr/share/misc"), Path::new("/etc")] {
        if !folder.exists() {
            continue;
        }
        let mut input = Input::new([folder]).recurse(Recurse::Yes);
        input.inside = Some(inside::Options::default());
        input.descend.selection = Selection::new(&[], &[], None, Some(2 << 20)).unwrap();
        let mut problems = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Record(record) = event
                && let Outcome::Failed(problem) = &record.outcome
                && matches!(problem.cause, Cause::Unopened(_) | Cause::Inside(..))
            {
                problems.push(format!("{}: {problem}", String::from_utf8_lossy(&record.name)));
            }
            Ok(())
        };
        let request = hash::Request::new(input, ["xxh3-64".parse().unwrap()]);
        let summary = hash::run(&request, &mut take, &Control::new()).unwrap().run;
        assert!(summary.hashed > 0 || folder.ends_with("misc"), "{}", folder.display());
        assert!(problems.is_empty(), "{problems:?}");
    }
}

/// A sound volume with a VHD footer at its end that is not its own.
#[test]
fn raw_leads_past_a_stray_footer() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let room = Room::new();
    room.file("tree/file", "content");
    room.sh("mke2fs -q -F -t ext2 -d tree disk 1024");
    let mut footer = at(512, &[(0, b"conectix"), (48, &(5_u64 << 20).to_be_bytes()), (60, &[0, 0, 0, 2])]);
    let sum = !footer.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    footer[64..68].copy_from_slice(&sum.to_be_bytes());
    let disk = [fs::read(room.at("disk")).unwrap(), footer].concat();
    room.file("disk", &disk);
    let (all, summary) = rows(&room, &["disk"]);
    assert!(summary.failed == 1 && all.iter().any(|row| row.cause().contains("VHD")), "{all:?}");
    let (all, summary) = ran(&room, &asked(&room, &["disk"], |options| options.raw = true));
    assert!(summary.failed == 0 && row(&all, "disk!/file").found.is_ok(), "{all:?}");
}

/// The second segment, named alone, gives no look into the image.
#[cfg(feature = "image")]
#[test]
fn a_later_segment_without_its_first_among_the_inputs_is_named() {
    use pfh::acquire::ImageFormat;
    let room = Room::new();
    room.file("raw", &random(3, 3_000_000));
    let form = ImageFormat::E01 { compression: Default::default(), segment: 1 << 20 };
    crate::imaged::acquire(&crate::imaged::into(&room, "raw", "case.E01", form));
    let named = |rows: &[Row]| rows.iter().filter(|row| row.cause().contains("first is not among the inputs")).count();
    for inputs in [&["case.E02", "case.E03"][..], &["case.E02"]] {
        let (rows, summary) = rows(&room, inputs);
        assert_eq!((named(&rows), summary.unopened, summary.hashed), (1, 1, inputs.len() as u64), "{rows:?}");
    }
    // The first stands for them, before, behind and in a tree.
    for inputs in [&["case.E02", "./case.E01"][..], &["case.E01", "case.E02"], &["."]] {
        assert_eq!(named(&rows(&room, inputs).0), 0, "{inputs:?}");
    }
}

/// The counts of a check by a list that lies in the room, and the problems that it names.
fn checked(room: &Room, list: &str) -> (check::Summary, Vec<String>) {
    let request = check::Request::new(room.at(list)).root(room.path());
    let mut problems = Vec::new();
    let mut take = |event: check::Event<'_>| {
        if let check::Event::Unread(record) = event
            && let Some(cause) = record.outcome.cause()
        {
            problems.push(format!("{}: {cause}", String::from_utf8_lossy(&record.name)));
        }
        Ok(())
    };
    (check::run(&request, &mut take, &Control::new()).unwrap(), problems)
}

/// Listed files that are not there.
fn missing(summary: &check::Summary) -> u64 {
    match &summary.parts[0].findings {
        check::Findings::Files(files) => files.missing,
        other => panic!("{other:?}"),
    }
}

/// A listed name in a container that is not opened is not missing: it was compared with nothing.
#[test]
fn a_check_of_a_container_that_is_not_opened_is_open() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("d/f", "content");
    room.sh("cd d && zip -q z.zip f");
    room.file("d/a.sit", b"StuffIt (c)1997-..............");
    let (all, _) = rows(&room, &["d"]);
    let digest = row(&all, "d/z.zip!/f").digest();
    room.file("inner", &format!("{digest}  d/z.zip!/f\n{digest}  d/a.sit!/f\n"));
    let (summary, problems) = checked(&room, "inner");
    assert_eq!((summary.conclusion(), summary.verified(), summary.expected()), (Verdict::Incomplete, 1, 2));
    assert!(problems.iter().any(|said| said.contains("d/a.sit!/f: StuffIt: recognised, not read")), "{problems:?}");
    // Members that an open container lacks are missing.
    room.file("inner", &format!("{digest}  d/z.zip!/f\n{digest}  d/z.zip!/g\n"));
    let (summary, _) = checked(&room, "inner");
    assert_eq!((summary.conclusion(), missing(&summary)), (Verdict::Differs, 1));
}

/// Shadow copies of a volume are named: their older files are not read. The live ones are.
#[test]
fn shadow_copies_in_an_image_are_named() {
    if lacks(&[Need::Program("mkntfs")]) {
        return;
    }
    let room = Room::new();
    room.sh("truncate -s 8M disk; mkntfs -F -q -s 512 -p 0 -H 16 -S 63 disk 2>/dev/null");
    let mut disk = fs::read(room.at("disk")).unwrap();
    assert_eq!(rows(&room, &["disk"]).1.failed, 0);
    // The header at 0x1e00 leads to a block of the catalogue, whose second entry is a store.
    let mark = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";
    let catalogue = 7 << 20;
    let parts: [(usize, &[u8]); 5] = [
        (0x1e00, mark),
        (0x1e30, &(catalogue as u64).to_le_bytes()),
        (catalogue, mark),
        (catalogue + 20, &2_u32.to_le_bytes()),
        (catalogue + 128, &2_u64.to_le_bytes()),
    ];
    for (at, part) in parts {
        disk[at..at + part.len()].copy_from_slice(part);
    }
    room.file("disk", &disk);
    let said = "shadow copies: a header of version 0";
    for members in [false, true] {
        let (all, summary) = ran(&room, &asked(&room, &["disk"], |options| options.members = members));
        assert_eq!(all.iter().filter(|row| row.cause().contains(said)).count(), 1, "{all:?}");
        assert!(summary.failed == 1 && summary.hashed > 0, "{all:?}");
    }
    let mut failed = Vec::new();
    let mut take = |event: list::Event<'_>| {
        if let list::Event::Failed { problem, .. } = event {
            failed.push(problem.to_string());
        }
        Ok(())
    };
    list::run(&list::Request::new(input(&room, &["disk"], |_| {})), &mut take, &Control::new()).unwrap();
    assert!(failed.len() == 1 && failed[0].contains(said), "{failed:?}");
    // They say nothing of the names of the volume: one that is not there is missing.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    room.file("one", &format!("{empty}  disk!/gone\n"));
    let (summary, _) = checked(&room, "one");
    assert_eq!((summary.conclusion(), missing(&summary)), (Verdict::Differs, 1));
}
