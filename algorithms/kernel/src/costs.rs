//! The cost of a block, which decides the choice among the kernels of a function: measured where
//! the program runs, or as the tables say.
//!
//! This is the only clock in the crate. It decides which kernel runs, and has no effect on digests
//! (`docs/adr/0004-costs-by-measurement.md`).

use crate::kernel::{Kernel, Word};
use std::hint::black_box;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Where the costs come from, as `PFH_COSTS` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Costs {
    /// A measurement of less than two milliseconds when a function is first used, once in a
    /// process.
    Measured,
    /// The tables: figures of one CPU per architecture, the same in every run.
    Table,
}

/// The source that this process uses.
static USED: LazyLock<Costs> = LazyLock::new(|| {
    let is_asked = std::env::var_os("PFH_COSTS").is_some();
    match HAS_LITTLE.load(Ordering::Relaxed) && !is_asked {
        true => Costs::Table,
        false => Costs::environment().unwrap_or(Costs::Table),
    }
});

/// Whether there is too little to hash for a measurement.
static HAS_LITTLE: AtomicBool = AtomicBool::new(false);

impl Costs {
    /// All of them, the default first.
    pub const ALL: &[Costs] = &[Costs::Measured, Costs::Table];

    /// The name that `PFH_COSTS` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Costs::Measured => "measured",
            Costs::Table => "table",
        }
    }

    /// The source that `PFH_COSTS` asks for, or its value where that is unknown. A command should
    /// refuse such a value; the library then takes the tables.
    pub fn environment() -> Result<Costs, std::ffi::OsString> {
        match std::env::var_os("PFH_COSTS") {
            None => Ok(Costs::Measured),
            Some(name) => Costs::ALL.iter().copied().find(|costs| *costs.name() == *name).ok_or(name),
        }
    }

    /// The source that this process uses.
    pub fn used() -> Costs {
        *USED
    }

    /// Takes the tables in this process where `PFH_COSTS` does not ask for one of both, unless a
    /// function was used already: for a program that has less to hash than a measurement hashes.
    pub fn take_table() {
        HAS_LITTLE.store(true, Ordering::Relaxed);
        LazyLock::force(&USED);
    }
}

/// Blocks of each message that one call takes.
const BLOCKS: usize = 16;
/// Times that each kernel is sampled, in turn with the others; the shortest sample counts, because
/// all that disturbs takes time.
const ROUNDS: usize = 8;
/// How long a sample should last: the clock itself takes some 30 nanoseconds.
const SAMPLE: Duration = Duration::from_micros(2);
/// When to stop, even before the last round: the sum of the samples, each at its shortest; the
/// calls before them take as much again at most. Time that the process does not run, because others
/// do, is not reason to measure less.
const LIMIT: Duration = Duration::from_millis(1);

/// The cost of a block of all lanes, in picoseconds, for each of `kernels`; `length` is that of a
/// block, in bytes.
pub(crate) fn of<W: Word>(kernels: &[&'static Kernel<W>], length: usize) -> Vec<u64> {
    match Costs::used() {
        Costs::Measured => measure(kernels, length),
        Costs::Table => kernels.iter().map(|kernel| u64::from(kernel.cost)).collect(),
    }
}

/// The same, always measured: the kernels in turn, round by round. `PFH_COSTS` has no effect.
pub(crate) fn measure<W: Word>(kernels: &[&'static Kernel<W>], length: usize) -> Vec<u64> {
    let widest = kernels.iter().map(|kernel| kernel.lanes).max().unwrap_or(1);
    // A line of the cache between one message and the next, so that they do not compete for the
    // same sets.
    let stride = BLOCKS * length + 64;
    let bytes = vec![0x5a; stride * widest];
    let messages: Vec<&[u8]> = bytes.chunks_exact(stride).collect();
    let mut states: Vec<Vec<W>> = kernels.iter().map(|kernel| vec![W::default(); kernel.state_length()]).collect();
    let mut run = |i: usize, calls: u32| {
        let (kernel, state) = (kernels[i], &mut states[i]);
        let mut call = || kernel.compress(black_box(state), &messages[..kernel.lanes], BLOCKS, length);
        // The others have taken code and messages out of the nearest caches: the first call brings
        // them back.
        call();
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        start.elapsed()
    };
    let calls: Vec<u32> =
        (0..kernels.len()).map(|i| (SAMPLE.as_nanos() / run(i, 1).as_nanos().max(1)) as u32 + 1).collect();
    let mut shortest = vec![Duration::MAX; kernels.len()];
    let mut spent = Duration::ZERO;
    for _ in 0..ROUNDS {
        for (i, shortest) in shortest.iter_mut().enumerate() {
            *shortest = run(i, calls[i]).min(*shortest);
            spent += *shortest;
        }
        if spent > LIMIT {
            break;
        }
    }
    let picoseconds =
        |(time, calls): (&Duration, u32)| time.as_nanos() as u64 * 1000 / (u64::from(calls) * BLOCKS as u64);
    shortest.iter().zip(calls).map(picoseconds).map(|cost| cost.max(1)).collect()
}

/// The cost of a block in `call`, which takes in `blocks` blocks, in picoseconds: the shortest of
/// some samples.
pub(crate) fn of_call(mut call: impl FnMut(), blocks: usize) -> u64 {
    call();
    let sample = |_| {
        let start = Instant::now();
        call();
        start.elapsed()
    };
    let shortest = (0..2 * ROUNDS).map(sample).min().unwrap_or_default();
    (shortest.as_nanos() as u64 * 1000 / blocks as u64).max(1)
}
