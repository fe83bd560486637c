//! Many messages at once against one after another: the tables of `docs/kernels.md`.
//!
//! `cargo run --release -p pfh-digest --features peers --example shash
//! [sizes|hot|fig2|files|together|directory] [ROUNDS] [NAME]`
//!
//! `n-sms` is the kernel with the message schedule of one message in vector registers, whether it
//! is the one that is chosen here or not.
//!
//! * `sizes`: messages of 64 B, 4 KiB, 64 KiB and 1 MiB, in the cache (hot) and from memory; this
//!   crate's many, its single kernel, OpenSSL's and AWS-LC's single stream.
//! * `hot`: of `sizes`, 128 messages of 4 KiB in the cache and nothing else. `bench/run isal` runs
//!   it in turns with another library.
//! * `fig2`: figure 2 of Gueron and Krasnov: messages of 4 KiB resident in each cache and in
//!   memory, as many as there (4, 64, 512, 8,192), and beside them enough to fill wider lanes; and
//!   one message of 8 KiB alone.
//! * `files`: sets of messages like that paper's directories: UNIFORM is 8 of 18,623,835 bytes,
//!   DIVERSE the 350 sizes of its Table 1.
//! * `directory`, with a directory for NAME: SHA-256 of its files as that paper times it: a list of
//!   names, open, size, contents, digest, in this process. PFH_COLD=1 empties the page cache before
//!   each pass (root). The contents are read where the paper maps them.
//! * `together`: several digests of one message of 1 MiB, beside OpenSSL's in turn and OpenSSL's
//!   MD5 alone.
//!
//! PFH_WARM: that many runs of each candidate over the paper's sets of `fig2` before it is timed.
//!
//! `NAME` takes only that algorithm of `sizes`, `hot` and `fig2`. Answers are compared before
//! anything is timed. The candidates run in turns, so that a slow spell of the machine hits all of
//! them. Printed are nanoseconds of processor time per byte, minimum and median over the rounds
//! (default 9), a line of JSON per measurement.

use std::hint::black_box;

use aws_lc_rs::digest as aws;
use openssl::hash::MessageDigest;
use pfh_digest::{Algorithm, hash_many, update_together};
use pfh_kernel::{Compression, SHA256, SHA512, Word, sha256, sha512};
use rustix::time::{ClockId, clock_gettime};

/// Bytes from which messages that come from memory are taken: far more than any cache holds.
const POOL: usize = 512 << 20;
/// Bytes of a sample at least: several passes over few messages, so that the state in which the
/// candidate before left the CPU does not weigh in the time.
const SAMPLE: usize = 8 << 20;
/// Between messages, so that they do not all begin at the same place in a page and compete for the
/// same cache sets.
const SKEW: usize = 64;

const NAMES: [&str; 8] = ["md5", "sha1", "sha256", "sha512", "sha3-256", "ripemd160", "blake2b", "blake2s"];

type Run<'a> = Box<dyn Fn(&[&[u8]]) -> Vec<Vec<u8>> + 'a>;

fn candidates(name: &str) -> Vec<(&'static str, Run<'static>)> {
    let algorithm: Algorithm = name.parse().expect("a name of the registry");
    let mut all: Vec<(&'static str, Run<'static>)> = vec![
        ("many", Box::new(move |m| hash_many(algorithm, m).iter().map(|d| d.bytes().to_vec()).collect())),
        ("one", Box::new(move |m| m.iter().map(|m| algorithm.digest(m).bytes().to_vec()).collect())),
    ];
    let scheduled: Option<Run<'static>> = match name {
        "sha256" => scheduled(&SHA256, &sha256::INITIAL, 64, u32::to_be_bytes),
        "sha512" => scheduled(&SHA512, &sha512::INITIAL, 128, u64::to_be_bytes),
        _ => None,
    };
    all.extend(scheduled.map(|run| ("n-sms", run)));
    let peer = match name {
        "md5" => Some(MessageDigest::md5()),
        "sha1" => Some(MessageDigest::sha1()),
        "sha256" => Some(MessageDigest::sha256()),
        "sha512" => Some(MessageDigest::sha512()),
        "sha3-256" => Some(MessageDigest::sha3_256()),
        // OpenSSL 3 keeps it in the legacy provider of some builds.
        "ripemd160" => MessageDigest::from_name("ripemd160"),
        "blake2b" => MessageDigest::from_name("blake2b512"),
        "blake2s" => MessageDigest::from_name("blake2s256"),
        _ => None,
    };
    if let Some(peer) = peer.filter(|peer| openssl::hash::hash(*peer, b"").is_ok()) {
        all.push((
            "openssl",
            Box::new(move |m| {
                m.iter().map(|m| openssl::hash::hash(peer, m).expect("it ran before").to_vec()).collect()
            }),
        ));
    }
    let peer = match name {
        "sha1" => Some(&aws::SHA1_FOR_LEGACY_USE_ONLY),
        "sha256" => Some(&aws::SHA256),
        "sha512" => Some(&aws::SHA512),
        "sha3-256" => Some(&aws::SHA3_256),
        _ => None,
    };
    if let Some(peer) = peer {
        all.push(("aws-lc", Box::new(move |m| m.iter().map(|m| aws::digest(peer, m).as_ref().to_vec()).collect())));
    }
    all
}

