//! The groups of the files that were found.

use super::found::File;
use super::group::{Copy, Group};
use super::stages::Members;
use pfh_digest::Digest;
use std::collections::HashSet;

/// The groups by what they waste, the most first; then by size and first name.
pub fn groups(files: &[File], members: Members) -> Vec<Group> {
    let mut groups: Vec<Group> = members.into_iter().map(|(group, digest)| of(files, &group, digest)).collect();
    let key = |group: &Group| (std::cmp::Reverse(group.reclaimable()), std::cmp::Reverse(group.size));
    groups
        .sort_by(|one, other| key(one).cmp(&key(other)).then_with(|| one.copies[0].names.cmp(&other.copies[0].names)));
    groups
}

fn of(files: &[File], group: &[usize], digest: Digest) -> Group {
    let mut places = HashSet::new();
    let copies = group.iter().map(|at| {
        let File { entry, stat, names } = &files[*at];
        let place = entry.first_place().map(|place| (stat.device, place));
        let shared = place.is_some_and(|place| !places.insert(place));
        Copy { names: names.clone(), shared }
    });
    Group { size: files[group[0]].stat.size, digest, copies: copies.collect() }
}
