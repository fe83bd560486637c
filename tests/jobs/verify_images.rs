//! The verdicts on images of each kind and on their damage, and the evidence for them.

use crate::imaged::{
    acquire, asked, claim, findings, flip, into, is_equal, refused, remove, split, verdict, verified, verify,
};
use crate::room::Room;
use pfh::acquire::{ImageFormat, Layout, Origin, Problem, Request as Acquisition, To};
use pfh::container::ewf::Compression;
use pfh::container::split::Suffix;
use pfh::hash::{self, Manifest};
use pfh::job::Kind;
use pfh::verify::{Finding, Request, Verdict};
use pfh::{Control, Input, Outcome};
#[cfg(unix)]
use pfh_inject::{Errno, File, Files, Loop};
use pfh_inject::{Need, content, digest_by, lacks, sha256_of};
use std::fs;
use std::process::Command;

const MIB: u64 = 1 << 20;

#[test]
fn an_acquired_image_is_verified_by_its_log_and_a_change_is_found() {
    let room = Room::new();
    room.file("source", &content(2, MIB + 100));
    for (name, first, form, at) in [
        ("a.dd", "a.dd", ImageFormat::RAW, 200_000),
        ("b.E01", "b.E01", ImageFormat::e01(), 500_000),
        ("c", "c.000", split(300_000, Suffix::Digits), 200_000),
        ("d", "d.001", split(300_000, Suffix::DigitsFromOne), 200_000),
    ] {
        acquire(&into(&room, "source", name, form));
        let log = format!("{name}.log.jsonl");
        let found = verified(&room, first);
        assert!(found.verdict() == Verdict::Verified && is_equal(&found, &log), "{name}: {found:?}");
        assert!(found.equal().any(|one| one.what.contains("sha256 of the image")), "{name}: {found:?}");
        let text = fs::read_to_string(room.at(&log)).unwrap();
        let changed = text.replacen("\"retries\":2", "\"retries\":3", 1);
        assert_ne!(changed, text);
        fs::write(room.at(&log), changed).unwrap();
        assert_eq!(verdict(&room, first), Verdict::Differs, "{name}: its log was changed");
        fs::write(room.at(&log), text).unwrap();
        flip(&room, first, at);
        let found = verified(&room, first);
        assert_eq!(found.verdict(), Verdict::Differs, "{name}");
        assert!(found.findings.iter().any(Finding::is_difference), "{name}: {found:?}");
    }
    // A second target has the log of the first.
    let mut both = asked(&room, "source", "one.dd");
    both.targets.push(To { path: room.at("two.dd"), form: ImageFormat::RAW });
    acquire(&both);
    assert!(is_equal(&verified(&room, "two.dd"), "one.dd.log.jsonl"));
    // Without the log an E01 has its own digests; a raw image has nothing.
    for (name, expected) in [("e.E01", Verdict::Verified), ("e.dd", Verdict::NothingToCompareWith)] {
        acquire(&asked(&room, "source", name));
        remove(&room, &[&format!("{name}.log.jsonl"), &format!("{name}.map")]);
        let found = verified(&room, name);
        assert_eq!(found.verdict(), expected);
        assert_eq!(found.equal().any(|one| one.with.ends_with("e.E01 itself")), name == "e.E01", "{found:?}");
    }
}

#[test]
fn pieces_that_are_missing_are_missed() {
    let room = Room::new();
    room.file("source", &content(3, MIB));
    let without = |name: &str, endings: &[&str]| {
        acquire(&into(&room, "source", name, split(200_000, Suffix::Digits)));
        let gone: Vec<String> = endings.iter().map(|ending| format!("{name}{ending}")).collect();
        remove(&room, &gone.iter().map(String::as_str).collect::<Vec<_>>());
        verified(&room, &format!("{name}.000"))
    };
    assert_eq!(without("log", &[".001", ".map"]).verdict(), Verdict::Differs);
    assert_eq!(without("last", &[".005", ".map"]).verdict(), Verdict::Differs);
    assert_eq!(without("map", &[".005", ".log", ".log.jsonl"]).verdict(), Verdict::Differs);
    let gap = without("gap", &[".001", ".map", ".log", ".log.jsonl"]);
    assert!(gap.verdict() == Verdict::Differs && findings(&gap).contains("gap.002"), "{gap:?}");
    assert_eq!(without("whole", &[".map", ".log", ".log.jsonl"]).verdict(), Verdict::NothingToCompareWith);
    let pieces = Input::new((0..6).map(|n| room.at(format!("whole.00{n}"))));
    let list = hash::Request::new(pieces, ["sha256".parse().unwrap()]);
    hash::write(&list, &Manifest::new(room.at("whole.sha256")), &mut |_| Ok(()), &Control::new()).unwrap();
    assert!(is_equal(&verified(&room, "whole.000"), "whole.sha256"));
    assert_eq!(verdict(&room, "whole.000"), Verdict::Verified);
    flip(&room, "whole.003", 7);
    assert_eq!(verdict(&room, "whole.000"), Verdict::Differs);
}

