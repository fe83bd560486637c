//! `pfh verify`: its verdicts and the evidence that it names.

use crate::program;
use crate::program::acquisition::said;
use crate::program::{MIB, Room, flip, pfh, sha256, sha256_of};
use pfh_inject::{Errno, File, Files, Loop, Need, content, lacks};
use serde_json::Value;
use std::fs;
use std::process::Command;

fn good(room: &Room, words: &str) -> String {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "pfh {words}: {}", seen.stderr);
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

/// Exit code and verdict, which must agree.
fn verdict(room: &Room, words: &str) -> (i32, String, String) {
    let seen = pfh(room, &format!("verify --json {words}"));
    let value: Value = serde_json::from_slice(&seen.stdout).unwrap_or_else(|e| panic!("{words}: {e}: {}", seen.stderr));
    let verdict = value["verdict"].as_str().unwrap().to_owned();
    let code = match verdict.as_str() {
        "verified" => 0,
        "differs" => 1,
        "nothing-to-compare-with" => 3,
        other => panic!("{other}"),
    };
    assert_eq!((seen.code, value["verified"].as_bool()), (Some(code), Some(code == 0)), "{words}: {}", seen.stderr);
    assert!(code != 0 || !value["compared"].as_array().unwrap().is_empty(), "{words}");
    (code, value.to_string(), seen.stderr)
}

#[test]
fn nothing_to_compare_with_is_no_success() {
    let room = Room::new();
    let source = room.file("some", &content(1, 100_000));
    for words in ["some", "/etc/passwd", "some -a md5,sha256"] {
        let seen = pfh(&room, &format!("verify {words}"));
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(seen.code == Some(3) && text.contains("nothing to compare with"), "{words}: {text}{}", seen.stderr);
        assert_eq!(verdict(&room, words).0, 3);
    }
    assert!(String::from_utf8_lossy(&pfh(&room, "verify some").stdout).contains(&sha256_of(&source)));
    assert_eq!(verdict(&room, &format!("some --digest sha256:{}", sha256_of(&source))).0, 0);
    assert_eq!(verdict(&room, "some --digest md5:00000000000000000000000000000000").0, 1);
    for words in ["some --digest md5:zz", "some --digest x", "some --digest none:00"] {
        let seen = pfh(&room, &format!("verify {words}"));
        assert!(seen.code == Some(2) && seen.stdout.is_empty(), "{words}: {}", seen.stderr);
    }
    for words in ["missing", "some --log missing", ".", "some --against missing"] {
        let seen = pfh(&room, &format!("verify {words}"));
        assert!(seen.code == Some(3) && seen.stdout.is_empty(), "{words}: {:?} {}", seen.code, seen.stderr);
    }
}

#[test]
fn an_acquired_image_is_verified_by_its_log_and_a_change_is_found() {
    let room = Room::new();
    room.file("source", &content(2, MIB + 100));
    for (name, options) in [("a.dd", ""), ("b.E01", ""), ("c", "--split 300000"), ("d", "--split 300000 --suffix 111")]
    {
        good(&room, &format!("acquire source --to {name} {options}"));
        let first = match name {
            "c" => "c.000",
            "d" => "d.001",
            other => other,
        };
        let text = good(&room, &format!("verify {first}"));
        assert!(text.contains(&format!("{name}.log.jsonl")) && text.contains("sha256 of the image"), "{text}");
        let (_, found, _) = verdict(&room, &format!("{}/{first}", room.path().display()));
        assert!(found.contains("log.jsonl"), "by its absolute name: {found}");
        let log = room.path().join(format!("{name}.log.jsonl"));
        let text = fs::read_to_string(&log).unwrap();
        fs::write(&log, text.replacen("\"retries\":2", "\"retries\":3", 1)).unwrap();
        assert_eq!(verdict(&room, first).0, 1, "{name}: its log was changed");
        fs::write(&log, text).unwrap();
        let at = if name == "b.E01" { 500_000 } else { 200_000 };
        flip(&room, first, at);
        let (code, _, said) = verdict(&room, first);
        assert!(code == 1 && (said.contains("DIFFERENT") || said.contains("damaged")), "{name}: {said}");
    }
    // A second target has the log of the first.
    good(&room, "acquire source --to one.dd --to two.dd");
    assert!(good(&room, "verify two.dd").contains("one.dd.log.jsonl"));
    // Without the log an E01 has its own digests; a raw image has nothing.
    good(&room, "acquire source --to e.E01 -a blake3");
    fs::remove_file(room.path().join("e.E01.log.jsonl")).unwrap();
    fs::remove_file(room.path().join("e.E01.map")).unwrap();
    assert!(good(&room, "verify e.E01").contains("e.E01 itself"));
}

