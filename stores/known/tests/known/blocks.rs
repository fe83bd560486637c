//! Sets of blocks: where each block is from, as a plain map has it, in any amount of memory.

use crate::room::Room;
use pfh_digest::{Algorithm, Digest};
use pfh_known::{BlockBuild, Class, DEFAULT_RESIDENT, Input, KnownSet};
use std::collections::BTreeMap;

/// A file: its set, its name, its blocks by number, and whether it was read to its end.
type File = (usize, String, Vec<u32>, bool);

fn digest(algorithm: Algorithm, block: u32) -> Digest {
    algorithm.digest(&block.to_le_bytes())
}

/// Files whose blocks repeat within them and among them.
fn files() -> Vec<File> {
    let mut state = 7u32;
    let mut pick = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let file = |n: usize| {
        let blocks = (0..pick(200)).map(|_| if pick(4) == 0 { pick(3) } else { 10 + pick(9000) }).collect();
        (n / 20, format!("dir/{n}\u{1}é"), blocks, pick(7) > 0)
    };
    (0..60).map(file).collect()
}

fn built(room: &Room, algorithm: Algorithm, files: &[File], memory: usize) -> KnownSet {
    let output = room.path("set");
    let mut build = BlockBuild::open(&output, &room.path("work"), memory, algorithm, &[512, 4096]).unwrap();
    let mut set = usize::MAX;
    for (of, name, blocks, whole) in files {
        if *of != set {
            set = *of;
            build.set(&Input::new(format!("/x/set {set}"), Class::Bad));
        }
        // In two pieces, and of the larger size every eighth block.
        for half in blocks.chunks(blocks.len().div_ceil(2).max(1)) {
            let digests: Vec<Digest> = half.iter().map(|block| digest(algorithm, *block)).collect();
            build.blocks(0, &digests, &vec![0; digests.len()]).unwrap();
        }
        let large: Vec<Digest> = blocks.iter().step_by(8).map(|block| digest(algorithm, *block)).collect();
        build.blocks(1, &large, &[]).unwrap();
        match whole {
            true => build.end_file(name.as_bytes(), 512 * blocks.len() as u64).unwrap(),
            false => build.void_file(),
        }
    }
    let sets = build.finish(&mut |_| Ok(())).unwrap().sets;
    let records: u64 = sets.iter().map(|set| set.records + set.faults).sum();
    assert_eq!(records, files.len() as u64);
    assert!(!room.path("work").exists());
    KnownSet::open(&output, DEFAULT_RESIDENT).unwrap()
}

#[test]
fn each_block_has_its_places() {
    let room = Room::new();
    let files = files();
    for (name, memory) in [("md5", 64 << 20), ("sha256", 0), ("sha512", 0)] {
        let algorithm: Algorithm = name.parse().unwrap();
        let known = built(&room, algorithm, &files, memory);
        assert_eq!(known.algorithms().count(), 0, "no digests of files");
        for (table, (size, step)) in known.blocks().iter().zip([(512, 1), (4096, 8)]) {
            assert_eq!((table.size(), table.algorithm()), (size, algorithm));
            let mut expected: BTreeMap<u32, Vec<(usize, &str, u64)>> = BTreeMap::new();
            for (set, name, blocks, _) in files.iter().filter(|(.., whole)| *whole) {
                for (at, block) in blocks.iter().step_by(step).enumerate() {
                    expected.entry(*block).or_default().push((*set, name, at as u64 * u64::from(size)));
                }
            }
            assert_eq!(table.rows(), expected.len() as u64);
            for block in 0..9100 {
                let found = known.find_block(table, &digest(algorithm, block)).unwrap();
                let Some(places) = expected.get(&block) else {
                    assert_eq!(found, None, "{block}");
                    continue;
                };
                let found = known.block(table, found.unwrap()).unwrap();
                let mut of: Vec<(usize, &str)> = places.iter().map(|(set, name, _)| (*set, *name)).collect();
                of.dedup();
                assert_eq!((found.places as usize, found.files as usize), (places.len(), of.len()), "{block}");
                let first: Vec<_> = found
                    .first
                    .iter()
                    .map(|place| (place.file.set, str::from_utf8(&place.file.name).unwrap(), place.offset))
                    .collect();
                assert_eq!(first, places[..places.len().min(16)], "{block}");
            }
        }
        known.verify().unwrap();
        // Another algorithm's digest is in none.
        let other: Algorithm = "blake3".parse().unwrap();
        assert_eq!(known.find_block(&known.blocks()[0], &digest(other, 1)).unwrap(), None);
    }
}

#[test]
fn a_set_without_a_block_is_one_all_the_same() {
    let room = Room::new();
    let known = built(&room, "sha1".parse().unwrap(), &[(0, "empty".into(), Vec::new(), true)], 0);
    assert!(!known.sets()[0].has_blocks() && known.sets()[0].records == 1);
    assert_eq!(known.find_block(&known.blocks()[0], &digest("sha1".parse().unwrap(), 1)).unwrap(), None);
}
