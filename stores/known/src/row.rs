//! The fixed-size rows that are sorted: a digest and where it came from, as big-endian words, so
//! that comparing words is comparing bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crc32fast::Hasher;

/// Rows grow by that many bytes: a large block of memory is moved by remapping, so growth costs
/// nothing and wastes at most this.
const STEP: usize = 16 << 20;

/// The shortest digest in bytes: a shorter one is a checksum, and identifies nothing.
pub const SHORTEST: usize = 16;

/// The longest digest in bytes.
pub const LONGEST: usize = 64;

/// The bytes of the origin behind a digest.
pub const ORIGIN: usize = 4;

/// Words of a row of digests of that many bytes.
pub const fn words(digest: usize) -> usize {
    (digest + ORIGIN).div_ceil(8)
}

/// A digest of `W` words at most, then zeros, then the origin in the last half of the last word.
pub type Row<const W: usize> = [u64; W];

/// Makes a row.
pub fn pack<const W: usize>(digest: &[u8], origin: u32) -> Row<W> {
    let mut bytes = [[0_u8; 8]; W];
    let flat = bytes.as_flattened_mut();
    flat[..digest.len()].copy_from_slice(digest);
    let end = flat.len();
    flat[end - ORIGIN..].copy_from_slice(&origin.to_be_bytes());
    bytes.map(u64::from_be_bytes)
}

/// The bytes of a row: the digest first, the origin last.
pub fn bytes<const W: usize>(row: &Row<W>) -> [[u8; 8]; W] {
    row.map(u64::to_be_bytes)
}

/// The origin of a row.
pub fn origin<const W: usize>(row: &Row<W>) -> u32 {
    // The last four bytes are meant.
    row[W - 1] as u32
}

/// Whether two rows hold one digest.
pub fn same_digest<const W: usize>(one: &Row<W>, other: &Row<W>) -> bool {
    one[..W - 1] == other[..W - 1] && one[W - 1] >> 32 == other[W - 1] >> 32
}

/// Rows in memory, of any width.
pub trait Rows: Send {
    /// Takes one more.
    fn push(&mut self, digest: &[u8], origin: u32);
    /// Bytes that one takes.
    fn width(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool;
    /// Sorts them, drops repetitions, and writes them to a new file that is on the disk when this
    /// returns; then there are none. Gives their number and the CRC-32 of the file.
    fn spill(&mut self, path: &Path) -> io::Result<(u64, u32)>;
}

impl<const W: usize> Rows for Vec<Row<W>> {
    fn push(&mut self, digest: &[u8], origin: u32) {
        if self.len() == self.capacity() {
            self.reserve_exact(STEP / (8 * W));
        }
        Vec::push(self, pack(digest, origin));
    }

    fn width(&self) -> usize {
        8 * W
    }

    fn is_empty(&self) -> bool {
        Vec::is_empty(self)
    }

    fn spill(&mut self, path: &Path) -> io::Result<(u64, u32)> {
        self.sort_unstable();
        self.dedup();
        let mut run = RunWriter::create(path)?;
        for row in self.iter() {
            run.write(row)?;
        }
        let written = run.finish()?;
        self.clear();
        Ok(written)
    }
}

/// No rows of digests of that many bytes, [`SHORTEST`] to [`LONGEST`].
pub fn rows(digest: usize) -> Box<dyn Rows> {
    match words(digest) {
        3 => Box::new(Vec::<Row<3>>::new()),
        4 => Box::new(Vec::<Row<4>>::new()),
        5 => Box::new(Vec::<Row<5>>::new()),
        6 => Box::new(Vec::<Row<6>>::new()),
        7 => Box::new(Vec::<Row<7>>::new()),
        8 => Box::new(Vec::<Row<8>>::new()),
        _ => Box::new(Vec::<Row<9>>::new()),
    }
}

/// Writes a sorted run.
pub struct RunWriter {
    file: BufWriter<File>,
    crc: Hasher,
    rows: u64,
}

impl RunWriter {
    pub fn create(path: &Path) -> io::Result<RunWriter> {
        let file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        Ok(RunWriter { file, crc: Hasher::new(), rows: 0 })
    }

    pub fn write<const W: usize>(&mut self, row: &Row<W>) -> io::Result<()> {
        let bytes = bytes(row);
        self.crc.update(bytes.as_flattened());
        self.rows += 1;
        self.file.write_all(bytes.as_flattened())
    }

    /// The number of rows and the CRC-32 of the file, which is on the disk.
    pub fn finish(self) -> io::Result<(u64, u32)> {
        self.file.into_inner()?.sync_data()?;
        Ok((self.rows, self.crc.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_sort_as_their_digests(mut digests in prop::collection::vec((any::<[u8; 20]>(), 0..3_u32), 0..50)) {
            let mut rows: Vec<Row<3>> = digests.iter().map(|(digest, origin)| pack(digest, *origin)).collect();
            rows.sort_unstable();
            digests.sort_unstable();
            for (row, (digest, from)) in rows.iter().zip(&digests) {
                let bytes = bytes(row);
                prop_assert_eq!(&bytes.as_flattened()[..20], &digest[..]);
                prop_assert_eq!(origin(row), *from);
            }
        }
    }

    #[test]
    fn widths_hold_digest_and_origin() {
        for digest in SHORTEST..=LONGEST {
            let row = rows(digest);
            assert!(row.width() >= digest + ORIGIN && row.width() < digest + ORIGIN + 8);
        }
        assert!(same_digest(&pack::<3>(&[7; 20], 1), &pack::<3>(&[7; 20], 2)));
        assert!(!same_digest(&pack::<3>(&[7; 20], 1), &pack::<3>(&[8; 20], 1)));
        assert!(!same_digest(&pack::<3>(&[7; 20], 1), &pack::<3>(&[[7; 19].as_slice(), &[6]].concat(), 1)));
    }
}
