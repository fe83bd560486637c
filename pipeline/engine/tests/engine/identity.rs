//! Output is the same for any mode, thread count, budget and order of arrival, and every input
//! appears exactly once.

use pfh_digest::Algorithm;
use pfh_engine::{Control, Division, Laps, Mode, Outcome, Plan, Record, run};
use pfh_source::{Cause, Entry, Item, Lender, Loan, Object, Origin, Problem, Source, Stage};
use proptest::prelude::*;
use std::io::Read;
use std::sync::Arc;

/// Bytes that come in short reads or are lent in short parts, and may end in an error.
struct Bytes {
    bytes: Arc<Vec<u8>>,
    most: usize,
    fails: bool,
    hint: Option<u64>,
    /// After how many reads one is lent; 0 for never.
    lends: u8,
}

impl Bytes {
    fn stream(&self) -> Stream {
        let &Bytes { ref bytes, most, fails, lends, .. } = self;
        Stream { bytes: bytes.clone(), at: 0, most, fails, lends, calls: 0 }
    }
}

impl Object for Bytes {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        Ok(Box::new(self.stream()))
    }

    fn lender(&self) -> Result<Box<dyn Lender>, Problem> {
        Ok(Box::new(self.stream()))
    }

    fn size_hint(&self) -> Option<u64> {
        self.hint
    }
}

struct Stream {
    bytes: Arc<Vec<u8>>,
    at: usize,
    most: usize,
    fails: bool,
    lends: u8,
    calls: u8,
}

impl Lender for Stream {
    fn lend(&mut self, most: usize) -> Option<Loan> {
        self.calls = self.calls.wrapping_add(1);
        if self.lends == 0 || !self.calls.is_multiple_of(self.lends) || self.at == self.bytes.len() {
            return None;
        }
        let loan = Loan::new(self.bytes.clone(), self.at..self.bytes.len()).take(most.min(self.most));
        self.at += loan.len();
        Some(loan)
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = buffer.len().min(self.bytes.len() - self.at).min(self.most);
        if n == 0 && self.fails {
            return Err(std::io::Error::from_raw_os_error(5));
        }
        buffer[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

fn message(length: usize, seed: u64) -> Vec<u8> {
    let mut x = seed | 1;
    (0..length)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        })
        .collect()
}

fn items(objects: &[(usize, usize, bool, u8)]) -> Vec<Item> {
    objects
        .iter()
        .enumerate()
        .map(|(number, &(length, most, fails, hint))| {
            let bytes = Arc::new(message(length, number as u64 * 77));
            let hint = match hint % 3 {
                0 => None,
                1 => Some(length as u64),
                _ => Some(u64::from(hint)),
            };
            let lends = (number % 4) as u8;
            let object = Arc::new(Bytes { bytes, most: most.max(1), fails, hint, lends });
            let origin = Origin::Object { name: format!("{number}").into_bytes().into(), object };
            Item::Entry(Entry { number: number as u64, origin, stat: None })
        })
        .collect()
}

fn check(objects: &[(usize, usize, bool, u8)], plan: &Plan) {
    let mut records: Vec<Record> = Vec::new();
    let summary = run(Box::new(items(objects).into_iter()), plan, &mut records, &Control::new()).unwrap();
    assert_eq!(records.len(), objects.len());
    assert_eq!(summary.hashed + summary.failed, objects.len() as u64);
    for (number, (record, object)) in records.iter().zip(objects).enumerate() {
        assert_eq!(record.number, number as u64);
        let bytes = message(object.0, number as u64 * 77);
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                assert!(!object.2);
                for (algorithm, digest) in plan.algorithms.iter().zip(&hashed.digests) {
                    assert_eq!(*digest, algorithm.digest(&bytes), "{algorithm} of {} bytes", bytes.len());
                }
                if let Some(length) = plan.piecewise {
                    let windows: Vec<&[u8]> = bytes.chunks(length as usize).collect();
                    assert_eq!(hashed.pieces.len(), windows.len());
                    for (piece, window) in hashed.pieces.iter().zip(windows) {
                        assert_eq!(piece.length, window.len() as u64);
                        for (algorithm, digest) in plan.algorithms.iter().zip(&piece.digests) {
                            assert_eq!(*digest, algorithm.digest(window));
                        }
                    }
                }
            }
            Outcome::Failed(problem) => {
                assert!(object.2, "{problem}");
                assert_eq!((problem.stage, problem.offset), (Stage::Read, Some(object.0 as u64)));
                assert_eq!(problem.cause, Cause::Os(5));
            }
            Outcome::Skipped(_) => panic!("nothing is skipped here"),
        }
    }
}

