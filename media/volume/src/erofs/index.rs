//! The index of a compressed file: the kind and the place of each of its logical clusters, in eight
//! bytes each, or packed into four or two.

use std::sync::Arc;

use super::inode::{Form, Inode};
use super::unpack::Method;
use super::volume::Erofs;
use pfh_bytes::field::{byte, failure, le16, le32, le64, read};
use pfh_bytes::node::Failure;

/// Bits of the header: packed into two bytes each, large clusters of either head, the end behind
/// the index, plain bytes at their places in a block, the end in the inode for such.
const IN_TWO: u16 = 1;
const LARGE: [u16; 2] = [2, 4];
const INLINE: u16 = 8;
const INTERLACED: u16 = 0x10;
const FRAGMENT: u16 = 0x20;
const KNOWN: u16 = 0x3f;
/// The bit of a distance that is a count of blocks.
const COUNT: u32 = 1 << 11;
/// The bit of a head whose cluster holds more bytes than the file has of it.
const PARTIAL: u16 = 1 << 15;

/// The kind of a logical cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes that are not compressed begin in it.
    Plain,
    /// Compressed ones do, by the first method or the second.
    Head(usize),
    /// Neither.
    Inner,
}

/// A logical cluster.
#[derive(Debug, Clone, Copy)]
pub struct Cluster {
    pub kind: Kind,
    /// Of a head: where in it the bytes begin, and the block that they are stored in.
    pub within: u32,
    pub block: u32,
    /// Of an inner one: how many clusters back its head is, if that is known.
    pub back: u32,
    /// Of the first inner one: how many blocks the bytes are stored in.
    pub blocks: Option<u32>,
    /// Of a head: whether there are more bytes in its cluster than the file has of it.
    pub is_partial: bool,
    /// Where the bytes behind this part of the index begin.
    pub end: u64,
}

/// The part of a file that lies apart from its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Nothing,
    /// The last cluster is behind the index, with this many bytes.
    Inline(u32),
    /// The last cluster is in the inode for ends, from there on.
    Fragment(u64),
    /// The whole file is.
    Whole(u64),
}

/// The index of a file.
pub struct Index {
    volume: Arc<Erofs>,
    is_compact: bool,
    /// Where the rows begin, how many there are, the logarithm of the size of a cluster.
    start: u64,
    pub count: u64,
    pub log: u32,
    /// How many rows have four bytes in front of those that have two, and how many these are.
    before: u64,
    in_two: u64,
    is_large: [bool; 2],
    pub methods: [Option<Method>; 2],
    pub is_interlaced: bool,
    pub end: End,
}

impl Index {
    /// The index of an inode, which must be compressed.
    pub fn new(volume: &Arc<Erofs>, inode: &Inode) -> Result<Index, Failure> {
        let at = inode.behind().next_multiple_of(8);
        let raw = read(&*volume.bytes, at, 8)?;
        let is_compact = matches!(inode.form, Form::Packed { is_compact: true });
        let (advise, methods, bits) = (le16(&raw, 4), byte(&raw, 6), byte(&raw, 7));
        let mut index = Index {
            volume: volume.clone(),
            is_compact,
            start: at.saturating_add(if is_compact { 8 } else { 16 }),
            count: 0,
            log: u32::from(volume.superblock.block_log) + u32::from(bits & 7),
            before: 0,
            in_two: 0,
            is_large: [false; 2],
            methods: [methods & 15, methods >> 4].map(Method::of),
            is_interlaced: advise & INTERLACED != 0,
            end: End::Nothing,
        };
        if bits & 0x80 != 0 {
            index.end = End::Whole(le64(&raw, 0) ^ 1 << 63);
            return Ok(index);
        }
        if advise & !KNOWN != 0 {
            return Err(failure(Some(at + 4), format!("a compressed file with unknown flags ({advise:#x})")));
        }
        index.is_large = LARGE.map(|bit| advise & bit != 0);
        index.count = inode.size.div_ceil(1 << index.log);
        if is_compact {
            index.before = ((32 - index.start % 32) / 4) & 7;
            if advise & IN_TWO != 0 && index.before < index.count {
                index.in_two = (index.count - index.before) / 16 * 16;
            }
        }
        if advise & INLINE != 0 && advise & FRAGMENT == 0 {
            index.end = End::Inline(le16(&raw, 2).into());
        } else if advise & FRAGMENT != 0 {
            index.end = End::Fragment(le32(&raw, 0).into());
        }
        Ok(index)
    }

    /// Whether each row has eight bytes.
    pub fn is_full(&self) -> bool {
        !self.is_compact
    }

