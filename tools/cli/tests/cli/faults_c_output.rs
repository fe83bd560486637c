//! Faults of output and of the end of a run, the rows c01 to c13 (docs/tests/faults.md).
#![cfg(unix)]

use std::fs;
use std::time::Duration;

use crate::program::{Room, pfh_hash, sha256};
use pfh_inject::{File, Files, Injection, Need, Outcome, Trial, content, lacks};

/// A tree of `count` small files, and the output of a run over it when nothing fails.
fn tree(count: u64) -> (Room, Vec<u8>) {
    let room = Room::new();
    for number in 0..count {
        room.file(format!("tree/{:02}/{number:06}", number % 20), &content(number, 50 + number % 1000));
    }
    let seen = pfh_hash(["-r", "tree"]).directory(room.path()).run().unwrap();
    assert_eq!((seen.code, seen.lines().len() as u64), (Some(0), count), "{}", seen.stderr);
    (room, seen.stdout)
}

fn assert_no_panic(seen: &Outcome) {
    assert!(seen.code.is_some(), "it hung");
    assert!(!seen.stderr.contains("panicked"), "{}", seen.stderr);
}

/// The directory holds `expected` and nothing else: no half-written file is left.
fn assert_holds(directory: &std::path::Path, expected: &[&str]) {
    let mut names: Vec<String> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, expected);
}

#[test]
fn c01_a_full_device_is_an_aborted_run() {
    let (room, _) = tree(300);
    for format in ["sums", "bsd", "hashdeep", "dfxml", "jsonl", "csv"] {
        let trial = pfh_hash(["-r", "-f", format, "tree"]).directory(room.path()).output("/dev/full");
        let seen = trial.run().unwrap();
        assert_no_panic(&seen);
        assert_eq!(seen.code, Some(4), "{format}: {}", seen.stderr);
        assert!(seen.stderr.contains("incomplete"), "{format}: {}", seen.stderr);
    }
    // One file: less than any buffer holds, so that the failure comes with the last flush.
    let seen = pfh_hash(["tree/00/000000"]).directory(room.path()).output("/dev/full").run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("(ENOSPC); make room, and run it again"), "{}", seen.stderr);
}

#[test]
fn c01_no_space_at_any_write_leaves_no_file() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, _) = tree(2_000);
    let out = room.path().join("out");
    fs::create_dir(&out).unwrap();
    let list = out.join("list");
    let mut injected = 0;
    for errno in ["ENOSPC", "EDQUOT", "EIO"] {
        for nth in 1..=4 {
            // The program writes to few descriptors; those of the output have a name in this
            // directory or none.
            let trial = pfh_hash(["-r", "-o"]).arg(&list).arg("tree").directory(room.path());
            let seen = trial.inject(Injection::nth("write,pwrite64,writev", errno, nth)).run().unwrap();
            assert_no_panic(&seen);
            if seen.injected > 0 && seen.code != Some(0) {
                injected += 1;
                assert_eq!(seen.code, Some(4), "{errno} {nth}: {}", seen.stderr);
                assert_holds(&out, &[]);
            } else {
                assert_eq!(seen.code, Some(0), "{errno} {nth}: {}", seen.stderr);
                assert_eq!(fs::read(&list).unwrap().split(|&byte| byte == b'\n').count(), 2_001);
                fs::remove_file(&list).unwrap();
            }
        }
    }
    assert!(injected > 0, "no write failed");
}

#[test]
fn c02_limits_quotas_and_read_only_places() {
    let (room, _) = tree(500);
    let out = room.path().join("out");
    fs::create_dir(&out).unwrap();
    if !lacks(&[Need::Program("prlimit")]) {
        let trial = pfh_hash(["-r", "-o"]).arg(out.join("list")).arg("tree").directory(room.path());
        let seen = trial.under(["prlimit", "--fsize=4096", "--core=0"]).run().unwrap();
        assert_no_panic(&seen);
        // EFBIG is an error, its signal an end: neither is a success, and neither leaves a list.
        assert!([Some(4), Some(128 + 25)].contains(&seen.code), "{:?} {}", seen.code, seen.stderr);
        assert!(!out.join("list").exists());
    }
    if lacks(&[Need::Fuse]) {
        return;
    }
    let mounted = Files::new().with(File::new("there", 10)).mount().unwrap();
    for name in ["new", "there"] {
        let seen =
            pfh_hash(["-r", "--force", "-o"]).arg(mounted.file(name)).arg("tree").directory(room.path()).run().unwrap();
        assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    }
}

