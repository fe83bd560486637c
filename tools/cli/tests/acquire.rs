//! `pfh acquire` on real block devices: what is lost, what is told, what is refused, what is resumed.

mod program;

use pfh_inject::{Errno, File, Files, Loop, Need, Outcome, Tmpfs, Trial, Zram, content, lacks};
use program::{MIB, Room, digest_by, sha256, sha256_of};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn acquire<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Trial {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["acquire", "--no-progress", "--json"]).args(arguments)
}

fn pfh<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(arguments).run().unwrap()
}

fn report(seen: &Outcome) -> Value {
    serde_json::from_slice(&seen.stdout).unwrap_or_else(|e| panic!("{e}: {seen:?}"))
}

fn said(program: &str, arguments: &[&OsStr]) -> String {
    let output = Command::new(program).args(arguments).output().expect(program);
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&text));
    String::from_utf8_lossy(&text).into_owned()
}

/// Bad sectors as in the comparison of peers: first, two alone, a run of 4, a run of 64, the last.
const BAD: [(u64, u64); 6] = [(0, 1), (101, 1), (200, 4), (300, 64), (5000, 1), (16_383, 1)];

fn bad_disk() -> File {
    let file = File::new("disk", 8 * MIB);
    BAD.iter().fold(file, |file, (first, count)| file.fails_in(first * 512..(first + count) * 512, Errno::EIO))
}

fn without_bad(mut bytes: Vec<u8>) -> Vec<u8> {
    for (first, count) in BAD {
        bytes[first as usize * 512..(first + count) as usize * 512].fill(0);
    }
    bytes
}

/// AM-09, AM-10, AO-23: type and place of every error, benign fill, and nothing else lost (peers lose 120 to 640 sectors).
#[test]
fn exactly_the_bad_sectors_are_lost_and_all_are_told() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let file = bad_disk();
    let expected = without_bad(file.bytes());
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
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
    assert!(fs::read(&image).unwrap() == expected, "only bad sectors are filled");
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
    let file = bad_disk();
    let expected = without_bad(file.bytes());
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
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
    assert!(info.contains(&digest_by("md5sum", &expected)), "{info}");
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
    assert!(fs::read(room.path().join("out.raw")).unwrap() == expected);
    let verified = pfh([OsStr::new("verify"), image.as_os_str()]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
}

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

/// A tree kept on the way is that of the finished image, also where the run was cut off; an image is a source of `pfh hash`.
#[test]
fn the_tree_of_an_image_is_kept() {
    let room = Room::in_memory();
    let source = room.file("source", &content(21, 64 * MIB + 99));
    let (image, tree) = (room.path().join("image"), room.path().join("tree"));
    let trial =
        || acquire(["-m", "4", "--map-interval", "0.02", "--outboard"]).arg(&tree).arg("--to").arg(&image).arg(&source);
    trial().signal(Duration::from_millis(60), 9).run().unwrap();
    let seen = trial().run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let checked = pfh(["tree".as_ref(), "check".as_ref(), "--outboard".as_ref(), tree.as_os_str(), image.as_os_str()]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    let e01 = room.path().join("image.E01");
    let seen = acquire(["--length", "1MiB", "--to"]).arg(&e01).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let seen = pfh(["hash".as_ref(), "--image".as_ref(), e01.as_os_str()]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(&content(21, 64 * MIB + 99)[..1 << 20])));
}

