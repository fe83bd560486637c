//! Ranges of a message that are hashed apart, in any order, give the digest of the whole.

use pfh_digest::{Algorithm, ROWS, Registry};

static ALL: Registry = Registry::new(&[&ROWS, &pfh_tree::ROWS]);

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// The digest of a message whose first `before` units and last bytes are hashed in order, and the
/// units between them apart, `each` units at a time and the last ones first.
fn digest(algorithm: Algorithm, message: &[u8], before: usize, each: usize, after: usize) -> String {
    let mut hasher = algorithm.hasher();
    let units = hasher.apart().unwrap().units();
    let length = units.length();
    let (first, rest) = message.split_at(before * length);
    let count = (rest.len() - after.min(rest.len())) / length;
    let (apart, last) = rest.split_at(count * length);
    // In pieces of another length.
    first.chunks(1 + length / 3).for_each(|piece| hasher.update(piece));
    let starts = (0..).step_by(each * length).map(|start| (first.len() + start) as u64);
    let ranges: Vec<(u64, &[u8])> = starts.zip(apart.chunks(each * length)).collect();
    let mut values: Vec<Vec<u8>> = ranges
        .iter()
        .rev()
        .map(|(offset, bytes)| {
            let mut values = Vec::new();
            units.values(*offset, bytes, &mut values);
            values
        })
        .collect();
    while let Some(values) = values.pop() {
        hasher.apart().unwrap().join(&values);
    }
    last.chunks(5000).for_each(|piece| hasher.update(piece));
    hasher.finalize().to_string()
}

#[test]
fn ranges_apart_give_the_digest_of_the_whole() {
    for name in [
        "blake3",
        "blake3:100",
        "kt128",
        "kt256",
        "parallelhash128",
        "parallelhashxof256:20",
        "sakura-fng-128",
        "sakura-fng-256,capacity=320",
        "parallelhash256,block=512",
    ] {
        let algorithm = ALL.find(name).unwrap();
        let unit = algorithm.hasher().apart().unwrap().units().length();
        let message = noise(21 * unit + unit / 2);
        // Lengths around whole units: also one that ends with a range that was hashed apart.
        for length in
            [2 * unit, 8 * unit, 9 * unit - 1, 9 * unit, 9 * unit + 1, 17 * unit, 20 * unit + 7, message.len()]
        {
            let message = &message[..length];
            let expected = algorithm.digest(message).to_string();
            for (before, each) in [(1, 1), (1, 3), (2, 2), (2, 8)] {
                for after in [0, 1, unit] {
                    let found = digest(algorithm, message, before, each, after);
                    assert_eq!(found, expected, "{name}: {length} bytes, {before} units first, {each} at a time");
                }
            }
        }
    }
}

#[test]
fn what_goes_through_one_state_has_no_ranges() {
    for name in ["sha256", "sha3-256", "xxh3-128", "sakura-li-128"] {
        assert!(ALL.find(name).unwrap().hasher().apart().is_none(), "{name}");
    }
}

/// Ranges also under a key, which the units are to have too.
#[test]
fn a_keyed_message_has_keyed_units() {
    use pfh_digest::State;
    use pfh_digest::blake3::{Blake3, Key, context};
    let message = noise(3 << 20);
    for key in [Key::Given([9; 32]), context("a context")] {
        let mut whole = Blake3::new(key);
        whole.update(&message);
        let mut parts = Blake3::new(key);
        let units = parts.apart().unwrap().units();
        let (first, rest) = message.split_at(units.length());
        parts.update(first);
        let mut values = Vec::new();
        units.values(units.length() as u64, rest, &mut values);
        parts.apart().unwrap().join(&values);
        let (mut one, mut other) = ([0; 99], [0; 99]);
        whole.output(3, &mut one);
        parts.output(3, &mut other);
        assert_eq!(one, other);
    }
}
