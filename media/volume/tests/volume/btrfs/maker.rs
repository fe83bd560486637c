//! A small Btrfs volume, made item by item, since no tool writes such a one on request.

use std::collections::BTreeMap;

/// Bytes of a node and of a block.
pub const NODE: usize = 4096;
/// Where the one chunk begins, in logical places and on the device.
pub const START: u64 = 1 << 20;
/// Bytes of the chunk, and where its second copy begins.
const CHUNK: u64 = 3 << 20;
const SECOND: u64 = START + CHUNK;
/// Bytes of the device.
pub const SIZE: usize = 8 << 20;
/// The transaction of all.
const NOW: u64 = 7;

/// The root directory of each subvolume.
pub const ROOT: u64 = 256;

type Key = (u64, u8, u64);
type Items = BTreeMap<Key, Vec<u8>>;

/// How an extent lies in a file.
#[derive(Clone, Copy)]
pub struct Extent {
    /// Where in the file, and how many bytes.
    pub at: u64,
    pub length: u64,
    /// The logical place, bytes there, and where these begin once unpacked.
    pub logical: u64,
    pub stored: u64,
    pub from: u64,
    /// Bytes once unpacked.
    pub unpacked: u64,
    /// How they are compressed.
    pub method: u8,
    /// 1 for written bytes, 2 for room that was set aside.
    pub kind: u8,
}

/// A volume while it is put together.
pub struct Maker {
    pub image: Vec<u8>,
    pub has_two: bool,
    next: u64,
    pub trees: BTreeMap<u64, Items>,
    /// Flags, identifier and origin of subvolumes.
    pub subvolumes: BTreeMap<u64, (u64, u8, u8)>,
    inode: u64,
    index: u64,
    /// Sets fields of the superblock before it is sealed.
    pub fields: Vec<(usize, Vec<u8>)>,
}

