//! Compressed files of APFS and HFS+ (decmpfs): an attribute says how, and holds the content or
//! leaves it to the resource fork.

use std::io::{self, Read};
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress, Status};
use pfh_container::lzfse;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{be32, failure, is_at, le32, le64, unreadable};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Content, Failure};
use pfh_bytes::stored::{ByPieces, StoredBytes, WholeReader, gather, named};

/// The attribute that a compressed file is made of, and the one that stands for its resource fork.
pub const COMPRESSION: &[u8] = b"com.apple.decmpfs";
pub const FORK: &[u8] = b"com.apple.ResourceFork";

/// Bytes that are compressed together in a resource fork.
const CHUNK: u64 = 64 << 10;
/// The most bytes of a chunk in the fork: a stored one has a mark more than its content.
const MOST_CHUNK: u64 = CHUNK + 1024;
/// The most places that a table has beyond those of its chunks.
const MOST_PADDING: u64 = 1024;
/// The largest content that is in the attribute.
const MOST_INLINE: u64 = 16 << 20;
/// Bytes in front of the content in the attribute.
const HEAD: usize = 16;

/// How a content is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Plain,
    Zlib,
    Lzvn,
    Lzfse,
}

/// The start of the attribute.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    kind: u32,
    /// Size of the file.
    pub size: u64,
}

impl Header {
    /// The most bytes of the attribute.
    pub const MOST: u64 = 1 << 20;

    /// Reads it.
    pub fn read(raw: &[u8]) -> Result<Header, Failure> {
        if raw.len() < HEAD || !is_at(raw, 0, b"fpmc") {
            return Err(failure(None, "is compressed, and its attribute contradicts itself"));
        }
        Ok(Header { kind: le32(raw, 4), size: le64(raw, 8) })
    }

    /// Whether the content is in the resource fork.
    pub fn is_in_fork(self) -> bool {
        matches!(self.kind, 4 | 8 | 10 | 12)
    }

    /// Whether the content is decoded here.
    pub fn is_read(self) -> bool {
        self.method().is_ok()
    }

    fn method(self) -> Result<Method, Failure> {
        let cause = match self.kind {
            1 | 9 | 10 => return Ok(Method::Plain),
            3 | 4 => return Ok(Method::Zlib),
            7 | 8 => return Ok(Method::Lzvn),
            11 | 12 => return Ok(Method::Lzfse),
            13 | 14 => "is compressed with LZBITMAP, which is not read".to_owned(),
            5 | 0x8000_0000.. => format!("its content is not on the medium (type {:#x} of compression)", self.kind),
            kind => format!("is compressed by the unknown type {kind}"),
        };
        Err(failure(None, cause))
    }
}

/// The parts of a compressed file.
pub trait Parts: Send + Sync {
    /// The attribute, of no more than [`Header::MOST`] bytes.
    fn attribute(&self) -> Result<Arc<[u8]>, Failure>;

    /// The resource fork.
    fn fork(&self) -> Result<Fork, Failure>;
}

/// The fault of a file that says that it is compressed and has no attribute of that kind.
pub fn lost() -> Failure {
    failure(None, "is compressed, without its attribute")
}

/// The fault of one whose resource fork is missing.
pub fn lost_fork() -> Failure {
    failure(None, "is compressed, without its resource fork")
}

/// A compressed file.
pub struct CompressedFile<P> {
    pub parts: P,
    pub path: Vec<u8>,
}

impl<P: Parts> Content for CompressedFile<P> {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.reader(0)
    }

    fn open_at(&self, offset: u64) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.reader(offset).map(Some)
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.packed().map(Some).map_err(|failed| named(failed, &self.path))
    }
}

impl<P: Parts> CompressedFile<P> {
    /// The bytes behind the head of the attribute, or the resource fork.
    fn packed(&self) -> Result<Box<dyn Read + Send>, Failure> {
        let raw = self.parts.attribute()?;
        if !Header::read(&raw)?.is_in_fork() {
            return Ok(Box::new(io::Cursor::new(raw[HEAD..].to_vec())));
        }
        match self.parts.fork()? {
            Fork::Held(bytes) => Ok(Box::new(io::Cursor::new(bytes))),
            Fork::Stored { bytes, layout, size } => {
                let locate = Box::new(move || Ok(layout.clone()));
                StoredBytes { bytes, path: self.path.clone(), from: 0, size, locate }.open()
            }
            Fork::Apart(of) => Ok(Box::new(WholeReader { of, path: self.path.clone(), at: 0 })),
        }
    }

