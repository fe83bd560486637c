//! One policy per device: a rotational disk is read by one reader at a time.

use pfh_source::os::is_rotational;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// DeviceLocks to rotational devices. Two readers on one spindle halve its speed or worse (hashdeep #333, b3sum #31); solid
/// state has no gate.
#[derive(Default)]
pub struct DeviceLocks {
    known: Mutex<HashMap<u64, Option<Arc<Mutex<()>>>>>,
}

impl DeviceLocks {
    /// The gate of a device (`st_dev`), to be held while reading from it; `None` where any number may read.
    pub fn of(&self, device: u64) -> Option<Arc<Mutex<()>>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(device).or_insert_with(|| is_rotational(device).then(Arc::default)).clone()
    }
}
