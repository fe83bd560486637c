//! Extended attributes: in the inode, in leaves, and with values in blocks of their own.

use std::collections::HashSet;
use std::sync::Arc;

use super::inode::{Fork, Format, Inode};
use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{be16, be32, byte, failure, is_at, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;
use pfh_bytes::stored::gather;

/// Flags of an attribute.
const LOCAL: u8 = 1;
const ROOT: u8 = 2;
const SECURE: u8 = 4;
/// Those that lead to the names of a file, and those that are not written to their end.
const PARENT: u8 = 8;
const INCOMPLETE: u8 = 0x80;

/// No tree that the kernel writes is deeper.
const DEEPEST: u32 = 5;
/// The most bytes of names and held values of one file.
const MOST: usize = 64 << 20;
/// The longest value.
pub const LONGEST: u32 = 64 << 10;
/// The header of a block of a value, in version 5.
const HEAD: u64 = 56;

/// One attribute of a file.
pub struct Attribute {
    /// As Linux writes it: `user.`, `trusted.` or `security.` in front.
    pub name: Vec<u8>,
    pub value: Value,
}

/// Where a value is.
pub enum Value {
    Held(Arc<[u8]>),
    /// From this block of the attributes' fork on.
    Remote {
        block: u32,
        size: u32,
    },
}

impl Attribute {
    /// `None` for those of the file system itself.
    fn new(flags: u8, name: &[u8], value: Value) -> Option<Attribute> {
        if flags & (PARENT | INCOMPLETE) != 0 {
            return None;
        }
        let space: &[u8] = match flags & (ROOT | SECURE) {
            0 => b"user.",
            ROOT => b"trusted.",
            _ => b"security.",
        };
        Some(Attribute { name: [space, name].concat(), value })
    }
}

/// The attributes of a file that were found so far.
#[derive(Default)]
struct AttributeList {
    found: Vec<Result<Attribute, Failure>>,
    bytes: usize,
    visited: HashSet<u32>,
}

impl AttributeList {
    /// Takes an attribute up; `false` when there are too many.
    fn push(&mut self, attribute: Option<Attribute>, offset: u64) -> bool {
        let Some(attribute) = attribute else { return true };
        let held = if let Value::Held(bytes) = &attribute.value { bytes.len() } else { 0 };
        self.bytes += attribute.name.len() + held + 64;
        if self.bytes > MOST {
            self.found.push(Err(failure(Some(offset), "more than 64 MiB of attributes: the rest is not listed")));
            return false;
        }
        self.found.push(Ok(attribute));
        true
    }
}

impl Xfs {
    /// The extended attributes of a file.
    pub fn attributes(&self, inode: &Inode) -> Vec<Result<Attribute, Failure>> {
        let Some(fork) = &inode.attributes else { return Vec::new() };
        let mut collected = AttributeList::default();
        match fork.format {
            Format::Local => short(fork, &mut collected),
            Format::Extents if fork.extents == 0 => {}
            _ => match self.layout(inode.number, fork, false) {
                Ok(layout) => self.below(inode.number, &layout, 0, 0, &mut collected),
                Err(failed) => collected.found.push(Err(failed)),
            },
        }
        collected.found
    }

    /// Collects the attributes of a block of the fork, and of the blocks that it leads to.
    fn below(&self, owner: u64, layout: &Layout, block: u32, depth: u32, collected: &mut AttributeList) {
        let (raw, offset) = match self.fork_block(layout, block) {
            Ok(found) => found,
            Err(failed) => return collected.found.push(Err(failed)),
        };
        let what = "block of attributes";
        let wrong = |cause: &str| Err(failure(Some(offset), format!("{what}: {cause}")));
        if depth > DEEPEST || !collected.visited.insert(block) {
            return collected.found.push(wrong("it stands twice, or too deep"));
        }
        let seal = Seal { what, sum: 12, place: Some(16), uuid: 32, owner: Some((48, Owner::Inode)) };
        if let Err(failed) = self.verify(&raw, offset, seal, owner) {
            return collected.found.push(Err(failed));
        }
        let is_sealed = self.superblock.is_sealed;
        let head = if is_sealed { 56 } else { 12 };
        let count = usize::from(be16(&raw, head));
        match (be16(&raw, 8), is_sealed) {
            (0x3ebe, true) | (0xfebe, false) => {
                let first = if is_sealed { 64 } else { 16 };
                if count > (raw.len() - first) / 8 {
                    return collected.found.push(wrong("it has more entries than room"));
                }
                for index in 0..count {
                    self.below(owner, layout, be32(&raw, first + index * 8 + 4), depth + 1, collected);
                }
            }
            (0x3bee, true) | (0xfbee, false) => {
                let first = if is_sealed { 80 } else { 32 };
                if count > (raw.len() - first) / 8 {
                    return collected.found.push(wrong("it has more entries than room"));
                }
                for at in (0..count).map(|index| first + index * 8) {
                    let found = leaf_entry(&raw, at);
                    let Some(found) = found else {
                        let cause = format!("{what}: an entry leads out of it");
                        collected.found.push(Err(failure(Some(offset + at as u64), cause)));
                        continue;
                    };
                    if !collected.push(found, offset) {
                        return;
                    }
                }
            }
            _ => collected.found.push(wrong("it has no magic")),
        }
    }

    /// A block of the attributes' fork, with its place.
    fn fork_block(&self, layout: &Layout, block: u32) -> Result<(Vec<u8>, u64), Failure> {
        let at = u64::from(block) * self.block_size();
        let runs = layout.window(at, at + self.block_size());
        let Some(offset) = runs.first().and_then(|run| run.medium_offset) else {
            return Err(failure(None, "a block of attributes is not there"));
        };
        Ok((read(&*self.bytes, offset, self.superblock.block_size as usize)?, offset))
    }

    /// Where the value from a block on lies; in version 5 each of its blocks has a header, which is
    /// compared with the value.
    pub fn value_layout(&self, owner: u64, fork: &Fork, block: u32, size: u32) -> Result<Layout, Failure> {
        let layout = self.layout(owner, fork, false)?;
        let (first, block_size) = (u64::from(block) * self.block_size(), self.block_size());
        let mut value = Layout::new(self.size());
        if !self.superblock.is_sealed {
            for run in layout.window(first, first + u64::from(size)) {
                value.push(run.medium_offset, run.length)?;
            }
            return Ok(value);
        }
        let what = "block of an attribute's value";
        let seal = Seal { what, sum: 12, place: Some(40), uuid: 16, owner: Some((32, Owner::Inode)) };
        for index in 0..u64::from(size).div_ceil(block_size - HEAD) {
            let block = u32::try_from(u64::from(block) + index).unwrap_or(u32::MAX);
            let (raw, offset) = self.fork_block(&layout, block)?;
            let part = (u64::from(size) - value.end()).min(block_size - HEAD);
            if !is_at(&raw, 0, b"XARM") {
                return Err(failure(Some(offset), format!("{what}: it has no magic")));
            }
            self.verify(&raw, offset, seal, owner)?;
            if u64::from(be32(&raw, 4)) != value.end() || u64::from(be32(&raw, 8)) != part {
                return Err(failure(Some(offset), format!("{what}: it holds another part of a value")));
            }
            value.push(Some(offset + HEAD), part)?;
        }
        Ok(value)
    }

    /// The bytes at the start of a fork. The caller bounds them.
    pub fn start_of(&self, layout: &Layout, length: u64) -> Result<Vec<u8>, Failure> {
        gather(&*self.bytes, layout, 0, usize::try_from(length).unwrap_or(0))
    }
}

/// The attributes in an inode.
fn short(fork: &Fork, collected: &mut AttributeList) {
    let (size, count) = (usize::from(be16(&fork.raw, 0)), byte(&fork.raw, 2));
    let raw = fork.raw.get(..size).unwrap_or_default();
    let mut at = 4;
    for _ in 0..count {
        let (name, value, flags) = (usize::from(byte(raw, at)), usize::from(byte(raw, at + 1)), byte(raw, at + 2));
        let end = at + 3 + name + value;
        let Some(bytes) = raw.get(at + 3..end).filter(|_| name > 0) else {
            let cause = "an attribute leads out of the inode";
            return collected.found.push(Err(failure(Some(fork.offset + at as u64), cause)));
        };
        let held = Value::Held(bytes[name..].into());
        collected.push(Attribute::new(flags, &bytes[..name], held), fork.offset);
        at = end;
    }
    if at != size {
        let cause = "the attributes in the inode are of another size than it states";
        collected.found.push(Err(failure(Some(fork.offset), cause)));
    }
}

/// The attribute of an entry of a leaf: `None` if the entry leads out of the leaf, `Some(None)` for
/// a parent pointer or an incomplete attribute.
fn leaf_entry(raw: &[u8], at: usize) -> Option<Option<Attribute>> {
    let (place, flags) = (usize::from(be16(raw, at + 4)), byte(raw, at + 6));
    if flags & LOCAL != 0 {
        let (value, name) = (usize::from(be16(raw, place)), usize::from(byte(raw, place + 2)));
        let bytes = raw.get(place + 3..place + 3 + name + value).filter(|_| name > 0)?;
        return Some(Attribute::new(flags, &bytes[..name], Value::Held(bytes[name..].into())));
    }
    let (block, size, name) = (be32(raw, place), be32(raw, place + 4), usize::from(byte(raw, place + 8)));
    let name = raw.get(place + 9..place + 9 + name).filter(|name| !name.is_empty())?;
    Some(Attribute::new(flags, name, Value::Remote { block, size }))
}
