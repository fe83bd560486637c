//! Bytes that were unpacked and are kept until they are read: small ones in memory, others in a
//! file without a name.

use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest that stays in memory.
const SMALL: u64 = 1 << 20;
/// Memory for all of them.
const ALL: u64 = 32 << 20;

/// How much memory is in use.
#[derive(Debug, Default)]
pub struct Stock(AtomicU64);

impl Stock {
    fn take(&self, bytes: u64) -> bool {
        let taken = self.0.fetch_add(bytes, Ordering::Relaxed) + bytes <= ALL;
        if !taken {
            self.0.fetch_sub(bytes, Ordering::Relaxed);
        }
        taken
    }
}

enum SpoolPlace {
    Memory(Vec<u8>),
    File(File),
}

/// Bytes that can be read at any position.
pub struct Spool {
    kept: SpoolPlace,
    size: u64,
    /// Memory that it holds of the stock.
    held: u64,
    stock: Arc<Stock>,
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.stock.0.fetch_sub(self.held, Ordering::Relaxed);
    }
}

impl Spool {
    /// All of `reader`, at most `most` bytes; `None` if there are more.
    ///
    /// # Errors
    /// The reader's, or those of the temporary file.
    pub fn fill(stock: &Arc<Stock>, mut reader: impl Read, most: u64) -> io::Result<Option<Spool>> {
        let mut spool = Spool { kept: SpoolPlace::Memory(Vec::new()), size: 0, held: 0, stock: stock.clone() };
        let mut buffer = vec![0; 64 << 10];
        loop {
            let got = match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) => got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            spool.size += got as u64;
            if spool.size > most {
                return Ok(None);
            }
            spool.push(&buffer[..got])?;
        }
        Ok(Some(spool))
    }

    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let SpoolPlace::Memory(kept) = &mut self.kept {
            if self.size <= SMALL && self.stock.take(bytes.len() as u64) {
                self.held += bytes.len() as u64;
                kept.extend_from_slice(bytes);
                return Ok(());
            }
            let mut file = tempfile::tempfile()?;
            file.write_all(kept)?;
            self.stock.0.fetch_sub(std::mem::take(&mut self.held), Ordering::Relaxed);
            self.kept = SpoolPlace::File(file);
        }
        let SpoolPlace::File(file) = &mut self.kept else { return Ok(()) };
        file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)
    }

    /// How many bytes there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads some bytes at `offset`; 0 is the end.
    ///
    /// # Errors
    /// Those of the temporary file.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.kept {
            SpoolPlace::File(file) => file.read_at(buffer, offset),
            SpoolPlace::Memory(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let got = rest.len().min(buffer.len());
                buffer[..got].copy_from_slice(&rest[..got]);
                Ok(got)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_ones_are_kept_whole_and_memory_is_given_back() {
        let stock = Arc::new(Stock::default());
        let mut kept = Vec::new();
        for number in 0..50u64 {
            let length = if number % 10 == 0 { 3 << 20 } else { 900 << 10 };
            let bytes: Vec<u8> = (0..length).map(|at| (at + number) as u8).collect();
            let spool = Spool::fill(&stock, &bytes[..], u64::MAX).unwrap().unwrap();
            assert!(stock.0.load(Ordering::Relaxed) <= ALL);
            kept.push((spool, bytes));
        }
        for (spool, bytes) in &kept {
            let mut found = vec![0; bytes.len()];
            let (mut at, end) = (0, bytes.len());
            while at < end {
                at += spool.read_at(at as u64, &mut found[at..]).unwrap();
            }
            assert!(found == *bytes && spool.size() == end as u64);
        }
        drop(kept);
        assert_eq!(stock.0.load(Ordering::Relaxed), 0);
        assert!(Spool::fill(&stock, &[0; 10][..], 9).unwrap().is_none());
        assert_eq!(stock.0.load(Ordering::Relaxed), 0);
    }
}
