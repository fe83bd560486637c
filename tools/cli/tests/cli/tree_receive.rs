//! `pfh tree receive`: its rows, its refusals, its files, and that the same command goes on after
//! a death at any of its calls.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, root, text};
use pfh_inject::{Injection, Need, Outcome, Trial, lacks};

const PFH: &str = env!("CARGO_BIN_EXE_pfh");

/// A file of 300,000 bytes, its three parts, and the root of its tree.
fn room() -> (Room, String) {
    let room = Room::new();
    let data = noise(300_000, 65);
    room.file("whole", &data);
    room.file("a", &data[..100_001]);
    room.file("b", &data[100_001..200_000]);
    room.file("c", &data[200_000..]);
    let root = root(&good(&room, ["tree", "build", "whole"]));
    (room, root)
}

const WORDS: [&str; 9] =
    ["tree", "receive", "-o", "file", "200000=c", "0=a", "100001=b", "--receipt-every=1", "--no-progress"];

fn same(room: &Room, one: &str, other: &str) -> bool {
    std::fs::read(room.path().join(one)).unwrap() == std::fs::read(room.path().join(other)).unwrap()
}

/// That the file, its tree and no state are there.
fn assert_whole(room: &Room, what: &str) {
    assert!(same(room, "file", "whole") && same(room, "file.pfhtree", "whole.pfhtree"), "{what}");
    for name in ["file.partial", "file.receipt"] {
        assert!(!room.path().join(name).exists(), "{what}: {name} is left");
    }
}

fn clear(room: &Room) {
    for name in ["file", "file.pfhtree", "file.partial", "file.receipt"] {
        let _ = std::fs::remove_file(room.path().join(name));
    }
}

fn refused(seen: &Outcome, code: i32, sentence: &str) {
    assert!(seen.stderr.contains(sentence), "{sentence}: {seen:?}");
    assert_eq!((seen.code, &*text(seen)), (Some(code), ""), "{seen:?}");
}

#[test]
fn a_row_the_second_command_and_the_sentences() {
    let (room, root) = room();
    assert_eq!(text(&good(&room, WORDS)), format!("{root}  file\n"));
    assert_whole(&room, "the first time");
    let again = pfh(&room, WORDS);
    refused(&again, 2, "--output ");
    assert!(again.stderr.contains("replace it with --force"), "{again:?}");
    let row = json(&good(&room, WORDS.iter().chain(&["--force", "--json"])));
    assert_eq!((&row["type"], &row["root"], &row["received_before"]), (&"received".into(), &root.into(), &0.into()));
    assert_whole(&room, "with --force");
    good(&room, ["tree", "check", "file"]);
    clear(&room);
    room.file("key", &[7; 32]);
    room.file("theirs.pfhtree", b"of somebody else");
    // Some of it now, and the rest by another command from an absolute path.
    let some = pfh(&room, ["tree", "receive", "-o", "file", "--size", "300000", "100001=b"]);
    let missing = "incomplete: 200001 bytes in 2 ranges are missing: 0:100001,200000:100000: there is no root";
    refused(&some, 3, missing);
    let file = room.path().join("file");
    let c = format!("200000={}", room.path().join("c").display());
    let rest = ["tree", "receive", "--json", "-o", file.to_str().unwrap(), "--size", "300000", "0=a", &c];
    let row = json(&good(&room, rest));
    assert_eq!(row["received_before"], 99_999);
    assert_whole(&room, "in two commands");
    for (words, sentence) in [
        ("-o new", "PART (OFFSET[+LENGTH]=SENDER"),
        ("-o new a", "a is not a part"),
        ("-o new 1:5=a", "1:5=a is not a part"),
        ("-o new 0=-", "--size"),
        ("-o new 0=whole --size 299999", "beyond the end"),
        ("-o new 0=- 5=/dev/stdin --size 10", "only once"),
        ("-o whole --force 0=whole", "which is read"),
        ("-o theirs 5=b", "exists and is not empty"),
        ("-o new 0=whole --outboard new", "are the same file"),
        ("-o new 0=whole -m 1KiB", "raise --memory"),
        ("-o new 0=whole --key-file key", "takes no key"),
        ("-o new 0=whole -a kmac256", "--key-file"),
    ] {
        refused(&pfh(&room, ["tree", "receive"].into_iter().chain(words.split(' '))), 2, sentence);
        assert!(!room.path().join("new").exists() && !room.path().join("new.receipt").exists(), "{words}");
    }
    refused(&pfh(&room, ["tree", "receive", "-o", "new", "0=none"]), 3, "none");
}

