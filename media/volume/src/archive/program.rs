//! Archives behind a program that unpacks them.

use crate::bytes::{Bytes, Slice};
use pfh_container::{disk, sfx};
use std::sync::Arc;

/// The archive behind a program, if the bytes begin with one.
pub fn behind_program(bytes: Arc<dyn Bytes>) -> Arc<dyn Bytes> {
    let mut start = vec![0; usize::try_from(bytes.size()).unwrap_or(usize::MAX).min(disk::START)];
    let found = bytes.read_exact_at(0, &mut start).ok().and_then(|()| sfx::archive(&start, &*bytes));
    let slice = found.and_then(|found| Slice::new(bytes.clone(), found.offset, bytes.size() - found.offset));
    slice.map_or(bytes, |slice| Arc::new(slice))
}
