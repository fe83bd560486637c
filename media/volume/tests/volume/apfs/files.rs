//! Records of files, as the tree of a volume holds them.

use super::blocks::{BLOCK, Blocks, Record, put};

pub const ROOT: u64 = 2;
pub const PRIVATE: u64 = 3;

/// Flags of files.
pub const COMPRESSED: u64 = 0x20;
pub const DATALESS: u64 = 0x4000_0000;

/// The files of a volume while they are put together.
pub struct Files {
    records: Vec<Record>,
    /// Extents, if they have a tree of their own.
    pub extents: Option<Vec<Record>>,
    is_hashed: bool,
    pub next: u64,
}

fn key(number: u64, kind: u64, rest: &[u8]) -> Vec<u8> {
    [&(number | kind << 60).to_le_bytes()[..], rest].concat()
}

/// A name with its length in front, and a zero behind.
fn counted(name: &[u8]) -> Vec<u8> {
    [&(name.len() as u16 + 1).to_le_bytes()[..], name, b"\0"].concat()
}

/// CRC-32C without the last inversion, a bit at a time.
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
    bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

impl Files {
    pub fn new(is_hashed: bool) -> Files {
        let mut files = Files { records: Vec::new(), extents: None, is_hashed, next: 16 };
        files.inode(ROOT, 1, 0o40755, b"root", None, 0);
        files.inode(PRIVATE, 1, 0o40755, b"private-dir", None, 0);
        files.name(1, b"root", ROOT, 4);
        files.name(1, b"private-dir", PRIVATE, 4);
        files
    }

    /// An inode; `stream` is size and bytes on the medium.
    pub fn inode(&mut self, number: u64, parent: u64, mode: u16, name: &[u8], stream: Option<(u64, u64)>, flags: u64) {
        let mut value = vec![0; 92];
        put(&mut value, 0, parent, 8);
        put(&mut value, 8, number, 8);
        for (index, at) in [16, 24, 32, 40].into_iter().enumerate() {
            put(&mut value, at, 1_700_000_000_000_000_000 + number * 1_000_000_007 + index as u64, 8);
        }
        let sparse = stream.filter(|(size, stored)| size.next_multiple_of(BLOCK as u64) > *stored);
        put(&mut value, 48, 0x8000 | u64::from(sparse.is_some()) << 9, 8);
        put(&mut value, 56, 1, 4);
        put(&mut value, 68, flags, 4);
        put(&mut value, 80, u64::from(mode), 2);
        let mut fields: Vec<(u8, u8, Vec<u8>)> = vec![(4, 2, [name, b"\0"].concat())];
        if let Some((size, _)) = stream {
            let numbers = [size, size.next_multiple_of(BLOCK as u64), 0, 0, 0];
            fields.push((8, 0x20, numbers.iter().flat_map(|number| number.to_le_bytes()).collect()));
        }
        if let Some((size, stored)) = sparse {
            fields.push((13, 0x28, (size - stored).to_le_bytes().to_vec()));
        }
        let used: usize = fields.iter().map(|field| field.2.len().next_multiple_of(8)).sum();
        value.extend((fields.len() as u16).to_le_bytes());
        value.extend((used as u16).to_le_bytes());
        for (kind, flags, bytes) in &fields {
            value.extend([*kind, *flags]);
            value.extend((bytes.len() as u16).to_le_bytes());
        }
        for (_, _, bytes) in &fields {
            value.extend(bytes);
            value.resize(value.len() + bytes.len().next_multiple_of(8) - bytes.len(), 0);
        }
        self.records.push((key(number, 3, b""), value));
    }

    /// A name in a directory.
    pub fn name(&mut self, parent: u64, name: &[u8], number: u64, kind: u8) {
        let rest = match self.is_hashed {
            false => counted(name),
            true => {
                // The names here are in normal form, and in ASCII where letters have two cases.
                let text = String::from_utf8_lossy(name).to_ascii_lowercase();
                let wide: Vec<u8> = text.chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
                let length = (crc32c(&wide) & 0x3f_ffff) << 10 | (name.len() as u32 + 1);
                [&length.to_le_bytes()[..], name, b"\0"].concat()
            }
        };
        let mut value = number.to_le_bytes().to_vec();
        value.extend(1_700_000_000_000_000_000_u64.to_le_bytes());
        value.extend([kind, 0]);
        self.records.push((key(parent, 9, &rest), value));
    }

    pub fn directory(&mut self, parent: u64, name: &[u8]) -> u64 {
        let number = self.take();
        self.inode(number, parent, 0o40755, name, None, 0);
        self.name(parent, name, number, 4);
        number
    }