    fn reader(&self, offset: u64) -> Result<Box<dyn Read + Send>, Failure> {
        let chunks = self.chunks().map_err(|failed| named(failed, &self.path))?;
        Ok(Box::new(ByPieces::starting(self.path.clone(), offset, move |at| chunks.piece(at))))
    }

    fn chunks(&self) -> Result<Chunks, Failure> {
        let raw = self.parts.attribute()?;
        let header = Header::read(&raw)?;
        let method = header.method()?;
        let mut chunks = Chunks { fork: Fork::Held(Arc::default()), method, header, inline: None };
        if !header.is_in_fork() {
            if header.size > MOST_INLINE {
                return Err(failure(None, format!("{} bytes that are compressed in an attribute", header.size)));
            }
            chunks.inline = Some(unpack(method, &raw[HEAD..], header.size as usize, None)?);
            return Ok(chunks);
        }
        chunks.fork = self.parts.fork()?;
        if let Fork::Stored { layout, .. } = &chunks.fork {
            layout.disjoint()?;
        }
        chunks.check()?;
        Ok(chunks)
    }
}

/// A resource fork.
pub enum Fork {
    /// Its bytes.
    Held(Arc<[u8]>),
    /// Where it lies on a medium, and its size.
    Stored { bytes: Arc<dyn Bytes>, layout: Layout, size: u64 },
    /// Bytes that lie nowhere plainly, and name their own failures.
    Apart(Arc<dyn Bytes>),
}

impl Fork {
    /// Exactly these bytes.
    pub fn read(&self, from: u64, length: u64) -> Result<Vec<u8>, Failure> {
        let size = match self {
            Fork::Held(bytes) => bytes.len() as u64,
            Fork::Apart(bytes) => bytes.size(),
            Fork::Stored { size, .. } => *size,
        };
        if from.checked_add(length).is_none_or(|end| end > size) {
            return Err(failure(self.place(0), "a compressed part is outside of the resource fork"));
        }
        let length = usize::try_from(length).unwrap_or(0);
        match self {
            Fork::Held(bytes) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                Ok(bytes.get(from..from + length).unwrap_or_default().to_vec())
            }
            Fork::Stored { bytes, layout, .. } => gather(&**bytes, layout, from, length),
            Fork::Apart(bytes) => {
                let mut found = vec![0; length];
                bytes.read_exact_at(from, &mut found).map_err(|error| match error.downcast::<Failure>() {
                    Ok(failed) => failed,
                    Err(error) => unreadable(from, &error),
                })?;
                Ok(found)
            }
        }
    }

    /// Where a byte lies on the medium.
    fn place(&self, at: u64) -> Option<u64> {
        let Fork::Stored { layout, .. } = self else { return None };
        layout.window(at, at + 1).first().and_then(|run| run.medium_offset)
    }
}

/// The chunks of a file.
struct Chunks {
    fork: Fork,
    method: Method,
    header: Header,
    /// The content, if the attribute holds it.
    inline: Option<Vec<u8>>,
}

impl Chunks {
    fn wrong(&self, at: u64, cause: &str) -> Failure {
        failure(self.fork.place(at), cause)
    }

    /// Where the table of chunks of a fork with zlib begins.
    fn table(&self) -> Result<u64, Failure> {
        let head = self.fork.read(0, 16)?;
        Ok(u64::from(be32(&head, 0)) + 4)
    }

    /// That there are as many chunks as the size takes.
    fn check(&self) -> Result<(), Failure> {
        if self.header.size == 0 {
            return Ok(());
        }
        let wanted = self.header.size.div_ceil(CHUNK);
        let stated = match self.method {
            Method::Zlib => u64::from(le32(&self.fork.read(self.table()?, 4)?, 0)),
            _ => (u64::from(le32(&self.fork.read(0, 4)?, 0)) / 4).saturating_sub(1),
        };
        // Some programs leave room behind the last place.
        let is_padded = self.method != Method::Zlib && stated > wanted && stated - wanted <= MOST_PADDING;
        if stated == wanted || is_padded && self.is_zero(4 * (wanted + 1), 4 * (stated - wanted))? {
            return Ok(());
        }
        Err(self.wrong(0, &format!("{stated} chunks for a size of {}", self.header.size)))
    }

    /// Whether these bytes of the fork are all zero.
    fn is_zero(&self, from: u64, length: u64) -> Result<bool, Failure> {
        Ok(self.fork.read(from, length)?.iter().all(|&byte| byte == 0))
    }