#[test]
fn pieces_that_are_missing_are_missed() {
    let room = Room::new();
    room.file("source", &content(3, MIB));
    let make = |name: &str, beside: &[&str]| {
        good(&room, &format!("acquire source --to {name} --split 200000"));
        for ending in beside {
            fs::remove_file(room.path().join(format!("{name}{ending}"))).unwrap();
        }
    };
    make("log", &[".001", ".map"]);
    assert_eq!(verdict(&room, "log.000").0, 1);
    make("last", &[".005", ".map"]);
    assert_eq!(verdict(&room, "last.000").0, 1);
    make("map", &[".005", ".log", ".log.jsonl"]);
    assert_eq!(verdict(&room, "map.000").0, 1);
    make("gap", &[".001", ".map", ".log", ".log.jsonl"]);
    let (code, _, said) = verdict(&room, "gap.000");
    assert!(code == 1 && said.contains("gap.002"), "{said}");
    make("whole", &[".map", ".log", ".log.jsonl"]);
    assert_eq!(verdict(&room, "whole.000").0, 3);
    good(&room, "hash whole.000 whole.001 whole.002 whole.003 whole.004 whole.005 -o whole.sha256");
    assert!(good(&room, "verify whole.000").contains("whole.sha256"));
    flip(&room, "whole.003", 7);
    assert_eq!(verdict(&room, "whole.000").0, 1);
}

#[test]
fn lists_beside_an_image_are_found() {
    let room = Room::new();
    let image = room.file("disk.dd", &content(4, 100_000));
    let digest = sha256_of(&image);
    let sh = |script: &str| {
        let output = Command::new("sh").args(["-c", script]).current_dir(room.path()).output().unwrap();
        assert!(output.status.success(), "{script}");
    };
    for (list, script) in [
        ("SHA256SUMS", "sha256sum disk.dd > SHA256SUMS"),
        ("MD5SUMS", "md5sum ./disk.dd > MD5SUMS"),
        ("disk.dd.sha1", "sha1sum disk.dd > disk.dd.sha1"),
        ("disk.sha256", "sha256sum --tag disk.dd > disk.sha256"),
        ("disk.dd.md5", "md5sum < disk.dd | cut -d' ' -f1 > disk.dd.md5"),
        ("manifest.jsonl", "\"$PFH\" hash -f jsonl disk.dd -o manifest.jsonl"),
        ("disk.hashdeep", "\"$PFH\" hash -f hashdeep -a md5,sha256 disk.dd -o disk.hashdeep"),
        ("disk.dd.blake3", "\"$PFH\" hash -a blake3 -f bsd disk.dd -o disk.dd.blake3"),
    ] {
        sh(&script.replace("\"$PFH\"", env!("CARGO_BIN_EXE_pfh")));
        let text = good(&room, "verify disk.dd");
        assert!(text.contains(list), "{list}: {text}");
        flip(&room, "disk.dd", 99_999);
        assert_eq!(verdict(&room, "disk.dd").0, 1, "{list}");
        flip(&room, "disk.dd", 99_999);
        fs::remove_file(room.path().join(list)).unwrap();
    }
    // A list that names other files is not evidence.
    room.file("SHA256SUMS", format!("{digest}  other.dd\n").as_bytes());
    assert_eq!(verdict(&room, "disk.dd").0, 3);
}