#[cfg(unix)]
#[test]
fn lists_beside_an_image_are_found() {
    let room = Room::new();
    let image = room.file("disk.dd", &content(4, 100_000));
    let list = |name: &str, format: &str, algorithms: &[&str]| {
        let algorithms = algorithms.iter().map(|name| name.parse().unwrap());
        let request = hash::Request::new(Input::new([&image]), algorithms);
        let manifest = Manifest::new(room.at(name)).format(format.parse().unwrap(), Default::default());
        hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    };
    type Write<'a> = &'a dyn Fn(&str);
    let lists: [(&str, Write<'_>); 8] = [
        ("SHA256SUMS", &|_| drop(room.sh("sha256sum disk.dd > SHA256SUMS"))),
        ("MD5SUMS", &|_| drop(room.sh("md5sum ./disk.dd > MD5SUMS"))),
        ("disk.dd.sha1", &|_| drop(room.sh("sha1sum disk.dd > disk.dd.sha1"))),
        ("disk.sha256", &|_| drop(room.sh("sha256sum --tag disk.dd > disk.sha256"))),
        ("disk.dd.md5", &|_| drop(room.sh("md5sum < disk.dd | cut -d' ' -f1 > disk.dd.md5"))),
        ("manifest.jsonl", &|name| list(name, "jsonl", &["sha256"])),
        ("disk.hashdeep", &|name| list(name, "hashdeep", &["md5", "sha256"])),
        ("disk.dd.blake3", &|name| list(name, "bsd", &["blake3"])),
    ];
    for (name, write) in lists {
        write(name);
        let found = verified(&room, "disk.dd");
        assert!(found.verdict() == Verdict::Verified && is_equal(&found, name), "{name}: {found:?}");
        flip(&room, "disk.dd", 99_999);
        assert_eq!(verdict(&room, "disk.dd"), Verdict::Differs, "{name}");
        flip(&room, "disk.dd", 99_999);
        remove(&room, &[name]);
    }
    // A list that names other files is not evidence.
    room.file("SHA256SUMS", &format!("{}  other.dd\n", sha256_of(&image)));
    assert_eq!(verdict(&room, "disk.dd"), Verdict::NothingToCompareWith);
}

/// Signatures and names that promise a format which is not read: never raw.
#[test]
fn formats_that_are_not_read_are_named() {
    let room = Room::new();
    let body = content(5, 8192);
    let mut vhd = [&body[..], b"conectix"].concat();
    vhd.resize(8192 + 512, 0);
    let zip = [&b"PK\x03\x04\x14\0\0\0\0\0"[..], &[0; 16], b"\x15\0\0\0container.descriptionaff4://x", &body].concat();
    let with = |start: &[u8]| [start, &body[..]].concat();
    // Not read at all: refused. Read, and nothing but a signature: damaged.
    let files: Vec<(&str, bool, Vec<u8>)> = vec![
        ("Lx01", false, with(b"LEF2\x0d\x0a\x81\0")),
        ("L01", false, with(b"LVF\x09\x0d\x0a\xff\0")),
        ("encryption", false, with(b"ADCRYPT\0")),
        ("AD1", false, with(b"ADSEGMENTEDFILE\0")),
        ("AFF", false, with(b"AFF10\x0d\x0a\0")),
        ("QCOW", false, with(b"QFI\xfb\0\0\0\x01")),
        ("COWD", false, with(b"COWD")),
        ("Ex01", true, with(b"EVF2\x0d\x0a\x81\0\x02\x01\x01\0\x01\0\0\0")),
        ("AFF4", true, zip),
        ("VMDK", true, with(b"KDMV\x01\0\0\0\0\0\0\0")),
        ("VMDK", true, with(b"# Disk DescriptorFile\n")),
        ("VHD", true, with(b"conectix")),
        ("VHD", true, vhd),
        ("VHDX", true, with(b"vhdxfile")),
    ];
    for (name, is_read, bytes) in files {
        let image = room.file("image", &bytes);
        let request = Request::image(&image);
        if is_read {
            let found = verify(&request);
            assert!(found.verdict() == Verdict::Differs && findings(&found).contains(name), "{name}: {found:?}");
        } else {
            let error = pfh::verify::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
            assert!(error.kind() == Kind::Request && error.to_string().contains(name), "{name}: {error}");
        }
        assert_eq!(image_record(&image).err().map(|cause| cause.contains(name)), Some(true), "{name}");
        let to = To { path: room.at("copy"), form: ImageFormat::RAW };
        let error = refused(&Acquisition::new(Origin::Image(image.clone()), vec![to]));
        assert!(matches!(error.kind(), Kind::Request | Kind::Aborted) && error.to_string().contains(name), "{error}");
        assert_eq!(room.names(), ["image"], "{name}");
        let mut raw = Request::image(&image);
        raw.raw = true;
        assert_eq!(verify(&raw).verdict(), Verdict::NothingToCompareWith, "{name}");
    }
    for name in
        ["x.Ex01", "x.s01", "x.L01", "x.Lx01", "x.aff", "x.aff4", "x.vmdk", "x.vhd", "x.vhdx", "x.qcow2", "x.ad1"]
    {
        let path = room.at(name);
        let error = Layout::default().form(&path).unwrap_err();
        let is_named = matches!(error.find(), Some(Problem::NotWritten { .. } | Problem::Later(_)));
        assert!(error.kind() == Kind::Request && is_named, "{name}: {error}");
        // Raw bytes under the name of a format are not an image of that format.
        acquire(&into(&room, "image", name, ImageFormat::RAW));
        assert!(image_record(&room.at(name)).is_err(), "{name}");
    }
}

/// The digest of an image's content, or why there is none.
fn image_record(path: &std::path::Path) -> Result<String, String> {
    let mut input = Input::new([path]);
    input.content = pfh::Content::Images;
    let request = hash::Request::new(input, ["sha256".parse().unwrap()]);
    let mut records = Vec::new();
    let mut take = |event: hash::Event<'_>| {
        if let hash::Event::Record(record) = event {
            records.push(match &record.outcome {
                Outcome::Hashed(file) => Ok(file.digests[0].to_string()),
                Outcome::Failed(problem) => Err(problem.to_string()),
                Outcome::Skipped(why) => Err(why.reason().to_owned()),
            });
        }
        Ok(())
    };
    hash::run(&request, &mut take, &Control::new()).unwrap();
    assert_eq!(records.len(), 1);
    records.remove(0)
}

