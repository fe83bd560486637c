//! The cost of keeping the lanes filled, beside the kernels' own work.
//!
//! `cargo run --release -p pfh-digest --example scheduler [ROUNDS] [DIRECTORY]`
//!
//! The kernel's own cost is that of the best kernel for many over the same bytes cut into equal
//! messages, one per lane, so that nothing has to be scheduled or put out, times what the padding
//! adds to the blocks. Against it: messages of 64 B, 4 KiB and 64 KiB in the cache; and, of a
//! directory, every file, in batches as the pipeline makes them: 32 MiB at a time, files longer
//! than 1 MiB in pieces of 1 MiB, one piece per batch. Minimum and median over the rounds (default
//! 9) of nanoseconds of processor time per byte. Digests are compared with the single kernel's
//! first.

use std::collections::VecDeque;
use std::hint::black_box;
use std::path::Path;

use pfh_digest::{Algorithm, Digest, Hasher, finalize_many, hash_many, update_many};
use pfh_kernel::{Compression, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, Word};
use rustix::time::{ClockId, clock_gettime};

/// Between messages, so that they do not all begin at the same place in a page.
const SKEW: usize = 64;
/// The pipeline's batch and its longest chunk.
const BATCH: usize = 32 << 20;
const CHUNK: usize = 1 << 20;

fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The best kernel for many over the bytes of each batch in equal parts.
fn alone<W: Word>(compression: &'static Compression<W>, block: usize, batches: &[&[u8]]) {
    let kernel = compression.usable()[0];
    let mut state = vec![W::default(); kernel.state_length() + 16];
    let start = state.as_ptr().align_offset(64);
    let state = &mut state[start..][..kernel.state_length()];
    for batch in batches {
        let blocks = batch.len() / kernel.lanes() / block;
        // An odd number of blocks, so that the parts do not all begin at the same place in a page.
        let part = (blocks - (blocks + 1) % 2) * block;
        let lanes: Vec<&[u8]> = (0..kernel.lanes()).map(|l| &batch[l * part..][..part]).collect();
        kernel.compress(state, &lanes, part / block, block);
    }
    black_box(state);
}

fn kernel_alone(name: &str, batches: &[&[u8]]) {
    match name {
        "md5" => alone(&MD5, 64, batches),
        "sha1" => alone(&SHA1, 64, batches),
        "sha256" => alone(&SHA256, 64, batches),
        "sha512" => alone(&SHA512, 128, batches),
        "sha3-256" => alone(&KECCAK24, 136, batches),
        "ripemd160" => alone(&RIPEMD160, 64, batches),
        other => panic!("no kernel for {other}"),
    }
}

/// Times both in turns and prints a line.
fn compare(name: &str, label: &str, lengths: &[usize], rounds: usize, kernel: &dyn Fn(), scheduler: &dyn Fn()) {
    let bytes: usize = lengths.iter().sum();
    let passes = (1 << 23) / bytes.max(1) + 1;
    // The least padding: nine bytes, seventeen, or one.
    let (block, padding) = match name {
        "sha512" => (128, 17),
        "sha3-256" => (136, 1),
        _ => (64, 9),
    };
    let padded =
        lengths.iter().map(|length| (length + padding).next_multiple_of(block)).sum::<usize>() as f64 / bytes as f64;
    let mut samples = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (run, samples) in [kernel, scheduler].into_iter().zip(&mut samples) {
            let start = processor_time();
            (0..passes).for_each(|_| run());
            samples.push((processor_time() - start) / (passes * bytes) as f64);
        }
    }
    samples.iter_mut().for_each(|samples| samples.sort_by(f64::total_cmp));
    samples[0].iter_mut().for_each(|sample| *sample *= padded);
    let [kernel, scheduler] = samples.map(|samples| (samples[0], samples[rounds / 2]));
    println!(
        "{name:10} {label:28} {:8.4} {:8.4} {:8.4} {:8.4} {:+7.1} %",
        kernel.0,
        kernel.1,
        scheduler.0,
        scheduler.1,
        (scheduler.0 / kernel.0 - 1.0) * 100.0
    );
}

fn hot(name: &str, rounds: usize) {
    let algorithm: Algorithm = name.parse().expect("a name");
    for (size, label) in [(64, "64 B"), (4096, "4 KiB"), (65_536, "64 KiB")] {
        // Fewer of the large messages, as the cache (1 MiB) is to hold them.
        let count = if size < 65_536 { 128 } else { 64 };
        let pool: Vec<u8> = (0..count * (size + SKEW) + 4096).map(|i| (i ^ i >> 9) as u8).collect();
        let messages: Vec<&[u8]> = (0..count).map(|i| &pool[i * (size + SKEW)..][..size]).collect();
        let expected: Vec<Digest> = messages.iter().map(|message| algorithm.digest(message)).collect();
        assert_eq!(hash_many(algorithm, &messages), expected);
        let bytes = count * size;
        let batch = [&pool[..bytes]];
        let own: &dyn Fn() = &|| kernel_alone(name, &batch);
        compare(name, &format!("{count} of {label}"), &vec![size; count], rounds, own, &|| {
            black_box(hash_many(algorithm, black_box(&messages)));
        });
    }
}

