//! Outboard trees: roots against plain recursive definitions and b3sum's, changes against trees
//! built again, files against damage.

use pfh_digest::Algorithm;
use pfh_tree::WireError;
use pfh_tree::outboard::{Builder, Function, Outboard, Parameters, Value, WrongChange};
use proptest::collection::vec;
use proptest::prelude::*;

const LEAF: usize = 1024;

fn parameters(function: Function) -> Parameters {
    Parameters::new(function, LEAF).unwrap()
}

fn build(function: Function, data: &[u8]) -> Outboard {
    let mut builder = Builder::new(parameters(function));
    builder.update(data);
    builder.finish()
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64)
        .map(|i| ((i + 1).wrapping_mul(seed.wrapping_mul(2) | 1).wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8)
        .collect()
}

/// The root as docs/tree.md defines it, by recursion over the largest power of two.
fn plain_root(name: &str, data: &[u8]) -> Value {
    let hash = |parts: &[&[u8]]| -> Value {
        let algorithm: Algorithm = name.parse().unwrap();
        algorithm.digest(&parts.concat()).bytes().try_into().unwrap()
    };
    fn node(hash: &dyn Fn(&[&[u8]]) -> Value, leaves: &[Value]) -> (Value, u64) {
        if let [leaf] = leaves {
            return (*leaf, 0);
        }
        let half = leaves.len().next_power_of_two() / 2;
        let (left, level) = node(hash, &leaves[..half]);
        let (right, _) = node(hash, &leaves[half..]);
        (hash(&[b"pfh tree 1: node", &level.to_le_bytes(), &left, &right]), level + 1)
    }
    let leaf = |(index, leaf): (usize, &[u8])| {
        hash(&[b"pfh tree 1: leaf", &(index as u64).to_le_bytes(), &(leaf.len() as u64).to_le_bytes(), leaf])
    };
    let chunks: Vec<&[u8]> = if data.is_empty() { vec![b""] } else { data.chunks(LEAF).collect() };
    let leaves: Vec<Value> = chunks.into_iter().enumerate().map(leaf).collect();
    let (top, _) = node(&hash, &leaves);
    hash(&[b"pfh tree 1: root", &(LEAF as u64).to_le_bytes(), &(data.len() as u64).to_le_bytes(), &top])
}

fn check_root(data: &[u8]) {
    for function in Function::ALL {
        let root = *build(function, data).root();
        let expected = match function {
            Function::Blake3 => *blake3::hash(data).as_bytes(),
            _ => plain_root(function.name(), data),
        };
        assert_eq!(root, expected, "{function:?} of {} bytes", data.len());
    }
}

#[test]
fn the_root_is_the_defined_one_at_every_small_size() {
    let data = noise(40 * LEAF, 1);
    for leaves in 0..=34 {
        for length in [leaves * LEAF, leaves * LEAF + 1, leaves * LEAF + LEAF - 1] {
            check_root(&data[..length]);
        }
    }
}

#[test]
fn a_blake3_root_is_the_digest_for_every_leaf_length() {
    let data = noise(3_000_001, 2);
    for leaf in [1 << 10, 1 << 14, 1 << 16, 1 << 20, 1 << 22] {
        let mut builder = Builder::new(Parameters::new(Function::Blake3, leaf).unwrap());
        data.chunks(70_001).for_each(|piece| builder.update(piece));
        assert_eq!(builder.finish().root(), blake3::hash(&data).as_bytes());
    }
    for leaf in [0, 512, 1000, 1025, 1 << 25] {
        assert_eq!(Parameters::new(Function::Blake3, leaf), None);
    }
}

#[test]
fn one_change_in_a_large_file_costs_its_path() {
    for function in Function::ALL {
        for log in [4, 8, 12] {
            let data = noise(LEAF << log, 3);
            let mut outboard = build(function, &data);
            let computed = outboard.update(&[(5, &data[..LEAF])]).unwrap();
            // The leaf, the nodes between, the root with the pair below it.
            assert_eq!(computed, 1 + (log - 1) + 1, "{function:?}");
        }
    }
}

#[test]
fn impossible_changes_are_refused_and_change_nothing() {
    for function in Function::ALL {
        let data = noise(10 * LEAF + 7, 4);
        let mut outboard = build(function, &data);
        let before = outboard.clone();
        assert_eq!(outboard.update(&[(0, &data[..LEAF]), (11, b"1234567")]), Err(WrongChange::Index(11)));
        assert_eq!(outboard.update(&[(0, &data[..LEAF]), (10, b"12345678")]), Err(WrongChange::Length(10)));
        assert_eq!(outboard.update(&[(9, &data[..LEAF - 1])]), Err(WrongChange::Length(9)));
        assert_eq!(outboard.append_start(), 10 * LEAF as u64);
        assert_eq!(outboard.append(b"123456"), Err(WrongChange::Length(10)));
        assert_eq!(outboard, before);
        let other = Builder::new(Parameters::new(function, 2 * LEAF).unwrap()).finish();
        assert_eq!(outboard.differences(&other), Err(WrongChange::Parameters));
    }
}