#[test]
fn an_e01_by_name_alone_is_not_raw() {
    let room = Room::new();
    room.file("source", &content(6, MIB));
    acquire(&asked(&room, "source", "a.E01"));
    let bytes = fs::read(room.at("a.E01")).unwrap();
    for bit in 0..64 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(room.at("a.E01"), changed).unwrap();
        let found = verified(&room, "a.E01");
        assert_eq!(found.verdict(), Verdict::Differs, "bit {bit}");
        assert!(findings(&found).contains("states that it was written as E01"), "bit {bit}: {found:?}");
    }
    // Emptied, the log states another size; without its log nothing is stated.
    room.file("a.E01", "");
    let found = verified(&room, "a.E01");
    assert!(found.verdict() == Verdict::Differs && findings(&found).contains("0 bytes, the log states"), "{found:?}");
    remove(&room, &["a.E01.log.jsonl", "a.E01.map"]);
    assert_eq!(verdict(&room, "a.E01"), Verdict::NothingToCompareWith);
    let empty = room.file("empty.E01", "");
    assert_eq!(verdict(&room, "empty.E01"), Verdict::NothingToCompareWith);
    assert!(image_record(&empty).is_err());
    refused(&Acquisition::new(Origin::Image(empty), vec![To { path: room.at("copy"), form: ImageFormat::RAW }]));
    assert!(!room.at("copy").exists());
    if lacks(&[Need::Program("ewfacquire")]) {
        return;
    }
    for (form, name) in [("smart", "smart.s01"), ("ewf", "ewf.e01")] {
        room.sh(&format!("ewfacquire -u -q -f {form} -t {form} source"));
        let image = Request::image(room.at(name));
        let error = pfh::verify::run(&image, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(error.kind() == Kind::Request && error.to_string().contains("EWF-S01"), "{form}: {error}");
    }
}

