//! A Bloom filter inside a known-set file. A bit that fell out of it would turn "maybe" into "no",
//! and nothing in a filter shows that: so every block of it is compared with its checksum before
//! its first bit is believed.

use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use pfh_digest::{Algorithm, Digest};
use pfh_manifest::known::bloom::Header;

use crate::Error;
use crate::layout::{Bloom, CRC, WORDS};

/// A filter of an open file.
pub struct Filter {
    algorithm: Algorithm,
    header: Header,
    about: Bloom,
    /// A bit for each block that had its checksum.
    checked: OnceLock<Vec<AtomicU64>>,
}

impl Filter {
    /// Takes the entry of the directory; nothing is read yet. An error where the filter would not
    /// lie in front of `end`, where the directory starts. `None` for keys of an algorithm that is
    /// not known here.
    pub fn open(path: &Path, about: &Bloom, sets: usize, end: u64) -> Result<Option<Filter>, Error> {
        let Ok(algorithm) = about.algorithm.parse::<Algorithm>() else { return Ok(None) };
        let Bloom { hashes, bits, entries, offset, sums, .. } = *about;
        let header = Header { hashes, bits, entries, probability: 0.0 };
        let room = |offset: u64, length: Option<u64>| {
            length.and_then(|length| offset.checked_add(length)).is_some_and(|to| to <= end)
        };
        let words = bits.div_ceil(64).checked_mul(8);
        let summed = words.and_then(|words| words.div_ceil(WORDS as u64).checked_mul(CRC as u64));
        if bits == 0 || hashes == 0 || !room(offset, words) || !sums.is_none_or(|sums| room(sums, summed)) {
            return Err(Error::damaged(path, "damaged: its directory has impossible numbers"));
        }
        if about.set as usize >= sets {
            return Err(Error::damaged(path, "a filter of no set"));
        }
        Ok(Some(Filter { algorithm, header, about: about.clone(), checked: OnceLock::new() }))
    }

    /// The algorithm of its keys.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The position of the set that it stands for.
    pub fn set(&self) -> usize {
        self.about.set as usize
    }

    /// How many keys were put in, as it says.
    pub fn entries(&self) -> u64 {
        self.header.entries
    }

    /// Whether its blocks have checksums of their own: those of layout 1 have none.
    pub fn is_summed(&self) -> bool {
        self.about.sums.is_some()
    }

    /// Whether it may hold a digest of its algorithm, with keys in capitals or in small letters;
    /// `false` is certain.
    ///
    /// # Errors
    /// The system's, and a block that does not have its checksum.
    pub fn may_contain(&self, path: &Path, file: &File, digest: &Digest) -> Result<bool, Error> {
        let key = digest.to_string();
        Ok(self.may_hold(path, file, &key.to_ascii_uppercase())?
            || self.may_hold(path, file, &key.to_ascii_lowercase())?)
    }

    fn may_hold(&self, path: &Path, file: &File, key: &str) -> Result<bool, Error> {
        for bit in self.header.positions(key.as_bytes()) {
            // Words are little-endian, so bit n is in byte n / 8.
            if self.byte(path, file, bit / 8)? >> (bit % 8) & 1 == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn byte(&self, path: &Path, file: &File, at: u64) -> Result<u8, Error> {
        let read = |bytes: &mut [u8], offset| file.read_exact_at(bytes, offset).map_err(Error::io(path));
        let number = at / WORDS as u64;
        let Some(sums) = self.about.sums.filter(|_| !self.is_checked(number)) else {
            let mut byte = [0];
            read(&mut byte, self.about.offset + at)?;
            return Ok(byte[0]);
        };
        let start = number * WORDS as u64;
        let mut room = [0; WORDS];
        // Fits: a block has at most WORDS bytes.
        let block = &mut room[..(self.header.length() - start).min(WORDS as u64) as usize];
        let mut sum = [0; CRC];
        read(block, self.about.offset + start)?;
        read(&mut sum, sums + number * CRC as u64)?;
        if crc32fast::hash(block).to_le_bytes() != sum {
            let at = self.about.offset + start;
            let what = format!("damaged: the block of a Bloom filter at {at} does not have its checksum");
            return Err(Error::damaged(path, what));
        }
        self.checked()[(number / 64) as usize].fetch_or(1 << (number % 64), Ordering::Relaxed);
        // In bounds: the block holds the byte.
        Ok(block[(at - start) as usize])
    }

    fn is_checked(&self, number: u64) -> bool {
        self.checked()[(number / 64) as usize].load(Ordering::Relaxed) >> (number % 64) & 1 == 1
    }

    /// A bit for 4 KiB of a filter that is within the file, so never more than a 32,768th of the
    /// file.
    fn checked(&self) -> &[AtomicU64] {
        self.checked.get_or_init(|| {
            let blocks = self.header.length().div_ceil(WORDS as u64);
            (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect()
        })
    }
}
