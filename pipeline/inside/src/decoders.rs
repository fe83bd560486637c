//! Threads that decode content of containers ahead of those who read it: blocks of compressed
//! images and file systems, members of archives. They stand between media and readers, once for all
//! formats.
//!
//! A piece of work that nobody has begun when it is waited for is done by the thread that waits: a
//! run never waits for a thread that could not be started.

use super::shelf::Shelf;
use pfh_source::Alone;
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The threads, which are started when there is work for them.
pub struct Decoders {
    shared: Arc<DecoderQueue>,
    threads: usize,
    memory: usize,
    shelf: Arc<Shelf>,
    alone: Alone,
}

struct DecoderQueue {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Bytes that may still be decoded ahead.
    room: AtomicUsize,
}

#[derive(Default)]
struct Queue {
    /// In front of all tasks.
    soon: VecDeque<Box<dyn FnOnce() + Send>>,
    tasks: VecDeque<Arc<dyn Work>>,
    /// Threads that were started, and those of them that wait.
    started: usize,
    waiting: usize,
    is_over: bool,
}

trait Work: Send + Sync {
    /// Does it, unless somebody else has begun.
    fn perform(&self);
}

enum State<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Running,
    Done(Result<T, Box<dyn Any + Send>>),
    Over,
}

struct Task<T> {
    state: Mutex<State<T>>,
    done: Condvar,
}

/// The result of a piece of work, to be waited for. Work that has not begun when this is dropped is
/// not done.
pub struct Ticket<T> {
    task: Arc<Task<T>>,
    /// Whether a thread lives that will do it.
    is_served: bool,
}

thread_local! {
    /// Whether this thread is one of those that decode.
    static IS_DECODER: Cell<bool> = const { Cell::new(false) };
}

/// A share of the memory for content that is decoded ahead.
pub struct Room {
    shared: Arc<DecoderQueue>,
    bytes: usize,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Decoders {
    /// At most that many threads, which decode at most `memory` bytes ahead.
    /// Streams that one of them decodes are counted by `alone`.
    pub fn new(threads: usize, memory: usize, alone: &Alone) -> Arc<Decoders> {
        let (queue, wake, room) = (Mutex::default(), Condvar::new(), AtomicUsize::new(memory));
        Arc::new(Decoders {
            shared: Arc::new(DecoderQueue { queue, wake, room }),
            threads,
            memory,
            shelf: Arc::default(),
            alone: alone.clone(),
        })
    }

    /// Bytes that are decoded ahead at most.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The count of streams that one thread decodes.
    pub fn alone(&self) -> &Alone {
        &self.alone
    }

    /// Buffers for decoded content.
    pub fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    /// How many pieces of work go on side by side.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Memory for this number of bytes, if there is as much.
    pub fn room(&self, bytes: usize) -> Option<Room> {
        let take = |room: usize| room.checked_sub(bytes);
        self.shared.room.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).ok()?;
        Some(Room { shared: self.shared.clone(), bytes })
    }

    /// Hands out a piece of work. Those that were handed out first begin first.
    pub fn begin<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Ticket<T> {
        self.hand_out(work, VecDeque::push_back)
    }

    /// The same, in front of all that has not begun: others will have work by it.
    pub fn begin_first<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Ticket<T> {
        self.hand_out(work, VecDeque::push_front)
    }

    fn hand_out<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        push: impl FnOnce(&mut VecDeque<Arc<dyn Work>>, Arc<dyn Work>),
    ) -> Ticket<T> {
        let state = Mutex::new(State::Waiting(Box::new(work) as Box<dyn FnOnce() -> T + Send>));
        let task = Arc::new(Task { state, done: Condvar::new() });
        let is_served = self.add(|queue| push(&mut queue.tasks, task.clone()));
        Ticket { task, is_served }
    }

    /// Work for which nobody waits, in front of all other: a later read will be faster by it. It
    /// is not done if no thread comes to it.
    pub fn soon(&self, work: impl FnOnce() + Send + 'static) {
        self.add(|queue| queue.soon.push_back(Box::new(work)));
    }

    /// Adds work; whether there is a thread for it.
    fn add(&self, push: impl FnOnce(&mut Queue)) -> bool {
        let mut queue = lock(&self.shared.queue);
        push(&mut queue);
        if queue.waiting == 0 && queue.started < self.threads {
            let shared = self.shared.clone();
            let thread = std::thread::Builder::new().name("decoder".to_owned()).spawn(move || shared.live());
            queue.started += usize::from(thread.is_ok());
        }
        let (is_served, is_idle) = (queue.started > 0, queue.waiting > 0);
        drop(queue);
        if is_idle {
            self.shared.wake.notify_one();
        }
        is_served
    }
}