/// An E01 has MD5 and SHA-1 beside any algorithms asked for, and the tools of libewf find them.
#[test]
fn every_e01_holds_md5_and_sha1() {
    if lacks(&[Need::Program("ewfverify"), Need::Program("ewfinfo")]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(7, MIB));
    for (name, algorithms, has_more) in [
        ("default.E01", &["sha256", "blake3"][..], false),
        ("one.E01", &["blake3"], false),
        ("two.e01", &["sha512", "md5"], true),
    ] {
        let mut request = asked(&room, "source", name);
        request.reading.algorithms = algorithms.iter().map(|name| *name.parse::<pfh::Algorithm>().unwrap()).collect();
        if has_more {
            request.targets.push(To { path: room.at("raw.dd"), form: ImageFormat::RAW });
        }
        let summary = acquire(&request);
        let said = |program: &str| {
            let seen = Command::new(program).arg(room.at(name)).output().unwrap();
            assert!(seen.status.success(), "{program}: {seen:?}");
            String::from_utf8_lossy(&seen.stdout).into_owned()
        };
        let (info, verified) = (said("ewfinfo"), said("ewfverify"));
        for program in ["md5sum", "sha1sum"] {
            let digest = digest_by(program, &content(7, MIB));
            assert!(info.contains(&digest), "{name}: {info}");
            assert!(summary.imaged.digests.iter().any(|found| found.to_string() == digest), "{name}");
        }
        assert!(verified.contains("SUCCESS") && !verified.contains("N/A"), "{verified}");
        let log = fs::read_to_string(room.at(format!("{name}.log.jsonl"))).unwrap();
        assert!(log.contains("\"md5\":") && log.contains("\"sha1\":"), "{log}");
    }
}

/// A disk that does not answer says nothing about the image.
#[cfg(unix)]
#[test]
fn a_read_that_fails_is_no_difference() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let disk = File::new("disk.dd", 4 * MIB);
    let digest = digest_by("sha256sum", &disk.bytes());
    let mounted = Files::new().with(disk.fails_in(MIB..MIB + 4096, Errno::EIO)).mount().unwrap();
    let mut request = Request::image(mounted.file("disk.dd"));
    request.claims = vec![claim("sha256", &digest)];
    let found = verify(&request);
    assert_eq!((found.verdict(), found.is_complete()), (Verdict::NothingToCompareWith, false));
    assert!(findings(&found).contains("unreadable"), "{found:?}");
}

/// Sectors are the image's own: 4096 bytes for a disk with such.
#[cfg(unix)]
#[test]
fn damaged_sectors_are_counted_as_the_image_does() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(8, 2 * MIB));
    let device = Loop::attach(&source, &["-b", "4096"]).unwrap();
    let form = ImageFormat::E01 { compression: Compression::None, segment: ImageFormat::SEGMENT };
    let to = To { path: room.at("disk.E01"), form };
    acquire(&Acquisition::new(Origin::Medium(device.path().to_owned()), vec![to]));
    flip(&room, "disk.E01", MIB as usize + 50_000);
    let found = verified(&room, "disk.E01");
    let said = findings(&found);
    let number = |before: &str, end: char| {
        let rest = said.split(before).nth(1).and_then(|rest| rest.split(end).next()).expect(&said);
        rest.parse::<u64>().expect(&said)
    };
    assert_eq!((found.verdict(), number("damaged: sectors ", ' ') * 4096), (Verdict::Differs, number("(offset ", ',')));
    let cause = image_record(&room.at("disk.E01")).unwrap_err();
    assert!(cause.contains("damaged image: segment 1"), "{cause}");
}
