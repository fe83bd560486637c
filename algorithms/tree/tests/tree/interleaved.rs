//! Leaf interleaving on any number of threads at each level of `PFH_ISA`, against the slow
//! reference.

use crate::reference;
use pfh_digest::{Executor, Registry, Task};
use pfh_kernel::Isa;
use pfh_tree::ROWS;
use proptest::prelude::*;
use std::process::Command;
use std::sync::Mutex;

static TREES: Registry = Registry::new(&[&ROWS]);

/// Threads that note how many tasks they were handed in each run.
struct Counting {
    width: usize,
    tasks: Mutex<Vec<usize>>,
}

impl Executor for Counting {
    fn width(&self) -> usize {
        self.width
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        self.tasks.lock().unwrap().push(tasks.len());
        std::thread::scope(|scope| tasks.into_iter().rev().for_each(|task| drop(scope.spawn(task))));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn threads_share_as_many_leaves_as_there_are(
        leaves in prop_oneof![1usize..40, Just(16), Just(96)], blocks in 1usize..5, width in 1usize..40,
        rounds in 0usize..4, rest in 0usize..40_000, cuts in prop::collection::vec(0usize..400_000, 0..5), wide: bool,
    ) {
        let (name, rate) = if wide { ("sakura-li-128", 168) } else { ("sakura-li-256", 136) };
        let block = blocks * rate;
        let length = rounds * leaves * block + rest;
        let name = format!("{name},leaves={leaves},block={block}");
        let message: Vec<u8> = (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
        let algorithm = TREES.find(&name).unwrap();
        let expected = reference::digest(&name, &message, b"", 8192, algorithm.length());
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(length)).chain([0, length]).collect();
        cuts.sort_unstable();
        let threads = Counting { width, tasks: Mutex::default() };
        let mut hasher = algorithm.hasher();
        for cut in cuts.windows(2) {
            hasher.update_on(&[&message[cut[0]..cut[1]]], &threads);
        }
        let digest = hasher.finalize();
        prop_assert_eq!(digest.bytes(), &expected[..], "{} of {} bytes on {} threads", name, length, width);
        let tasks = threads.tasks.into_inner().unwrap();
        prop_assert!(tasks.iter().all(|tasks| *tasks == width.min(leaves)), "{} on {}: {:?}", name, width, tasks);
        prop_assert!(!tasks.is_empty() || length < leaves * block);
    }
}

/// The same with fewer instruction sets: the level is read once a process, so each has its own.
#[test]
fn at_each_level() {
    let this = std::env::current_exe().unwrap();
    for isa in Isa::ALL.iter().filter(|isa| isa.detected()) {
        let mut test = Command::new(&this);
        test.args(["--exact", "interleaved::threads_share_as_many_leaves_as_there_are"]);
        let run = test.env("PFH_ISA", isa.name()).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(run.status.success() && said.contains("1 passed"), "{}: {said}", isa.name());
    }
}
