//! A compressed stream that is not an archive: one member.

use super::checked::{CheckedBytes, StatedSum};
use super::decoder::Packing;
use super::limits::Limits;
use super::member::{failure, node};
use super::parts;
use super::tape::Tape;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Nodes};
use std::io::Read;
use std::sync::Arc;

/// The one member of the stream, named as its program would name it.
pub fn open(packing: Packing, bytes: Arc<dyn Bytes>, name: &[u8], limits: &Limits) -> Nodes {
    let path = member(packing, name);
    let mut only = node(path.clone(), Kind::File);
    only.compressed = true;
    only.content = Some(Arc::new(Stream { packing, bytes, limits: limits.clone(), path: path.into() }));
    Box::new(std::iter::once(Ok(only)))
}

/// The last component without the ending, or with another one.
fn member(packing: Packing, name: &[u8]) -> Vec<u8> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let endings: &[(&[u8], &[u8])] = match packing {
        Packing::Gzip => &[(b".gz", b""), (b".tgz", b".tar"), (b".svgz", b".svg")],
        Packing::Bzip2 => &[(b".bz2", b""), (b".tbz2", b".tar"), (b".tbz", b".tar")],
        Packing::Xz => &[(b".xz", b""), (b".txz", b".tar")],
        Packing::Zstd => &[(b".zst", b""), (b".tzst", b".tar")],
        Packing::Compress => &[(b".Z", b""), (b".taz", b".tar")],
        Packing::Lz4 => &[(b".lz4", b""), (b".tlz4", b".tar")],
        Packing::Lzip => &[(b".lz", b""), (b".tlz", b".tar")],
        Packing::Lzma => &[(b".lzma", b""), (b".tlz", b".tar")],
    };
    for (ending, other) in endings {
        let Some(at) = last.len().checked_sub(ending.len()).filter(|at| *at > 0) else { continue };
        if last[at..].eq_ignore_ascii_case(ending) {
            return [&last[..at], other].concat();
        }
    }
    if last.is_empty() { b"content".to_vec() } else { last.to_vec() }
}

struct Stream {
    packing: Packing,
    bytes: Arc<dyn Bytes>,
    limits: Limits,
    path: Arc<[u8]>,
}

impl Content for Stream {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let opened = parts::open(self.packing, &self.bytes, &self.limits);
        let opened = opened.map_err(|error| failure(&self.path, error.to_string()))?;
        let most = self.limits.most(self.bytes.size());
        Ok(Box::new(CheckedBytes::new(opened, self.path.clone(), StatedSum::default(), most)))
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        let size = self.bytes.size();
        Ok(Some(Box::new(Tape::new(self.bytes.clone(), 0, size))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_member_is_named_as_its_program_names_it() {
        assert_eq!(member(Packing::Gzip, b"a/b.txt.GZ"), b"b.txt");
        assert_eq!(member(Packing::Gzip, b"b.tgz"), b"b.tar");
        assert_eq!(member(Packing::Xz, b".xz"), b".xz");
        assert_eq!(member(Packing::Zstd, b"x/"), b"content");
        assert_eq!(member(Packing::Bzip2, b"plain"), b"plain");
    }
}
