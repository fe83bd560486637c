//! The table of Lopes, Franqueira & Hobson: one long buffer, each tree mode on one core and on all,
//! beside serial hashes.
//!
//! `cargo run --release -p pfh-tree --example modes [MEGABYTES] [ROUNDS]` (default 256 MB, 5
//! rounds; the paper's buffer has 2,000)
//!
//! Digests on one and on all threads must be equal before times count. The modes run in turns.
//! Printed are the minima over the rounds, with the median of the rate in parentheses: seconds and
//! MB (10^6 bytes) per second of CPU time on one thread; seconds and MB per second of wall time on
//! all; the speed-up of all over one in wall time and its efficiency; the CPU time of all threads
//! relative to that of one, which other users of the machine disturb least; cycles per byte on one
//! thread. A cycle is the time of one addition in a chain of dependent ones, measured beside each
//! round.

use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

use pfh_digest::{Algorithm, Executor, ROWS as PLAIN, Registry, Task};
use pfh_tree::ROWS;

static ALL: Registry = Registry::new(&[&ROWS, &PLAIN]);

struct Threads(usize);

impl Executor for Threads {
    fn width(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let tasks = Mutex::new(tasks.into_iter());
        let next = || tasks.lock().expect("no task panics").next();
        let work = || std::iter::from_fn(next).for_each(|task| task());
        std::thread::scope(|scope| {
            (1..self.0).for_each(|_| drop(scope.spawn(work)));
            work();
        });
    }
}

/// CPU seconds of the whole process, in steps of 10 ms.
fn process_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    // Fields 14 and 15, counted after the name in parentheses.
    let fields: Vec<&str> = text.rsplit(')').next().expect("a name").split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<f64>().expect("ticks")).sum::<f64>() / 100.0
}

/// Seconds that this thread has been on a CPU, by Linux's count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux with schedstat");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

/// Cycles per second, by a chain of additions that take one each.
fn clock() -> f64 {
    const STEPS: u64 = 20_000_000;
    let start = cpu_seconds();
    let mut sum = black_box(1u64);
    for step in 0..STEPS {
        // The second addition needs the first; black_box keeps the compiler from closing the sum.
        sum = sum.wrapping_add(step);
        sum = sum.rotate_left(1);
    }
    black_box(sum);
    2.0 * STEPS as f64 / (cpu_seconds() - start)
}

fn digest(algorithm: Algorithm, buffer: &[u8], threads: usize) -> String {
    let mut hasher = algorithm.hasher();
    // As many bytes as the engine takes at a time.
    buffer.chunks(32 << 20).for_each(|piece| hasher.update_on(&[piece], &Threads(threads)));
    hasher.finalize().to_string()
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let length = arguments.next().unwrap_or(256) * 1_000_000;
    let rounds = arguments.next().unwrap_or(5);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let buffer: Vec<u8> = (0..length as u64).map(|i| (i.wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect();

    let trees = ["kt128", "kt256", "parallelhash128", "parallelhash256", "sakura-fng-128", "sakura-fng-256"];
    let rest = ["sakura-li-128", "sakura-li-256", "blake3", "sha3-256", "shake128", "sha512", "sha256"];
    let algorithms: Vec<Algorithm> =
        trees.iter().chain(&rest).map(|name| ALL.find(name).expect("a registered name")).collect();
    let mut cpu = vec![Vec::new(); algorithms.len()];
    let mut walls = vec![[Vec::new(), Vec::new()]; algorithms.len()];
    let mut shared = vec![Vec::new(); algorithms.len()];
    let mut clocks = vec![clock()];
    for _ in 0..rounds {
        for (((algorithm, cpu), walls), shared) in algorithms.iter().zip(&mut cpu).zip(&mut walls).zip(&mut shared) {
            let mut digests = Vec::new();
            for (threads, walls) in [1, threads].into_iter().zip(walls) {
                let (start, busy, all) = (Instant::now(), cpu_seconds(), process_seconds());
                digests.push(black_box(digest(*algorithm, black_box(&buffer), threads)));
                walls.push(start.elapsed().as_secs_f64());
                if digests.len() == 1 {
                    cpu.push(cpu_seconds() - busy);
                } else {
                    shared.push(process_seconds() - all);
                }
            }
            assert_eq!(digests[0], digests[1], "{algorithm}");
        }
        clocks.push(clock());
    }
    let clock = clocks.iter().copied().fold(0.0, f64::max);
    println!("{} MB, {rounds} rounds, {threads} threads, {:.2} GHz", length / 1_000_000, clock / 1e9);
    println!();
    println!(
        "| mode | 1 core, s | MB/s | {threads} cores, s | MB/s | speed-up | efficiency | CPU, all : one | cycles/byte |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (((algorithm, cpu), walls), shared) in algorithms.iter().zip(&mut cpu).zip(&mut walls).zip(&mut shared) {
        let ordered = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            (times[0], times[times.len() / 2])
        };
        let rate = |(min, median): (f64, f64)| {
            format!("{min:.3} | {:.0} ({:.0})", length as f64 / min / 1e6, length as f64 / median / 1e6)
        };
        let (cpu, one, all) = (ordered(cpu), ordered(&mut walls[0]), ordered(&mut walls[1]));
        let speedup = one.0 / all.0;
        println!(
            "| {} | {} | {} | {speedup:.2} | {:.2} | {:.2} | {:.2} |",
            algorithm.name(),
            rate(cpu),
            rate(all),
            speedup / threads as f64,
            ordered(shared).0 / cpu.0,
            cpu.0 * clock / length as f64,
        );
    }
}