/// One message after another by the kernel that keeps the message schedule of one message in vector
/// registers, the paper's n-SMS; `None` on processors without one.
fn scheduled<W: Word, const N: usize>(
    function: &'static Compression<W>,
    initial: &'static [W],
    block: usize,
    bytes: fn(W) -> [u8; N],
) -> Option<Run<'static>> {
    let kernel = ["avx2 x1", "sse4.1 x1"].iter().find_map(|name| function.kernels().find(|row| row.name() == *name))?;
    Some(Box::new(move |messages: &[&[u8]]| {
        let digest = |message: &&[u8]| {
            let (whole, rest) = message.split_at(message.len() / block * block);
            // FIPS 180-4, section 5.1: a bit, zeros, the length in bits.
            let mut last = [rest, &[0x80]].concat();
            last.resize((last.len() + block / 8).next_multiple_of(block), 0);
            let end = last.len();
            last[end - 8..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
            let mut state = initial.to_vec();
            kernel.compress(&mut state, &[whole], whole.len() / block, block);
            kernel.compress(&mut state, &[&last], end / block, block);
            state.into_iter().flat_map(bytes).collect()
        };
        messages.iter().map(digest).collect()
    }))
}

/// Nanoseconds that this thread has run: time that other programs have the processor is not
/// counted.
fn processor_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// The clock in GHz, from a chain of operations that take a cycle each, one after the other: a
/// virtual machine may offer no counter.
fn clock() -> f64 {
    const LOOPS: u64 = 4_000_000;
    let addend = black_box(0x9e37_79b9_7f4a_7c15u64);
    let sample = |_| {
        let start = processor_time();
        let last = (0..LOOPS).fold(1u64, |x, _| (x ^ addend).wrapping_add(addend).rotate_left(7));
        black_box(last);
        3.0 * LOOPS as f64 / (processor_time() - start)
    };
    (0..9).map(sample).fold(0.0, f64::max)
}

/// Times all candidates over the messages and prints a line each.
fn measure(table: &str, name: &str, label: &str, messages: &[&[u8]], rounds: usize) {
    compare(table, name, label, messages, rounds, candidates(name));
}

/// [`measure`] with other candidates.
fn compare(
    table: &str,
    name: &str,
    label: &str,
    messages: &[&[u8]],
    rounds: usize,
    candidates: Vec<(&'static str, Run<'static>)>,
) {
    let answers: Vec<_> = candidates.iter().map(|(_, run)| run(messages)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}: the candidates disagree");
    let bytes: usize = messages.iter().map(|message| message.len()).sum();
    // As the paper does, so that the data is where it should be.
    let warm = std::env::var("PFH_WARM").map_or(0, |runs| runs.parse().expect("PFH_WARM: a number of runs"));
    let is_the_papers = table == "fig2" && [4, 64, 512, 8192].contains(&messages.len());
    for (_, run) in &candidates {
        (0..if is_the_papers { warm } else { 0 }).for_each(|_| drop(black_box(run(black_box(messages)))));
    }
    let passes = SAMPLE / bytes.max(1) + 1;
    let mut samples = vec![Vec::new(); candidates.len()];
    for _ in 0..rounds {
        for ((_, run), samples) in candidates.iter().zip(&mut samples) {
            let start = processor_time();
            for _ in 0..passes {
                black_box(run(black_box(messages)));
            }
            samples.push((processor_time() - start) / (passes * bytes) as f64);
        }
    }
    let mut first = None;
    for ((candidate, _), samples) in candidates.iter().zip(&mut samples) {
        samples.sort_by(f64::total_cmp);
        let (min, median) = (samples[0], samples[rounds / 2]);
        let first = *first.get_or_insert(min);
        println!(
            "{{\"table\":\"{table}\",\"algorithm\":\"{name}\",\"messages\":\"{label}\",\"count\":{},\"by\":\"{candidate}\",\
             \"min_ns_per_byte\":{min:.4},\"median_ns_per_byte\":{median:.4},\"times_first\":{:.2}}}",
            messages.len(),
            min / first,
        );
    }
}

