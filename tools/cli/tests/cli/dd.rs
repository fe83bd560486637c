//! `pfh dd` beside the dd of coreutils: the same operands, the same bytes.
#![cfg(unix)]

use crate::program::{Room, digest_by};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::fs;
use std::process::Command;

fn dd(room: &Room, words: &str) -> Outcome {
    let words: Vec<&str> = words.split_whitespace().collect();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).arg("dd").args(words).directory(room.path()).run().unwrap()
}

#[test]
fn standard_output_is_written_from_where_it_stands() {
    let room = Room::new();
    room.file("in", &content(2, 200_000));
    for script in [
        "printf before > OUT; dd if=in bs=4096 >> OUT",
        "(printf before; dd if=in bs=4096; printf between; dd if=in bs=1000 count=3; printf behind) > OUT",
        "printf 'what stays behind' > OUT; dd if=in bs=1 count=4 1<> OUT",
        "dd if=in bs=4096 | cat > OUT",
    ] {
        for (program, out) in [(format!("{} dd", env!("CARGO_BIN_EXE_pfh")), "ours"), ("dd".to_owned(), "theirs")] {
            let script = script.replace("dd ", &format!("{program} ")).replace("OUT", out);
            let run = Trial::new("sh").args(["-c", &script]).directory(room.path()).run().unwrap();
            assert_eq!(run.code, Some(0), "{script}: {}", run.stderr);
        }
        let read = |name: &str| fs::read(room.path().join(name)).unwrap();
        assert!(read("ours") == read("theirs"), "{script}");
    }
}

#[test]
fn the_same_bytes_as_dd() {
    let room = Room::new();
    room.file("in", &content(1, 3_000_001));
    for words in [
        "if=in of=OUT bs=64kB count=16",
        "if=in of=OUT bs=64MB count=16",
        "if=in of=OUT",
        "if=in of=OUT bs=1M skip=1",
        "if=in of=OUT bs=1000 count=7 skip=3 seek=2",
        "if=in of=OUT ibs=3 obs=5 skip=100 seek=100 count=1000",
        "if=in of=OUT bs=4K count=100001 iflag=count_bytes",
        "if=in of=OUT bs=4K skip=77 iflag=skip_bytes",
        "if=in of=OUT bs=4K seek=77 oflag=seek_bytes conv=notrunc",
        "if=in of=OUT bs=4K count=1 conv=notrunc",
        "if=in of=OUT bs=4K count=1",
        "if=in of=OUT bs=512 count=0",
        "if=in of=OUT bs=1M conv=sparse,fsync",
        "if=in of=OUT bs=2x512 count=3",
        "if=in of=OUT bs=10 count=33B",
        "if=in of=OUT bs=4096 ibs=512 count=5",
        "if=in of=OUT ibs=512 obs=100 bs=4096 count=5 skip=2 seek=1",
        "if=in of=OUT conv=sync",
        "if=in of=OUT bs=64K conv=noerror,sync",
        "if=in of=OUT ibs=3000 obs=512 conv=sync count=2 skip=999",
        "if=in of=OUT iflag=noatime bs=1M",
        "if=in of=OUT bs=1M skip=99",
    ] {
        for name in ["ours", "theirs"] {
            room.file(name, &content(2, 500_000));
        }
        // An output that exists is replaced on request only, unlike dd's.
        let seen = dd(&room, &format!("{} --force", words.replace("OUT", "ours")));
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
        let theirs = words.replace("OUT", "theirs");
        let mut command = Command::new("dd");
        let command = command.args(theirs.split_whitespace()).current_dir(room.path()).env("LC_ALL", "C");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{words}");
        let read = |name: &str| fs::read(room.path().join(name)).unwrap();
        assert!(read("ours") == read("theirs"), "{words}");
        let records =
            |text: &str| text.lines().find(|line| line.ends_with("records in")).unwrap_or_default().to_owned();
        assert_eq!(records(&seen.stderr), records(&String::from_utf8_lossy(&output.stderr)), "{words}");
    }
}