fn read(directory: &Path, files: &mut Vec<Vec<u8>>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(directory).expect("a directory").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            read(&path, files);
        } else if path.is_file() {
            files.push(std::fs::read(&path).expect("a file that can be read"));
        }
    }
}

/// One batch: which file, from where to where.
type Batch = Vec<(usize, std::ops::Range<usize>)>;

fn batches(files: &[Vec<u8>]) -> Vec<Batch> {
    let mut waiting: VecDeque<(usize, usize)> = (0..files.len()).map(|file| (file, 0)).collect();
    let mut batches = Vec::new();
    while !waiting.is_empty() {
        let (mut batch, mut bytes, mut later): (Batch, _, _) = (Vec::new(), 0, Vec::new());
        while bytes < BATCH && batch.len() < 1024 {
            let Some((file, from)) = waiting.pop_front() else { break };
            let to = files[file].len().min(from + CHUNK);
            bytes += to - from;
            batch.push((file, from..to));
            if to < files[file].len() {
                later.push((file, to));
            }
        }
        // The next piece of a long file comes with the next batch.
        later.into_iter().rev().for_each(|piece| waiting.push_front(piece));
        batches.push(batch);
    }
    batches
}

fn schedule(algorithm: Algorithm, files: &[Vec<u8>], batches: &[Batch]) -> Vec<Digest> {
    let mut digests: Vec<Option<Digest>> = vec![None; files.len()];
    let mut open: Vec<Option<Hasher>> = (0..files.len()).map(|_| None).collect();
    for batch in batches {
        let is_whole = |file: usize, range: &std::ops::Range<usize>| *range == (0..files[file].len());
        let (whole, parts): (Batch, Batch) = batch.iter().cloned().partition(|(file, range)| is_whole(*file, range));
        if parts.is_empty() {
            let messages: Vec<&[u8]> = whole.iter().map(|(file, _)| &files[*file][..]).collect();
            for ((file, _), digest) in whole.iter().zip(hash_many(algorithm, &messages)) {
                digests[*file] = Some(digest);
            }
            continue;
        }
        let mut hashers: Vec<(usize, Hasher)> =
            parts.iter().map(|(file, _)| (*file, open[*file].take().unwrap_or_else(|| algorithm.hasher()))).collect();
        hashers.extend(whole.iter().map(|(file, _)| (*file, algorithm.hasher())));
        let ranges = parts.iter().chain(&whole);
        let mut jobs: Vec<(&mut Hasher, &[u8])> = hashers
            .iter_mut()
            .zip(ranges)
            .map(|((file, hasher), (_, range))| (hasher, &files[*file][range.clone()]))
            .collect();
        update_many(&mut jobs);
        let ends: Vec<usize> = parts.iter().chain(&whole).map(|(_, range)| range.end).collect();
        let (mut names, mut done) = (Vec::new(), Vec::new());
        for ((file, hasher), end) in hashers.into_iter().zip(ends) {
            if end == files[file].len() {
                names.push(file);
                done.push(hasher);
            } else {
                open[file] = Some(hasher);
            }
        }
        for (file, digest) in names.into_iter().zip(finalize_many(done)) {
            digests[file] = Some(digest);
        }
    }
    digests.into_iter().map(|digest| digest.expect("every file has its digest")).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let rounds = arguments.next().map_or(9, |rounds| rounds.parse().expect("a number of rounds"));
    let names = ["md5", "sha1", "sha256", "sha512", "sha3-256", "ripemd160"];
    println!("{:10} {:28} {:>17} {:>17} {:>9}", "", "ns/B, minimum and median:", "kernel alone", "scheduled", "loss");
    for name in names {
        hot(name, rounds);
    }
    let Some(directory) = arguments.next() else { return };
    let mut files = Vec::new();
    read(Path::new(&directory), &mut files);
    let batches = batches(&files);
    let lengths: Vec<usize> = files.iter().map(Vec::len).collect();
    let total: usize = lengths.iter().sum();
    println!("{}: {} files, {total} bytes, {} batches", directory, files.len(), batches.len());
    // The same bytes for the kernel alone.
    let flat: Vec<u8> = files.concat();
    let parts: Vec<&[u8]> = flat.chunks(BATCH).collect();
    for name in names {
        let algorithm: Algorithm = name.parse().expect("a name");
        let digests = schedule(algorithm, &files, &batches);
        assert!(files.iter().zip(&digests).step_by(7).all(|(file, digest)| algorithm.digest(file) == *digest));
        compare(name, "the directory", &lengths, rounds, &|| kernel_alone(name, &parts), &|| {
            black_box(schedule(algorithm, &files, &batches));
        });
    }
}
