//! Pieces and segments: the names that they get, and those of other programs.

use crate::imaged::{acquire, copy, into, ran, refused, split, verdict};
use crate::room::Room;
use pfh::acquire::{ImageFormat, Layout, Problem, TargetForm};
use pfh::container::ewf::Compression;
use pfh::container::split::Suffix;
use pfh::hash;
use pfh::job::{Error, Kind};
use pfh::verify::{self, Verdict};
use pfh::{Content, Control, Input, Outcome};
use pfh_inject::{Need, content, digest_by, lacks};
use std::fs;
use std::path::Path;

/// The digest of the image that begins with this file, or why there is none.
fn image(room: &Room, first: &str) -> Result<String, String> {
    let mut input = Input::new([room.at(first)]);
    input.content = Content::Images;
    let mut found = None;
    let mut take = |event: hash::Event<'_>| {
        if let hash::Event::Record(record) = event {
            found = Some(match &record.outcome {
                Outcome::Hashed(file) => Ok(file.digests[0].to_string()),
                other => Err(other.cause().unwrap_or_default().into_owned()),
            });
        }
        Ok(())
    };
    let request = hash::Request::new(input, ["sha256".parse().unwrap()]);
    hash::run(&request, &mut take, &Control::new()).unwrap();
    found.expect("a record")
}

fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

/// The form of pieces of this size with this suffix.
fn form(length: u64, suffix: &str) -> Result<ImageFormat, Error> {
    let mut layout = Layout::default();
    (layout.split, layout.suffix) = (Some(length), suffix.to_owned());
    layout.form(Path::new("o"))
}

/// Suffixes are refused whose names would not be taken for a set: written pieces can be read.
#[test]
fn numbers_of_one_place_are_refused() {
    for suffix in ["0", "1", "a", "", "01", "b"] {
        let error = form(1000, suffix).unwrap_err();
        assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Suffix)), "{suffix}: {error}");
    }
    let words = ["if=source", "ofs=o.0", "ofsz=1000"].map(Into::into);
    assert_eq!(pfh::dd::Request::parse(&words, false).unwrap_err().kind(), Kind::Request);
    for (suffix, first) in [("00", "o.00"), ("11", "o.01"), ("aa", "o.aa"), ("aaaaa", "o.aaaaa"), ("0000", "o.0000")] {
        let room = Room::new();
        room.file("source", &content(1, 10_500));
        acquire(&into(&room, "source", "o", form(1000, suffix).unwrap()));
        assert_eq!(image(&room, first), Ok(sha256(&content(1, 10_500))), "{suffix}");
    }
}

/// The log's name is that of a piece in letters, of one that is not reached or of one that is.
#[test]
fn a_log_is_not_taken_for_a_piece() {
    let room = Room::new();
    room.file("source", &content(7, 10_500));
    let request = into(&room, "source", "o", form(1000, "aaa").unwrap());
    acquire(&request);
    assert!(ran(&request).1.unchanged);
    let mut other = into(&room, "source", "p", form(1000, "aa").unwrap());
    other.map = Some(room.at("p.ac"));
    let error = refused(&other);
    assert!(matches!(error.find(), Some(Problem::PieceName(path)) if path.ends_with("p.ac")), "{error}");
    assert!(!room.at("p.aa").exists());
}

/// More than 1,000 pieces: in the order of their names they are the image.
#[cfg(unix)]
#[test]
fn many_pieces_sort_by_their_names() {
    let room = Room::new();
    let bytes = content(2, 120_300);
    let source = room.file("source", &bytes);
    let request = into(&room, "source", "o", split(100, Suffix::Digits));
    acquire(&request);
    let words = [format!("if={}", source.display()), format!("of={}", room.at("d").display()), "split=100".to_owned()];
    let copied = pfh::dd::Request::parse(&words.map(Into::into), false).unwrap();
    pfh::dd::run(&copied, &mut |_| Ok(()), &Control::new()).unwrap();
    for first in ["o.0000", "d.0000"] {
        assert!(room.sh(&format!("cat {}.[0-9]*", &first[..1])) == bytes, "{first}");
        assert_eq!(image(&room, first), Ok(sha256(&bytes)), "{first}");
    }
    // The same request finds its pieces again.
    assert!(ran(&request).1.unchanged);
    // Of a stream nobody knows how many there will be.
    room.sh("mkfifo pipe");
    let pipe = room.at("pipe");
    let writer = std::thread::spawn({
        let bytes = bytes.clone();
        move || drop(fs::write(pipe, bytes))
    });
    let error = refused(&into(&room, "pipe", "s", split(100, Suffix::Digits)));
    writer.join().unwrap();
    assert!(error.to_string().contains("used up") && matches!(error.kind(), Kind::Aborted | Kind::Output), "{error}");
}

