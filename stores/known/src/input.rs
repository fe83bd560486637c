//! One input of a build: whatever it is written in, its records one by one.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use pfh_digest::Algorithm;
use pfh_manifest::known::bloom::Header;
use pfh_manifest::known::{self, Kind, Take};

use crate::{Class, Error, is_known_set, sqlite};

/// A file to be taken into a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// The class of the set.
    pub class: Class,
    /// The name of the set; `None` for that of the file without its last extension.
    pub name: Option<String>,
    /// Its version; `None` for what the file says of itself.
    pub version: Option<String>,
    /// Its product.
    pub product: Option<String>,
    /// What digests without a name are of; empty for the usual algorithms by length. Of a Bloom
    /// filter, what its keys are of; empty for SHA-1, as CIRCL publishes them.
    pub assumed: Vec<Algorithm>,
    /// Whether each entry remembers its package, where the file has one for it (NSRL's RDSv3).
    pub packages: Packages,
    /// NSRL's deltas to this edition of RDSv3, in the order in which they were published: SQL
    /// scripts, which are run in a copy.
    pub deltas: Vec<PathBuf>,
}

/// Whether each entry remembers its package.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packages {
    /// The set is enough.
    #[default]
    Forget,
    /// Each entry.
    Remember,
}

impl Input {
    /// An input about which nothing more is known.
    pub fn new(path: impl Into<PathBuf>, class: Class) -> Input {
        let path = path.into();
        Input {
            path,
            class,
            name: None,
            version: None,
            product: None,
            assumed: Vec::new(),
            packages: Packages::Forget,
            deltas: Vec::new(),
        }
    }

    /// What makes two builds the same build.
    pub(crate) fn identity(&self) -> Result<serde_json::Value, Error> {
        use std::os::unix::fs::MetadataExt;
        let stat = |path: &Path| {
            let stat = std::fs::metadata(path).map_err(Error::io(path))?;
            Ok((stat.dev(), stat.ino(), stat.size(), stat.mtime(), stat.mtime_nsec()))
        };
        let own = if self.is_standard() { None } else { Some(stat(&self.path)?) };
        let deltas = self.deltas.iter().map(|delta| Ok((delta.as_os_str().as_encoded_bytes(), stat(delta)?)));
        let deltas: Vec<_> = deltas.collect::<Result<_, Error>>()?;
        let assumed: Vec<String> = self.assumed.iter().map(Algorithm::to_string).collect();
        Ok(serde_json::json!([
            self.path.as_os_str().as_encoded_bytes(),
            self.class.name(),
            self.name,
            self.version,
            self.product,
            assumed,
            self.packages == Packages::Remember,
            own,
            deltas
        ]))
    }

    fn is_standard(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Bytes of the file; 0 where nobody knows.
    pub(crate) fn bytes(&self) -> u64 {
        if self.is_standard() { 0 } else { std::fs::metadata(&self.path).map_or(0, |stat| stat.len()) }
    }

    fn open(&self, meter: &Meter) -> io::Result<Box<dyn BufRead>> {
        let raw: Box<dyn Read> =
            if self.is_standard() { Box::new(io::stdin()) } else { Box::new(File::open(&self.path)?) };
        unpacked(Box::new(Metered { reader: raw, meter: meter.clone() }))
    }
}

/// What a file holds; where that is packed with gzip, what is in it.
pub fn unpacked(raw: Box<dyn Read>) -> io::Result<Box<dyn BufRead>> {
    const ROOM: usize = 1 << 18;
    let mut reader = BufReader::with_capacity(ROOM, raw);
    Ok(match peek(&mut reader)? {
        [0x1F, 0x8B, ..] => Box::new(BufReader::with_capacity(ROOM, MultiGzDecoder::new(reader))),
        _ => Box::new(reader),
    })
}

/// Bytes of an input that were read.
#[derive(Clone, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// `done` of about `all` parts of that many bytes were read.
    pub fn part(&self, done: u64, all: u64, bytes: u64) {
        let part = (done as f64 / all.max(1) as f64).min(1.0);
        self.0.store((part * bytes as f64) as u64, Ordering::Relaxed);
    }
}

struct Metered {
    reader: Box<dyn Read>,
    meter: Meter,
}

impl Read for Metered {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(room)?;
        self.meter.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// What an input turned out to be, once it was read to its end.
pub enum Found {
    /// Records, which were taken.
    Records {
        /// What they were written in.
        format: String,
        /// The version that the file states.
        version: Option<String>,
    },
    /// A Bloom filter, which holds no records.
    Bloom(Header),
}

/// The first bytes that are there; they stay to be read.
fn peek(reader: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reader.fill_buf()
}

/// Reads an input to its end and hands every record to `take`; `applied` is the copy of a database
/// in which the deltas were run.
pub fn read(input: &Input, applied: Option<&Path>, meter: &Meter, take: &mut Take<'_>) -> Result<Found, Error> {
    let path = &input.path;
    if let Some(applied) = applied {
        return sqlite::read(input, applied, meter, take);
    }
    let mut reader = input.open(meter).map_err(Error::io(path))?;
    let start = peek(&mut *reader).map_err(Error::io(path))?;
    if start.starts_with(sqlite::MAGIC) {
        return sqlite::read(input, path, meter, take);
    }
    if start.starts_with(b"PK\x03\x04") {
        return Err(Error::damaged(path, "a zip archive: unpack it first"));
    }
    if start.starts_with(&Header::MAGIC) {
        let header = Header::read(reader).map_err(|error| Error::damaged(path, error.to_string()))?;
        return Ok(Found::Bloom(header));
    }
    let options = known::Options { assumed: input.assumed.clone(), ..known::Options::default() };
    let kind = known::read(reader, &options, take).map_err(Error::io(path))?;
    let format = match kind {
        Kind::Manifest(format) => format.name(),
        Kind::List => "list",
        Kind::Table => "table",
        Kind::Encase => "encase",
        Kind::Vics => "vics",
        Kind::Json => "json",
    };
    Ok(Found::Records { format: format.to_owned(), version: None })
}

/// Whether a file begins as a set does that can be read: it is a filter, or its first record is
/// one. `assumed` is what digests without a name are of; empty for the usual algorithms by length.
pub fn is_set(path: &Path, assumed: &[Algorithm]) -> bool {
    let input = Input { assumed: assumed.to_vec(), ..Input::new(path, Class::Bad) };
    let mut first = false;
    let mut take = |_, record: Result<known::Known, pfh_manifest::Fault>| {
        first = record.is_ok();
        ControlFlow::Break(())
    };
    let found = read(&input, None, &Meter::default(), &mut take);
    is_known_set(path) || matches!(found, Ok(Found::Bloom(_))) || found.is_ok() && first
}

/// Hands the words of a Bloom filter to `take`, in pieces of 256 KiB; only the last may be shorter.
pub fn bloom_words(
    input: &Input,
    header: &Header,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let path = &input.path;
    let mut reader = input.open(&Meter::default()).map_err(Error::io(path))?;
    let again = Header::read(&mut reader).map_err(|error| Error::damaged(path, error.to_string()))?;
    let mut left = header.length();
    let mut room = vec![0; 1 << 18];
    while left > 0 && again == *header {
        let part = &mut room[..usize::try_from(left).map_or(1 << 18, |left| left.min(1 << 18))];
        reader.read_exact(part).map_err(|_| Error::damaged(path, "the filter's bits are cut off"))?;
        take(part)?;
        left -= part.len() as u64;
    }
    if left == 0 { Ok(()) } else { Err(Error::damaged(path, "changed while it was read")) }
}