#[test]
fn c02_no_inode_left_for_the_output() {
    if lacks(&[Need::Root, Need::Program("unshare")]) {
        return;
    }
    let (room, _) = tree(50);
    let out = room.path().join("out");
    fs::create_dir(&out).unwrap();
    // The mount is private to the run: one inode, which the root directory takes.
    let script = "mount -t tmpfs -o nr_inodes=1 none out && exec \"$@\"";
    let trial = pfh_hash(["-r", "--force", "-o", "out/list", "tree"]).directory(room.path());
    let seen = trial.under(["unshare", "-m", "sh", "-c", script, "sh"]).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
}

#[test]
fn c03_interrupted_writes_are_completed() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, plain) = tree(2_000);
    let storm = Injection::every_second("write,pwrite64,writev", "EINTR");
    let seen = pfh_hash(["-r", "tree"]).directory(room.path()).inject(storm).run().unwrap();
    assert!(seen.injected > 0);
    assert_eq!((seen.code, seen.stdout == plain), (Some(0), true), "{}", seen.stderr);
}

#[test]
fn c04_a_failed_fsync_or_close_is_no_success() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, _) = tree(50);
    let out = room.path().join("out");
    fs::create_dir(&out).unwrap();
    for (calls, errno) in
        [("fsync,fdatasync", "EIO"), ("fsync,fdatasync", "ENOSPC"), ("rename,renameat,renameat2,linkat", "EIO")]
    {
        let trial = pfh_hash(["-r", "-o"]).arg(out.join("list")).arg("tree").directory(room.path());
        let seen = trial.inject(Injection::nth(calls, errno, 1)).run().unwrap();
        assert!(seen.injected > 0, "{calls} was never called");
        assert_eq!(seen.code, Some(4), "{calls} {errno}: {}", seen.stderr);
        assert_holds(&out, &[]);
    }
    // The list appears under its name or not at all, and an old one stays.
    fs::write(out.join("list"), "old").unwrap();
    let trial = pfh_hash(["-r", "--force", "-o"]).arg(out.join("list")).arg("tree").directory(room.path());
    let seen = trial.inject(Injection::nth("fsync,fdatasync", "EIO", 1)).run().unwrap();
    assert_eq!(seen.code, Some(4));
    assert_eq!(fs::read(out.join("list")).unwrap(), b"old");
    assert_holds(&out, &["list"]);
}

#[test]
fn c05_a_reader_that_goes_away_ends_the_run_quietly() {
    let (room, plain) = tree(3_000);
    let script = "{ \"$@\"; echo $? >code; } | head -n 1";
    let trial = pfh_hash(["-r", "tree"]).directory(room.path()).under(["sh", "-c", script, "sh"]);
    let seen = trial.run().unwrap();
    assert_no_panic(&seen);
    assert_eq!(seen.stdout, plain[..seen.stdout.len()]);
    assert_eq!(fs::read_to_string(room.path().join("code")).unwrap().trim(), "141", "128 + SIGPIPE");
    assert_eq!(seen.stderr, "");
}

#[test]
fn c06_a_signal_ends_with_whole_records() {
    let (room, plain) = tree(6_000);
    let mut cut = 0;
    for (number, code) in [(2, 130), (15, 143), (1, 129)] {
        for delay in [0, 2, 5, 10, 15, 20, 30, 40, 60, 80, 120, 200] {
            let trial = pfh_hash(["-r", "tree"]).directory(room.path());
            let seen =
                trial.signal(Duration::from_millis(delay), number).limit(Duration::from_secs(120)).run().unwrap();
            assert_no_panic(&seen);
            assert!(plain.starts_with(&seen.stdout), "not a prefix after {delay} ms");
            assert!(seen.stdout.is_empty() || seen.stdout.ends_with(b"\n"), "half a record after {delay} ms");
            if seen.code == Some(0) {
                assert_eq!(seen.stdout.len(), plain.len());
            } else {
                cut += 1;
                assert_eq!(seen.code, Some(code), "{}", seen.stderr);
            }
        }
    }
    assert!(cut > 0, "every run had ended before its signal");
}

