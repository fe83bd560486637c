//! A volume, made block by block.

use std::collections::BTreeMap;

use super::tree::{Records, stale, tree};

pub const BLOCK: usize = 1024;
/// The root, and the first number of files.
pub const ROOT: u32 = 2;
/// Seconds from 1904 to 1970.
pub const EPOCH: u32 = 2_082_844_800;

/// A name and its record, by the parent and the folded name.
type Named = (Vec<u16>, Vec<u8>);

/// A volume that is being made.
pub struct Volume {
    pub image: Vec<u8>,
    catalog: BTreeMap<(u32, Vec<u16>), Named>,
    extents: BTreeMap<(u32, u8, u32), Vec<u8>>,
    attributes: BTreeMap<(u32, Vec<u16>, u32), Vec<u8>>,
    next: u32,
    is_folded: bool,
    /// Blocks in use.
    used: Vec<usize>,
    /// The place of the header's block that leads to a journal.
    journal: Option<u32>,
    /// Records that are not in use any more.
    gone: Records,
}

/// The units of a name.
fn units(name: &str) -> Vec<u16> {
    name.encode_utf16().collect()
}

/// A name with its length in front.
fn text(units: &[u16]) -> Vec<u8> {
    let mut raw = (units.len() as u16).to_be_bytes().to_vec();
    raw.extend(units.iter().flat_map(|unit| unit.to_be_bytes()));
    raw
}

/// A key with its length in front.
fn key(body: Vec<u8>) -> Vec<u8> {
    [&(body.len() as u16).to_be_bytes()[..], &body].concat()
}

/// The fields of a file's record beside its forks.
#[derive(Clone, Copy, Default)]
pub struct Facts {
    pub mode: u16,
    pub flags: u16,
    pub owner_flags: u8,
    pub special: u32,
    pub finder: [u8; 8],
}

impl Volume {
    pub fn new(label: &str, is_folded: bool) -> Volume {
        let mut volume = Volume {
            image: vec![0; 4 * BLOCK],
            catalog: BTreeMap::new(),
            extents: BTreeMap::new(),
            attributes: BTreeMap::new(),
            next: 16,
            is_folded,
            used: (0..4).collect(),
            journal: None,
            gone: Vec::new(),
        };
        volume.record(1, label, folder(ROOT), Some((ROOT, 3)));
        volume
    }

    fn folded(&self, units: &[u16]) -> Vec<u16> {
        let fold = |unit: &u16| match *unit {
            0 if self.is_folded => u16::MAX,
            unit @ 0x41..=0x5a if self.is_folded => unit + 32,
            unit => unit,
        };
        units.iter().map(fold).collect()
    }

    /// A record of a name, with a thread of this number and type.
    fn record(&mut self, parent: u32, name: &str, value: Vec<u8>, thread: Option<(u32, u8)>) {
        let units = units(name);
        if let Some((number, kind)) = thread {
            let mut raw = vec![0, kind, 0, 0];
            raw.extend(parent.to_be_bytes());
            raw.extend(text(&units));
            self.catalog.insert((number, Vec::new()), (Vec::new(), raw));
        }
        let old = self.catalog.insert((parent, self.folded(&units)), (units, value));
        assert!(old.is_none(), "{name} twice");
    }

