//! One policy per device: a rotational disk is read by one reader at a time.

use crate::host::Mutex;
use crate::host::atomic::{AtomicBool, Ordering};
use pfh_source::os::is_rotational;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

/// Locks of rotational devices: two readers on one spindle halve its speed or worse (hashdeep
/// issue 333, b3sum issue 31). Solid state has no lock.
pub struct DeviceLocks {
    known: Mutex<HashMap<u64, Option<Arc<Mutex<()>>>>>,
    turns: bool,
    given: AtomicBool,
}

impl DeviceLocks {
    /// Locks for rotational devices if readers are to take `turns`, else none at all.
    pub fn new(turns: bool) -> DeviceLocks {
        DeviceLocks { known: Mutex::default(), turns, given: AtomicBool::new(false) }
    }

    /// The lock of a device (`st_dev`), to be held while reading from it; `None` where any number
    /// may read.
    pub fn of(&self, device: u64) -> Option<Arc<Mutex<()>>> {
        if !self.turns {
            return None;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = known.entry(device).or_insert_with(|| is_rotational(device).then(Arc::default)).clone();
        if lock.is_some() {
            self.given.store(true, Ordering::Relaxed);
        }
        lock
    }

    /// Whether a file lay on a device with a lock.
    pub fn were_given(&self) -> bool {
        self.given.load(Ordering::Relaxed)
    }
}
