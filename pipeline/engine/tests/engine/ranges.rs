//! One long file under trees, read by several threads: the digest of one read, or its problem.

use pfh_digest::{Algorithm, Output, ROWS, Registry, Row, Standing, State, UnitState, Units, Value};
use pfh_engine::{Control, Mode, Outcome, Plan, Record, Stats, run};
use pfh_inject::{Errno, File, Files, Need, lacks};
use pfh_source::{Cause, Descend, Note, Operands};
use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current, sleep};
use std::time::Duration;

static ALL: Registry = Registry::new(&[&ROWS, &pfh_tree::ROWS]);

const MIB: usize = 1 << 20;

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn named(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| ALL.find(name).unwrap()).collect()
}

/// Cached files are cached by a read before, wherever the system keeps them.
fn ask(path: &Path, plan: &Plan) -> (Outcome, Stats) {
    let mut records: Vec<Record> = Vec::new();
    let source = Operands::new(vec![path.as_os_str().as_bytes().to_vec()], Descend::default());
    let summary = run(Box::new(source), plan, &mut records, &Control::new()).unwrap();
    assert_eq!(records.len(), 1);
    (records.remove(0).outcome, summary.stats)
}

fn digests(path: &Path, plan: &Plan) -> (Vec<String>, Stats) {
    match ask(path, plan) {
        (Outcome::Hashed(hashed), stats) => (hashed.digests.iter().map(ToString::to_string).collect(), stats),
        (other, _) => panic!("{}: {other:?}", path.display()),
    }
}

#[test]
fn any_threads_give_the_digest_of_the_whole_at_any_length() {
    let algorithms = named(&["blake3", "kt128", "parallelhash256", "sakura-fng-128", "parallelhash128,block=3000"]);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let bytes = noise(9 * MIB + 77);
    let (unit, range) = (128 << 10, MIB);
    let around = |length: usize| [length - 1, length, length + 1];
    let lengths =
        [around(unit), around(4 * range + unit), around(5 * range + unit), around(8 * range), [bytes.len(); 3]];
    for length in lengths.concat() {
        fs::write(&path, &bytes[..length]).unwrap();
        let expected: Vec<String> = algorithms.iter().map(|a| a.digest(&bytes[..length]).to_string()).collect();
        for threads in [1, 2, 3, 8] {
            let plan = Plan { threads, mode: Mode::Smt, ..Plan::new(algorithms[..4].to_vec()) };
            assert_eq!(digests(&path, &plan).0, expected[..4], "{length} bytes, {threads} threads");
        }
        for (memory, mode) in
            [(0, Mode::Adaptive), (5 << 20, Mode::Smt), (64 << 20, Mode::Adaptive), (64 << 20, Mode::Mtp)]
        {
            for (algorithm, expected) in algorithms.iter().zip(&expected) {
                let plan = Plan { threads: 3, memory, mode, ..Plan::new(vec![*algorithm]) };
                let found = digests(&path, &plan).0;
                assert_eq!(
                    found,
                    std::slice::from_ref(expected),
                    "{algorithm}: {length} bytes, {memory} of memory, {mode:?}"
                );
            }
        }
    }
}

#[test]
fn beside_other_algorithms_and_windows_there_is_one_reader() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let bytes = noise(9 * MIB);
    fs::write(&path, &bytes).unwrap();
    let algorithms = named(&["blake3", "sha256", "sakura-li-128"]);
    let expected: Vec<String> = algorithms.iter().map(|algorithm| algorithm.digest(&bytes).to_string()).collect();
    for piecewise in [None, Some(1_000_000)] {
        let plan = Plan { threads: 3, piecewise, mode: Mode::Smt, ..Plan::new(algorithms.clone()) };
        assert_eq!(digests(&path, &plan).0, expected);
    }
}

#[test]
fn several_files_end_with_ranges_of_the_last_ones() {
    let directory = tempfile::tempdir().unwrap();
    let bytes = noise(12 * MIB);
    let lengths = [12 * MIB, 300, 7 * MIB + 1, 0, 5 * MIB, 11 * MIB + 8192];
    let path = |index: usize| directory.path().join(format!("{index}"));
    (0..).zip(lengths).for_each(|(index, length)| fs::write(path(index), &bytes[..length]).unwrap());
    let kt128 = named(&["kt128"]);
    for threads in [2, 4] {
        let plan = Plan { threads, mode: Mode::Smt, ..Plan::new(kt128.clone()) };
        let names: Vec<Vec<u8>> = (0..lengths.len()).map(|i| path(i).as_os_str().as_bytes().to_vec()).collect();
        let mut records: Vec<Record> = Vec::new();
        run(Box::new(Operands::new(names, Descend::default())), &plan, &mut records, &Control::new()).unwrap();
        for (record, length) in records.iter().zip(lengths) {
            let Outcome::Hashed(hashed) = &record.outcome else { panic!("{record:?}") };
            assert_eq!(hashed.digests, [kt128[0].digest(&bytes[..length])]);
            assert_eq!(hashed.closed.size, length as u64);
        }
    }
}