fn plan(names: &[&str], memory: usize, threads: usize, prefetchers: usize, mode: Mode, piecewise: Option<u64>) -> Plan {
    let algorithms: Vec<Algorithm> = names.iter().map(|n| n.parse().unwrap()).collect();
    Plan { memory, threads, prefetchers, mode, piecewise, ..Plan::new(algorithms) }
}

/// A division of a user's own: each answer to when lanes are read, by threads of one role or two.
const fn own(name: &'static str, laps: Laps, is_apart: bool) -> Division {
    let about = "A mode of the tests";
    Division { name, about, laps, is_apart, prefetchers: |_| 2, readers: |threads, more| threads.max(more) }
}

static OWN: [Division; 6] = [
    own("together-never", Laps::Never, false),
    own("together-sometimes", Laps::WhileItBringsMore, false),
    own("together-always", Laps::Always, false),
    own("apart-never", Laps::Never, true),
    own("apart-sometimes", Laps::WhileItBringsMore, true),
    own("apart-always", Laps::Always, true),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_plan_gives_the_same_digests(
        objects in prop::collection::vec((0usize..200_000, 1usize..70_000, prop::bool::weighted(0.1), 0u8..=255), 0..40),
        memory in prop_oneof![Just(0usize), Just(1), Just(4096), Just(65_536), Just(1 << 20), Just(64 << 20)],
        threads in 1usize..5,
        prefetchers in 0usize..5,
        mode in prop::sample::select([&Mode::ALL[..], &OWN.each_ref().map(Mode::Own)].concat()),
        piecewise in prop_oneof![3 => Just(None), 1 => (1u64..100_000).prop_map(Some)],
    ) {
        let piecewise = piecewise.map(|p| p.max(500));
        check(&objects, &plan(&["md5", "sha1", "sha256", "blake3", "sha512"], memory, threads, prefetchers, mode, piecewise));
    }
}

#[test]
fn many_small_and_one_large() {
    let mut objects: Vec<(usize, usize, bool, u8)> = (0..3000).map(|i| (i % 5000, 9999, false, 1)).collect();
    objects[17] = (20 << 20, 1 << 20, false, 1);
    for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
        check(&objects, &plan(&["sha256", "md5", "crc32"], 8 << 20, 2, 3, mode, None));
    }
}

/// A source that panics at an item, and would say that it has ended if it were asked again.
struct Trap {
    items: std::vec::IntoIter<Item>,
    left: usize,
}

impl Source for Trap {
    fn pull(&mut self) -> Option<Item> {
        if self.left == 0 {
            self.items = Vec::new().into_iter();
            self.left = usize::MAX;
            panic!("a source fails on purpose");
        }
        self.left -= 1;
        self.items.next()
    }
}

#[test]
fn a_panic_of_the_source_or_of_a_reader_ends_the_run() {
    struct Bomb;
    impl Object for Bomb {
        fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
            panic!("a reader fails on purpose");
        }
    }
    let objects = || items(&[(100, 10, false, 1); 50]);
    let mut bombs = objects();
    for number in [3u64, 30] {
        let origin = Origin::Object { name: b"bomb".to_vec().into(), object: Arc::new(Bomb) };
        bombs[number as usize] = Item::Entry(Entry { number, origin, stat: None });
    }
    let clones = |items: &[Item]| -> Vec<Item> {
        items.iter().map(|i| if let Item::Entry(e) = i { Item::Entry(e.clone()) } else { panic!() }).collect()
    };
    for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
        for threads in [1, 3] {
            let plan = plan(&["sha256"], 1 << 20, threads, 1, mode, None);
            let sources: Vec<Box<dyn Source>> = vec![
                Box::new(clones(&bombs).into_iter()),
                Box::new(Trap { items: objects().into_iter(), left: 0 }),
                Box::new(Trap { items: objects().into_iter(), left: 20 }),
            ];
            for source in sources {
                let mut records: Vec<Record> = Vec::new();
                let ran = run(source, &plan, &mut records, &Control::new());
                assert!(matches!(ran, Err(pfh_engine::Error::Panicked)), "{mode:?}: {ran:?}");
                assert!(records.iter().enumerate().all(|(at, record)| record.number == at as u64));
            }
        }
    }
}

