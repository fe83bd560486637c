//! The memory of PPMd's model: text from its start on, and above it units of 12 bytes, which are
//! handed out in blocks of certain sizes and taken back. Places are offsets; 0 is none.

use std::io;

/// Bytes of a unit: one context, or two states.
pub const UNIT: u32 = 12;
/// Bytes of a state: symbol, frequency, successor.
pub const STATE: u32 = 6;
/// The number of sizes of blocks.
const SIZES: usize = 38;

/// The memory, with the lists of its free blocks and the ends of its areas.
pub struct Store {
    bytes: Vec<u8>,
    /// Units of each size of block, and the size for each count of units less one.
    units: [u8; SIZES],
    sizes: [u8; 128],
    free: [u32; SIZES],
    glue: u32,
    low: u32,
    high: u32,
    /// Where the text ends, and where units begin.
    pub text: u32,
    pub start: u32,
}

impl Store {
    /// A memory of that many bytes.
    ///
    /// # Errors
    /// When there is not as much memory.
    pub fn new(size: usize) -> io::Result<Store> {
        let mut bytes = Vec::new();
        // Offset 0 is not used; units behind the text stand at offsets that 4 divides.
        bytes.try_reserve_exact(size + UNIT as usize).map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(size + UNIT as usize, 0);
        let (mut units, mut sizes, mut count) = ([0; SIZES], [0; 128], 0_usize);
        for (size, units) in units.iter_mut().enumerate() {
            for _ in 0..if size < 12 { size / 4 + 1 } else { 4 } {
                sizes[count] = size as u8;
                count += 1;
            }
            *units = count as u8;
        }
        let mut store = Store { bytes, units, sizes, free: [0; SIZES], glue: 0, low: 0, high: 0, text: 0, start: 0 };
        store.clear();
        Ok(store)
    }

    /// Takes everything back.
    pub fn clear(&mut self) {
        let size = self.bytes.len() as u32 - UNIT;
        self.free = [0; SIZES];
        self.text = UNIT;
        self.high = self.text + size;
        self.start = self.high - size / 8 / UNIT * 7 * UNIT;
        self.low = self.start;
        self.glue = 0;
    }

    /// A byte.
    pub fn byte(&self, at: u32) -> u8 {
        self.bytes[at as usize]
    }

    /// Sets a byte.
    pub fn set_byte(&mut self, at: u32, value: u8) {
        self.bytes[at as usize] = value;
    }

