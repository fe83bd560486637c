//! The table of Lopes, Franqueira & Hobson: one long buffer, each tree mode on one core and on all, beside serial hashes.
//!
//! `cargo run --release -p pfh-tree --example speed [MIB] [ROUNDS]` (default 256 MiB, 5 rounds)
//!
//! Digests on one and on all threads must be equal before times count. The modes run in turns; printed are MB/s (10^6 bytes) by
//! the minimum and median of the rounds' wall times, the speed-up of all threads over one and its efficiency by the minima.

use std::hint::black_box;
use std::time::Instant;

use pfh_digest::{Algorithm, Executor, ROWS as PLAIN, Registry, Task};
use pfh_tree::ROWS;

static ALL: Registry = Registry::new(&[ROWS, PLAIN]);

struct Threads(usize);

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        std::thread::scope(|scope| {
            let mut tasks = tasks.into_iter();
            let mine = tasks.next();
            let others: Vec<_> = tasks.map(|task| scope.spawn(task)).collect();
            mine.into_iter().for_each(|task| task());
            others.into_iter().for_each(|other| other.join().expect("a task ran to its end"));
        });
    }
}

fn digest(algorithm: Algorithm, buffer: &[u8], threads: usize) -> String {
    let mut hasher = algorithm.hasher();
    // Pieces as a reader with large buffers delivers them.
    buffer.chunks(8 << 20).for_each(|piece| hasher.update_on(piece, &Threads(threads)));
    hasher.finalize().to_string()
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let length = arguments.next().unwrap_or(256) << 20;
    let rounds = arguments.next().unwrap_or(5);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let buffer: Vec<u8> = (0..length as u64).map(|i| (i.wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect();

    let trees = ["kt128", "kt256", "parallelhash128", "parallelhash256", "sakura-fng-128", "sakura-fng-256"];
    let rest = ["sakura-li-128", "sakura-li-256", "blake3", "sha3-256", "shake128", "sha512", "sha256"];
    let algorithms: Vec<Algorithm> =
        trees.iter().chain(&rest).map(|name| ALL.find(name).expect("a registered name")).collect();
    let mut times = vec![[Vec::new(), Vec::new()]; algorithms.len()];
    for _ in 0..rounds {
        for (algorithm, times) in algorithms.iter().zip(&mut times) {
            let mut digests = Vec::new();
            for (threads, times) in [1, threads].into_iter().zip(times) {
                let start = Instant::now();
                digests.push(black_box(digest(*algorithm, black_box(&buffer), threads)));
                times.push(start.elapsed().as_secs_f64());
            }
            assert_eq!(digests[0], digests[1], "{algorithm}");
        }
    }
    println!("{} MiB, {rounds} rounds, {threads} threads; MB/s by minimum (median) of wall times", length >> 20);
    println!("{:18} {:>15} {:>15} {:>9} {:>10}", "algorithm", "one thread", "all threads", "speed-up", "efficiency");
    for (algorithm, times) in algorithms.iter().zip(&mut times) {
        let rate = |seconds: f64| length as f64 / seconds / 1e6;
        let cells: Vec<(f64, f64)> = times
            .iter_mut()
            .map(|times| {
                times.sort_by(f64::total_cmp);
                (times[0], times[times.len() / 2])
            })
            .collect();
        let cell = |(min, median): (f64, f64)| format!("{:.0} ({:.0})", rate(min), rate(median));
        let speedup = cells[0].0 / cells[1].0;
        println!(
            "{:18} {:>15} {:>15} {speedup:>9.2} {:>10.2}",
            algorithm.name(),
            cell(cells[0]),
            cell(cells[1]),
            speedup / threads as f64
        );
    }
}
