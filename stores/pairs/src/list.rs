//! Lists of digests, each opened once.

use crate::collection::{Collection, DigestRefusal};
use crate::start::StartedFile;
use crate::stored::{StoredIndex, is_marked, method};
use pfh_digest::{Algorithm, Digest, Registry};
use pfh_manifest::{Decoder, Fault, Format, Item, LocatedItem, Options};
use pfh_similarity::{MethodName, Similar};
use pfh_source::terminal;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The fault of a list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// This line is not a record.
    #[error("line {0}: {1}")]
    Line(u64, Fault),
    /// A digest in this line cannot be compared.
    #[error("line {0}: {1}")]
    Digest(u64, DigestRefusal),
    /// It is an index that holds no digests, only the files that have each window.
    #[error("an index of {} holds no digests: pfh match --similar asks it", .0.name())]
    Index(MethodName),
    /// It has no digests of these algorithms.
    #[error("no digests of {}", .0.iter().map(Algorithm::to_string).collect::<Vec<_>>().join(", "))]
    NoDigests(Vec<Algorithm>),
}

/// A list, and its fault.
#[derive(Debug)]
pub struct ListProblem {
    /// The list.
    pub path: PathBuf,
    /// The fault.
    pub wrong: Wrong,
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", terminal::shown(&self.path), self.wrong)
    }
}

/// The longest line for a look at a file's beginning.
const LOOK: usize = 64 << 10;

/// How lists are read.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The longest line in bytes.
    pub limit: usize,
    /// Whether a digest may stand alone on its line; its name is then the number of the line.
    pub bare: bool,
    /// The algorithms that digests without a name may be of, before the usual ones.
    pub assumed: Vec<Algorithm>,
}

impl Reading {
    /// Lists of digests with names, whose lines have at most that many bytes.
    pub fn named(limit: usize) -> Reading {
        Reading { limit, bare: false, assumed: Vec::new() }
    }

    /// The options of a decoder: with the assumed algorithms, and without.
    fn options(&self, limit: usize) -> Vec<Options> {
        let plain = Options { limit, bare: self.bare, ..Options::default() };
        if self.assumed.is_empty() {
            return vec![plain];
        }
        vec![Options { assumed: self.assumed.clone(), ..plain.clone() }, plain]
    }
}

/// Of a file that may be anything no more is read in search of a first record: a file without a
/// line end would be read to its own end.
const MOST: u64 = 64 << 20;

/// A list of digests, or an index made of one. It is opened once: the bytes read to find that it is
/// a list are not read again.
pub struct List {
    path: PathBuf,
    /// None after [`List::close`].
    file: Option<StartedFile>,
    is_index: bool,
    reading: Reading,
    registry: Registry,
}

