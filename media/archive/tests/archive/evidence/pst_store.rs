//! Writes Outlook's stores: after Microsoft's [MS-PST] for Unicode, and for Outlook 2013 after the
//! documentation of libpff.

use super::zlib;

/// The CRC of the format, bit by bit.
pub fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

/// The layout of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Unicode,
    /// Of Outlook 2013; data that become shorter are compressed.
    Large,
}

use Layout::{Large, Unicode};

impl Layout {
    /// Bytes of a page, of all its entries, and its trailer.
    fn page(self) -> (usize, usize, usize) {
        if self == Unicode { (512, 488, 16) } else { (4096, 4056, 24) }
    }

    /// Bytes of the longest block without its trailer, of the trailer, and of the unit.
    pub fn block(self) -> (usize, usize, usize) {
        if self == Unicode { (8176, 16, 64) } else { (65512, 24, 512) }
    }
}

/// A store that is being written: blocks by number, and where they are.
pub struct Store {
    pub layout: Layout,
    pub bytes: Vec<u8>,
    /// Number, offset, length in the store, length of the content.
    pub blocks: Vec<(u64, u64, u16, u16)>,
    /// Number, data, nodes below, parent.
    pub nodes: Vec<(u32, u64, u64, u32)>,
    pages: u64,
}

impl Store {
    pub fn new(layout: Layout) -> Store {
        Store { layout, bytes: vec![0; 8192], blocks: Vec::new(), nodes: Vec::new(), pages: 1000 }
    }

    fn put(&mut self, bytes: &[u8], is_inner: bool) -> u64 {
        let packed = zlib(bytes);
        if self.layout == Large && packed.len() < bytes.len() {
            return self.put_stored(&packed, bytes.len(), is_inner);
        }
        self.put_stored(bytes, bytes.len(), is_inner)
    }

    /// A block of these bytes, which inflate to `length`.
    pub fn put_stored(&mut self, bytes: &[u8], length: usize, is_inner: bool) -> u64 {
        let id = (self.blocks.len() as u64 + 1) * 4 + if is_inner { 2 } else { 0 };
        let (_, tail, unit) = self.layout.block();
        let at = self.bytes.len().next_multiple_of(unit);
        self.bytes.resize(at, 0);
        self.blocks.push((id, at as u64, bytes.len() as u16, length as u16));
        self.bytes.extend(bytes);
        let whole = (bytes.len() + tail).next_multiple_of(unit);
        self.bytes.resize(at + whole - tail, 0);
        self.bytes.extend((bytes.len() as u16).to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend(crc(bytes).to_le_bytes());
        self.bytes.extend(id.to_le_bytes());
        if self.layout == Large {
            self.bytes.extend([2, 0]);
            self.bytes.extend((length as u32).to_le_bytes());
            self.bytes.extend([0, 0]);
        }
        id
    }

    /// A content of any length: a block, or a list of blocks.
    pub fn data(&mut self, bytes: &[u8]) -> u64 {
        self.parts(&bytes.chunks(self.layout.block().0).collect::<Vec<_>>())
    }

    /// A content in these parts.
    pub fn parts(&mut self, parts: &[&[u8]]) -> u64 {
        if let [whole] = parts {
            return self.put(whole, false);
        }
        let ids: Vec<u64> = parts.iter().map(|part| self.put(part, false)).collect();
        self.list(1, &ids, parts.iter().map(|part| part.len()).sum())
    }

    /// A list of blocks, or of lists.
    pub fn list(&mut self, level: u8, ids: &[u64], length: usize) -> u64 {
        let mut list = vec![1, level];
        list.extend((ids.len() as u16).to_le_bytes());
        list.extend((length as u32).to_le_bytes());
        list.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        self.put(&list, true)
    }

    /// The nodes below a node.
    pub fn below(&mut self, nodes: &[(u32, u64, u64)]) -> u64 {
        let mut list = vec![2, 0];
        list.extend((nodes.len() as u16).to_le_bytes());
        list.extend([0; 4]);
        for (id, data, below) in nodes {
            list.extend([u64::from(*id), *data, *below].map(u64::to_le_bytes).concat());
        }
        self.put(&list, true)
    }

    /// The nodes below a node by two lists.
    pub fn below_lists(&mut self, lists: [(u32, u64); 2]) -> u64 {
        let mut list = vec![2, 1, 2, 0, 0, 0, 0, 0];
        for (first, id) in lists {
            list.extend([u64::from(first), id].map(u64::to_le_bytes).concat());
        }
        self.put(&list, true)
    }

    /// A tree: its pages, and number and offset of its root.
    fn tree(&mut self, kind: u8, width: usize, entries: &[Vec<u8>]) -> (u64, u64) {
        let (mut level, mut width, mut entries) = (0, width, entries.to_vec());
        loop {
            let pages: Vec<Vec<u8>> = (entries.chunks(self.layout.page().1 / width))
                .map(|chunk| {
                    let (id, at) = self.page(kind, (level, width), chunk);
                    [&chunk[0][..8], &id.to_le_bytes(), &at.to_le_bytes()].concat()
                })
                .collect();
            if let [root] = &pages[..] {
                let number = |at: usize| u64::from_le_bytes(root[at..at + 8].try_into().expect("eight bytes"));
                return (number(8), number(16));
            }
            (level, width, entries) = (level + 1, 24, pages);
        }
    }

    fn page(&mut self, kind: u8, (level, width): (u8, usize), entries: &[Vec<u8>]) -> (u64, u64) {
        let (size, all, tail) = self.layout.page();
        self.bytes.resize(self.bytes.len().next_multiple_of(size), 0);
        self.pages += 1;
        let (at, id) = (self.bytes.len() as u64, self.pages);
        let mut page = entries.concat();
        page.resize(all, 0);
        let (count, most) = (entries.len() as u16, (all / width) as u16);
        match self.layout {
            Unicode => page.extend([count as u8, most as u8, width as u8, level]),
            Large => page.extend([&count.to_le_bytes()[..], &most.to_le_bytes(), &[width as u8, level]].concat()),
        }
        page.resize(size - tail, 0);
        let sum = crc(&page);
        page.extend([kind, kind, 0, 0]);
        page.extend(sum.to_le_bytes());
        page.extend(id.to_le_bytes());
        page.resize(size, 0);
        self.bytes.extend(page);
        (id, at)
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.nodes.sort();
        let nodes: Vec<Vec<u8>> = (self.nodes.iter())
            .map(|(id, data, below, parent)| {
                [u64::from(*id), *data, *below, u64::from(*parent)].map(u64::to_le_bytes).concat()
            })
            .collect();
        let blocks: Vec<Vec<u8>> = (self.blocks.iter())
            .map(|(id, at, stored, length)| {
                let lengths = match self.layout {
                    Unicode => [*stored, 2, 0, 0],
                    Large => [*stored, *length, 2, 0],
                };
                [&id.to_le_bytes()[..], &at.to_le_bytes(), &lengths.map(u16::to_le_bytes).concat()].concat()
            })
            .collect();
        let (nodes, blocks) = (self.tree(0x81, 32, &nodes), self.tree(0x80, 24, &blocks));
        let mut head = b"!BDN\0\0\0\0".to_vec();
        match self.layout {
            Unicode => head.extend(b"SM\x17\0"),
            Large => head.extend(b"SO\x24\0"),
        }
        head.resize(564, 0);
        for (at, (id, place)) in [(216, nodes), (232, blocks)] {
            head[at..at + 16].copy_from_slice(&[id, place].map(u64::to_le_bytes).concat());
        }
        seal(&mut head);
        self.bytes[..564].copy_from_slice(&head);
        self.bytes
    }
}

/// Sets the two CRCs of a header.
fn seal(head: &mut [u8]) {
    for (place, range) in [(4, 8..479), (524, 8..524)] {
        let sum = crc(&head[range]);
        head[place..place + 4].copy_from_slice(&sum.to_le_bytes());
    }
}

/// A value of a property.
pub enum Value<'a> {
    Number(u32),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// The data of a node below.
    Node(u16, u32),
    /// An object in a node below.
    Object(u32),
}

