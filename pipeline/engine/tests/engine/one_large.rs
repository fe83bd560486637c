//! One long message under a tree algorithm: the same digest whichever threads hash its leaves, and
//! more than one thread hashes them.

use pfh_digest::{Algorithm, Executor, Output, ROWS, Registry, Row, Standing, State, Task, Value};
use pfh_engine::{Control, Mode, Outcome, Plan, Record, Stats, run};
use pfh_source::{Entry, Item, Object, Origin, Problem};
use std::collections::HashSet;
use std::io::Read;
use std::sync::{Arc, Mutex};
use std::thread::{ThreadId, current, sleep};
use std::time::Duration;

static ALL: Registry = Registry::new(&[ROWS, pfh_tree::ROWS]);

struct Bytes(Arc<Vec<u8>>);

struct Stream(Arc<Vec<u8>>, usize);

impl Object for Bytes {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        Ok(Box::new(Stream(self.0.clone(), 0)))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = (&self.0[self.1..]).read(buffer)?;
        self.1 += read;
        Ok(read)
    }
}

fn noise(length: usize) -> Arc<Vec<u8>> {
    Arc::new((0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect())
}

/// The digests of messages, and where the time went.
fn digests(messages: &[Arc<Vec<u8>>], plan: &Plan) -> (Vec<Vec<String>>, Stats) {
    let item = |(number, bytes): (u64, &Arc<Vec<u8>>)| {
        let origin = Origin::Object { name: b"message".as_slice().into(), object: Arc::new(Bytes(bytes.clone())) };
        Item::Entry(Entry { number, origin, stat: None })
    };
    let items: Vec<Item> = (0..).zip(messages).map(item).collect();
    let mut records: Vec<Record> = Vec::new();
    let summary = run(Box::new(items.into_iter()), plan, &mut records, &Control::new()).unwrap();
    let hashed = records.iter().map(|record| match &record.outcome {
        Outcome::Hashed(hashed) => hashed.digests.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    });
    (hashed.collect(), summary.stats)
}

fn trees() -> Vec<Algorithm> {
    ALL.all().filter(|algorithm| algorithm.hasher().divides()).collect()
}

#[test]
fn all_trees_divide_and_nothing_else_does() {
    static TREES: Registry = Registry::new(&[pfh_tree::ROWS]);
    let divided: Vec<&str> = trees().iter().map(|algorithm| algorithm.name()).collect();
    let named: Vec<&str> = std::iter::once("blake3").chain(TREES.all().map(|algorithm| algorithm.name())).collect();
    assert_eq!(divided, named);
}

#[test]
fn any_threads_and_memory_give_the_same_digest() {
    let messages = [noise(9_000_001), noise(1 << 20), noise(3_333_333)];
    for algorithm in trees() {
        let expected: Vec<Vec<String>> =
            messages.iter().map(|message| vec![algorithm.digest(message).to_string()]).collect();
        for threads in [1, 2, 3, 8] {
            for memory in [0, 5 << 20, 64 << 20] {
                for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
                    let plan = Plan { threads, memory, mode, prefetchers: 1, ..Plan::new(vec![algorithm]) };
                    let (found, stats) = digests(&messages, &plan);
                    assert_eq!(found, expected, "{algorithm}, {threads} threads, {memory} bytes, {mode:?}");
                    assert!(stats.sharing as usize <= threads, "{} of {threads}", stats.sharing);
                }
            }
        }
    }
}

#[test]
fn windows_and_other_algorithms_stay_right_beside_trees() {
    let message = noise(9_000_001);
    let algorithms: Vec<Algorithm> =
        ["kt128", "sha256", "blake3", "sakura-li-256"].map(|n| ALL.find(n).unwrap()).into();
    let expected: Vec<String> = algorithms.iter().map(|algorithm| algorithm.digest(&message).to_string()).collect();
    for piecewise in [None, Some(1_000_000)] {
        let plan = Plan { threads: 3, piecewise, ..Plan::new(algorithms.clone()) };
        assert_eq!(digests(std::slice::from_ref(&message), &plan).0, std::slice::from_ref(&expected));
    }
}

/// A tree whose leaves take long: the reader is ahead of it under any load of the machine. Its
/// digest is the number of bytes.
#[derive(Clone, Default)]
struct Slow(u64);

/// Threads that had a leaf in hand.
static SEEN: Mutex<Option<HashSet<ThreadId>>> = Mutex::new(None);

impl State for Slow {
    fn update(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        sleep(Duration::from_millis(10));
        let leaf = || {
            SEEN.lock().unwrap().get_or_insert_default().insert(current().id());
            sleep(Duration::from_millis(2));
        };
        executor.run((0..4 * executor.width()).map(|_| Box::new(leaf) as Task<'_>).collect());
        pieces.iter().for_each(|piece| self.update(piece));
    }

    fn divides(&self) -> bool {
        true
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        Value::filled(length, |value| value.copy_from_slice(&self.0.to_be_bytes()))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The proof that idle threads lend themselves: leaves of one message under one algorithm are in
/// the hands of several threads, and of no more than the plan has.
#[test]
fn one_long_message_is_hashed_by_several_threads() {
    static ROW: Row = Row::new("slow", &[], Output::Fixed(8), Standing::NonCryptographic, 1, || Box::new(Slow(0)));
    let message = noise(64 << 20);
    for threads in [1, 2, 4] {
        // A small table makes many batches.
        let plan = Plan { threads, memory: 16 << 20, ..Plan::new(vec![Algorithm::from_row(&ROW)]) };
        let (found, stats) = digests(std::slice::from_ref(&message), &plan);
        assert_eq!(found, [["0000000004000000"]]);
        let seen = SEEN.lock().unwrap().take().unwrap_or_default().len();
        // A place that another worker has for a moment cannot be lent.
        let shared = if threads > 1 { 2..=threads as u64 } else { 0..=0 };
        assert!(shared.contains(&stats.sharing), "{threads} threads: {stats:?}");
        assert_eq!(stats.lent.is_zero(), threads == 1, "{stats:?}");
        assert!(seen >= threads.min(2), "{seen} threads had a leaf in hand: {stats:?}");
    }
}

/// Bytes that need not wait are hashed at once: a cached message goes through a small part of the
/// table, under a tree and under any algorithm when no other message is left. Before that it filled
/// a quarter of the default table first, and in time the whole.
#[test]
fn a_cached_message_never_fills_the_table() {
    // Which of two threads is ahead, and by how much, is a question of pace: under qemu-user 14 MiB
    // were seen beside two threads.
    if let Ok(emulator) = std::env::var("PFH_EMULATOR") {
        let line = format!(
            "skipped: one_large::a_cached_message_never_fills_the_table needs its own pace, which {emulator} has not\n"
        );
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        return;
    }
    let message = noise(192 << 20);
    for (name, threads, most) in [("blake3", 1, 4 << 20), ("blake3", 2, 12 << 20), ("xxh3-128", 1, 4 << 20)] {
        let plan = Plan { threads, ..Plan::new(vec![ALL.find(name).unwrap()]) };
        // Readers and workers that others' work keeps apart let more of the message into the table,
        // so one run of many is asked for. A message that fills the table does so in every run.
        let mut peaks = (0..20).map(|_| digests(std::slice::from_ref(&message), &plan).1.peak_table);
        let mut least = u64::MAX;
        while least > most
            && let Some(peak) = peaks.next()
        {
            least = least.min(peak);
        }
        assert!(least <= most, "{name} with {threads} threads: {least} bytes at once");
    }
}
