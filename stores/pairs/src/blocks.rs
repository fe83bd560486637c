//! A file whose bytes are compared with checksums before they are believed: a CRC-32 for each 4
//! KiB, behind the covered bytes.

use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that have a checksum together; the last may be fewer.
const BLOCK: u64 = 4096;
/// Bytes of a checksum.
const CRC: u64 = 4;

/// Writes the bytes to be covered, and then the checksums.
pub struct SummedWriter<W> {
    out: W,
    sums: Vec<u8>,
    crc: crc32fast::Hasher,
    room: u64,
}

impl<W: Write> SummedWriter<W> {
    /// Nothing written yet.
    pub fn new(out: W) -> Self {
        SummedWriter { out, sums: Vec::new(), crc: crc32fast::Hasher::new(), room: BLOCK }
    }

    /// Writes the checksums.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(mut self) -> io::Result<()> {
        if self.room < BLOCK {
            self.end_block();
        }
        self.out.write_all(&self.sums)
    }

    fn end_block(&mut self) {
        let crc = std::mem::take(&mut self.crc);
        self.sums.extend_from_slice(&crc.finalize().to_le_bytes());
        self.room = BLOCK;
    }
}

impl<W: Write> Write for SummedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Fits: it is at most BLOCK.
        let part = &bytes[..bytes.len().min(self.room as usize)];
        let written = self.out.write(part)?;
        self.crc.update(&part[..written]);
        self.room -= written as u64;
        if self.room == 0 {
            self.end_block();
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A file that was written with [`SummedWriter`].
#[derive(Debug)]
pub struct CheckedFile {
    file: File,
    /// Bytes that are covered.
    length: u64,
    /// A bit for each block that had its checksum.
    checked: Vec<AtomicU64>,
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the index is damaged: {what}"))
}

impl CheckedFile {
    /// Takes a file of `length` bytes and their checksums; nothing is read yet. An error where the
    /// file is shorter or longer.
    pub fn new(file: File, length: u64) -> io::Result<CheckedFile> {
        let blocks = length.div_ceil(BLOCK);
        if length.checked_add(blocks * CRC) != Some(file.metadata()?.len()) {
            return Err(damaged("it is not as long as it states"));
        }
        let checked = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(CheckedFile { file, length, checked })
    }

    /// Reads bytes at their place. Blocks are checked when they are first met.
    ///
    /// # Errors
    /// The system's; [`io::ErrorKind::InvalidData`] where a block does not have its checksum, or
    /// the place is beyond the end.
    pub fn read(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let end = at.checked_add(bytes.len() as u64).filter(|end| *end <= self.length);
        let Some(end) = end else { return Err(damaged("a place beyond the end")) };
        for block in at / BLOCK..end.div_ceil(BLOCK) {
            self.check(block)?;
        }
        self.file.read_exact_at(bytes, at)
    }

    fn check(&self, block: u64) -> io::Result<()> {
        let (word, bit) = (&self.checked[(block / 64) as usize], 1 << (block % 64));
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = block * BLOCK;
        let mut room = [0; BLOCK as usize];
        // Fits: a block has at most BLOCK bytes.
        let bytes = &mut room[..(self.length - start).min(BLOCK) as usize];
        let mut sum = [0; CRC as usize];
        self.file.read_exact_at(bytes, start)?;
        self.file.read_exact_at(&mut sum, self.length + block * CRC)?;
        if crc32fast::hash(bytes).to_le_bytes() != sum {
            return Err(damaged(&format!(
                "the block at {start} does not have its checksum; make it again from its list"
            )));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}