    pub fn number(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub fn directory(&mut self, parent: u32, name: &str) -> u32 {
        let number = self.number();
        self.record(parent, name, folder(number), Some((number, 3)));
        number
    }

    /// Blocks with these bytes; the first of them.
    fn put(&mut self, bytes: &[u8]) -> u32 {
        let first = self.image.len() / BLOCK;
        self.image.extend(bytes);
        self.image.resize(self.image.len().next_multiple_of(BLOCK), 0xee);
        self.used.extend(first..self.image.len() / BLOCK);
        first as u32
    }

    /// A block that nothing uses.
    pub fn gap(&mut self) {
        self.image.resize(self.image.len() + BLOCK, 0xdd);
    }

    /// The fork of these bytes in as many pieces; extents beyond eight.
    fn pieces(&mut self, bytes: &[u8], count: usize) -> (Vec<u8>, Vec<(u32, u32)>) {
        let each = bytes.len().div_ceil(count.max(1)).next_multiple_of(BLOCK).max(BLOCK);
        let mut extents = Vec::new();
        for part in bytes.chunks(each) {
            let first = self.put(part);
            extents.push((first, part.len().div_ceil(BLOCK) as u32));
            if count > 1 {
                self.gap();
            }
        }
        let mut raw = (bytes.len() as u64).to_be_bytes().to_vec();
        raw.extend([0; 4]);
        raw.extend(extents.iter().map(|extent| extent.1).sum::<u32>().to_be_bytes());
        let rest = extents.split_off(extents.len().min(8));
        raw.extend(list(&extents));
        (raw, rest)
    }

    /// The fork of a file; extents beyond the eighth are in the tree of them.
    pub fn fork(&mut self, file: u32, which: u8, bytes: &[u8], count: usize) -> Vec<u8> {
        let (fork, rest) = self.pieces(bytes, count);
        let stated = |raw: &[u8], at: usize| u32::from_be_bytes(raw[at..at + 4].try_into().unwrap());
        let mut first: u32 = (0..8).map(|index| stated(&fork, 20 + 8 * index)).sum();
        for part in rest.chunks(8) {
            self.extents.insert((file, which, first), list(part));
            first += part.iter().map(|extent| extent.1).sum::<u32>();
        }
        fork
    }

    /// A file with these forks; its number.
    pub fn file(
        &mut self,
        parent: u32,
        name: &str,
        facts: Facts,
        data: (&[u8], usize),
        resource: (&[u8], usize),
    ) -> u32 {
        let number = self.number();
        let data = self.fork(number, 0, data.0, data.1);
        let resource = self.fork(number, 0xff, resource.0, resource.1);
        let mut raw = vec![0; 88];
        (raw[1], raw[41]) = (2, facts.owner_flags);
        raw[2..4].copy_from_slice(&facts.flags.to_be_bytes());
        raw[8..12].copy_from_slice(&number.to_be_bytes());
        for (index, at) in [12, 16, 20, 24].into_iter().enumerate() {
            raw[at..at + 4].copy_from_slice(&(EPOCH + 1_000_000 * number + index as u32).to_be_bytes());
        }
        raw[42..44].copy_from_slice(&facts.mode.to_be_bytes());
        raw[44..48].copy_from_slice(&facts.special.to_be_bytes());
        raw[48..56].copy_from_slice(&facts.finder);
        raw.extend(data);
        raw.extend(resource);
        self.record(parent, name, raw, Some((number, 4)));
        number
    }

    /// A file of plain content.
    pub fn plain(&mut self, parent: u32, name: &str, bytes: &[u8]) -> u32 {
        self.file(parent, name, Facts { mode: 0o100_644, ..Facts::default() }, (bytes, 1), (b"", 0))
    }

    /// Deletes a file; its blocks are free unless another file has them.
    pub fn delete(&mut self, parent: u32, name: &str, is_kept: bool) {
        let (units, value) = self.catalog.remove(&(parent, self.folded(&units(name)))).expect("a name");
        let number = u32::from_be_bytes(value[8..12].try_into().unwrap());
        self.catalog.remove(&(number, Vec::new()));
        let forks = [104..168, 184..248].into_iter().flat_map(|range| value.get(range).unwrap_or_default().chunks(8));
        for extent in forks.filter(|_| !is_kept) {
            let [first, count] = [&extent[..4], &extent[4..]].map(|raw| u32::from_be_bytes(raw.try_into().unwrap()));
            self.used.retain(|&block| !(first as usize..(first + count) as usize).contains(&block));
        }
        self.gone.push((key([&parent.to_be_bytes()[..], &text(&units)].concat()), value));
    }

    /// An attribute with its value.
    pub fn inline(&mut self, file: u32, name: &str, bytes: &[u8]) {
        let mut raw = vec![0; 16];
        raw[3] = 0x10;
        raw[12..16].copy_from_slice(&(bytes.len() as u32).to_be_bytes());
        raw.extend(bytes);
        self.attributes.insert((file, units(name), 0), raw);
    }

    /// An attribute in blocks of its own.
    pub fn stored(&mut self, file: u32, name: &str, bytes: &[u8], count: usize) {
        let (fork, rest) = self.pieces(bytes, count);
        let known: u32 = (0..8).map(|at| u32::from_be_bytes(fork[20 + 8 * at..24 + 8 * at].try_into().unwrap())).sum();
        self.attributes.insert((file, units(name), 0), [&[0, 0, 0, 0x20, 0, 0, 0, 0][..], &fork].concat());
        let mut first = known;
        for part in rest.chunks(8) {
            let raw = [&[0, 0, 0, 0x30, 0, 0, 0, 0][..], &list(part)].concat();
            self.attributes.insert((file, units(name), first), raw);
            first += part.iter().map(|extent| extent.1).sum::<u32>();
        }
    }

    /// A journal that holds transactions, or none.
    pub fn journal(&mut self, is_empty: bool) {
        let at = (self.image.len() + BLOCK) as u64;
        let mut info = vec![0; 180];
        info[3] = 1;
        info[36..44].copy_from_slice(&at.to_be_bytes());
        info[44..52].copy_from_slice(&(2 * BLOCK as u64).to_be_bytes());
        self.journal = Some(self.put(&info));
        let mut head = [b"xLNJxV4\x12".to_vec(), vec![0; 36]].concat();
        head[8..16].copy_from_slice(&512_u64.to_le_bytes());
        head[16..24].copy_from_slice(&(if is_empty { 512_u64 } else { 1024 }).to_le_bytes());
        let sum = !head.iter().fold(0_u32, |sum, byte| (sum << 8) ^ sum.wrapping_add(u32::from(*byte)));
        head[36..40].copy_from_slice(&sum.to_le_bytes());
        head.resize(2 * BLOCK, 0);
        self.put(&head);
    }

    /// Writes the trees and the header.
    pub fn end(mut self) -> Vec<u8> {
        let catalog: Records = self
            .catalog
            .iter()
            .map(|((parent, _), (name, value))| (key([&parent.to_be_bytes()[..], &text(name)].concat()), value.clone()))
            .collect();
        let attributes: Records = self
            .attributes
            .iter()
            .map(|((file, name, first), value)| {
                (key([&[0, 0][..], &file.to_be_bytes(), &first.to_be_bytes(), &text(name)].concat()), value.clone())
            })
            .collect();
        // In more pieces than the header has room for.
        let (catalog, attributes) = (tree(1024, &catalog, self.is_folded), tree(1024, &attributes, self.is_folded));
        let left = self.gone.chunks(2).flat_map(|part| stale(1024, &part.to_vec()));
        let catalog: Vec<u8> = catalog.into_iter().chain(left).collect();
        let catalog = self.fork(4, 0, &catalog, 10);
        let attributes = self.fork(8, 0, &attributes, 2);
        let extents: Records = self
            .extents
            .iter()
            .map(|((file, which, first), value)| {
                (key([&[*which, 0][..], &file.to_be_bytes(), &first.to_be_bytes()].concat()), value.clone())
            })
            .collect();
        let extents = tree(512, &extents, self.is_folded);
        let extents = self.pieces(&extents, 1).0;
        // The map, and the last two blocks.
        let blocks = self.image.len() / BLOCK + 3;
        self.used.push(blocks - 1);
        let mut map = vec![0_u8; BLOCK];
        assert!(blocks <= 8 * BLOCK, "a map of one block");
        self.used.push(self.image.len() / BLOCK);
        self.used.push(blocks - 2);
        for block in &self.used {
            map[block / 8] |= 0x80 >> (block % 8);
        }
        let allocation = self.pieces(&map, 1).0;
        self.image.resize(blocks * BLOCK, 0);
        let mut head = vec![0; 112];
        head[..4].copy_from_slice(if self.is_folded { b"H+\0\x04" } else { b"HX\0\x05" });
        head[4..8].copy_from_slice(&(0x100_u32 | if self.journal.is_some() { 0x2000 } else { 0 }).to_be_bytes());
        head[8..12].copy_from_slice(b"10.0");
        head[12..16].copy_from_slice(&self.journal.unwrap_or(0).to_be_bytes());
        head[40..44].copy_from_slice(&(BLOCK as u32).to_be_bytes());
        head[44..48].copy_from_slice(&(blocks as u32).to_be_bytes());
        head[104..112].copy_from_slice(&0x0123_4567_89ab_cdef_u64.to_be_bytes());
        for fork in [allocation, extents, catalog, attributes, vec![0; 80]] {
            head.extend(fork);
        }
        let size = self.image.len();
        self.image[1024..1536].copy_from_slice(&head);
        self.image[size - 1024..size - 512].copy_from_slice(&head);
        self.image
    }
}

/// A list of eight extents.
fn list(extents: &[(u32, u32)]) -> Vec<u8> {
    let mut raw: Vec<u8> =
        extents.iter().flat_map(|extent| [extent.0.to_be_bytes(), extent.1.to_be_bytes()].concat()).collect();
    raw.resize(64, 0);
    raw
}

fn folder(number: u32) -> Vec<u8> {
    let mut raw = vec![0; 88];
    raw[1] = 1;
    raw[8..12].copy_from_slice(&number.to_be_bytes());
    raw[42..44].copy_from_slice(&0o040_755_u16.to_be_bytes());
    raw
}
