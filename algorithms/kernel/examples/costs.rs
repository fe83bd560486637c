//! Times every kernel that this CPU can run and prints the costs for the tables: picoseconds per
//! block of all lanes.
//!
//! `cargo run --release -p pfh-kernel --example costs [ROUNDS]`; the messages are 4 KiB each, 64
//! bytes apart from alignment to a page so that they do not compete for the same cache sets.
//! Minimum and median over ROUNDS (default 9) interleaved rounds.

use pfh_kernel::stitched::Set;
use pfh_kernel::{
    BLAKE2B, BLAKE2S, Compression, KECCAK12, KECCAK24, Kernel, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, Word,
    stitched,
};
use std::hint::black_box;
use std::time::Instant;

/// Bytes of each message, for functions whose block divides it; others take as many whole blocks as
/// fit.
const MESSAGE: usize = 4096;
/// From one message to the next.
const STRIDE: usize = MESSAGE + 64;
/// A sample lasts about this long.
const SAMPLE_NS: u128 = 2_000_000;

fn main() {
    // The first caller pays for the test of all kernels of a function.
    let start = Instant::now();
    let _ =
        (MD5.one(), SHA1.one(), SHA256.one(), SHA512.one(), KECCAK24.one(), KECCAK12.one(), RIPEMD160.one(), SM3.one());
    let _ = stitched::ALL.iter().filter(|kernel| kernel.usable()).count();
    println!("tests of all usable kernels: {} microseconds", start.elapsed().as_micros());
    clock();
    let rounds = std::env::args().nth(1).map_or(9, |n| n.parse().expect("a number of rounds"));
    println!("Nanoseconds per byte.");
    println!("{:16} {:12} {:>8} {:>8} {:>12}", "function", "kernel", "min", "median", "ps per step");
    print(&MD5, 64, rounds);
    print(&SHA1, 64, rounds);
    print(&SHA256, 64, rounds);
    print(&SHA512, 128, rounds);
    print(&KECCAK24, 136, rounds);
    print(&KECCAK12, 168, rounds);
    print(&RIPEMD160, 64, rounds);
    print(&SM3, 64, rounds);
    print(&BLAKE2B, 128, rounds);
    print(&BLAKE2S, 64, rounds);
    print_stitched(rounds);
}

/// Sets of functions over one message of 64 KiB, ns per byte: by the kernel for the set, and as the
/// kernels of its functions take it one after the other.
fn print_stitched(rounds: usize) {
    let message = vec![0x5a; 1 << 16];
    let (mut md5, mut sha1, mut sha256, mut sha512) = ([0; 4], [0; 5], [0; 8], [0; 8]);
    for kernel in stitched::ALL.iter().filter(|kernel| kernel.usable()) {
        let (mut together, mut apart) = (Vec::new(), Vec::new());
        for _ in 0..4 * rounds {
            let start = Instant::now();
            let states = stitched::States {
                md5: kernel.set().has(Set::MD5).then_some(&mut md5),
                sha1: kernel.set().has(Set::SHA1).then_some(&mut sha1),
                sha256: kernel.set().has(Set::SHA256).then_some(&mut sha256),
                sha512: kernel.set().has(Set::SHA512).then_some(&mut sha512),
            };
            kernel.compress(states, black_box(&message));
            together.push(start.elapsed().as_nanos() as f64 / message.len() as f64);
            let start = Instant::now();
            let blocks = message.len() / 64;
            if kernel.set().has(Set::MD5) {
                MD5.one().compress(&mut md5, &[&message], blocks, 64);
            }
            if kernel.set().has(Set::SHA1) {
                SHA1.one().compress(&mut sha1, &[&message], blocks, 64);
            }
            if kernel.set().has(Set::SHA256) {
                SHA256.one().compress(&mut sha256, &[&message], blocks, 64);
            }
            if kernel.set().has(Set::SHA512) {
                SHA512.one().compress(&mut sha512, &[&message], blocks / 2, 128);
            }
            apart.push(start.elapsed().as_nanos() as f64 / message.len() as f64);
        }
        together.sort_by(f64::total_cmp);
        apart.sort_by(f64::total_cmp);
        println!("{:22} {:16} {:8.4} {:8.4}", kernel.functions(), kernel.name(), together[0], together[2 * rounds]);
        println!("{:22} {:16} {:8.4} {:8.4}", kernel.functions(), "in turn", apart[0], apart[2 * rounds]);
    }
}

/// One table, ns per byte.
fn print<W: Word>(compression: &'static Compression<W>, block: usize, rounds: usize) {
    for kernel in compression.refused() {
        println!("{:16} {:12} REFUSED: wrong answer", compression.name(), kernel.name());
    }
    let kernels: Vec<_> = compression.kernels().collect();
    let mut samples = vec![Vec::new(); kernels.len()];
    for _ in 0..rounds {
        for (kernel, samples) in kernels.iter().zip(&mut samples) {
            samples.push(sample(kernel, block));
        }
    }
    for (kernel, samples) in kernels.iter().zip(&mut samples) {
        samples.sort_by(f64::total_cmp);
        let (min, median) = (samples[0], samples[rounds / 2]);
        let step = min * (kernel.lanes() * block) as f64 * 1000.0;
        println!("{:16} {:12} {:8.4} {:8.4} {:12.0}", compression.name(), kernel.name(), min, median, step);
    }
}

/// Nanoseconds per byte of one run of about [`SAMPLE_NS`].
fn sample<W: Word>(kernel: &Kernel<W>, block: usize) -> f64 {
    let bytes = vec![0x5a; STRIDE * kernel.lanes()];
    let messages: Vec<&[u8]> = bytes.chunks_exact(STRIDE).map(|message| &message[..MESSAGE]).collect();
    let mut state = vec![W::default(); kernel.state_length()];
    let blocks = MESSAGE / block;
    let mut run = |times: u128| {
        let start = Instant::now();
        for _ in 0..times {
            kernel.compress(black_box(&mut state), &messages, blocks, block);
        }
        start.elapsed().as_nanos()
    };
    let times = SAMPLE_NS / run(8).div_ceil(8).max(1) + 1;
    run(times) as f64 / (times as f64 * (kernel.lanes() * blocks * block) as f64)
}

/// Prints the clock, from a chain of dependent additions: a virtual machine may offer no cycle
/// counter.
#[cfg(target_arch = "x86_64")]
fn clock() {
    const LOOPS: u64 = 1_000_000;
    let sample = |_| {
        let start = Instant::now();
        let mut sum = 1u64;
        for _ in 0..LOOPS {
            // SAFETY: eight additions in registers.
            unsafe {
                std::arch::asm!(
                    "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
                    "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
                    x = inout(reg) sum, y = in(reg) LOOPS, options(pure, nomem, nostack),
                );
            }
        }
        black_box(sum);
        start.elapsed().as_nanos()
    };
    let best = (0..9).map(sample).min().expect("nine samples");
    println!("clock, from a chain of dependent additions: {:.2} GHz", (8 * LOOPS) as f64 / best as f64);
}

/// Nothing is known of the clock here.
#[cfg(not(target_arch = "x86_64"))]
fn clock() {}
