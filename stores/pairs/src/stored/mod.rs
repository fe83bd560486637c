//! An index of digests of ssdeep or TLSH, shingles, texts, strings or imports in a file: a few
//! reads find the digests that are similar to one, however long the list was.
//!
//! The file, all numbers little-endian: the mark, the number of digests, of postings and of fences,
//! and where the four parts begin (u64 each); the digests (length as u16, text, name; the outline
//! in place of the text but for ssdeep); where each begins, and where they end; the postings,
//! ascending: a key or window (u64) and the number of a digest that has it (u32); the fences: the
//! key of every 1,024th posting. Then a CRC-32 for each 4,096 bytes of all that, which are compared
//! when the bytes are first read.
//!
//! A posting of TLSH is a digest (35 bytes), a zero and its number; its length and ratios are the
//! key, and its body is compared in its place.

mod layout;
mod ranges;
mod write;

pub use layout::MARK;
pub use write::write;

use crate::blocks::CheckedFile;
use crate::collection::Collection;
use layout::{HEADER, Kind, OLD, PAGE, POSTING};
use pfh_similarity::index::keys;
use pfh_similarity::shingles::{self, Outline, SharedWindows};
use pfh_similarity::ssdeep::{Digest, Target};
use pfh_similarity::{Content, MethodName};
use pfh_source::os::positioned::FileExt;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::Path;

/// The longest name that is believed.
const LONGEST: u64 = 1 << 20;

/// An index that was written before indexes had checksums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the index is of a version without checksums: make it again from its list")]
pub struct OutdatedIndex;

impl OutdatedIndex {
    /// Whether an error of an index is this one.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<OutdatedIndex>())
    }
}

/// The method of an index that begins with this mark.
pub(crate) fn method(mark: &[u8; 8]) -> MethodName {
    Kind::of(mark).map_or(MethodName::Ssdeep, Kind::method)
}

/// Whether a file begins as an index does, of this version or the one before.
pub(crate) fn is_marked(file: &mut impl Read) -> io::Result<bool> {
    let mut mark = Vec::with_capacity(MARK.len());
    file.take(MARK.len() as u64).read_to_end(&mut mark)?;
    Ok(Kind::of(&mark).is_some() || mark == OLD)
}

/// An index file that is open.
#[derive(Debug)]
pub struct StoredIndex {
    file: CheckedFile,
    kind: Kind,
    digests: u64,
    postings: u64,
    table: u64,
    first: u64,
    fences: Vec<u64>,
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the index is damaged: {what}"))
}

impl StoredIndex {
    /// Opens an index.
    ///
    /// # Errors
    /// The file's; [`io::ErrorKind::InvalidData`] where it is not an index or not a whole one.
    pub fn open(path: &Path) -> io::Result<StoredIndex> {
        StoredIndex::from_file(File::open(path)?)
    }

