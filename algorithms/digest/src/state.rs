//! The running state of a message, and who runs pieces of its work.

use std::any::Any;

use crate::Value;

/// The running state of one message under one algorithm. A [`Row`](crate::Row) constructs it, and a
/// [`Hasher`](crate::Hasher) drives it.
pub trait State: Any + Send + Sync {
    /// Takes in the next bytes of the message; any split into pieces gives the same value.
    fn update(&mut self, bytes: &[u8]);

    /// As [`update`](State::update) with one of the consecutive pieces after the other, and may
    /// hand parts of the work to `executor`; the value is the same. The more bytes come at once,
    /// the less the threads wait for each other. Algorithms that cannot divide a message do not use
    /// it.
    fn update_on(&mut self, pieces: &[&[u8]], executor: &dyn Executor) {
        let _ = executor;
        pieces.iter().for_each(|piece| self.update(piece));
    }

    /// Whether [`update_on`](State::update_on) has work for an executor: the algorithm is a tree.
    fn divides(&self) -> bool {
        false
    }

    /// The [`UnitState`] that takes in values of ranges that were hashed apart; `None` where every
    /// byte has to pass through this state.
    fn apart(&mut self) -> Option<&mut dyn UnitState> {
        None
    }

    /// Ends the message. `length` is the number of bytes asked for: the row's own for
    /// [`Output::Fixed`](crate::Output::Fixed), the stated one for
    /// [`Output::Stated`](crate::Output::Stated), 0 for [`Output::Text`](crate::Output::Text).
    fn finalize(self: Box<Self>, length: usize) -> Value;

    /// A copy that goes its own way from here.
    fn duplicate(&self) -> Box<dyn State>;
}

/// A message whose whole units may be hashed anywhere else, and only their values come back. The
/// first unit never is: a message of one unit may have its value made otherwise.
pub trait UnitState {
    /// The [`Units`] that hash units of messages under this algorithm.
    fn units(&self) -> Box<dyn Units>;

    /// Takes in the values of the next one or more units. The message has had one unit or more so
    /// far, and no part of another.
    fn join(&mut self, values: &[u8]);
}

/// Hashes units of a message: pieces of one length, each by itself.
pub trait Units: Send + Sync {
    /// Bytes of a unit.
    fn length(&self) -> usize;

    /// Appends the values of consecutive units. The first one begins at `offset` in the message, a
    /// multiple of the length and not 0.
    fn values(&self, offset: u64, units: &[u8], values: &mut Vec<u8>);
}

/// Runs pieces of work for a hasher, maybe at the same time: a pool of threads, seen from code that
/// knows no threads.
pub trait Executor: Sync {
    /// How many pieces may run at the same time, at least 1. Hashers cut their work accordingly.
    fn width(&self) -> usize;

    /// Runs every task to its end, in any order, and returns after the last.
    fn run(&self, tasks: Vec<Task<'_>>);
}

/// A piece of work for an [`Executor`].
pub type Task<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The executor without threads: one task after the other.
#[derive(Clone, Copy, Debug)]
pub struct Alone;

impl Executor for Alone {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        tasks.into_iter().for_each(|task| task());
    }
}
