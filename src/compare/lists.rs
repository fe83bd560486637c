//! Lists of digests among the operands.

use super::stored::Stored;
use super::{Collection, Refused};
use crate::algorithms::REGISTRY;
use pfh_digest::{Algorithm, Digest};
use pfh_manifest::{Decoder, Fault, Format, Item, Located, Options};
use pfh_similarity::{Content, Named, Similar};
use pfh_source::os::Patient;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is wrong with a list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Wrong {
    /// It cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// This line is no record.
    #[error("line {0}: {1}")]
    Line(u64, Fault),
    /// A digest in this line cannot be compared.
    #[error("line {0}: {1}")]
    Digest(u64, Refused),
    /// It has no digests of these algorithms.
    #[error("no digests of {}", .0.iter().map(Algorithm::to_string).collect::<Vec<_>>().join(", "))]
    NoDigests(Vec<Algorithm>),
}

/// A list, and what is wrong with it.
#[derive(Debug)]
pub struct ListProblem {
    /// The list.
    pub path: PathBuf,
    /// What is wrong.
    pub wrong: Wrong,
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
    /// What digests that do not say what they are of may be of, before the usual algorithms.
    pub assumed: Vec<Algorithm>,
}

impl Reading {
    /// Lists of digests with names, whose lines have at most that many bytes.
    pub fn named(limit: usize) -> Reading {
        Reading { limit, bare: false, assumed: Vec::new() }
    }

    /// The options of a decoder: by what is assumed, and by nothing.
    fn options(&self, limit: usize) -> Vec<Options> {
        let plain = Options { limit, bare: self.bare, ..Options::default() };
        if self.assumed.is_empty() {
            return vec![plain];
        }
        vec![Options { assumed: self.assumed.clone(), ..plain.clone() }, plain]
    }
}

/// Of a file that may be anything no more is read in search of a first record: what has no line end
/// would be read to its own end.
const MOST: u64 = 64 << 20;

fn open(path: &OsStr, options: &Options) -> io::Result<Decoder<BufReader<Take<Patient<File>>>>> {
    open_start(path, options, u64::MAX)
}

/// Opens the first bytes of a list, no more than `most`.
fn open_start(path: &OsStr, options: &Options, most: u64) -> io::Result<Decoder<BufReader<Take<Patient<File>>>>> {
    let file = Patient::open(Path::new(path))?.take(most);
    Decoder::with_registry(BufReader::with_capacity(1 << 16, file), options, REGISTRY)
}

/// Whether a regular file begins as a list of digests does: with a format's own mark, or with a
/// line that is a record; or is an index made of one. Of a format with a mark, that line may have
/// as many bytes as is allowed.
pub fn is_list(path: &OsStr, reading: &Reading) -> bool {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    Stored::is_one(Path::new(path)) || reading.options(LOOK).iter().any(|options| begins(path, options, reading.limit))
}

fn begins(path: &OsStr, options: &Options, limit: usize) -> bool {
    let Ok(mut decoder) = open_start(path, options, MOST) else { return false };
    match decoder.format() {
        Format::Ssdeep | Format::Sdbf | Format::Mrsh | Format::Hashdeep => true,
        // Others have no mark of their own: the first record decides.
        _ => match decoder.next() {
            Some(Ok(Located { item: Item::Entry(_), .. })) => true,
            Some(Ok(Located { item: Item::Fault(Fault::TooLong), .. })) => {
                begins_long(path, decoder.format(), options, limit)
            }
            _ => false,
        },
    }
}

/// Whether a file whose first record is long begins with one: only those that begin like one are
/// read so far.
fn begins_long(path: &OsStr, format: Format, options: &Options, limit: usize) -> bool {
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    let is_bare = options.bare && Named::recognise(&start).is_some();
    let is_marked = matches!(format, Format::Csv | Format::Jsonl) || start.starts_with(b"sdbf");
    if read.is_err() || !(is_marked || is_bare) {
        return false;
    }
    let decoder = open(path, &Options { limit, ..options.clone() });
    let first = decoder.ok().and_then(|mut decoder| decoder.next());
    matches!(first, Some(Ok(Located { item: Item::Entry(_), .. })))
}

/// The algorithms of a list's first record.
pub fn algorithms(path: &OsStr, reading: &Reading) -> Vec<Algorithm> {
    if Stored::is_one(Path::new(path)) {
        return REGISTRY.find(Named::Ssdeep.name()).into_iter().collect();
    }
    let first = |options: &Options| {
        let entry = open(path, options).ok()?.filter_map(Result::ok).find_map(|located| match located.item {
            Item::Entry(entry) => Some(entry),
            _ => None,
        });
        Some(entry?.digests.iter().map(|digest| digest.algorithm()).collect())
    };
    reading.options(reading.limit).iter().find_map(first).unwrap_or_default()
}

/// Takes the digests of a list into the collections of their algorithms, and gives the number of
/// lines and records that were not taken. Each is reported to `tell`.
pub fn load(
    path: &OsStr,
    reading: &Reading,
    collections: &mut [Collection],
    tell: &mut dyn FnMut(&ListProblem),
) -> u64 {
    let mut faults = 0;
    let mut wrong = |wrong: Wrong| {
        faults += 1;
        tell(&ListProblem { path: PathBuf::from(path), wrong });
    };
    let read = match Stored::is_one(Path::new(path)) {
        true => stored(path, collections, &mut wrong),
        false => read(path, reading, collections, &mut wrong),
    };
    if let Err(error) = read {
        wrong(Wrong::Io(error));
    }
    faults
}

/// The digests of an index, which are ssdeep's.
fn stored(path: &OsStr, collections: &mut [Collection], wrong: &mut dyn FnMut(Wrong)) -> io::Result<()> {
    let asked: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
    let of_ssdeep = |algorithm: Algorithm| Named::of(algorithm) == Some(Named::Ssdeep);
    let Some(collection) = collections.iter_mut().find(|collection| of_ssdeep(collection.algorithm())) else {
        wrong(Wrong::NoDigests(asked));
        return Ok(());
    };
    for (number, record) in Stored::open(Path::new(path))?.records().enumerate() {
        let (digest, name) = record?;
        let value = Similar::read(Named::Ssdeep, Content::Ssdeep(digest)).into();
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

fn read(
    path: &OsStr,
    reading: &Reading,
    collections: &mut [Collection],
    wrong: &mut dyn FnMut(Wrong),
) -> io::Result<()> {
    let asked: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
    // sdhash's modes are one collection.
    let others = ["sdhash", "sdhash-stream", "sdhash-dd"].iter().filter_map(|name| REGISTRY.find(name).ok());
    let others = others.filter(|other| !asked.contains(other) && collections.iter().any(|c| c.takes(*other)));
    let assumed = asked.iter().copied().chain(others).collect();
    let options = Options { limit: reading.limit, bare: reading.bare, assumed, ..Options::default() };
    let mut taken = false;
    for located in open(path, &options)? {
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
