//! Lists of digests among the operands.

use crate::exit;
use crate::shown;
use pfh::format::{Decoder, Fault, Format, Item, Located, Options};
use pfh::sink::compare::Collection;
use pfh::{Algorithm, Patient};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

/// The longest line for a look at a file's beginning.
const LOOK: usize = 64 << 10;

fn open(path: &OsStr, options: &Options) -> io::Result<Decoder<BufReader<Patient<File>>>> {
    Decoder::with_registry(BufReader::with_capacity(1 << 16, Patient::open(Path::new(path))?), options, pfh::REGISTRY)
}

/// Whether a regular file begins as a list of digests does: with a format's own mark, or with a line that is a record. Of a format with
/// a mark, that line may have `limit` bytes.
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

/// Whether a file whose first record is long begins with one: only those that begin like one are read so far.
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

/// Takes the digests of a list into the collections of their algorithms. Returns how many lines and records were not
/// taken, each of which was told on standard error.
pub fn load(path: &OsStr, limit: usize, collections: &mut [Collection]) -> u64 {
    let name = shown(path.as_encoded_bytes());
    let assumed: Vec<Algorithm> = collections.iter().map(Collection::algorithm).collect();
    // sdhash's two modes are one collection.
    let others = ["sdhash", "sdhash-stream", "sdhash-dd"].iter().filter_map(|name| pfh::algorithm(name).ok());
    let others = others.filter(|other| !assumed.contains(other) && collections.iter().any(|c| c.takes(*other)));
    let options = Options { limit, assumed: assumed.iter().copied().chain(others).collect(), ..Options::default() };
    let decoder = match open(path, &options) {
        Ok(decoder) => decoder,
        Err(error) => {
            exit::say(format!("{name}: {error}"));
            return 1;
        }
    };
    let mut faults = 0;
    let mut taken = 0u64;
    for located in decoder {
        let located = match located {
            Ok(located) => located,
            Err(error) => {
                exit::say(format!("{name}: {error}"));
                return faults + 1;
            }
        };
        match located.item {
            Item::Entry(entry) => {
                let shared: Arc<[u8]> = entry.name.into();
                for digest in &entry.digests {
                    let Some(collection) = collections.iter_mut().find(|c| c.takes(digest.algorithm())) else {
                        continue;
                    };
                    taken += 1;
                    if let Err(why) = collection.add(&shared, digest) {
                        faults += 1;
                        exit::say(format!("{name}: line {}: {why}", located.line));
                    }
                }
            }
            Item::Unhashed(_) => {}
            Item::Fault(fault) => {
                faults += 1;
                exit::say(format!("{name}: line {}: {fault}", located.line));
            }
        }
    }
    if taken == 0 && faults == 0 {
        let names: Vec<String> = assumed.iter().map(Algorithm::to_string).collect();
        exit::say(format!("{name}: no digests of {}", names.join(", ")));
        faults = 1;
    }
    faults
}
