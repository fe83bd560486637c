//! Rows A11 to A24 of the fault matrix (docs/tests/faults.md): files that change under the read,
//! and calls that fail beside it.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::program::{MIB, Room, assert_refused, beside_the_table, pfh_hash, record, records, sha256, sha256_of};
use pfh_inject::{Errno, File, Files, Injection, Need, Trial, content, lacks};

const JSON: [&str; 2] = ["-f", "jsonl"];

/// Runs `disturb` over and over in another thread while `observe` runs.
fn meanwhile<T>(disturb: impl Fn() + Sync, observe: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                disturb();
            }
        });
        // Set even when `observe` panics: the scope would wait for the thread forever.
        struct Set<'a>(&'a AtomicBool);
        impl Drop for Set<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let _set = Set(&done);
        observe()
    })
}

#[test]
fn a11_a_file_truncated_while_read_has_no_digest_of_a_mixture() {
    let room = Room::new();
    let bytes = content(11, 8 * MIB);
    let path = room.file("shrinks", &bytes);
    let (whole, half) = (sha256(&bytes), sha256(&bytes[..4 << 20]));
    let mut refused = 0;
    meanwhile(
        || {
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4 * MIB).unwrap();
            std::thread::sleep(Duration::from_millis(3));
            fs::write(&path, &bytes).unwrap();
        },
        || {
            for _ in 0..60 {
                let seen = pfh_hash(JSON).arg(&path).run().unwrap();
                let lines = records(&seen);
                let line = record(&lines, "shrinks");
                match line.digest("sha256") {
                    // Between two disturbances the file is at rest, with a length that is being
                    // rewritten or whole.
                    Some(digest) => {
                        let size = line.0["size"].as_u64().unwrap() as usize;
                        let expected = match size {
                            s if s == bytes.len() => whole.clone(),
                            s if s == 4 << 20 => half.clone(),
                            s => sha256(&bytes[..s]),
                        };
                        assert_eq!(digest, expected, "{line:?}");
                    }
                    None => {
                        refused += 1;
                        assert_eq!(seen.code, Some(3));
                        assert!(["changed", "truncated"].contains(&line.code()), "{line:?}");
                    }
                }
            }
        },
    );
    assert!(refused > 0, "no read met the change: the test saw nothing");
}

#[test]
fn a12_a_growing_file_is_a_changed_record() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with(File::new("grows", MIB).grows(4096)).mount().unwrap();
    assert_refused(&pfh_hash(JSON).arg(mounted.file("grows")).run().unwrap(), "grows", "changed");
}

#[test]
fn a13_a_rewrite_of_the_same_size_is_seen_by_ctime() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    // Size and modification time are as before: only the inode's change time tells.
    let mounted = Files::new().with(File::new("rewritten", MIB).is_rewritten()).mount().unwrap();
    assert_refused(&pfh_hash(JSON).arg(mounted.file("rewritten")).run().unwrap(), "rewritten", "changed");
}

#[test]
fn a14_a_replaced_file_gives_one_of_its_two_contents() {
    let room = Room::new();
    let (one, two) = (content(1, 300_000), content(2, 200_000));
    let expected = [sha256(&one), sha256(&two)];
    let path = room.path().join("name");
    fs::write(&path, &one).unwrap();
    meanwhile(
        || {
            for (name, bytes) in [("two", &two), ("one", &one)] {
                let other = room.path().join(name);
                fs::write(&other, bytes).unwrap();
                fs::rename(&other, &path).unwrap();
            }
        },
        || {
            for _ in 0..60 {
                let seen = pfh_hash(JSON).arg(&path).run().unwrap();
                let lines = records(&seen);
                let line = record(&lines, "name");
                match line.digest("sha256") {
                    Some(digest) => {
                        let which = expected.iter().position(|known| known == digest).expect("one of the two");
                        assert_eq!(line.0["size"].as_u64(), Some([300_000, 200_000][which]), "{line:?}");
                    }
                    // An unlinked inode's ctime changes: refusing it is right as well.
                    None => assert_eq!((seen.code, line.code()), (Some(3), "changed"), "{line:?}"),
                }
            }
        },
    );
}

#[test]
fn a15_a_directory_swapped_for_a_link_leads_nowhere_outside() {
    the_tree_is_never_left(200, |pfh| pfh);
}

#[test]
fn a25_nor_does_it_without_openat2() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    the_tree_is_never_left(60, |pfh| pfh.inject(Injection::always("openat2", "ENOSYS")));
}

/// Runs, each shaped by `shape`, over a tree one of whose directories is a link out of it from time
/// to time.
fn the_tree_is_never_left(runs: usize, shape: impl Fn(Trial) -> Trial) {
    let room = Room::new();
    // The same names on both sides, and enough of them: the names listed inside are opened, through
    // the link, outside.
    for number in 0..300 {
        room.file(format!("outside/{number}"), b"secret");
        room.file(format!("tree/dir/{number}"), b"inside");
    }
    let secret = sha256(b"secret");
    let (dir, kept, link) = (room.path().join("tree/dir"), room.path().join("kept"), room.path().join("link"));
    symlink(room.path().join("outside"), &link).unwrap();
    meanwhile(
        || {
            fs::rename(&dir, &kept).unwrap();
            fs::rename(&link, &dir).unwrap();
            fs::rename(&dir, &link).unwrap();
            fs::rename(&kept, &dir).unwrap();
        },
        || {
            for _ in 0..runs {
                let seen = shape(pfh_hash(JSON).arg("-r").arg(room.path().join("tree"))).run().unwrap();
                assert!([Some(0), Some(3)].contains(&seen.code), "{}", seen.stderr);
                assert!(!String::from_utf8_lossy(&seen.stdout).contains(&secret), "left the tree");
            }
        },
    );
}

