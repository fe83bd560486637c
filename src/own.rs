//! What a run writes itself, none of which is input.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// The output and its seal, or the file behind standard output, and the cache with the files that
/// SQLite keeps beside it.
pub(crate) fn own(output: Option<&Path>, sealed: bool, cache: Option<&Path>) -> Vec<Vec<u8>> {
    let mut own: Vec<OsString> = Vec::new();
    let mut with = |path: &Path, ends: &[&str]| {
        own.extend(ends.iter().map(|end| {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            path
        }));
    };
    match output {
        Some(output) => with(output, if sealed { &["", ".seal"] } else { &[""] }),
        None => {
            let standard = std::fs::read_link("/proc/self/fd/1").ok().filter(|path| path.is_file());
            standard.iter().for_each(|path| with(path, &[""]));
        }
    }
    cache.iter().for_each(|cache| with(cache, &["", "-wal", "-shm", "-journal"]));
    own.into_iter().map(OsString::into_vec).collect()
}
