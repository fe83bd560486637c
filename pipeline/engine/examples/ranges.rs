//! The cost of a long file under a tree by ranges, and its time on more processors: `cargo run
//! --release -p pfh-engine --example ranges [FILE]`. FILE is to be cached; without one, 256 MiB are
//! made in memory.
//!
//! Processor seconds a GiB of one thread, least of nine turns: the copy from the page cache to a
//! buffer that stays in the second-level cache, the hash of that buffer, the join of the values,
//! and handing out a range. Each step is checked first: the joined digest is that of the whole.
//!
//! The model: all but the join is shared out, so n processors take (copy + hash + join) / n, never
//! less than the join, which is the only step in order, and never less than the file's way over the
//! memory bus. Each byte takes that once: the buffers are not written back. Readers know the speed
//! of their own bus; the figures are those of common servers.
//!
//! Leaf interleaving goes through the file in order: one processor copies while the others hash,
//! and each buffer takes as long as the slowest of its shares. They are handed out as for n threads
//! and run one after the other, so that each is measured alone.

use pfh_digest::{Algorithm, Executor, ROWS, Registry, Task};
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

static ALL: Registry = Registry::new(&[&ROWS, &pfh_tree::ROWS]);

const SLICE: usize = 256 << 10;
const TURNS: usize = 9;
const GIB: f64 = (1u64 << 30) as f64;
/// Bytes per second of a memory bus.
const BUSES: [f64; 3] = [40e9, 200e9, 400e9];

/// Processor time of this process, which has one thread.
fn cpu() -> Duration {
    pfh_source::os::cpu_time()
}

/// Seconds a GiB, least of several turns, of something that goes over `bytes` bytes.
fn least(bytes: usize, mut once: impl FnMut()) -> f64 {
    let turn = |_| {
        let from = cpu();
        once();
        (cpu() - from).as_secs_f64()
    };
    (0..TURNS).map(turn).fold(f64::INFINITY, f64::min) * GIB / bytes as f64
}

/// Bytes that leaf interleaving shares out at once, as in a run.
const BUFFER: usize = 32 << 20;

/// Hands out work as to `width` threads and does it on one. Keeps the time of the slowest shares
/// and that of all.
struct Apart {
    width: usize,
    times: Mutex<(Duration, Duration)>,
}

impl Executor for Apart {
    fn width(&self) -> usize {
        self.width
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let mut slowest = Duration::ZERO;
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        for task in tasks {
            let from = cpu();
            task();
            let took = cpu() - from;
            slowest = slowest.max(took);
            times.1 += took;
        }
        times.0 += slowest;
    }
}

/// Leaf interleaving of this memory on `width` threads: seconds a GiB of the slowest shares and all
/// that is not shared out, and of all shares together. The digest is `expected`.
fn interleaved(algorithm: Algorithm, memory: &[u8], width: usize, expected: &[u8]) -> (f64, f64) {
    let mut least = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        let apart = Apart { width, times: Mutex::default() };
        let from = cpu();
        let mut hasher = algorithm.hasher();
        memory.chunks(BUFFER).for_each(|buffer| hasher.update_on(&[buffer], &apart));
        assert_eq!(hasher.finalize().bytes(), expected, "{algorithm} on {width} threads");
        let whole = cpu() - from;
        let (slowest, all) = apart.times.into_inner().unwrap_or_else(PoisonError::into_inner);
        let per_gib = |time: Duration| time.as_secs_f64() * GIB / memory.len() as f64;
        least = (least.0.min(per_gib(whole - all + slowest)), least.1.min(per_gib(all)));
    }
    least
}

fn main() -> std::io::Result<()> {
    let file = match std::env::args_os().nth(1) {
        Some(path) => File::open(path)?,
        None => {
            let mut file = tempfile::tempfile_in("/dev/shm")?;
            let mut x = 1u64;
            for _ in 0..256 {
                let mut bytes = Vec::with_capacity(1 << 20);
                while bytes.len() < 1 << 20 {
                    x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    bytes.extend((x >> 32).to_le_bytes());
                }
                file.write_all(&bytes)?;
            }
            file
        }
    };
    let length = file.metadata()?.len() as usize / SLICE * SLICE;
    let mut slice = vec![0; SLICE];
    let read = |offset: usize, slice: &mut [u8]| file.read_exact_at(slice, offset as u64).expect("a file at rest");
    let copy = least(length, || (0..length).step_by(SLICE).for_each(|offset| read(offset, &mut slice)));
    println!("copy: {copy:.4} CPU s a GiB ({length} bytes in slices of {SLICE}, least of {TURNS})");
    let processors = [1, 2, 4, 8, 16, 32, 64];
    for name in ["blake3", "kt128", "kt256", "parallelhash128", "sakura-fng-128"] {
        let algorithm = ALL.find(name).expect("registered");
        let mut whole = algorithm.hasher();
        let units = algorithm.hasher().apart().expect("a tree").units();
        let (mut all, mut joined) = (Vec::new(), algorithm.hasher());
        for offset in (0..length).step_by(SLICE) {
            read(offset, &mut slice);
            whole.update(&slice);
            if offset == 0 {
                joined.update(&slice);
                continue;
            }
            let mut values = Vec::new();
            units.values(offset as u64, &slice, &mut values);
            joined.apart().expect("a tree").join(&values);
            all.push(values);
        }
        assert_eq!(joined.finalize(), whole.finalize(), "{name}");
        let mut values = Vec::new();
        let hash = least(length, || {
            for _ in 0..length / SLICE {
                values.clear();
                units.values(SLICE as u64, black_box(&slice), &mut values);
            }
        });
        let mut begun = algorithm.hasher();
        begun.update(&slice);
        let join = least(length, || {
            let mut joined = begun.clone();
            all.iter().for_each(|values| joined.apart().expect("a tree").join(values));
            black_box(joined.finalize());
        });
        println!("\n{name}: hash {hash:.4}, join {join:.5} CPU s a GiB");
        println!(
            "| processors | GB/s without a bus | {} |",
            BUSES.map(|bus| format!("{} GB/s", bus / 1e9)).join(" | ")
        );
        for n in processors {
            let seconds = ((copy + hash + join) / n as f64).max(join);
            let rate = |bus: f64| GIB / seconds.max(GIB / bus) / 1e9;
            let limited = BUSES.map(|bus| format!("{:.1}", rate(bus))).join(" | ");
            println!("| {n} | {:.1} | {limited} |", rate(f64::INFINITY));
        }
    }
    let mut memory = vec![0; length];
    file.read_exact_at(&mut memory, 0)?;
    for name in ["sakura-li-256", "sakura-li-256,leaves=96", "sakura-li-256,leaves=512"] {
        let algorithm = ALL.find(name).expect("registered");
        let expected = algorithm.digest(&memory);
        println!("\n{name}, in order");
        println!("| processors | CPU s a GiB | slowest share, s | GB/s | speed-up |");
        let mut first = None;
        for n in [1, 2, 4, 6, 8, 12, 16, 32, 64] {
            let (slowest, all) = interleaved(algorithm, &memory, n, expected.bytes());
            // The copy and the shares come one after the other on one, and on n take at least an
            // nth of both.
            let seconds = slowest.max(copy).max((copy + slowest.max(all)) / n as f64);
            let first = *first.get_or_insert(seconds);
            println!("| {n} | {all:.4} | {slowest:.4} | {:.2} | {:.2} |", GIB / seconds / 1e9, first / seconds);
        }
    }
    Ok(())
}
