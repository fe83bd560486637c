//! Trees of two levels beside a file: after every edit and append, the root is the digest of the
//! whole file under the algorithm, and no other bytes are read than those of the leaves that hold
//! the change.

use std::ops::Range;

use pfh_digest::{Algorithm, Alone, Registry};
use pfh_tree::flat::{Builder, Flat, Shape, name_of};
use proptest::collection::vec;
use proptest::prelude::*;

static TREES: Registry = Registry::new(&[&pfh_tree::ROWS]);

/// All modes, and some with parameters that make boundaries frequent.
fn algorithms() -> Vec<Algorithm> {
    let stated = [
        "kt128:7",
        "kt256:32",
        "parallelhash128:40",
        "parallelhash256,block=100",
        "parallelhashxof128,block=1",
        "sakura-fng-128,block=64",
        "sakura-fng-256:32,block=1000,capacity=320",
        "sakura-li-128,leaves=1,block=168",
        "sakura-li-128,leaves=7,block=336",
        "sakura-li-256:32,leaves=33,block=136",
        "sakura-li-128,leaves=3,block=576,capacity=448",
    ];
    TREES.all().chain(stated.map(|name| TREES.find(name).unwrap())).collect()
}

fn built(shape: Shape, data: &[u8], piece: usize) -> Flat {
    let mut builder = Builder::new(shape);
    data.chunks(piece.max(1)).for_each(|piece| builder.update_on(piece, &Alone));
    builder.finish()
}

/// Replaces leaves and returns the ranges that were read of the file.
fn replaced(tree: &mut Flat, leaves: &[u64], data: &[u8]) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    let read = &mut |range: Range<u64>, into: &mut Vec<u8>| {
        into.extend(&data[range.start as usize..range.end as usize]);
        ranges.push(range);
        Ok::<(), ()>(())
    };
    tree.replace(leaves, read).unwrap();
    ranges
}

/// Lengths at and around every boundary: of a block, of a company of leaves, of a round.
fn lengths(shape: Shape) -> Vec<usize> {
    let block = shape.block();
    let round = if shape.is_interleaved() { block * shape.leaves(0) as usize } else { 8 * block };
    let mut around: Vec<usize> = [0, block, 2 * block, round, round + block, 2 * round]
        .iter()
        .flat_map(|near| [-1isize, 0, 1].map(|off| near.saturating_add_signed(off)))
        .filter(|length| *length <= 400_000)
        .collect();
    around.dedup();
    around
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

#[test]
fn the_root_is_the_digest_at_every_boundary_and_after_one_changed_byte_anywhere() {
    for algorithm in algorithms() {
        let shape = Shape::of(algorithm).unwrap();
        for length in lengths(shape) {
            let mut data = noise(length, 3);
            let mut tree = built(shape, &data, 5000);
            assert_eq!(tree, built(shape, &data, usize::MAX), "{algorithm} {length}");
            assert_eq!(tree.root(), algorithm.digest(&data).bytes(), "{algorithm} {length}");
            assert_eq!(Flat::decode(&tree.encode()), Ok(tree.clone()));
            assert_eq!(name_of(&tree.encode()).unwrap().to_string(), algorithm.to_string());
            for place in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|place| *place < length) {
                data[place] ^= 0x40;
                let (before, leaf) = (tree.clone(), shape.leaf_at(place as u64));
                assert_eq!(shape.leaves_in(&(place as u64..place as u64 + 1)), [leaf]);
                let read = replaced(&mut tree, &[leaf], &data);
                assert_eq!(read, shape.ranges(leaf, length as u64).collect::<Vec<_>>(), "{algorithm} {length}");
                assert!(read.iter().any(|range| range.contains(&(place as u64))));
                assert_eq!(tree, built(shape, &data, usize::MAX), "{algorithm}: byte {place} of {length}");
                assert_eq!(before.differences(&tree), [leaf], "{algorithm}: byte {place} of {length}");
            }
        }
    }
}

