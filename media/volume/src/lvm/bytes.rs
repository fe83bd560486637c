//! The bytes of a logical volume: extents of physical volumes, one after the other.

use std::io;
use std::sync::Arc;

use crate::bytes::Bytes;
use crate::field::failure;
use crate::node::Failure;

use super::group::{Group, Place, Segment};

/// A range of a physical volume.
struct Range {
    of: Arc<dyn Bytes>,
    /// Where it begins on the physical volume, and in the logical one.
    at: u64,
    start: u64,
}

/// Ranges of physical volumes, one after the other.
#[derive(Default)]
pub struct Extents {
    ranges: Vec<Range>,
    size: u64,
}

impl Extents {
    /// Adds a segment, which must begin where the one before ended.
    pub fn push(&mut self, of: &Arc<dyn Bytes>, group: &Group, on: &Place, segment: &Segment) -> Result<(), Failure> {
        let extent = group.extent;
        let product = |count: u64| count.checked_mul(extent);
        let found = (|| {
            let at = on.start.checked_add(product(segment.from)?)?;
            let length = product(segment.count)?;
            let end = at.checked_add(length)?;
            let fits = product(segment.first)? == self.size && segment.from.checked_add(segment.count)? <= on.count;
            (fits && end <= of.size()).then_some((at, self.size.checked_add(length)?))
        })();
        let (at, end) = found.ok_or_else(|| {
            failure(
                None,
                format!("its segment at extent {} leads out of its physical volume, or of its place", segment.first),
            )
        })?;
        self.ranges.push(Range { of: of.clone(), at, start: self.size });
        self.size = end;
        Ok(())
    }
}

impl Bytes for Extents {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        let after = self.ranges.partition_point(|range| range.start <= offset);
        let Some(range) = after.checked_sub(1).and_then(|at| self.ranges.get(at)) else { return Ok(0) };
        let end = self.ranges.get(after).map_or(self.size, |next| next.start);
        let room = usize::try_from(end - offset).unwrap_or(usize::MAX).min(buffer.len());
        range.of.read_at(range.at + (offset - range.start), &mut buffer[..room])
    }
}