#[test]
fn a_read_that_stalls_is_reported_and_the_rest_goes_on() {
    struct Stall;
    struct Never;
    impl Read for Never {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            loop {
                std::thread::park();
            }
        }
    }
    impl Object for Stall {
        fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
            Ok(Box::new(Never))
        }
    }
    for mode in [Mode::Adaptive, Mode::Mtp, Mode::Smt] {
        let mut all = items(&[(1000, 100, false, 1); 20]);
        let origin = Origin::Object { name: b"stall".to_vec().into(), object: Arc::new(Stall) };
        all[5] = Item::Entry(Entry { number: 5, origin, stat: None });
        let mut plan = plan(&["sha256"], 0, 1, 0, mode, None);
        plan.stall = std::time::Duration::from_millis(1500);
        let mut records: Vec<Record> = Vec::new();
        let summary = run(Box::new(all.into_iter()), &plan, &mut records, &Control::new()).unwrap();
        assert_eq!((summary.hashed, summary.failed), (19, 1), "{mode:?}");
        assert!(matches!(&records[5].outcome, Outcome::Failed(p) if matches!(p.cause, Cause::Stalled(_))));
    }
}

#[test]
fn a_sink_that_refuses_ends_the_run() {
    let mut taken = 0;
    let mut sink = |_: Record| {
        taken += 1;
        if taken == 10 { Err(std::io::Error::from_raw_os_error(28)) } else { Ok(()) }
    };
    let plan = plan(&["sha256"], 1 << 20, 2, 2, Mode::Adaptive, None);
    let items = items(&[(10, 10, false, 0); 1000]).into_iter();
    assert!(run(Box::new(items), &plan, &mut sink, &Control::new()).is_err());
    assert_eq!(taken, 10);
}

/// Reads that wait in some stretches and not in others: messages pass from lanes to the table in
/// the middle, and back.
#[test]
fn messages_change_hands_in_the_middle() {
    struct Napping(Arc<Vec<u8>>, u64);
    struct Nap {
        bytes: Arc<Vec<u8>>,
        at: usize,
        seed: u64,
    }
    impl Object for Napping {
        fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
            Ok(Box::new(Nap { bytes: self.0.clone(), at: 0, seed: self.1 }))
        }
        fn size_hint(&self) -> Option<u64> {
            Some(self.0.len() as u64)
        }
    }
    impl Read for Nap {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            // A stretch of half a MiB is slow or fast as a whole.
            if ((self.at as u64 >> 19) + self.seed).is_multiple_of(3) {
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            let n = buffer.len().min(self.bytes.len() - self.at);
            buffer[..n].copy_from_slice(&self.bytes[self.at..self.at + n]);
            self.at += n;
            Ok(n)
        }
    }
    let messages: Vec<Arc<Vec<u8>>> =
        (0..24).map(|i| Arc::new(message([3_000_000, 700_001, 90, 65_536][i % 4] + i, i as u64))).collect();
    for (mode, threads, memory) in [
        (Mode::Adaptive, 1, 4 << 20),
        (Mode::Adaptive, 2, 64 << 20),
        (Mode::Adaptive, 3, 0),
        (Mode::Smt, 2, 64 << 20),
        (Mode::Mtp, 2, 4 << 20),
    ] {
        let plan = plan(&["sha256", "md5", "sha1", "blake3", "crc32"], memory, threads, 4, mode, None);
        let item = |(number, bytes): (usize, &Arc<Vec<u8>>)| {
            let object = Arc::new(Napping(bytes.clone(), number as u64));
            let origin = Origin::Object { name: b"nap".to_vec().into(), object };
            Item::Entry(Entry { number: number as u64, origin, stat: None })
        };
        let items: Vec<Item> = messages.iter().enumerate().map(item).collect();
        let mut records: Vec<Record> = Vec::new();
        run(Box::new(items.into_iter()), &plan, &mut records, &Control::new()).unwrap();
        assert_eq!(records.len(), messages.len());
        for (record, bytes) in records.iter().zip(&messages) {
            let Outcome::Hashed(hashed) = &record.outcome else { panic!("{:?}", record.outcome) };
            for (algorithm, digest) in plan.algorithms.iter().zip(&hashed.digests) {
                assert_eq!(*digest, algorithm.digest(bytes), "{algorithm} of {} bytes, {mode:?}", bytes.len());
            }
        }
    }
}