/// A tree whose units take long, and which does something to the file when a range far inside is
/// hashed. Its digest is the number of bytes.
#[derive(Clone, Default)]
struct Slow(u64);

struct SlowUnits;

/// Threads that hashed units, and a disturbance at a place.
static DONE: Mutex<(Option<HashSet<ThreadId>>, Option<Disturbance>)> = Mutex::new((None, None));
/// One test at a time has them.
static TURN: Mutex<()> = Mutex::new(());

type Disturbance = (u64, Box<dyn FnOnce() + Send>);

const UNIT: usize = 64 << 10;

impl State for Slow {
    /// Long enough for other threads to have nothing to do before the file is through.
    fn update(&mut self, bytes: &[u8]) {
        sleep(Duration::from_millis(4));
        self.0 += bytes.len() as u64;
    }

    fn divides(&self) -> bool {
        true
    }

    fn apart(&mut self) -> Option<&mut dyn UnitState> {
        Some(self)
    }

    fn finalize(self: Box<Self>, length: usize) -> Value {
        Value::filled(length, |value| value.copy_from_slice(&self.0.to_be_bytes()))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

impl UnitState for Slow {
    fn units(&self) -> Box<dyn Units> {
        Box::new(SlowUnits)
    }

    /// Values say which units they are of: they come once, and in order.
    fn join(&mut self, values: &[u8]) {
        for value in values.as_chunks().0 {
            assert_eq!(u64::from_be_bytes(*value), self.0);
            self.0 += UNIT as u64;
        }
    }
}

impl Units for SlowUnits {
    fn length(&self) -> usize {
        UNIT
    }

    fn values(&self, offset: u64, units: &[u8], values: &mut Vec<u8>) {
        let disturb = {
            let mut done = DONE.lock().unwrap();
            done.0.get_or_insert_default().insert(current().id());
            done.1.take_if(|(place, _)| *place <= offset)
        };
        if let Some((_, disturb)) = disturb {
            disturb();
        }
        sleep(Duration::from_millis(2));
        let offsets = (offset..).step_by(UNIT).take(units.len() / UNIT);
        offsets.for_each(|offset| values.extend(offset.to_be_bytes()));
    }
}

static ROW: Row = Row::new("slow", &[], Output::Fixed(8), Standing::NonCryptographic, 1, || Box::<Slow>::default());

fn slow(threads: usize) -> Plan {
    Plan { threads, mode: Mode::Smt, ..Plan::new(vec![Algorithm::from_row(&ROW)]) }
}

fn turn() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *DONE.lock().unwrap() = (None, None);
    turn
}

#[test]
fn one_long_file_is_read_by_all_threads_or_by_one_if_there_is_one() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, vec![0; 24 * MIB + 5]).unwrap();
    for threads in [1, 2, 4] {
        let (found, stats) = digests(&path, &slow(threads));
        assert_eq!(found, [format!("{:016x}", 24 * MIB + 5)]);
        let seen = DONE.lock().unwrap().0.take().unwrap_or_default().len();
        let shared = threads.min(2)..=threads;
        assert!(shared.contains(&seen) && seen as u64 == stats.sharing, "{threads} threads, {seen}: {stats:?}");
        assert_eq!(stats.lent.is_zero(), threads == 1, "{stats:?}");
        assert!(stats.peak_table <= (2 * threads * 2 * MIB) as u64, "{stats:?}");
    }
}