/// Signatures and names that promise a format which is not read: never raw.
#[test]
fn formats_that_are_not_read_are_named() {
    let room = Room::new();
    let body = content(5, 8192);
    let mut vhd = body.clone();
    vhd.extend(b"conectix");
    vhd.resize(8192 + 512, 0);
    let zip = [&b"PK\x03\x04\x14\0\0\0\0\0"[..], &[0; 16], b"\x15\0\0\0container.descriptionaff4://x", &body].concat();
    let with = |start: &[u8]| [start, &body[..]].concat();
    // Not read at all: refused. Read, and nothing but a signature: damaged.
    let files: Vec<(&str, i32, Vec<u8>)> = vec![
        ("Lx01", 2, with(b"LEF2\x0d\x0a\x81\0")),
        ("L01", 2, with(b"LVF\x09\x0d\x0a\xff\0")),
        ("encryption", 2, with(b"ADCRYPT\0")),
        ("AD1", 2, with(b"ADSEGMENTEDFILE\0")),
        ("AFF", 2, with(b"AFF10\x0d\x0a\0")),
        ("QCOW", 2, with(b"QFI\xfb\0\0\0\x01")),
        ("COWD", 2, with(b"COWD")),
        ("Ex01", 1, with(b"EVF2\x0d\x0a\x81\0\x02\x01\x01\0\x01\0\0\0")),
        ("AFF4", 1, zip),
        ("VMDK", 1, with(b"KDMV\x01\0\0\0\0\0\0\0")),
        ("VMDK", 1, with(b"# Disk DescriptorFile\n")),
        ("VHD", 1, with(b"conectix")),
        ("VHD", 1, vhd),
        ("VHDX", 1, with(b"vhdxfile")),
    ];
    for (name, verified, bytes) in files {
        room.file("image", &bytes);
        for words in ["verify image", "hash --image image", "acquire --image image --to copy"] {
            let seen = pfh(&room, words);
            let code = match words.split(' ').next() {
                Some("hash") => 3,
                Some("verify") => verified,
                _ => 2,
            };
            assert!(seen.code == Some(code) && seen.stderr.contains(name), "{words} of {name}: {seen:?}");
            assert!(verified == 1 || seen.stdout.is_empty(), "{name}");
            assert!(!room.path().join("copy").exists(), "{name}");
        }
        assert_eq!(pfh(&room, "verify image --raw").code, Some(3), "{name}");
    }
    for name in
        ["x.Ex01", "x.s01", "x.L01", "x.Lx01", "x.aff", "x.aff4", "x.vmdk", "x.vhd", "x.vhdx", "x.qcow2", "x.ad1"]
    {
        let before = fs::read_dir(room.path()).unwrap().count();
        let seen = pfh(&room, &format!("acquire image --to {name}"));
        assert!(seen.code == Some(2) && seen.stderr.contains("-f raw"), "{name}: {}", seen.stderr);
        assert_eq!(fs::read_dir(room.path()).unwrap().count(), before);
        good(&room, &format!("acquire image -f raw --to {name}"));
        assert_ne!(pfh(&room, &format!("hash --image {name}")).code, Some(0), "{name}");
    }
}

#[test]
fn an_e01_by_name_alone_is_not_raw() {
    let room = Room::new();
    room.file("source", &content(6, MIB));
    good(&room, "acquire source --to a.E01");
    let bytes = fs::read(room.path().join("a.E01")).unwrap();
    for bit in 0..64 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(room.path().join("a.E01"), changed).unwrap();
        let (code, _, said) = verdict(&room, "a.E01");
        assert!(code == 1 && said.contains("states that it was written as E01"), "bit {bit}: {said}");
    }
    // Emptied, the log states another size; without its log nothing is stated.
    room.file("a.E01", b"");
    let (code, _, said) = verdict(&room, "a.E01");
    assert!(code == 1 && said.contains("0 bytes, the log states"), "{said}");
    fs::remove_file(room.path().join("a.E01.log.jsonl")).unwrap();
    fs::remove_file(room.path().join("a.E01.map")).unwrap();
    assert_eq!(verdict(&room, "a.E01").0, 3);
    room.file("empty.E01", b"");
    assert_eq!(verdict(&room, "empty.E01").0, 3);
    for words in ["hash --image empty.E01", "acquire --image empty.E01 --to copy"] {
        assert_ne!(pfh(&room, words).code, Some(0), "{words}");
    }
    if !lacks(&[Need::Program("ewfacquire")]) {
        for form in ["smart", "ewf"] {
            let script = format!("ewfacquire -u -q -f {form} -t {form} source");
            assert!(
                Command::new("sh").args(["-c", &script]).current_dir(room.path()).output().unwrap().status.success()
            );
            let name = if form == "smart" { "smart.s01" } else { "ewf.e01" };
            let seen = pfh(&room, &format!("verify {name}"));
            assert!(seen.code == Some(2) && seen.stderr.contains("EWF-S01"), "{form}: {}", seen.stderr);
        }
    }
}

