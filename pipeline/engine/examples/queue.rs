//! Records of many streams through a queue, beside hashing each as it comes: `cargo run --release
//! -p pfh-engine --example queue [ALGORITHM [MICROSECONDS]]`.
//!
//! Each stream has a key of its own. In the first form one thread serves all streams, as an event
//! loop does: a record of each stream comes, and then their codes are taken. In the second one each
//! stream is a thread that waits for the code of a record before it sends the next. The codes are
//! compared first. Printed are, of several turns, the least and the median of the processor time of
//! all threads for a record, and the median of the time from a record's arrival to its code, in
//! microseconds.

use pfh_digest::{Algorithm, Digest, Hasher, ROWS, Registry};
use pfh_engine::{Queue, Terms};
use std::sync::Arc;
use std::time::{Duration, Instant};

static ALL: Registry = Registry::new(&[&ROWS]);
const TURNS: usize = 5;
/// Bytes of one turn.
const AMOUNT: usize = 32 << 20;

struct Streams {
    begun: Vec<Hasher>,
    record: Vec<u8>,
    rounds: usize,
    queue: Arc<Queue<Arc<[u8]>>>,
    shared: Arc<[u8]>,
}

/// Digests, and the time that each took to come.
type Found = Vec<(Digest, Duration)>;

impl Streams {
    fn serial(&self, stream: usize) -> (Digest, Duration) {
        let from = Instant::now();
        let mut hasher = self.begun[stream].clone();
        hasher.update(&self.record);
        (hasher.finalize(), from.elapsed())
    }

    fn queued(&self, stream: usize) -> (Digest, Duration) {
        let from = Instant::now();
        let ticket = self.queue.push_after(self.begun[stream].clone(), self.shared.clone());
        (ticket.wait().expect("no thread panics"), from.elapsed())
    }

    /// One thread for all streams, each record hashed as it comes. A record of each has arrived at
    /// the beginning of a round.
    fn loop_serial(&self) -> Found {
        let mut found = Vec::new();
        for _ in 0..self.rounds {
            let from = Instant::now();
            found.extend((0..self.begun.len()).map(|stream| (self.serial(stream).0, from.elapsed())));
        }
        found
    }

    fn loop_queued(&self) -> Found {
        let mut found = Vec::new();
        for _ in 0..self.rounds {
            let from = Instant::now();
            let push = |begun: &Hasher| self.queue.push_after(begun.clone(), self.shared.clone());
            let tickets: Vec<_> = self.begun.iter().map(push).collect();
            found.extend(tickets.into_iter().map(|one| (one.wait().expect("no thread panics"), from.elapsed())));
        }
        found
    }

    /// One thread for each stream.
    fn threads(&self, one: impl Fn(usize) -> (Digest, Duration) + Sync) -> Found {
        std::thread::scope(|scope| {
            let live = |stream| {
                let one = &one;
                scope.spawn(move || (0..self.rounds).map(|_| one(stream)).collect::<Found>())
            };
            let all: Vec<_> = (0..self.begun.len()).map(live).collect();
            all.into_iter().flat_map(|one| one.join().expect("no stream panics")).collect()
        })
    }
}

/// Microseconds of processor time for a record, and the median of the times to come.
fn measured(run: &dyn Fn() -> Found) -> (f64, f64, Found) {
    let from = pfh_source::os::cpu_time();
    let found = run();
    let cost = (pfh_source::os::cpu_time() - from).as_secs_f64() * 1e6 / found.len() as f64;
    let mut times: Vec<f64> = found.iter().map(|(_, time)| time.as_secs_f64() * 1e6).collect();
    times.sort_by(f64::total_cmp);
    (cost, times[times.len() / 2], found)
}

fn line(form: &str, streams: &Streams, serial: &dyn Fn() -> Found, queued: &dyn Fn() -> Found) {
    let codes = |found: Found| {
        let mut codes: Vec<String> = found.into_iter().map(|(digest, _)| digest.to_string()).collect();
        codes.sort();
        codes
    };
    assert_eq!(codes(serial()), codes(queued()), "the codes are the same");
    let mut all = [Vec::new(), Vec::new()];
    for _ in 0..TURNS {
        for (run, all) in [serial, queued].into_iter().zip(&mut all) {
            let (cost, time, _) = measured(run);
            all.push((cost, time));
        }
    }
    let [serial, queued] = all.map(|mut turns| {
        turns.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (least, median) = (turns[0].0, turns[TURNS / 2].0);
        turns.sort_by(|one, other| one.1.total_cmp(&other.1));
        format!("{least:.2} | {median:.2} | {:.1}", turns[TURNS / 2].1)
    });
    println!("| {form} | {} | {} | {serial} | {queued} |", streams.record.len(), streams.begun.len());
}

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or("hmac-sha256".into());
    let wait = Duration::from_micros(words.next().map_or(100, |word| word.parse().expect("microseconds")));
    let algorithm: Algorithm = ALL.find(&name).expect("an algorithm of this crate");
    println!("{name}, {} lanes, a record waits for {wait:?} at most", algorithm.lanes());
    println!("| form | bytes | streams | serial: least | median | time | queue: least | median | time |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for bytes in [1 << 10, 16 << 10] {
        for count in [1_usize, 2, 4, 8, 16, 32, 64] {
            let keys = (0..count).map(|stream| [stream as u8 + 1; 32]);
            let begun = keys.map(|key| algorithm.hasher_under(&key).expect("keys of 32 bytes")).collect();
            let record: Vec<u8> = (0..bytes).map(|at| ((at * at) >> 5) as u8).collect();
            let queue = Arc::new(Queue::new(algorithm, Terms { wait, ..Terms::default() }).expect("a thread"));
            let shared = Arc::from(&record[..]);
            let rounds = (AMOUNT / bytes / count / if count == 1 { 8 } else { 1 }).max(1);
            let streams = Streams { begun, record, rounds, queue, shared };
            line("loop", &streams, &|| streams.loop_serial(), &|| streams.loop_queued());
            let each = (&|| streams.threads(|one| streams.serial(one)), &|| streams.threads(|one| streams.queued(one)));
            line("threads", &streams, each.0, each.1);
        }
    }
}