impl Drop for Decoders {
    fn drop(&mut self) {
        let mut queue = lock(&self.shared.queue);
        queue.is_over = true;
        let left = (std::mem::take(&mut queue.soon), std::mem::take(&mut queue.tasks));
        drop(queue);
        self.shared.wake.notify_all();
        drop(left);
    }
}

impl DecoderQueue {
    /// The life of a thread.
    fn live(&self) {
        IS_DECODER.set(true);
        let mut queue = lock(&self.queue);
        while !queue.is_over {
            if let Some(work) = queue.soon.pop_front() {
                drop(queue);
                // A defect comes up again where the bytes are read.
                _ = catch_unwind(AssertUnwindSafe(work));
                queue = lock(&self.queue);
                continue;
            }
            let Some(task) = queue.tasks.pop_front() else {
                queue.waiting += 1;
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
                queue.waiting -= 1;
                continue;
            };
            drop(queue);
            task.perform();
            queue = lock(&self.queue);
        }
    }
}

impl<T: Send> Work for Task<T> {
    fn perform(&self) {
        let work = {
            let mut state = lock(&self.state);
            match std::mem::replace(&mut *state, State::Running) {
                State::Waiting(work) => work,
                other => {
                    *state = other;
                    return;
                }
            }
        };
        let done = catch_unwind(AssertUnwindSafe(work));
        *lock(&self.state) = State::Done(done);
        self.done.notify_all();
    }
}

impl<T: Send> Ticket<T> {
    /// Whether nobody has to wait for it.
    pub fn is_done(&self) -> bool {
        matches!(*lock(&self.task.state), State::Done(_))
    }

    /// The result. A panic of the work goes on in the thread that waits.
    ///
    /// Who reads does not decode, so that others can read meanwhile; who decodes begins what nobody
    /// has begun, since all threads may be those that wait.
    pub fn wait(self) -> T {
        let is_done_here = !self.is_served || IS_DECODER.get();
        let mut state = lock(&self.task.state);
        loop {
            match std::mem::replace(&mut *state, State::Over) {
                State::Waiting(work) if is_done_here => {
                    drop(state);
                    return work();
                }
                State::Done(Ok(done)) => return done,
                State::Done(Err(panic)) => {
                    drop(state);
                    resume_unwind(panic)
                }
                other => *state = other,
            }
            state = self.task.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Drop for Ticket<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.task.state);
        if matches!(*state, State::Waiting(_)) {
            *state = State::Over;
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.shared.room.fetch_add(self.bytes, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn results_come_in_the_order_of_those_who_wait() {
        for threads in [0, 1, 2, 8] {
            let decoders = Decoders::new(threads, 0, &Alone::default());
            let tickets: Vec<_> = (0..500u64).map(|number| decoders.begin(move || number * number)).collect();
            for (number, ticket) in tickets.into_iter().enumerate().rev() {
                assert_eq!(ticket.wait(), (number * number) as u64);
            }
        }
    }

    #[test]
    fn a_panic_reaches_the_thread_that_waits() {
        let decoders = Decoders::new(1, 0, &Alone::default());
        let ticket = decoders.begin(|| panic!("a defect"));
        let caught = catch_unwind(AssertUnwindSafe(|| ticket.wait()));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"a defect"));
        assert_eq!(decoders.begin(|| 7).wait(), 7, "the threads go on");
    }

    #[test]
    fn work_that_nobody_waits_for_is_not_done() {
        let decoders = Decoders::new(1, 0, &Alone::default());
        let (go, wait) = mpsc::channel::<()>();
        let first = decoders.begin(move || wait.recv().is_ok());
        let (done, seen) = mpsc::channel();
        drop(decoders.begin(move || done.send(())));
        go.send(()).unwrap();
        assert!(first.wait());
        assert!(decoders.begin(|| true).wait());
        assert!(seen.recv().is_err(), "it was dropped with its ticket");
    }

    #[test]
    fn memory_is_handed_out_once() {
        let decoders = Decoders::new(2, 10, &Alone::default());
        let held = decoders.room(6).unwrap();
        assert!(decoders.room(5).is_none());
        drop(held);
        assert!(decoders.room(10).is_some());
    }
}