/// A wrong part is an answer, an altered target an error; neither gives a root.
#[test]
fn what_differs_is_named() {
    let (room, root) = room();
    let size = ["--size", "300000"];
    let with = |words: &[&str]| pfh(&room, ["tree", "receive", "-o", "file"].iter().chain(&size).chain(words));
    refused(&with(&["0=a"]), 3, "missing");
    let mut wrong = std::fs::read(room.path().join("a")).unwrap();
    wrong[70_000] ^= 1;
    room.file("wrong", &wrong);
    refused(&with(&["0=wrong", "100001=b"]), 1, "wrong: byte 70000 of the file differs from the one that came before");
    let partial = room.path().join("file.partial");
    let kept = std::fs::read(&partial).unwrap();
    let mut altered = kept.clone();
    altered[70_000] ^= 1;
    std::fs::write(&partial, altered).unwrap();
    let seen = with(&["100001=b", "200000=c"]);
    refused(&seen, 3, "file.partial: altered since it was received, from byte 65536 on");
    assert!(seen.stderr.contains("remove its receipt and use --force"), "{seen:?}");
    std::fs::write(&partial, kept).unwrap();
    refused(&with(&["100001=b", "-a", "sha256"]), 2, "is not a receipt of this file: of a tree by blake3");
    assert_eq!(text(&with(&["100001=b", "200000=c"])), format!("{root}  file\n"));
    assert_whole(&room, "in the end");
}

/// Standard input, FIFOs and descriptors of the shell.
#[test]
fn streams_of_every_kind() {
    let (room, root) = room();
    for line in [
        "cat a | $0 tree receive -o file --size 300000 0=- 100001=b 200000=c",
        "mkfifo f g; cat a >f & cat c >g & cat b | $0 tree receive -o file 0+100001=f 100001+99999=- 200000+100000=g",
        "$0 tree receive -o file --size 300000 0+100001=/dev/fd/3 100001=b 200000=/dev/fd/4 3<whole 4<c",
        // A stream that overlaps others by all its bytes.
        "cat whole | $0 tree receive -o file --size 300000 200000=c 0=- 0=a",
    ] {
        clear(&room);
        let seen = Trial::new("sh").args(["-ec", line, PFH]).directory(room.path()).run().unwrap();
        assert_eq!((seen.code, &*text(&seen)), (Some(0), &*format!("{root}  file\n")), "{line}: {seen:?}");
        assert_whole(&room, line);
    }
}

/// A signal ends it while it waits, and what came is kept.
#[test]
fn a_signal_ends_it_and_the_same_command_goes_on() {
    if lacks(&[Need::SignalMask]) {
        return;
    }
    let (room, root) = room();
    assert!(Command::new("mkfifo").arg(room.path().join("f")).status().unwrap().success());
    // Open to read as well: nobody closes it.
    let _held = std::fs::File::options().read(true).write(true).open(room.path().join("f")).unwrap();
    let words = ["tree", "receive", "-o", "file", "--size", "300000", "100001=b", "200000=c", "0+100001=f"];
    let trial = Trial::new(PFH).args(words).directory(room.path());
    let seen = trial.signal_once_caught(std::time::Duration::from_millis(300), 2).run().unwrap();
    assert_eq!(seen.code, Some(130), "{seen:?}");
    assert!(seen.stderr.contains("the bytes that came are kept"), "{seen:?}");
    assert!(room.path().join("file.receipt").exists() && !room.path().join("file").exists());
    let again =
        pfh(&room, ["tree", "receive", "--json", "-o", "file", "--size", "300000", "0=a", "100001=b", "200000=c"]);
    assert_eq!(json(&again)["root"], root);
    assert_whole(&room, "after a signal");
}

