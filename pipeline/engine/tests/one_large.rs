//! One long message under a tree algorithm: the same digest whoever hashes its leaves, and more than one thread hashes them.

use pfh_digest::{Algorithm, ROWS, Registry};
use pfh_engine::{Mode, Outcome, Plan, Record, Stats, Watch, run};
use pfh_source::{Entry, Item, Object, Origin, Problem};
use std::io::Read;
use std::sync::Arc;

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
    let summary = run(Box::new(items.into_iter()), plan, &mut records, Watch::default()).unwrap();
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
                    assert!(stats.hashing as usize <= threads, "{} of {threads}", stats.hashing);
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
        assert_eq!(digests(std::slice::from_ref(&message), &plan).0, [expected.clone()]);
    }
}

/// The proof that idle threads lend themselves: of one message under one algorithm, leaves were hashed beside its worker. A message that
/// cannot be divided leaves them idle.
#[test]
fn one_long_message_is_hashed_by_more_than_one_thread() {
    let message = noise(160 << 20);
    for (name, most) in [("parallelhash128", 4), ("sakura-li-128", 4), ("blake3", 4), ("sha3-256", 1)] {
        let algorithm = ALL.find(name).unwrap();
        let plan = Plan { threads: 4, ..Plan::new(vec![algorithm]) };
        let (_, stats) = digests(std::slice::from_ref(&message), &plan);
        assert_eq!(stats.hashing, most, "{name}");
        assert_eq!(stats.lent.is_zero(), most == 1, "{name}");
    }
}
