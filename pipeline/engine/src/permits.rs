//! Who may hash: as many permits as the plan has threads. A long message under a tree algorithm
//! takes the free ones too.

use pfh_digest::{Executor, Task};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Permits among the threads that hash.
pub(crate) struct Permits {
    free: AtomicUsize,
    /// Most threads that had work of one message.
    most: AtomicUsize,
    /// Nanoseconds of work on threads that were started for a while.
    lent: AtomicU64,
}

/// One place, or several; free again when it is dropped.
pub(crate) struct Permit {
    permits: Arc<Permits>,
    count: usize,
}

impl Permits {
    pub(crate) fn new(threads: usize) -> Arc<Self> {
        Arc::new(Permits { free: threads.max(1).into(), most: 0.into(), lent: 0.into() })
    }

    /// Takes one place.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Permit> {
        self.take_up_to(1)
    }

    /// Takes all permits that are free, if any.
    pub(crate) fn take_rest(self: &Arc<Self>) -> Option<Permit> {
        self.take_up_to(usize::MAX)
    }

    fn take_up_to(self: &Arc<Self>, most: usize) -> Option<Permit> {
        let mut count = 0;
        let take = |free: usize| {
            count = free.min(most);
            (count > 0).then(|| free - count)
        };
        self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).ok()?;
        Some(Permit { permits: self.clone(), count })
    }

    /// Most threads that had work of one message at the same time, its worker included; 0 if none
    /// was shared out.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    /// That many threads had ranges of one message.
    pub(crate) fn note_sharing(&self, threads: usize) {
        self.most.fetch_max(threads, Ordering::Relaxed);
    }

    /// A thread worked on another's message for so long.
    pub(crate) fn add_lent(&self, time: Duration) {
        self.lent.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Time of work that other threads than the workers did.
    pub(crate) fn lent(&self) -> Duration {
        Duration::from_nanos(self.lent.load(Ordering::Relaxed))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.permits.free.fetch_add(self.count, Ordering::SeqCst);
    }
}

/// The calling thread, and one more for each of these permits: started for one run of tasks, which
/// for a batch of many MiB costs nothing to speak of, and needs neither a second pool nor `unsafe`.
impl Executor for Permit {
    fn width(&self) -> usize {
        1 + self.count
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let others = self.count.min(tasks.len().saturating_sub(1));
        let busy = AtomicUsize::new(1);
        let tasks = Mutex::new(tasks.into_iter());
        // The lock is free again before the task runs.
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        thread::scope(|scope| {
            for _ in 0..others {
                let lent = || {
                    pfh_source::fail_point("leaves");
                    let from = Instant::now();
                    let mut worked = false;
                    while let Some(task) = next() {
                        worked = true;
                        task();
                    }
                    busy.fetch_add(usize::from(worked), Ordering::Relaxed);
                    self.permits.lent.fetch_add(from.elapsed().as_nanos() as u64, Ordering::Relaxed);
                };
                // Where no thread can be had, the others do its work.
                let _ = thread::Builder::new().name("pfh-leaves".into()).spawn_scoped(scope, lent);
            }
            while let Some(task) = next() {
                task();
            }
        });
        self.permits.most.fetch_max(busy.into_inner(), Ordering::Relaxed);
    }
}

/// That many threads to hash one long thing outside of a run: an outboard tree.
pub fn executor(threads: usize) -> impl Executor + use<> {
    let permits = Permits::new(threads);
    let _caller = permits.take();
    permits.take_rest().unwrap_or(Permit { permits: permits.clone(), count: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_and_given_back() {
        let permits = Permits::new(3);
        let one = permits.take().unwrap();
        let rest = permits.take_rest().unwrap();
        assert_eq!(rest.width(), 3);
        assert!(permits.take().is_none() && permits.take_rest().is_none());
        drop(one);
        assert!(permits.take().is_some());
        drop(rest);
        assert_eq!(permits.take_rest().unwrap().count, 3);
    }

    #[test]
    fn every_task_runs_once_and_before_the_return() {
        for threads in [1, 2, 5] {
            let executor = executor(threads);
            assert_eq!(executor.width(), threads);
            let mut done = [0; 100];
            executor.run(done.iter_mut().map(|done| Box::new(|| *done += 1) as Task<'_>).collect());
            assert_eq!(done, [1; 100]);
            executor.run(Vec::new());
        }
    }

    #[test]
    fn a_task_that_panics_is_the_callers_panic() {
        let executor = executor(4);
        let tasks = (0..8).map(|i| Box::new(move || assert_ne!(i, 5)) as Task<'_>).collect();
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| executor.run(tasks)));
        assert!(run.is_err());
    }
}
