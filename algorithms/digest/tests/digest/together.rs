//! Several digests of one message: as each by itself.

use crate::cases::{Case, cases};
use pfh_digest::{Algorithm, Hasher, update_together};
use proptest::prelude::*;

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

/// Feeds a message in pieces of these lengths and then the rest, together, and compares with each
/// by itself.
fn holds(algorithms: &[Algorithm], message: &[u8], pieces: &[usize]) {
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
    let mut rest = message;
    for length in pieces.iter().copied().chain([usize::MAX]) {
        let (piece, after) = rest.split_at(length.min(rest.len()));
        update_together(&mut hashers.iter_mut().collect::<Vec<_>>(), piece);
        rest = after;
    }
    for (hasher, algorithm) in hashers.into_iter().zip(algorithms) {
        assert_eq!(
            hasher.finalize(),
            algorithm.digest(message),
            "{algorithm} of {} bytes in {pieces:?}",
            message.len()
        );
    }
}

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * i / 7 + i / 256) as u8).collect()
}

#[test]
fn every_subset_at_every_length_of_a_few_blocks() {
    let all = algorithms(&["md5", "sha1", "sha256", "sha512"]);
    for set in 0..16 {
        let chosen: Vec<Algorithm> =
            all.iter().enumerate().filter(|(i, _)| set >> i & 1 > 0).map(|(_, a)| *a).collect();
        for length in 0..200 {
            holds(&chosen, &message(length), &[]);
        }
        holds(&chosen, &message(100_000), &[]);
    }
}

#[test]
fn look_alikes_keep_their_own_functions() {
    // RIPEMD-160 has a state of SHA-1's shape, SHA-224 and SM3 have one of SHA-256's; one algorithm
    // may be asked for twice.
    let names = [
        "ripemd160",
        "sm3",
        "sha1",
        "sha224",
        "sha256",
        "sha256",
        "md5",
        "md5",
        "sha3-256",
        "blake3",
        "crc32",
        "sha1",
        "sha512",
        "sha384",
    ];
    holds(&algorithms(&names), &message(70_001), &[1, 64, 63, 16384, 5]);
    holds(&algorithms(&["sha224", "ripemd160", "md5"]), &message(5000), &[17]);
    for long in ["sha384", "sha512-224", "sha512-256", "blake2b"] {
        holds(&algorithms(&["sha1", long, "md5", "sha512"]), &message(5000), &[17, 47, 64]);
    }
}

#[test]
fn hashers_that_have_come_to_different_places() {
    let mut md5 = algorithms(&["md5"])[0].hasher();
    let mut sha1 = algorithms(&["sha1"])[0].hasher();
    let mut sha256 = algorithms(&["sha256"])[0].hasher();
    md5.update(b"some");
    sha256.update(b"more");
    let bytes = message(1000);
    update_together(&mut [&mut md5, &mut sha1, &mut sha256], &bytes);
    let with = |prefix: &[u8]| [prefix, &bytes].concat();
    assert_eq!(md5.finalize(), algorithms(&["md5"])[0].digest(&with(b"some")));
    assert_eq!(sha1.finalize(), algorithms(&["sha1"])[0].digest(&with(b"")));
    assert_eq!(sha256.finalize(), algorithms(&["sha256"])[0].digest(&with(b"more")));
}

/// A hasher of blocks of 128 bytes can be half a block ahead of the others, and yet at the same
/// place of a block of 64.
#[test]
fn a_longer_block_that_is_half_full() {
    for ahead in [0, 1, 63, 64, 65, 127, 128, 191] {
        let before = message(ahead);
        let mut sha512 = algorithms(&["sha512"])[0].hasher();
        let mut sha256 = algorithms(&["sha256"])[0].hasher();
        sha512.update(&before);
        let bytes = message(40_000);
        for piece in bytes.chunks(9_001) {
            update_together(&mut [&mut sha256, &mut sha512], piece);
        }
        assert_eq!(sha256.finalize(), algorithms(&["sha256"])[0].digest(&bytes), "{ahead}");
        assert_eq!(sha512.finalize(), algorithms(&["sha512"])[0].digest(&[&before[..], &bytes].concat()), "{ahead}");
    }
}

#[test]
fn no_hasher_and_no_bytes() {
    update_together(&mut [], b"abc");
    holds(&algorithms(&["md5", "sha1", "sha256"]), b"", &[0, 0]);
}

/// The digest by the crate of another author.
fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    match algorithm.name() {
        "md5" => md5::Md5::digest(message).to_vec(),
        "sha1" => sha1::Sha1::digest(message).to_vec(),
        "sha224" => sha2::Sha224::digest(message).to_vec(),
        "sha256" => sha2::Sha256::digest(message).to_vec(),
        "sha512" => sha2::Sha512::digest(message).to_vec(),
        other => panic!("no oracle for {other}"),
    }
}

/// The vectors of each function through every set that has it, the companions held against other
/// crates.
#[test]
fn vectors_through_every_set() {
    let mut through = 0;
    for short in ["sha224", "sha256"] {
        let all = algorithms(&["md5", "sha1", short, "sha512"]);
        for (place, algorithm) in all.iter().enumerate() {
            for (message, digest) in cases(algorithm.name()).into_iter().filter_map(Case::message) {
                for set in (0..16).filter(|set| set >> place & 1 > 0) {
                    let chosen: Vec<Algorithm> =
                        all.iter().enumerate().filter(|(i, _)| set >> i & 1 > 0).map(|(_, a)| *a).collect();
                    let mut hashers: Vec<Hasher> = chosen.iter().map(|algorithm| algorithm.hasher()).collect();
                    let (first, second) = message.split_at(message.len() / 3);
                    update_together(&mut hashers.iter_mut().collect::<Vec<_>>(), first);
                    update_together(&mut hashers.iter_mut().collect::<Vec<_>>(), second);
                    for (hasher, companion) in hashers.into_iter().zip(&chosen) {
                        let expected =
                            if companion == algorithm { digest.clone() } else { oracle(*companion, &message) };
                        assert_eq!(hasher.finalize().bytes(), expected, "{companion} in {chosen:?}");
                    }
                    through += 1;
                }
            }
        }
    }
    // Eight sets each, twice: 323 vectors of MD5, 129 of SHA-1 and of SHA-224 or SHA-256, 257 of
    // SHA-512.
    assert_eq!(through, 2 * 8 * (323 + 129 + 129 + 257));
}

proptest! {
    #[test]
    fn any_pieces(length in 0usize..50_000, pieces in prop::collection::vec(0usize..20_000, 0..6), set in 1usize..128) {
        let all = algorithms(&["sha256", "md5", "sha1", "sha512", "sha224", "sha384", "sha512-256"]);
        let chosen: Vec<Algorithm> = all.iter().enumerate().filter(|(i, _)| set >> i & 1 > 0).map(|(_, a)| *a).collect();
        holds(&chosen, &message(length), &pieces);
    }
}
