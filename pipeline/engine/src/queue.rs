//! Messages that arrive one by one, hashed many at once.

use crate::line::{Due, Line};
use pfh_digest::{Algorithm, Digest, Hasher, advance_many, finalize_many};
use pfh_prefetch::host::{Condvar, Instant, Mutex, MutexGuard, spawn, wait};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// Bytes that a message costs beside its own.
const OVERHEAD: usize = 256;
/// Until the next event.
const FOR_EVER: Duration = Duration::from_secs(1 << 30);

/// How a [`Queue`] waits and works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    /// How long a message waits for others while a thread is free, at most. With 0 it begins at
    /// once, and those that come meanwhile are the next batch.
    pub wait: Duration,
    /// Threads that hash, at least 1.
    pub threads: usize,
    /// Bytes of messages that wait or are hashed. A push that would exceed it waits, unless there
    /// are none.
    pub memory: usize,
}

impl Default for Terms {
    /// A millisecond, one thread, 64 MiB.
    fn default() -> Terms {
        Terms { wait: Duration::from_millis(1), threads: 1, memory: 64 << 20 }
    }
}

/// Hashes messages that arrive one by one (records of TLS, requests of clients) in the lanes of the
/// processor's vectors. A batch begins when the lanes are full, the oldest message has waited for
/// [`Terms::wait`], or a push finds no room. While all threads hash, messages wait for the end of a
/// batch too.
///
/// Dropped, it still hashes everything that was pushed. Messages whose ticket was dropped before
/// their batch began are left out.
pub struct Queue<M: AsRef<[u8]> + Send + 'static = Vec<u8>> {
    shared: Arc<QueueState<M>>,
}

struct QueueState<M> {
    algorithm: Algorithm,
    memory: usize,
    clock: Instant,
    state: Mutex<Inside<M>>,
    /// A message came, or the last one did.
    work: Condvar,
    /// A batch is done.
    room: Condvar,
}

struct Inside<M> {
    line: Line<Job<M>>,
    /// Bytes that wait or are hashed.
    bytes: usize,
    /// Pushes that wait for room: the messages in front of them wait for no company.
    crowd: usize,
    closed: bool,
}

struct Job<M> {
    /// The state that the message continues; `None` for the empty one.
    begun: Option<Hasher>,
    message: M,
    promise: Promise,
}

impl<M: AsRef<[u8]>> Job<M> {
    fn bytes(&self) -> usize {
        self.message.as_ref().len() + OVERHEAD
    }
}

/// The digest of one message, once it is there.
#[must_use = "a message whose ticket is dropped is not hashed"]
pub struct Ticket(Arc<Slot>);

/// The message has no digest: the code that hashed it panicked, as it does under an algorithm that
/// lacks its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the code that hashed the message panicked")]
pub struct LostMessage;

#[derive(Default)]
struct Slot {
    answer: Mutex<Option<Result<Digest, LostMessage>>>,
    there: Condvar,
}

/// The other end of a ticket: dropped without an answer, the message is lost.
struct Promise(Arc<Slot>);

impl Promise {
    fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    fn answer(&self, answer: Result<Digest, LostMessage>) {
        locked(&self.0.answer).get_or_insert(answer);
        self.0.there.notify_all();
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.answer(Err(LostMessage));
    }
}

impl Ticket {
    /// Waits for the digest.
    ///
    /// # Errors
    /// If there will be none.
    pub fn wait(self) -> Result<Digest, LostMessage> {
        let mut answer = locked(&self.0.answer);
        loop {
            match answer.take() {
                Some(answer) => return answer,
                None => answer = wait(&self.0.there, &self.0.answer, answer, FOR_EVER),
            }
        }
    }

    /// Waits for at most that long, or less; whether [`wait`](Ticket::wait) would return at once
    /// then.
    pub fn wait_for(&self, longest: Duration) -> bool {
        let answer = locked(&self.0.answer);
        answer.is_some() || wait(&self.0.there, &self.0.answer, answer, longest).is_some()
    }

    /// Whether [`wait`](Ticket::wait) would return at once.
    pub fn is_ready(&self) -> bool {
        locked(&self.0.answer).is_some()
    }
}

