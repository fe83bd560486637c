//! Writes an index.

use super::layout::{HEADER, Kind, MARK, PAGE, TLSH, UNITS, range, ranged};
use crate::blocks::SummedWriter;
use crate::collection::{Collection, Digests, posting};
use crate::sorter::Sorter;
use pfh_similarity::MethodName;
use pfh_similarity::index::keys;
use pfh_similarity::shingles::Unit;
use std::io::{self, Write};

/// Writes the index of a collection of digests of ssdeep or TLSH, or of ones whose windows or
/// strings are its features ([`Collection::with_features`]), which it uses up; with that many bytes
/// of memory for sorting.
///
/// # Errors
/// The output's, the temporary file's; [`io::ErrorKind::InvalidInput`] for digests of another
/// algorithm.
pub fn write(collection: &mut Collection, memory: usize, out: &mut impl Write) -> io::Result<()> {
    let windows = collection.features.take();
    let (mark, sorter, kept): (_, _, Box<dyn Fn(usize) -> Vec<u8>>) = match (&collection.digests, windows) {
        (Digests::Ssdeep(digests), _) => {
            let mut sorter = Sorter::new(memory);
            for (place, digest) in (0..).zip(digests) {
                keys(digest).into_iter().try_for_each(|key| sorter.push(posting(key, place)))?;
            }
            (MARK, sorter, Box::new(|place| digests[place].to_string().into_bytes()))
        }
        (Digests::Outlines(outlines), Some(windows)) => {
            let unit = MethodName::of(collection.algorithm).and_then(Unit::of).unwrap_or(Unit::Window);
            let (mark, _) = UNITS.iter().find(|(_, of)| *of == unit).unwrap_or(&UNITS[0]);
            (*mark, windows, Box::new(|place| outlines[place].to_bytes()))
        }
        (Digests::Tlsh(digests), _) => {
            let mut sorter = Sorter::new(memory);
            (0..).zip(digests).try_for_each(|(place, digest)| sorter.push(posting(range(digest), place)))?;
            (TLSH, sorter, Box::new(|place| digests[place].to_string().into_bytes()))
        }
        _ => {
            let what = "only lists of ssdeep digests, TLSH, shingles, texts, strings or imports can be indexed";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
    };
    let (digests, postings) = (collection.names.len(), sorter.items());
    let mut starts: Vec<u64> = Vec::with_capacity(digests + 1);
    let mut at = HEADER;
    for (place, name) in collection.names.iter().enumerate() {
        starts.push(at);
        at += 2 + (kept(place).len() + name.len()) as u64;
    }
    starts.push(at);
    let table = at;
    let first = table + 8 * starts.len() as u64;
    let fences = first + Kind::of(mark).map_or(0, Kind::posting) * postings;
    let mut out = SummedWriter::new(out);
    out.write_all(mark)?;
    for number in [digests as u64, postings, postings.div_ceil(PAGE), HEADER, table, first, fences] {
        out.write_all(&number.to_le_bytes())?;
    }
    for (place, name) in collection.names.iter().enumerate() {
        let kept = kept(place);
        // Fits: the text of a digest and an outline are short.
        out.write_all(&(kept.len() as u16).to_le_bytes())?;
        out.write_all(&kept)?;
        out.write_all(name)?;
    }
    for start in starts {
        out.write_all(&start.to_le_bytes())?;
    }
    let mut keys = Vec::new();
    for (number, posting) in sorter.sorted()?.enumerate() {
        let posting = posting?;
        let key = (posting >> 32) as u64;
        if (number as u64).is_multiple_of(PAGE) {
            keys.push(key);
        }
        let place = posting as u32;
        if let Digests::Tlsh(digests) = &collection.digests {
            out.write_all(&ranged(&digests[place as usize], place))?;
        } else {
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&place.to_le_bytes())?;
        }
    }
    for key in keys {
        out.write_all(&key.to_le_bytes())?;
    }
    out.finish()
}
