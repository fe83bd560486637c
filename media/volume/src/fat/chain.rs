//! Clusters and the table that chains them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{byte, failure, le16, le32, read_some};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// How wide an entry of the table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Twelve,
    Sixteen,
    /// 28 bits, the others are reserved.
    ThirtyTwo,
    /// exFAT: all 32 bits.
    Exfat,
}

/// An entry of the table, for one cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Free,
    Next(u32),
    End,
    Bad,
}

/// Bytes of the table, or of exFAT's bitmap, that are held.
const WINDOW: u64 = 1 << 16;

/// The most runs of free clusters that are held: 16 MiB or so.
const MOST_RUNS: usize = 1 << 19;

/// A piece of the medium with its place, counted in windows.
type HeldPiece = Mutex<Option<(u64, Arc<[u8]>)>>;

/// The clusters of a volume.
pub struct Clusters {
    pub bytes: Arc<dyn Bytes>,
    pub width: Width,
    /// Where the table begins, in bytes.
    pub table: u64,
    /// Where cluster 2 begins, in bytes.
    pub data: u64,
    /// In bytes.
    pub cluster_size: u64,
    /// How many there are; they are counted from 2.
    pub count: u32,
    /// exFAT's own map of clusters in use.
    pub bitmap: Option<Layout>,
    /// The part of the table, and of the bitmap, that was read last.
    pub held: [HeldPiece; 2],
    /// Runs of clusters that were found free: start and end of each. A million deleted files may
    /// claim the same clusters; each cluster is looked at once.
    pub free: Mutex<BTreeMap<u32, u32>>,
}

impl Clusters {
    /// Where the data ends: no run may go beyond.
    pub fn size(&self) -> u64 {
        self.data + u64::from(self.count) * self.cluster_size
    }

    /// Where a cluster begins, in bytes.
    pub fn offset(&self, cluster: u32) -> Result<u64, Failure> {
        let index = cluster.checked_sub(2).filter(|&index| index < self.count);
        let index = index.ok_or_else(|| failure(None, format!("cluster {cluster} is not one of the volume's")))?;
        Ok(self.data + u64::from(index) * self.cluster_size)
    }

    /// Four bytes at `offset` of the medium, through the held part.
    fn bytes_at(&self, which: usize, offset: u64) -> Result<[u8; 4], Failure> {
        let window = offset / WINDOW;
        let mut held = self.held[which].lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match &*held {
            Some((place, bytes)) if *place == window => bytes.clone(),
            _ => {
                let bytes: Arc<[u8]> = read_some(&*self.bytes, window * WINDOW, WINDOW as usize + 4)?.into();
                *held = Some((window, bytes.clone()));
                bytes
            }
        };
        let at = (offset % WINDOW) as usize;
        if at >= bytes.len() {
            return Err(failure(Some(offset), "the medium ends before"));
        }
        Ok([0, 1, 2, 3].map(|next| byte(&bytes, at + next)))
    }

    /// An entry of the table, for one cluster.
    pub fn link(&self, cluster: u32) -> Result<Link, Failure> {
        self.offset(cluster)?;
        let at = |offset: u64| self.bytes_at(0, self.table + offset);
        let index = u64::from(cluster);
        let (value, bad) = match self.width {
            Width::Twelve => {
                let pair = le16(&at(index + index / 2)?, 0);
                (u32::from(if cluster.is_multiple_of(2) { pair & 0xfff } else { pair >> 4 }), 0xff7)
            }
            Width::Sixteen => (u32::from(le16(&at(2 * index)?, 0)), 0xfff7),
            Width::ThirtyTwo => (le32(&at(4 * index)?, 0) & 0x0fff_ffff, 0x0fff_fff7),
            Width::Exfat => (le32(&at(4 * index)?, 0), 0xffff_fff7),
        };
        Ok(match value {
            0 => Link::Free,
            _ if value == bad => Link::Bad,
            _ if value > bad => Link::End,
            next => Link::Next(next),
        })
    }

    /// Whether a cluster is in use.
    pub fn is_used(&self, cluster: u32) -> Result<bool, Failure> {
        let Some(bitmap) = &self.bitmap else { return Ok(self.link(cluster)? != Link::Free) };
        self.offset(cluster)?;
        let index = u64::from(cluster - 2);
        let run = bitmap.window(index / 8, index / 8 + 1);
        let offset = run.first().and_then(|run| run.medium_offset);
        let offset = offset.ok_or_else(|| failure(None, "the bitmap of clusters is too short"))?;
        Ok(self.bytes_at(1, offset)?[0] >> (index % 8) & 1 == 1)
    }