/// Zeros become holes and stay zeros.
#[test]
fn sparse_images_take_no_room_for_zeros() {
    use std::os::unix::fs::MetadataExt;
    let room = Room::new();
    let mut bytes = vec![0; 20 << 20];
    bytes[7_000_000..7_000_100].fill(1);
    let (source, image) = (room.file("source", &bytes), room.path().join("image"));
    let seen = acquire(["--sparse", "--verify", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(fs::read(&image).unwrap() == bytes);
    assert!(fs::metadata(&image).unwrap().blocks() * 512 < MIB);
}

/// AO-21: dd, dcfldd, dc3dd and ddrescue all exit 0 here, with a wrong clone.
#[test]
fn a_write_that_fails_late_is_a_failure() {
    if lacks(&[Need::Zram]) {
        return;
    }
    let room = Room::new();
    let source = room.file("source", &content(1, 16 * MIB));
    let zram = Zram::add(32 * MIB, 4 * MIB).unwrap();
    for way in [&["--log"][..], &["--cached", "--log"]] {
        let log = room.path().join(format!("log{}", way.len()));
        let map = room.path().join(format!("map{}", way.len()));
        let seen = acquire(way).arg(log).arg("--map").arg(map).arg("--to").arg(zram.path()).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(4), "{}", seen.stderr);
        assert!(seen.stdout.is_empty() && seen.stderr.contains("zram"), "{}", seen.stderr);
    }
    let copied = pfh([
        OsStr::new("dd"),
        format!("if={}", source.display()).as_ref(),
        format!("of={}", zram.path().display()).as_ref(),
        "bs=1M".as_ref(),
    ]);
    assert_eq!(copied.code, Some(4), "{}", copied.stderr);
}

/// AO-03, AO-04: no room, told before the first byte where that can be known, and in the middle where not.
#[test]
fn a_full_target_is_told() {
    if lacks(&[Need::Root]) {
        return;
    }
    let room = Room::new();
    let bytes = content(2, 16 * MIB);
    let source = room.file("source", &bytes);
    let small = Tmpfs::mount(&room.path().join("small"), 4 * MIB).unwrap();
    let at = |name: &str| small.path().join(name);
    let map = || room.path().join("m");
    let seen = acquire(["--log"])
        .arg(room.path().join("l1"))
        .arg("--map")
        .arg(map())
        .arg("--to")
        .arg(at("a"))
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("No space left"), "{}", seen.stderr);
    let _ = fs::remove_file(at("a"));
    for (name, split) in [("b", "0"), ("c.E01", "3MiB"), ("d", "1MiB")] {
        let mut trial =
            acquire(["--log"]).arg(room.path().join(format!("l{name}"))).arg("--to").arg(at(name)).input(bytes.clone());
        if split != "0" {
            trial = trial.args(["--split", split]);
        }
        let seen = trial.arg("-").run().unwrap();
        assert_eq!(seen.code, Some(4), "{name}: {}", seen.stderr);
        assert!(seen.stderr.contains("No space left") && seen.stdout.is_empty(), "{}", seen.stderr);
        for left in fs::read_dir(small.path()).unwrap().flatten() {
            fs::remove_file(left.path()).unwrap();
        }
    }
}

/// A limit on file sizes is an error that is told, not a death by signal.
#[test]
fn a_file_size_limit_is_told() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let room = Room::new();
    let image = room.path().join("image");
    let seen = acquire(["--to"])
        .arg(&image)
        .arg("-")
        .input(content(3, 4 * MIB))
        .under(["prlimit", "--fsize=1000000"])
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("File too large"), "{}", seen.stderr);
}

/// AO-19, AO-20: a target that is too small is told before it is written.
#[test]
fn a_target_that_is_too_small_is_told() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let (source, target) = (room.file("source", &content(4, 2 * MIB)), room.file("target", &vec![7; MIB as usize]));
    let device = Loop::attach(&target, &[]).unwrap();
    let seen = acquire(["--log"])
        .arg(room.path().join("log"))
        .arg("--map")
        .arg(room.path().join("map"))
        .arg("--to")
        .arg(device.path())
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("1048576") && seen.stderr.contains("2097152"), "{}", seen.stderr);
    assert!(fs::read(&target).unwrap().iter().all(|b| *b == 7), "nothing was written");
}

/// AO-17, AO-22: what lies beyond the image stays, and windows have digests.
#[test]
fn a_clone_on_a_device_leaves_the_rest_alone() {
    if lacks(&[Need::Loop]) {
        return;
    }
    let room = Room::new();
    let bytes = content(5, 2 * MIB);
    let (source, target) = (room.file("source", &bytes), room.file("target", &vec![7; 3 * MIB as usize]));
    for sector in ["512", "4096"] {
        let device = Loop::attach(&target, &["-b", sector]).unwrap();
        let (log, map) = (room.path().join(format!("log{sector}")), room.path().join(format!("map{sector}")));
        let seen = acquire(["-a", "sha256", "--piecewise", "1MiB", "--verify", "--log"])
            .arg(&log)
            .arg("--map")
            .arg(map)
            .arg("--to")
            .arg(device.path())
            .arg(&source)
            .run()
            .unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let log = fs::read_to_string(log).unwrap();
        for window in bytes.chunks(1 << 20) {
            assert!(log.contains(&sha256(window)), "{log}");
        }
        drop(device);
        let copied = fs::read(&target).unwrap();
        assert!(copied[..2 << 20] == bytes[..] && copied[2 << 20..].iter().all(|b| *b == 7));
    }
}

#[test]
fn nothing_is_acquired_onto_itself() {
    let room = Room::new();
    let source = room.file("source", &content(6, MIB));
    std::os::unix::fs::symlink("source", room.path().join("link")).unwrap();
    let seen = acquire(["--force", "--to"]).arg(room.path().join("link")).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    if !lacks(&[Need::Loop]) {
        let device = Loop::attach(&source, &[]).unwrap();
        let seen = acquire(["--force", "--to"]).arg(device.path()).arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    }
    assert!(fs::read(&source).unwrap() == content(6, MIB));
}