/// A heap of properties, in its blocks.
pub fn heap(layout: Layout, values: &[(u16, Value)]) -> Vec<Vec<u8>> {
    let (longest, shift) = if layout == Unicode { (8176, 16) } else { (65512, 19) };
    // The tree of properties is the second piece, and is written last.
    let mut blocks = vec![vec![vec![0; 8], vec![0; values.len() * 8]]];
    let mut tree = Vec::new();
    for (property, value) in values {
        let mut piece = |bytes: Vec<u8>| {
            let last = blocks.last().expect("a block");
            if last.iter().map(|piece| piece.len() + 2).sum::<usize>() + bytes.len() + 64 > longest {
                blocks.push(Vec::new());
            }
            let block = blocks.len() - 1;
            blocks[block].push(bytes);
            (block as u32) << shift | (blocks[block].len() as u32) << 5
        };
        let (kind, value) = match value {
            Value::Number(number) => (3, *number),
            Value::Text(text) => (0x1f, piece(text.encode_utf16().flat_map(u16::to_le_bytes).collect())),
            Value::Bytes(bytes) => (0x102, piece(bytes.to_vec())),
            Value::Node(kind, id) => (*kind, *id),
            Value::Object(id) => (0x0d, piece([*id, 0].map(u32::to_le_bytes).concat())),
        };
        tree.extend([&property.to_le_bytes()[..], &u16::to_le_bytes(kind), &value.to_le_bytes()].concat());
    }
    blocks[0][0] = [&[0xb5, 2, 6, 0][..], &0x40_u32.to_le_bytes()].concat();
    blocks[0][1] = tree;
    let mut found = Vec::new();
    for pieces in blocks {
        let mut block = if found.is_empty() { vec![0, 0, 0xec, 0xbc, 0x20, 0, 0, 0, 0, 0, 0, 0] } else { vec![0, 0] };
        let mut ends = vec![block.len() as u16];
        for piece in pieces {
            block.extend(piece);
            ends.push(block.len() as u16);
        }
        let map = block.len() as u16;
        block[..2].copy_from_slice(&map.to_le_bytes());
        block.extend((ends.len() as u16 - 1).to_le_bytes());
        block.extend([0, 0]);
        block.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
        found.push(block);
    }
    found
}

impl Store {
    /// The properties of a node, as its data.
    pub fn properties(&mut self, values: &[(u16, Value)]) -> u64 {
        let blocks = heap(self.layout, values);
        self.parts(&blocks.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}
