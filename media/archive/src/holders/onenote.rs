//! Files that are embedded in a section of OneNote ([MS-ONESTORE] 2.6.13, FileDataStoreObject).

use super::{ranged, wrong};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le64, read, read_some};
use pfh_bytes::node::{Failure, Node, Nodes};
use std::sync::Arc;

/// The first bytes of a section.
pub const MAGIC: &[u8] = b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3";
/// The bytes in front of a file: its identifier.
const FILE: &[u8] = b"\xe7\x16\xe3\xbd\x65\x26\x11\x45\xa4\xc4\x8d\x4d\x0b\x7a\x9e\xac";
/// The identifier behind it.
const END: &[u8] = b"\x22\xa7\xfb\x71\x79\x0f\x0b\x4a\xbb\x13\x89\x92\x56\x42\x6b\x24";
/// The identifier of the form in which OneDrive keeps a section.
const PACKAGED: &[u8] = b"\x2f\xe9\x8d\x63\xd4\xa6\xc1\x4b\x9a\x36\xb3\xfc\x25\x11\xa5\xb7";
const WINDOW: usize = 1 << 20;

/// The files, in the order in which they lie.
///
/// # Errors
/// If the section has the form in which OneDrive keeps it.
pub fn open(bytes: Arc<dyn Bytes>) -> Result<Nodes, Failure> {
    let (mut at, mut number) = (0, 0);
    if read_some(&*bytes, 48, 16)? == PACKAGED {
        return Err(wrong(48, "a section of OneNote as OneDrive keeps it: not read"));
    }
    Ok(Box::new(std::iter::from_fn(move || {
        let found = next(&bytes, &mut at, number + 1)?;
        number += 1;
        Some(found)
    })))
}

fn next(bytes: &Arc<dyn Bytes>, at: &mut u64, number: u64) -> Option<Result<Node, Failure>> {
    while *at < bytes.size() {
        let window = match read_some(&**bytes, *at, WINDOW) {
            Ok(window) => window,
            Err(failed) => {
                *at = u64::MAX;
                return Some(Err(failed));
            }
        };
        let Some(place) = memchr::memmem::find(&window, FILE) else {
            if window.len() <= FILE.len() {
                break;
            }
            *at += (window.len() - FILE.len()) as u64;
            continue;
        };
        let place = *at + place as u64;
        *at = place + FILE.len() as u64;
        // The identifier stands in tables too, without a length.
        let Ok(header) = read(&**bytes, place + 16, 20) else { continue };
        let (start, length) = (place + 36, le64(&header, 0));
        let end = start.checked_add(length).filter(|end| *end <= bytes.size());
        let path = format!("file {number}").into_bytes();
        let failed = |cause| Some(Err(Failure { path: path.clone(), ..wrong(start, cause) }));
        let is_header = header[8..20] == [0; 12] && (1..1 << 40).contains(&length);
        let Some(end) = end else {
            if is_header {
                return failed("the section ends before the file does");
            }
            continue;
        };
        let footer = read(&**bytes, end.next_multiple_of(8), 16).or_else(|_| read(&**bytes, end, 16));
        let padded = read(&**bytes, start + length.next_multiple_of(8), 16);
        if [footer, padded].iter().all(|footer| footer.as_deref() != Ok(END)) {
            if is_header {
                return failed("a file without the mark behind it: not read");
            }
            continue;
        }
        *at = end;
        return Some(ranged(bytes, path, std::slice::from_ref(&(start..end))));
    }
    None
}
