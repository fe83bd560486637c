//! sdhash's segments: a file of more than 128 MiB has a digest for each 128 MiB, written, checked
//! and compared as its tool does.

use crate::program::{Room, random};
use pfh_inject::{Need, Outcome, Trial, lacks};
use std::fs::File;
use std::os::unix::fs::FileExt;

const MIB: u64 = 1 << 20;

fn run(room: &Room, arguments: &[&str]) -> Outcome {
    let (command, rest) = arguments.split_first().expect("a command");
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args([command, "--no-progress"]).args(rest);
    trial.directory(room.path()).run().expect("a run")
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).expect("UTF-8")
}

/// A file of this length, random at its beginning and from 128 MiB on, and nothing between.
fn sparse(room: &Room, name: &str, length: u64) {
    room.file(name, b"");
    let file = File::options().write(true).open(room.path().join(name)).expect("a file");
    file.write_all_at(&random(1, 100_000), 0).expect("written");
    if length > 128 * MIB {
        file.write_all_at(&random(2, 200_000), 128 * MIB).expect("written");
    }
    file.set_len(length).expect("a length");
}

/// Names and the rest of the lines of an sdbf list, which begins with `sdbf-dd:03:LENGTH:`.
fn lines(list: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let mut fields = line.splitn(5, ':').skip(3);
        let name = fields.next().expect("a name").to_owned();
        (name, fields.next().expect("a digest").to_owned())
    };
    list.lines().map(line).collect()
}

#[test]
fn a_file_of_several_segments_comes_back_as_one() {
    if lacks(&[Need::Time]) {
        return;
    }
    let room = Room::new();
    sparse(&room, "t/big", 129 * MIB);
    sparse(&room, "t/head", 128 * MIB);
    let mut tail = random(2, 200_000);
    tail.resize(MIB as usize, 0);
    room.file("t/tail", &tail);
    let list = |algorithm: &str, path: &str| {
        let seen = run(&room, &["hash", "-a", algorithm, "-f", "sdbf", path]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        text(&seen)
    };
    // Each segment has the digest that its bytes alone have.
    let written = list("sdhash", "t/big");
    let (big, head, tail) = (lines(&written), lines(&list("sdhash", "t/head")), lines(&list("sdhash-dd", "t/tail")));
    assert_eq!(big.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["t/big.0000M", "t/big.0128M"]);
    assert_eq!((head[0].0.as_str(), &head[0].1), ("t/head", &big[0].1));
    assert!(big[1].1.starts_with("1048576:sha1:") && tail[0].1 == big[1].1);
    // Every format is checked as one file, and compared in segments with the same pairs.
    let seen = run(&room, &["hash", "-a", "sdhash", "-f", "sdbf", "-o", "part.sdbf", "t/tail"]);
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let mut pairs = Vec::new();
    for form in ["sdbf", "jsonl", "csv", "sums"] {
        let name = format!("list.{form}");
        let seen = run(&room, &["hash", "-a", "sdhash", "-f", form, "-o", &name, "t/big"]);
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let seen = run(&room, &["check", &name]);
        assert_eq!(seen.code, Some(0), "{form}: {}", seen.stderr);
        let seen = run(&room, &["compare", "-a", "sdhash", "-f", "csv", &name, "part.sdbf"]);
        assert_eq!(seen.code, Some(0), "{form}: {}", seen.stderr);
        pairs.push(text(&seen));
    }
    let seen = run(&room, &["compare", "-a", "sdhash", "-f", "csv", "t/big", "t/tail"]);
    pairs.push(text(&seen));
    assert!(pairs[0].contains("t/big.0128M,t/tail,sdhash,") && !pairs[0].contains("0000M"), "{}", pairs[0]);
    assert!(pairs.iter().all(|found| *found == pairs[0]), "{pairs:?}");
    // A file in a list, and a list's segment by a file.
    let seen = run(&room, &["match", "--similar", "list.sdbf", "t/tail"]);
    assert!(seen.code == Some(0) && text(&seen).contains("t/tail|t/big.0128M|"), "{} {}", text(&seen), seen.stderr);
    let seen = run(&room, &["match", "--similar", "part.sdbf", "t/big"]);
    assert!(seen.code == Some(0) && text(&seen).contains("t/big|t/tail|"), "{} {}", text(&seen), seen.stderr);
    // A list that lacks a segment is not a good word for the file.
    for (number, line) in written.lines().enumerate() {
        room.file("cut.sdbf", format!("{line}\n").as_bytes());
        let seen = run(&room, &["check", "cut.sdbf"]);
        assert!(seen.code != Some(0), "{number}: {}", text(&seen));
    }
    // A change in the first segment is found, and in the second one.
    let file = File::options().write(true).open(room.path().join("t/big")).expect("a file");
    for at in [5_000, 128 * MIB + 5_000] {
        file.write_all_at(&random(9, 3_000), at).expect("written");
        let seen = run(&room, &["check", "list.sdbf"]);
        assert_eq!(seen.code, Some(1), "{}", seen.stderr);
        file.write_all_at(&random(if at == 5_000 { 1 } else { 2 }, 100_000), at - 5_000).expect("written");
    }
    assert_eq!(run(&room, &["check", "list.sdbf"]).code, Some(0));
}