/// `count` messages of `size` bytes out of the pool.
fn messages(pool: &[u8], size: usize, count: usize) -> Vec<&[u8]> {
    (0..count).map(|i| &pool[i * (size + SKEW)..][..size]).collect()
}

fn sizes(pool: &[u8], rounds: usize, names: &[&str]) {
    for name in names {
        for (size, label) in [(64, "64 B"), (4096, "4 KiB"), (65_536, "64 KiB"), (1 << 20, "1 MiB")] {
            // Hot: as many as the widest kernel has lanes, again and again.
            measure("hot", name, label, &messages(pool, size, 64), rounds);
            // From memory: a pass over 128 MiB, or 32 MiB of the smallest.
            let count = if size == 64 { 1 << 18 } else { (128 << 20) / size };
            measure("memory", name, label, &messages(pool, size, count), rounds);
        }
    }
}

fn fig2(pool: &[u8], rounds: usize, names: &[&str]) {
    const PLACES: [(usize, &str); 8] = [
        (4, "L1, 4"),
        (8, "L1, 8"),
        (64, "L2, 64"),
        (128, "L2, 128"),
        (512, "L3, 512"),
        (2048, "L3, 2,048"),
        (8192, "memory, 8,192"),
        (65_536, "memory, 65,536"),
    ];
    for name in names {
        measure("single", name, "8 KiB alone", &messages(pool, 8192, 1), rounds);
        for (count, label) in PLACES {
            measure("fig2", name, label, &messages(pool, 4096, count), rounds);
        }
    }
}

/// The sizes of DIVERSE's files, as Table 1 of the paper prints them.
fn diverse() -> Vec<usize> {
    let table = include_str!("../../../bench/measure/diverse.txt");
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(|size| size.parse().expect("a size of ours")).collect()
}

fn files(pool: &[u8], rounds: usize) {
    let mut start = 0;
    let diverse: Vec<&[u8]> = diverse()
        .into_iter()
        .map(|size| {
            start = if start + size + SKEW > pool.len() { 0 } else { start };
            let message = &pool[start..][..size];
            start += size + SKEW;
            message
        })
        .collect();
    for name in ["sha256", "md5"] {
        measure("files", name, "DIVERSE", &diverse, rounds);
        measure("files", name, "UNIFORM", &messages(pool, 18_623_835, 8), rounds);
    }
}

