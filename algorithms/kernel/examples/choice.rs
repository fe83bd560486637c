//! How often is the choice among the kernels right? Costs of the tables, and those that a process
//! measures at its start, beside a long measurement of every kernel.
//!
//! `cargo run --release -p pfh-kernel --example choice [PROCESSES]`; each level of `PFH_ISA` gets
//! that many processes (default 9), which measure as any program does. The long measurement takes a
//! thousand samples of 100 microseconds of each kernel, messages of 4 KiB; its second half, which
//! knows nothing of the first, shows how well a measurement can agree with another at all. Truth is
//! taken twice: the shortest sample (a core of its own) and the median (the core shared with the
//! processes that ran beside).

use pfh_kernel::{Compression, Isa, KECCAK12, KECCAK24, Kernel, MD5, RIPEMD160, SHA1, SHA256, SHA512, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

/// Bytes of each message.
const MESSAGE: usize = 4096;
/// Nanoseconds of a sample.
const SAMPLE: u128 = 100_000;
/// Samples of each half of the long measurement.
const ROUNDS: usize = 500;
/// Numbers of messages that are looked at.
const MESSAGES: usize = 96;

/// By function and kernel: of each half of the long measurement the shortest sample and the median,
/// picoseconds per block of all lanes.
type Long = BTreeMap<(String, String), [(f64, f64); 2]>;

/// A kernel's costs, picoseconds per block of all lanes.
#[derive(Clone, Debug)]
struct Priced {
    function: String,
    kernel: String,
    lanes: usize,
    table: f64,
    measured: f64,
}

fn main() {
    let argument = std::env::args().nth(1);
    if argument.as_deref() == Some("child") {
        return child();
    }
    let processes = argument.map_or(9, |n| n.parse().expect("a number of processes"));
    let mut long = Long::new();
    long_of(&MD5, 64, &mut long);
    long_of(&SHA1, 64, &mut long);
    long_of(&SHA256, 64, &mut long);
    long_of(&SHA512, 128, &mut long);
    long_of(&KECCAK24, 136, &mut long);
    long_of(&KECCAK12, 168, &mut long);
    long_of(&RIPEMD160, 64, &mut long);
    println!("{:16} {:12} {:>9} {:>9} {:>9} {:>9}", "function", "kernel", "table", "shortest", "again", "median");
    for row in of_process(Isa::ALL[Isa::ALL.len() - 1]) {
        let [(first, median), (again, _)] = long[&(row.function.clone(), row.kernel.clone())];
        println!("{:16} {:12} {:9.0} {first:9.0} {again:9.0} {median:9.0}", row.function, row.kernel, row.table);
    }
    println!(
        "\nSchedules of 1 to {MESSAGES} messages, all functions. right: within 1 % of the best; mean and worst loss in %."
    );
    println!(
        "one, many: functions whose cheapest kernel for one, and per message, is the one that is really cheapest."
    );
    let processes: Vec<(Isa, Vec<Vec<Priced>>)> =
        Isa::ALL.iter().map(|&level| (level, (0..processes).map(|_| of_process(level)).collect())).collect();
    for (name, truth) in [("shortest", (|cost| cost.0) as fn((f64, f64)) -> f64), ("median", |cost| cost.1)] {
        println!("\nTruth: {name}");
        println!(
            "{:10} {:10} {:>7} {:>7} {:>7} {:>6} {:>6}",
            "PFH_ISA", "costs", "right %", "mean", "worst", "one", "many"
        );
        for (level, processes) in &processes {
            fare(*level, processes, |row, half| truth(long[&(row.function.clone(), row.kernel.clone())][half]));
        }
    }
}

/// Prints how the choices of a level's processes fared, if `truth` is the cost of a kernel in a
/// half of the long measurement.
fn fare(level: Isa, processes: &[Vec<Priced>], truth: impl Fn(&Priced, usize) -> f64) {
    let (mut by_table, mut by_measure, mut by_long) = (Tally::default(), Tally::default(), Tally::default());
    for rows in processes {
        let functions: BTreeSet<&String> = rows.iter().map(|row| &row.function).collect();
        for function in functions {
            let rows: Vec<&Priced> = rows.iter().filter(|row| row.function == *function).collect();
            by_table.add(&rows, |row| truth(row, 0), |row| row.table);
            by_measure.add(&rows, |row| truth(row, 0), |row| row.measured);
            by_long.add(&rows, |row| truth(row, 0), |row| truth(row, 1));
        }
    }
    for (name, tally) in [("table", by_table), ("measured", by_measure), ("long again", by_long)] {
        let share = |n: usize| 100.0 * n as f64 / tally.functions as f64;
        println!(
            "{:10} {name:10} {:7.1} {:7.2} {:7.1} {:6.0} {:6.0}",
            level.name(),
            100.0 * tally.right as f64 / tally.schedules as f64,
            100.0 * tally.loss / tally.schedules as f64,
            100.0 * tally.worst,
            share(tally.one),
            share(tally.many)
        );
    }
}

/// How choices fared.
#[derive(Default)]
struct Tally {
    schedules: usize,
    right: usize,
    loss: f64,
    worst: f64,
    functions: usize,
    one: usize,
    many: usize,
}

impl Tally {
    /// Chooses among a function's kernels by `cost` and computes the result if `truth` is their
    /// true cost.
    fn add(&mut self, rows: &[&Priced], truth: impl Fn(&Priced) -> f64, cost: impl Fn(&Priced) -> f64) {
        let truths: Vec<(usize, f64)> = rows.iter().map(|row| (row.lanes, truth(row))).collect();
        let costs: Vec<(usize, f64)> = rows.iter().map(|row| (row.lanes, cost(row))).collect();
        let (best, chosen) = (schedule(&truths), schedule(&costs));
        let time = |begin: &[usize]| {
            let mut times = vec![0.0; MESSAGES + 1];
            for n in 1..=MESSAGES {
                let (lanes, cost) = truths[begin[n]];
                times[n] = cost + times[n.saturating_sub(lanes)];
            }
            times
        };
        let (best_times, times) = (time(&best), time(&chosen));
        for n in 1..=MESSAGES {
            let loss = times[n] / best_times[n] - 1.0;
            self.schedules += 1;
            self.right += usize::from(loss <= 0.01);
            self.loss += loss;
            self.worst = self.worst.max(loss);
        }
        let least = |rows: &[(usize, f64)], one: bool| {
            let rows = rows.iter().enumerate().filter(|(_, (lanes, _))| !one || *lanes == 1);
            rows.min_by(|(_, a), (_, b)| (a.1 / a.0 as f64).total_cmp(&(b.1 / b.0 as f64))).map(|(i, _)| i)
        };
        self.functions += 1;
        self.one += usize::from(least(&truths, true) == least(&costs, true));
        self.many += usize::from(least(&truths, false) == least(&costs, false));
    }
}

/// At `n`: the row that begins when `n` messages are to be done soonest, as `Compression::many` has
/// it.
fn schedule(rows: &[(usize, f64)]) -> Vec<usize> {
    let mut times = vec![0.0];
    let mut begin = vec![0];
    for n in 1..=MESSAGES {
        let fits = |lanes: usize| n > 1 || lanes == 1;
        let after = |&(lanes, cost): &(usize, f64)| cost + times[n.saturating_sub(lanes)];
        let rows = rows.iter().enumerate().filter(|(_, row)| fits(row.0));
        let (best, row) = rows.min_by(|(_, a), (_, b)| after(a).total_cmp(&after(b))).expect("a portable row");
        begin.push(best);
        times.push(after(row));
    }
    begin
}

/// The costs of its kernels as a process of this level has them.
fn of_process(level: Isa) -> Vec<Priced> {
    let this = std::env::current_exe().expect("this program");
    let output = Command::new(this).arg("child").env("PFH_ISA", level.name()).output().expect("a process");
    let text = String::from_utf8(output.stdout).expect("lines");
    let row = |line: &str| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("a field");
        let (function, kernel) = (next().to_owned(), next().to_owned());
        let lanes = next().parse().expect("lanes");
        let (table, measured) = (next().parse().expect("a cost"), next().parse().expect("a cost"));
        Priced { function, kernel, lanes, table, measured }
    };
    text.lines().map(row).collect()
}

