//! A whole container: checkpoints in a ring, maps of objects, volumes, a snapshot.

use super::blocks::{BLOCK, Blocks, EPHEMERAL, PHYSICAL, Record, Tree, VIRTUAL, put, seal};
use super::files::Files;

/// The transaction of the snapshot, and of the newest checkpoint.
pub const BEFORE: u64 = 5;
pub const NOW: u64 = 9;

/// Blocks at the end that nothing uses, and the number of the map that says so.
pub const FREE: u64 = 3;
const SPACE: u64 = 1025;

/// Blocks of the area of checkpoints, which begins at block 1.
pub const RING: u64 = 8;

/// The differences between volumes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Names with hashes.
    Usual,
    /// Names without, as volumes that tell cases apart have them.
    CaseSensitive,
    Encrypted,
    /// With a key for each file.
    ByDevice,
    Sealed,
}

/// Encrypts bytes in place, by the place in bytes that the cipher counts from.
pub type Encrypt<'a> = &'a dyn Fn(u64, &mut [u8]);

/// How far from its block the cipher of an extent counts, as in a file that was moved.
const MOVED: u64 = 1000;

/// A container while it is put together.
pub struct Container {
    pub blocks: Blocks,
    /// Numbers and blocks of the volumes' superblocks.
    volumes: Vec<(u64, u64)>,
    /// The blocks that are encrypted, and from where the cipher counts each.
    secret: Vec<(u64, u64)>,
    /// The block of the bag of keys, 0 without one.
    bag: u64,
}

/// An entry of a map of objects.
fn mapping(number: u64, transaction: u64, block: u64) -> Record {
    let key = [number.to_le_bytes(), transaction.to_le_bytes()].concat();
    let mut value = vec![0; 16];
    put(&mut value, 4, BLOCK as u64, 4);
    put(&mut value, 8, block, 8);
    (key, value)
}

impl Container {
    pub fn new() -> Container {
        let mut blocks = Blocks::default();
        // The superblock, the ring, and an area for the other objects that are kept in memory.
        blocks.allocate(1 + RING as usize + 8);
        Container { blocks, volumes: Vec::new(), secret: Vec::new(), bag: 0 }
    }

    /// A map of objects; its block.
    fn map(&mut self, mut entries: Vec<Record>, snapshots: &[u64]) -> u64 {
        entries.sort_by_key(|(key, _)| [0, 8].map(|at| u64::from_le_bytes(key[at..at + 8].try_into().unwrap())));
        let tree =
            |subtype| Tree { subtype, storage: PHYSICAL, fixed: Some((16, 16)), is_sealed: false, transaction: NOW };
        let root = tree(0xb).write(&mut self.blocks, &entries, 0, &mut |block, _| block);
        let records: Vec<Record> =
            snapshots.iter().map(|transaction| (transaction.to_le_bytes().to_vec(), vec![0; 16])).collect();
        let of_snapshots = match records.is_empty() {
            true => 0,
            false => {
                Tree { fixed: Some((8, 16)), ..tree(0x13) }.write(&mut self.blocks, &records, 0, &mut |block, _| block)
            }
        };
        let block = self.blocks.allocate(1);
        let mut body = vec![0; BLOCK];
        put(&mut body, 36, snapshots.len() as u64, 4);
        put(&mut body, 40, u64::from(2 | PHYSICAL), 4);
        put(&mut body, 44, u64::from(2 | PHYSICAL), 4);
        put(&mut body, 48, root, 8);
        put(&mut body, 56, of_snapshots, 8);
        put(&mut body, 64, snapshots.last().copied().unwrap_or(0), 8);
        self.blocks.object(block, body, (block, NOW, 0xb | PHYSICAL, 0));
        block
    }

