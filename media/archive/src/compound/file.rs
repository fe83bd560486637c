//! Sectors of a compound file, and the tables that chain them.

use super::super::member::failure;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{le16, le32, read, read_some};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;
use std::sync::Arc;

/// The end of a chain.
const END: u32 = 0xffff_fffe;
/// Sectors of tables that the header names.
const NAMED: usize = 109;
/// The longest table, in sectors' numbers: a file of 2 GB in sectors of 512 bytes has as many.
const MOST: usize = 1 << 24;

/// A compound file that is open.
pub struct File {
    pub bytes: Arc<dyn Bytes>,
    /// Bytes of a sector and of a small sector, as powers of two.
    shift: u32,
    small_shift: u32,
    /// Streams of fewer bytes are in small sectors.
    cutoff: u64,
    /// The sector behind each sector, and behind each small one.
    table: Vec<u32>,
    small_table: Vec<u32>,
    /// Where the small sectors lie.
    small: Layout,
    /// The first sector of the directory.
    pub directory: u32,
}

fn wrong<T>(cause: &str) -> Result<T, Failure> {
    Err(failure(b"", format!("compound file: {cause}")))
}

impl File {
    /// Reads the header and the tables.
    pub fn open(bytes: Arc<dyn Bytes>) -> Result<File, Failure> {
        let header = read(&*bytes, 0, 512)?;
        let (shift, small_shift) = (u32::from(le16(&header, 30)), u32::from(le16(&header, 32)));
        if !matches!(shift, 9 | 12) || !(4..shift).contains(&small_shift) {
            return wrong("sectors of a size that is not one");
        }
        let mut file = File {
            bytes,
            shift,
            small_shift,
            cutoff: u64::from(le32(&header, 56)),
            table: Vec::new(),
            small_table: Vec::new(),
            small: Layout::new(0),
            directory: le32(&header, 48),
        };
        file.read_table(&header)?;
        let first = file.chain(le32(&header, 60))?;
        for sector in first {
            file.small_table.extend(file.numbers(sector)?);
        }
        let root = file.chain(file.directory)?.first().copied();
        let Some(root) = root else { return wrong("no directory") };
        let root = read(&*file.bytes, file.offset(root), 128)?;
        let size = u64::from(le32(&root, 120));
        file.small = file.sectors(le32(&root, 116), size)?;
        Ok(file)
    }

    /// Reads the table of sectors, whose own sectors the header and a chain behind it name.
    fn read_table(&mut self, header: &[u8]) -> Result<(), Failure> {
        let mut tables: Vec<u32> = (0..NAMED).map(|index| le32(header, 76 + 4 * index)).collect();
        let (mut next, most) = (le32(header, 68), self.bytes.size() >> self.shift);
        for _ in 0..most {
            if next >= END {
                break;
            }
            let mut numbers = self.numbers(next)?;
            next = numbers.pop().unwrap_or(END);
            tables.extend(numbers);
        }
        for sector in tables.into_iter().filter(|sector| *sector < END) {
            if self.table.len() >= MOST {
                return wrong("a table that is too long");
            }
            let numbers = self.numbers(sector)?;
            self.table.extend(numbers);
        }
        Ok(())
    }

    /// Where a sector begins, in bytes.
    pub fn offset(&self, sector: u32) -> u64 {
        (u64::from(sector) + 1) << self.shift
    }

    /// The bytes of a sector.
    pub fn sector(&self, sector: u32) -> Result<Vec<u8>, Failure> {
        read_some(&*self.bytes, self.offset(sector), 1 << self.shift)
    }

    fn numbers(&self, sector: u32) -> Result<Vec<u32>, Failure> {
        let raw = self.sector(sector)?;
        Ok(raw.chunks_exact(4).map(|number| le32(number, 0)).collect())
    }

    /// The sectors of a chain.
    pub fn chain(&self, first: u32) -> Result<Vec<u32>, Failure> {
        links(&self.table, first)
    }

    /// Where `size` bytes in sectors lie.
    fn sectors(&self, first: u32, size: u64) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.bytes.size().next_multiple_of(1 << self.shift) + (1 << self.shift));
        if size > 0 {
            for sector in self.chain(first)? {
                layout.push(Some(self.offset(sector)), 1 << self.shift)?;
            }
        }
        if layout.end() < size { wrong("a chain of sectors ends before its stream does") } else { Ok(layout) }
    }

    /// Where the bytes of a stream lie.
    pub fn layout(&self, first: u32, size: u64) -> Result<Layout, Failure> {
        if size >= self.cutoff {
            return self.sectors(first, size);
        }
        let mut layout = Layout::new(self.bytes.size().next_multiple_of(1 << self.shift) + (1 << self.shift));
        let sectors = if size > 0 { links(&self.small_table, first)? } else { Vec::new() };
        for sector in sectors {
            let start = u64::from(sector) << self.small_shift;
            for run in self.small.window(start, start + (1 << self.small_shift)) {
                if run.medium_offset.is_none() {
                    return wrong("a small stream leads out of the small sectors");
                }
                layout.push(run.medium_offset, run.length)?;
            }
        }
        if layout.end() < size { wrong("a chain of small sectors ends before its stream does") } else { Ok(layout) }
    }
}

/// A chain in a table.
fn links(table: &[u32], first: u32) -> Result<Vec<u32>, Failure> {
    let (mut chain, mut at) = (Vec::new(), first);
    while at < END {
        let Some(next) = table.get(at as usize) else { return wrong("a chain leads out of its table") };
        if chain.len() > table.len() {
            return wrong("a chain leads to itself");
        }
        chain.push(at);
        at = *next;
    }
    Ok(chain)
}
