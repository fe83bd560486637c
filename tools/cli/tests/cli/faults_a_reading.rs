//! Faults of reading, the rows a01 to a10 (docs/tests/faults.md).
#![cfg(unix)]

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::program::{
    MIB, Room, assert_refused, beside_the_table, digest_by, pfh_hash, record, records, sha256, sha256_of,
};
use pfh_inject::{Errno, File, Files, Injection, Need, content, lacks};

const JSON: [&str; 2] = ["-f", "jsonl"];

#[test]
fn a01_short_reads_give_the_same_digests() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let oracles = [
        ("md5", "md5sum"),
        ("sha1", "sha1sum"),
        ("sha224", "sha224sum"),
        ("sha256", "sha256sum"),
        ("sha384", "sha384sum"),
        ("sha512", "sha512sum"),
        ("blake2b", "b2sum"),
    ];
    let others = ["blake3", "sha3-256", "ripemd160", "crc32", "xxh3-128"];
    let algorithms: Vec<&str> = oracles.iter().map(|(name, _)| *name).chain(others).collect();
    let room = Room::new();
    let mut files = Files::new();
    let mut contents = Vec::new();
    // Reads of 1 to 777 bytes of files whose lengths meet them at every alignment.
    for (number, most) in [1, 2, 3, 7, 63, 64, 65, 127, 500, 777].into_iter().enumerate() {
        for length in [0, 1, 64, 1000 + number as u64, 20_011] {
            let name = format!("{most}-{length}");
            let file = File::new(&name, if most < 7 { length.min(2000) } else { length }).reads_of(most);
            room.file(&name, &file.bytes());
            contents.push((name, file.bytes()));
            files = files.with(file);
        }
    }
    let mounted = files.mount().unwrap();
    let ask = |place: &std::path::Path| {
        let seen = pfh_hash(JSON).args(["-r", "-a", &algorithms.join(",")]).arg(place).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        records(&seen)
    };
    let (short, whole) = (ask(mounted.path()), ask(room.path()));
    assert_eq!(short.len(), contents.len());
    for (name, bytes) in &contents {
        let line = record(&short, name);
        for algorithm in &algorithms {
            assert!(line.digest(algorithm).is_some());
            assert_eq!(line.digest(algorithm), record(&whole, name).digest(algorithm), "{name} {algorithm}");
        }
        for (algorithm, tool) in oracles {
            assert_eq!(line.digest(algorithm), Some(&digest_by(tool, bytes)[..]), "{name} {algorithm}");
        }
    }
}

#[test]
fn a02_an_eintr_storm_is_ridden_out() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let bytes = content(2, 700_000);
    let path = room.file("storm", &bytes);
    let storm = Injection::every_second("read,pread64", "EINTR").on(&path);
    let seen = pfh_hash(JSON).arg(&path).inject(storm).run().unwrap();
    assert!(seen.injected > 0, "nothing was injected");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert_eq!(record(&records(&seen), "storm").digest("sha256"), Some(&sha256(&bytes)[..]));
}

#[test]
fn a03_a_nonblocking_input_is_waited_for() {
    let bytes = content(3, 300_000);
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["hash", "--no-progress", "-"])
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for piece in bytes.chunks(50_000) {
        // Long enough that the reader has emptied the socket and meets EAGAIN.
        std::thread::sleep(Duration::from_millis(30));
        ours.write_all(piece).unwrap();
    }
    drop(ours);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}  -\n", sha256(&bytes)));
}

#[test]
fn a04_eio_mid_file_is_a_typed_record() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let good = File::new("good", MIB);
    let expected = sha256(&good.bytes());
    let mounted = Files::new()
        .with(good)
        .with(File::new("broken", MIB).fails_in(512 * 1024..516 * 1024, Errno::EIO))
        .with(File::new("through-the-cache", MIB).fails_in(512 * 1024..516 * 1024, Errno::EIO).cached())
        .mount()
        .unwrap();
    for name in ["broken", "through-the-cache"] {
        let seen = pfh_hash(JSON).arg(mounted.file(name)).run().unwrap();
        assert_refused(&seen, name, "EIO");
        let lines = records(&seen);
        let line = record(&lines, name);
        assert_eq!((line.0["offset"].as_u64(), line.0["length"].as_u64()), (Some(512 * 1024), Some(4096)), "{line:?}");
    }
    let seen = pfh_hash(JSON).args([mounted.file("good"), mounted.file("broken")]).run().unwrap();
    assert_refused(&seen, "broken", "EIO");
    assert_eq!(record(&records(&seen), "good").digest("sha256"), Some(&expected[..]));
}

#[test]
fn a04_no_format_gives_a_digest_of_half_a_file() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let broken = File::new("broken", MIB).fails_in(512 * 1024..516 * 1024, Errno::EIO);
    let half = &broken.bytes()[..512 * 1024];
    let (half, empty) = (sha256(half), sha256(b""));
    let mounted = Files::new().with(broken).mount().unwrap();
    for format in ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"] {
        let seen = pfh_hash(["-f", format]).arg(mounted.file("broken")).run().unwrap();
        assert_eq!(seen.code, Some(3), "{format}");
        let text = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(!text.contains(&half) && !text.contains(&empty), "{format}: {text}");
        assert!(seen.stderr.contains("broken"), "{format}: {}", seen.stderr);
    }
}

