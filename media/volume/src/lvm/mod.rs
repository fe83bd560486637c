//! LVM2: physical volumes, and the logical volumes that they make up, after the structures that
//! LVM2's own manual pages and its metadata text show.

mod claims;
mod group;
mod label;
mod raid;
mod snapshot;
mod text;
mod thin;
mod volume;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

pub use claims::{claims, free};
use group::{Group, Kind};
pub use label::{Physical, is_physical_volume};
use volume::Opener;

/// A logical volume that is read.
pub struct LogicalVolume {
    /// `GROUP/NAME`, as below `/dev`.
    pub name: Vec<u8>,
    /// Its bytes.
    pub bytes: Arc<dyn Bytes>,
}

/// The logical volumes of some physical ones.
pub struct Groups {
    /// In order of their groups and names; a failure stands for one that cannot be read, and its
    /// path is the name.
    pub volumes: Vec<Result<LogicalVolume, Failure>>,
    /// Groups that are read with a device less.
    pub warnings: Vec<Failure>,
    /// The identifiers of missing physical volumes of a group; for a physical volume whose group no
    /// metadata describe, its own.
    pub missing: BTreeSet<String>,
}

/// The logical volumes of these physical ones.
pub fn logical_volumes(physical: &[(Physical, Arc<dyn Bytes>)]) -> Groups {
    let mut found = Vec::new();
    let mut volumes: BTreeMap<String, Arc<dyn Bytes>> = BTreeMap::new();
    // Each physical volume has a copy of the metadata; the newest counts.
    let mut groups: BTreeMap<String, Group> = BTreeMap::new();
    for (Physical { id, text }, bytes) in physical {
        if volumes.insert(id.clone(), bytes.clone()).is_some() {
            found.push(Err(failure(None, format!("two physical volumes of the identifier {id}"))));
            continue;
        }
        let Some(text) = text else { continue };
        match Group::parse(text) {
            Ok(group) => {
                let is_newer = groups.get(&group.id).is_none_or(|held| held.number < group.number);
                if is_newer {
                    groups.insert(group.id.clone(), group);
                }
            }
            Err(failure) => found.push(Err(failure)),
        }
    }
    let listed: BTreeSet<&String> =
        groups.values().flat_map(|group| group.physical.values()).map(|at| &at.id).collect();
    let mut missing: BTreeSet<String> =
        listed.iter().filter(|id| !volumes.contains_key(**id)).map(|id| (*id).clone()).collect();
    for id in volumes.keys().filter(|id| !listed.contains(id)) {
        let cause = format!("the LVM2 physical volume {id} belongs to no volume group that is described here");
        found.push(Err(failure(None, cause)));
        missing.insert(id.clone());
    }
    let mut warnings = Vec::new();
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| a.name.cmp(&b.name));
    for group in &groups {
        let opener = Opener { group, volumes: &volumes };
        let gone: Vec<&str> = group.physical.values().map(|at| &*at.id).filter(|id| missing.contains(*id)).collect();
        let mut is_read = false;
        // A pool holds volumes, and people do not see it as one.
        let is_pool =
            |logical: &group::Logical| matches!(logical.segments[..], [group::Segment { kind: Kind::Pool(..), .. }]);
        for (name, _) in group.logical.iter().filter(|(_, logical)| logical.is_visible && !is_pool(logical)) {
            let (name, opened) = opener.visible(name);
            let name = format!("{}/{name}", group.name).into_bytes();
            is_read |= opened.is_ok();
            found.push(match opened {
                Ok(bytes) => Ok(LogicalVolume { name, bytes }),
                Err(failure) => Err(Failure { path: name, ..failure }),
            });
        }
        if is_read && !gone.is_empty() {
            let cause = format!("volumes of this group are read without its physical volumes {}", gone.join(", "));
            warnings.push(Failure { path: group.name.clone().into_bytes(), cause, ..Failure::default() });
        }
    }
    Groups { volumes: found, warnings, missing }
}
