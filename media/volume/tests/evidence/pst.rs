//! Outlook's stores, after Microsoft's [MS-PST]: its layout for Unicode.

use super::{faults, files, noise};

/// The CRC of the format, bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 })
    })
}

/// A store that is being written: blocks by number, and where they are.
#[derive(Default)]
struct Store {
    bytes: Vec<u8>,
    /// Number, offset, length.
    blocks: Vec<(u64, u64, u16)>,
    /// Number, data, nodes below, parent.
    nodes: Vec<(u32, u64, u64, u32)>,
}

impl Store {
    fn put(&mut self, bytes: &[u8], is_inner: bool) -> u64 {
        let id = (self.blocks.len() as u64 + 1) * 4 + if is_inner { 2 } else { 0 };
        let at = self.bytes.len() as u64;
        self.blocks.push((id, at, bytes.len() as u16));
        self.bytes.extend(bytes);
        let whole = (bytes.len() + 16).next_multiple_of(64);
        self.bytes.resize(at as usize + whole - 16, 0);
        self.bytes.extend((bytes.len() as u16).to_le_bytes());
        self.bytes.extend([0, 0]);
        self.bytes.extend(crc(bytes).to_le_bytes());
        self.bytes.extend(id.to_le_bytes());
        id
    }

    /// A content of any length: a block, or a list of blocks.
    fn data(&mut self, bytes: &[u8]) -> u64 {
        if bytes.len() <= 8176 {
            return self.put(bytes, false);
        }
        let ids: Vec<u64> = bytes.chunks(8176).map(|part| self.put(part, false)).collect();
        let mut list = vec![1, 1];
        list.extend((ids.len() as u16).to_le_bytes());
        list.extend((bytes.len() as u32).to_le_bytes());
        list.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
        self.put(&list, true)
    }

    /// The nodes below a node.
    fn below(&mut self, nodes: &[(u32, u64, u64)]) -> u64 {
        let mut list = vec![2, 0];
        list.extend((nodes.len() as u16).to_le_bytes());
        list.extend([0; 4]);
        for (id, data, below) in nodes {
            list.extend([u64::from(*id), *data, *below].map(u64::to_le_bytes).concat());
        }
        self.put(&list, true)
    }

    /// A page of a tree, of its only level.
    fn page(&mut self, kind: u8, width: u8, entries: &[Vec<u8>]) -> (u64, u64) {
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
        let (at, id) = (self.bytes.len() as u64, 1000 + u64::from(kind));
        let mut page = entries.concat();
        assert!(page.len() <= 488, "more than a page");
        page.resize(488, 0);
        page.extend([entries.len() as u8, 20, width, 0, 0, 0, 0, 0]);
        let sum = crc(&page);
        page.extend([kind, kind, 0, 0]);
        page.extend(sum.to_le_bytes());
        page.extend(id.to_le_bytes());
        self.bytes.extend(page);
        (id, at)
    }

    fn finish(mut self) -> Vec<u8> {
        self.nodes.sort();
        let nodes: Vec<Vec<u8>> = (self.nodes.iter())
            .map(|(id, data, below, parent)| {
                [u64::from(*id), *data, *below, u64::from(*parent)].map(u64::to_le_bytes).concat()
            })
            .collect();
        let blocks: Vec<Vec<u8>> = (self.blocks.iter())
            .map(|(id, at, length)| [*id, *at, u64::from(*length) | 1 << 16].map(u64::to_le_bytes).concat())
            .collect();
        let (nodes, blocks) = (self.page(0x81, 32, &nodes), self.page(0x80, 24, &blocks));
        let mut head = b"!BDN\0\0\0\0SM".to_vec();
        head.extend(23_u16.to_le_bytes());
        head.resize(564, 0);
        for (at, (id, place)) in [(216, nodes), (232, blocks)] {
            head[at..at + 16].copy_from_slice(&[id, place].map(u64::to_le_bytes).concat());
        }
        for (place, range) in [(4, 8..479), (524, 8..524)] {
            let sum = crc(&head[range]);
            head[place..place + 4].copy_from_slice(&sum.to_le_bytes());
        }
        self.bytes[..564].copy_from_slice(&head);
        self.bytes
    }
}