/// Sets of others are joined where their sizes are those of a set; else the neighbour is named.
#[test]
fn pieces_of_others_are_joined_or_named() {
    let pieces = |room: &Room, bytes: &[u8], names: &[&str]| {
        bytes.chunks(1000).zip(names).for_each(|(piece, name)| drop(room.file(name, piece)));
    };
    let bytes = content(3, 2500);
    for names in [
        ["d.0", "d.1", "d.2"],
        ["j.1", "j.2", "j.3"],
        ["i00.dd", "i01.dd", "i02.dd"],
        ["xaaaa.raw", "xaaab.raw", "xaaac.raw"],
        ["xaa", "xab", "xac"],
        ["f.aaaa", "f.aaab", "f.aaac"],
    ] {
        let room = Room::new();
        pieces(&room, &bytes, &names);
        assert_eq!(image(&room, names[0]), Ok(sha256(&bytes)), "{names:?}");
        assert!(copy(&room, names[0], "copy").0.unwrap().is_complete(), "{names:?}");
        assert!(fs::read(room.at("copy")).unwrap() == bytes, "{names:?}");
    }
    // Two disks of one size, perhaps; and one of them that was acquired.
    let room = Room::new();
    pieces(&room, &content(4, 2000), &["disk.1", "disk.2"]);
    let said = "disk.2 lies beside it";
    assert!(image(&room, "disk.1").unwrap_err().contains(said));
    let error = copy(&room, "disk.1", "copy").0.unwrap_err();
    assert!(error.kind() == Kind::Request && error.to_string().contains(said), "{error}");
    let alone = crate::imaged::verified(&room, "disk.1");
    assert_eq!(alone.verdict(), Verdict::NothingToCompareWith);
    assert!(crate::imaged::findings(&alone).contains(said), "{alone:?}");
    assert!(!room.at("copy").exists());
    acquire(&into(&room, "disk.2", "copy.1", ImageFormat::RAW));
    room.file("copy.2", &content(5, 1000));
    assert_eq!(verdict(&room, "copy.1"), Verdict::Verified, "its log says that it is one image");
    let alone = pfh::hash_file(room.at("disk.1"), "sha256").unwrap().to_string();
    assert_eq!(alone, sha256(&content(4, 1000)), "the file alone");
}

/// A later piece or segment is not the image.
#[test]
fn the_first_segment_is_asked_for() {
    let room = Room::new();
    room.file("source", &content(6, 300_000));
    acquire(&into(&room, "source", "o", split(100_000, Suffix::Digits)));
    let e01 = ImageFormat::E01 { compression: Compression::None, segment: 80_000 };
    acquire(&into(&room, "source", "e.E01", e01));
    for (later, first) in [("o.001", "o.000"), ("o.002", "o.000"), ("e.E02", "e.E01"), ("e.E03", "e.E01")] {
        let why = image(&room, later).unwrap_err();
        assert!(why.contains("name the first segment, ") && why.contains(first), "{later}: {why}");
        let error = verify::run(&verify::Request::image(room.at(later)), &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(error.kind() == Kind::Request && error.to_string().contains(first), "{later}: {error}");
        let error = copy(&room, later, "copy").0.unwrap_err();
        assert!(error.kind() == Kind::Request && error.to_string().contains(first), "{later}: {error}");
    }
    for target in ["x.E02", "x.e02", "x.Ex02", "x.s03", "x.L02", "x.afd", "x.qed", "x.Ex01"] {
        let error = Layout::default().form(Path::new(target)).unwrap_err();
        let is_named = matches!(error.find(), Some(Problem::Later(_) | Problem::NotWritten { .. }));
        assert!(error.kind() == Kind::Request && is_named, "{target}: {error}");
    }
    let mut layout = Layout::default();
    layout.written = TargetForm::Raw;
    let raw = layout.form(&room.at("x.E02")).unwrap();
    assert!(acquire(&into(&room, "source", "x.E02", raw)).is_complete());
}

/// Containers that are not read are named, by their first bytes.
#[test]
fn qed_and_parallels_are_no_raw_images() {
    let room = Room::new();
    let padded = |start: &[u8]| [start, &[0; 70_000]].concat();
    room.file("qed", &padded(b"QED\0\0\0\x01\0"));
    room.file("old", &padded(b"WithoutFreeSpace\x02\0\0\0"));
    room.file("new", &padded(b"WithouFreSpacExt\x02\0\0\0"));
    for (name, format) in [("qed", "QED"), ("old", "Parallels"), ("new", "Parallels")] {
        assert!(image(&room, name).unwrap_err().contains(format), "{name}");
        let request = verify::Request::image(room.at(name));
        for error in [
            verify::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err(),
            copy(&room, name, "copy").0.unwrap_err(),
        ] {
            assert!(error.kind() == Kind::Request && error.to_string().contains(format), "{name}: {error}");
        }
    }
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    for format in ["qed", "parallels"] {
        room.sh(&format!("qemu-img create -q -f {format} made 4M"));
        assert!(image(&room, "made").unwrap_err().to_lowercase().contains(format), "{format}");
    }
}
