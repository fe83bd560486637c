//! Containers that are recognised and not read: each is named and counted, and ordinary files are
//! not mistaken for one.

use crate::program::{Room, random, records};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::path::Path;

fn pfh(room: &Room, words: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap()
}

/// Bytes at an offset of a file of this size, and zeros.
fn at(size: usize, places: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for (at, part) in places {
        bytes[*at..*at + part.len()].copy_from_slice(part);
    }
    bytes
}

/// A program in PE with one section and something behind it.
fn program(behind: &[u8]) -> Vec<u8> {
    let section = 0x80 + 24;
    let sizes = [0, 2, 0, 0, 0, 2, 0, 0];
    let head: [(usize, &[u8]); 5] =
        [(0, b"MZ"), (0x3c, &[0x80]), (0x80, b"PE\0\0"), (0x86, &[1]), (section + 16, &sizes)];
    [at(1024, &head), behind.to_vec()].concat()
}

/// Each format with the start that it is known by, and the word that names it.
fn unread() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let newc = format!("070701{}", "0".repeat(104)).into_bytes();
    let arj = {
        let header = [&[30, 6, 1, 0, 0, 0, 0, 0][..], &[7; 26]].concat();
        // The CRC-32 of these 34 bytes, by gzip.
        let sum = crc(&header);
        [b"\x60\xea\x22\0".as_slice(), &header, &sum.to_le_bytes(), &[0; 16]].concat()
    };
    let lzma = [b"\x5d\0\0\x80\0".as_slice(), &[0xff; 8], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]].concat();
    let ext = [(1024, &[16, 0, 0, 0, 64, 0, 0, 0][..]), (1080, b"\x53\xef\x01\0")];
    vec![
        ("a.rar", b"Rar!\x1a\x07\x00..............".to_vec(), "RAR 4"),
        ("b.rar", b"Rar!\x1a\x07\x01\x00..............".to_vec(), "RAR 5"),
        ("a.cab", b"MSCF\0\0\0\0..............".to_vec(), "CAB"),
        ("a.wim", b"MSWIM\0\0\0..............".to_vec(), "WIM"),
        ("a.cpio", newc, "cpio"),
        ("a.deb", b"!<arch>\ndebian-binary   1234567890".to_vec(), "Debian package"),
        ("a.a", b"!<arch>\nx.o/            1234567890".to_vec(), "ar"),
        ("a.lzh", at(64, &[(0, b"\x1d\xab-lh5-"), (20, &[1])]), "LHA"),
        ("a.arj", arj, "ARJ"),
        (
            "a.Z",
            b"\x1f\x9d\x90\x41\x84\x0c\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f".to_vec(),
            "compress",
        ),
        ("a.lzma", lzma, "LZMA"),
        (
            "sfx.exe",
            program(b";!@Install@!UTF-8!;7z\xbc\xaf\x27\x1c\0\x04................................"),
            "7z behind a program",
        ),
        ("a.odlgz", at(300, &[(0, b"EBFGONED"), (256, b"\x1f\x8b\x08")]), "OneDrive log"),
        ("later.7z.002", random(7, 100), "piece 2 of a split archive"),
        ("a.vma", at(64, &[(0, b"VMA\0\0\0\0\x01")]), "VMA"),
        ("a.vbk", at(4096, &[(0, &[9, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]), (12, b"md5")]), "Veeam"),
        ("apm", at(40_000, &[(0, b"ER\x02\0"), (512, b"PM\0\0\0\0\0\x02")]), "Apple partition map"),
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

/// CRC-32 as zip and ARJ have it.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[test]
fn what_is_recognised_and_not_read_is_named_and_counted() {
    let room = Room::new();
    let formats = unread();
    for (name, bytes, word) in &formats {
        room.file(format!("d/{name}"), bytes);
        let path = format!("d/{name}");
        let seen = pfh(&room, &["hash", "--inside", "-f", "jsonl", &path]);
        assert_eq!(seen.code, Some(3), "{name}: {}", seen.stderr);
        assert!(
            seen.stderr.contains(word) && seen.stderr.contains("containers not opened: 1;"),
            "{name}: {}",
            seen.stderr
        );
        // The file itself has its digest.
        let lines = records(&seen);
        assert!(lines.iter().any(|line| line.path() == path && line.digest("sha256").is_some()), "{name}");
        let prefix = format!("{path}!/");
        assert!(lines.iter().any(|line| line.kind() == "error" && line.path() == prefix), "{name}");
    }
    // Inside of an archive as well.
    if !lacks(&[Need::Program("tar")]) {
        let packed = std::process::Command::new("tar").args(["-cf", "all.tar", "d"]).current_dir(room.path()).status();
        assert!(packed.unwrap().success());
        let seen = pfh(&room, &["hash", "--inside", "all.tar"]);
        let missing = |name: &&str| !seen.stderr.contains(&format!("all.tar!/d/{name}!/"));
        let missing: Vec<_> = formats.iter().map(|(name, ..)| *name).filter(missing).collect();
        // Their signatures are behind what is looked at of a member whose name says nothing.
        assert_eq!((seen.code, &missing[..]), (Some(3), &["ddf", "vinum"][..]), "{}", seen.stderr);
    }
    // `match` and `check` count them too.
    let count = format!("containers not opened: {};", formats.len());
    room.file("known", b"900150983cd24fb0d6963f7d28e17f72  x\n");
    let seen = pfh(&room, &["match", "-r", "--inside", "--class", "bad", "-k", "known", "d"]);
    assert!(seen.code == Some(3) && seen.stderr.contains(&count), "{}", seen.stderr);
    let seen = pfh(&room, &["hash", "-r", "-o", "list", "d"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(&room, &["check", "--audit", "--inside", "list", "d"]);
    assert!(seen.stderr.contains(&count), "{}", seen.stderr);
    assert_ne!(seen.code, Some(0));
}

/// Formats that are not read are skipped if that is asked for; what is damaged is not.
#[test]
fn lenient_skips_formats_and_no_damage() {
    let room = Room::new();
    for (name, bytes, _) in unread() {
        room.file(format!("d/{name}"), &bytes);
    }
    for name in ["a.rar", "a.cab", "apm", "small.sqfs", "sfx.exe"] {
        let seen = pfh(&room, &["hash", "--inside=lenient", "-f", "jsonl", &format!("d/{name}")]);
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        assert!(seen.stderr.contains("containers not opened: 1;"), "{name}: {}", seen.stderr);
        assert!(records(&seen).iter().any(|line| line.kind() == "skipped"), "{name}");
    }
    for name in ["f.E01", "b.7z", "tarred", "small.ext"] {
        let seen = pfh(&room, &["hash", "--inside=lenient", &format!("d/{name}")]);
        assert_eq!(seen.code, Some(3), "{name}: {}", seen.stderr);
    }
    let seen = pfh(&room, &["hash", "--inside=nonsense", "d/a.rar"]);
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
}

/// Programs, libraries, sources, documents and texts are not containers.
#[test]
fn ordinary_files_are_not_mistaken() {
    let room = Room::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for folder in [docs.as_path(), Path::new("/usr/bin"), Path::new("/usr/share/misc"), Path::new("/etc")] {
        if !folder.exists() {
            continue;
        }
        let words = ["hash", "-r", "--inside", "-a", "xxh3-64", "-f", "jsonl", "--max-size", "2M"];
        let words = [&words[..], &[folder.to_str().unwrap()]].concat();
        let seen = pfh(&room, &words);
        let lines = records(&seen);
        assert!(lines.iter().any(|line| line.kind() == "file") || folder.ends_with("misc"), "{}", seen.stderr);
        let named: Vec<_> = seen.stderr.lines().filter(|line| line.contains("!/")).collect();
        assert!(named.is_empty(), "{named:?}");
    }
}

/// A sound volume with a VHD footer at its end that is not its own.
#[test]
fn raw_leads_past_a_stray_footer() {
    if lacks(&[Need::Program("mke2fs")]) {
        return;
    }
    let room = Room::new();
    room.file("tree/file", b"content");
    let made = std::process::Command::new("mke2fs")
        .args(["-q", "-F", "-t", "ext2", "-d", "tree", "disk", "1024"])
        .current_dir(room.path())
        .status();
    assert!(made.unwrap().success());
    let path = room.path().join("disk");
    let mut disk = std::fs::read(&path).unwrap();
    let mut footer = at(512, &[(0, b"conectix"), (48, &(5_u64 << 20).to_be_bytes()), (60, &[0, 0, 0, 2])]);
    let sum = !footer.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    footer[64..68].copy_from_slice(&sum.to_be_bytes());
    disk.extend(footer);
    std::fs::write(&path, disk).unwrap();
    let seen = pfh(&room, &["hash", "--inside", "disk"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("VHD"), "{}", seen.stderr);
    for words in [&["hash", "--inside", "--raw", "disk"][..], &["list", "--raw", "disk"]] {
        let seen = pfh(&room, words);
        assert!(String::from_utf8_lossy(&seen.stdout).contains("disk!/file"), "{words:?}: {}", seen.stderr);
        assert_eq!(seen.code, Some(0), "{words:?}: {}", seen.stderr);
    }
}

/// The second segment, named alone, gives no look into the image.
#[test]
fn a_later_segment_without_its_first_among_the_inputs_is_named() {
    let room = Room::new();
    room.file("raw", &random(3, 3_000_000));
    let made = pfh(&room, &["acquire", "--no-progress", "raw", "--to", "case.E01", "--split", "1MiB"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for inputs in [&["case.E02", "case.E03"][..], &["case.E02"]] {
        let seen = pfh(&room, &[&["hash", "--inside"], inputs].concat());
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert_eq!(seen.stderr.matches("first is not among the inputs").count(), 1, "{}", seen.stderr);
        assert!(seen.stderr.contains("containers not opened: 1"), "{}", seen.stderr);
        let lines = seen.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!(lines, inputs.len(), "{inputs:?}");
    }
    // The first stands for them, before, behind and in a tree; without `--inside` they are files.
    for words in [
        &["hash", "--inside", "case.E02", "./case.E01"][..],
        &["hash", "--inside", "case.E01", "case.E02"],
        &["hash", "-r", "--inside", "."],
        &["hash", "case.E02"],
    ] {
        let seen = pfh(&room, words);
        assert!(!seen.stderr.contains("among the inputs"), "{words:?}: {}", seen.stderr);
    }
}

/// A listed name in a container that is not opened is not missing: it was compared with nothing.
#[test]
fn a_check_of_a_container_that_is_not_opened_is_3() {
    if lacks(&[Need::Program("zip")]) {
        return;
    }
    let room = Room::new();
    room.file("d/f", b"content");
    let zipped =
        std::process::Command::new("zip").args(["-q", "z.zip", "f"]).current_dir(room.path().join("d")).status();
    assert!(zipped.unwrap().success());
    room.file("d/a.rar", b"Rar!\x1a\x07\x00..............");
    let seen = pfh(&room, &["hash", "-r", "--inside", "d", "-o", "list"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let seen = pfh(&room, &["check", "--audit", "--inside", "list", "d"]);
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let list = std::fs::read_to_string(room.path().join("list")).unwrap();
    let digest = list.lines().find(|line| line.ends_with("d/z.zip!/f")).unwrap().split(' ').next().unwrap();
    room.file("inner", format!("{digest}  d/z.zip!/f\n{digest}  d/a.rar!/f\n").as_bytes());
    for words in [&["check", "inner"][..], &["check", "--inside", "inner"]] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(3), "{words:?}: {}", seen.stderr);
        assert!(seen.stderr.contains("d/a.rar!/f: RAR 4: recognised, not read"), "{words:?}: {}", seen.stderr);
        assert!(
            seen.stderr.contains("1 of 2 files verified against inner: sha256; 1 could not be read"),
            "{}",
            seen.stderr
        );
    }
    // What an open container lacks is missing.
    room.file("inner", format!("{digest}  d/z.zip!/f\n{digest}  d/z.zip!/g\n").as_bytes());
    let seen = pfh(&room, &["check", "inner"]);
    assert!(seen.code == Some(1) && seen.stderr.contains("1 missing"), "{}", seen.stderr);
}

/// Shadow copies of a volume are named: their older files are not read. The live ones are.
#[test]
fn shadow_copies_in_an_image_are_named() {
    if lacks(&[Need::Program("mkntfs")]) {
        return;
    }
    let room = Room::new();
    room.file("disk", &vec![0; 8 << 20]);
    let made = std::process::Command::new("mkntfs")
        .args(["-F", "-q", "-s", "512", "-p", "0", "-H", "16", "-S", "63", "disk"])
        .current_dir(room.path())
        .stderr(std::process::Stdio::null())
        .status();
    assert!(made.unwrap().success());
    let mut disk = std::fs::read(room.path().join("disk")).unwrap();
    let seen = pfh(&room, &["hash", "--inside", "disk", "-o", "list"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
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
    std::fs::write(room.path().join("disk"), &disk).unwrap();
    for words in [
        &["hash", "--inside", "disk"][..],
        &["hash", "--inside", "--members", "disk"],
        &["list", "disk"],
        &["match", "--inside", "-k", "list", "disk"],
        &["check", "--audit", "--inside", "list", "disk"],
    ] {
        let seen = pfh(&room, words);
        assert!(seen.stderr.contains("1 shadow copy (VSS) of the volume is there"), "{words:?}: {}", seen.stderr);
        let code = if words[0] == "check" { 1 } else { 3 };
        assert_eq!(seen.code, Some(code), "{words:?}: {}", seen.stderr);
    }
    // They say nothing of the names of the volume: one that is not there is missing.
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    room.file("one", format!("{empty}  disk!/gone\n").as_bytes());
    let seen = pfh(&room, &["check", "one"]);
    assert!(seen.code == Some(1) && seen.stderr.contains("1 missing"), "{}", seen.stderr);
}
