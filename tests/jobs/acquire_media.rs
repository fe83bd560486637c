//! Real block devices and files as sources: lost, reported and repeated reads.
#![cfg(unix)] // FUSE and loop devices

use crate::imaged::{BAD, BadDevice, acquire, asked, bad_device, digest, faults, lost, ran, refused, verdict};
use crate::room::Room;
use pfh::Control;
use pfh::acquire::{Event, ImageFormat, Origin, Problem, Request, To, run};
use pfh::container::ewf::Compression;
use pfh::device::{Access, Fill};
use pfh::imaging::Holes;
use pfh::job::Kind;
use pfh::verify::Verdict;
use pfh_inject::{Errno, File, Files, Loop, Need, content, digest_by, lacks, sha256_of};
use std::fs;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;

fn of(room: &Room, device: &Path, target: &str, form: ImageFormat) -> Request {
    Request::new(Origin::Medium(device.to_owned()), vec![To { path: room.at(target), form }])
}

/// Type and place of every error, benign fill, and nothing else lost (peers lose 120 to 640
/// sectors). Several readers and one give the same.
#[test]
fn exactly_the_bad_sectors_are_lost_and_all_are_listed() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    let mut digests = Vec::new();
    for (readers, memory, retries) in [(2, 64, 1), (1, 1, 0), (7, 1, 0), (16, 2, 0)] {
        let image = format!("image{readers}");
        let mut request = of(&room, disk.path(), &image, ImageFormat::RAW);
        (request.reading.readers, request.reading.memory) = (readers, memory << 20);
        request.reading.policy.retries = retries;
        let summary = acquire(&request);
        assert!(!summary.is_complete());
        assert_eq!(lost(&summary), BAD.map(|(first, count)| (first * 512, count * 512)), "{readers} readers");
        assert!(fs::read(room.at(&image)).unwrap() == *expected, "only bad sectors are filled");
        assert_eq!(digest(&summary, "sha256"), sha256_of(&room.at(&image)), "the digest is that of the image");
        digests.push(summary.imaged.digests.clone());
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
    let map = fs::read_to_string(room.at("image2.map")).unwrap();
    for (first, count) in BAD {
        assert!(map.contains(&format!("0x{:08X}  0x{:08X}  -", first * 512, count * 512)), "{map}");
    }
    let log = fs::read_to_string(room.at("image2.log")).unwrap();
    assert!(log.contains("unreadable: sectors 300 - 363") && log.contains("unreadable: sector 16383 "), "{log}");
    assert!(log.contains("Input/output error"), "{log}");
}

/// The same with E01, and its errors and digests as ewf-tools read them.
#[test]
fn e01_holds_the_errors_and_the_digests() {
    if lacks(&[Need::Fuse, Need::Loop, Need::Program("ewfverify"), Need::Program("ewfexport")]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    let form = ImageFormat::E01 { compression: Compression::Fast, segment: 2 << 20 };
    let mut request = of(&room, disk.path(), "image.E01", form);
    let about = &mut request.about;
    (about.case_number, about.evidence_number, about.examiner) = ("C 7".into(), "E1".into(), "Ann Other".into());
    assert_eq!(lost(&acquire(&request)).len(), BAD.len());
    let said = |line: &str| String::from_utf8_lossy(&room.sh(line)).into_owned();
    assert!(said("ewfverify -q image.E01 2>&1").contains("SUCCESS"));
    let info = said("ewfinfo image.E01");
    for words in ["C 7", "E1", "Ann Other", "300 - 363", "16383 - 16383", "101 - 101"] {
        assert!(info.contains(words), "{words} in {info}");
    }
    assert!(info.contains(&digest_by("md5sum", expected)), "{info}");
    let segments: Vec<String> =
        room.names().into_iter().filter(|name| name.starts_with("image.E0") && name.len() == 9).collect();
    assert!(segments.len() >= 5, "segments of at most 2 MiB: {segments:?}");
    assert!(segments.iter().all(|name| fs::metadata(room.at(name)).unwrap().len() <= 2 * MIB));
    room.sh("ewfexport -q -u -f raw -t out image.E01");
    assert!(fs::read(room.at("out.raw")).unwrap() == *expected);
    assert_eq!(verdict(&room, "image.E01"), Verdict::Verified);
}

/// A map of bad areas of one disk plays another for training.
#[test]
fn a_map_stands_in_for_a_bad_disk() {
    let room = Room::new();
    let bytes = content(14, MIB);
    room.file("source", &bytes);
    let map = "0x0 +\n0x00000000 0x00010000 +\n0x00010000 0x00000400 -\n0x00010400 0x000EFC00 +\n";
    let mut request = asked(&room, "source", "image");
    request.faults = faults(&room, "faults", map);
    request.reading.policy.fill = Fill::Pattern(vec![0x42, 0xad]);
    assert_eq!(lost(&acquire(&request)), [(0x1_0000, 0x400)]);
    let mut expected = bytes;
    expected[0x1_0000..0x1_0400].as_chunks_mut::<2>().0.fill([0x42, 0xad]);
    assert!(fs::read(room.at("image")).unwrap() == expected);
    (request.replace, request.reading.policy.most_errors) = (true, Some(1));
    let error = refused(&request);
    let is_stopped = matches!(error.find(), Some(Problem::Stopped { resumable: true, .. }));
    assert!(is_stopped && error.to_string().contains("more unreadable sectors than allowed"), "{error}");
    assert_eq!(error.kind(), Kind::Aborted);
}

/// A sector that answers at the third try is not a lost sector.
#[test]
fn retries_save_sectors() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let file = File::new("disk", 2 * MIB).fails_at_first(700_000, Errno::EIO, 4);
    let expected = file.bytes();
    let mounted = Files::new().with(file).mount().unwrap();
    let mut request = of(&room, &mounted.file("disk"), "image", ImageFormat::RAW);
    (request.access, request.reading.policy.retries) = (Access::Cached, 9);
    let summary = acquire(&request);
    assert_eq!((summary.is_complete(), summary.imaged.retried), (true, 1));
    assert!(fs::read(room.at("image")).unwrap() == expected);
}

