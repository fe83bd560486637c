//! Writes a container: blocks with checksums, and B-trees over them. By Apple's reference alone: no
//! constant is shared with the reader.

pub const BLOCK: usize = 4096;

/// Storage of an object, among the flags of its type.
pub const VIRTUAL: u32 = 0;
pub const PHYSICAL: u32 = 0x4000_0000;
pub const EPHEMERAL: u32 = 0x8000_0000;

/// Puts a number at a place.
pub fn put(block: &mut [u8], at: usize, number: u64, size: usize) {
    block[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
}

/// Blocks that are written one behind the other.
#[derive(Default)]
pub struct Blocks(pub Vec<u8>);

impl Blocks {
    pub fn count(&self) -> u64 {
        (self.0.len() / BLOCK) as u64
    }

    /// Room for `count` blocks; where they begin.
    pub fn allocate(&mut self, count: usize) -> u64 {
        let at = self.count();
        self.0.resize(self.0.len() + count * BLOCK, 0);
        at
    }

    pub fn write(&mut self, block: u64, bytes: &[u8]) {
        let at = block as usize * BLOCK;
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes an object: number, transaction, type and subtype, and the checksum.
    pub fn object(&mut self, block: u64, mut body: Vec<u8>, header: (u64, u64, u32, u32)) {
        body.resize(BLOCK, 0);
        let (number, transaction, kind, subtype) = header;
        put(&mut body, 8, number, 8);
        put(&mut body, 16, transaction, 8);
        put(&mut body, 24, u64::from(kind), 4);
        put(&mut body, 28, u64::from(subtype), 4);
        seal(&mut body);
        self.write(block, &body);
    }
}

/// Makes the checksum of a block hold, word by word.
pub fn seal(block: &mut [u8]) {
    let modulus = u64::from(u32::MAX);
    let (mut one, mut two) = (0_u64, 0_u64);
    for word in block[8..].chunks(4) {
        one = (one + u64::from(u32::from_le_bytes(word.try_into().unwrap()))) % modulus;
        two = (two + one) % modulus;
    }
    let low = modulus - (one + two) % modulus;
    let high = modulus - (one + low) % modulus;
    put(block, 0, low, 4);
    put(block, 4, high, 4);
}

/// Key and value.
pub type Record = (Vec<u8>, Vec<u8>);

/// A tree that is to be written.
pub struct Tree {
    pub subtype: u32,
    pub storage: u32,
    /// Bytes of keys and values, if these are always the same.
    pub fixed: Option<(u16, u16)>,
    /// Whether nodes have no headers, and parents the hashes of their children.
    pub is_sealed: bool,
    pub transaction: u64,
}

impl Tree {
    /// Writes a tree over the records, which are in order, and returns the number of its root.
    /// `numbers` gives each node its number by its block; that of the root comes last, and will be
    /// `first` where the others count from it.
    pub fn write(
        &self,
        blocks: &mut Blocks,
        records: &[Record],
        first: u64,
        numbers: &mut dyn FnMut(u64, bool) -> u64,
    ) -> u64 {
        let (mut level, mut nodes) = (0, records.to_vec());
        loop {
            let groups = self.groups(&nodes, level);
            let is_root = groups.len() == 1;
            let mut above = Vec::new();
            for group in groups {
                let block = blocks.allocate(1);
                let number = if self.storage == PHYSICAL { block } else { numbers(block, is_root) };
                let body = self.node(group, level, is_root.then_some(records.len()));
                let kind = if is_root { 2 } else { 3 };
                match self.is_sealed {
                    true => blocks.write(block, &body),
                    false => {
                        let header = (number, self.transaction, kind | self.storage, self.subtype);
                        blocks.object(block, body, header);
                    }
                }
                if is_root {
                    return number;
                }
                // Of sealed trees numbers count from that of the root, which is taken first.
                let counted = if self.is_sealed { number - first } else { number };
                let mut value = counted.to_le_bytes().to_vec();
                if self.is_sealed {
                    value.extend([0xa5; 32]);
                }
                above.push((group.first().unwrap().0.clone(), value));
            }
            (nodes, level) = (above, level + 1);
        }
    }

    /// The records of each node.
    fn groups<'a>(&self, records: &'a [Record], _: u16) -> Vec<&'a [Record]> {
        let (mut groups, mut start, mut used) = (Vec::new(), 0, 0);
        for (index, (key, value)) in records.iter().enumerate() {
            let size = key.len() + value.len() + 8;
            if used + size > BLOCK - 56 - 40 - 64 {
                groups.push(&records[start..index]);
                (start, used) = (index, 0);
            }
            used += size;
        }
        groups.push(&records[start..]);
        groups
    }

    fn node(&self, records: &[Record], level: u16, root: Option<usize>) -> Vec<u8> {
        let mut body = vec![0; BLOCK];
        let fixed = self.fixed.is_some();
        let flags = u64::from(root.is_some()) | u64::from(level == 0) << 1 | u64::from(fixed) << 2;
        // A hashed node is an inner one.
        let sealed = if self.is_sealed { 16 | u64::from(level > 0) << 3 } else { 0 };
        put(&mut body, 32, flags | sealed, 2);
        put(&mut body, 34, u64::from(level), 2);
        put(&mut body, 36, records.len() as u64, 4);
        let each = if fixed { 4 } else { 8 };
        // With some room behind the table, as there always is.
        let table = records.len() * each + 32;
        put(&mut body, 42, table as u64, 2);
        let (keys, mut end) = (56 + table, BLOCK);
        if let Some(count) = root {
            end -= 40;
            let (key, value) = self.fixed.unwrap_or_default();
            let storage = (u64::from(self.storage == PHYSICAL) << 4) | (u64::from(self.is_sealed) * 0x180);
            for (at, number, size) in [
                (0, storage, 4),
                (4, BLOCK as u64, 4),
                (8, u64::from(key), 4),
                (12, u64::from(value), 4),
                (24, count as u64, 8),
            ] {
                put(&mut body, end + at, number, size);
            }
        }
        let (mut key_at, mut value_back) = (0, 0);
        for (index, (key, value)) in records.iter().enumerate() {
            value_back += value.len();
            let slot = 56 + index * each;
            put(&mut body, slot, key_at as u64, 2);
            match fixed {
                true => put(&mut body, slot + 2, value_back as u64, 2),
                false => {
                    put(&mut body, slot + 2, key.len() as u64, 2);
                    put(&mut body, slot + 4, value_back as u64, 2);
                    put(&mut body, slot + 6, value.len() as u64, 2);
                }
            }
            body[keys + key_at..][..key.len()].copy_from_slice(key);
            body[end - value_back..][..value.len()].copy_from_slice(value);
            key_at += key.len();
        }
        let free = (key_at, end - value_back - keys - key_at);
        put(&mut body, 44, free.0 as u64, 2);
        put(&mut body, 46, free.1 as u64, 2);
        put(&mut body, 48, 0xffff, 4);
        put(&mut body, 52, 0xffff, 4);
        body
    }
}