#[test]
fn a16_a18_a22_files_are_neither_mapped_nor_skipped_nor_read_around_the_cache() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    let path = room.file("file", &content(16, 3_000_000));
    let log = room.path().join("calls");
    // Only calls on this file are logged.
    let seen = pfh_hash(JSON)
        .arg(&path)
        .under(["strace".as_ref(), "-f".as_ref(), "-o".as_ref(), log.as_os_str(), "-P".as_ref(), path.as_os_str()])
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let calls = fs::read_to_string(&log).unwrap();
    assert!(calls.contains("openat"), "{calls}");
    // One question about holes that has no answer: it is there to wait for a writer's lock
    // (`os::settle`).
    let waits = |line: &&str| line.contains(&format!("{}, SEEK_DATA) = -1 ENXIO", i64::MAX));
    let calls: String = calls.lines().filter(|line| !waits(line)).collect();
    for forbidden in ["mmap(", "SEEK_DATA", "SEEK_HOLE", "O_DIRECT", "O_RDWR", "O_WRONLY", "write("] {
        assert!(!calls.contains(forbidden), "{forbidden} in {calls}");
    }
}

#[test]
fn a17_a_sparse_file_is_read_as_its_logical_bytes() {
    let room = Room::new();
    let path = room.path().join("sparse");
    fs::File::create(&path).unwrap().set_len(512 * MIB).unwrap();
    let seen = pfh_hash(JSON).args(["-m", "8"]).arg(&path).run().unwrap();
    assert_eq!(record(&records(&seen), "sparse").digest("sha256"), Some(&sha256_of(&path)[..]));
    if lacks(&[Need::Peak]) {
        return;
    }
    assert!(seen.peak <= 8 * MIB + beside_the_table(), "{} bytes", seen.peak);
}

#[test]
fn a19_a_stalled_read_keeps_nobody_else_waiting() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    // FUSE lets a process whose read it holds go only with the answer: a stall that ends, long
    // after the time allowed. The good files are served by threads of this process, which a busy
    // machine may hold up as well: they get more time than that takes.
    let mut files = Files::new().with(File::new("stalled", MIB).stalls_at(300_000, Duration::from_secs(20)));
    for number in 0..20 {
        files = files.with(File::new(format!("good-{number}"), 10_000));
    }
    let mounted = files.mount().unwrap();
    let seen = pfh_hash(JSON).args(["-r", "--stall-timeout", "5"]).arg(mounted.path()).run().unwrap();
    assert_refused(&seen, "stalled", "stalled");
    assert_eq!(records(&seen).iter().filter(|line| line.kind() == "file").count(), 20);
}

#[test]
#[ignore = "reads 5 GiB twice: `make large`"]
fn a20_large_files_beyond_4_gib() {
    let room = Room::new();
    let path = room.path().join("large");
    let file = fs::File::create(&path).unwrap();
    file.set_len(5 << 30).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"the end", (5 << 30) - 7).unwrap();
    let seen = pfh_hash(JSON).arg(&path).limit(Duration::from_secs(900)).run().unwrap();
    assert_eq!(record(&records(&seen), "large").digest("sha256"), Some(&sha256_of(&path)[..]));
}

#[test]
fn a23_advice_that_fails_is_only_advice() {
    injected_calls_do_no_harm("fadvise64", &["EINVAL", "ENOSYS"]);
}

#[test]
fn a24_without_io_uring_plain_reads_do() {
    injected_calls_do_no_harm("io_uring_setup", &["ENOSYS", "EPERM", "ENOMEM"]);
}

#[test]
fn a25_without_openat2_openat_does() {
    injected_calls_do_no_harm("openat2", &["ENOSYS", "EPERM"]);
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    // An operand is the first that is opened, and with O_NOATIME: no listing has met the refusal
    // before.
    let room = Room::new();
    let path = room.file("operand", b"operand");
    for errno in ["ENOSYS", "EPERM"] {
        let seen = pfh_hash(["-a", "sha256"]).arg(&path).inject(Injection::always("openat2", errno)).run().unwrap();
        assert_eq!(seen.code, Some(0), "{errno}: {}", seen.stderr);
        assert!(seen.stdout.starts_with(sha256_of(&path).as_bytes()), "{errno}");
    }
}

/// Whether or not the program makes these calls: when they fail, the digests are as they are
/// without.
fn injected_calls_do_no_harm(calls: &str, errnos: &[&str]) {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("{number}"), &content(number, 1000 + number * 40_000));
    }
    let plain = pfh_hash(["-r"]).arg(room.path()).run().unwrap();
    assert_eq!((plain.code, plain.lines().len()), (Some(0), 40));
    for errno in errnos {
        let seen = pfh_hash(["-r"]).arg(room.path()).inject(Injection::always(calls, errno)).run().unwrap();
        assert_eq!((seen.code, &seen.stdout), (Some(0), &plain.stdout), "{calls} {errno}: {}", seen.stderr);
    }
}

#[test]
fn a_program_that_hangs_would_be_noticed() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    // The same stall, met by a program without a time limit of its own.
    let stalled = File::new("stalled", 100).stalls_at(0, Duration::from_secs(5));
    let mounted = Files::new().with(stalled).with(File::new("eio", 10).fails_in(0..1, Errno::EIO)).mount().unwrap();
    let seen = Trial::new("cat").arg(mounted.file("stalled")).limit(Duration::from_millis(300)).run().unwrap();
    assert_eq!(seen.code, None);
    let seen = Trial::new("cat").arg(mounted.file("eio")).run().unwrap();
    assert_eq!(seen.code, Some(1));
}