/// The program dies at any of its calls that change files: the same command gives the root, and
/// nothing has the last name before it is whole.
#[test]
fn a_death_at_any_call_and_the_same_command() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, root) = room();
    let mut died = 0;
    for (call, most) in [
        ("pwrite64", 9),
        ("write", 9),
        ("fsync", 9),
        ("linkat", 3),
        ("renameat,renameat2,rename", 9),
        ("unlinkat,unlink", 2),
        ("ftruncate", 1),
    ] {
        for when in 1..=most {
            clear(&room);
            let inject = format!("inject={call}:signal=SIGKILL:when={when}");
            let seen = Command::new("strace")
                .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject, PFH])
                .args(WORDS)
                .current_dir(room.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
            died += u32::from(!seen.success());
            let what = format!("{call} {when}");
            if room.path().join("file").exists() {
                assert!(same(&room, "file", "whole"), "{what}");
            }
            if seen.success() {
                assert_whole(&room, &what);
                continue;
            }
            let again = pfh(&room, WORDS);
            // It had ended but for its line: the file is there, and is not replaced.
            if again.code == Some(2) && !room.path().join("file.receipt").exists() {
                assert_whole(&room, &what);
                continue;
            }
            assert_eq!((again.code, &*text(&again)), (Some(0), &*format!("{root}  file\n")), "{what}: {again:?}");
            assert_whole(&room, &what);
        }
    }
    assert!(died >= 12, "{died} deaths");
}

/// No room, or a disk that fails: exit 4, no root, and the same command goes on.
#[test]
fn a_target_that_cannot_be_written() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, root) = room();
    let mut injected = 0;
    for (call, errno, when) in [
        ("pwrite64", "ENOSPC", 1),
        ("pwrite64", "EIO", 2),
        ("fallocate", "ENOSPC", 1),
        ("ftruncate", "EFBIG", 1),
        ("fsync", "EIO", 1),
        ("fsync", "EIO", 5),
        ("write", "ENOSPC", 1),
        ("renameat,renameat2,rename", "EROFS", 1),
        ("renameat,renameat2,rename", "EROFS", 3),
    ] {
        clear(&room);
        let trial = Trial::new(PFH).args(WORDS).directory(room.path());
        let seen = trial.inject(Injection::nth(call, errno, when)).run().unwrap();
        if seen.injected == 0 {
            continue;
        }
        injected += 1;
        assert_eq!((seen.code, &*text(&seen)), (Some(4), ""), "{call} {errno}: {seen:?}");
        assert!(!room.path().join("file").exists(), "{call} {errno}");
        let again = pfh(&room, WORDS);
        assert_eq!((again.code, &*text(&again)), (Some(0), &*format!("{root}  file\n")), "{call} {errno}: {again:?}");
        assert_whole(&room, call);
    }
    assert!(injected >= 6, "{injected} calls failed");
}

/// A file system of 200 KiB has no room for the file: that is said before the first byte is read.
#[test]
fn a_full_file_system() {
    if lacks(&[Need::Root]) {
        return;
    }
    let (room, _) = room();
    let small = room.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=200k", "tmpfs"]).arg(&small).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no file system can be mounted");
        return;
    }
    let seen = pfh(&room, ["tree", "receive", "-o", "small/file", "0=whole"]);
    let left = names(&small);
    assert!(Command::new("umount").arg(&small).status().unwrap().success());
    refused(&seen, 4, "No space left on device");
    assert_eq!(left, Vec::<String>::new());
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Sixteen senders in 8 MiB: less than one of them may hold without a bound.
#[test]
fn the_memory_is_bounded() {
    if lacks(&[Need::Peak, Need::SignalMask]) {
        return;
    }
    const PART: u64 = 6 << 20;
    let room = Room::new();
    std::fs::File::create(room.path().join("part")).unwrap().set_len(PART).unwrap();
    let parts = (0..16).map(|number| format!("{}=part", number * PART));
    let words = ["tree", "receive", "-o", "file", "-m", "8", "--no-progress"].map(str::to_owned);
    let seen = Trial::new(PFH).args(words.into_iter().chain(parts)).directory(room.path()).run().unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    let most = crate::program::beside_the_table() + (8 << 20);
    assert!(seen.peak <= most, "{} bytes, at most {most}", seen.peak);
    good(&room, ["tree", "check", "file"]);
}
