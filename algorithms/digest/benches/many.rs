//! Many messages at once beside OpenSSL's single stream in the same run: 64 B, 4 KiB, 64 KiB and 1
//! MiB, in the cache and from memory.
//!
//! `cargo bench -p pfh-digest --features peers --bench many [FILTER]`, for example `sha256/4 KiB
//! hot`. Digests are compared before anything is timed. Throughput is in bytes per second of wall
//! time; `examples/shash.rs` measures processor time in interleaved rounds.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use openssl::hash::{MessageDigest, hash};
use pfh_digest::{Algorithm, hash_many};

/// Bytes between two uses of the same message, where messages come from memory.
const POOL: usize = 256 << 20;
/// Between messages, so that they do not all begin at the same place in a page.
const SKEW: usize = 64;
/// Messages at once: as many as the widest kernel has lanes.
const MESSAGES: usize = 64;

fn all(criterion: &mut Criterion) {
    let pool: Vec<u8> = (0..POOL).map(|i| (i ^ i >> 9) as u8).collect();
    for name in ["md5", "sha1", "sha256", "sha512", "sha3-256", "ripemd160"] {
        let algorithm: Algorithm = name.parse().expect("a name of the registry");
        // OpenSSL 3 keeps RIPEMD-160 in the legacy provider of some builds.
        let peer = MessageDigest::from_name(name).filter(|peer| hash(*peer, b"").is_ok());
        for (size, label) in [(64, "64 B"), (4 << 10, "4 KiB"), (64 << 10, "64 KiB"), (1 << 20, "1 MiB")] {
            let set = MESSAGES * (size + SKEW);
            let at = |start: usize| -> Vec<&[u8]> {
                (0..MESSAGES).map(|i| &pool[start + i * (size + SKEW)..][..size]).collect()
            };
            let first = at(0);
            let digests = hash_many(algorithm, &first);
            for (message, digest) in first.iter().zip(&digests) {
                assert_eq!(*digest, algorithm.digest(message), "{name}");
                assert!(
                    peer.is_none_or(|peer| *hash(peer, message).expect("it ran before") == *digest.bytes()),
                    "{name}"
                );
            }
            let sets: Vec<Vec<&[u8]>> = (0..POOL / set).map(|i| at(i * set)).collect();
            for (sets, place) in [(&sets[..1], "hot"), (&sets[..], "memory")] {
                let mut group = criterion.benchmark_group(format!("{name}/{label} {place}"));
                group.throughput(Throughput::Bytes((MESSAGES * size) as u64));
                let mut turns = sets.iter().cycle();
                let mut next = || turns.next().expect("a cycle has no end");
                group.bench_function("many", |bencher| bencher.iter(|| hash_many(algorithm, next())));
                group.bench_function("one", |bencher| {
                    bencher.iter(|| next().iter().map(|message| algorithm.digest(message)).collect::<Vec<_>>());
                });
                if let Some(peer) = peer {
                    group.bench_function("openssl", |bencher| {
                        bencher.iter(|| {
                            next().iter().map(|message| hash(peer, message).expect("it ran before")).collect::<Vec<_>>()
                        });
                    });
                }
                group.finish();
            }
        }
    }
}

criterion_group! {
    name = many;
    // Some hundred and thirty measurements: a second and a half each.
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_millis(1200));
    targets = all
}
criterion_main!(many);