/// Digests of a directory's files, and their times: processor time in nanoseconds a byte, seconds
/// that passed.
fn directory(place: &str, rounds: usize) {
    let mut names: Vec<_> =
        std::fs::read_dir(place).expect("a directory").map(|e| e.expect("an entry").path()).collect();
    names.sort();
    let is_cold = std::env::var_os("PFH_COLD").is_some_and(|value| value == "1");
    let sha256: Algorithm = "sha256".parse().expect("a name of the registry");
    let read = |name: &std::path::PathBuf| std::fs::read(name).expect("a file that can be read");
    let many = || {
        let contents: Vec<Vec<u8>> = names.iter().map(read).collect();
        let messages: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        hash_many(sha256, &messages).iter().map(|digest| digest.bytes().to_vec()).collect::<Vec<_>>()
    };
    let openssl = || {
        let peer = MessageDigest::sha256();
        names.iter().map(|name| openssl::hash::hash(peer, &read(name)).expect("OpenSSL has it").to_vec()).collect()
    };
    let scheduled = scheduled(&SHA256, &sha256::INITIAL, 64, u32::to_be_bytes);
    let n_sms = || {
        let contents: Vec<Vec<u8>> = names.iter().map(read).collect();
        let messages: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
        scheduled.as_ref().map_or_else(Vec::new, |run| run(&messages))
    };
    assert!(many() == openssl() && (scheduled.is_none() || many() == n_sms()), "the candidates disagree");
    let bytes: u64 = names.iter().map(|name| std::fs::metadata(name).expect("a file").len()).sum();
    let mut candidates: Vec<(&str, &dyn Fn() -> Vec<Vec<u8>>)> = vec![("many", &many), ("openssl", &openssl)];
    candidates.extend(scheduled.is_some().then_some(("n-sms", &n_sms as &dyn Fn() -> Vec<Vec<u8>>)));
    let mut samples = vec![Vec::new(); candidates.len()];
    for _ in 0..rounds {
        for ((_, run), samples) in candidates.iter().zip(&mut samples) {
            if is_cold {
                std::fs::write("/proc/sys/vm/drop_caches", "3\n").expect("root may");
            }
            let (start, clock) = (processor_time(), std::time::Instant::now());
            black_box(run());
            samples.push(((processor_time() - start) / bytes as f64, clock.elapsed().as_secs_f64()));
        }
    }
    for ((by, _), samples) in candidates.iter().zip(&mut samples) {
        let wall = samples.iter().map(|sample| sample.1).fold(f64::MAX, f64::min);
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (min, median) = (samples[0].0, samples[rounds / 2].0);
        println!(
            "{{\"table\":\"directory\",\"by\":\"{by}\",\"cold\":{is_cold},\"min_ns_per_byte\":{min:.4},\
             \"median_ns_per_byte\":{median:.4},\"min_seconds\":{wall:.6}}}"
        );
    }
}

fn together(pool: &[u8], rounds: usize) {
    let sets: [&'static [&'static str]; 4] =
        [&["md5", "sha1"], &["md5", "sha256"], &["sha1", "sha256"], &["md5", "sha1", "sha256"]];
    let message = [&pool[..1 << 20]];
    for set in sets {
        let ours: Run<'static> = Box::new(move |messages| {
            let mut hashers: Vec<_> =
                set.iter().map(|name| name.parse::<Algorithm>().expect("a name").hasher()).collect();
            update_together(&mut hashers.iter_mut().collect::<Vec<_>>(), messages[0]);
            hashers.into_iter().map(|hasher| hasher.finalize().bytes().to_vec()).collect()
        });
        let peers: Run<'static> = Box::new(move |messages| {
            let peer = |name: &&str| MessageDigest::from_name(name).expect("OpenSSL has it");
            set.iter()
                .map(|name| openssl::hash::hash(peer(name), messages[0]).expect("OpenSSL has it").to_vec())
                .collect()
        });
        compare(
            "together",
            &set.join("+"),
            "1 MiB",
            &message,
            rounds,
            vec![("together", ours), ("openssl in turn", peers)],
        );
    }
    measure("together", "md5", "1 MiB", &message, rounds);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let table = arguments.next();
    let rounds = arguments.next().map_or(9, |rounds| rounds.parse().expect("a number of rounds"));
    let name = arguments.next();
    if table.as_deref() == Some("directory") {
        println!("{{\"clock_ghz\":{:.3}}}", clock());
        return directory(name.as_deref().expect("a directory"), rounds);
    }
    let names: Vec<&str> = name.as_deref().map_or(NAMES.to_vec(), |name| vec![name]);
    // Messages that stay in the cache need no pool larger than the cache.
    let size = if table.as_deref() == Some("hot") { 1 << 20 } else { POOL };
    let pool: Vec<u8> = (0..size).map(|i| (i ^ i >> 9) as u8).collect();
    println!("{{\"clock_ghz\":{:.3}}}", clock());
    println!("{{\"note\":\"{}; isa-l_crypto: see bench/run isal\"}}", openssl::version::version());
    match table.as_deref() {
        Some("sizes") => sizes(&pool, rounds, &names),
        Some("hot") => names.iter().for_each(|name| measure("hot", name, "4 KiB", &messages(&pool, 4096, 128), rounds)),
        Some("fig2") => fig2(&pool, rounds, &names),
        Some("files") => files(&pool, rounds),
        Some("together") => together(&pool, rounds),
        _ => {
            sizes(&pool, rounds, &names);
            fig2(&pool, rounds, &names);
            files(&pool, rounds);
            together(&pool, rounds);
        }
    }
}
