//! Answers that a filesystem owes to readers. A process that ends while one of its threads waits
//! for a filesystem of its own never ends: the thread keeps the filesystem's device open, and
//! nobody answers.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest wait for answers at the end.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
struct State {
    due: u64,
    is_ending: bool,
}

/// The answers of one filesystem.
#[derive(Debug, Default)]
pub struct Answers {
    state: Mutex<State>,
    changed: Condvar,
}

/// An answer that is due until this is dropped.
pub struct Due(Arc<Answers>);

impl Answers {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reader asks.
    pub fn due(self: &Arc<Answers>) -> Due {
        self.state().due += 1;
        Due(self.clone())
    }

    /// Stalls for this time, or until the filesystem ends.
    pub fn stall(&self, time: Duration) {
        let waits = self.changed.wait_timeout_while(self.state(), time, |state| !state.is_ending);
        drop(waits.unwrap_or_else(PoisonError::into_inner));
    }

    /// Ends all stalls, and waits until nothing is due.
    pub fn end(&self) {
        let mut state = self.state();
        state.is_ending = true;
        self.changed.notify_all();
        let waits = self.changed.wait_timeout_while(state, PATIENCE, |state| state.due > 0);
        drop(waits.unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        self.0.state().due -= 1;
        self.0.changed.notify_all();
    }
}
