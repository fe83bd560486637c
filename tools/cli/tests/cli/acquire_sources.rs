//! `pfh acquire` reading real block devices: what is lost, what is reported, what is never touched.

use crate::program::acquisition::{BAD, BadDevice, acquire, bad_device, pfh, report, said};
use crate::program::{MIB, Room, digest_by, sha256, sha256_of};
use pfh_inject::{Errno, File, Files, Loop, Need, content, lacks};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// AM-09, AM-10, AO-23: type and place of every error, benign fill, and nothing else lost (peers
/// lose 120 to 640 sectors).
#[test]
fn exactly_the_bad_sectors_are_lost_and_all_are_listed() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    let image = room.path().join("image");
    let seen = acquire(["-a", "sha256,md5", "--retries", "1", "--to"]).arg(&image).arg(disk.path()).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let report = report(&seen);
    let lost: Vec<(u64, u64)> = report["unreadable"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["offset"].as_u64().unwrap() / 512, b["length"].as_u64().unwrap() / 512))
        .collect();
    assert_eq!(lost, BAD);
    assert!(fs::read(&image).unwrap() == *expected, "only bad sectors are filled");
    assert_eq!(report["digests"]["sha256"].as_str().unwrap(), sha256_of(&image), "the digest is that of the image");
    let map = fs::read_to_string(room.path().join("image.map")).unwrap();
    for (first, count) in BAD {
        assert!(map.contains(&format!("0x{:08X}  0x{:08X}  -", first * 512, count * 512)), "{map}");
    }
    let log = fs::read_to_string(room.path().join("image.log")).unwrap();
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
    let image = room.path().join("image.E01");
    let words =
        ["-a", "md5,sha1", "--case", "C 7", "--evidence", "E1", "--examiner", "Ann Other", "--split", "2MiB", "--to"];
    let seen = acquire(words).arg(&image).arg(disk.path()).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(said("ewfverify", &["-q".as_ref(), image.as_os_str()]).contains("SUCCESS"));
    let info = said("ewfinfo", &[image.as_os_str()]);
    for words in ["C 7", "E1", "Ann Other", "300 - 363", "16383 - 16383", "101 - 101"] {
        assert!(info.contains(words), "{words} in {info}");
    }
    assert!(info.contains(&digest_by("md5sum", expected)), "{info}");
    assert!(room.path().join("image.E05").exists(), "segments of at most 2 MiB");
    for entry in fs::read_dir(room.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_string_lossy().contains(".E") {
            assert!(entry.metadata().unwrap().len() <= 2 * MIB, "{entry:?}");
        }
    }
    let out = room.path().join("out");
    said(
        "ewfexport",
        &[
            "-q".as_ref(),
            "-u".as_ref(),
            "-f".as_ref(),
            "raw".as_ref(),
            "-t".as_ref(),
            out.as_os_str(),
            image.as_os_str(),
        ],
    );
    assert!(fs::read(room.path().join("out.raw")).unwrap() == *expected);
    let verified = pfh([OsStr::new("verify"), image.as_os_str()]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
}

/// AO-24: the source is opened for reading and for nothing else.
#[test]
fn the_source_is_never_written_to() {
    if lacks(&[Need::Loop, Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(8, 2 * MIB));
    let device = Loop::attach(&source, &[]).unwrap();
    let (image, trace) = (room.path().join("image"), room.path().join("trace"));
    let before = sha256_of(&source);
    let wrapper = ["strace", "-f", "-y", "-o", trace.to_str().unwrap()];
    let seen = acquire(["--verify", "--to"])
        .arg(&image)
        .arg(device.path())
        .under(wrapper)
        .limit(Duration::from_secs(120))
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let trace = fs::read_to_string(trace).unwrap();
    let name = device.path().to_str().unwrap();
    let mut opened = 0;
    for call in trace.lines().filter(|call| call.contains(name)) {
        if call.contains("openat") {
            opened += 1;
            assert!(call.contains("O_RDONLY"), "{call}");
        }
        let on_it = call.contains(&format!("<{name}"));
        for writes in ["write", "fallocate(", "ftruncate(", "BLKDISCARD", "BLKROSET", "fsync("] {
            assert!(!on_it || !call.contains(writes), "{call}");
        }
    }
    assert!(opened >= 2, "{trace}");
    drop(device);
    assert_eq!(sha256_of(&source), before);
}

/// A map of bad areas of one disk plays another for training.
#[test]
fn a_map_stands_in_for_a_bad_disk() {
    let room = Room::new();
    let bytes = content(14, MIB);
    let (source, image) = (room.file("source", &bytes), room.path().join("image"));
    let map =
        room.file("faults", b"0x0 +\n0x00000000 0x00010000 +\n0x00010000 0x00000400 -\n0x00010400 0x000EFC00 +\n");
    let seen =
        acquire(["--fill", "42AD", "--map-as-faults"]).arg(map).arg("--to").arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let mut expected = bytes;
    expected[0x1_0000..0x1_0400].as_chunks_mut::<2>().0.fill([0x42, 0xad]);
    assert!(fs::read(&image).unwrap() == expected);
    let seen = acquire(["--force", "--max-errors", "1", "--map-as-faults"])
        .arg(room.path().join("faults"))
        .arg("--to")
        .arg(&image)
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("more unreadable sectors than allowed"), "{}", seen.stderr);
}