impl List {
    /// A regular file that begins as a list of digests does: with a format's own mark, or with a
    /// line that is a record; or that is an index made of a list. Of a format with a mark, that
    /// line may have as many bytes as is allowed. None for anything else.
    pub fn find(path: &Path, reading: &Reading, registry: Registry) -> Option<List> {
        if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return None;
        }
        let mut list = List::open(path, reading, registry).ok()?;
        let limits = reading.options(LOOK);
        let is_one = list.is_index || limits.iter().any(|options| list.begins(options));
        is_one.then_some(list)
    }

    /// A file that is said to be a list, or an index.
    ///
    /// # Errors
    /// As `open`.
    pub fn open(path: &Path, reading: &Reading, registry: Registry) -> io::Result<List> {
        let mut file = StartedFile::open(path)?;
        let is_index = is_marked(&mut file).unwrap_or(false);
        Ok(List { path: path.to_owned(), file: Some(file), is_index, reading: reading.clone(), registry })
    }

    /// Closes the file until it is read: a list among thousands is opened twice.
    pub fn close(&mut self) {
        self.file = None;
    }

    /// Whether it is an index.
    pub fn is_index(&self) -> bool {
        self.is_index
    }

    /// The index, to be asked.
    ///
    /// # Errors
    /// As [`StoredIndex::open`].
    pub fn into_stored(mut self) -> io::Result<StoredIndex> {
        self.file()?;
        let file = self.file.take().ok_or(io::ErrorKind::NotFound)?;
        StoredIndex::from_file(file.into_file())
    }

    /// The method of an index.
    fn method(&mut self) -> io::Result<MethodName> {
        let mut mark = [0; 8];
        self.file()?.read_exact(&mut mark)?;
        Ok(method(&mark))
    }

    /// The file, from its start.
    fn file(&mut self) -> io::Result<&mut StartedFile> {
        let file = match self.file.take() {
            Some(file) => file,
            None => StartedFile::open(&self.path)?,
        };
        let file = self.file.insert(file);
        file.rewind()?;
        Ok(file)
    }

    /// The lines from the first one on, in no more than `most` bytes.
    fn lines(&mut self, options: &Options, most: u64) -> io::Result<Decoder<'_>> {
        let registry = self.registry;
        let file = self.file()?.take(most);
        Decoder::with_registry(BufReader::with_capacity(1 << 16, file), options, registry)
    }

    fn begins(&mut self, options: &Options) -> bool {
        let Ok(mut decoder) = self.lines(options, MOST) else { return false };
        let format = decoder.format();
        if matches!(format, Format::Ssdeep | Format::Sdbf | Format::Mrsh | Format::Hashdeep) {
            return true;
        }
        // Others have no mark of their own: the first record decides.
        let first = decoder.next();
        drop(decoder);
        match first {
            Some(Ok(LocatedItem { item: Item::Entry(_), .. })) => true,
            Some(Ok(LocatedItem { item: Item::Fault(Fault::TooLong), .. })) => self.begins_long(format, options),
            _ => false,
        }
    }

    /// Whether a file whose first record is long begins with one: only those that begin like one
    /// are read so far.
    fn begins_long(&mut self, format: Format, options: &Options) -> bool {
        let mut start = [0; 9];
        let read = self.file().and_then(|file| file.read_exact(&mut start));
        let is_bare = options.bare && MethodName::recognise(self.registry, &start).is_some();
        let is_marked = matches!(format, Format::Csv | Format::Jsonl) || start.starts_with(b"sdbf");
        if read.is_err() || !(is_marked || is_bare) {
            return false;
        }
        let limit = self.reading.limit;
        let decoder = self.lines(&Options { limit, ..options.clone() }, u64::MAX);
        let first = decoder.ok().and_then(|mut decoder| decoder.next());
        matches!(first, Some(Ok(LocatedItem { item: Item::Entry(_), .. })))
    }

    /// The algorithms of the first record.
    pub fn algorithms(&mut self) -> Vec<Algorithm> {
        if self.is_index {
            let method = self.method().unwrap_or(MethodName::Ssdeep);
            return self.registry.find(method.name()).into_iter().collect();
        }
        for options in self.reading.options(self.reading.limit) {
            let Ok(lines) = self.lines(&options, u64::MAX) else { continue };
            let first = lines.filter_map(Result::ok).find_map(|located| match located.item {
                Item::Entry(entry) => Some(entry),
                _ => None,
            });
            if let Some(entry) = first {
                return entry.digests.iter().map(|digest| digest.algorithm()).collect();
            }
        }
        Vec::new()
    }

    /// Takes the digests into the collections of their algorithms, and gives the number of lines
    /// and records that were not taken. Each is reported to `tell`.
    pub fn load(mut self, collections: &mut [Collection], tell: &mut dyn FnMut(&ListProblem)) -> u64 {
        let (path, mut faults) = (self.path.clone(), 0);
        let mut wrong = |wrong: Wrong| {
            faults += 1;
            tell(&ListProblem { path: path.clone(), wrong });
        };
        let read = match self.is_index {
            true => self.into_stored().and_then(|index| stored(&index, collections, &mut wrong)),
            false => self.read(collections, &mut wrong),
        };
        if let Err(error) = read {
            wrong(Wrong::Io(error));
        }
        faults
    }

    fn read(&mut self, collections: &mut [Collection], wrong: &mut dyn FnMut(Wrong)) -> io::Result<()> {
        let asked: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
        // sdhash's modes are one collection.
        let others = ["sdhash", "sdhash-stream", "sdhash-dd"].iter().filter_map(|name| self.registry.find(name).ok());
        let others = others.filter(|other| !asked.contains(other) && collections.iter().any(|c| c.takes(*other)));
        let assumed = asked.iter().copied().chain(others).collect();
        let Reading { limit, bare, .. } = self.reading;
        let options = Options { limit, bare, assumed, ..Options::default() };
        self.file()?.release();
        let mut taken = false;
        for located in self.lines(&options, u64::MAX)? {
            let located = located?;
            match located.item {
                Item::Entry(entry) => {
                    let shared: Arc<[u8]> = match entry.name.is_empty() {
                        true => format!("line {}", located.line).into_bytes().into(),
                        false => entry.name.into(),
                    };
                    for digest in &entry.digests {
                        let Some(collection) = collections.iter_mut().find(|c| c.takes(digest.algorithm())) else {
                            continue;
                        };
                        taken = true;
                        let before = collection.len();
                        if let Err(why) = collection.add(&shared, digest) {
                            wrong(Wrong::Digest(located.line, why));
                        }
                        entry.size.iter().for_each(|size| collection.size_from(before, *size));
                    }
                }
                Item::Unhashed(_) => {}
                Item::Fault(fault) => {
                    taken = true;
                    wrong(Wrong::Line(located.line, fault));
                }
            }
        }
        if !taken {
            wrong(Wrong::NoDigests(asked));
        }
        Ok(())
    }
}

/// The digests of an index, if it keeps them: those of ssdeep and TLSH.
fn stored(index: &StoredIndex, collections: &mut [Collection], wrong: &mut dyn FnMut(Wrong)) -> io::Result<()> {
    let method = index.method();
    if !matches!(method, MethodName::Ssdeep | MethodName::Tlsh) {
        wrong(Wrong::Index(method));
        return Ok(());
    }
    let asked: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
    let is_of_it = |algorithm: Algorithm| MethodName::of(algorithm) == Some(method);
    let Some(collection) = collections.iter_mut().find(|collection| is_of_it(collection.algorithm())) else {
        wrong(Wrong::NoDigests(asked));
        return Ok(());
    };
    for (number, record) in index.records().enumerate() {
        let (content, name) = record?;
        let value = Similar::read(method, content).into();
        let line = number as u64 + 1;
        match Digest::from_value(collection.algorithm(), value) {
            Ok(digest) => {
                if let Err(why) = collection.add(&name.into(), &digest) {
                    wrong(Wrong::Digest(line, why));
                }
            }
            Err(_) => wrong(Wrong::Line(line, Fault::WrongLength)),
        }
    }
    Ok(())
}
