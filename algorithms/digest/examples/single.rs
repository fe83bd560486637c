//! Which implementation hashes one message fastest:
//! `cargo run --release -p pfh-digest --features peers --example single [ROUNDS]`.
//!
//! Candidates of one algorithm must agree first. They then run in turns, so that a slow spell of
//! the machine hits all of them; printed are nanoseconds per byte, minimum and median over the
//! rounds.

use std::hint::black_box;
use std::time::Instant;

use aws_lc_rs::digest as aws;
use pfh_digest::Algorithm;

type Function = fn(&[u8]) -> Vec<u8>;
type Implementation = Box<dyn Fn(&[u8]) -> Vec<u8>>;

fn candidates(algorithm: Algorithm) -> Vec<(&'static str, Implementation)> {
    let mut all: Vec<(&'static str, Implementation)> =
        vec![("pfh", Box::new(move |message| algorithm.digest(message).bytes().to_vec()))];
    fn rustcrypto<D: digest::Digest>(message: &[u8]) -> Vec<u8> {
        D::digest(message).to_vec()
    }
    let fixed: Option<Function> = match algorithm.name() {
        "md5" => Some(rustcrypto::<md5::Md5>),
        "sha1" => Some(rustcrypto::<sha1::Sha1>),
        "sha224" => Some(rustcrypto::<sha2::Sha224>),
        "sha256" => Some(rustcrypto::<sha2::Sha256>),
        "sha384" => Some(rustcrypto::<sha2::Sha384>),
        "sha512" => Some(rustcrypto::<sha2::Sha512>),
        "sha512-224" => Some(rustcrypto::<sha2::Sha512_224>),
        "sha512-256" => Some(rustcrypto::<sha2::Sha512_256>),
        "sha3-224" => Some(rustcrypto::<sha3::Sha3_224>),
        "sha3-256" => Some(rustcrypto::<sha3::Sha3_256>),
        "sha3-384" => Some(rustcrypto::<sha3::Sha3_384>),
        "sha3-512" => Some(rustcrypto::<sha3::Sha3_512>),
        "ripemd160" => Some(rustcrypto::<ripemd::Ripemd160>),
        "blake2b" => Some(rustcrypto::<blake2::Blake2b512>),
        "blake2s" => Some(rustcrypto::<blake2::Blake2s256>),
        _ => None,
    };
    if let Some(fixed) = fixed {
        all.push(("rustcrypto", Box::new(fixed)));
    }
    let aws: Option<&'static aws::Algorithm> = match algorithm.name() {
        "sha1" => Some(&aws::SHA1_FOR_LEGACY_USE_ONLY),
        "sha224" => Some(&aws::SHA224),
        "sha256" => Some(&aws::SHA256),
        "sha384" => Some(&aws::SHA384),
        "sha512" => Some(&aws::SHA512),
        "sha512-256" => Some(&aws::SHA512_256),
        "sha3-256" => Some(&aws::SHA3_256),
        "sha3-384" => Some(&aws::SHA3_384),
        "sha3-512" => Some(&aws::SHA3_512),
        _ => None,
    };
    if let Some(aws) = aws {
        all.push(("aws-lc-rs", Box::new(move |message| aws::digest(aws, message).as_ref().to_vec())));
    }
    match algorithm.name() {
        "blake2b" => all.push(("blake2b_simd", Box::new(|message| blake2b_simd::blake2b(message).as_bytes().to_vec()))),
        "blake2s" => all.push(("blake2s_simd", Box::new(|message| blake2s_simd::blake2s(message).as_bytes().to_vec()))),
        _ => {}
    }
    all
}

fn main() {
    let rounds: usize = std::env::args().nth(1).map_or(15, |rounds| rounds.parse().expect("a number of rounds"));
    println!("{:12} {:13} {:>8} {:>17} {:>17}", "algorithm", "code", "bytes", "min ns/B", "median ns/B");
    for algorithm in Algorithm::all() {
        let candidates = candidates(algorithm);
        for length in [4 << 10, 1 << 20] {
            let message: Vec<u8> = (0..length).map(|i: usize| (i % 251) as u8).collect();
            let expected = candidates[0].1(&message);
            let mut times = vec![Vec::new(); candidates.len()];
            // About 10 ms a turn at 1 GB/s.
            let repeats = (10 << 20) / length;
            for _ in 0..rounds {
                for ((name, digest), times) in candidates.iter().zip(&mut times) {
                    assert_eq!(digest(&message), expected, "{algorithm} by {name}");
                    let start = Instant::now();
                    for _ in 0..repeats {
                        black_box(digest(black_box(&message)));
                    }
                    times.push(start.elapsed().as_secs_f64() * 1e9 / (repeats * length) as f64);
                }
            }
            for ((name, _), times) in candidates.iter().zip(&mut times) {
                times.sort_by(f64::total_cmp);
                let (min, median) = (times[0], times[times.len() / 2]);
                println!("{:12} {name:13} {length:>8} {min:>17.3} {median:>17.3}", algorithm.name());
            }
        }
    }
}