    pub fn take(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Anything else with a name.
    pub fn special(&mut self, parent: u64, name: &[u8], mode: u16) -> u64 {
        let number = self.take();
        self.inode(number, parent, mode, name, None, 0);
        self.name(parent, name, number, (mode >> 12) as u8);
        number
    }

    /// A file of parts: bytes, or a hole of whole blocks.
    pub fn file(&mut self, blocks: &mut Blocks, parent: u64, name: &[u8], parts: &[Result<&[u8], u64>]) -> u64 {
        let number = self.take();
        let (size, stored) = self.stream(blocks, number, parts);
        let stream = (size > 0).then_some((size, stored));
        self.inode(number, parent, 0o100_644, name, stream, 0);
        self.name(parent, name, number, 8);
        number
    }

    /// The extents of a stream; its size, and bytes on the medium.
    pub fn stream(&mut self, blocks: &mut Blocks, number: u64, parts: &[Result<&[u8], u64>]) -> (u64, u64) {
        let (mut at, mut stored) = (0, 0);
        let mut size = 0;
        for part in parts {
            let (block, length, bytes) = match part {
                Ok(bytes) => {
                    let count = bytes.len().div_ceil(BLOCK);
                    let block = blocks.allocate(count);
                    blocks.write(block, bytes);
                    // A block between them keeps two runs apart.
                    blocks.allocate(1);
                    stored += (count * BLOCK) as u64;
                    (block, (count * BLOCK) as u64, bytes.len() as u64)
                }
                Err(length) => (0, *length, *length),
            };
            self.extent(number, at, length, block);
            size = at + bytes;
            at += length;
        }
        self.records.push((key(number, 6, b""), 1_u32.to_le_bytes().to_vec()));
        (size, stored)
    }

    pub fn extent(&mut self, number: u64, at: u64, length: u64, block: u64) {
        let value = [length.to_le_bytes(), block.to_le_bytes()].concat();
        match &mut self.extents {
            Some(extents) => extents.push(([number.to_le_bytes(), at.to_le_bytes()].concat(), value)),
            None => self.records.push((key(number, 8, &at.to_le_bytes()), [value, vec![0; 8]].concat())),
        }
    }

    /// An extended attribute with its value.
    pub fn attribute(&mut self, number: u64, name: &[u8], bytes: &[u8]) {
        let value = [&2_u16.to_le_bytes()[..], &(bytes.len() as u16).to_le_bytes(), bytes].concat();
        self.records.push((key(number, 4, &counted(name)), value));
    }

    /// An extended attribute whose value is a stream.
    pub fn attribute_stream(&mut self, blocks: &mut Blocks, number: u64, name: &[u8], bytes: &[u8]) {
        let stream = self.take();
        let (size, stored) = self.stream(blocks, stream, &[Ok(bytes)]);
        let mut value = [&1_u16.to_le_bytes()[..], &48_u16.to_le_bytes()].concat();
        for number in [stream, size, stored, 0, 0, 0] {
            value.extend(number.to_le_bytes());
        }
        self.records.push((key(number, 4, &counted(name)), value));
    }

    /// A compressed file: its attribute, and the resource fork if it has one.
    pub fn compressed(
        &mut self,
        blocks: &mut Blocks,
        (parent, name): (u64, &[u8]),
        (kind, size): (u32, u64),
        rest: &[u8],
        fork: Option<&[u8]>,
    ) -> u64 {
        let number = self.take();
        self.inode(number, parent, 0o100_644, name, None, COMPRESSED);
        self.name(parent, name, number, 8);
        let value = [b"fpmc", &kind.to_le_bytes()[..], &size.to_le_bytes(), rest].concat();
        self.attribute(number, b"com.apple.decmpfs", &value);
        if let Some(fork) = fork {
            self.attribute_stream(blocks, number, b"com.apple.ResourceFork", fork);
        }
        number
    }

    /// All records in order.
    pub fn sorted(&self) -> Vec<Record> {
        let mut records = self.records.clone();
        let hashed = self.is_hashed;
        records.sort_by_key(|(key, _)| {
            let number = u64::from_le_bytes(key[..8].try_into().unwrap());
            let (number, kind) = (number & !(15 << 60), number >> 60);
            let within = match kind {
                8 => u64::from_le_bytes(key[8..16].try_into().unwrap()),
                9 if hashed => u64::from(u32::from_le_bytes(key[8..12].try_into().unwrap())) & !0x3ff,
                _ => 0,
            };
            (number, kind, within, key[8..].to_vec())
        });
        records
    }
}