#[test]
fn a05_eio_at_the_edges_and_at_the_end() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let length = 300_001;
    let edges = [("first", 0), ("last", length - 1), ("end", length)];
    let mut files = Files::new();
    for (name, at) in edges {
        files = files.with(File::new(name, length).fails_in(at..at + 1, Errno::EIO));
    }
    let mounted = files.mount().unwrap();
    for (name, at) in edges {
        let seen = pfh_hash(JSON).arg(mounted.file(name)).run().unwrap();
        assert_refused(&seen, name, "EIO");
        assert_eq!(record(&records(&seen), name).0["offset"].as_u64(), Some(at), "{name}");
    }
}

#[test]
fn a06_no_errno_at_any_read_gives_a_digest() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    // Three chunks and a tail, so that there is a first, a middle and a last read, and one that
    // sees the end.
    let path = room.file("file", &content(6, 900_000));
    for errno in ["EIO", "ESTALE", "ETIMEDOUT", "ENOMEM", "ENODEV", "EOVERFLOW", "EBADF", "EINVAL"] {
        let mut injected = 0;
        for nth in 1..=6 {
            let fault = Injection::nth("read,pread64", errno, nth).on(&path);
            let seen = pfh_hash(JSON).arg(&path).inject(fault).run().unwrap();
            if seen.injected > 0 {
                injected += 1;
                assert_refused(&seen, "file", errno);
            } else {
                assert_eq!(seen.code, Some(0), "nothing failed: {}", seen.stderr);
            }
        }
        assert!(injected > 0, "{errno} was never injected");
    }
}

#[test]
fn a06_no_errno_at_open_or_stat_gives_a_digest() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let path = room.file("file", &content(6, 5_000));
    for (calls, errnos) in [
        ("openat,openat2", &["EACCES", "ESTALE", "ENOMEM", "ELOOP"][..]),
        ("statx,fstat,newfstatat", &["EIO", "ESTALE"][..]),
    ] {
        for errno in errnos {
            let mut injected = 0;
            for nth in 1..=3 {
                let seen = pfh_hash(JSON).arg(&path).inject(Injection::nth(calls, errno, nth).on(&path)).run().unwrap();
                if seen.injected > 0 {
                    injected += 1;
                    assert_ne!(
                        seen.code,
                        Some(0),
                        "{calls} {errno} {nth}: {:?}",
                        String::from_utf8_lossy(&seen.stdout)
                    );
                    assert!(records(&seen).iter().all(|line| line.kind() != "file"), "{calls} {errno} {nth}");
                }
            }
            assert!(injected > 0, "{calls} {errno} was never injected");
        }
    }
}

#[test]
fn a07_a_passing_eio_is_retried_only_when_asked_and_then_noted() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    // A new mount each time: the error passes once.
    let file = || File::new("passing", MIB).fails_at_first(600_000, Errno::EIO, 1);
    let expected = sha256(&file().bytes());
    let mounted = Files::new().with(file()).mount().unwrap();
    let seen = pfh_hash(JSON).args(["--retries", "2"]).arg(mounted.file("passing")).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let lines = records(&seen);
    let line = record(&lines, "passing");
    assert_eq!(line.digest("sha256"), Some(&expected[..]));
    assert!(line.0["notes"].to_string().contains("retried"), "{line:?}");
    let mounted = Files::new().with(file()).mount().unwrap();
    assert_refused(&pfh_hash(JSON).arg(mounted.file("passing")).run().unwrap(), "passing", "EIO");
    let stubborn = File::new("stubborn", MIB).fails_in(5000..5001, Errno::EIO);
    let mounted = Files::new().with(stubborn).mount().unwrap();
    assert_refused(
        &pfh_hash(JSON).args(["--retries", "2"]).arg(mounted.file("stubborn")).run().unwrap(),
        "stubborn",
        "EIO",
    );
}

#[test]
fn a08_a_size_of_zero_is_not_believed() {
    let seen = pfh_hash(JSON).arg("/proc/version").run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let version = sha256(&std::fs::read("/proc/version").unwrap());
    assert_eq!(record(&records(&seen), "version").digest("sha256"), Some(&version[..]));
    if lacks(&[Need::Fuse]) {
        return;
    }
    let file = File::new("virtual", 300_000).states(0);
    let expected = sha256(&file.bytes());
    let mounted = Files::new().with(file).mount().unwrap();
    let seen = pfh_hash(JSON).arg(mounted.file("virtual")).run().unwrap();
    let lines = records(&seen);
    let line = record(&lines, "virtual");
    assert_eq!((seen.code, line.digest("sha256")), (Some(0), Some(&expected[..])), "{line:?}");
    assert_eq!(line.0["size"].as_u64(), Some(300_000));
}

#[test]
fn a09_a_size_beyond_the_data_is_noticed() {
    // sysfs states a page for a few bytes: that is how it is.
    let attribute = std::path::Path::new("/sys/kernel/mm/transparent_hugepage/enabled");
    if attribute.exists() {
        let seen = pfh_hash(JSON).arg(attribute).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert_eq!(record(&records(&seen), "enabled").digest("sha256"), Some(&sha256_of(attribute)[..]));
    } else {
        eprintln!("skipped: {} does not exist", attribute.display());
    }
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with(File::new("liar", 5_000).states(8_000)).mount().unwrap();
    assert_refused(&pfh_hash(JSON).arg(mounted.file("liar")).run().unwrap(), "liar", "truncated");
}

#[test]
fn a10_a_size_of_two_to_the_62_takes_no_memory() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with(File::new("huge", 5_000).states(1 << 62)).mount().unwrap();
    let seen = pfh_hash(JSON).args(["-m", "4"]).arg(mounted.file("huge")).run().unwrap();
    assert_refused(&seen, "huge", "truncated");
    assert!(seen.peak <= 4 * MIB + beside_the_table(), "{} bytes", seen.peak);
}
