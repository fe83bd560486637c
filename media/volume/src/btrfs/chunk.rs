//! Chunks: ranges of logical places, and the stripes of devices that they are made of.

use pfh_bytes::field::{array, le16, le64};

/// Types of chunks.
const RAID0: u64 = 0x08;
const RAID1: u64 = 0x10;
const DUP: u64 = 0x20;
const RAID10: u64 = 0x40;
const RAID5: u64 = 0x80;
const RAID6: u64 = 0x100;
const RAID1C3: u64 = 0x200;
const RAID1C4: u64 = 0x400;
const PROFILES: u64 = RAID0 | RAID1 | DUP | RAID10 | RAID5 | RAID6 | RAID1C3 | RAID1C4;

/// Bytes of a stripe's part before the next stripe's: always this number.
const PART: u64 = 65_536;
/// Bytes in front of the stripes, and of each.
const HEAD: usize = 48;
const STRIPE: usize = 32;

/// A range of a device.
#[derive(Debug, Clone, Copy)]
pub struct Stripe {
    pub device: u64,
    pub offset: u64,
    pub uuid: [u8; 16],
}

/// How stripes make up a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Each stripe is the whole chunk.
    Copies,
    /// Parts go round groups of this many stripes with the same bytes.
    Striped(u64),
    /// Parts go round, and this many of each row are parity.
    Parity(u64),
}

/// A chunk.
#[derive(Debug, Clone)]
pub struct Chunk {
    pub logical: u64,
    pub length: u64,
    pub profile: Profile,
    pub stripes: Vec<Stripe>,
}

/// A place in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The first stripe that it is on.
    pub stripe: usize,
    /// How many stripes from there have the same bytes.
    pub copies: usize,
    /// Where it is in the stripe.
    pub offset: u64,
    /// Bytes up to where another place begins.
    pub left: u64,
    /// The row of parts, and which one of it this is.
    pub row: u64,
    pub column: u64,
}

impl Chunk {
    /// The chunk of an item, and how many bytes the item has.
    pub fn new(logical: u64, raw: &[u8]) -> Result<(Chunk, usize), String> {
        let (length, part, kind) = (le64(raw, 0), le64(raw, 16), le64(raw, 24));
        let (count, sub) = (u64::from(le16(raw, 44)), u64::from(le16(raw, 46)));
        let size = HEAD + STRIPE * count as usize;
        let rows = raw.get(HEAD..size).ok_or("a chunk of more stripes than it lists")?;
        let stripe = |row: &[u8]| Stripe { device: le64(row, 0), offset: le64(row, 8), uuid: array(row, 16) };
        let stripes: Vec<Stripe> = rows.chunks_exact(STRIPE).map(stripe).collect();
        if length == 0 || logical.checked_add(length).is_none() || count == 0 {
            return Err("a chunk without bytes or stripes".to_owned());
        }
        let profile = match kind & PROFILES {
            0 if count == 1 => Profile::Copies,
            DUP | RAID1 | RAID1C3 | RAID1C4 => Profile::Copies,
            RAID0 => Profile::Striped(1),
            RAID10 if sub > 0 && count.is_multiple_of(sub) => Profile::Striped(sub),
            RAID5 if count > 1 => Profile::Parity(1),
            RAID6 if count > 2 => Profile::Parity(2),
            other => return Err(format!("a chunk of the profile {other:#x} with {count} stripes")),
        };
        if profile != Profile::Copies && part != PART {
            return Err(format!("a chunk in parts of {part} bytes"));
        }
        Ok((Chunk { logical, length, profile, stripes }, size))
    }

    /// Where the chunk ends.
    pub fn end(&self) -> u64 {
        self.logical + self.length
    }

    /// Stripes with bytes of their own.
    pub fn columns(&self) -> u64 {
        let count = self.stripes.len() as u64;
        match self.profile {
            Profile::Copies => 1,
            Profile::Striped(sub) => count / sub,
            Profile::Parity(parity) => count - parity,
        }
    }