/// A value of a property.
enum Value<'a> {
    Number(u32),
    Text(&'a str),
    Bytes(&'a [u8]),
    /// The data of a node below.
    Node(u16, u32),
    /// An object in a node below.
    Object(u32),
}

/// A heap of properties.
fn properties(values: &[(u16, Value)]) -> Vec<u8> {
    let mut pieces = vec![Vec::new(), Vec::new()];
    for (property, value) in values {
        let mut piece = |bytes: Vec<u8>| {
            pieces.push(bytes);
            (pieces.len() as u32) << 5
        };
        let (kind, value) = match value {
            Value::Number(number) => (3, *number),
            Value::Text(text) => (0x1f, piece(text.encode_utf16().flat_map(u16::to_le_bytes).collect())),
            Value::Bytes(bytes) => (0x102, piece(bytes.to_vec())),
            Value::Node(kind, id) => (*kind, *id),
            Value::Object(id) => (0x0d, piece([*id, 0].map(u32::to_le_bytes).concat())),
        };
        let entry = [&property.to_le_bytes()[..], &u16::to_le_bytes(kind), &value.to_le_bytes()].concat();
        pieces[1].extend(entry);
    }
    pieces[0] = [&[0xb5, 2, 6, 0][..], &0x40_u32.to_le_bytes()].concat();
    let mut heap = vec![0, 0, 0xec, 0xbc, 0x20, 0, 0, 0, 0, 0, 0, 0];
    let mut ends = vec![heap.len() as u16];
    for piece in pieces {
        heap.extend(piece);
        ends.push(heap.len() as u16);
    }
    let map = heap.len() as u16;
    heap[..2].copy_from_slice(&map.to_le_bytes());
    heap.extend((ends.len() as u16 - 1).to_le_bytes());
    heap.extend([0, 0]);
    heap.extend(ends.iter().flat_map(|end| end.to_le_bytes()));
    heap
}

/// A message with attachments; the third is a message itself.
pub fn sample() -> Vec<u8> {
    let mut store = Store { bytes: vec![0; 1024], ..Store::default() };
    let root = store.data(&properties(&[]));
    store.nodes.push((0x122, root, 0, 0x122));
    for (id, name, parent) in [(0x8022, "Top", 0x122), (0x8042, "In/box", 0x8022)] {
        let data = store.data(&properties(&[(0x3001, Value::Text(name))]));
        store.nodes.push((id, data, 0, parent));
    }
    let large = store.data(&noise(30_000));
    let below = store.below(&[(0x21, large, 0)]);
    let values = [(0x3701, Value::Node(0x102, 0x21)), (0x3705, Value::Number(1)), (0x3707, Value::Text("noise.bin"))];
    let first = (0x8025, store.data(&properties(&values)), below);
    let values = [(0x3701, Value::Bytes(b"small")), (0x3704, Value::Text("noise.bin")), (0x3705, Value::Number(1))];
    let second = (0x8045, store.data(&properties(&values)), 0);
    let inner = store.data(&properties(&[(0x1000, Value::Text("inner ä"))]));
    let below = store.below(&[(0x44, inner, 0)]);
    let values = [(0x3001, Value::Text("Fwd: x")), (0x3701, Value::Object(0x44)), (0x3705, Value::Number(5))];
    let third = (0x8065, store.data(&properties(&values)), below);
    let values = [(0x3705, Value::Number(7)), (0x3707, Value::Text("link"))];
    let fourth = (0x8085, store.data(&properties(&values)), 0);
    let below = store.below(&[first, second, third, fourth]);
    let data = store.data(&properties(&[(0x0037, Value::Text("a subject")), (0x1000, Value::Text("a body"))]));
    store.nodes.push((0x20_0004, data, below, 0x8042));
    store.finish()
}

#[test]
fn messages_and_attachments() {
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let found = super::outcomes(&[sample()]);
    let names: Vec<&str> =
        found.keys().map(|name| name.strip_prefix("Top/In%2Fbox/message 2097156/").unwrap()).collect();
    let expected = [
        "Fwd: x/body.txt",
        "Fwd: x/properties",
        "body.txt",
        "link",
        "noise (attachment 2).bin",
        "noise.bin",
        "properties",
    ];
    assert_eq!(names, expected);
    let at = |name: &str| found[&format!("Top/In%2Fbox/message 2097156/{name}")].clone();
    assert_eq!(at("noise.bin"), Ok(noise(30_000)));
    assert_eq!(at("noise (attachment 2).bin"), Ok(b"small".to_vec()));
    assert_eq!((at("body.txt"), at("Fwd: x/body.txt")), (Ok(utf16("a body")), Ok(utf16("inner ä"))));
    assert!(at("link").is_err_and(|error| error.contains("by reference")));
}

#[test]
fn what_contradicts_itself_is_named() {
    let store = sample();
    // A byte of an attachment: that one alone.
    let at = store.windows(40).position(|window| window == &noise(30_000)[9000..9040]).expect("the bytes");
    let mut bad = store.clone();
    bad[at] ^= 1;
    let found = faults(&[bad]);
    assert!(found.contains("/noise.bin: offset") && found.contains("the CRC of block"), "{found}");
    assert_eq!(found.lines().count(), 2, "{found}");
    // A byte of each page.
    for kind in [0x80, 0x81] {
        let page = store.chunks(512).rposition(|page| page.len() > 498 && page[496] == kind).expect("a page");
        let mut bad = store.clone();
        bad[page * 512 + 3] ^= 1;
        assert!(faults(&[bad]).contains("the CRC of a page"), "{kind:#x}");
    }
    for (place, what) in [(12, "the CRC of the header"), (520, "the CRC of the whole header")] {
        let mut bad = store.clone();
        bad[place] ^= 1;
        assert!(faults(&[bad]).contains(what));
    }
    let mut later = store;
    later[10] = 36;
    assert!(faults(&[later]).contains("Outlook 2013"));
}

#[test]
fn messages_in_a_circle_end() {
    let mut store = Store { bytes: vec![0; 1024], ..Store::default() };
    let message = store.data(&properties(&[(0x0037, Value::Text("a subject"))]));
    let attachment = store.data(&properties(&[(0x3701, Value::Object(0x44)), (0x3705, Value::Number(5))]));
    // Each of eight attachments is the message that has them.
    let next = store.blocks.len() as u64 + 1;
    let (attached, object) = (next * 4 + 2, (next + 1) * 4 + 2);
    let all: Vec<(u32, u64, u64)> = (1..=8).map(|number| (number << 5 | 5, attachment, object)).collect();
    assert_eq!(store.below(&all), attached);
    assert_eq!(store.below(&[(0x44, message, attached)]), object);
    store.nodes.push((0x20_0004, message, attached, 0));
    let found = faults(&[store.finish()]);
    assert!(found.contains("more messages in one another than are read"));
    assert!(found.contains("those from 2 on are not listed"), "{}", found.lines().last().unwrap_or_default());
    assert!(found.lines().count() < 100_000, "{}", found.lines().count());
}

#[test]
fn sound_as_a_whole() {
    // All but the one by reference.
    let mut store = sample();
    assert_eq!(faults(&[store.clone()]).lines().count(), 1);
    store.truncate(4);
    assert!(!faults(&[store]).is_empty());
    assert_eq!(files(&[b"From: a\nTo: b\nMIME-Version: 1\n\nx".to_vec()])["part 1.txt"], b"x");
}
