//! Windows images (WIM, by Microsoft's "Windows Imaging File Format"): streams that are stored once
//! each, known by their SHA-1, and images whose names lead to them. The names of image 1 begin with
//! `1/`.

mod header;
mod resource;
mod tree;

use super::checked::{CheckedBytes, StatedSum, bomb};
use super::limits::Limits;
use super::member::{failure, node, wrong};
use header::{Part, Stream, Table};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::{Content, Failure, Kind, Node, Nodes, Run};
use pfh_container::sfx;
use pfh_digest::{Algorithm, Hasher};
use resource::Hash;
use std::collections::HashSet;
use std::io::{self, Read};
use std::sync::Arc;
use tree::Entry;

pub use header::MAGIC;

/// The longest reparse point.
const REPARSE: u64 = 64 << 10;

/// Missing parts that are named one by one.
const NAMED: usize = 100;

/// The names of all images, in one file or in parts of a set that begin at `starts`.
///
/// # Errors
/// When the header or the table of the first part cannot be read.
pub fn open(bytes: Arc<dyn Bytes>, starts: &[u64], limits: &Limits) -> Result<Nodes, Failure> {
    let base = starts.first().copied().unwrap_or(0);
    let part = Part::read(&*bytes, base)?;
    let mut table = Table::default();
    table.add(&bytes, base, &part, limits)?;
    let sha1 = "sha-1".parse::<Algorithm>().map_err(|error| failure(b"", error.to_string()))?;
    let mut about = Vec::new();
    let mut read = HashSet::from([part.number]);
    for base in starts.iter().skip(1) {
        match further(&bytes, *base, &part, &mut table, &mut read, limits) {
            Ok(()) => {}
            Err(failed) => about.push(Err(failed)),
        }
    }
    about.extend(missing(&part, &read));
    if let Some(behind) = sfx::behind_end(part.end, &*bytes).filter(|_| starts.len() < 2) {
        let cause = format!("{} behind the WIM: not read there", behind.format);
        about.push(Err(Failure { offset: Some(behind.offset), ..failure(b"", cause) }));
    }
    let most = limits.most(bytes.size());
    let images = std::mem::take(&mut table.images);
    if images.len() != part.images as usize {
        let cause = format!("{} images are stated, and the table has the names of {}", part.images, images.len());
        about.push(Err(failure(b"", cause)));
    }
    let shared = Arc::new(SharedWim { bytes, part, table, sha1, most });
    let nodes = images.into_iter().enumerate().flat_map(move |(index, image)| shared.image(index + 1, &image));
    Ok(Box::new(about.into_iter().chain(nodes)))
}

/// The number of a part and how many there are, if this is one of several.
pub fn part_of(bytes: &dyn Bytes) -> Option<(u16, u16)> {
    let part = Part::read(bytes, 0).ok()?;
    (part.count > 1).then_some((part.number, part.count))
}

/// Adds the streams of a further part.
fn further(
    bytes: &Arc<dyn Bytes>,
    base: u64,
    first: &Part,
    table: &mut Table,
    read: &mut HashSet<u16>,
    limits: &Limits,
) -> Result<(), Failure> {
    let part = Part::read(&**bytes, base)?;
    let fail = |cause: String| Err(Failure { offset: Some(base), ..failure(b"", cause) });
    if (part.guid, part.count) != (first.guid, first.count) {
        return fail(format!("a part {} of another set: not read", part.number));
    }
    if !read.insert(part.number) {
        return fail(format!("a second part {}: not read", part.number));
    }
    table.add(bytes, base, &part, limits)
}

/// The parts that were not read.
fn missing(part: &Part, read: &HashSet<u16>) -> Vec<Result<Node, Failure>> {
    let count = part.count;
    let mut missing = (1..=count).filter(|number| !read.contains(number));
    let name = |number: u16| match number {
        1 => "NAME.swm".to_owned(),
        number => format!("NAME{number}.swm"),
    };
    let said = |number: u16| {
        let cause = format!("part {number} of {count} ({}) is not beside it: its files are not read", name(number));
        Err(failure(b"", cause))
    };
    let mut all: Vec<_> = missing.by_ref().take(NAMED).map(said).collect();
    let left = missing.count();
    if left > 0 {
        all.push(Err(failure(b"", format!("{left} further parts of {count} are not beside it"))));
    }
    all
}

struct SharedWim {
    bytes: Arc<dyn Bytes>,
    part: Part,
    table: Table,
    sha1: Algorithm,
    most: u64,
}

impl SharedWim {
    /// The names of an image.
    fn image(&self, number: usize, image: &Stream) -> Vec<Result<Node, Failure>> {
        let root = number.to_string().into_bytes();
        let at = image.resource.offset;
        let said = |cause: &str| Failure { offset: Some(at), ..failure(&root, cause) };
        let raw = match header::whole(&self.bytes, &image.resource, &self.part) {
            Ok(raw) if self.sha1.digest(&raw).bytes() == image.hash => raw,
            Ok(_) => return vec![Err(said("the metadata of the image does not have the SHA-1 that the table states"))],
            Err(failed) => return vec![Err(Failure { path: root, ..failed })],
        };
        let mut nodes = vec![Ok(node(root.clone(), Kind::Directory))];
        for found in tree::entries(&raw) {
            match found {
                Ok(entry) => self.entry(&root, entry, &mut nodes),
                Err((path, place, cause)) => {
                    let path = [&root[..], b"/", &path].concat();
                    let cause = format!("{cause} (byte {place} of the metadata)");
                    nodes.push(Err(Failure { offset: Some(at), ..failure(&path, cause) }));
                }
            }
        }
        nodes
    }

