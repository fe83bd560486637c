//! The scheduler under shuttle: the sources of `pfh-prefetch` and of a run, compiled over a host of
//! their own (`host.rs`), in which a seed decides after each step which thread takes the next one,
//! and which files, calls and threads fail. `PFH_MODEL=N` runs N schedules of each case,
//! `PFH_MODEL_SEED=S` begins with another seed; arguments name the cases.
//!
//! A schedule fails if a run does not end: nobody could take a step that mattered. Shuttle's locks
//! do not outlive a caught panic: threads that panic are tested at their fail points.
#![allow(dead_code, unreachable_pub, unused_imports, missing_docs)]

extern crate self as pfh_prefetch;

#[path = "../../../prefetch/src/agenda.rs"]
mod agenda;
#[path = "../../../prefetch/src/apart.rs"]
mod apart;
#[path = "../../../prefetch/src/backend.rs"]
mod backend;
#[path = "../../../prefetch/src/budget.rs"]
mod budget;
#[path = "../../../prefetch/src/choice.rs"]
mod choice;
#[path = "../../../prefetch/src/chunk.rs"]
mod chunk;
#[path = "../../src/control.rs"]
mod control;
#[path = "../../src/descriptors.rs"]
mod descriptors;
#[path = "../../../prefetch/src/device.rs"]
mod device;
#[path = "../../../prefetch/src/event_count.rs"]
mod event_count;
#[path = "../../../prefetch/src/feed.rs"]
mod feed;
#[path = "../../src/hashing.rs"]
mod hashing;
pub mod host;
#[path = "../../../prefetch/src/in_hand.rs"]
mod in_hand;
#[path = "../../../prefetch/src/lap.rs"]
mod lap;
#[path = "../../../prefetch/src/lent.rs"]
mod lent;
#[path = "../../src/line.rs"]
mod line;
#[path = "../../src/mode.rs"]
mod mode;
#[path = "../../../prefetch/src/open.rs"]
mod open;
mod parts;
#[path = "../../src/permits.rs"]
mod permits;
#[path = "../../src/pieces.rs"]
mod pieces;
#[path = "../../src/plan.rs"]
mod plan;
#[path = "../../src/progress.rs"]
mod progress;
#[path = "../../src/queue.rs"]
mod queue;
#[path = "../../src/ranges.rs"]
mod ranges;
#[path = "../../../prefetch/src/reader.rs"]
mod reader;
#[path = "../../src/record.rs"]
mod record;
#[path = "../../src/reorder.rs"]
mod reorder;
#[path = "../../../prefetch/src/reserve.rs"]
mod reserve;
#[path = "../../src/run.rs"]
mod run;
#[path = "../../src/sink.rs"]
mod sink;
#[path = "../../src/spread.rs"]
mod spread;
#[path = "../../../prefetch/src/table.rs"]
mod table;
#[path = "../../src/thread.rs"]
mod thread;
#[path = "../../../prefetch/src/together.rs"]
mod together;
mod world;

pub use apart::RangeEnd;
pub use backend::Backend;
pub use budget::{Budget, Slab};
pub use chunk::{Bytes, Chunk, End};
pub use device::DeviceLocks;
pub use event_count::EventCount;
pub use feed::Feed;
pub use in_hand::{InHand, LostWork};
pub use lap::{EndedMessage, Lap, LapBytes, Pace};
pub use open::Open;
pub use reader::{Reader, Step};
pub use reserve::Reserve;
pub use table::{Depth, For, Job, ResumedMessage, Table, Take};

use mode::Mode;
use shuttle::scheduler::{DfsScheduler, RandomScheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use world::{Faults, run_once};

/// Steps after which a run is taken for one that does not end: hundreds of times what it needs.
const MOST: usize = 400_000;
/// Schedules of a case in each change.
const USUAL: usize = 300;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn config() -> Config {
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(MOST);
    config.failure_persistence = FailurePersistence::None;
    config.silence_warnings = true;
    config
}

/// Random schedules of a case, each with files and faults of its own.
fn random(name: &str, count: u64, mode: Mode, faults: Faults) {
    let schedules = number("PFH_MODEL").map_or(USUAL, |n| n as usize);
    let seed = number("PFH_MODEL_SEED").unwrap_or(56);
    let done = Arc::new(AtomicU64::new(0));
    let started = Started(name.to_string(), seed, done.clone());
    Runner::new(RandomScheduler::new_from_seed(seed, schedules), config()).run(move || {
        done.fetch_add(1, Ordering::Relaxed);
        run_once(count, mode, faults);
    });
    println!("{name}: {} schedules", started.2.load(Ordering::Relaxed));
}

/// Names the schedule at which a case failed.
struct Started(String, u64, Arc<AtomicU64>);

impl Drop for Started {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: failed at schedule {} of seed {}", self.0, self.2.load(Ordering::Relaxed), self.1);
        }
    }
}

/// Every schedule of a small case, depth first, as far as the number of schedules goes; and some at
/// random, which differ from the first step on.
fn every(name: &str, case: fn()) {
    let most = number("PFH_MODEL").map_or(10_000, |n| 10 * n as usize);
    let done = Runner::new(DfsScheduler::new(Some(most), false), config()).run(case);
    println!("{name}: {} {done} schedules", if done < most { "all" } else { "the first" });
    if done == most {
        let seed = number("PFH_MODEL_SEED").unwrap_or(56);
        Runner::new(RandomScheduler::new_from_seed(seed, most / 10), config()).run(case);
    }
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| asked.is_empty() || asked.iter().any(|word| name.contains(word.as_str()));
    if std::env::args().any(|word| word == "--list") {
        return;
    }
    for (name, case) in parts::CASES {
        if wanted(name) {
            every(name, *case);
        }
    }
    let none = Faults::default();
    let faults = [
        ("sound", none),
        ("gone", Faults { gone: true, ..none }),
        ("late", Faults { gone: true, late: true, ..none }),
        ("never", Faults { gone: true, late: true, never: true, ..none }),
        ("short", Faults { gone: true, late: true, short: true, ..none }),
        ("refused", Faults { gone: true, refused: true, ..none }),
        ("cancelled", Faults { gone: true, late: true, cancelled: true, ..none }),
    ];
    for (mode, called) in [(Mode::Adaptive, "adaptive"), (Mode::Mtp, "mtp"), (Mode::Smt, "smt")] {
        for (fault, faults) in faults {
            for count in [2, 24] {
                let name = format!("{called}-{fault}-{count}");
                if wanted(&name) {
                    random(&name, count, mode, faults);
                }
            }
        }
    }
}
