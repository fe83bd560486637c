//! Reads one input, in any format.

use std::ops::ControlFlow;
use std::path::Path;

use pfh_digest::{Algorithm, ROWS, Registry, Row};
use pfh_manifest::known::bloom::Header;
use pfh_manifest::known::{self, Kind, Take};
use pfh_manifest::{hints, unknown};

use crate::input::{Contents, Meter, peek};
use crate::{Class, Error, Input, is_known_set, sqlite};

/// The algorithms that a list may be of.
static LISTS: [&[Row]; 1] = [&ROWS];

/// Reads an input to its end and hands every record to `take`; `applied` is the copy of a database
/// in which the deltas were run.
pub fn read(input: &Input, applied: Option<&Path>, meter: &Meter, take: &mut Take<'_>) -> Result<Contents, Error> {
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
        return Ok(Contents::Bloom(header));
    }
    let named = path.file_name().unwrap_or_default().to_string_lossy();
    let hints = hints(Registry::new(&LISTS), &named);
    let options = known::Options {
        assumed: input.assumed.clone(),
        foreign: if hints.is_empty() { unknown(&named) } else { None },
        hints,
        columns: input.columns.clone(),
        ..known::Options::default()
    };
    let kind = known::read(reader, &options, take).map_err(Error::io(path))?;
    let format = match kind {
        Kind::Manifest(format) => format.name(),
        Kind::List => "list",
        Kind::Page => "page",
        Kind::Table => "table",
        Kind::Encase => "encase",
        Kind::Vics => "vics",
        Kind::Json => "json",
    };
    Ok(Contents::Records { format: format.to_owned(), version: None })
}

/// Whether a file begins as a set does that can be read: it is a filter, or its first record is
/// one. `assumed` are the algorithms of digests without a name; empty for the usual algorithms by
/// length.
pub fn is_set(path: &Path, assumed: &[Algorithm]) -> bool {
    let input = Input { assumed: assumed.to_vec(), ..Input::new(path, Class::Bad) };
    let mut first = false;
    let mut take = |_, record: Result<known::KnownFile, pfh_manifest::Fault>| {
        first = record.is_ok();
        ControlFlow::Break(())
    };
    let found = read(&input, None, &Meter::default(), &mut take);
    is_known_set(path) || matches!(found, Ok(Contents::Bloom(_))) || found.is_ok() && first
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