#[test]
fn c06_a_signal_ends_a_run_that_waits() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let room = Room::new();
    let pipe = room.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open for writing, so that its reader neither meets the end nor ever gets a byte.
    let held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    for (number, code) in [(2, 130), (15, 143)] {
        let trial = pfh_hash(["--special"]).arg(&pipe).signal_once_caught(Duration::from_millis(200), number);
        let seen = trial.limit(Duration::from_secs(120)).run().unwrap();
        assert_eq!((seen.code, &seen.stdout[..]), (Some(code), &b""[..]), "{}", seen.stderr);
    }
    drop(held);
}

#[test]
fn c06_an_interrupted_output_file_does_not_appear() {
    let (room, _) = tree(6_000);
    let out = room.path().join("out");
    fs::create_dir(&out).unwrap();
    let mut cut = 0;
    for delay in [1, 5, 10, 20, 40] {
        let trial = pfh_hash(["-r", "-o"]).arg(out.join("list")).arg("tree").directory(room.path());
        let seen = trial.signal(Duration::from_millis(delay), 15).run().unwrap();
        if seen.code == Some(0) {
            fs::remove_file(out.join("list")).unwrap();
        } else {
            cut += 1;
            assert_eq!(seen.code, Some(143));
        }
        assert_holds(&out, &[]);
    }
    assert!(cut > 0, "every run had ended before its signal");
}

#[test]
fn c12_the_output_is_not_written_over_an_input() {
    let room = Room::new();
    let path = room.file("evidence", b"evidence");
    let seen = pfh_hash(["-o"]).arg(&path).arg(&path).run().unwrap();
    assert_ne!(seen.code, Some(0));
    assert_eq!(fs::read(&path).unwrap(), b"evidence");
}

#[test]
fn an_honest_run_would_be_taken_for_one() {
    // The same checks on a program that ignores its write errors: they see it.
    let room = Room::new();
    room.file("file", b"file");
    let seen = Trial::new("sh").args(["-c", "echo x 2>/dev/null; exit 0"]).output("/dev/full").run().unwrap();
    assert_eq!(seen.code, Some(0), "a shell that does not look at its writes ends well on a full device");
    let seen = Trial::new("sha256sum").arg(room.path().join("file")).run().unwrap();
    assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(b"file")));
}

/// A device named as output is written to; a file in its place would break the machine.
#[test]
fn c13_devices_and_links_are_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let room = Room::new();
    let file = room.file("file", b"content");
    if !lacks(&[Need::Root]) {
        // Nodes of the test's own: a failure must not cost the machine its /dev/null.
        for (name, minor, code) in [("null", "3", 0), ("full", "7", 4)] {
            let node = room.path().join(name);
            assert!(std::process::Command::new("mknod").arg(&node).args(["c", "1", minor]).status().unwrap().success());
            if fs::OpenOptions::new().write(true).open(&node).is_err() {
                return println!("skipped: devices in the temporary directory do not open (nodev)");
            }
            let seen = pfh_hash(["-o"]).arg(&node).arg(&file).run().unwrap();
            assert_eq!(seen.code, Some(code), "{name}: {}", seen.stderr);
            assert!(fs::symlink_metadata(&node).unwrap().file_type().is_char_device(), "{name}");
        }
        let map = room.path().join("null");
        let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["acquire", "--no-progress", "--map"])
            .arg(&map)
            .arg("--to")
            .arg(room.path().join("image"))
            .arg(&file)
            .run()
            .unwrap();
        assert_eq!(seen.code, Some(2), "{}", seen.stderr);
        assert!(fs::symlink_metadata(&map).unwrap().file_type().is_char_device());
    }
    let link = room.path().join("link");
    std::os::unix::fs::symlink("target", &link).unwrap();
    room.file("target", b"old");
    let seen = pfh_hash(["--force", "-o"]).arg(&link).arg(&file).run().unwrap();
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(room.path().join("target")).unwrap().starts_with(&sha256(b"content")));
}
