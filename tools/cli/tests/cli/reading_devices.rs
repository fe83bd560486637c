//! How files are read off a device: one reader on a rotational disk, rings elsewhere, and rings
//! that fail.
#![cfg(unix)]

use crate::program::{MIB, Room, pfh_hash};
use pfh_inject::{Injection, Loop, Need, Outcome, Trial, content, lacks};
use std::fs;
use std::process::Command;

/// Bytes of each file: few enough to be read together with others where that is done.
const SIZE: usize = 200_000;

/// The log of strace over a run on a file system on a loop device.
struct Seen {
    outcome: Outcome,
    /// Most reads of its files that were under way at the same time.
    reads_at_once: usize,
    /// Bytes that came from them by plain reads.
    bytes: usize,
    rings: usize,
}

/// A file system of 40 files on a loop device that says of itself that it is rotational, or that it
/// is not.
fn traced(room: &Room, rotational: bool, mode: &str) -> Seen {
    traced_as(room, rotational, &["hash", "--no-progress", "-r", "--mode", mode, "-p", "6", "-t", "2", "."])
}

/// The same with these words.
fn traced_as(room: &Room, rotational: bool, words: &[&str]) -> Seen {
    let disk = Loop::attach(&room.path().join("disk"), &["-r"]).unwrap();
    let name = disk.path().file_name().unwrap().to_str().unwrap();
    fs::write(format!("/sys/block/{name}/queue/rotational"), if rotational { "1" } else { "0" }).unwrap();
    let (log, place) = (room.path().join("log"), room.path().join("mounted"));
    fs::create_dir_all(&place).unwrap();
    // The mount is private to the run and ends with it; its pages are those of no other.
    let script = "mount -o ro,noload \"$1\" \"$2\" && cd \"$2\" && log=$3 && shift 3 && \
                  exec strace -f -y -qq -e trace=read,pread64,io_uring_setup,io_uring_enter -o \"$log\" \"$@\"";
    let outcome = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(words)
        .under(["unshare", "-m", "sh", "-c", script, "sh"].iter().map(std::ffi::OsStr::new).chain([
            disk.path().as_os_str(),
            place.as_os_str(),
            log.as_os_str(),
        ]))
        .run()
        .unwrap();
    let text = String::from_utf8_lossy(&fs::read(&log).unwrap()).into_owned();
    // A read that another thread's call interrupts stands in two lines: `PID read(4</…>,
    // <unfinished ...>`, `PID <... read resumed>`.
    let below = format!("<{}/", place.display());
    let (mut under_way, mut most, mut bytes) = (Vec::new(), 0, 0);
    let came =
        |line: &str| line.rsplit_once(" = ").and_then(|(_, came)| came.trim().parse::<usize>().ok()).unwrap_or(0);
    for line in text.lines() {
        let (pid, call) = line.split_once(char::is_whitespace).unwrap();
        let call = call.trim_start();
        if (call.starts_with("read(") || call.starts_with("pread64(")) && call.contains(&below) {
            most = most.max(under_way.len() + 1);
            match call.contains("<unfinished") {
                true => under_way.push(pid),
                false => bytes += came(call),
            }
        } else if (call.starts_with("<... read resumed") || call.starts_with("<... pread64 resumed"))
            && under_way.contains(&pid)
        {
            under_way.retain(|reader| *reader != pid);
            bytes += came(call);
        }
    }
    let rings = text.lines().filter(|line| line.contains("io_uring_enter")).count();
    Seen { outcome, reads_at_once: most, bytes, rings }
}

