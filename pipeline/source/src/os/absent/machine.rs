//! The machine, as the standard library knows it.

use std::ffi::OsString;
use std::path::Path;

/// The names in a directory, in no order; as many as there were before the first error, none where
/// it cannot be opened.
pub fn names_in(path: impl AsRef<Path>) -> Vec<OsString> {
    let names = std::fs::read_dir(path).into_iter().flatten();
    names.map_while(|entry| entry.ok().map(|entry| entry.file_name())).collect()
}

/// Processors that this process may use, as the standard library counts them; at least one.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, |number| number.get())
}

/// Bounds the heaps of a C library that makes one per thread; nothing is done here.
pub fn bound_heaps(_: usize) {}