    /// The clusters of a file of `size` bytes, in the order of the table; all of a directory, whose
    /// size is not stated.
    pub fn chain(&self, first: u32, size: Option<u64>) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.size());
        if size == Some(0) {
            return Ok(layout);
        }
        let mut cluster = first;
        // Brent's algorithm: a circle is found when the chain is at most three times as long as it
        // needs to be.
        let (mut mark, mut steps, mut most) = (first, 0_u32, 1_u32);
        loop {
            let offset = self.offset(cluster)?;
            layout.push(Some(offset), self.cluster_size)?;
            let is_whole = size.is_some_and(|size| layout.end() >= size);
            match self.link(cluster)? {
                _ if is_whole => return Ok(layout),
                Link::Next(next) if next == mark => {
                    return Err(failure(Some(offset), "the chain of clusters leads to itself"));
                }
                Link::Next(next) => {
                    cluster = next;
                    steps += 1;
                    if steps == most {
                        (mark, steps, most) = (cluster, 0, most.saturating_mul(2));
                    }
                }
                Link::End if size.is_none() => return Ok(layout),
                Link::End => {
                    let cause = format!("the chain of clusters ends after {} bytes, before the size", layout.end());
                    return Err(failure(Some(offset), cause));
                }
                Link::Free => return Err(failure(Some(offset), "the chain of clusters leads to a free one")),
                Link::Bad => return Err(failure(Some(offset), "the chain of clusters leads to a bad one")),
            }
        }
    }

    /// The clusters of a file of `size` bytes, one after the other.
    pub fn contiguous(&self, first: u32, size: u64) -> Result<Layout, Failure> {
        let mut layout = Layout::new(self.size());
        if size > 0 {
            let length = size.div_ceil(self.cluster_size).checked_mul(self.cluster_size);
            let length = length.ok_or_else(|| failure(None, "a size beyond any volume"))?;
            layout.push(Some(self.offset(first)?), length)?;
        }
        Ok(layout)
    }

    /// Whether a run of clusters is free; `false` too if it cannot be known.
    pub fn is_free(&self, first: u32, size: u64) -> bool {
        let last = u64::from(first) + size.div_ceil(self.cluster_size);
        let Ok(last) = u32::try_from(last) else { return false };
        last <= self.count.saturating_add(2) && self.free_until(first, last) >= last
    }

    /// The first cluster from `first` on that is in use, or not known; at most `last` if none
    /// before is.
    fn free_until(&self, first: u32, last: u32) -> u32 {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut start, mut at) = (first, first);
        if let Some((&from, &end)) = free.range(..=first).next_back()
            && end > first
        {
            (start, at) = (from, end);
        }
        while at < last {
            if let Some(end) = free.remove(&at) {
                at = end;
            } else if matches!(self.is_used(at), Ok(false)) {
                at += 1;
            } else {
                break;
            }
        }
        if at > start {
            if free.len() >= MOST_RUNS {
                free.clear();
            }
            free.insert(start, at);
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_is_found_as_one_by_one() {
        let mut table = vec![0_u8; 4096];
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        for _ in 0..40 {
            let at = (2 + next() % 1000) as usize * 2;
            table[at..at + 2].copy_from_slice(&[0xff, 0xff]);
        }
        let clusters = Clusters {
            bytes: Arc::new(table),
            width: Width::Sixteen,
            table: 0,
            data: 4096,
            cluster_size: 512,
            count: 1000,
            bitmap: None,
            held: [Mutex::default(), Mutex::default()],
            free: Mutex::default(),
        };
        for _ in 0..5000 {
            let (first, length) = (next() % 1010, next() % 90);
            let last = first + length;
            let each = (first..last).all(|cluster| matches!(clusters.is_used(cluster), Ok(false)));
            let found = clusters.is_free(first, u64::from(length) * 512);
            assert_eq!(found, last <= 1002 && each, "{first} + {length}");
        }
        let held = clusters.free.lock().unwrap();
        // Runs do not overlap, and hold nothing that is in use.
        assert!(held.iter().zip(held.iter().skip(1)).all(|(one, two)| one.1 < two.0), "{held:?}");
        assert!(held.len() < 60);
    }
}
