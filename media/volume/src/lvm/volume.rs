//! The bytes of a logical volume, out of its segments.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use super::group::{Group, Kind, Raid, Segment};
use super::raid;
use super::snapshot::Snapshot;
use super::thin::Pool;
use crate::raid::{Array, Device, Geometry, striped};
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// How many logical volumes may lie in one another; LVM2 has four (a snapshot of a volume of a pool
/// whose data are an array).
const DEEPEST: u32 = 8;

/// A range of a logical volume.
struct Range {
    /// Where it begins.
    start: u64,
    bytes: Arc<dyn Bytes>,
}

/// Ranges, one after the other.
struct Ranges {
    ranges: Vec<Range>,
    size: u64,
}

impl Bytes for Ranges {
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
        range.bytes.read_at(offset - range.start, &mut buffer[..room])
    }
}

/// A group and those of its physical volumes that are there, by their identifiers.
pub struct Opener<'a> {
    /// The group.
    pub group: &'a Group,
    /// Its physical volumes.
    pub volumes: &'a BTreeMap<String, Arc<dyn Bytes>>,
}

fn wrong(cause: impl Into<String>) -> Failure {
    failure(None, cause)
}

impl Opener<'_> {
    /// The bytes of a logical volume as people see it, and the name that they know.
    pub fn visible(&self, name: &str) -> (String, Result<Arc<dyn Bytes>, Failure>) {
        // A snapshot has the name of the volume that its differences are kept in.
        match self.group.logical.get(name).map(|logical| &logical.segments[..]) {
            Some([Segment { kind: Kind::Snapshot(origin, store), .. }]) => {
                let opened = self.volume(origin, 1).and_then(|origin| Snapshot::open(origin, &self.volume(store, 1)?));
                (store.clone(), opened.map(|snapshot| Arc::new(snapshot) as Arc<dyn Bytes>))
            }
            _ => (name.to_owned(), self.volume(name, 0)),
        }
    }

    fn volume(&self, name: &str, depth: u32) -> Result<Arc<dyn Bytes>, Failure> {
        if depth > DEEPEST {
            return Err(wrong("logical volumes too deep in one another"));
        }
        let logical = self.group.logical.get(name);
        let logical = logical.ok_or_else(|| wrong(format!("a logical volume {name:?} that is not listed")))?;
        let mut found = Ranges { ranges: Vec::new(), size: 0 };
        for segment in &logical.segments {
            let product = |count: u64| count.checked_mul(self.group.extent);
            let (first, length) = (product(segment.first), product(segment.count));
            let (Some(first), Some(length)) = (first, length) else { return Err(wrong("more than 2^64 bytes")) };
            let end = first.checked_add(length);
            let (true, Some(end)) = (first == found.size, end) else {
                return Err(wrong(format!("its segment at extent {} is not in its place", segment.first)));
            };
            let bytes = self.segment(&segment.kind, length, depth)?;
            if bytes.size() < length {
                return Err(wrong(format!("its segment at extent {} leads out of the device below it", segment.first)));
            }
            found.ranges.push(Range { start: first, bytes });
            found.size = end;
        }
        Ok(Arc::new(found))
    }

    fn segment(&self, kind: &Kind, length: u64, depth: u32) -> Result<Arc<dyn Bytes>, Failure> {
        match kind {
            Kind::Striped(chunk, stripes) => self.striped(*chunk, stripes, length),
            Kind::Mirror(copies) => {
                let devices = copies.iter().map(|(name, from)| {
                    let copy = self.volume(name, depth + 1)?;
                    self.slice(&copy, from.checked_mul(self.group.extent), length)
                });
                raid::mirror(devices.collect(), length)
            }
            Kind::Raid(raid) => self.raid(raid, length, depth),
            Kind::Thin(pool, number) => {
                let logical = self.group.logical.get(pool);
                let segments = logical.map(|logical| &logical.segments[..]);
                let Some([segment]) = segments else {
                    return Err(wrong(format!("a pool {pool:?} that is not listed")));
                };
                let Kind::Pool(metadata, data) = &segment.kind else {
                    return Err(wrong(format!("{pool:?} is not a pool of thin volumes")));
                };
                let pool = Pool::open(self.volume(metadata, depth + 1)?, self.volume(data, depth + 1)?)?;
                Ok(Arc::new(pool.volume(*number, length)?))
            }
            Kind::Pool(..) => Err(wrong("a pool of thin volumes, whose volumes are listed")),
            Kind::Snapshot(..) => Err(wrong("a snapshot in a place where there is none")),
            Kind::Other(kind) => Err(wrong(format!("a logical volume of the type {kind}"))),
        }
    }

    fn raid(&self, raid: &Raid, length: u64, depth: u32) -> Result<Arc<dyn Bytes>, Failure> {
        let open = |name: &String| self.volume(name, depth + 1);
        let devices = raid.devices.iter().map(|(metadata, data)| (metadata.as_ref().map(open), open(data)));
        raid::array(raid, devices.collect(), length)
    }

    fn slice(&self, of: &Arc<dyn Bytes>, start: Option<u64>, length: u64) -> Result<Arc<dyn Bytes>, Failure> {
        let slice = start.and_then(|start| Slice::new(of.clone(), start, length));
        slice.map(|slice| Arc::new(slice) as Arc<dyn Bytes>).ok_or_else(|| wrong("a segment leads out of its volume"))
    }

    /// Extents of physical volumes.
    fn striped(&self, chunk: u64, stripes: &[(String, u64)], length: u64) -> Result<Arc<dyn Bytes>, Failure> {
        let each = length / stripes.len() as u64;
        let place = |(name, from): &(String, u64)| {
            let at = self.group.physical.get(name);
            let at = at.ok_or_else(|| wrong(format!("a physical volume {name:?} that is not listed")))?;
            let bytes = self.volumes.get(&at.id);
            let bytes = bytes.ok_or_else(|| wrong(format!("the physical volume {name} ({}) is not there", at.id)))?;
            let fits = from.checked_add(each.div_ceil(self.group.extent)).is_some_and(|end| end <= at.count);
            let start = from.checked_mul(self.group.extent).and_then(|from| at.start.checked_add(from));
            self.slice(bytes, start.filter(|_| fits), each)
        };
        if let [only] = stripes {
            return place(only);
        }
        if chunk == 0 || !each.is_multiple_of(chunk) || each * stripes.len() as u64 != length {
            return Err(wrong(format!("{} stripes in chunks of {chunk} bytes", stripes.len())));
        }
        let device = |bytes: Arc<dyn Bytes>| Some(Device { bytes, start: 0, valid: each, bad: Vec::new() });
        let devices = stripes.iter().map(|stripe| Ok(device(place(stripe)?))).collect::<Result<Vec<_>, Failure>>()?;
        let geometry = Geometry::Bands(striped(&vec![each; stripes.len()], chunk, false));
        Ok(Arc::new(Array { geometry, devices, size: length, in_sync: u64::MAX }))
    }
}
