//! One input of a build, in any format: its records one by one.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;
use pfh_digest::Algorithm;
use pfh_manifest::known::bloom::Header;
use pfh_source::Stream;

use crate::{Class, Error};

/// A file to be taken into a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// The class of the set.
    pub class: Class,
    /// The name of the set; `None` for that of the file without its last extension.
    pub name: Option<String>,
    /// Its version; `None` for the one that the file states.
    pub version: Option<String>,
    /// Its product.
    pub product: Option<String>,
    /// The algorithms of digests without a name; empty for the usual ones by length. Of a Bloom
    /// filter, the algorithm of its keys; empty for SHA-1, as CIRCL publishes them.
    pub assumed: Vec<Algorithm>,
    /// The algorithms that digests without a name are taken for by their length alone.
    pub guessed: Vec<Algorithm>,
    /// The labels of the columns of a table, in their order; empty to find them out.
    pub columns: Vec<String>,
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
            guessed: Vec::new(),
            columns: Vec::new(),
            packages: Packages::Forget,
            deltas: Vec::new(),
        }
    }

    /// The facts that two builds must share to be the same build.
    pub(crate) fn identity(&self) -> Result<serde_json::Value, Error> {
        let stat = |path: &Path| {
            let (stat, _) = pfh_source::os::stat_path(path).map_err(|errno| Error::io(path)(errno.into()))?;
            // JSON has no number beyond 64 bits, which inodes of ReFS have.
            let inode = u64::try_from(stat.inode).map_err(|_| stat.inode.to_string());
            let inode = inode.map_or_else(serde_json::Value::from, serde_json::Value::from);
            Ok((stat.device, inode, stat.size, stat.mtime.0, stat.mtime.1))
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
            self.columns,
            self.packages == Packages::Remember,
            own,
            deltas
        ]))
    }

    fn is_standard(&self) -> bool {
        Stream::of(&self.path).is_some()
    }

    /// Bytes of the file; 0 where nobody knows.
    pub(crate) fn bytes(&self) -> u64 {
        if self.is_standard() { 0 } else { std::fs::metadata(&self.path).map_or(0, |stat| stat.len()) }
    }

    /// Its bytes, unpacked.
    pub(crate) fn open(&self, meter: &Meter) -> io::Result<Box<dyn BufRead>> {
        let raw = Stream::document(&self.path)?;
        unpacked(Box::new(MeteredReader { reader: Box::new(raw), meter: meter.clone() }))
    }
}

/// The bytes of a file, unpacked if they are packed with gzip.
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

struct MeteredReader {
    reader: Box<dyn Read>,
    meter: Meter,
}

impl Read for MeteredReader {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(room)?;
        self.meter.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The contents of an input, known once it was read to its end.
pub enum Contents {
    /// Records, which were taken.
    Records {
        /// Their format.
        format: String,
        /// The version that the file states.
        version: Option<String>,
    },
    /// A Bloom filter, which holds no records.
    Bloom(Header),
}

/// The first bytes that are there; they stay to be read.
pub fn peek(reader: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reader.fill_buf()
}
