//! The table of Lopes, Franqueira & Hobson: one long buffer, each tree mode on one core and on all, beside serial hashes.
//!
//! `cargo run --release -p pfh-tree --example modes [MIB] [ROUNDS]` (default 256 MiB, 5 rounds)
//!
//! Digests on one and on all threads must be equal before times count. The modes run in turns. Printed are, minimum (median) over the
//! rounds: on one thread MB (10^6 bytes) per second of CPU time and cycles per byte; on all threads MB per second of wall time, the
//! speed-up over one thread's wall time and its efficiency. On a machine that others use only the CPU times mean anything. A
//! cycle is what a chain of dependent additions takes for one, measured beside each round.

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

/// Seconds that this thread has been on a CPU; Linux tells.
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
    // Pieces as a reader with large buffers delivers them.
    buffer.chunks(8 << 20).for_each(|piece| hasher.update_on(&[piece], &Threads(threads)));
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
    let mut cpu = vec![Vec::new(); algorithms.len()];
    let mut walls = vec![[Vec::new(), Vec::new()]; algorithms.len()];
    let mut clocks = vec![clock()];
    for _ in 0..rounds {
        for ((algorithm, cpu), walls) in algorithms.iter().zip(&mut cpu).zip(&mut walls) {
            let mut digests = Vec::new();
            for (threads, walls) in [1, threads].into_iter().zip(walls) {
                let (start, busy) = (Instant::now(), cpu_seconds());
                digests.push(black_box(digest(*algorithm, black_box(&buffer), threads)));
                walls.push(start.elapsed().as_secs_f64());
                if digests.len() == 1 {
                    cpu.push(cpu_seconds() - busy);
                }
            }
            assert_eq!(digests[0], digests[1], "{algorithm}");
        }
        clocks.push(clock());
    }
    let clock = clocks.iter().copied().fold(0.0, f64::max);
    println!("{} MiB, {rounds} rounds, {threads} threads, {:.2} GHz", length >> 20, clock / 1e9);
    println!(
        "{:18} {:>15} {:>11} {:>15} {:>9} {:>10}",
        "algorithm", "MB/cpu-s", "cycles/byte", "MB/s, all", "speed-up", "efficiency"
    );
    for ((algorithm, cpu), walls) in algorithms.iter().zip(&mut cpu).zip(&mut walls) {
        let ordered = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            (times[0], times[times.len() / 2])
        };
        let rate = |(min, median): (f64, f64)| {
            format!("{:.0} ({:.0})", length as f64 / min / 1e6, length as f64 / median / 1e6)
        };
        let (cpu, one, all) = (ordered(cpu), ordered(&mut walls[0]), ordered(&mut walls[1]));
        let speedup = one.0 / all.0;
        println!(
            "{:18} {:>15} {:>11.2} {:>15} {speedup:>9.2} {:>10.2}",
            algorithm.name(),
            rate(cpu),
            cpu.0 * clock / length as f64,
            rate(all),
            speedup / threads as f64
        );
    }
}
