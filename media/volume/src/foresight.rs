//! Directories that are looked at ahead of the listing, by a thread that decodes: it reads the
//! bytes that the listing will read, so that they are found decoded. It notes no fault, since the
//! listing will find it.

use pfh_bytes::bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Inodes that lie nearer to each other than this, in bytes, are decoded together.
const NEAR: u64 = 4096;

/// Has the places looked at that `places` finds, unless the listing `is_open` by then.
pub fn look_at<I: Iterator<Item = u64>>(
    bytes: &Arc<dyn Bytes>,
    is_open: &Arc<AtomicBool>,
    places: impl FnOnce() -> Option<I> + Send + 'static,
) {
    let (medium, is_open) = (bytes.clone(), is_open.clone());
    bytes.ahead(Box::new(move || {
        if is_open.load(Ordering::Relaxed) {
            return;
        }
        let mut last = u64::MAX;
        for place in places().into_iter().flatten() {
            if place.abs_diff(last) >= NEAR {
                _ = medium.read_at(place, &mut [0]);
                last = place;
            }
        }
    }));
}