    fn entry(&self, root: &[u8], entry: Entry, nodes: &mut Vec<Result<Node, Failure>>) {
        let path = [root, b"/", &entry.path].concat();
        let mut add = |kind: Kind, path: Vec<u8>, hash: Option<&Hash>| {
            let mut found = node(path, kind);
            found.times = entry.times;
            if let Some(hash) = hash {
                let member = self.member(&found.path, hash);
                found.size = member.size();
                found.compressed = matches!(&member.stream, Some(Ok(stream)) if !stream.resource.is_plain());
                found.content = Some(Arc::new(member));
            }
            nodes.push(Ok(found));
        };
        match entry.reparse {
            Some(tag) => {
                let member = self.member(&path, &entry.hash);
                let mut raw = Vec::new();
                let read = member.open().and_then(|opened| {
                    opened.take(REPARSE).read_to_end(&mut raw).map_err(|error| {
                        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>());
                        inner.cloned().unwrap_or_else(|| failure(&path, error.to_string()))
                    })
                });
                match (read, tree::target(tag, &raw)) {
                    (Err(failed), _) => {
                        let cause = format!("where it leads: {}", failed.cause);
                        nodes.push(Err(Failure { path: path.clone(), cause, ..failed }));
                    }
                    (Ok(_), Some(target)) => add(Kind::Link(target), path.clone(), None),
                    (Ok(_), None) if entry.is_directory => add(Kind::Directory, path.clone(), None),
                    (Ok(_), None) => {
                        nodes.push(Err(failure(&path, format!("a reparse point with the tag {tag:08x}: not read"))));
                    }
                }
            }
            None if entry.is_directory => add(Kind::Directory, path.clone(), None),
            None => add(Kind::File, path.clone(), Some(&entry.hash)),
        }
        for (name, hash) in &entry.streams {
            let mut found = node([&path[..], b":", name].concat(), Kind::Stream);
            let member = self.member(&found.path, hash);
            found.size = member.size();
            found.times = entry.times;
            found.content = Some(Arc::new(member));
            nodes.push(Ok(found));
        }
    }

    /// The content of a name.
    fn member(&self, path: &[u8], hash: &Hash) -> Member {
        let missing = || failure(path, "its stream is not in the table: it is in another part, or lost");
        let stream = (*hash != [0; 20]).then(|| self.table.streams.get(hash).copied().ok_or_else(missing));
        Member { path: path.into(), bytes: self.bytes.clone(), stream, sha1: self.sha1, most: self.most }
    }
}

struct Member {
    path: Arc<[u8]>,
    bytes: Arc<dyn Bytes>,
    /// Its stream, or why there is none; `None` for no bytes.
    stream: Option<Result<Stream, Failure>>,
    sha1: Algorithm,
    most: u64,
}

impl Member {
    fn size(&self) -> Option<u64> {
        match &self.stream {
            None => Some(0),
            Some(known) => known.as_ref().ok().map(|stream| stream.resource.size),
        }
    }
}

impl Content for Member {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let Some(stream) = &self.stream else { return Ok(Box::new(io::empty())) };
        let stream = stream.as_ref().map_err(Failure::clone)?;
        let at = stream.resource.offset;
        if stream.resource.size > self.most {
            return Err(Failure { offset: Some(at), ..failure(&self.path, bomb(self.most)) });
        }
        let opened = stream.resource.open(&self.bytes, stream.packing, stream.chunk);
        let opened = opened.map_err(|failed| Failure { path: self.path.to_vec(), ..failed })?;
        let stated = StatedSum { size: Some(stream.resource.size), crc: None };
        let inner = CheckedBytes::new(opened, self.path.clone(), stated, self.most);
        let (path, hasher) = (self.path.clone(), Some(self.sha1.hasher()));
        Ok(Box::new(Sha1Reader { inner, path, at, hasher, stated: stream.hash }))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let Some(Ok(Stream { resource, .. })) = &self.stream else { return None };
        let run = Run { file_offset: 0, medium_offset: Some(resource.offset), length: resource.size };
        resource.is_plain().then(|| vec![run])
    }
}

/// Bytes that must have a SHA-1.
struct Sha1Reader<R> {
    inner: R,
    path: Arc<[u8]>,
    at: u64,
    hasher: Option<Hasher>,
    stated: Hash,
}

impl<R: Read> Read for Sha1Reader<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if got > 0 || buffer.is_empty() {
            if let Some(hasher) = &mut self.hasher {
                hasher.update(&buffer[..got]);
            }
            return Ok(got);
        }
        if let Some(hasher) = self.hasher.take()
            && hasher.finalize().bytes() != self.stated
        {
            let cause = "its bytes do not have the SHA-1 that the table states";
            return Err(wrong(Failure { offset: Some(self.at), ..failure(&self.path, cause) }));
        }
        Ok(0)
    }
}
