//! The names of an image: its metadata, which is a list of directories of entries.

use super::resource::{Hash, hash};
use pfh_bytes::field::{le16, le32, le64};
use pfh_bytes::node::Times;
use pfh_bytes::text::{units, utf16};
use pfh_bytes::time::windows;
use std::collections::HashSet;

/// Bytes of an entry without its names, and of a further stream without its name.
const ENTRY: usize = 102;
const STREAM: usize = 38;

const DIRECTORY: u32 = 0x10;
const REPARSE: u32 = 0x400;

/// An entry.
#[derive(Debug, Clone)]
pub struct Entry {
    pub path: Vec<u8>,
    pub is_directory: bool,
    /// The tag of its reparse point.
    pub reparse: Option<u32>,
    pub times: Times,
    /// The hash of its content; zeros if there is none.
    pub hash: Hash,
    /// Further streams by their names.
    pub streams: Vec<(Vec<u8>, Hash)>,
}

/// A fault, and where in the metadata.
pub type Wrong = (Vec<u8>, usize, &'static str);

/// The entries of an image, without its root, in the order of its directories.
pub fn entries(raw: &[u8]) -> Vec<Result<Entry, Wrong>> {
    let mut found = Vec::new();
    let security = (le32(raw, 0) as usize).max(8).next_multiple_of(8);
    let Some(root) = entry(raw, security, b"") else {
        return vec![Err((Vec::new(), security, "the root of the image leads out of its metadata"))];
    };
    let mut seen = HashSet::new();
    let mut waiting = vec![(Vec::new(), root.1)];
    while let Some((path, start)) = waiting.pop() {
        if start == 0 {
            continue;
        }
        if !seen.insert(start) {
            found.push(Err((path, start as usize, "a directory that two names lead to")));
            continue;
        }
        let mut below = Vec::new();
        let mut at = usize::try_from(start).unwrap_or(usize::MAX);
        while le64(raw, at) > 8 {
            let Some((one, inner, next)) = entry(raw, at, &path) else {
                found.push(Err((path.clone(), at, "an entry that leads out of the metadata")));
                break;
            };
            if one.is_directory && one.reparse.is_none() {
                below.push((one.path.clone(), inner));
            }
            found.push(Ok(one));
            at = next;
        }
        if raw.len() < at.saturating_add(8) {
            found.push(Err((path, at, "a directory whose end is not in the metadata")));
        }
        waiting.extend(below.into_iter().rev());
    }
    found
}

/// An entry with the place of its directory and that of the next entry.
fn entry(raw: &[u8], at: usize, above: &[u8]) -> Option<(Entry, u64, usize)> {
    let length = usize::try_from(le64(raw, at)).ok().filter(|length| *length >= ENTRY)?;
    let fixed = raw.get(at..at.checked_add(length)?)?;
    let attributes = le32(fixed, 8);
    let (count, name) = (usize::from(le16(fixed, 96)), usize::from(le16(fixed, 100)));
    let name = utf16(&units(fixed.get(ENTRY..ENTRY + name)?));
    let path = if above.is_empty() { name } else { [above, b"/", &name].concat() };
    let times = Times {
        born: windows(le64(fixed, 40)),
        accessed: windows(le64(fixed, 48)),
        modified: windows(le64(fixed, 56)),
        ..Times::default()
    };
    let mut found = Entry {
        path,
        is_directory: attributes & DIRECTORY != 0,
        reparse: (attributes & REPARSE != 0).then(|| le32(fixed, 88)),
        times,
        hash: hash(fixed, 64),
        streams: Vec::new(),
    };
    let mut next = at.checked_add(length)?.next_multiple_of(8);
    for _ in 0..count {
        let length = usize::try_from(le64(raw, next)).ok().filter(|length| *length >= STREAM)?;
        let fixed = raw.get(next..next.checked_add(length)?)?;
        let name = utf16(&units(fixed.get(STREAM..STREAM + usize::from(le16(fixed, 36)))?));
        match (name.is_empty(), hash(fixed, 16)) {
            (true, hash) if found.hash == [0; 20] => found.hash = hash,
            (true, _) => {}
            (false, hash) => found.streams.push((name, hash)),
        }
        next = next.checked_add(length)?.next_multiple_of(8);
    }
    Some((found, le64(fixed, 16), next))
}

/// Where a reparse point of a WIM leads, which has its tag in the entry: the printed name, or the
/// one that the system goes by. `None` if it is not a link.
pub fn target(tag: u32, raw: &[u8]) -> Option<Vec<u8>> {
    let buffer = match tag {
        0xa000_000c => 12,
        0xa000_0003 => 8,
        0xa000_001d => return raw.get(4..).map(<[u8]>::to_vec),
        _ => return None,
    };
    let name = |at: usize| {
        let (start, length) = (buffer + usize::from(le16(raw, at)), usize::from(le16(raw, at + 2)));
        raw.get(start..start + length).map(|name| utf16(&units(name)))
    };
    name(4).filter(|name| !name.is_empty()).or_else(|| name(0))
}