/// A panic leaves no half-made state behind: each is changed by one assignment.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: AsRef<[u8]> + Send + 'static> Queue<M> {
    /// A queue of messages under one algorithm.
    ///
    /// # Errors
    /// The system's, where no thread can be had.
    pub fn new(algorithm: Algorithm, terms: Terms) -> std::io::Result<Queue<M>> {
        let line = Line::new(algorithm.lanes(), terms.wait);
        let state = Mutex::new(Inside { line, bytes: 0, crowd: 0, closed: false });
        let (work, room, clock) = (Condvar::new(), Condvar::new(), Instant::now());
        let shared = Arc::new(QueueState { algorithm, memory: terms.memory, clock, state, work, room });
        // Dropped where a thread cannot be had, it ends those that were.
        let queue = Queue { shared: shared.clone() };
        for _ in 0..terms.threads.max(1) {
            let shared = shared.clone();
            spawn(move || shared.work())?;
        }
        Ok(queue)
    }

    /// Takes a message.
    pub fn push(&self, message: M) -> Ticket {
        self.enter(None, message)
    }

    /// Takes a message that comes after all that `begun` has taken in: under a key of a
    /// connection's own, a hasher of the queue's algorithm that has its key.
    pub fn push_after(&self, begun: Hasher, message: M) -> Ticket {
        self.enter(Some(begun), message)
    }

    fn enter(&self, begun: Option<Hasher>, message: M) -> Ticket {
        let slot = Arc::new(Slot::default());
        let job = Job { begun, message, promise: Promise(slot.clone()) };
        let (shared, bytes) = (&*self.shared, job.bytes());
        let mut inside = locked(&shared.state);
        while inside.bytes > 0 && inside.bytes + bytes > shared.memory {
            inside.crowd += 1;
            shared.work.notify_one();
            inside = wait(&shared.room, &shared.state, inside, FOR_EVER);
            inside.crowd -= 1;
        }
        inside.bytes += bytes;
        inside.line.push(shared.clock.elapsed(), bytes, job);
        // A thread that waits for nothing, and one that waits for full lanes.
        let is_event = inside.line.len() == 1 || inside.line.is_full();
        drop(inside);
        if is_event {
            shared.work.notify_one();
        }
        Ticket(slot)
    }
}

impl<M: AsRef<[u8]> + Send + 'static> Drop for Queue<M> {
    fn drop(&mut self) {
        locked(&self.shared.state).closed = true;
        self.shared.work.notify_all();
    }
}

