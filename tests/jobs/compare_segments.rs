//! sdhash's segments: a file of more than 128 MiB has a digest for each 128 MiB, written, checked
//! and compared as its tool does.

use crate::check::{Ended, run};
use crate::compare::{good, names};
use crate::room::{Room, write_at};
use crate::rows::{algorithms, input, list};
#[cfg(feature = "known")]
use pfh::Control;
use pfh::check::Verdict;
use pfh::{Input, check, compare};
use pfh_inject::{Need, lacks, random};
use std::fs::File;

const MIB: u64 = 1 << 20;

/// A file of this length, random at its beginning and from 128 MiB on, and nothing between.
fn sparse(room: &Room, name: &str, length: u64) {
    let file = File::options().write(true).open(room.file(name, "")).unwrap();
    write_at(&file, &random(1, 100_000), 0);
    if length > 128 * MIB {
        write_at(&file, &random(2, 200_000), 128 * MIB);
    }
    file.set_len(length).unwrap();
}

/// Names and the rest of the lines of an sdbf list, which begins with `sdbf-dd:03:LENGTH:`.
fn lines(room: &Room, by: &str, name: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(list(room, "one.sdbf", by, "sdbf", &[name])).unwrap();
    let line = |line: &str| {
        let mut fields = line.splitn(4, ':').skip(2);
        let length: usize = fields.next().unwrap().parse().unwrap();
        let (name, rest) = fields.next().unwrap().split_at(length);
        (crate::compare::base(name.as_bytes()), rest[1..].to_owned())
    };
    text.lines().map(line).collect()
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
    // Each segment has the digest that its bytes alone have.
    let (head, tail) = (lines(&room, "sdhash", "t/head"), lines(&room, "sdhash-dd", "t/tail"));
    let big = lines(&room, "sdhash", "t/big");
    assert_eq!(big.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["big.0000M", "big.0128M"]);
    assert_eq!((head[0].0.as_str(), &head[0].1), ("head", &big[0].1));
    assert!(big[1].1.starts_with("1048576:sha1:") && tail[0].1 == big[1].1);
    // Every format is checked as one file, and compared in segments with the same pairs.
    let part = list(&room, "part.sdbf", "sdhash", "sdbf", &["t/tail"]);
    let pairs = |input: Input| {
        let mut request = compare::Request::new(input);
        (request.algorithms, request.form) = (algorithms("sdhash"), "csv".parse().unwrap());
        good(&request).1
    };
    let direct = pairs(input(&room, &["t/big", "t/tail"]));
    assert_eq!(names(&direct), [("big.0128M", "tail")]);
    for form in ["sdbf", "jsonl", "csv", "sums"] {
        let list = list(&room, &format!("list.{form}"), "sdhash", form, &["t/big"]);
        let ended = Ended::of(&check::Request::new(&list));
        assert_eq!((ended.conclusion(), ended.files.len()), (Verdict::Verified, 1), "{form}");
        assert_eq!(pairs(Input::new([&list, &part])).pairs, direct.pairs, "{form}");
    }
    #[cfg(feature = "known")]
    for (known, name, expected) in
        [("list.sdbf", "t/tail", ("tail", "big.0128M")), ("part.sdbf", "t/big", ("big", "tail"))]
    {
        use pfh::matching::similar::{Event, Request, run};
        // A file in a list, and a list's segment by a file.
        let mut found = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Match(one) = event {
                found.push((crate::compare::base(one.name), crate::compare::base(one.known)));
            }
            Ok(())
        };
        run(&Request::new(input(&room, &[name]), room.at(known)), &mut take, &Control::new()).unwrap();
        assert!(found.iter().any(|(a, b)| (&**a, &**b) == expected), "{found:?}");
    }
    // A list that lacks a segment is not a good word for the file.
    let sdbf = check::Request::new(room.at("list.sdbf"));
    let written = std::fs::read_to_string(room.at("list.sdbf")).unwrap();
    for (number, line) in written.lines().enumerate() {
        room.file("cut.sdbf", &format!("{line}\n"));
        let (ran, _) = run(&check::Request::new(room.at("cut.sdbf")));
        assert!(ran.map_or(true, |summary| summary.conclusion() != Verdict::Verified), "{number}");
    }
    // A change in the first segment is found, and in the second one.
    let file = File::options().write(true).open(room.at("t/big")).unwrap();
    for (at, seed) in [(5_000, 1), (128 * MIB + 5_000, 2)] {
        write_at(&file, &random(9, 3_000), at);
        assert_eq!(Ended::of(&sdbf).conclusion(), Verdict::Differs, "{at}");
        write_at(&file, &random(seed, 100_000), at - 5_000);
    }
    assert_eq!(Ended::of(&sdbf).conclusion(), Verdict::Verified);
}