fn child() {
    fn print<W: Word>(compression: &'static Compression<W>) {
        for row in compression.rows().into_iter().filter(|row| row.unused.is_none()) {
            let measured = row.measured.unwrap_or(row.table);
            println!("{}\t{}\t{}\t{}\t{measured}", compression.name(), row.kernel, row.lanes, row.table);
        }
    }
    print(&MD5);
    print(&SHA1);
    print(&SHA256);
    print(&SHA512);
    print(&KECCAK24);
    print(&KECCAK12);
    print(&RIPEMD160);
}

/// Both halves of the long measurement, picoseconds per block of all lanes.
fn long_of<W: Word>(compression: &'static Compression<W>, block: usize, long: &mut Long) {
    let kernels: Vec<&'static Kernel<W>> = compression.kernels().collect();
    let mut samples = vec![[Vec::new(), Vec::new()]; kernels.len()];
    for round in 0..2 * ROUNDS {
        for (kernel, samples) in kernels.iter().zip(&mut samples) {
            samples[round / ROUNDS].push(sample(kernel, block));
        }
    }
    for (kernel, samples) in kernels.iter().zip(samples) {
        let halves = samples.map(|mut half| {
            half.sort_by(f64::total_cmp);
            (half[0], half[ROUNDS / 2])
        });
        long.insert((compression.name().into(), kernel.name().into()), halves);
    }
}

/// Picoseconds per block of all lanes in one run of about [`SAMPLE`].
fn sample<W: Word>(kernel: &Kernel<W>, block: usize) -> f64 {
    let bytes = vec![0x5a; (MESSAGE + 64) * kernel.lanes()];
    let messages: Vec<&[u8]> = bytes.chunks_exact(MESSAGE + 64).map(|message| &message[..MESSAGE]).collect();
    let mut state = vec![W::default(); kernel.state_length()];
    let blocks = MESSAGE / block;
    let mut run = |times: u128| {
        let start = Instant::now();
        for _ in 0..times {
            kernel.compress(black_box(&mut state), &messages, blocks, block);
        }
        start.elapsed().as_nanos()
    };
    run(1);
    let times = SAMPLE / run(1).max(1) + 1;
    run(times) as f64 * 1000.0 / (times as usize * blocks) as f64
}