    /// Bytes of each stripe.
    pub fn stripe_length(&self) -> u64 {
        match self.profile {
            Profile::Copies => self.length,
            _ => self.length.div_ceil(self.columns() * PART) * PART,
        }
    }

    /// Where a logical place in it lies.
    pub fn part(&self, logical: u64) -> Part {
        let at = logical - self.logical;
        let (number, within) = (at / PART, at % PART);
        let columns = self.columns();
        let (row, column) = (number / columns, number % columns);
        let left = (PART - within).min(self.length - at);
        let offset = row * PART + within;
        match self.profile {
            Profile::Copies => {
                let copies = self.stripes.len();
                Part { stripe: 0, copies, offset: at, left: self.length - at, row: 0, column: 0 }
            }
            Profile::Striped(sub) => {
                Part { stripe: (column * sub) as usize, copies: sub as usize, offset, left, row, column }
            }
            Profile::Parity(_) => Part { stripe: self.turned(row, column), copies: 1, offset, left, row, column },
        }
    }

    /// The stripe of a column in a row of parity: all move on by one from row to row. Parity stands
    /// behind the columns with bytes.
    pub fn turned(&self, row: u64, column: u64) -> usize {
        ((row % self.stripes.len() as u64 + column) % self.stripes.len() as u64) as usize
    }

    /// In how many ways the bytes of a place can be had.
    pub fn ways(&self) -> usize {
        match self.profile {
            Profile::Copies => self.stripes.len(),
            Profile::Striped(sub) => sub as usize,
            Profile::Parity(1) => 2,
            Profile::Parity(_) => 3 + (self.columns() as usize - 1).min(MOST_PAIRS),
        }
    }
}

/// The most columns that are taken for damaged beside another.
const MOST_PAIRS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(kind: u64, count: u16, sub: u16) -> Result<Chunk, String> {
        let mut raw = vec![0; HEAD + STRIPE * usize::from(count)];
        raw[..8].copy_from_slice(&(1_u64 << 20).to_le_bytes());
        raw[16..24].copy_from_slice(&PART.to_le_bytes());
        raw[24..32].copy_from_slice(&kind.to_le_bytes());
        raw[44..46].copy_from_slice(&count.to_le_bytes());
        raw[46..48].copy_from_slice(&sub.to_le_bytes());
        Chunk::new(1 << 30, &raw).map(|(chunk, _)| chunk)
    }

    #[test]
    fn parts_go_round() {
        let place = |chunk: &Chunk, number: u64| {
            let part = chunk.part((1 << 30) + number * PART + 5);
            (part.stripe, part.copies, part.offset)
        };
        let striped = chunk(1 | RAID0, 3, 1).unwrap();
        assert_eq!([0, 1, 2, 3].map(|at| place(&striped, at).0), [0, 1, 2, 0]);
        let both = chunk(1 | RAID10, 4, 2).unwrap();
        assert_eq!((place(&both, 1), place(&both, 2)), ((2, 2, 5), (0, 2, PART + 5)));
        let parity = chunk(1 | RAID5, 3, 1).unwrap();
        // Rows of two; parity is on stripes 2, 0, 1.
        assert_eq!([0, 1, 2, 3, 4, 5].map(|at| place(&parity, at).0), [0, 1, 1, 2, 2, 0]);
        assert_eq!((parity.turned(0, 2), parity.turned(1, 2), parity.turned(2, 2)), (2, 0, 1));
        assert_eq!(chunk(1 | DUP, 2, 1).unwrap().part((1 << 30) + 9).left, (1 << 20) - 9);
        for (kind, count, sub) in [(1, 2, 1), (1, 0, 1), (RAID10, 3, 2), (RAID10, 4, 0), (RAID6, 2, 1), (0x18, 2, 1)] {
            chunk(kind, count, sub).unwrap_err();
        }
    }
}