    /// Two bytes.
    pub fn half(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]))
    }

    /// Sets two bytes.
    pub fn set_half(&mut self, at: u32, value: u32) {
        self.bytes[at as usize..at as usize + 2].copy_from_slice(&(value as u16).to_le_bytes());
    }

    /// Four bytes.
    pub fn word(&self, at: u32) -> u32 {
        let bytes = &self.bytes[at as usize..at as usize + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Sets four bytes.
    pub fn set_word(&mut self, at: u32, value: u32) {
        self.bytes[at as usize..at as usize + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// The bytes from there on.
    pub fn range(&self, at: u32, length: u32) -> &[u8] {
        &self.bytes[at as usize..(at + length) as usize]
    }

    /// Copies bytes to another place.
    pub fn copy(&mut self, from: u32, to: u32, length: u32) {
        self.bytes.copy_within(from as usize..(from + length) as usize, to as usize);
    }

    /// Exchanges two states.
    pub fn swap(&mut self, one: u32, other: u32) {
        for at in 0..STATE {
            self.bytes.swap((one + at) as usize, (other + at) as usize);
        }
    }

    fn insert(&mut self, block: u32, size: usize) {
        self.set_word(block, self.free[size]);
        self.free[size] = block;
    }

    fn remove(&mut self, size: usize) -> u32 {
        let block = self.free[size];
        self.free[size] = self.word(block);
        block
    }

    /// Takes back units behind a block's first ones, as one or two blocks.
    fn give(&mut self, at: u32, count: u32) {
        let mut size = usize::from(self.sizes[count as usize - 1]);
        if u32::from(self.units[size]) != count {
            size -= 1;
            let first = u32::from(self.units[size]);
            self.insert(at + first * UNIT, (count - first - 1) as usize);
        }
        self.insert(at, size);
    }

    /// Joins free blocks that lie side by side. A free block is marked by a zero where contexts and
    /// states have none.
    fn join(&mut self) {
        self.glue = 255;
        if self.low != self.high {
            self.set_half(self.low, 1);
        }
        let mut list = 0;
        for size in 0..SIZES {
            let mut next = std::mem::take(&mut self.free[size]);
            while next != 0 {
                let block = next;
                next = self.word(block);
                self.set_half(block, 0);
                self.set_half(block + 2, self.units[size].into());
                self.set_word(block + 4, list);
                list = block;
            }
        }
        let (mut before, mut next) = (0, list);
        while next != 0 {
            let block = next;
            let mut count = self.half(block + 2);
            next = self.word(block + 4);
            if count == 0 {
                match before {
                    0 => list = next,
                    _ => self.set_word(before + 4, next),
                }
                continue;
            }
            before = block;
            loop {
                let neighbour = block + count * UNIT;
                if neighbour as usize + 4 > self.bytes.len() {
                    break;
                }
                count += self.half(neighbour + 2);
                if self.half(neighbour) != 0 || count >= 0x10000 {
                    break;
                }
                self.set_half(block + 2, count);
                self.set_half(neighbour + 2, 0);
            }
        }
        while list != 0 {
            let mut block = list;
            let mut count = self.half(block + 2);
            list = self.word(block + 4);
            while count > 128 {
                self.insert(block, SIZES - 1);
                count -= 128;
                block += 128 * UNIT;
            }
            if count > 0 {
                self.give(block, count);
            }
        }
    }

    fn rare(&mut self, size: usize) -> Option<u32> {
        if self.glue == 0 {
            self.join();
            if self.free[size] != 0 {
                return Some(self.remove(size));
            }
        }
        let Some(larger) = (size + 1..SIZES).find(|size| self.free[*size] != 0) else {
            let length = u32::from(self.units[size]) * UNIT;
            self.glue -= 1;
            if self.start - self.text <= length {
                return None;
            }
            self.start -= length;
            return Some(self.start);
        };
        let block = self.remove(larger);
        let (had, wanted) = (u32::from(self.units[larger]), u32::from(self.units[size]));
        self.give(block + wanted * UNIT, had - wanted);
        Some(block)
    }

    /// A block of that size.
    fn block(&mut self, size: usize) -> Option<u32> {
        if self.free[size] != 0 {
            return Some(self.remove(size));
        }
        let length = u32::from(self.units[size]) * UNIT;
        if self.high - self.low >= length {
            self.low += length;
            return Some(self.low - length);
        }
        self.rare(size)
    }

    /// A block for `count` units; `None` when the memory is used up.
    pub fn take(&mut self, count: u32) -> Option<u32> {
        self.block(usize::from(self.sizes[count as usize - 1]))
    }

    /// One unit for a context, from the upper end.
    pub fn context(&mut self) -> Option<u32> {
        if self.high != self.low {
            self.high -= UNIT;
            return Some(self.high);
        }
        if self.free[0] != 0 { Some(self.remove(0)) } else { self.rare(0) }
    }

    /// The place of a block that is to have one unit more.
    pub fn grow(&mut self, block: u32, count: u32) -> Option<u32> {
        let (now, then) = (self.sizes[count as usize - 1], self.sizes[count as usize]);
        if now == then {
            return Some(block);
        }
        let larger = self.block(usize::from(now) + 1)?;
        self.copy(block, larger, count * UNIT);
        self.insert(block, now.into());
        Some(larger)
    }

    /// The place of a block that is to have fewer units.
    pub fn shrink(&mut self, block: u32, before: u32, after: u32) -> u32 {
        let (large, small) = (self.sizes[before as usize - 1].into(), usize::from(self.sizes[after as usize - 1]));
        if large == small {
            return block;
        }
        if self.free[small] != 0 {
            let place = self.remove(small);
            self.copy(block, place, after * UNIT);
            self.insert(block, large);
            return place;
        }
        let (had, keeps) = (u32::from(self.units[large]), u32::from(self.units[small]));
        self.give(block + keeps * UNIT, had - keeps);
        block
    }

    /// Takes back a block of `count` units.
    pub fn drop(&mut self, block: u32, count: u32) {
        self.insert(block, self.sizes[count as usize - 1].into());
    }
}
