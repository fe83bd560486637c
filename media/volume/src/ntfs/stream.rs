//! The value of an attribute, which may be placed in parts by several records.

use std::sync::Arc;

use super::attribute::{Attribute, Body};
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// The stream is compressed; the lower byte names the method.
const COMPRESSED: u16 = 0x00ff;
const ENCRYPTED: u16 = 0x4000;

/// A value.
#[derive(Debug, Clone)]
pub struct Stream {
    pub size: u64,
    pub initialised: u64,
    pub flags: u16,
    /// Logarithm of the clusters that are compressed together.
    pub unit: u16,
    /// The value, if it is in a record.
    pub resident: Option<Arc<[u8]>>,
    /// First cluster and runs of each part, in order.
    parts: Vec<(u64, Vec<u8>)>,
}

impl Stream {
    /// The value of the attribute of this kind and name; `None` if there is none.
    ///
    /// # Errors
    /// If its parts contradict one another.
    pub fn of(attributes: &[Attribute], kind: u32, name: &[u16]) -> Result<Option<Stream>, Failure> {
        let mut found: Option<Stream> = None;
        let mut parts = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.kind == kind && attribute.name == name) {
            match &attribute.body {
                Body::Resident(value) => {
                    if found.is_some() {
                        return Err(failure(None, "two values of the same attribute"));
                    }
                    found = Some(Stream {
                        size: value.len() as u64,
                        initialised: value.len() as u64,
                        flags: attribute.flags,
                        unit: 0,
                        resident: Some(value.as_slice().into()),
                        parts: Vec::new(),
                    });
                }
                Body::Clusters { first, unit, size, initialised, pairs } => {
                    parts.push((*first, pairs.clone()));
                    if *first == 0 {
                        if found.is_some() {
                            return Err(failure(None, "two values of the same attribute"));
                        }
                        let (size, initialised) = (*size, (*initialised).min(*size));
                        let (flags, unit) = (attribute.flags, *unit);
                        found = Some(Stream { size, initialised, flags, unit, resident: None, parts: Vec::new() });
                    }
                }
            }
        }
        parts.sort_by_key(|part| part.0);
        match &mut found {
            Some(stream) if stream.resident.is_none() => stream.parts = parts,
            Some(_) if parts.is_empty() => {}
            None if parts.is_empty() => {}
            _ => return Err(failure(None, "the first part of an attribute is missing")),
        }
        Ok(found)
    }

    pub fn is_compressed(&self) -> bool {
        self.flags & COMPRESSED != 0 && self.unit != 0 && self.resident.is_none()
    }

    pub fn is_encrypted(&self) -> bool {
        self.flags & ENCRYPTED != 0
    }

    /// Where the value lies in a volume of `volume` bytes: whole clusters, holes included.
    ///
    /// # Errors
    /// If the parts do not follow one another, end before the size, or leave the volume.
    pub fn layout(&self, cluster_size: u64, volume: u64) -> Result<Layout, Failure> {
        let mut layout = Layout::new(volume);
        for (first, pairs) in &self.parts {
            if first.checked_mul(cluster_size) != Some(layout.end()) {
                return Err(failure(None, "the parts of an attribute do not follow one another"));
            }
            runs(pairs, cluster_size, &mut layout)?;
        }
        if layout.end() < self.size {
            let cause = format!("the runs end after {} bytes, before the size of {}", layout.end(), self.size);
            return Err(failure(None, cause));
        }
        Ok(layout)
    }
}

/// Reads coded runs: in each, the first byte says how long a length and a distance follow.
fn runs(pairs: &[u8], cluster_size: u64, layout: &mut Layout) -> Result<(), Failure> {
    let wrong = || failure(None, "the runs of an attribute contradict themselves");
    let (mut at, mut cluster) = (0, 0_i64);
    loop {
        let header = *pairs.get(at).ok_or_else(wrong)?;
        if header == 0 {
            return Ok(());
        }
        let (of_length, of_distance) = (usize::from(header & 15), usize::from(header >> 4));
        at += 1;
        let raw = pairs.get(at..at + of_length + of_distance).ok_or_else(wrong)?;
        at += raw.len();
        let number = |raw: &[u8]| {
            let sign = if raw.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 };
            let mut wide = [sign; 8];
            wide.get_mut(..raw.len())?.copy_from_slice(raw);
            Some(i64::from_le_bytes(wide))
        };
        let length = number(&raw[..of_length]).filter(|&length| length > 0).ok_or_else(wrong)?;
        let length = length.unsigned_abs().checked_mul(cluster_size).ok_or_else(wrong)?;
        let mut medium = None;
        if of_distance > 0 {
            let distance = number(&raw[of_length..]).ok_or_else(wrong)?;
            cluster = cluster.checked_add(distance).ok_or_else(wrong)?;
            let place = u64::try_from(cluster).ok().and_then(|cluster| cluster.checked_mul(cluster_size));
            medium = Some(place.ok_or_else(wrong)?);
        }
        layout.push(medium, length)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coded_runs() {
        let mut layout = Layout::new(1 << 20);
        // Four clusters at 16, two that are a hole, one at 16 - 6.
        runs(&[0x11, 4, 16, 0x01, 2, 0x11, 1, 0xfa, 0], 512, &mut layout).unwrap();
        let seen: Vec<_> = layout.runs().iter().map(|run| (run.medium_offset, run.length)).collect();
        assert_eq!(seen, [(Some(8192), 2048), (None, 1024), (Some(5120), 512)]);
        for hostile in [&[0x11, 4][..], &[0x11, 0, 1, 0], &[0x11, 1, 0xff, 0], &[0xff; 40], &[]] {
            runs(hostile, 512, &mut Layout::new(1 << 20)).unwrap_err();
        }
    }
}
