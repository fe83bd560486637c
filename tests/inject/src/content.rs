//! The bytes of invented files.

/// The byte of file `seed` at `offset`: cheap, without a short period, and different from file to
/// file, so that bytes from another place or another file change a digest.
pub(crate) fn byte(seed: u64, offset: u64) -> u8 {
    let mixed = (offset ^ seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93).to_be_bytes()[0]
}

/// The first `length` bytes of file `seed`: the result of an honest read of it.
pub fn content(seed: u64, length: u64) -> Vec<u8> {
    (0..length).map(|offset| byte(seed, offset)).collect()
}

/// Bytes that no method finds too plain (splitmix64), the same for a seed.
pub fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(length).collect()
}

/// Families of files that share parts, some that share nothing, short and empty ones; by name.
pub fn families() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (family, length) in [(1, 40_000), (2, 90_000), (3, 7_000)] {
        let base = random(family, length);
        for member in 0..6 {
            let mut bytes = base.clone();
            match member {
                0 => {}
                1 => bytes.insert(length / 2, b'x'),
                2 => bytes.truncate(length * 2 / 3),
                3 => bytes.splice(0..0, random(family + 50, length / 8)).for_each(drop),
                4 => (0..length).step_by(4001).for_each(|at| bytes[at] ^= 1),
                _ => bytes.splice(length / 2.., random(family + 90, length / 2)).for_each(drop),
            }
            files.push((format!("{family}-{member}"), bytes));
        }
    }
    files.extend((0..4).map(|n| (format!("alone-{n}"), random(100 + n, 20_000))));
    files.extend([("empty".into(), Vec::new()), ("empty2".into(), Vec::new()), ("short".into(), b"short".to_vec())]);
    files.push(("zeros".into(), vec![0; 30_000]));
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::content;

    #[test]
    fn contents_differ_by_seed_and_do_not_repeat() {
        let (first, second) = (content(1, 4096), content(2, 4096));
        assert_ne!(first, second);
        assert_ne!(first[..256], first[256..512]);
        assert_eq!(content(1, 100), first[..100]);
    }
}