impl<M: AsRef<[u8]> + Send + 'static> QueueState<M> {
    /// The life of a thread.
    fn work(&self) {
        while let Some(batch) = self.next() {
            let bytes = batch.iter().map(Job::bytes).sum::<usize>();
            // Promises that a panic drops answer their tickets.
            let _ = catch_unwind(AssertUnwindSafe(|| self.hash(batch)));
            locked(&self.state).bytes -= bytes;
            self.room.notify_all();
        }
    }

    /// The next batch, once it is due; `None` if no message will come.
    fn next(&self) -> Option<Vec<Job<M>>> {
        let mut inside = locked(&self.state);
        loop {
            let longest = match inside.line.due(self.clock.elapsed()) {
                Due::Never if inside.closed => return None,
                Due::Never => FOR_EVER,
                Due::In(left) if !inside.closed && inside.crowd == 0 => left,
                Due::In(_) | Due::Now => break,
            };
            inside = wait(&self.work, &self.state, inside, longest);
        }
        let batch = inside.line.take();
        let any = inside.line.len() > 0;
        drop(inside);
        // Another thread may be free for the others.
        if any {
            self.work.notify_one();
        }
        Some(batch)
    }

    fn hash(&self, batch: Vec<Job<M>>) {
        let wanted = batch.into_iter().filter(|job| job.promise.is_wanted());
        let (mut begun, mut fresh) = (Vec::new(), Vec::new());
        for Job { begun: hasher, message, promise } in wanted {
            match hasher {
                Some(hasher) => begun.push((hasher, message, promise)),
                None => fresh.push((message, promise)),
            }
        }
        let mut pieces: Vec<(&mut Hasher, &[u8])> =
            begun.iter_mut().map(|(hasher, message, _)| (hasher, (*message).as_ref())).collect();
        let messages: Vec<&[u8]> = fresh.iter().map(|(message, _)| message.as_ref()).collect();
        let digests = advance_many(self.algorithm, &mut pieces, &messages);
        fresh.iter().zip(digests).for_each(|((_, promise), digest)| promise.answer(Ok(digest)));
        let (hashers, promises): (Vec<Hasher>, Vec<Promise>) =
            begun.into_iter().map(|(hasher, _, promise)| (hasher, promise)).unzip();
        promises.iter().zip(finalize_many(hashers)).for_each(|(promise, digest)| promise.answer(Ok(digest)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One chosen by a number.
    fn algorithm(number: usize) -> Algorithm {
        let names = ["sha256", "md5", "hmac-sha1", "sha3-512", "blake3", "crc32", "hmac-sha3-256"];
        let found: Algorithm = names[number % names.len()].parse().unwrap();
        found.with_key(b"key").unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Each message gets its own digest, whichever way it came, however many threads hash and
        /// however little may wait at once; also after the queue is gone.
        #[test]
        fn each_message_gets_its_own_digest(
            name in 0_usize..7,
            wait in 0_u64..2000,
            threads in 0_usize..4,
            memory in prop_oneof![Just(0_usize), 0..10_000_usize, Just(1 << 20)],
            messages in prop::collection::vec((0_usize..3, prop::collection::vec(any::<u8>(), 0..300)), 0..200),
        ) {
            let algorithm = algorithm(name);
            let terms = Terms { wait: Duration::from_micros(wait), threads, memory };
            let queue = Queue::new(algorithm, terms).unwrap();
            let keys: [&'static [u8]; 2] = [b"one", b"another"];
            let under = |way: usize| match way {
                0 => None,
                way => {
                    let mut hasher = algorithm.with_key(keys[way - 1]).unwrap().hasher();
                    hasher.update(b"header");
                    Some(hasher)
                }
            };
            let push = |(way, message): &(usize, Vec<u8>)| match under(*way) {
                None => queue.push(message.clone()),
                Some(begun) => queue.push_after(begun, message.clone()),
            };
            let tickets: Vec<Option<Ticket>> =
                messages.iter().enumerate().map(|(at, one)| Some(push(one)).filter(|_| at % 5 != 3)).collect();
            drop(queue);
            for (ticket, (way, message)) in tickets.into_iter().zip(&messages) {
                let mut hasher = under(*way).unwrap_or_else(|| algorithm.hasher());
                hasher.update(message);
                prop_assert!(ticket.is_none_or(|ticket| ticket.wait() == Ok(hasher.finalize())));
            }
        }
    }

    #[test]
    fn one_message_alone_is_hashed_though_the_lanes_are_not_full() {
        let queue = Queue::new(algorithm(0), Terms::default()).unwrap();
        let ticket = queue.push(b"abc".to_vec());
        while !ticket.is_ready() {
            std::thread::yield_now();
        }
        assert_eq!(ticket.wait(), Ok(algorithm(0).digest(b"abc")));
    }

    /// Messages that leave no room for the next one do not wait for company, however long they may.
    #[test]
    fn a_push_without_room_ends_without_the_bound() {
        for threads in 1..3 {
            let terms = Terms { wait: Duration::MAX, threads, memory: 0 };
            let queue = Queue::new(algorithm(0), terms).unwrap();
            let tickets: Vec<Ticket> = (0..20_u8).map(|byte| queue.push(vec![byte])).collect();
            drop(queue);
            for (byte, ticket) in (0..).zip(tickets) {
                assert_eq!(ticket.wait(), Ok(algorithm(0).digest(&[byte])));
            }
        }
    }

    /// Hashing panics, and a ticket says so; the queue goes on.
    #[test]
    fn a_panic_loses_its_batch_alone() {
        let keyless: Algorithm = "hmac-sha256".parse().unwrap();
        let queue = Queue::new(keyless, Terms::default()).unwrap();
        for _ in 0..3 {
            assert_eq!(queue.push(b"abc".to_vec()).wait(), Err(LostMessage));
        }
        let under = keyless.with_key(b"key").unwrap();
        let good = queue.push_after(under.hasher(), b"abc".to_vec()).wait();
        assert_eq!(good, Ok(under.digest(b"abc")));
    }
}