/// The leaves' parts are the file, each byte once.
#[test]
fn the_leaves_are_the_file() {
    for algorithm in algorithms() {
        let shape = Shape::of(algorithm).unwrap();
        for length in lengths(shape) {
            let mut ranges: Vec<Range<u64>> =
                (0..shape.leaves(length as u64)).flat_map(|leaf| shape.ranges(leaf, length as u64)).collect();
            ranges.sort_by_key(|range| range.start);
            let end = ranges.iter().fold(0, |end, range| {
                assert!(range.start == end && range.end > end, "{algorithm} {length}");
                range.end
            });
            assert_eq!(end, length as u64, "{algorithm}");
        }
    }
}

/// The cost of one changed byte of a file: its leaf, nothing else, however long the file is.
#[test]
fn one_changed_byte_reads_one_leaf() {
    let data = noise(3_000_000, 1);
    for (name, bytes) in [
        ("kt128", 8192),
        ("kt256", 8192),
        ("sakura-fng-128", 8192),
        ("sakura-fng-256,block=1024", 1024),
        ("parallelhash256", 8192),
        // 3,000,000 bytes are 280 blocks; leaf 2 has every sixteenth.
        ("sakura-li-128", 18 * 10_752),
        ("sakura-li-128,leaves=300,block=168", 59 * 168 + 87 + 81),
    ] {
        let shape = Shape::of(TREES.find(name).unwrap()).unwrap();
        let mut tree = built(shape, &data, 1 << 20);
        let read = replaced(&mut tree, &[2], &data);
        let read: u64 = read.iter().map(|range| range.end - range.start).sum();
        assert!(read <= bytes, "{name}: {read} bytes were read, not {bytes}");
        assert_eq!(tree.root(), shape.algorithm().digest(&data).bytes());
    }
}

#[test]
fn every_changed_bit_of_a_tree_is_found() {
    for name in ["kt128", "sakura-fng-256,block=64", "sakura-li-128,leaves=2,block=168", "parallelhash128"] {
        let shape = Shape::of(TREES.find(name).unwrap()).unwrap();
        for length in [0, 100, 9000] {
            let mut bytes = built(shape, &noise(length, 5), 1000).encode();
            let all = bytes.len();
            for place in (0..all).filter(|place| *place < 100 || place % 97 == 0 || place + 40 > all) {
                bytes[place] ^= 1 << (place % 8);
                assert!(Flat::decode(&bytes).is_err(), "{name}, {length} bytes, byte {place} of the tree");
                bytes[place] ^= 1 << (place % 8);
            }
            for end in [0, 8, 9, 40, bytes.len() - 1] {
                assert!(Flat::decode(&bytes[..end]).is_err());
            }
            bytes.push(0);
            assert!(Flat::decode(&bytes).is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_edits_and_appends_give_the_tree_of_the_file(
        which in 0usize..21, start in 0usize..40_000,
        steps in vec((any::<bool>(), 0usize..20_000, 0usize..3000, any::<u64>()), 1..8),
    ) {
        let algorithms = algorithms();
        let algorithm = algorithms[which % algorithms.len()];
        let shape = Shape::of(algorithm).unwrap();
        let mut data = noise(start, 9);
        let mut tree = built(shape, &data, 777);
        for (is_append, at, length, seed) in steps {
            if is_append {
                let length = if seed % 3 == 0 { shape.block() * (1 + at % 3) } else { length };
                data.extend(noise(length, seed));
                let mut builder = Builder::resume(tree);
                let from = builder.length() as usize;
                // An append reads the new bytes, and less than a leaf or a round of the old ones.
                let round = if shape.is_interleaved() { shape.block() * shape.leaves(0) as usize } else { shape.block() };
                prop_assert!(data.len() - length - from <= round);
                data[from..].chunks(1 + at).for_each(|piece| builder.update_on(piece, &Alone));
                tree = builder.finish();
            } else if !data.is_empty() {
                let at = at % data.len();
                let end = (at + length).min(data.len());
                data[at..end].copy_from_slice(&noise(end - at, seed));
                let leaves = shape.leaves_in(&(at as u64..end as u64));
                replaced(&mut tree, &leaves, &data);
            }
            let digest = algorithm.digest(&data);
            prop_assert_eq!(tree.root(), digest.bytes(), "{} of {}", algorithm, data.len());
            prop_assert_eq!(&tree, &built(shape, &data, usize::MAX));
            tree = Flat::decode(&tree.encode()).unwrap();
        }
    }
}
