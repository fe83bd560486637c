//! LVM2: physical volumes on a medium, and the linear logical volumes that they make up, after the
//! structures that LVM2's own manual pages and its metadata text show.

mod bytes;
mod group;
mod label;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bytes::Bytes;
use crate::node::Failure;

use bytes::Extents;
use group::{Group, Logical};
use label::Physical;
pub use label::is_physical_volume;

/// A logical volume that is read.
pub struct LogicalVolume {
    /// `GROUP/NAME`, as below `/dev`.
    pub name: Vec<u8>,
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
}

/// The logical volumes of these physical volumes of one medium, in order of their groups and names;
/// what cannot be read is a failure in its place, whose path is its name.
pub fn logical_volumes(physical: &[Arc<dyn Bytes>]) -> Vec<Result<LogicalVolume, Failure>> {
    let mut found = Vec::new();
    let mut volumes: BTreeMap<String, Arc<dyn Bytes>> = BTreeMap::new();
    // Each physical volume has a copy of the metadata; the newest counts.
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for bytes in physical {
        let read = Physical::read(bytes);
        let Physical { id, text } = match read {
            Ok(read) => read,
            Err(failure) => {
                found.push(Err(failure));
                continue;
            }
        };
        if volumes.insert(id.clone(), bytes.clone()).is_some() {
            found.push(Err(crate::field::failure(None, format!("two physical volumes of the identifier {id}"))));
            continue;
        }
        let Some(text) = text else { continue };
        match Group::parse(&text) {
            Ok(group) => {
                let is_newer = groups.get(&group.id).is_none_or(|held| held.number < group.number);
                if is_newer {
                    groups.insert(group.id.clone(), group);
                }
            }
            Err(failure) => found.push(Err(failure)),
        }
    }
    let listed: Vec<&String> = groups.values().flat_map(|group| group.physical.values()).map(|at| &at.id).collect();
    for id in volumes.keys().filter(|id| !listed.contains(id)) {
        let cause = format!("the LVM2 physical volume {id} belongs to no volume group that is described here");
        found.push(Err(crate::field::failure(None, cause)));
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    for group in &groups {
        for logical in &group.logical {
            let name = format!("{}/{}", group.name, logical.name).into_bytes();
            found.push(open(group, logical, &volumes, &name).map_err(|failure| Failure { path: name, ..failure }));
        }
    }
    found
}

fn open(
    group: &Group,
    logical: &Logical,
    volumes: &BTreeMap<String, Arc<dyn Bytes>>,
    name: &[u8],
) -> Result<LogicalVolume, Failure> {
    let wrong = |cause: String| crate::field::failure(None, cause);
    let segments = logical.segments.as_ref().map_err(|kind| wrong(format!("a logical volume of the type {kind}")))?;
    let mut extents = Extents::default();
    for segment in segments {
        let at = group.physical.get(&segment.physical);
        let at = at.ok_or_else(|| wrong(format!("a physical volume {:?} that is not listed", segment.physical)))?;
        let bytes = volumes.get(&at.id).ok_or_else(|| {
            wrong(format!("the physical volume {} ({}) is not on this medium", segment.physical, at.id))
        })?;
        extents.push(bytes, group, at, segment)?;
    }
    Ok(LogicalVolume { name: name.to_vec(), bytes: Arc::new(extents) })
}