/// A device that is gone stops the acquisition, and the read part is kept for going on.
#[test]
fn a_device_that_is_gone_stops_it() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let length = 6 * MIB;
    let link = room.at("disk");
    let mut request = of(&room, &link, "image", ImageFormat::RAW);
    request.reading.readers = 1;
    {
        let gone = File::new("disk", length).fails_in(3 * MIB + 4096..length, Errno::ENXIO);
        let mounted = Files::new().with(gone).mount().unwrap();
        symlink(mounted.file("disk"), &link).unwrap();
        let error = refused(&request);
        assert!(matches!(error.find(), Some(Problem::Stopped { .. })) && error.kind() == Kind::Aborted, "{error}");
        assert!(error.to_string().contains("the device is gone"), "{error}");
        assert!(fs::metadata(room.at("image")).unwrap().len() >= 3 * MIB);
        fs::remove_file(&link).unwrap();
    }
    let back = File::new("disk", length);
    let expected = back.bytes();
    let mounted = Files::new().with(back).mount().unwrap();
    symlink(mounted.file("disk"), &link).unwrap();
    let (summary, seen) = ran(&request);
    let summary = summary.unwrap();
    assert_eq!((summary.is_complete(), seen.resumed), (true, Some(3 * MIB)));
    assert!(fs::read(room.at("image")).unwrap() == expected);
    assert_eq!(digest(&summary, "sha256"), digest_by("sha256sum", &expected));
}

/// Holes are not read, on request, and are zeros all the same; zeros become holes and stay zeros.
#[test]
fn holes_are_zeros() {
    use std::os::unix::fs::MetadataExt;
    let room = Room::new();
    let source = room.at("source");
    let file = fs::File::create(&source).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(b"data", 10_000_000).unwrap();
    file.write_all_at(b"end", (64 << 20) - 3).unwrap();
    drop(file);
    let sparse = ImageFormat::Raw { seek: 0, sparse: true, direct: false, start: None, synced: true };
    for (name, holes) in [("image", Holes::Skip), ("other", Holes::Read)] {
        let mut request = of(&room, &source, name, sparse.clone());
        (request.reading.holes, request.verify) = (holes, true);
        let summary = acquire(&request);
        assert!(summary.is_complete() && !summary.differs());
        assert_eq!(digest(&summary, "sha256"), sha256_of(&source));
        assert_eq!(sha256_of(&room.at(name)), sha256_of(&source));
        assert!(fs::metadata(room.at(name)).unwrap().blocks() * 512 < 3 * MIB, "{name}");
    }
}

/// A file system mounted over its device, until dropped.
struct Mounted<'a>(&'a Path);

