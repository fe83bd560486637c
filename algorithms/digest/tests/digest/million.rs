//! A million small messages per algorithm against the crates of others. With `PFH_NIGHTLY` in the
//! environment, a hundred million.

use md5::Digest as _;
use pfh_digest::{Algorithm, hash_many};

/// Messages hashed at once.
const BATCH: usize = 10_000;

fn holds(name: &str, oracle: fn(&[u8]) -> Vec<u8>) {
    let algorithm: Algorithm = name.parse().unwrap();
    let total: usize = if std::env::var_os("PFH_NIGHTLY").is_some() { 100_000_000 } else { 1_000_000 };
    let bytes: Vec<u8> = (0..1usize << 16).map(|i| (i * i / 11 + i / 256) as u8).collect();
    let mut random = 0x2545f4914f6cdd1du64;
    for _ in 0..total.div_ceil(BATCH) {
        let messages: Vec<&[u8]> = (0..BATCH)
            .map(|_| {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                // Mostly short, some of several blocks, at any alignment.
                let length = if random & 15 == 0 { (random >> 8) % 1500 } else { (random >> 8) % 150 } as usize;
                &bytes[(random >> 40) as usize % (bytes.len() - length)..][..length]
            })
            .collect();
        for (message, digest) in messages.iter().zip(hash_many(algorithm, &messages)) {
            assert_eq!(digest.bytes(), oracle(message), "{name} of {} bytes", message.len());
        }
    }
}

#[test]
fn md5() {
    holds("md5", |message| md5::Md5::digest(message).to_vec());
}
#[test]
fn sha1() {
    holds("sha1", |message| sha1::Sha1::digest(message).to_vec());
}
#[test]
fn sha256() {
    holds("sha256", |message| sha2::Sha256::digest(message).to_vec());
}
#[test]
fn sha512() {
    holds("sha512", |message| sha2::Sha512::digest(message).to_vec());
}
#[test]
fn sha3_256() {
    holds("sha3-256", |message| sha3::Sha3_256::digest(message).to_vec());
}
#[test]
fn sm3() {
    holds("sm3", |message| sm3::Sm3::digest(message).to_vec());
}
#[test]
fn ripemd160() {
    holds("ripemd160", |message| ripemd::Ripemd160::digest(message).to_vec());
}
