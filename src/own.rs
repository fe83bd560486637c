//! The run's own output files, excluded from its input.

use crate::outputs::Outputs;
use pfh_source::os::names::OsStringExt;
use pfh_source::os::names::with_ending;
use pfh_source::os::standard_output_path;
use std::path::{Path, PathBuf};

/// Everything that a job and its caller's writers write, as the walk leaves it out of the input.
pub(crate) fn own_of(outputs: &Outputs, cache: Option<&Path>) -> Vec<Vec<u8>> {
    let mut own = beside(cache);
    own.extend(outputs.written());
    if outputs.is_standard() {
        own.extend(standard_output_path());
    }
    own.into_iter().map(|path| path.into_os_string().into_vec()).collect()
}

/// The file behind standard output, and a cache.
pub(crate) fn own(cache: Option<&Path>) -> Vec<Vec<u8>> {
    let own = beside(cache).into_iter().chain(standard_output_path());
    own.map(|path| path.into_os_string().into_vec()).collect()
}

/// A cache, with the files that SQLite keeps beside it.
fn beside(cache: Option<&Path>) -> Vec<PathBuf> {
    let Some(cache) = cache else { return Vec::new() };
    ["", "-wal", "-shm", "-journal"].map(|ending| with_ending(cache, ending)).into()
}
