//! The same command again after a kill, with every file that an acquisition keeps beside the image.
#![cfg(unix)]

use crate::program::acquisition::acquire;
use crate::program::{MIB, Room, sha256_of};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::time::Instant;

const ALL: &str = "--outboard tree --case-uco case.jsonld --map map --log log --piecewise 1MiB --verify";

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap()
}

/// 50 kills at instants over the whole of a run, as long as one takes that is not killed, each
/// followed by the same command.
#[test]
fn fifty_kills_with_every_file_beside_the_image() {
    if lacks(&[Need::Time]) {
        return;
    }
    let size = 24 * MIB;
    let bytes = content(3, size);
    let mut interrupted = 0;
    let targets = ["image", "image.E01"];
    let trial = |room: &Room, target: &str| {
        acquire(["-m", "4", "--map-interval", "0.01", "--to", target, "source"])
            .args(ALL.split_whitespace())
            .directory(room.path())
    };
    let whole = targets.map(|target| {
        let room = Room::in_memory();
        room.file("source", &bytes);
        let started = Instant::now();
        assert_eq!(trial(&room, target).run().unwrap().code, Some(0));
        started.elapsed()
    });
    for round in 0..50_u32 {
        let room = Room::in_memory();
        let source = room.file("source", &bytes);
        let (target, whole) = (targets[round as usize % 2], whole[round as usize % 2]);
        let trial = || trial(&room, target);
        let first = trial().signal(whole * (round + 1) / 51, 9).run().unwrap();
        interrupted += u32::from(first.code == Some(137));
        let seen = trial().run().unwrap();
        assert_eq!(seen.code, Some(0), "round {round}: {}", seen.stderr);
        assert_eq!(trial().run().unwrap().code, Some(0), "round {round}, repeated");
        let checked = pfh(&room, &format!("verify {target} --log log.jsonl"));
        assert_eq!(checked.code, Some(0), "round {round}: {checked:?}");
        if target == "image" {
            assert_eq!(sha256_of(&room.path().join(target)), sha256_of(&source));
            let checked = pfh(&room, "tree check --outboard tree image");
            assert_eq!(checked.code, Some(0), "round {round}: {checked:?}");
        }
    }
    assert!(interrupted > 20, "{interrupted}");
}
