//! Both backends say the same of real files: digests, problems and counts.

use pfh_digest::Algorithm;
use pfh_engine::{Backend, Control, Mode, Outcome, Plan, Record, run};
use pfh_source::{Cause, Descend, Entry, Item, Links, Operands, Origin, Problem, Recurse, Source, Stage};
use proptest::prelude::*;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const BOTH: [Backend; 2] = [Backend::Plain, Backend::Uring];

fn plan(backend: Backend) -> Plan {
    let mut plan = Plan::new(vec!["sha256".parse::<Algorithm>().unwrap(), "crc32".parse().unwrap()]);
    (plan.threads, plan.prefetchers, plan.backend) = (2, 2, backend);
    plan
}

fn walk(root: &Path) -> Operands {
    walk_with(root, Links::Keep)
}

fn walk_with(root: &Path, links: Links) -> Operands {
    let descend = Descend { recurse: Recurse::Yes, links, ..Descend::default() };
    Operands::new(vec![root.as_os_str().as_bytes().to_vec()], descend)
}

/// The records of a run, in words that can be compared: access times are the backends' own
/// business.
fn said(source: impl Source + 'static, plan: &Plan) -> Vec<(u64, Vec<u8>, String)> {
    let mut records: Vec<Record> = Vec::new();
    let summary = run(Box::new(source), plan, &mut records, &Control::new()).unwrap();
    assert_eq!(summary.hashed + summary.failed + summary.skipped, records.len() as u64);
    let outcome = |outcome: &Outcome| match outcome {
        Outcome::Hashed(h) => format!("{:?} {} {:?}", h.digests, h.closed.size, h.closed.notes),
        other => format!("{other:?}"),
    };
    records.iter().map(|r| (r.number, r.name.clone(), outcome(&r.outcome))).collect()
}

/// Both backends, compared; the plain one's records are returned.
fn agree(make: impl Fn() -> Operands, shape: impl Fn(&mut Plan)) -> Vec<(u64, Vec<u8>, String)> {
    let [plain, uring] = BOTH.map(|backend| {
        let mut plan = plan(backend);
        shape(&mut plan);
        said(make(), &plan)
    });
    assert_eq!(plain, uring);
    plain
}

fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The digest of every file, computed from the bytes that `std` reads.
fn check_against_std(root: &Path, said: &[(u64, Vec<u8>, String)]) {
    for (_, name, outcome) in said {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        assert!(path.starts_with(root));
        let content = fs::read(path).unwrap();
        let digest = |name: &str| name.parse::<Algorithm>().unwrap().digest(&content);
        assert_eq!(*outcome, format!("{:?} {} []", [digest("sha256"), digest("crc32")], content.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_tree_has_the_same_digests(
        lengths in prop::collection::vec(prop_oneof![4 => 0usize..9000, 1 => 0usize..300_000, 1 => Just(0)], 1..120),
        memory in prop_oneof![Just(0usize), Just(65_536), Just(1 << 20), Just(32 << 20)],
        threads in 1usize..4,
        prefetchers in 0usize..4,
        mode in prop_oneof![Just(Mode::Adaptive), Just(Mode::Mtp), Just(Mode::Smt)],
    ) {
        let root = tempfile::tempdir().unwrap();
        for (at, length) in lengths.iter().enumerate() {
            let folder = root.path().join(format!("{}", at % 7));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(format!("{at}")), bytes(*length, at as u64)).unwrap();
        }
        let shape = |plan: &mut Plan| {
            (plan.memory, plan.threads, plan.prefetchers, plan.mode) = (memory, threads, prefetchers, mode);
        };
        let said = agree(|| walk(root.path()), shape);
        prop_assert_eq!(said.len(), lengths.len());
        check_against_std(root.path(), &said);
    }
}

#[test]
fn many_small_empty_and_edge_sized_files() {
    let root = tempfile::tempdir().unwrap();
    // Around the smallest slab, half of it, the place given to a file in a pack (64 bytes), and the
    // largest slab.
    let edges = [0, 1, 62, 63, 64, 65, 2047, 2048, 2049, 4095, 4096, 4097, 524_287, 524_288, 524_289, 1 << 20];
    for at in 0..3000usize {
        let length = if at % 100 < edges.len() && at < 200 { edges[at % 100] } else { at % 5000 };
        fs::write(root.path().join(format!("{at:05}")), bytes(length, at as u64)).unwrap();
    }
    for memory in [0, 1 << 20, 64 << 20] {
        let said = agree(|| walk(root.path()), |plan| plan.memory = memory);
        assert_eq!(said.len(), 3000);
        check_against_std(root.path(), &said);
    }
}

/// Between listing and opening, `at` changes under the reader's feet.
struct Meddling<S, F> {
    source: S,
    left: usize,
    meddle: Option<F>,
    kept: std::collections::VecDeque<Item>,
}

impl<S: Source, F: FnOnce() + Send> Source for Meddling<S, F> {
    fn pull(&mut self) -> Option<Item> {
        while self.left > 0 {
            self.left -= 1;
            self.kept.extend(self.source.pull());
        }
        if let Some(meddle) = self.meddle.take() {
            meddle();
        }
        self.kept.pop_front().or_else(|| self.source.pull())
    }
}

#[test]
fn what_is_swapped_in_is_never_read_and_what_is_gone_is_reported() {
    for backend in BOTH {
        let root = tempfile::tempdir().unwrap();
        for at in 0..40u8 {
            fs::write(root.path().join(format!("{at:02}")), [at; 100]).unwrap();
        }
        let secret = root.path().join("39");
        let place = root.path().to_path_buf();
        let meddle = move || {
            for name in ["03", "05", "07", "09"] {
                fs::remove_file(place.join(name)).unwrap();
            }
            symlink(&secret, place.join("05")).unwrap();
            let made = std::process::Command::new("mkfifo").arg(place.join("07")).status().unwrap();
            assert!(made.success());
            fs::create_dir(place.join("09")).unwrap();
        };
        let source = Meddling { source: walk(root.path()), left: 40, meddle: Some(meddle), kept: Default::default() };
        let mut records: Vec<Record> = Vec::new();
        let summary = run(Box::new(source), &plan(backend), &mut records, &Control::new()).unwrap();
        assert_eq!((summary.hashed, summary.failed), (36, 4), "{backend:?}");
        let problem = |at: usize| match &records[at].outcome {
            Outcome::Failed(problem) => problem.clone(),
            other => panic!("{backend:?} {at}: {other:?}"),
        };
        assert_eq!(problem(3), Problem::new(Stage::Open, Cause::Os(2)));
        assert_eq!(problem(5), Problem::new(Stage::Open, Cause::Replaced));
        assert_eq!(problem(7), Problem::new(Stage::Open, Cause::Replaced));
        assert_eq!(problem(9), Problem::new(Stage::Open, Cause::Replaced));
    }
}

#[test]
fn a_directory_swapped_for_a_link_leads_nowhere() {
    for backend in BOTH {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join("d")).unwrap();
        for at in 0..20 {
            fs::write(root.path().join(format!("d/{at:02}")), b"inside").unwrap();
            fs::write(outside.path().join(format!("{at:02}")), b"outside").unwrap();
        }
        let (place, target) = (root.path().to_path_buf(), outside.path().to_path_buf());
        let meddle = move || {
            fs::rename(place.join("d"), place.join("e")).unwrap();
            symlink(&target, place.join("d")).unwrap();
        };
        let source = Meddling { source: walk(root.path()), left: 20, meddle: Some(meddle), kept: Default::default() };
        let mut records: Vec<Record> = Vec::new();
        let summary = run(Box::new(source), &plan(backend), &mut records, &Control::new()).unwrap();
        assert_eq!((summary.hashed, summary.failed), (0, 20), "{backend:?}");
        let replaced = |r: &Record| matches!(&r.outcome, Outcome::Failed(p) if p.cause == Cause::Replaced);
        assert!(records.iter().all(replaced), "{backend:?}");
    }
}

#[test]
fn files_that_lie_about_their_size() {
    // Everything here states a size of 0 and has data; some of it does not let itself be read.
    let said = agree(|| walk_with(Path::new("/proc/sys/net/ipv4/neigh/lo"), Links::Keep), |_| {});
    let first = |path: &'static str| agree(|| Operands::new(vec![path; 30], Descend::default()), |_| {});
    assert!(first("/proc/version").iter().all(|(_, _, outcome)| outcome.contains("Virtual")), "{said:?}");
    assert!(first("/proc/self/mem").iter().all(|(_, _, outcome)| outcome.contains("Os(5)")));
    assert!(first("/sys/kernel/mm/transparent_hugepage/enabled").len() == 30);
}

#[test]
fn denied_long_and_linked_names() {
    let root = tempfile::tempdir().unwrap();
    for at in 0..30u8 {
        fs::write(root.path().join(format!("{at}")), [at; 300]).unwrap();
    }
    fs::set_permissions(root.path().join("4"), fs::Permissions::from_mode(0o000)).unwrap();
    symlink("5", root.path().join("link")).unwrap();
    symlink("nowhere", root.path().join("broken")).unwrap();
    // Paths longer than PATH_MAX: two halves that are not, one moved below the other.
    let half: PathBuf = std::iter::repeat_n("p".repeat(200), 15).collect();
    let (upper, lower) = (root.path().join(&half), root.path().join("lower"));
    fs::create_dir_all(&upper).unwrap();
    fs::create_dir_all(lower.join(&half)).unwrap();
    for at in 0..5u8 {
        fs::write(lower.join(&half).join(format!("{at}")), [at; 70]).unwrap();
    }
    fs::rename(&lower, upper.join("lower")).unwrap();
    for links in [Links::Keep, Links::Follow] {
        let said = agree(|| walk_with(root.path(), links), |_| {});
        assert_eq!(said.len(), 37);
        assert!(said.iter().filter(|(_, name, _)| name.len() > 4096).count() == 5);
    }
}

#[test]
fn a_file_rewritten_while_it_is_read_has_no_wrong_digest() {
    let root = tempfile::tempdir().unwrap();
    for at in 0..64 {
        fs::write(root.path().join(format!("{at:02}")), bytes(3000, 0)).unwrap();
    }
    let (old, new) = (bytes(3000, 0), bytes(3500, 1));
    let stop = Arc::new(Mutex::new(false));
    let (halt, place, rewritten) = (stop.clone(), root.path().to_path_buf(), new.clone());
    let writer = std::thread::spawn(move || {
        // Growing, shrinking and rewriting in place: every state between the two is nobody's
        // content.
        for round in 0.. {
            if *halt.lock().unwrap() {
                break;
            }
            let content = if round % 2 == 0 { &rewritten } else { &old };
            fs::write(place.join(format!("{:02}", round / 2 % 64)), content).unwrap();
        }
    });
    let sha256: Algorithm = "sha256".parse().unwrap();
    let whole = [sha256.digest(&bytes(3000, 0)), sha256.digest(&new), sha256.digest(b"")];
    let mut hashed = 0;
    for round in 0..40 {
        let mut records: Vec<Record> = Vec::new();
        run(Box::new(walk(root.path())), &plan(BOTH[round % 2]), &mut records, &Control::new()).unwrap();
        assert_eq!(records.len(), 64);
        for record in records {
            match record.outcome {
                Outcome::Hashed(h) => {
                    hashed += 1;
                    assert!(whole.contains(&h.digests[0]), "{} bytes", h.closed.size);
                }
                Outcome::Failed(p) => assert_eq!(p.stage, Stage::Check, "{p}"),
                Outcome::Skipped(_) => panic!("nothing is skipped here"),
            }
        }
    }
    *stop.lock().unwrap() = true;
    writer.join().unwrap();
    assert!(hashed > 0);
}

#[test]
fn objects_among_files_are_read_too() {
    struct Words;
    impl pfh_source::Object for Words {
        fn open(&self) -> Result<Box<dyn std::io::Read + Send>, Problem> {
            Ok(Box::new(&b"words"[..]))
        }
    }
    let root = tempfile::tempdir().unwrap();
    for at in 0..50u8 {
        fs::write(root.path().join(format!("{at:02}")), [at; 100]).unwrap();
    }
    for backend in BOTH {
        let (mut source, mut items) = (walk(root.path()), Vec::new());
        while let Some(mut item) = source.pull() {
            if let Item::Entry(Entry { number, origin, .. }) = &mut item
                && *number % 3 == 0
            {
                *origin = Origin::Object { name: b"words".to_vec().into(), object: Arc::new(Words) };
            }
            items.push(item);
        }
        let said = said(items.into_iter(), &plan(backend));
        assert_eq!(said.iter().filter(|(_, name, _)| name == b"words").count(), 17);
        assert!(said.iter().all(|(_, _, outcome)| outcome.ends_with(" 5 []") || outcome.ends_with(" 100 []")));
    }
}