    /// Adds a volume with these files, and a snapshot with those that there were before.
    pub fn volume(&mut self, kind: Kind, label: &[u8], files: &Files, before: Option<(&[u8], &Files)>) {
        let number = 1026 + self.volumes.len() as u64;
        let first = 2000 * (1 + self.volumes.len() as u64);
        let is_sealed = kind == Kind::Sealed;
        let mut entries = Vec::new();
        let mut next = first + 1;
        let states = before.iter().map(|(_, files)| (BEFORE, *files)).chain([(NOW, files)]);
        for (transaction, files) in states {
            let tree = Tree { subtype: 0xe, storage: VIRTUAL, fixed: None, is_sealed, transaction };
            let mut records = files.sorted();
            if kind == Kind::Encrypted {
                self.hide(&mut records);
            }
            let secret = &mut self.secret;
            tree.write(&mut self.blocks, &records, first, &mut |block, is_root| {
                let number = if is_root { first } else { next };
                next += u64::from(!is_root);
                let mut entry = mapping(number, transaction, block);
                if kind == Kind::Encrypted {
                    put(&mut entry.1, 0, 4, 4);
                    secret.push((block, block));
                }
                entries.push(entry);
                number
            });
        }
        let extents = files.extents.as_ref().map(|extents| {
            let tree =
                Tree { subtype: 0x1f, storage: PHYSICAL, fixed: Some((16, 16)), is_sealed: false, transaction: NOW };
            tree.write(&mut self.blocks, extents, 0, &mut |block, _| block)
        });
        let snapshots: &[u64] = if before.is_some() { &[BEFORE] } else { &[] };
        let map = self.map(entries, snapshots);
        let superblock = |transaction: u64, map: u64, snapshots: u64| {
            let mut body = vec![0; BLOCK];
            body[32..36].copy_from_slice(b"APSB");
            let features = match kind {
                Kind::Usual | Kind::Encrypted | Kind::ByDevice => 1,
                Kind::CaseSensitive => 0,
                Kind::Sealed => 0x21,
            };
            let flags = match kind {
                Kind::Encrypted => 8,
                Kind::ByDevice => 0,
                _ => 1,
            };
            for (at, number, size) in [
                (36, self.volumes.len() as u64, 4),
                (56, features, 8),
                (116, 2, 4),
                (120, u64::from(2 | PHYSICAL), 4),
                (124, u64::from(2 | PHYSICAL), 4),
                (128, map, 8),
                (136, first, 8),
                (152, snapshots, 8),
                (176, files.next, 8),
                (216, u64::from(transaction == NOW && before.is_some()), 8),
                (264, flags, 8),
                (1032, extents.unwrap_or(0), 8),
                (1040, u64::from(2 | PHYSICAL), 4),
            ] {
                put(&mut body, at, number, size);
            }
            body[240..256].copy_from_slice(&[0x10 + self.volumes.len() as u8; 16]);
            body[704..704 + label.len()].copy_from_slice(label);
            (body, transaction)
        };
        let (mut records, mut all) = (Vec::new(), Vec::new());
        if let Some((name, _)) = before {
            let block = self.blocks.allocate(1);
            all.push((block, superblock(BEFORE, 0, 0)));
            let mut value = vec![0; 50];
            put(&mut value, 8, block, 8);
            put(&mut value, 16, 1_600_000_000_000_000_000, 8);
            put(&mut value, 40, u64::from(2 | PHYSICAL), 4);
            put(&mut value, 48, name.len() as u64 + 1, 2);
            let name = [name, b"\0"].concat();
            value.extend(&name);
            let mut named = (u64::MAX >> 4 | 11 << 60).to_le_bytes().to_vec();
            named.extend((name.len() as u16).to_le_bytes());
            named.extend(&name);
            records.push(((BEFORE | 1 << 60).to_le_bytes().to_vec(), value));
            records.push((named, BEFORE.to_le_bytes().to_vec()));
        }
        let tree = Tree { subtype: 0x10, storage: PHYSICAL, fixed: None, is_sealed: false, transaction: NOW };
        let metadata = tree.write(&mut self.blocks, &records, 0, &mut |block, _| block);
        let block = self.blocks.allocate(1);
        all.push((block, superblock(NOW, map, metadata)));
        for (block, (body, transaction)) in all {
            self.blocks.object(block, body, (number, transaction, 0xd, 0));
        }
        self.volumes.push((number, block));
    }

    /// Notes the blocks of these extents as encrypted.
    fn hide(&mut self, records: &mut [Record]) {
        for (key, value) in records.iter_mut().filter(|(key, _)| key[7] >> 4 == 8) {
            let number = |at: usize| u64::from_le_bytes(value[at..at + 8].try_into().unwrap());
            let (count, block) = (number(0) / BLOCK as u64, number(8));
            assert!(key.len() == 16 && value.len() == 24);
            if block > 0 {
                self.secret.extend((block..block + count).map(|block| (block, block + MOVED)));
                put(value, 16, block + MOVED, 8);
            }
        }
    }

    /// Adds the container's bag of keys: its block.
    pub fn bag(&mut self, block: u64) {
        self.bag = block;
    }