#[test]
fn what_exists_is_not_overwritten_unasked() {
    let room = Room::new();
    let (source, image) = (room.file("source", &content(7, MIB)), room.file("image", b"precious"));
    let seen = acquire(["--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert_eq!(fs::read(&image).unwrap(), b"precious");
    let seen = acquire(["--force", "--to"]).arg(&image).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(fs::read(&image).unwrap() == content(7, MIB));
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
    assert!(seen.stderr.contains("from offset 3145728"), "the MiB that it is in: {}", seen.stderr);
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

/// Killed at any moment, and gone on with by the same command: the image of an undisturbed run.
#[test]
fn a_killed_acquisition_goes_on() {
    let room = Room::in_memory();
    let size = 96 * MIB;
    let source = room.file("source", &content(12, size));
    let expected = sha256_of(&source);
    for (form, targets) in [("raw", vec!["image"]), ("e01", vec!["image.E01"]), ("both", vec!["two", "two.E01"])] {
        let mut interrupted = 0;
        let mut delay = 40;
        let seen = loop {
            let mut trial =
                acquire(["-a", "sha256,md5,sha1", "--map-interval", "0.02", "--compression", "best", "-m", "4"]);
            for target in &targets {
                trial = trial.arg("--to").arg(room.path().join(target));
            }
            // Later and later, so that it ends.
            let seen = trial.arg(&source).signal(Duration::from_millis(delay), 9).run().unwrap();
            if seen.code == Some(0) {
                break seen;
            }
            assert_eq!(seen.code, Some(128 + 9), "{form}: {}", seen.stderr);
            (interrupted, delay) = (interrupted + 1, delay + delay / 2);
        };
        assert_eq!(report(&seen)["digests"]["sha256"].as_str().unwrap(), expected, "{form} after {interrupted} kills");
        for target in &targets {
            let path = room.path().join(target);
            if target.ends_with("E01") {
                let back = room.path().join("back");
                let seen = acquire(["--image", "--force", "--to"]).arg(&back).arg(&path).run().unwrap();
                assert_eq!(seen.code, Some(0), "{}", seen.stderr);
                assert_eq!(sha256_of(&back), expected, "{form} after {interrupted} kills");
                assert_eq!(pfh(["verify".as_ref(), path.as_os_str()]).code, Some(0), "{form}");
            } else {
                assert_eq!(sha256_of(&path), expected, "{form} after {interrupted} kills");
            }
        }
        let log = room.path().join(format!("{}.log.jsonl", targets[0]));
        assert_eq!(pfh(["verify".as_ref(), "--log".as_ref(), log.as_os_str()]).code, Some(0), "{form}");
        assert!(interrupted > 0, "{form} was never interrupted");
    }
}

/// Ctrl-C stops soon, says so, and can be gone on with.
#[test]
fn an_interrupted_acquisition_says_so() {
    let room = Room::in_memory();
    let source = room.file("source", &content(13, 192 * MIB));
    let image = room.path().join("image.E01");
    let trial = || acquire(["-a", "md5", "--compression", "best", "-m", "4", "--to"]).arg(&image).arg(&source);
    let seen = trial().signal(Duration::from_millis(200), 2).run().unwrap();
    assert_eq!(seen.code, Some(130), "{}", seen.stderr);
    assert!(seen.stderr.contains("goes on from here") && seen.stdout.is_empty(), "{}", seen.stderr);
    let seen = trial().limit(Duration::from_secs(120)).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(report(&seen)["digests"]["md5"].as_str().unwrap(), digest_by("md5sum", &content(13, 192 * MIB)));
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
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("missing") && !image.exists(), "{}", seen.stderr);
}

/// Several readers and one give the same: image, lost sectors, order of windows.
#[test]
fn any_number_of_readers_gives_the_same() {
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    let file = bad_disk();
    let expected = without_bad(file.bytes());
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
    let mut reports = Vec::new();
    for (number, memory) in [("1", "1"), ("2", "64"), ("7", "1"), ("16", "2")] {
        let image = room.path().join(number);
        let seen = acquire(["-a", "sha256", "--retries", "0", "--readers", number, "-m", memory, "--to"])
            .arg(&image)
            .arg(disk.path())
            .run()
            .unwrap();
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(fs::read(&image).unwrap() == expected, "{number} readers");
        let report = report(&seen);
        reports.push((report["unreadable"].clone(), report["digests"].clone()));
    }
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]), "{reports:?}");
}

/// A sector that answers at the third try is no lost sector.
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
    assert!(seen.stderr.contains("going on: 3145728 bytes"), "{}", seen.stderr);
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
