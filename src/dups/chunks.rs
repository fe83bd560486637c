//! How files are cut into chunks, and the contents of a store that keeps each once.

use fastcdc::v2020::StreamCDC;
use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

/// How files are cut into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunking {
    /// Chunks of a fixed number of bytes from the start of a file; the last one is shorter.
    Fixed(usize),
    /// Where the content says it (FastCDC 2020), of that many bytes on average, at least a quarter
    /// and at most four times as many: inserted bytes move no other cut.
    Content(usize),
}

/// A word that is not a way to cut.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0:?} is not a chunk size: write 4096 for fixed ones, cdc or cdc:16384 for those cut by content (a power of two from 256 to 4194304)"
)]
pub struct UnknownChunking(String);

/// The size that `cdc` alone stands for, in bytes on average.
const USUAL: usize = 16 << 10;
/// FastCDC's own bounds, in bytes on average.
const CONTENT: std::ops::RangeInclusive<usize> = 256..=4 << 20;
/// The longest fixed chunk in bytes: one is held in memory by each thread.
const LONGEST: usize = 64 << 20;

impl FromStr for Chunking {
    type Err = UnknownChunking;

    fn from_str(word: &str) -> Result<Chunking, UnknownChunking> {
        let unknown = || UnknownChunking(word.to_owned());
        let size = |text: &str| text.parse::<usize>().map_err(|_| unknown());
        match word.strip_prefix("cdc") {
            Some("") => Ok(Chunking::Content(USUAL)),
            Some(rest) => {
                let size = size(rest.strip_prefix(':').ok_or_else(unknown)?)?;
                let fits = CONTENT.contains(&size) && size.is_power_of_two();
                if fits { Ok(Chunking::Content(size)) } else { Err(unknown()) }
            }
            None => {
                Some(size(word)?).filter(|size| (1..=LONGEST).contains(size)).map(Chunking::Fixed).ok_or_else(unknown)
            }
        }
    }
}

impl fmt::Display for Chunking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chunking::Fixed(size) => write!(f, "{size}"),
            Chunking::Content(size) => write!(f, "cdc:{size}"),
        }
    }
}

impl Chunking {
    /// Cuts the bytes of a reader, and gives each chunk.
    ///
    /// # Errors
    /// The reader's.
    pub(super) fn cut(self, mut reader: impl Read, each: &mut dyn FnMut(Vec<u8>)) -> io::Result<()> {
        match self {
            Chunking::Fixed(size) => loop {
                let mut chunk = Vec::with_capacity(size);
                reader.by_ref().take(size as u64).read_to_end(&mut chunk)?;
                if chunk.is_empty() {
                    return Ok(());
                }
                each(chunk);
            },
            Chunking::Content(size) => {
                for chunk in StreamCDC::new(reader, size / 4, size, size * 4) {
                    each(chunk.map_err(io::Error::from)?.data);
                }
                Ok(())
            }
        }
    }
}

/// The contents of a store that keeps each chunk once. Each inode counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Store {
    /// How files were cut.
    pub chunking: Chunking,
    /// Chunks of all files.
    pub chunks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Chunks of different content.
    pub unique: u64,
    /// Their bytes.
    pub unique_bytes: u64,
    /// Pairs of files that share chunks and are not equal: each is an
    /// [`Event::Shared`](super::Event::Shared), up to the number asked for.
    pub pairs: u64,
    /// Chunks that more than a hundred different files hold: they make no pairs.
    pub common: u64,
    /// Bytes of these, each once.
    pub common_bytes: u64,
}

impl Store {
    /// Bytes that would not be kept twice.
    pub fn saving(&self) -> u64 {
        self.bytes - self.unique_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(chunking: Chunking, bytes: &[u8]) -> Vec<usize> {
        let mut all = Vec::new();
        chunking.cut(bytes, &mut |chunk| all.push(chunk.len())).unwrap();
        all
    }

    #[test]
    fn chunks_cover_what_is_read() {
        let bytes: Vec<u8> = (0..100_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        assert_eq!(lengths(Chunking::Fixed(150_000), &bytes), [150_000, 150_000, 100_000]);
        assert_eq!(lengths(Chunking::Fixed(4096), &[]), [0; 0]);
        let cut = lengths(Chunking::Content(4096), &bytes);
        assert_eq!(cut.iter().sum::<usize>(), bytes.len());
        assert!(cut.len() > 40 && cut.iter().all(|length| *length <= 16 << 10), "{cut:?}");
    }

    #[test]
    fn words() {
        assert_eq!("4096".parse::<Chunking>().unwrap(), Chunking::Fixed(4096));
        assert_eq!("cdc".parse::<Chunking>().unwrap().to_string(), "cdc:16384");
        assert_eq!("cdc:1024".parse::<Chunking>().unwrap(), Chunking::Content(1024));
        for wrong in ["", "0", "cdc:", "cdc:1000", "cdc:128", "x", "99999999999"] {
            assert!(wrong.parse::<Chunking>().is_err(), "{wrong}");
        }
    }
}