/// Several readers and one give the same: image, lost sectors, order of windows.
#[test]
fn any_number_of_readers_gives_the_same() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let BadDevice { disk, expected, .. } = &bad_device();
    let mut reports = Vec::new();
    for (number, memory) in [("1", "1"), ("2", "64"), ("7", "1"), ("16", "2")] {
        let image = room.path().join(number);
        let seen = acquire(["-a", "sha256", "--retries", "0", "--readers", number, "-m", memory, "--to"])
            .arg(&image)
            .arg(disk.path())
            .run()
            .unwrap();
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(fs::read(&image).unwrap() == *expected, "{number} readers");
        let report = report(&seen);
        reports.push((report["unreadable"].clone(), report["digests"].clone()));
    }
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]), "{reports:?}");
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
    let image = room.path().join("image");
    let seen = acquire(["--retries", "9", "--cached", "--to"]).arg(&image).arg(mounted.file("disk")).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(report(&seen)["retried"], 1);
    assert!(fs::read(&image).unwrap() == expected);
}

/// A device that is gone stops the acquisition, and what there was is kept for going on.
#[test]
fn a_device_that_is_gone_stops_it() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let image = room.path().join("image");
    let length = 6 * MIB;
    {
        let gone = File::new("disk", length).fails_in(3 * MIB + 4096..length, Errno::ENXIO);
        let mounted = Files::new().with(gone).mount().unwrap();
        let link = room.path().join("disk");
        std::os::unix::fs::symlink(mounted.file("disk"), &link).unwrap();
        let seen = acquire(["--readers", "1", "--to"]).arg(&image).arg(&link).run().unwrap();
        assert_eq!(seen.code, Some(4), "{}", seen.stderr);
        assert!(seen.stderr.contains("the device is gone") && seen.stdout.is_empty(), "{}", seen.stderr);
        assert!(fs::metadata(&image).unwrap().len() >= 3 * MIB);
        fs::remove_file(&link).unwrap();
    }
    let back = File::new("disk", length);
    let expected = back.bytes();
    let mounted = Files::new().with(back).mount().unwrap();
    std::os::unix::fs::symlink(mounted.file("disk"), room.path().join("disk")).unwrap();
    let seen = acquire(["-a", "sha256", "--to"]).arg(&image).arg(room.path().join("disk")).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(seen.stderr.contains("resuming: 3145728 bytes"), "{}", seen.stderr);
    assert!(fs::read(&image).unwrap() == expected);
    assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256(&expected));
}

/// Holes are not read, on request, and are zeros all the same.
#[test]
fn holes_are_zeros() {
    let room = Room::new();
    let source = room.path().join("source");
    let file = fs::File::create(&source).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(b"data", 10_000_000).unwrap();
    file.write_all_at(b"end", (64 << 20) - 3).unwrap();
    drop(file);
    let image = room.path().join("image");
    let seen = acquire(["-a", "sha256", "--skip-holes", "--sparse", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256_of(&source));
    assert_eq!(sha256_of(&image), sha256_of(&source));
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

/// A source that is mounted is said to be, with where and how; and The Sleuth Kit finds the files
/// in the image.
#[test]
fn a_mounted_source_is_warned_of_and_its_files_are_in_the_image() {
    if lacks(&[Need::Loop, Need::Program("fls"), Need::Program("icat"), Need::Program("mkfs.ext4")]) {
        return;
    }
    let room = Room::new();
    room.file("d/evidence.txt", b"what was there");
    room.file("d/more/deep.bin", &content(300_000, 9));
    let file = room.path().join("disk");
    fs::File::create(&file).unwrap().set_len(16 * MIB).unwrap();
    let made = Command::new("mkfs.ext4").args(["-q", "-d"]).arg(room.path().join("d")).arg(&file).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let disk = Loop::attach(&file, &["-r"]).unwrap();
    let place = room.path().join("mounted");
    let image = room.path().join("image.E01");
    let seen = {
        let _mounted = Mounted::new(disk.path(), &place);
        acquire(["-a", "md5", "--to"]).arg(&image).arg(disk.path()).run().unwrap()
    };
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let warning = format!("is mounted at {} read-only", place.display());
    assert!(seen.stderr.contains(&warning), "{}", seen.stderr);
    let log = fs::read_to_string(room.path().join("image.E01.log")).unwrap();
    assert!(log.contains(&format!("warning: mounted at {} read-only", place.display())), "{log}");

    let ask = |program: &str, arguments: &[&str]| {
        let output =
            Command::new(program).args(["-i", "ewf"]).args(arguments).current_dir(room.path()).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let listed = String::from_utf8(ask("fls", &["-r", "-p", "image.E01"])).unwrap();
    let of = |name: &str| {
        let line = listed.lines().find(|line| line.ends_with(&format!("\t{name}"))).expect(&listed);
        line.split_whitespace().nth(1).unwrap().trim_end_matches(':').to_owned()
    };
    assert_eq!(ask("icat", &["image.E01", &of("evidence.txt")]), b"what was there");
    assert!(ask("icat", &["image.E01", &of("more/deep.bin")]) == content(300_000, 9));
}