#[test]
fn a_rotational_disk_has_one_reader_at_a_time() {
    if lacks(&[Need::Root, Need::Loop, Need::Program("strace"), Need::Program("mkfs.ext4"), Need::Program("unshare")]) {
        return;
    }
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("d/{number:02}"), &content(number, SIZE as u64));
    }
    fs::File::create(room.path().join("disk")).unwrap().set_len(64 * MIB).unwrap();
    let made = Command::new("mkfs.ext4")
        .args(["-q", "-d"])
        .args([room.path().join("d"), room.path().join("disk")])
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let expected = pfh_hash(["-r", "."]).directory(room.path().join("d")).run().unwrap();
    for mode in ["adaptive", "mtp", "smt"] {
        let seen = traced(&room, true, mode);
        assert!(seen.outcome.code == Some(0) && seen.outcome.stdout == expected.stdout, "{}", seen.outcome.stderr);
        assert_eq!(seen.reads_at_once, 1, "{mode}");
        // A ring opens the first files of each of eight readers, which shows the device that they
        // are on, and is not used again.
        assert!(seen.rings <= 8, "{mode}: {} calls of rings", seen.rings);
        assert_eq!(seen.bytes, 40 * SIZE, "{mode}");
        assert!(seen.outcome.stderr.contains("note: readers took turns: the device says"), "{}", seen.outcome.stderr);
    }
    // Nothing is explained that was not asked for.
    let plain = traced_as(&room, true, &["hash", "--no-progress", "-r", "."]);
    assert!(plain.reads_at_once == 1 && plain.outcome.stderr.is_empty(), "{}", plain.outcome.stderr);
    // In the paper's form as many read at once as it asks for, on this disk too.
    for readers in [["-t", "8", "-p", "2"], ["-t", "8", "-p", "0"]] {
        let words = [["-d", ".", "-r", "-h", "sha256"].as_slice(), &readers, &["--no-progress"]].concat();
        let overlaps = (0..20).any(|_| {
            let seen = traced_as(&room, true, &words);
            assert!(seen.outcome.code == Some(0) && seen.outcome.stderr.is_empty(), "{}", seen.outcome.stderr);
            seen.reads_at_once > 1
        });
        assert!(overlaps, "{readers:?}");
    }
    // Elsewhere reads do overlap, sooner or later: otherwise nothing was seen above.
    let overlaps = (0..20).any(|_| {
        let seen = traced(&room, false, "mtp");
        assert!(seen.outcome.code == Some(0) && seen.outcome.stdout == expected.stdout, "{}", seen.outcome.stderr);
        seen.reads_at_once > 1
    });
    assert!(overlaps);
}

/// 40 files, and the output of a run over them.
fn small_files() -> (Room, Vec<u8>) {
    let room = Room::new();
    for number in 0..40 {
        room.file(format!("d/{number}"), &content(number, 1000 + number * 4000));
    }
    let plain = pfh_hash(["-r", "--io", "plain"]).arg(room.path().join("d")).run().unwrap();
    assert_eq!((plain.code, plain.lines().len()), (Some(0), 40));
    (room, plain.stdout)
}

#[test]
fn a_ring_that_is_short_of_something_goes_on() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, expected) = small_files();
    for errno in ["EINTR", "EAGAIN", "EBUSY"] {
        for nth in [1, 2] {
            let injection = Injection::nth("io_uring_enter", errno, nth);
            let seen = pfh_hash(["-r"]).arg(room.path().join("d")).inject(injection).run().unwrap();
            assert!(seen.code == Some(0) && seen.stdout == expected, "{errno} {nth}: {}", seen.stderr);
            if seen.injected == 0 {
                eprintln!("not seen: the {nth}. call of io_uring_enter (no rings here, or fewer calls)");
            }
        }
    }
}

/// A ring that the kernel refuses has taken nothing: plain reads do its work, and nobody sees a
/// difference.
#[test]
fn a_ring_that_breaks_is_done_without() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, expected) = small_files();
    for errno in ["EIO", "ENOMEM", "EINTR", "EBUSY", "EBADF"] {
        for nth in [1, 2] {
            let trial = pfh_hash(["-r", "--io", "uring"]).arg(room.path().join("d"));
            let seen = trial.inject(Injection::from("io_uring_enter", errno, nth)).run().unwrap();
            if seen.injected == 0 {
                eprintln!("not seen: the {nth}. call of io_uring_enter (no rings here, or fewer calls)");
            }
            assert!(seen.code == Some(0) && seen.stdout == expected, "{errno} {nth}+: {:?} {}", seen.code, seen.stderr);
        }
    }
}
