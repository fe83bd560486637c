//! What a run writes itself, none of which is input.

use super::Request;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

/// The output, its seal, the cache and the files that SQLite keeps beside it, and the file behind
/// standard output.
pub fn own(request: &Request) -> Vec<Vec<u8>> {
    let mut own: Vec<OsString> = Vec::new();
    let mut with = |path: &Path, ends: &[&str]| {
        own.extend(ends.iter().map(|end| {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            path
        }));
    };
    match request.output.path() {
        Some(output) => with(output, if request.seal.is_some() { &["", ".seal"] } else { &[""] }),
        None => {
            let standard = std::fs::read_link("/proc/self/fd/1").ok().filter(|path| path.is_file());
            standard.iter().for_each(|path| with(path, &[""]));
        }
    }
    request.reuse.iter().for_each(|reuse| with(&reuse.path, &["", "-wal", "-shm", "-journal"]));
    own.into_iter().map(OsString::into_vec).collect()
}
