//! Logical images: their entries as members, whose bytes are compared with the digests that the
//! image states of them.

use super::limits::Limits;
use super::member::{failure, node, plain_name, wrong};
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Times};
use pfh_container::disk;
use pfh_container::logical::{self, Entry, Logical};
use pfh_digest::{Digest, Hasher};
use std::io::{self, Read};
use std::sync::Arc;

/// The entries of an image whose segments start at `parts`.
pub fn open(format: Logical, bytes: Arc<dyn Bytes>, parts: &[u64], limits: &Limits) -> Result<Nodes, Failure> {
    let ends = parts.iter().skip(1).copied().chain([bytes.size()]);
    let slices = parts.iter().zip(ends).map(|(start, end)| {
        let slice = Slice::new(bytes.clone(), *start, end.saturating_sub(*start));
        slice
            .map(|slice| Arc::new(slice) as Arc<dyn Bytes>)
            .ok_or_else(|| failure(b"", "a segment leads out of the file"))
    });
    let segments = slices.collect::<Result<Vec<_>, _>>()?;
    let mut entries = logical::open(format, segments).map_err(|found| failed(b"", &found))?;
    let mut left = limits.entries;
    Ok(Box::new(std::iter::from_fn(move || {
        let next = entries.next()?;
        if left == 0 {
            return None;
        }
        left -= 1;
        if left == 0 {
            return Some(Err(failure(b"", "the image has more members than allowed")));
        }
        Some(match next {
            Ok(entry) => Ok(named(entry)),
            Err((path, found)) => Err(failed(&joined(&path), &found)),
        })
    })))
}

/// A failure of the image as one of a member.
fn failed(path: &[u8], found: &disk::Failure) -> Failure {
    match found {
        disk::Failure::Malformed { offset, what } => {
            Failure { path: path.to_vec(), offset: *offset, cause: what.clone(), ..Failure::default() }
        }
        other => failure(path, other.to_string()),
    }
}

fn joined(path: &[Vec<u8>]) -> Vec<u8> {
    path.iter().map(|name| plain_name(name)).collect::<Vec<_>>().join(&b'/')
}

fn named(entry: Entry) -> Node {
    let path = joined(&entry.path);
    let kind = if entry.is_directory { Kind::Directory } else { Kind::File };
    let stamps = entry.stamps;
    let times = Times {
        modified: stamps.modified,
        accessed: stamps.accessed,
        changed: stamps.changed,
        born: stamps.born,
        deleted: stamps.deleted,
    };
    let bytes = entry.content.map(|content| content.map_err(|found| failed(&path, &found)));
    let size = bytes.as_ref().and_then(|bytes| bytes.as_ref().ok()).map(|bytes| bytes.size());
    let digests = entry.digests;
    let content = bytes.map(|bytes| Arc::new(Member { bytes, path: path.clone().into(), digests }) as Arc<dyn Content>);
    Node { size, id: entry.id, times, compressed: true, content, ..node(path, kind) }
}

/// The content of an entry.
struct Member {
    bytes: Result<Arc<dyn Bytes>, Failure>,
    path: Arc<[u8]>,
    digests: Vec<Digest>,
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let bytes = self.bytes.clone()?;
        let hashers = self.digests.iter().map(|stated| stated.algorithm().hasher()).collect();
        let (path, stated) = (self.path.clone(), self.digests.clone());
        Ok(Box::new(ComparedContent { bytes, at: 0, path, stated, hashers }))
    }

    fn bytes(&self) -> Option<Arc<dyn Bytes>> {
        self.bytes.clone().ok()
    }
}

/// Reads a content, and compares it with the stated digests at its end.
struct ComparedContent {
    bytes: Arc<dyn Bytes>,
    at: u64,
    path: Arc<[u8]>,
    stated: Vec<Digest>,
    hashers: Vec<Hasher>,
}

impl Read for ComparedContent {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let read = self.bytes.read_at(self.at, buffer).map_err(|error| match error.get_ref() {
            Some(inner) if inner.is::<disk::Damage>() => wrong(failure(&self.path, inner.to_string())),
            _ => error,
        });
        let got = read?;
        if got > 0 {
            self.hashers.iter_mut().for_each(|hasher| hasher.update(&buffer[..got]));
            self.at += got as u64;
            return Ok(got);
        }
        if self.at != self.bytes.size() {
            let cause = format!("ends after {} of the {} bytes that it states", self.at, self.bytes.size());
            return Err(wrong(failure(&self.path, cause)));
        }
        for (hasher, stated) in self.hashers.iter().zip(&self.stated) {
            let is = hasher.clone().finalize();
            if is != *stated {
                let cause =
                    format!("its bytes have the {} {is} and not {stated} as the image states", stated.algorithm());
                return Err(wrong(failure(&self.path, cause)));
            }
        }
        Ok(0)
    }
}
