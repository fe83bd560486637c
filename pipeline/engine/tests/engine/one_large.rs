//! One long message under a tree algorithm: the same digest whichever threads hash its leaves, and
//! more than one thread hashes them.

use crate::message::{ALL, digests, noise};
use pfh_digest::{Algorithm, Executor, Output, Registry, Row, Standing, State, Task, Value};
use pfh_engine::{Mode, Plan};
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::{ThreadId, current, sleep};
use std::time::Duration;

fn trees() -> Vec<Algorithm> {
    ALL.all().filter(|algorithm| algorithm.hasher().divides()).collect()
}

#[test]
fn all_trees_divide_and_nothing_else_does() {
    static TREES: Registry = Registry::new(&[&pfh_tree::ROWS]);
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