/// dd itself copies less from a pipe whose reads are short; the paper's command must copy exactly
/// count blocks.
#[test]
fn short_reads_are_filled_up() {
    let room = Room::new();
    let script = "for i in 1 2 3 4 5 6 7 8; do head -c 1000 /dev/zero | tr '\\0' $i; sleep .02; done | \"$1\" dd of=out bs=3000 count=2";
    let output = Command::new("sh")
        .args(["-c", script, "sh", env!("CARGO_BIN_EXE_pfh")])
        .current_dir(room.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let expected: Vec<u8> = (b'1'..=b'6').flat_map(|digit| [digit; 1000]).collect();
    assert!(fs::read(room.path().join("out")).unwrap() == expected);
    let output = Command::new("sh")
        .args(["-c", "printf abc | \"$1\" dd status=none | cat", "sh", env!("CARGO_BIN_EXE_pfh")])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"abc");
}

#[test]
fn digests_windows_and_logs() {
    let room = Room::new();
    let bytes = content(3, 2_500_000);
    room.file("in", &bytes);
    let seen = dd(
        &room,
        "if=in of=one of=two hof=three ofs=four.000 ofsz=1MB hash=md5,sha256 hash=sha1 hashwindow=1MB hashlog=log errlog=errors status=none",
    );
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    for name in ["one", "two", "three"] {
        assert!(fs::read(room.path().join(name)).unwrap() == bytes, "{name}");
    }
    let split: Vec<u8> = (0..3).flat_map(|n| fs::read(room.path().join(format!("four.{n:03}"))).unwrap()).collect();
    assert!(split == bytes);
    let log = fs::read_to_string(room.path().join("log")).unwrap();
    assert!(log.contains(&format!("Total (md5): {}", digest_by("md5sum", &bytes))), "{log}");
    assert!(log.contains(&format!("Total (sha1): {}", digest_by("sha1sum", &bytes))), "{log}");
    assert!(
        log.contains(&format!("2000000 - 2500000 (sha256): {}", digest_by("sha256sum", &bytes[2_000_000..]))),
        "{log}"
    );
    assert_eq!(fs::read(room.path().join("errors")).unwrap(), b"");
    assert!(seen.stderr.contains("three: equal"), "{}", seen.stderr);
}

#[test]
fn comparing_and_patterns() {
    let room = Room::new();
    let mut bytes = content(4, 3_000_000);
    room.file("in", &bytes);
    room.file("same", &bytes);
    room.file("longer", &[&bytes[..], b"x"].concat());
    bytes[1_500_000] ^= 1;
    room.file("other", &bytes);
    assert_eq!(dd(&room, "if=in vf=same").code, Some(0));
    let seen = dd(&room, "if=in vf=other");
    assert_eq!(seen.code, Some(1), "{}", seen.stderr);
    assert!(seen.stderr.contains("from offset 1048576"), "{}", seen.stderr);
    assert_eq!(dd(&room, "if=in vf=longer").code, Some(1));
    assert_eq!(dd(&room, "pattern=0102 of=filled limit=1000001").code, Some(0));
    let filled = fs::read(room.path().join("filled")).unwrap();
    assert!(filled.len() == 1_000_001 && filled.iter().enumerate().all(|(at, b)| *b == 1 + (at % 2) as u8));
}

#[test]
fn what_is_not_supported_is_an_error() {
    let room = Room::new();
    room.file("in", b"abc");
    for words in [
        "if=in of=out cbs=3",
        "if=in of=out conv=ucase",
        "if=in of=out foo=1",
        "if=in of=out bs=0",
        "if=in of=out oflag=append",
    ] {
        let seen = dd(&room, words);
        assert_eq!(seen.code, Some(2), "{words}: {}", seen.stderr);
        assert!(!room.path().join("out").exists());
    }
    assert_eq!(dd(&room, "if=in of=in conv=notrunc").code, Some(2), "onto itself");
    assert_eq!(dd(&room, "if=missing of=out").code, Some(3));
}