/// An E01 has MD5 and SHA-1 whatever is asked for, and the tools of libewf find them.
#[test]
fn every_e01_holds_md5_and_sha1() {
    if lacks(&[Need::Program("ewfverify"), Need::Program("ewfinfo")]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(7, MIB));
    for (name, options) in [("default.E01", ""), ("one.E01", "-a blake3"), ("two.e01", "--to raw.dd -a sha512,md5")] {
        good(&room, &format!("acquire source --to {name} {options}"));
        let path = room.path().join(name);
        let info = said("ewfinfo", &[path.as_os_str()]);
        for program in ["md5sum", "sha1sum"] {
            assert!(info.contains(&program::digest_by(program, &content(7, MIB))), "{name}: {info}");
        }
        let verified = said("ewfverify", &[path.as_os_str()]);
        assert!(verified.contains("SUCCESS") && !verified.contains("N/A"), "{verified}");
        let log = fs::read_to_string(room.path().join(format!("{name}.log.jsonl"))).unwrap();
        assert!(log.contains("\"md5\":") && log.contains("\"sha1\":"), "{log}");
    }
}

/// A disk that does not answer says nothing about the image: exit 3, no verdict.
#[test]
fn a_read_that_fails_is_no_difference() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    let disk = File::new("disk.dd", 4 * MIB);
    let digest = sha256(&disk.bytes());
    let mounted = Files::new().with(disk.fails_in(MIB..MIB + 4096, Errno::EIO)).mount().unwrap();
    let words = format!("{} --digest sha256:{digest}", mounted.file("disk.dd").display());
    let (code, _, said) = verdict(&room, &words);
    assert!(code == 3 && said.contains("unreadable"), "{said}");
}

/// Sectors are the image's own: 4096 bytes for a disk with such.
#[test]
fn damaged_sectors_are_counted_as_the_image_does() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(8, 2 * MIB));
    let device = Loop::attach(&source, &["-b", "4096"]).unwrap();
    good(&room, &format!("acquire {} --to disk.E01 --compression none", device.path().display()));
    flip(&room, "disk.E01", MIB as usize + 50_000);
    let (code, _, said) = verdict(&room, "disk.E01");
    let sector = said.split("damaged: sectors ").nth(1).and_then(|rest| rest.split(' ').next()).expect(&said);
    let offset = said.split("(offset ").nth(1).and_then(|rest| rest.split(',').next()).expect(&said);
    assert_eq!((code, sector.parse::<u64>().unwrap() * 4096), (1, offset.parse().unwrap()), "{said}");
    let seen = pfh(&room, "hash --image disk.E01");
    assert!(seen.code == Some(3) && seen.stderr.contains("damaged image: segment 1"), "{}", seen.stderr);
}

/// What the chained log states beside the digests: the log for people, the case data in an E01,
/// digests of windows.
#[test]
fn the_log_for_people_and_the_case_data_are_compared() {
    let room = Room::new();
    room.file("source", &content(10, MIB));
    good(&room, "acquire source --to a.E01 --examiner Ann --case 7 --piecewise 300000");
    let text = good(&room, "verify a.E01");
    assert!(text.contains("a.E01.log") && text.contains("case data"), "{text}");
    let path = room.path().join("a.E01.log");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.replacen("examiner: Ann", "examiner: Bob", 1)).unwrap();
    let (code, _, said) = verdict(&room, "a.E01");
    assert!(code == 1 && said.contains("log for people"), "{said}");
    assert_eq!(pfh(&room, "verify --log a.E01.log.jsonl").code, Some(1));
    fs::write(&path, whole).unwrap();
    assert_eq!(verdict(&room, "a.E01").0, 0);
    // Another acquisition of the same bytes, by another examiner, under the first one's log.
    good(&room, "acquire source --to b.E01 --examiner Bob --case 7 --piecewise 300000");
    fs::rename(room.path().join("b.E01"), room.path().join("a.E01")).unwrap();
    let (code, _, said) = verdict(&room, "a.E01");
    assert!(code == 1 && said.contains("examiner"), "{said}");
}

/// The log's name is in the report though nobody named a log.
#[test]
fn the_report_names_the_log() {
    let room = Room::new();
    room.file("source", &content(9, 5000));
    let report: Value = serde_json::from_str(&good(&room, "acquire source --to image --json")).unwrap();
    assert_eq!(report["log"], "image.log.jsonl");
}