impl Mounted<'_> {
    fn new<'a>(device: &Path, at: &'a Path) -> Mounted<'a> {
        fs::create_dir(at).unwrap();
        let done = Command::new("mount").args(["-o", "ro,noload"]).arg(device).arg(at).status().unwrap();
        assert!(done.success());
        Mounted(at)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        Command::new("umount").arg(self.0).status().ok();
    }
}

/// A source that is mounted is an event, with where and how; and The Sleuth Kit finds the files in
/// the image.
#[test]
fn a_mounted_source_is_an_event_and_its_files_are_in_the_image() {
    if lacks(&[Need::Loop, Need::Program("fls"), Need::Program("icat"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let room = Room::new();
    room.file("d/evidence.txt", "what was there");
    room.file("d/more/deep.bin", &content(300_000, 9));
    room.sh("truncate -s 16M disk; mkfs.ext4 -q -d d disk");
    let disk = Loop::attach(&room.at("disk"), &["-r"]).unwrap();
    let place = room.at("mounted");
    let mut mounts = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Mounted { place, writable, .. } = event {
            mounts.push((place.to_owned(), writable));
        }
        Ok(())
    };
    {
        let _mounted = Mounted::new(disk.path(), &place);
        let request = of(&room, disk.path(), "image.E01", ImageFormat::e01());
        assert!(run(&request, &mut take, &Control::new()).unwrap().is_complete());
    }
    assert_eq!(mounts, [(place.display().to_string(), false)]);
    let log = fs::read_to_string(room.at("image.E01.log")).unwrap();
    assert!(log.contains(&format!("warning: mounted at {} read-only", place.display())), "{log}");

    let listed = String::from_utf8(room.sh("fls -i ewf -r -p image.E01")).unwrap();
    let of = |name: &str| {
        let line = listed.lines().find(|line| line.ends_with(&format!("\t{name}"))).expect(&listed);
        let inode = line.split_whitespace().nth(1).unwrap().trim_end_matches(':').to_owned();
        room.sh(&format!("icat -i ewf image.E01 {inode}"))
    };
    assert_eq!(of("evidence.txt"), b"what was there");
    assert!(of("more/deep.bin") == content(300_000, 9));
}

/// A file that is written to while it is read: the image is of no state of it.
#[test]
fn a_source_that_changes_is_an_event() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let mounted = Files::new().with(File::new("again", 4 * MIB).is_rewritten()).mount().unwrap();
    let summary = acquire(&of(&room, &mounted.file("again"), "image", ImageFormat::RAW));
    assert!(summary.changed.is_some() && !summary.is_complete(), "{summary:?}");
    let log = fs::read_to_string(room.at("image.log.jsonl")).unwrap();
    assert!(log.contains("\"kind\":\"changed\""), "{log}");
    // One that has become shorter, or longer than the bytes to read, is not an image at all.
    let mounted = Files::new().with(File::new("grown", 4 * MIB).grows(1000)).mount().unwrap();
    let error = refused(&of(&room, &mounted.file("grown"), "other", ImageFormat::RAW));
    assert!(error.kind() == Kind::Aborted && error.to_string().contains("its size was"), "{error}");
}

/// That the first byte cannot be read says nothing of the end.
#[test]
fn an_error_at_the_first_byte_is_not_the_end() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let file = File::new("sizeless", MIB).states(0).fails_in(0..512, Errno::EIO);
    let mounted = Files::new().with(file).mount().unwrap();
    let room = Room::new();
    let error = refused(&of(&room, &mounted.file("sizeless"), "image", ImageFormat::RAW));
    assert!(error.kind() == Kind::Input && error.to_string().contains("Input/output error"), "{error}");
    let operands = [format!("if={}", mounted.file("sizeless").display()), format!("of={}", room.at("image").display())];
    let request = pfh::dd::Request::parse(&operands.map(Into::into), false).unwrap();
    let error = pfh::dd::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.kind() == Kind::Input && error.to_string().contains("Input/output error"), "{error}");
    assert!(room.names().is_empty());
}

/// Files of /proc state no size, and have data.
#[test]
fn files_without_a_size_are_read_to_their_end() {
    let room = Room::new();
    acquire(&of(&room, Path::new("/proc/version"), "version", ImageFormat::RAW));
    assert_eq!(fs::read(room.at("version")).unwrap(), fs::read("/proc/version").unwrap());
    room.file("empty", "");
    assert_eq!(acquire(&asked(&room, "empty", "copy")).imaged.bytes, 0);
    assert_eq!(fs::read(room.at("copy")).unwrap(), b"");
}
