//! The groups of the files that were found, and which copy of each stays.

use super::found::{DuplicateFiles, File};
use super::group::{Copy, Group};
use super::request::Request;
use super::rule::{Action, Below, Keep};
use super::stages::Members;
use crate::job::Error;
use pfh_digest::Digest;
use pfh_source::os;
use pfh_source::os::names::OsStrExt;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

/// The groups by their wasted bytes, the most first; then by size and first name.
///
/// # Errors
/// When a directory of the rules is not there.
pub fn groups(request: &Request, found: &DuplicateFiles, members: Members) -> Result<Vec<Group>, Error> {
    let mut rules = Rules::of(request, &found.links)?;
    let files = &found.files;
    let mut groups: Vec<Group> =
        members.into_iter().map(|(group, digest)| rules.group(files, &group, digest)).collect();
    let key = |group: &Group| (std::cmp::Reverse(group.reclaimable()), std::cmp::Reverse(group.size));
    groups
        .sort_by(|one, other| key(one).cmp(&key(other)).then_with(|| one.copies[0].names.cmp(&other.copies[0].names)));
    Ok(groups)
}

/// How many names the file of this one has; 1 where the system does not say.
fn names_of(name: &[u8]) -> u64 {
    let file = std::fs::File::open(OsStr::from_bytes(name));
    file.and_then(os::count_names).unwrap_or(1)
}

/// User and group of a file, where the system has them.
fn owner_of(name: &[u8]) -> Option<(u32, u32)> {
    os::owner(Path::new(OsStr::from_bytes(name)))
}

struct Rules<'a> {
    keep: &'a Keep,
    action: &'a Action,
    /// Symbolic links by the files that they lead to.
    links: &'a HashMap<(u64, u128), Vec<u8>>,
    under: Below,
    never: Below,
}

impl<'a> Rules<'a> {
    fn of(request: &'a Request, links: &'a HashMap<(u64, u128), Vec<u8>>) -> Result<Rules<'a>, Error> {
        let under = match &request.keep {
            Keep::Under(directory) => vec![directory],
            _ => Vec::new(),
        };
        let (keep, action) = (&request.keep, &request.action);
        Ok(Rules { keep, action, links, under: Below::new(under)?, never: Below::new(&request.never)? })
    }

    fn group(&mut self, files: &[File], members: &[usize], digest: Digest) -> Group {
        let copies = members.iter().map(|at| {
            let File { entry, stat, names } = &files[*at];
            let left_alone = names.iter().any(|name| self.never.has(name));
            let (device, place) = (stat.device, entry.first_place());
            let elsewhere = names_of(&names[0]).saturating_sub(names.len() as u64);
            let linked = self.links.get(&stat.identity()).cloned();
            let rights = (stat.mode & 0o7777, owner_of(&names[0]));
            let (names, shared, stays) = (names.clone(), false, false);
            Copy { names, shared, stays, left_alone, elsewhere, linked, device, rights, place }
        });
        let mut group = Group { size: files[members[0]].stat.size, digest, copies: copies.collect() };
        // One that stays in any case makes the others redundant.
        let all = !group.copies.iter().any(|copy| copy.left_alone);
        let eligible: Vec<usize> = (0..members.len()).filter(|at| all || group.copies[*at].left_alone).collect();
        let candidates = eligible.iter().copied();
        let modified = |at: &usize| files[members[*at]].stat.mtime;
        let kept = match self.keep {
            // A link from the inode with most names cuts off the fewest.
            Keep::First if *self.action == Action::HardLink => {
                let names = |at: &usize| group.copies[*at].names.len() as u64 + group.copies[*at].elsewhere;
                candidates.clone().min_by_key(|at| (std::cmp::Reverse(names(at)), *at))
            }
            Keep::First => None,
            Keep::Oldest => candidates.clone().min_by_key(|at| (modified(at), *at)),
            Keep::Newest => candidates.clone().min_by_key(|at| (std::cmp::Reverse(modified(at)), *at)),
            Keep::Shortest => {
                let shortest = |at: &usize| group.copies[*at].names.iter().map(Vec::len).min();
                candidates.clone().min_by_key(|at| (shortest(at), *at))
            }
            Keep::Under(_) => {
                candidates.clone().find(|at| group.copies[*at].names.iter().any(|name| self.under.has(name)))
            }
        };
        let kept = kept.or_else(|| candidates.clone().next()).unwrap_or(0);
        group.arrange(kept);
        group
    }
}
