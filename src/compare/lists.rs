//! Lists of digests among the operands.

use super::{Collection, Refused};
use crate::algorithms::REGISTRY;
use pfh_digest::Algorithm;
use pfh_manifest::{Decoder, Fault, Format, Item, Located, Options};
use pfh_source::os::Patient;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
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

fn open(path: &OsStr, options: &Options) -> io::Result<Decoder<BufReader<Patient<File>>>> {
    Decoder::with_registry(BufReader::with_capacity(1 << 16, Patient::open(Path::new(path))?), options, REGISTRY)
}

/// Whether a regular file begins as a list of digests does: with a format's own mark, or with a
/// line that is a record. Of a format with a mark, that line may have `limit` bytes.
pub fn is_list(path: &OsStr, limit: usize) -> bool {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(mut decoder) = open(path, &Options { limit: LOOK, ..Options::default() }) else { return false };
    match decoder.format() {
        Format::Ssdeep | Format::Sdbf | Format::Mrsh | Format::Hashdeep => true,
        // Others have no mark of their own: the first record decides.
        _ => match decoder.next() {
            Some(Ok(Located { item: Item::Entry(_), .. })) => true,
            Some(Ok(Located { item: Item::Fault(Fault::TooLong), .. })) => begins_long(path, decoder.format(), limit),
            _ => false,
        },
    }
}

/// Whether a file whose first record is long begins with one: only those that begin like one are
/// read so far.
fn begins_long(path: &OsStr, format: Format, limit: usize) -> bool {
    let mut start = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_err() || !(matches!(format, Format::Csv | Format::Jsonl) || start.starts_with(b"sdbf")) {
        return false;
    }
    let decoder = open(path, &Options { limit, ..Options::default() });
    let first = decoder.ok().and_then(|mut decoder| decoder.next());
    matches!(first, Some(Ok(Located { item: Item::Entry(_), .. })))
}

/// The algorithms of a list's first record.
pub fn algorithms(path: &OsStr, limit: usize) -> Vec<Algorithm> {
    let options = Options { limit, ..Options::default() };
    let Ok(decoder) = open(path, &options) else { return Vec::new() };
    let first = decoder.filter_map(Result::ok).find_map(|located| match located.item {
        Item::Entry(entry) => Some(entry),
        _ => None,
    });
    first.map(|entry| entry.digests.iter().map(|digest| digest.algorithm()).collect()).unwrap_or_default()
}

/// Takes the digests of a list into the collections of their algorithms, and gives the number of
/// lines and records that were not taken. Each is reported to `tell`.
pub fn load(path: &OsStr, limit: usize, collections: &mut [Collection], tell: &mut dyn FnMut(&ListProblem)) -> u64 {
    let mut faults = 0;
    let mut wrong = |wrong: Wrong| {
        faults += 1;
        tell(&ListProblem { path: PathBuf::from(path), wrong });
    };
    if let Err(error) = read(path, limit, collections, &mut wrong) {
        wrong(Wrong::Io(error));
    }
    faults
}

fn read(path: &OsStr, limit: usize, collections: &mut [Collection], wrong: &mut dyn FnMut(Wrong)) -> io::Result<()> {
    let asked: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
    // sdhash's modes are one collection.
    let others = ["sdhash", "sdhash-stream", "sdhash-dd"].iter().filter_map(|name| REGISTRY.find(name).ok());
    let others = others.filter(|other| !asked.contains(other) && collections.iter().any(|c| c.takes(*other)));
    let options = Options { limit, assumed: asked.iter().copied().chain(others).collect(), ..Options::default() };
    let mut taken = false;
    for located in open(path, &options)? {
        let located = located?;
        match located.item {
            Item::Entry(entry) => {
                let shared: Arc<[u8]> = entry.name.into();
                for digest in &entry.digests {
                    let Some(collection) = collections.iter_mut().find(|c| c.takes(digest.algorithm())) else {
                        continue;
                    };
                    taken = true;
                    if let Err(why) = collection.add(&shared, digest) {
                        wrong(Wrong::Digest(located.line, why));
                    }
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