/// Ranges that others had are proved by the same comparison: of the file before the first read and
/// after the last.
#[test]
fn a_file_that_changes_while_ranges_are_read_has_no_digest() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    type Disturb = fn(PathBuf);
    let disturbances: [(&str, Disturb); 4] = [
        ("cut behind", |path| fs::File::options().write(true).open(path).unwrap().set_len(20 * MIB as u64).unwrap()),
        ("cut before", |path| fs::File::options().write(true).open(path).unwrap().set_len(3).unwrap()),
        ("rewritten", |path| {
            use std::os::unix::fs::FileExt;
            fs::File::options().write(true).open(path).unwrap().write_all_at(b"!", 1).unwrap();
        }),
        ("longer", |path| fs::File::options().write(true).open(path).unwrap().set_len(40 * MIB as u64).unwrap()),
    ];
    for (name, disturb) in disturbances {
        for threads in [1, 2, 4] {
            // One of several may be through before a busy machine lets the others come.
            let mut outcome = None;
            for _ in 0..10 {
                fs::write(&path, vec![0; 24 * MIB]).unwrap();
                let target = path.clone();
                DONE.lock().unwrap().1 = Some((5 * MIB as u64, Box::new(move || disturb(target))));
                outcome = Some(ask(&path, &slow(threads)).0);
                if DONE.lock().unwrap().1.is_none() {
                    break;
                }
            }
            let outcome = outcome.unwrap();
            match outcome {
                Outcome::Failed(problem) => {
                    assert!(
                        matches!(problem.cause, Cause::Changed("size" | "modification time")),
                        "{name}: {problem:?}"
                    );
                }
                other => panic!("{name}, {threads} threads: {other:?}"),
            }
        }
    }
}

/// An unreadable range is named as one reader names it, whichever thread meets it, and however many
/// there are.
#[test]
fn what_cannot_be_read_is_named_with_its_first_byte() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let (first, second) = (5 * MIB as u64 + 4096, 11 * MIB as u64);
    let broken = |name| File::new(name, 16 * MIB as u64).fails_in(first..first + 8192, Errno::EIO);
    let mounted = Files::new()
        .with(broken("one").cached())
        .with(broken("several").cached().fails_in(second..second + 4096, Errno::EIO))
        .mount()
        .unwrap();
    for name in ["one", "several"] {
        for threads in [1, 2, 4] {
            for retries in [0, 2] {
                let plan = Plan { threads, retries, mode: Mode::Smt, ..Plan::new(named(&["blake3", "kt128"])) };
                match ask(&mounted.file(name), &plan).0 {
                    Outcome::Failed(problem) => {
                        let range = (problem.offset, problem.length);
                        assert_eq!(range, (Some(first), Some(8192)), "{name}, {threads} threads: {problem:?}");
                        assert_eq!(problem.code(), "EIO");
                    }
                    other => panic!("{name}, {threads} threads: {other:?}"),
                }
            }
        }
    }
}

/// A read that fails once: with a retry it is noted, without one it is a problem, although another
/// read of the same place would succeed.
#[test]
fn a_read_that_failed_once_is_named_or_noted() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let place = 6 * MIB as u64;
    let blake3 = named(&["blake3"]);
    for (threads, retries) in [(1, 0), (1, 1), (3, 0), (3, 1)] {
        let file = File::new("once", 12 * MIB as u64).fails_at_first(place, Errno::EIO, 1);
        let expected = blake3[0].digest(&file.bytes());
        let mounted = Files::new().with(file).mount().unwrap();
        let plan = Plan { threads, retries, mode: Mode::Smt, ..Plan::new(blake3.clone()) };
        match ask(&mounted.file("once"), &plan).0 {
            Outcome::Hashed(hashed) if retries > 0 => {
                assert_eq!((&hashed.digests[0], &hashed.closed.notes[..1]), (&expected, &[Note::Retried][..]));
            }
            Outcome::Failed(problem) if retries == 0 => {
                assert_eq!((problem.code(), problem.offset), ("EIO", Some(place)), "{threads} threads");
            }
            other => panic!("{threads} threads, {retries} retries: {other:?}"),
        }
    }
}

/// A range that does not come back costs its file, and no other.
#[test]
fn a_range_that_stalls_is_the_files_problem() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let good = directory.path().join("good");
    fs::write(&good, noise(9 * MIB)).unwrap();
    let blake3 = named(&["blake3"]);
    let stalls = File::new("stalls", 16 * MIB as u64).stalls_at(6 * MIB as u64, Duration::from_secs(4));
    let mounted = Files::new().with(stalls).mount().unwrap();
    for threads in [2, 3] {
        let stall = Duration::from_secs(1);
        let plan = Plan { threads, stall, mode: Mode::Smt, ..Plan::new(blake3.clone()) };
        let names = [mounted.file("stalls"), good.clone()].map(|path| path.as_os_str().as_bytes().to_vec());
        let mut records: Vec<Record> = Vec::new();
        run(Box::new(Operands::new(names.to_vec(), Descend::default())), &plan, &mut records, &Control::new()).unwrap();
        assert!(matches!(&records[0].outcome, Outcome::Failed(p) if p.cause == Cause::Stalled(1)), "{:?}", records[0]);
        assert!(matches!(&records[1].outcome, Outcome::Hashed(_)), "{:?}", records[1]);
    }
}
