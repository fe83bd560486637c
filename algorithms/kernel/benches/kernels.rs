//! Every kernel that this CPU can run, on messages of 64 B, 4 KiB, 64 KiB and 1 MiB, in the cache
//! and from memory.
//!
//! `cargo bench -p pfh-kernel --features bench --bench kernels [FILTER]`, for example
//! `sha256/avx512 x32/4 KiB hot`. Each kernel's states are compared with the portable kernel's
//! before it is timed. Throughput is in bytes of all lanes per second of wall time:
//! `examples/costs.rs` measures what the tables need. No cycles are counted: machines without
//! counters, as this was written on, could not run it.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pfh_kernel::{Compression, KECCAK24, Kernel, MD5, RIPEMD160, SHA1, SHA256, SHA512, Word};

/// What "from memory" goes through before it comes back to the same bytes.
const POOL: usize = 256 << 20;
/// Between messages, so that they do not all begin at the same place in a page.
const SKEW: usize = 64;

/// The states of all lanes, message by message, after their blocks.
fn states<W: Word>(kernel: &Kernel<W>, messages: &[&[u8]], block: usize) -> Vec<W> {
    let mut state = vec![W::default(); kernel.state_length()];
    kernel.compress(&mut state, messages, messages[0].len() / block, block);
    let words = kernel.state_length() / kernel.lanes();
    (0..kernel.lanes())
        .flat_map(|lane| (0..words).map(move |word| (word, lane)))
        .map(|(w, l)| state[kernel.position(w, l)])
        .collect()
}

fn function<W: Word>(criterion: &mut Criterion, compression: &'static Compression<W>, block: usize, pool: &[u8]) {
    for kernel in compression.kernels() {
        let mut group = criterion.benchmark_group(format!("{}/{}", compression.name(), kernel.name()));
        for (size, label) in [(64, "64 B"), (4 << 10, "4 KiB"), (64 << 10, "64 KiB"), (1 << 20, "1 MiB")] {
            // As many whole blocks as fit; one where none does.
            let length = (size / block).max(1) * block;
            let stride = length + SKEW;
            let step = stride * kernel.lanes();
            let at = |start: usize| -> Vec<&[u8]> {
                (0..kernel.lanes()).map(|lane| &pool[start + lane * stride..][..length]).collect()
            };
            let first = at(0);
            let expected: Vec<W> =
                first.iter().flat_map(|message| states(compression.portable(), &[message], block)).collect();
            assert_eq!(states(kernel, &first, block), expected, "{} {}", compression.name(), kernel.name());
            group.throughput(Throughput::Bytes((length * kernel.lanes()) as u64));
            let mut state = vec![W::default(); kernel.state_length()];
            group.bench_function(BenchmarkId::from_parameter(format!("{label} hot")), |bencher| {
                bencher.iter(|| kernel.compress(&mut state, &first, length / block, block));
            });
            let places: Vec<Vec<&[u8]>> = (0..POOL / step).map(|place| at(place * step)).collect();
            let mut turn = 0;
            group.bench_function(BenchmarkId::from_parameter(format!("{label} memory")), |bencher| {
                bencher.iter(|| {
                    kernel.compress(&mut state, &places[turn], length / block, block);
                    turn = (turn + 1) % places.len();
                });
            });
        }
        group.finish();
    }
}

fn all(criterion: &mut Criterion) {
    let pool: Vec<u8> = (0..POOL).map(|i| (i ^ i >> 9) as u8).collect();
    function(criterion, &MD5, 64, &pool);
    function(criterion, &SHA1, 64, &pool);
    function(criterion, &SHA256, 64, &pool);
    function(criterion, &SHA512, 128, &pool);
    function(criterion, &KECCAK24, 136, &pool);
    function(criterion, &RIPEMD160, 64, &pool);
}

criterion_group! {
    name = kernels;
    // Some four hundred measurements: a second each.
    config = Criterion::default().sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800));
    targets = all
}
criterion_main!(kernels);
