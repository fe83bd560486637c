//! Makes shadow copies, after the specification: a catalogue, and a store for each copy.

/// Bytes of a block.
pub const BLOCK: u64 = 16 << 10;
/// The first bytes of each structure.
const GUID: &[u8] = b"\x6b\x87\x08\x38\x76\xc1\x48\x4e\xb7\xae\x04\x04\x6e\x6c\xc7\x52";

/// A descriptor of a store, by the numbers of blocks.
pub enum Block {
    /// The bytes that a block held.
    Kept { of: u64, bytes: Vec<u8> },
    /// The bytes that a block held are in another block of the state that came next.
    Forward { of: u64, to: u64 },
    /// Some sectors of a block.
    Overlay { of: u64, bytes: Vec<u8>, sectors: u32 },
    /// One that is not used.
    Unused { of: u64 },
}

/// A shadow copy.
pub struct Copy {
    /// A byte of its GUIDs.
    pub id: u8,
    /// A number that grows from copy to copy.
    pub sequence: u64,
    /// When it was made, in units of 100 ns since 1601.
    pub created: u64,
    pub blocks: Vec<Block>,
    /// Numbers of blocks that were free.
    pub free: Vec<u64>,
    /// The same for the store before.
    pub free_before: Option<Vec<u64>>,
}

/// A copy that keeps these blocks.
pub fn copy(number: u8, blocks: Vec<Block>) -> Copy {
    let (sequence, created) = (u64::from(number), 131_000_000_000_000_000 + u64::from(number) * 10_000_000);
    Copy { id: number, sequence, created, blocks, free: Vec::new(), free_before: None }
}

/// The blocks in front of `end` that a later state has not as an older one had them.
pub fn differences(older: &[u8], newer: &[u8], end: u64) -> Vec<Block> {
    let size = BLOCK as usize;
    (0..end / BLOCK)
        .filter(|of| older[*of as usize * size..][..size] != newer[*of as usize * size..][..size])
        .map(|of| Block::Kept { of, bytes: older[of as usize * size..][..size].to_vec() })
        .collect()
}

fn put(raw: &mut [u8], at: u64, value: u64) {
    raw[at as usize..][..8].copy_from_slice(&value.to_le_bytes());
}

/// Writes from `area` on.
struct Writer<'a> {
    volume: &'a mut [u8],
    next: u64,
}

impl Writer<'_> {
    /// Room for this many blocks.
    fn take(&mut self, blocks: u64) -> u64 {
        let at = self.next;
        self.next += blocks * BLOCK;
        assert!(self.next <= self.volume.len() as u64, "no room for the stores");
        at
    }

    fn head(&mut self, at: u64, kind: u32, relative: u64, next: u64) {
        let raw = &mut self.volume[at as usize..];
        raw[..16].copy_from_slice(GUID);
        raw[16..20].copy_from_slice(&1_u32.to_le_bytes());
        raw[20..24].copy_from_slice(&kind.to_le_bytes());
        for (place, value) in [(24, relative), (32, at), (40, next)] {
            put(raw, place, value);
        }
    }

    /// A list of blocks of one kind with these bytes in them, from the block at `start` on.
    fn list(&mut self, kind: u32, start: u64, bytes: &[u8]) -> u64 {
        let parts: Vec<&[u8]> = bytes.chunks(BLOCK as usize - 128).collect();
        let first = self.take(parts.len().max(1) as u64);
        for number in 0..parts.len().max(1) {
            let at = first + number as u64 * BLOCK;
            let next = if number + 1 < parts.len() { at + BLOCK } else { 0 };
            self.head(at, kind, at - start, next);
            if let Some(part) = parts.get(number) {
                self.volume[at as usize + 128..][..part.len()].copy_from_slice(part);
            }
        }
        first
    }

    fn bitmap(&mut self, start: u64, free: &[u64]) -> u64 {
        let mut bits = vec![0; (self.volume.len() as u64).div_ceil(BLOCK).div_ceil(8) as usize];
        for number in free {
            bits[(number / 8) as usize] |= 1 << (number % 8);
        }
        self.list(6, start, &bits)
    }

    fn descriptors(&mut self, start: u64, blocks: &[Block]) -> Vec<u8> {
        let mut list = Vec::new();
        for block in blocks {
            let kept = |writer: &mut Self, bytes: &[u8]| {
                let at = writer.take(1);
                writer.volume[at as usize..][..bytes.len()].copy_from_slice(bytes);
                at
            };
            let (of, relative, store, flags, sectors) = match block {
                Block::Kept { of, bytes } => {
                    let at = kept(self, bytes);
                    (*of, at - start, at, 0_u32, 0_u32)
                }
                Block::Forward { of, to } => (*of, to * BLOCK, 0, 1, 0),
                Block::Overlay { of, bytes, sectors } => {
                    let at = kept(self, bytes);
                    (*of, at - start, at, 2, *sectors)
                }
                Block::Unused { of } => (*of, 0, BLOCK, 4, 0),
            };
            list.extend([of * BLOCK, relative, store].map(u64::to_le_bytes).concat());
            list.extend([flags, sectors].map(u32::to_le_bytes).concat());
        }
        list
    }

    /// A store; the entry of the catalogue that leads to it.
    fn store(&mut self, copy: &Copy) -> Vec<u8> {
        let start = self.take(1);
        self.head(start, 4, 0, 0);
        let about = &mut self.volume[start as usize..];
        put(about, 48, 128);
        about[128 + 16..128 + 32].fill(copy.id);
        about[128 + 32..128 + 48].fill(copy.id | 0x80);
        let list = self.descriptors(start, &copy.blocks);
        let blocks = self.list(3, start, &list);
        let ranges = self.list(5, start, &[]);
        let bitmap = self.bitmap(start, &copy.free);
        let previous = copy.free_before.as_ref().map_or(0, |free| self.bitmap(start, free));
        let mut entry = vec![0; 128];
        entry[16..32].fill(copy.id);
        for (at, value) in [(0, 3), (8, blocks), (32, start), (40, ranges), (48, bitmap), (72, previous)] {
            put(&mut entry, at, value);
        }
        entry
    }
}

/// Writes a header into the boot area of a volume, and from `area` on the catalogue and the stores
/// of its copies. Nothing else may be there.
pub fn shadow(volume: &mut [u8], area: u64, copies: &[Copy]) {
    let size = volume.len() as u64;
    let mut writer = Writer { volume, next: area };
    let mut entries = Vec::new();
    // Neither the copies nor their entries are in order.
    for copy in copies.iter().rev() {
        let mut entry = vec![0; 128];
        entry[16..32].fill(copy.id);
        for (at, value) in [(0, 2), (8, size), (32, copy.sequence), (48, copy.created)] {
            put(&mut entry, at, value);
        }
        let store = writer.store(copy);
        entries.extend([store, entry].concat());
    }
    let catalogue = writer.list(2, writer.next, &entries);
    let header = &mut volume[0x1e00..0x2000];
    header.fill(0);
    header[..16].copy_from_slice(GUID);
    header[16] = 1;
    header[20] = 1;
    put(header, 24, 0x1e00);
    put(header, 32, 0x1e00);
    put(header, 48, catalogue);
}