/// dc3dd counts in sectors by other names, and has no form for the blocks of the others.
#[test]
fn sectors_as_dc3dd_counts_them() {
    let room = Room::new();
    let bytes = content(5, 100_000);
    room.file("in", &bytes);
    assert_eq!(dd(&room, "if=in of=out cnt=10 iskip=3 hash=md5 hlog=log").code, Some(0));
    assert!(fs::read(room.path().join("out")).unwrap() == bytes[1536..1536 + 5120]);
    let log = fs::read_to_string(room.path().join("log")).unwrap();
    assert!(log.contains(&digest_by("md5sum", &bytes[1536..6656])), "{log}");
    let seen = dd(&room, "if=in of=other count=3 hash=md5");
    assert_eq!(seen.code, Some(2), "{}", seen.stderr);
    assert!(seen.stderr.contains("bs=32768") && !room.path().join("other").exists(), "{}", seen.stderr);
}

/// The access time of a file is evidence as well.
#[test]
fn access_times_stay() {
    use std::os::unix::fs::MetadataExt;
    let room = Room::new();
    let file = room.file("in", &content(6, 50_000));
    let touched = Command::new("touch").args(["-a", "-d", "2001-02-03T04:05:06Z"]).arg(&file).status().unwrap();
    assert!(touched.success());
    let before = fs::metadata(&file).unwrap().atime();
    assert_eq!(dd(&room, "if=in of=out").code, Some(0));
    let pfh =
        |words: &[&str]| Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap().code;
    assert_eq!(pfh(&["acquire", "in", "--to", "image"]), Some(0));
    assert_eq!(pfh(&["verify", "in"]), Some(3));
    assert_eq!(pfh(&["hash", "--image", "in"]), Some(0));
    assert_eq!(fs::metadata(&file).unwrap().atime(), before);
}

/// D21: on a disk with bad sectors the same bytes as dd, by sectors: up to the first one, all but
/// them, and all with zeros in their places.
#[test]
fn a_bad_disk_gives_the_bytes_that_dd_copies() {
    use crate::program::acquisition::bad_device;
    if lacks(&[Need::Fuse, Need::Loop]) {
        return;
    }
    let room = Room::new();
    // Past the page cache, where dd would lose pages. Sector 5000 begins one.
    let disk = bad_device();
    let name = disk.disk.path().display();
    for (words, code) in [
        ("bs=512 iflag=direct", 4),
        ("bs=512 skip=1 iflag=direct", 4),
        ("bs=512 skip=5001 iflag=direct", 4),
        ("bs=1M skip=1", 4),
        ("bs=512 skip=1 count=100 iflag=direct", 0),
        ("bs=512 conv=noerror iflag=direct", 3),
        ("conv=noerror iflag=direct", 3),
        ("bs=512 conv=noerror skip=100 count=300 iflag=direct", 3),
        ("bs=512 conv=noerror,notrunc seek=3 skip=290 count=80 iflag=direct", 3),
        ("bs=512 conv=noerror,sync iflag=direct", 3),
        ("bs=512 conv=noerror,sync skip=100 count=300 iflag=direct", 3),
    ] {
        for name in ["ours", "theirs"] {
            let _ = fs::remove_file(room.path().join(name));
        }
        let seen = dd(&room, &format!("if={name} of=ours {words}"));
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
        let theirs = format!("if={name} of=theirs {words}");
        let output = Command::new("dd").args(theirs.split_whitespace()).current_dir(room.path()).output().unwrap();
        // With conv=noerror dd calls it a success.
        assert_eq!(output.status.success(), code != 4, "{words}");
        let read = |name: &str| fs::read(room.path().join(name)).unwrap_or_default();
        assert_eq!(read("ours").len(), read("theirs").len(), "{words}: {}", seen.stderr);
        assert!(read("ours") == read("theirs"), "{words}");
    }
    let seen = dd(&room, &format!("if={name} of=left conv=noerror hash=sha256"));
    let bytes = fs::read(room.path().join("left")).unwrap();
    assert!(seen.stderr.contains(&digest_by("sha256sum", &bytes)), "{}", seen.stderr);
    assert!(seen.stderr.contains("sectors 300 - 363") && seen.stderr.contains("sector 16383"), "{}", seen.stderr);
    // Larger blocks: dd loses the good sectors of a block as well.
    let seen = dd(&room, &format!("if={name} of=large conv=noerror bs=64K"));
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(fs::read(room.path().join("large")).unwrap() == bytes);
}