    /// Where in the fork a chunk lies, and how long it is.
    fn chunk(&self, index: u64) -> Result<(u64, u64), Failure> {
        let (from, length) = match self.method {
            Method::Zlib => {
                let table = self.table()?;
                let row = self.fork.read(table + 4 + 8 * index, 8)?;
                (table + u64::from(le32(&row, 0)), u64::from(le32(&row, 4)))
            }
            _ => {
                let row = self.fork.read(4 * index, 8)?;
                let (from, end) = (u64::from(le32(&row, 0)), u64::from(le32(&row, 4)));
                let length =
                    end.checked_sub(from).ok_or_else(|| self.wrong(0, "a chunk that ends before it begins"))?;
                (from, length)
            }
        };
        match length <= MOST_CHUNK {
            true => Ok((from, length)),
            false => Err(self.wrong(from, &format!("a chunk of {length} bytes"))),
        }
    }

    /// Bytes from this place on, to the end of its chunk at the most; `None` behind the file.
    fn piece(&self, at: u64) -> Result<Option<Vec<u8>>, Failure> {
        if at >= self.header.size {
            return Ok(None);
        }
        if let Some(inline) = &self.inline {
            return Ok(inline.get(at as usize..).map(<[u8]>::to_vec));
        }
        let (from, length) = self.chunk(at / CHUNK)?;
        let packed = self.fork.read(from, length)?;
        let wanted = CHUNK.min(self.header.size - at / CHUNK * CHUNK) as usize;
        let mut bytes = unpack(self.method, &packed, wanted, self.fork.place(from))?;
        bytes.drain(..((at % CHUNK) as usize).min(bytes.len()));
        Ok(Some(bytes))
    }
}

/// Exactly `size` bytes out of those at `offset`. Bytes that do not get smaller are stored behind a
/// mark that no compressed bytes begin with.
fn unpack(method: Method, packed: &[u8], size: usize, offset: Option<u64>) -> Result<Vec<u8>, Failure> {
    let first = packed.first().copied().unwrap_or_default();
    let is_marked = match method {
        Method::Plain if packed.len() == size => return Ok(packed.to_vec()),
        Method::Plain => first == 0xcc,
        Method::Zlib => first & 15 == 15,
        Method::Lzvn => first == 6,
        Method::Lzfse => !packed.starts_with(b"bvx"),
    };
    let found = match method {
        _ if size == 0 => Some(Vec::new()),
        _ if is_marked => packed.get(1..).filter(|rest| rest.len() == size).map(<[u8]>::to_vec),
        Method::Plain => None,
        Method::Zlib => inflate(packed, size),
        Method::Lzvn => lzfse::lzvn(packed, size),
        Method::Lzfse => lzfse::lzfse(packed, size),
    };
    found.ok_or_else(|| failure(offset, "the compressed bytes contradict themselves"))
}

/// Exactly `size` bytes out of a stream of zlib.
fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut stream = Decompress::new(true);
    // One byte more, so that a longer stream is noticed.
    let mut bytes = vec![0; size + 1];
    loop {
        let (from, to) = (stream.total_in() as usize, stream.total_out() as usize);
        let status = stream.decompress(&packed[from..], &mut bytes[to..], FlushDecompress::Finish).ok()?;
        let is_stuck = (from, to) == (stream.total_in() as usize, stream.total_out() as usize);
        match status {
            Status::StreamEnd => break,
            _ if is_stuck => return None,
            _ => {}
        }
    }
    (stream.total_out() == size as u64).then(|| {
        bytes.truncate(size);
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_lengths() {
        for (method, packed) in [
            (Method::Plain, &b"abc"[..]),
            (Method::Plain, b"\xccabc"),
            (Method::Zlib, b"\xffabc"),
            (Method::Lzvn, b"\x06abc"),
            (Method::Lzfse, b"\xffabc"),
            (Method::Zlib, b"\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"),
        ] {
            assert_eq!(unpack(method, packed, 3, None).unwrap(), b"abc", "{method:?}");
            for size in [1, 2, 4, 5] {
                let is_whole = method == Method::Plain && packed.len() == size;
                assert_eq!(unpack(method, packed, size, Some(7)).is_ok(), is_whole, "{method:?} {size}");
            }
        }
        assert_eq!(unpack(Method::Lzvn, b"\x07", 3, Some(7)).unwrap_err().offset, Some(7));
    }

    #[test]
    fn types_are_named() {
        let header = |kind: u32| Header { kind, size: 1 };
        for (kind, word) in [(2, "unknown"), (5, "not on the medium"), (13, "LZBITMAP"), (0x8000_0001, "not on")] {
            assert!(header(kind).method().unwrap_err().cause.contains(word), "{kind}");
        }
        Header::read(b"cmpf0123456789abcdef").unwrap_err();
    }
}
