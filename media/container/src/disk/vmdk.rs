//! VMDK, after VMware's "Virtual Disk Format 5.0": a descriptor in text, and extents that are
//! sparse, compressed or flat. All numbers are little-endian and, but for lengths, in sectors.

mod descriptor;
mod sparse;

use super::parent::{Parent, Parents};
use super::{Disk, Failure, Kind, sibling};
use crate::Bytes;
use descriptor::{Descriptor, ExtentPlace};
use sparse::{SECTOR, Sparse};
use std::io;
use std::sync::Arc;

/// Where a range of the disk is.
enum Part {
    /// In a sparse extent, from its start on.
    Sparse(Sparse),
    /// In a file, from an offset in bytes on.
    Flat(Arc<dyn Bytes>, u64),
    /// Nowhere: zeros.
    Zero,
}

/// A range of the disk.
struct Extent {
    start: u64,
    length: u64,
    part: Part,
}

/// A VMDK, open.
struct Vmdk {
    extents: Vec<Extent>,
    size: u64,
    id: String,
    parent: Option<Parent>,
    notes: Vec<String>,
}

/// The parent of a difference, which must be the disk that it was made to.
fn older(descriptor: &Descriptor, files: &dyn Parents, notes: &mut Vec<String>) -> Result<Option<Parent>, Failure> {
    let Some((id, hint)) = &descriptor.parent else { return Ok(None) };
    let parent = files.parent(std::slice::from_ref(hint), false)?;
    parent.expect(id)?;
    notes.push(parent.note());
    Ok(Some(parent))
}

/// Opens a VMDK by its descriptor, or by the one file that holds descriptor and disk.
pub fn open(file: Arc<dyn Bytes>, files: &dyn Parents) -> Result<Box<dyn Disk>, Failure> {
    let mut start = [0; 4];
    file.read_exact_at(0, &mut start)?;
    let mut notes = Vec::new();
    if start == *b"KDMV" {
        let sparse = Sparse::open(file.clone(), true, &mut notes)?;
        let mut first = [0];
        let descriptor = sparse.descriptor();
        descriptor.map_or(Ok(()), |(at, _)| file.read_exact_at(at, &mut first))?;
        let Some((at, length)) = descriptor.filter(|_| first != [0]) else {
            return Err(Failure::refused("one extent of a disk in several: open the descriptor, the small .vmdk"));
        };
        let descriptor = Descriptor::read(&*file, at, length)?;
        if descriptor.extents.len() > 1 {
            return Err(Failure::refused("a descriptor of several extents within one of them"));
        }
        let size = sparse.size();
        let extents = vec![Extent { start: 0, length: size, part: Part::Sparse(sparse) }];
        let parent = older(&descriptor, files, &mut notes)?;
        return Ok(Box::new(Vmdk { extents, size, id: descriptor.id, parent, notes }));
    }
    let descriptor = Descriptor::read(&*file, 0, file.size())?;
    let parent = older(&descriptor, files, &mut notes)?;
    let (mut extents, mut size) = (Vec::new(), 0_u64);
    let mut ends: Vec<(String, u64, u64)> = Vec::new();
    for line in descriptor.extents {
        let length = line.sectors.checked_mul(SECTOR).filter(|length| size.checked_add(*length).is_some());
        let length = length.ok_or_else(|| Failure::malformed("extents of more than 2^64 bytes"))?;
        let part = match line.held {
            ExtentPlace::Zero => Part::Zero,
            ExtentPlace::Flat(name, offset) => {
                let file = sibling(files.files(), &name)?;
                let at = offset.checked_mul(SECTOR).and_then(|at| Some((at, at.checked_add(length)?)));
                match at.filter(|(_, end)| *end <= file.size()) {
                    Some((at, end)) => {
                        ends.push((name, end, file.size()));
                        Part::Flat(file, at)
                    }
                    None => return Err(Failure::malformed(format!("{name:?} is shorter than its extent"))),
                }
            }
            ExtentPlace::Sparse(name) => {
                let sparse = Sparse::open(sibling(files.files(), &name)?, false, &mut notes)?;
                if sparse.size() < length {
                    return Err(Failure::malformed(format!("{name:?} is shorter than its extent")));
                }
                Part::Sparse(sparse)
            }
        };
        extents.push(Extent { start: size, length, part });
        size += length;
    }
    // Bytes behind the extent in one file of several have moved all others, or are hidden.
    let behind = |(name, _, size): &&(String, u64, u64)| {
        let end = ends.iter().filter(|(other, ..)| other == name).map(|(_, end, _)| *end).max();
        extents.len() > 1 && end.is_some_and(|end| size.saturating_sub(end) >= SECTOR)
    };
    if let Some((name, end, size)) = ends.iter().find(behind) {
        return Err(Failure::malformed(format!("{name:?} has {size} bytes, and its extent ends at {end}")));
    }
    if extents.is_empty() {
        return Err(Failure::malformed("a descriptor without an extent"));
    }
    Ok(Box::new(Vmdk { extents, size, id: descriptor.id, parent, notes }))
}

impl Bytes for Vmdk {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        if offset >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        // Extents may be empty; the last that starts here or before, and is not, is the one.
        let after = self.extents.partition_point(|extent| extent.start <= offset);
        let Some(extent) = self.extents[..after].last() else { return Ok(0) };
        let inside = offset - extent.start;
        let take = usize::try_from(extent.length - inside).unwrap_or(usize::MAX).min(buffer.len());
        let buffer = &mut buffer[..take];
        match &extent.part {
            Part::Sparse(sparse) => {
                let Some(parent) = &self.parent else { return sparse.read_at(inside, buffer) };
                let (take, is_own) = sparse.own(inside, buffer.len())?;
                if is_own {
                    return sparse.read_at(inside, &mut buffer[..take]);
                }
                parent.read(offset, &mut buffer[..take])?;
                Ok(take)
            }
            Part::Flat(file, at) => file.read_at(at + inside, buffer),
            Part::Zero => {
                buffer.fill(0);
                Ok(take)
            }
        }
    }
}

impl Disk for Vmdk {
    fn kind(&self) -> Kind {
        Kind::Vmdk
    }

    fn identity(&self) -> Option<String> {
        Some(self.id.clone())
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