    /// Encrypts the blocks of the volumes of this kind.
    pub fn encrypt(&mut self, encrypt: Encrypt) {
        for (block, place) in std::mem::take(&mut self.secret) {
            let at = block as usize * BLOCK;
            encrypt(place * BLOCK as u64, &mut self.blocks.0[at..at + BLOCK]);
        }
    }

    /// The map of free space, in the area for the other objects that are kept in memory: one chunk.
    fn space(&mut self, lists: u64, bits: u64, (used, count): (u64, u64)) {
        let mut body = vec![0; BLOCK];
        for (at, number, size) in [
            (32, BLOCK as u64, 4),
            (36, 8 * BLOCK as u64, 4),
            (40, 126, 4),
            (44, 507, 4),
            (48, count, 8),
            (56, 1, 8),
            (64, 1, 4),
            (72, count - used, 8),
            (80, 2520, 4),
            (2520, lists, 8),
        ] {
            put(&mut body, at, number, size);
        }
        self.blocks.object(1 + RING, body, (SPACE, NOW, 5 | EPHEMERAL, 0));
        let mut body = vec![0; BLOCK];
        for (at, number, size) in [(36, 1, 4), (40, NOW, 8), (56, count, 4), (60, count - used, 4), (64, bits, 8)] {
            put(&mut body, at, number, size);
        }
        self.blocks.object(lists, body, (lists, NOW, 7 | PHYSICAL, 0));
        let mut body = vec![0; BLOCK];
        for block in 0..used as usize {
            body[block / 8] |= 1 << (block % 8);
        }
        self.blocks.write(bits, &body);
    }

    /// The image: the newest checkpoint begins at the end of the ring, and ends at its start.
    pub fn end(mut self) -> Vec<u8> {
        let entries = self.volumes.iter().map(|&(number, block)| mapping(number, NOW, block)).collect();
        let map = self.map(entries, &[]);
        // An older checkpoint leads to no volume at all.
        let empty = self.map(Vec::new(), &[]);
        let (old, new) = (BEFORE, NOW);
        let (lists, bits) = (self.blocks.allocate(1), self.blocks.allocate(1));
        let used = self.blocks.count();
        let count = used + FREE;
        self.blocks.allocate(FREE as usize);
        self.space(lists, bits, (used, count));
        for (transaction, index, map) in [(old, 3, empty), (new, RING - 1, map)] {
            let mut body = vec![0; BLOCK];
            put(&mut body, 32, 1, 4);
            put(&mut body, 36, 1, 4);
            for (at, number, size) in
                [(40, u64::from(5 | EPHEMERAL), 4), (48, BLOCK as u64, 4), (64, SPACE, 8), (72, 1 + RING, 8)]
            {
                put(&mut body, at, number, size);
            }
            self.blocks.object(1 + index, body, (1 + index, transaction, 0xc | PHYSICAL, 0));
            let mut body = vec![0; BLOCK];
            body[32..36].copy_from_slice(b"NXSB");
            for (at, number, size) in [
                (36, BLOCK as u64, 4),
                (40, count, 8),
                (64, 2, 8),
                (88, 100_000, 8),
                (96, transaction + 1, 8),
                (104, RING, 4),
                (108, 8, 4),
                (112, 1, 8),
                (120, 1 + RING, 8),
                (128, (index + 2) % RING, 4),
                (136, index, 4),
                (140, 2, 4),
                (152, SPACE, 8),
                (160, map, 8),
                (180, 100, 4),
                (1296, self.bag, 8),
                (1304, u64::from(self.bag > 0), 8),
            ] {
                put(&mut body, at, number, size);
            }
            body[72..88].copy_from_slice(&[7; 16]);
            if map != empty {
                for (slot, (number, _)) in self.volumes.iter().enumerate() {
                    put(&mut body, 184 + 8 * slot, *number, 8);
                }
            }
            let header = (1, transaction, 1 | EPHEMERAL, 0);
            self.blocks.object(1 + (index + 1) % RING, body.clone(), header);
            // The copy in front is the older one, as after a crash.
            if transaction == old {
                self.blocks.object(0, body, header);
            }
        }
        self.blocks.0
    }
}

/// Changes a block of an image, and makes its checksum hold again.
pub fn change(image: &mut [u8], block: usize, change: impl FnOnce(&mut [u8])) {
    let block = &mut image[block * BLOCK..(block + 1) * BLOCK];
    change(block);
    seal(block);
}