/// A bit flipped anywhere, a byte too few, a byte too many: never a tree.
#[test]
fn any_damage_to_the_binary_form_is_an_error() {
    for function in Function::ALL {
        for leaves in [0, 1, 2, 3, 7] {
            let outboard = build(function, &noise(leaves * LEAF + 3, 5));
            let bytes = outboard.encode();
            assert_eq!(Outboard::decode(&bytes), Ok(outboard));
            for bit in 0..8 * bytes.len() {
                let mut damaged = bytes.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert!(Outboard::decode(&damaged).is_err(), "{function:?}, bit {bit}");
            }
            for length in 0..bytes.len() {
                assert!(Outboard::decode(&bytes[..length]).is_err());
            }
            assert_eq!(Outboard::decode(&[&bytes[..], b"x"].concat()), Err(WireError::Trailing));
        }
    }
}

/// A header that claims more than there is must not cost memory for the claim.
#[test]
fn a_claimed_length_costs_nothing() {
    let mut bytes = build(Function::Sha256, b"").encode();
    bytes[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let checksum = blake3::derive_key("pfh tree 1 header checksum", &bytes[..56]);
    bytes[56..88].copy_from_slice(&checksum);
    assert_eq!(Outboard::decode(&bytes), Err(WireError::Truncated));
}

fn function() -> impl Strategy<Value = Function> {
    prop::sample::select(Function::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn pieces_do_not_matter(function in function(), length in 0usize..3_000_000, piece in 1usize..2_000_000) {
        let data = noise(length, 6);
        let mut builder = Builder::new(Parameters::new(function, 16384).unwrap());
        data.chunks(piece).for_each(|piece| builder.update(piece));
        let mut whole = Builder::new(Parameters::new(function, 16384).unwrap());
        whole.update(&data);
        prop_assert_eq!(builder.finish(), whole.finish());
    }

    #[test]
    fn an_update_is_a_build(function in function(), length in 0usize..60_000, at in vec(0usize..60_000, 0..9)) {
        let mut data = noise(length, 7);
        let mut outboard = build(function, &data);
        let before = outboard.clone();
        let mut leaves: Vec<u64> = Vec::new();
        for at in at.into_iter().filter(|at| *at < length) {
            data[at] ^= 0x55;
            leaves.push((at / LEAF) as u64);
        }
        let range = |index: u64| parameters(function).leaf_range(index, length as u64);
        let changes: Vec<(u64, &[u8])> =
            leaves.iter().map(|&index| (index, &data[range(index).start as usize..range(index).end as usize])).collect();
        outboard.update(&changes).unwrap();
        let now = build(function, &data);
        prop_assert_eq!(&outboard, &now);

        // The differences are the changed leaves and no others. (An even number of flips in one
        // place is not a change.)
        let original = noise(length, 7);
        let ranges = before.differences(&now).unwrap();
        for (index, (old, new)) in original.chunks(LEAF).zip(data.chunks(LEAF)).enumerate() {
            let reported = ranges.iter().any(|range| range.contains(&((index * LEAF) as u64)));
            prop_assert_eq!(reported, old != new);
        }
    }

    #[test]
    fn an_append_is_a_build(function in function(), length in 0usize..40_000, more in vec(0usize..20_000, 1..4)) {
        let data = noise(length + more.iter().sum::<usize>(), 8);
        let mut end = length;
        let mut outboard = build(function, &data[..length]);
        for more in more {
            end += more;
            let start = outboard.append_start() as usize;
            outboard.append(&data[start..end]).unwrap();
            prop_assert_eq!(&outboard, &build(function, &data[..end]));
        }
    }

    #[test]
    fn what_is_decoded_was_encoded(function in function(), length in 0usize..60_000) {
        let outboard = build(function, &noise(length, 9));
        prop_assert_eq!(Outboard::decode(&outboard.encode()), Ok(outboard));
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in vec(any::<u8>(), 0..400), tail in vec(any::<u8>(), 0..400)) {
        let _ = Outboard::decode(&bytes);
        let _ = Outboard::decode(&[&b"pfh tree\x01"[..], &tail].concat());
    }
}