    /// An index for as long as this value lives, of such a collection as [`write()`] takes.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn temporary(collection: &mut Collection, memory: usize) -> io::Result<StoredIndex> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        write(collection, memory, &mut out)?;
        StoredIndex::from_file(out.into_inner().map_err(io::IntoInnerError::into_error)?)
    }

    /// Takes an open file.
    ///
    /// # Errors
    /// As [`StoredIndex::open`].
    pub fn from_file(file: File) -> io::Result<StoredIndex> {
        let mut header = [0; HEADER as usize];
        file.read_exact_at(&mut header, 0).map_err(|_| damaged("no header"))?;
        if header[..8] == *OLD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, OutdatedIndex));
        }
        let kind = Kind::of(&header[..8]).ok_or_else(|| damaged("no mark"))?;
        let number = |i: usize| u64::from_le_bytes(header[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        let (digests, postings, fences) = (number(1), number(2), number(3));
        let (records, table, first, fences_at) = (number(4), number(5), number(6), number(7));
        let end = |at: u64, count: u64, bytes: u64| count.checked_mul(bytes).and_then(|length| at.checked_add(length));
        let fits = records == HEADER
            && table >= HEADER
            && digests < 1 << 32
            && end(table, digests + 1, 8) == Some(first)
            && end(first, postings, kind.posting()) == Some(fences_at)
            && fences == postings.div_ceil(PAGE)
            && end(fences_at, fences, 8).is_some();
        if !fits {
            return Err(damaged("its parts do not fit together"));
        }
        // The header states how much is covered, and is covered itself.
        let file = CheckedFile::new(file, fences_at + 8 * fences)?;
        file.read(&mut header, 0)?;
        let mut bytes = vec![0; fences as usize * 8];
        file.read(&mut bytes, fences_at)?;
        let fences: Vec<u64> = bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        if !fences.is_sorted() {
            return Err(damaged("its keys do not ascend"));
        }
        Ok(StoredIndex { file, kind, digests, postings, table, first, fences })
    }

    /// The method of the digests.
    pub fn method(&self) -> MethodName {
        self.kind.method()
    }

    /// Number of digests.
    pub fn len(&self) -> u64 {
        self.digests
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.digests == 0
    }

    /// The ssdeep digests that are similar to one, in the order of the list, with their names and
    /// scores of at least `threshold`, which counts as 1 if it is 0.
    ///
    /// # Errors
    /// The file's; [`io::ErrorKind::InvalidData`] where it is damaged.
    pub fn similar(&self, digest: &Digest, threshold: u8) -> io::Result<Vec<(Digest, Vec<u8>, u8)>> {
        let mut candidates = Vec::new();
        let mut sought = keys(digest);
        sought.sort_unstable();
        self.having(&sought, &mut |number| candidates.push(number))?;
        candidates.sort_unstable();
        candidates.dedup();
        let target = Target::new(digest);
        let mut found = Vec::new();
        for number in candidates {
            let (other, name) = self.record(number)?;
            let score = target.score(&other.collapsed());
            if score >= threshold.max(1) {
                found.push((other, name, score));
            }
        }
        Ok(found)
    }

    /// The inputs that hold windows of one, in the order of the list, with their outlines, names
    /// and the parts that the two share; the one in the list is the second.
    ///
    /// # Errors
    /// The file's; [`io::ErrorKind::InvalidData`] where it is damaged.
    pub fn sharing(&self, digest: &shingles::Digest) -> io::Result<Vec<(Outline, Vec<u8>, SharedWindows)>> {
        let mut windows: HashMap<u32, u64> = HashMap::new();
        self.having(digest.windows(), &mut |number| *windows.entry(number).or_default() += 1)?;
        let mut numbers: Vec<(u32, u64)> = windows.into_iter().collect();
        numbers.sort_unstable();
        let own = digest.outline();
        let of = |(number, windows)| {
            let (bytes, name) = self.bytes_of(number)?;
            let other = Outline::from_bytes(digest.unit(), &bytes).ok_or_else(|| damaged("a malformed outline"))?;
            let shared = SharedWindows::new(windows, &own, &other);
            Ok((other, name, shared))
        };
        numbers.into_iter().map(of).collect()
    }

    /// All digests of ssdeep or TLSH with their names, in the order of the list.
    ///
    /// # Errors
    /// For each one, as [`StoredIndex::similar`]; all of them where an index keeps outlines alone.
    pub fn records(&self) -> impl Iterator<Item = io::Result<(Content, Vec<u8>)>> + '_ {
        // Fits: there are at most 2^31 digests.
        (0..self.digests).map(|number| match self.kind {
            Kind::Ssdeep => self.record(number as u32).map(|(digest, name)| (Content::Ssdeep(digest), name)),
            Kind::Tlsh => self.ranged(number as u32).map(|(digest, name)| (Content::Tlsh(digest), name)),
            Kind::Unit(_) => Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Takes the numbers of the digests that have each of the keys, which ascend.
    fn having(&self, keys: &[u64], take: &mut dyn FnMut(u32)) -> io::Result<()> {
        let key_of =
            |posting: &[u8; POSTING as usize]| u64::from_le_bytes(posting[..8].try_into().expect("eight bytes"));
        self.postings(keys, key_of, &mut |posting| {
            take(u32::from_le_bytes(posting[8..].try_into().expect("four bytes")));
        })
    }

    /// Takes the postings that have each of the keys, which ascend.
    fn postings<const LENGTH: usize>(
        &self,
        keys: &[u64],
        key_of: impl Fn(&[u8; LENGTH]) -> u64,
        take: &mut dyn FnMut(&[u8; LENGTH]),
    ) -> io::Result<()> {
        let mut page: (u64, Vec<[u8; LENGTH]>) = (u64::MAX, Vec::new());
        for &key in keys {
            // The page before the first fence that is not below may end in the key.
            let mut at = self.fences.partition_point(|&fence| fence < key).saturating_sub(1) as u64;
            while at * PAGE < self.postings && self.fences[at as usize] <= key {
                if page.0 != at {
                    let count = PAGE.min(self.postings - at * PAGE);
                    let mut bytes = vec![0; count as usize * LENGTH];
                    self.file.read(&mut bytes, self.first + at * PAGE * LENGTH as u64)?;
                    page = (at, bytes.as_chunks().0.to_vec());
                }
                let from = page.1.partition_point(|posting| key_of(posting) < key);
                page.1[from..].iter().take_while(|posting| key_of(posting) == key).for_each(&mut *take);
                at += 1;
            }
        }
        Ok(())
    }

    fn record(&self, number: u32) -> io::Result<(Digest, Vec<u8>)> {
        let (text, name) = self.bytes_of(number)?;
        Ok((Digest::parse(&text).map_err(|_| damaged("a malformed digest"))?, name))
    }

    /// A digest as the index keeps it, and its name.
    fn bytes_of(&self, number: u32) -> io::Result<(Vec<u8>, Vec<u8>)> {
        if u64::from(number) >= self.digests {
            return Err(damaged("a posting without a digest"));
        }
        let mut bounds = [0; 16];
        self.file.read(&mut bounds, self.table + 8 * u64::from(number))?;
        let bound = |i: usize| u64::from_le_bytes(bounds[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        let (start, end) = (bound(0), bound(1));
        if start < HEADER || end > self.table || end < start || end - start > LONGEST {
            return Err(damaged("a digest out of its place"));
        }
        let mut bytes = vec![0; (end - start) as usize];
        self.file.read(&mut bytes, start)?;
        let (length, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("a digest cut short"))?;
        let length = usize::from(u16::from_le_bytes(*length));
        let (kept, name) = rest.split_at_checked(length).ok_or_else(|| damaged("a digest cut short"))?;
        Ok((kept.to_vec(), name.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Digests;
    use pfh_digest::{Algorithm, Digest as Any};
    use std::sync::Arc;

    fn collection(count: u32) -> Collection {
        let row = pfh_similarity::ROWS.iter().map(Algorithm::from_row).find(|a| a.name() == "ssdeep").unwrap();
        let mut collection = Collection::new(row);
        let mut state = 1u64;
        let mut letters = |count: usize| -> String {
            let mut letter = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b'a' + (state >> 60) as u8)
            };
            (0..count).map(|_| letter()).collect()
        };
        let stock: Vec<String> = (0..20).map(|_| letters(64)).collect();
        for i in 0..count {
            let base = &stock[i as usize % 20];
            let at = (i as usize * 7) % 50;
            let first = format!("{}{}{}", &base[..at], letters(3), &base[at + 3..]);
            let second = if i % 5 == 0 { letters(4) } else { letters(30) };
            // Some too short for any sequence, some of them identical.
            let text =
                if i % 50 == 0 { format!("3:abc{}:d", i % 4) } else { format!("{}:{first}:{second}", 3 << (i % 3)) };
            let name: Arc<[u8]> = format!("n{i}\n").into_bytes().into();
            collection.add(&name, &Any::parse(row, &text).unwrap()).unwrap();
        }
        collection
    }

    #[test]
    fn the_index_finds_what_brute_force_finds() {
        let mut collection = collection(3000);
        let Digests::Ssdeep(digests) = &collection.digests else { unreachable!() };
        let digests = digests.clone();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        for memory in [0, 1 << 30] {
            let mut out = Vec::new();
            write(&mut collection, memory, &mut out).unwrap();
            std::fs::write(&path, &out).unwrap();
            assert!(is_marked(&mut File::open(&path).unwrap()).unwrap());
            let stored = StoredIndex::open(&path).unwrap();
            for digest in digests.iter().step_by(41) {
                for threshold in [1, 60] {
                    let found: Vec<(Vec<u8>, u8)> = stored
                        .similar(digest, threshold)
                        .unwrap()
                        .into_iter()
                        .map(|(_, name, score)| (name, score))
                        .collect();
                    let target = Target::new(digest);
                    let expected: Vec<(Vec<u8>, u8)> = digests
                        .iter()
                        .zip(&collection.names)
                        .map(|(other, name)| (name.to_vec(), target.score(&other.collapsed())))
                        .filter(|(_, score)| *score >= threshold)
                        .collect();
                    assert!(!expected.is_empty());
                    assert_eq!(found, expected);
                }
            }
        }
    }

    /// Files of random pieces; a few pieces are in many.
    fn shingled() -> (Vec<shingles::Digest>, Collection) {
        let row = pfh_similarity::ROWS.iter().map(Algorithm::from_row).find(|a| a.name() == "shingles").unwrap();
        let mut collection = Collection::with_features(row, 0);
        let mut state = 3u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 33
        };
        let pieces: Vec<Vec<u8>> = (0..40).map(|_| (0..700).map(|_| (next() >> 8) as u8).collect()).collect();
        let mut digests = Vec::new();
        for number in 0..150 {
            let chosen = (0..1 + next() % 9).map(|_| pieces[(next() % 40 * (next() % 2)) as usize].clone());
            let bytes: Vec<u8> = chosen.flatten().collect();
            let mut hasher = pfh_similarity::Method::hasher(&shingles::Shingles);
            pfh_similarity::Hasher::update(&mut hasher, &bytes);
            let digest = pfh_similarity::Hasher::finalize(hasher);
            let text = digest.as_ref().map(ToString::to_string).unwrap();
            let name: Arc<[u8]> = format!("n{number}").into_bytes().into();
            collection.add(&name, &Any::parse(row, &text).unwrap()).unwrap();
            digests.extend(digest);
        }
        (digests, collection)
    }

    #[test]
    fn shingles_of_an_index_are_those_of_comparing_each() {
        let (digests, mut collection) = shingled();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        let mut out = Vec::new();
        write(&mut collection, 0, &mut out).unwrap();
        std::fs::write(&path, &out).unwrap();
        let stored = StoredIndex::open(&path).unwrap();
        assert_eq!((stored.method(), stored.len()), (MethodName::Shingles, 150));
        assert!(stored.postings > 3 * PAGE);
        let answers = || -> io::Result<Vec<_>> {
            let stored = StoredIndex::open(&path)?;
            digests.iter().map(|digest| stored.sharing(digest)).collect()
        };
        for (digest, found) in digests.iter().zip(answers().unwrap()) {
            let of = |(at, other): (usize, &shingles::Digest)| {
                let shared = SharedWindows::new(digest.shared(other), &digest.outline(), &other.outline());
                (digest.shared(other) > 0).then(|| (other.outline(), format!("n{at}").into_bytes(), shared))
            };
            assert_eq!(found, digests.iter().enumerate().filter_map(of).collect::<Vec<_>>());
        }
        let index = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        for (at, byte) in (0..).zip(&out).step_by(61) {
            index.write_all_at(&[byte ^ 1 << (at % 8)], at).unwrap();
            assert!(answers().is_err(), "byte {at} was not missed");
            index.write_all_at(&[*byte], at).unwrap();
        }
    }

    #[test]
    fn a_damaged_index_is_an_error() {
        let mut collection = collection(60);
        let mut out = Vec::new();
        write(&mut collection, 0, &mut out).unwrap();
        let Digests::Ssdeep(digests) = &collection.digests else { unreachable!() };
        let digests = digests.clone();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        for cut in [0, 7, 40, 63, out.len() / 2, out.len() - 1] {
            std::fs::write(&path, &out[..cut]).unwrap();
            assert_eq!(StoredIndex::open(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
        // With any wrong byte: the same answers or an error.
        let answers = || -> io::Result<Vec<_>> {
            let stored = StoredIndex::open(&path)?;
            digests.iter().map(|digest| stored.similar(digest, 1)).collect()
        };
        std::fs::write(&path, &out).unwrap();
        let right = answers().unwrap();
        assert!(StoredIndex::open(&path).unwrap().postings > PAGE);
        let index = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        for (at, byte) in (0..).zip(&out) {
            index.write_all_at(&[byte ^ 1 << (at % 8)], at).unwrap();
            // All digests are asked, so all bytes are met.
            assert!(answers().is_err(), "byte {at} was not missed");
            index.write_all_at(&[*byte], at).unwrap();
        }
        let mut old = out.clone();
        old[..8].copy_from_slice(OLD);
        std::fs::write(&path, &old).unwrap();
        assert!(is_marked(&mut File::open(&path).unwrap()).unwrap() && OutdatedIndex::is(&answers().unwrap_err()));
        std::fs::write(&path, &out).unwrap();
        assert_eq!(answers().unwrap(), right);
    }
}
