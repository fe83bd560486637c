//! The account of a physical volume: label and metadata, the extents of logical volumes, free ones.

use super::group::{Group, Kind};
use super::label::Physical;
use pfh_bytes::account::{Claims, Holds};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::node::Failure;
use std::ops::Range;
use std::sync::Arc;

/// The claims on a physical volume, and the names of the logical volumes that have a part of it.
///
/// # Errors
/// If its label or its group are not understood.
pub fn claims(bytes: &Arc<dyn Bytes>) -> Result<(Claims, Vec<Vec<u8>>), Failure> {
    let (physical, mut claims, mut volumes) = (Physical::read(bytes)?, Claims::default(), Vec::new());
    let group = physical.text.as_deref().map(Group::parse).transpose()?;
    let own = group.as_ref().and_then(|group| group.physical.iter().find(|(_, place)| place.id == physical.id));
    let Some((group, (own, place))) = group.as_ref().zip(own) else {
        claims.add(0..bytes.size(), Holds::Structure, b"LVM2 physical volume");
        return Ok((claims, volumes));
    };
    let end = place.count.saturating_mul(group.extent).saturating_add(place.start).min(bytes.size());
    claims.add(0..place.start.min(bytes.size()), Holds::Structure, b"LVM2 label and metadata");
    claims.add(end..bytes.size(), Holds::Structure, b"LVM2, behind the extents");
    for (name, logical) in &group.logical {
        let name = format!("{}/{name}", group.name).into_bytes();
        for segment in &logical.segments {
            let Kind::Striped(_, stripes) = &segment.kind else { continue };
            let length = segment.count.saturating_mul(group.extent) / stripes.len() as u64;
            for (_, from) in stripes.iter().filter(|(volume, _)| volume == own) {
                let start = from.saturating_mul(group.extent).saturating_add(place.start);
                claims.add(start..start.saturating_add(length), Holds::Content, &name);
                if volumes.last() != Some(&name) {
                    volumes.push(name.clone());
                }
            }
        }
    }
    let mut free = Claims::default();
    free.add(place.start..end, Holds::Free, b"in no logical volume");
    claims.add_beneath(bytes.size(), free);
    Ok((claims, volumes))
}

/// The extents of a physical volume that no logical volume has, in order; none where they are not
/// known.
pub fn free(bytes: &Arc<dyn Bytes>) -> Vec<Range<u64>> {
    let account = claims(bytes).and_then(|(claims, _)| claims.close(&**bytes));
    let extents = account.map(|account| account.extents).unwrap_or_default();
    extents.iter().filter(|extent| extent.holds == Holds::Free).map(|extent| extent.start..extent.end()).collect()
}
