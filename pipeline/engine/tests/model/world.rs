//! The files of a schedule, and the conditions that each run has to meet.

use crate::host::{atomic::AtomicBool, begin, chance, pause};
use crate::mode::Mode;
use crate::plan::Plan;
use crate::record::{Outcome, Record};
use crate::run::{Error, run};
use crate::{Backend, control::Control};
use pfh_digest::Algorithm;
use pfh_source::{Cause, Entry, Item, Lender, Loan, Object, Origin, Problem, Stage};
use shuttle::rand::{Rng, thread_rng};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The outcome of reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Its bytes come.
    Sound,
    /// It does not open.
    Gone,
    /// Its bytes come late, perhaps after the reader was declared lost.
    Late,
    /// Its bytes never come.
    Never,
}

/// The faults of a case.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    pub gone: bool,
    pub late: bool,
    pub never: bool,
    pub cancelled: bool,
    /// Only the first few threads can be had, and none in place of a lost one.
    pub refused: bool,
    /// The source has fewer items than were expected of it.
    pub short: bool,
}

struct File {
    bytes: Vec<u8>,
    fate: Fate,
    over: Arc<AtomicBool>,
}

struct Reader {
    file: Arc<File>,
    at: usize,
}

struct Shared(Arc<File>);

impl Object for Shared {
    fn open(&self) -> Result<Box<dyn std::io::Read + Send>, Problem> {
        pause(2);
        match self.0.fate {
            Fate::Gone => Err(Problem::new(Stage::Open, Cause::Os(2))),
            _ => Ok(Box::new(Reader { file: self.0.clone(), at: 0 })),
        }
    }

    fn lender(&self) -> Result<Box<dyn Lender>, Problem> {
        pause(2);
        match self.0.fate {
            Fate::Gone => Err(Problem::new(Stage::Open, Cause::Os(2))),
            _ => Ok(Box::new(Reader { file: self.0.clone(), at: 0 })),
        }
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.0.bytes.len() as u64)
    }
}

impl AsRef<[u8]> for File {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Reader {
    /// Takes the time that its fate has for a call.
    fn wait(&self) {
        match self.file.fate {
            Fate::Late if self.at == 0 => pause(300),
            Fate::Never => {
                while !self.file.over.load(Ordering::SeqCst) {
                    shuttle::thread::yield_now();
                }
            }
            _ => pause(1),
        }
    }
}

impl Lender for Reader {
    fn lend(&mut self, most: usize) -> Option<Loan> {
        self.wait();
        let left = self.file.bytes.len() - self.at;
        if left == 0 || chance(3) {
            return None;
        }
        let loan = Loan::new(self.file.clone(), self.at..self.file.bytes.len()).take(thread_rng().gen_range(1..=most));
        self.at += loan.len();
        Some(loan)
    }
}

impl std::io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.wait();
        let left = &self.file.bytes[self.at..];
        let length = left.len().min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.at += length;
        Ok(length)
    }
}

fn fate(faults: Faults) -> Fate {
    match thread_rng().gen_range(0..12) {
        0..4 if faults.gone => Fate::Gone,
        4 if faults.late => Fate::Late,
        5 if faults.never => Fate::Never,
        _ => Fate::Sound,
    }
}

/// One run over `count` files. It ends, each file leaves once and in order with the digest of its
/// bytes or a problem, and memory stays within the budget.
pub fn run_once(count: u64, mode: Mode, faults: Faults) {
    // With 8 and 16 fewer threads read than hash.
    let descriptors = [8, 16, 40, 1024][thread_rng().gen_range(0..4)];
    begin(if faults.refused { thread_rng().gen_range(0..5) } else { u32::MAX }, descriptors);
    let over: Arc<AtomicBool> = Arc::default();
    let algorithms: Vec<Algorithm> = vec!["crc32".parse().unwrap()];
    let mut files = Vec::new();
    for number in 0..count {
        let length = [0, 3, 100, 1900, 5000, 20_000][thread_rng().gen_range(0..6)];
        let bytes = (0..length).map(|at| (at as u64 + number) as u8).collect();
        files.push(Arc::new(File { bytes, fate: fate(faults), over: over.clone() }));
    }
    let items = files.iter().zip(0..).map(|(file, number)| {
        let origin = Origin::Object { name: Box::default(), object: Arc::new(Shared(file.clone())) };
        Item::Entry(Entry { number, origin, stat: None })
    });
    let given = if faults.short { thread_rng().gen_range(0..count) } else { count };
    let items: Vec<Item> = items.take(given as usize).collect();
    let backend = if chance(4) { Backend::Plain } else { Backend::Auto };
    let threads = thread_rng().gen_range(1..=4);
    // Without readers ahead, threads change their role.
    let prefetchers = thread_rng().gen_range(0..=2);
    let memory = if chance(2) { 4096 } else { 32 << 10 };
    let stall = Duration::from_secs(2);
    let plan = Plan { memory, threads, prefetchers, mode, backend, stall, ..Plan::new(algorithms.clone()) };
    let control = Control::new();
    let mut records: Vec<Record> = Vec::new();
    let half = count / 2;
    let mut sink = |record: Record| {
        if faults.cancelled && record.number == half {
            control.cancel().cancel();
        }
        records.push(record);
        Ok(())
    };
    let result = run(Box::new(items.into_iter()), &plan, &mut sink, &control);
    over.store(true, Ordering::SeqCst);
    for (at, record) in records.iter().enumerate() {
        assert_eq!(record.number, at as u64, "records leave in order, each once");
        let file = &files[at];
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                assert!(matches!(file.fate, Fate::Sound | Fate::Late), "{:?}", file.fate);
                let mut hasher = algorithms[0].hasher();
                hasher.update(&file.bytes);
                assert_eq!(hashed.digests[0], hasher.finalize(), "the digest is that of its bytes");
            }
            Outcome::Failed(problem) => match problem.cause {
                Cause::Stalled(_) => assert!(faults.late || faults.never, "nothing stood still: {:?}", file.fate),
                _ => assert_eq!(file.fate, Fate::Gone, "{problem:?}"),
            },
            Outcome::Skipped(_) => panic!("nothing is skipped here"),
        }
    }
    let summary = match result {
        Err(Error::Threads(_)) if faults.refused => return assert!(records.is_empty(), "nothing was begun"),
        result => result.unwrap(),
    };
    assert!(summary.interrupted || records.len() as u64 == given);
    // A lost reader keeps what it has; its replacement gets a slab beyond.
    let lost = if faults.late || faults.never { count as usize } else { 0 };
    assert!(summary.stats.peak_table as usize <= memory + (plan.readers() + lost) * 4096);
}