    /// Whether clusters of a kind may have several blocks.
    pub fn is_large(&self, kind: Kind) -> bool {
        match kind {
            Kind::Head(method) => self.is_large[method],
            _ => self.is_large[0] || self.is_large[1],
        }
    }

    /// The cluster of this number.
    pub fn cluster(&self, number: u64) -> Result<Cluster, Failure> {
        if number >= self.count {
            return Err(failure(Some(self.start), format!("cluster {number} of {}", self.count)));
        }
        if self.is_compact { self.compact(number) } else { self.full(number) }
    }

    fn full(&self, number: u64) -> Result<Cluster, Failure> {
        let at = self.start.saturating_add(number.saturating_mul(8));
        let raw = read(&*self.volume.bytes, at, 8)?;
        let (advise, value) = (le16(&raw, 0), le32(&raw, 4));
        let mut cluster = Cluster {
            kind: kind(advise.into()),
            within: le16(&raw, 2).into(),
            block: value,
            back: 0,
            blocks: None,
            is_partial: advise & PARTIAL != 0,
            end: at.saturating_add(8),
        };
        if cluster.kind == Kind::Inner {
            let distance = value & 0xffff;
            match distance & COUNT != 0 && self.is_large(Kind::Inner) {
                true => (cluster.back, cluster.blocks) = (1, Some(distance & !COUNT)),
                false => cluster.back = distance,
            }
        }
        Ok(cluster)
    }

    fn compact(&self, number: u64) -> Result<Cluster, Failure> {
        // Packs of two rows in eight bytes, or of sixteen in 32; a block's number ends each.
        let middle = self.before + self.in_two;
        let two = self.start.saturating_add(self.before * 4);
        let behind = two.saturating_add(self.in_two * 2);
        let (rows, start, number) = match number {
            _ if number < self.before => (2, self.start, number),
            _ if number < middle => (16, two, number - self.before),
            _ => (2, behind, number - middle),
        };
        // The first rows may begin within a pack.
        let size = if rows == 2 { 8 } else { 32 };
        let each = size / rows;
        let place = start.saturating_add(number.saturating_mul(each));
        let pack = place / size * size;
        let raw = read(&*self.volume.bytes, pack, size as usize)?;
        let bits = (size as usize - 4) * 8 / rows as usize;
        let low = self.log.max(12);
        if low + 2 > bits as u32 {
            return Err(failure(Some(pack), "clusters that are too large for a packed index"));
        }
        let row = |index: u64| {
            let from = index as usize * bits;
            let value = le32(&raw, from / 8) >> (from % 8);
            (value & ((1 << low) - 1), kind(value >> low & 3))
        };
        let index = (place - pack) / each;
        let (value, kind) = row(index);
        let mut cluster = Cluster {
            kind,
            within: value,
            block: 0,
            back: 0,
            blocks: None,
            is_partial: false,
            end: pack.saturating_add(size),
        };
        let wrong = |cause: &str| Err(failure(Some(pack), cause));
        let is_large = self.is_large(Kind::Inner);
        if kind == Kind::Inner {
            if value & COUNT != 0 {
                if !is_large {
                    return wrong("a count of blocks in a file of clusters of one block");
                }
                (cluster.back, cluster.blocks) = (1, Some(value & !COUNT));
            } else if index + 1 < rows {
                cluster.back = value;
            } else {
                // The last row holds the distance to the next head: the row before says the
                // distance back.
                cluster.back = match row(index - 1) {
                    (_, Kind::Plain | Kind::Head(_)) => 1,
                    (before, Kind::Inner) if before & COUNT != 0 => 2,
                    (before, Kind::Inner) => before + 1,
                };
            }
            return Ok(cluster);
        }
        // The blocks of the heads in front of it in the pack are counted.
        let base = le32(&raw, size as usize - 4);
        let (mut before, mut blocks) = (index as i64, u32::from(!is_large));
        while before > 0 {
            before -= 1;
            let (value, kind) = row(before as u64);
            if kind != Kind::Inner {
                blocks += 1;
            } else if !is_large {
                before -= i64::from(value);
                blocks += u32::from(before >= 0);
            } else if value & COUNT != 0 {
                before -= 1;
                blocks += value & !COUNT;
            } else if value <= 1 {
                return wrong("a distance that a file of large clusters cannot have");
            } else {
                before -= i64::from(value) - 2;
            }
        }
        cluster.block = base.wrapping_add(blocks);
        Ok(cluster)
    }
}

fn kind(number: u32) -> Kind {
    match number & 3 {
        0 => Kind::Plain,
        1 => Kind::Head(0),
        3 => Kind::Head(1),
        _ => Kind::Inner,
    }
}