pub fn put(raw: &mut [u8], at: usize, number: u64, size: usize) {
    raw[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
}

/// Writes the checksum of a block in front of its bytes.
pub fn seal(raw: &mut [u8]) {
    let sum = !pfh_container::crc32c(!0, &raw[32..]);
    raw[..32].fill(0);
    put(raw, 0, sum.into(), 4);
}

fn key((id, kind, offset): (u64, u8, u64)) -> Vec<u8> {
    [&id.to_le_bytes()[..], &[kind], &offset.to_le_bytes()].concat()
}

/// An entry of a directory, or an attribute.
fn entry(to: (u64, u8, u64), kind: u8, name: &[u8], value: &[u8]) -> Vec<u8> {
    let head = [&NOW.to_le_bytes()[..], &(value.len() as u16).to_le_bytes(), &(name.len() as u16).to_le_bytes()];
    [&key(to)[..], &head.concat(), &[kind], name, value].concat()
}

impl Maker {
    pub fn new(has_two: bool) -> Maker {
        let (next, inode, index) = (START, ROOT, 2);
        let (trees, subvolumes, fields) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        let mut maker = Maker { image: vec![0; SIZE], has_two, next, trees, subvolumes, inode, index, fields };
        maker.subvolume(5, (0, 0, 0));
        maker
    }

    /// A subvolume with a root directory: its flags, identifier, and that of its origin.
    pub fn subvolume(&mut self, id: u64, about: (u64, u8, u8)) {
        self.subvolumes.insert(id, about);
        self.inode(id, ROOT, 0o40_755, 0, 0);
    }

    /// Names a subvolume in a directory of another.
    pub fn name_subvolume(&mut self, id: u64, (parent, directory): (u64, u64), name: &[u8]) {
        self.name(parent, directory, (id, 132, u64::MAX), 2, name);
        let value = [&directory.to_le_bytes()[..], &2_u64.to_le_bytes(), &(name.len() as u16).to_le_bytes(), name];
        self.item(1, (id, 144, parent), value.concat());
    }

    pub fn item(&mut self, tree: u64, at: (u64, u8, u64), value: Vec<u8>) {
        self.trees.entry(tree).or_default().insert(at, value);
    }

    pub fn inode(&mut self, tree: u64, number: u64, mode: u32, size: u64, flags: u64) {
        let mut raw = vec![0; 160];
        for (at, value, bytes) in [(16, size, 8), (40, 1, 4), (52, mode.into(), 4), (64, flags, 8)] {
            put(&mut raw, at, value, bytes);
        }
        for (index, at) in [112, 124, 136, 148].into_iter().enumerate() {
            put(&mut raw, at, 1_700_000_000 + number, 8);
            put(&mut raw, at + 8, index as u64 + 1, 4);
        }
        self.item(tree, (number, 1, 0), raw);
    }

    /// A name in a directory, by its number and by its hash.
    pub fn name(&mut self, tree: u64, directory: u64, to: (u64, u8, u64), kind: u8, name: &[u8]) {
        self.index += 1;
        let (index, hash) = (self.index, u64::from(pfh_container::crc32c(!1, name)));
        self.item(tree, (directory, 96, index), entry(to, kind, name, b""));
        self.item(tree, (directory, 84, hash), entry(to, kind, name, b""));
        if to.1 == 1 {
            let value = [&index.to_le_bytes()[..], &(name.len() as u16).to_le_bytes(), name].concat();
            self.item(tree, (to.0, 12, directory), value);
        }
    }

    /// Something with a name; its number.
    pub fn add(&mut self, tree: u64, directory: u64, name: &[u8], mode: u32, size: u64, flags: u64) -> u64 {
        self.inode += 1;
        let number = self.inode;
        self.inode(tree, number, mode, size, flags);
        let kind = [0, 5, 3, 0, 2, 0, 4, 0, 1, 0, 7, 0, 6][(mode >> 12) as usize];
        self.name(tree, directory, (number, 1, 0), kind, name);
        number
    }

    /// Bytes of data with their checksums; where they lie.
    pub fn data(&mut self, bytes: &[u8]) -> u64 {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(NODE), 0);
        let logical = self.allocate(padded.len());
        self.write(logical, &padded);
        let sums: Vec<u8> =
            padded.chunks(NODE).flat_map(|block| (!pfh_container::crc32c(!0, block)).to_le_bytes()).collect();
        self.item(7, (10_u64.wrapping_neg(), 128, logical), sums);
        logical
    }

    fn allocate(&mut self, length: usize) -> u64 {
        let logical = self.next;
        self.next += length as u64;
        assert!(self.next <= START + CHUNK, "no room");
        self.item(2, (logical, 168, length as u64), vec![0; 24]);
        logical
    }

    fn write(&mut self, logical: u64, bytes: &[u8]) {
        let at = logical as usize;
        self.image[at..at + bytes.len()].copy_from_slice(bytes);
        if self.has_two {
            let at = at + CHUNK as usize;
            self.image[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// A file whose one extent is this content.
    pub fn file(&mut self, tree: u64, directory: u64, name: &[u8], content: &[u8]) -> u64 {
        let number = self.add(tree, directory, name, 0o100_644, content.len() as u64, 0);
        let logical = self.data(content);
        let length = content.len().next_multiple_of(NODE) as u64;
        let extent = Extent { at: 0, length, logical, stored: length, from: 0, unpacked: length, method: 0, kind: 1 };
        self.extent(tree, number, extent);
        number
    }

    pub fn extent(&mut self, tree: u64, number: u64, extent: Extent) {
        let Extent { at, length, logical, stored, from, unpacked, method, kind } = extent;
        let head = [&NOW.to_le_bytes()[..], &unpacked.to_le_bytes(), &[method, 0, 0, 0, kind]].concat();
        let rest = [logical, stored, from, length].map(u64::to_le_bytes).concat();
        self.item(tree, (number, 108, at), [head, rest].concat());
    }

    /// Bytes in the metadata: a short file, or the target of a link.
    pub fn inline(&mut self, tree: u64, number: u64, (method, unpacked): (u8, usize), bytes: &[u8]) {
        let head = [&NOW.to_le_bytes()[..], &(unpacked as u64).to_le_bytes(), &[method, 0, 0, 0, 0]].concat();
        self.item(tree, (number, 108, 0), [&head, bytes].concat());
    }

    pub fn attribute(&mut self, tree: u64, number: u64, name: &[u8], value: &[u8]) {
        let hash = u64::from(pfh_container::crc32c(!1, name));
        self.item(tree, (number, 24, hash), entry((0, 0, 0), 8, name, value));
    }

    /// Writes a tree; the place and level of its root.
    fn tree(&mut self, id: u64, items: &Items, places: &mut dyn FnMut(&mut Maker) -> u64) -> (u64, u8) {
        // Leaves as full as they can be.
        let mut nodes: Vec<Vec<(Key, Vec<u8>)>> = vec![Vec::new()];
        let mut room = NODE - 101;
        for (at, value) in items {
            if value.len() + 25 > room {
                nodes.push(Vec::new());
                room = NODE - 101;
            }
            room -= value.len() + 25;
            nodes.last_mut().unwrap().push((*at, value.clone()));
        }
        let mut level = 0;
        loop {
            let mut above = Vec::new();
            for node in &nodes {
                let logical = places(self);
                let mut raw = vec![0; NODE];
                raw[32..48].fill(0x11);
                for (at, value, bytes) in
                    [(0x30, logical, 8), (0x50, NOW, 8), (0x58, id, 8), (0x60, node.len() as u64, 4), (0x64, level, 1)]
                {
                    put(&mut raw, at, value, bytes);
                }
                let mut end = NODE;
                for (index, (at, value)) in node.iter().enumerate() {
                    let slot = 101 + index * if level == 0 { 25 } else { 33 };
                    raw[slot..slot + 17].copy_from_slice(&key(*at));
                    if level == 0 {
                        end -= value.len();
                        raw[end..end + value.len()].copy_from_slice(value);
                        put(&mut raw, slot + 17, (end - 101) as u64, 4);
                        put(&mut raw, slot + 21, value.len() as u64, 4);
                    } else {
                        raw[slot + 17..slot + 33].copy_from_slice(value);
                    }
                }
                seal(&mut raw);
                self.write(logical, &raw);
                let first = node.first().map_or((0, 0, 0), |(at, _)| *at);
                above.push((first, [logical, NOW].map(u64::to_le_bytes).concat()));
            }
            if let [(_, only)] = &above[..] {
                return (u64::from_le_bytes(only[..8].try_into().unwrap()), level as u8);
            }
            nodes = above.chunks((NODE - 101) / 33).map(<[_]>::to_vec).collect();
            level += 1;
        }
    }

    /// The item of a tree's root.
    fn root(&mut self, id: u64, (logical, level): (u64, u8)) {
        let (flags, uuid, parent) = self.subvolumes.get(&id).copied().unwrap_or_default();
        let mut raw = vec![0; 439];
        for (at, value, bytes) in
            [(160, NOW, 8), (168, ROOT, 8), (176, logical, 8), (208, flags, 8), (216, 1, 4), (238, level.into(), 1)]
        {
            put(&mut raw, at, value, bytes);
        }
        raw[247..263].fill(uuid);
        raw[263..279].fill(parent);
        self.item(1, (id, 132, 0), raw);
    }

    pub fn end(mut self) -> Vec<u8> {
        let ids: Vec<u64> = self.trees.keys().copied().filter(|id| !matches!(id, 1 | 2)).collect();
        for id in ids {
            let items = self.trees[&id].clone();
            let root = self.tree(id, &items, &mut |maker| maker.allocate(NODE));
            self.root(id, root);
        }
        // The rest lies in a range that is in use as a whole.
        let mut rest = self.allocate(16 * NODE);
        let mut places = move |_: &mut Maker| {
            rest += NODE as u64;
            rest - NODE as u64
        };
        let items = self.trees.get(&2).cloned().unwrap_or_default();
        let root = self.tree(2, &items, &mut places);
        self.root(2, root);
        let items = self.trees[&1].clone();
        let roots = self.tree(1, &items, &mut places);
        let (at, item) = ((256, 228, START), self.chunk());
        let mut device = vec![0; 98];
        put(&mut device, 0, 1, 8);
        put(&mut device, 8, SIZE as u64, 8);
        device[66..82].fill(0x22);
        let chunks = Items::from([(at, item.clone()), ((1, 216, 1), device.clone())]);
        let chunks = self.tree(3, &chunks, &mut places);
        self.superblock(roots, chunks, &device, &[key(at), item].concat());
        self.image
    }

    fn chunk(&self) -> Vec<u8> {
        let places = if self.has_two { vec![START, SECOND] } else { vec![START] };
        let mut raw = vec![0; 48 + 32 * places.len()];
        let kind = 7 | if self.has_two { 0x20 } else { 0 };
        for (at, value, bytes) in [(0, CHUNK, 8), (16, 65_536, 8), (24, kind, 8), (44, places.len() as u64, 2)] {
            put(&mut raw, at, value, bytes);
        }
        for (index, place) in places.into_iter().enumerate() {
            put(&mut raw, 48 + 32 * index, 1, 8);
            put(&mut raw, 56 + 32 * index, place, 8);
            raw[64 + 32 * index..80 + 32 * index].fill(0x22);
        }
        raw
    }

    fn superblock(&mut self, roots: (u64, u8), chunks: (u64, u8), device: &[u8], array: &[u8]) {
        let mut raw = vec![0; NODE];
        raw[32..48].fill(0x11);
        raw[64..72].copy_from_slice(b"_BHRfS_M");
        for (at, value, bytes) in [
            (0x30, 65_536, 8),
            (0x48, NOW, 8),
            (0x50, roots.0, 8),
            (0x58, chunks.0, 8),
            (0x70, SIZE as u64, 8),
            (0x88, 1, 8),
            (0x90, NODE as u64, 4),
            (0x94, NODE as u64, 4),
            (0xa0, array.len() as u64, 4),
            (0xa4, NOW, 8),
            (0xbc, 0x341, 8),
            (0xc6, roots.1.into(), 1),
            (0xc7, chunks.1.into(), 1),
        ] {
            put(&mut raw, at, value, bytes);
        }
        raw[0xc9..0xc9 + 98].copy_from_slice(device);
        raw[0x12b..0x130].copy_from_slice(b"Label");
        raw[0x32b..0x32b + array.len()].copy_from_slice(array);
        for (at, bytes) in std::mem::take(&mut self.fields) {
            raw[at..at + bytes.len()].copy_from_slice(&bytes);
        }
        seal(&mut raw);
        self.image[65_536..65_536 + NODE].copy_from_slice(&raw);
    }
}
