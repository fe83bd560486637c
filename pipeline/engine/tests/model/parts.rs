//! Parts of the scheduler that are small enough for every schedule.

use crate::host::atomic::{AtomicUsize, Ordering};
use crate::queue::{Queue, Terms};
use crate::{Budget, EventCount};
use pfh_digest::Algorithm;
use std::sync::Arc;
use std::time::Duration;

const FOR_EVER: Duration = Duration::from_secs(3600);

/// Names and cases.
pub const CASES: &[(&str, fn())] = &[
    ("no-event-is-lost", no_event_is_lost),
    ("slabs-come-back", slabs_come_back),
    ("queue-one", || queue(1, 1, usize::MAX)),
    ("queue-two-threads", || queue(2, 2, usize::MAX)),
    ("queue-no-room", || queue(2, 1, 0)),
];

/// Two threads take turns; each waits by the event count alone.
fn no_event_is_lost() {
    let (events, turn) = (Arc::new(EventCount::default()), Arc::new(AtomicUsize::new(0)));
    let (other, there) = (events.clone(), turn.clone());
    let play = |events: &EventCount, turn: &AtomicUsize, mine: usize| {
        loop {
            let noted = events.noted();
            if turn.load(Ordering::SeqCst) % 2 == mine {
                break;
            }
            events.wait(noted, FOR_EVER);
        }
        turn.fetch_add(1, Ordering::SeqCst);
        events.notify();
    };
    let second = shuttle::thread::spawn(move || play(&other, &there, 1));
    play(&events, &turn, 0);
    second.join().unwrap();
    assert_eq!(turn.load(Ordering::SeqCst), 2);
}

/// Two threads want the one slab that there is.
fn slabs_come_back() {
    let events = Arc::new(EventCount::default());
    let budget = Budget::of(4096, 1, events.clone());
    let take = |events: &EventCount, budget: &Arc<Budget>| {
        loop {
            let noted = events.noted();
            if let Some(slab) = budget.try_take() {
                break drop(slab);
            }
            events.wait(noted, FOR_EVER);
        }
    };
    let (there, same) = (events.clone(), budget.clone());
    let second = shuttle::thread::spawn(move || take(&there, &same));
    take(&events, &budget);
    second.join().unwrap();
    assert_eq!((budget.out(), budget.peak()), (0, 4096));
}

/// Two clients push and wait, fewer than there are lanes. One has its digests before the queue
/// ends.
fn queue(each: u8, threads: usize, memory: usize) {
    crate::host::begin(u32::MAX, 1024);
    let algorithm: Algorithm = "sha256".parse().unwrap();
    let wait = Duration::from_millis(1);
    let queue = Arc::new(Queue::new(algorithm, Terms { wait, threads, memory }).unwrap());
    let client = move |mut queue: Option<Arc<Queue>>, first: u8| {
        let push = |byte| queue.as_ref().map(|queue| (byte, queue.push(vec![byte; 3])));
        let tickets: Vec<_> = (first..first + each).filter_map(push).collect();
        queue = queue.filter(|_| first == 0);
        for (byte, ticket) in tickets {
            assert_eq!(ticket.wait(), Ok(algorithm.digest(&[byte; 3])));
        }
        drop(queue);
    };
    let same = queue.clone();
    let second = shuttle::thread::spawn(move || client(Some(same), 100));
    client(Some(queue), 0);
    second.join().unwrap();
}
