//! The images that `pfh acquire` makes, their logs, and `pfh verify`.

use crate::program::acquisition::{acquire, pfh, report, said};
use crate::program::{MIB, Room, sha256};
use pfh_inject::{Need, Trial, content, lacks};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// AM-06, AM-08, AO-05: all sizes, in all forms, read back by ourselves and by coreutils.
#[test]
fn every_size_in_every_form() {
    let room = Room::new();
    for (number, size) in
        [0, 1, 511, 512, 513, 32_767, 32_768, 32_769, MIB - 1, MIB, MIB + 1, 5 * MIB + 3].into_iter().enumerate()
    {
        let bytes = content(number as u64, size);
        let source = room.file(format!("{number}.src"), &bytes);
        let (raw, sparse, split) = (
            room.path().join(format!("{number}.raw")),
            room.path().join(format!("{number}.sparse")),
            room.path().join(format!("{number}.split")),
        );
        let seen = acquire(["-a", "sha256", "--verify", "--to"]).arg(&raw).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(fs::read(&raw).unwrap() == bytes);
        assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), sha256(&bytes));
        let seen = acquire(["--sparse", "--to"]).arg(&sparse).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(fs::read(&sparse).unwrap() == bytes);
        let seen = acquire(["--split", "1000000", "--suffix", "111", "--verify", "--to"])
            .arg(&split)
            .arg(&source)
            .run()
            .unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let mut joined = Vec::new();
        for piece in 1..=size.div_ceil(1_000_000).max(1) {
            let piece = fs::read(room.path().join(format!("{number}.split.{piece:03}"))).unwrap();
            assert!(piece.len() <= 1_000_000);
            joined.extend(piece);
        }
        assert!(joined == bytes);
        let e01 = room.path().join(format!("{number}.E01"));
        let seen = acquire(["-a", "md5,sha1", "--verify", "--to"]).arg(&e01).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let padded = report(&seen)["padded"].as_u64().unwrap();
        assert_eq!((size + padded) % 512, 0);
        let back = room.path().join(format!("{number}.back"));
        let seen = acquire(["--image", "--to"]).arg(&back).arg(&e01).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let back = fs::read(back).unwrap();
        assert!(back[..size as usize] == bytes[..] && back[size as usize..].iter().all(|b| *b == 0));
    }
}

/// A disk of some TB has more segments than a process may have open files; here it is 150 and 64.
#[test]
fn more_files_than_may_be_open() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let room = Room::new();
    let bytes = content(7, 150 * MIB / 8);
    let source = room.file("source", &bytes);
    for (name, first, split) in [("split", "split.000", "128KiB"), ("image.E01", "image.E01", "256KiB")] {
        let target = room.path().join(name);
        let few = ["prlimit", "--nofile=64"];
        let made = ["-a", "md5,sha256", "--compression", "none", "--split", split, "--verify", "--to"];
        let seen = acquire(made).arg(&target).arg(&source).under(few).run().unwrap();
        assert_eq!(seen.code, Some(0), "{name}: {}", seen.stderr);
        let stem = Path::new(name).file_stem().unwrap();
        let files = fs::read_dir(room.path()).unwrap().flatten();
        let files = files.filter(|f| Path::new(&f.file_name()).file_stem() == Some(stem)).count();
        assert!(files > 64, "{name}: {files} files");
        let first = room.path().join(first);
        let verify: [&[&str]; 2] = [&["verify"], &["hash", "--image"]];
        for arguments in verify {
            let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).arg(&first).under(few).run().unwrap();
            assert_eq!(seen.code, Some(0), "{name} {arguments:?}: {}", seen.stderr);
            let out = String::from_utf8_lossy(&seen.stdout);
            assert!(arguments[0] == "verify" || out.contains(&sha256(&bytes)), "{out}");
        }
    }
}

/// AO-06 to AO-08: a change is found, and its place.
#[test]
fn a_flipped_byte_is_found_at_its_place() {
    let room = Room::new();
    let bytes = content(9, 5 * MIB);
    let (source, image) = (room.file("source", &bytes), room.path().join("image"));
    let seen = acquire(["-a", "sha256", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let (log, digest) =
        (room.path().join("image.log.jsonl"), report(&seen)["digests"]["sha256"].as_str().unwrap().to_owned());
    let verify = |extra: &[&OsStr]| {
        pfh([&[OsStr::new("verify"), image.as_os_str(), "--log".as_ref(), log.as_os_str()][..], extra].concat())
    };
    assert_eq!(
        verify(&["--digest".as_ref(), format!("sha256:{digest}").as_ref(), "--against".as_ref(), source.as_os_str()])
            .code,
        Some(0)
    );
    let file = fs::OpenOptions::new().write(true).open(&image).unwrap();
    file.write_all_at(&[!bytes[3_333_333]], 3_333_333).unwrap();
    let seen = verify(&["--against".as_ref(), source.as_os_str()]);
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("within 1 bytes from offset 3333333"), "the very byte: {}", seen.stderr);
}

#[test]
fn a_changed_log_is_found_and_a_signature_says_by_whom() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = Room::new();
    let (source, image) = (room.file("source", &content(10, MIB)), room.path().join("image"));
    let key = |name: &str| {
        let path = room.path().join(name);
        said(
            "openssl",
            &["genpkey", "-algorithm", "ed25519", "-out"]
                .map(OsStr::new)
                .into_iter()
                .chain([path.as_os_str()])
                .collect::<Vec<_>>(),
        );
        path
    };
    let (mine, other) = (key("mine.pem"), key("other.pem"));
    let seen = acquire(["--key"]).arg(&mine).arg("--to").arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let log = room.path().join("image.log.jsonl");
    let verify = |key: &Path| {
        pfh(["verify".as_ref(), "--log".as_ref(), log.as_os_str(), "--key".as_ref(), key.as_os_str()]).code
    };
    assert_eq!((verify(&mine), verify(&other)), (Some(0), Some(1)));
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"retries\":2", "\"retries\":3", 1)).unwrap();
    assert_eq!(verify(&mine), Some(1));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&log, lines[..lines.len() - 1].concat()).unwrap();
    assert_eq!(verify(&mine), Some(1), "the signature is missing");
}

/// An E01 image with a flipped bit anywhere is not verified.
#[test]
fn a_damaged_e01_image_is_found() {
    let room = Room::new();
    let (source, image) = (room.file("source", &content(11, MIB + 512)), room.path().join("image.E01"));
    let seen = acquire(["-a", "md5", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let good = fs::read(&image).unwrap();
    for at in [3000, 500_000, good.len() - 200] {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        fs::write(&image, &bytes).unwrap();
        let seen = pfh(["verify".as_ref(), image.as_os_str()]);
        assert_eq!(seen.code, Some(1), "bit at {at}: {}", seen.stderr);
    }
}

#[test]
fn bad_input_is_a_usage_error() {
    let room = Room::new();
    let source = room.file("source", b"x");
    let image = room.path().join("image");
    for words in [
        &["--suffix", "q", "--split", "1M"][..],
        &["--fill", "xyz"],
        &["-a", "nonsense"],
        &["--format", "e01"],
        &["--examiner", "a\tb", "--split", "0"],
        &["--map-interval", "-1"],
    ] {
        let seen = acquire(words).arg("--to").arg(&image).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(2), "{words:?}: {}", seen.stderr);
        assert!(!image.exists());
    }
    let seen = acquire(["--to"]).arg(&image).arg(room.path().join("missing")).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("missing") && !image.exists(), "{}", seen.stderr);
}
