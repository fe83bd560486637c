//! The groups of the files that were found, and which copy of each stays.

use super::found::File;
use super::group::{Copy, Group};
use super::request::Request;
use super::rule::{Below, Keep};
use super::stages::Members;
use crate::job::Error;
use pfh_digest::Digest;

/// The groups by their wasted bytes, the most first; then by size and first name.
///
/// # Errors
/// When a directory of the rules is not there.
pub fn groups(request: &Request, files: &[File], members: Members) -> Result<Vec<Group>, Error> {
    let mut rules = Rules::of(request)?;
    let mut groups: Vec<Group> =
        members.into_iter().map(|(group, digest)| rules.group(files, &group, digest)).collect();
    let key = |group: &Group| (std::cmp::Reverse(group.reclaimable()), std::cmp::Reverse(group.size));
    groups
        .sort_by(|one, other| key(one).cmp(&key(other)).then_with(|| one.copies[0].names.cmp(&other.copies[0].names)));
    Ok(groups)
}

struct Rules<'a> {
    keep: &'a Keep,
    under: Below,
    never: Below,
}

impl<'a> Rules<'a> {
    fn of(request: &'a Request) -> Result<Rules<'a>, Error> {
        let under = match &request.keep {
            Keep::Under(directory) => vec![directory],
            _ => Vec::new(),
        };
        Ok(Rules { keep: &request.keep, under: Below::new(under)?, never: Below::new(&request.never)? })
    }

    fn group(&mut self, files: &[File], members: &[usize], digest: Digest) -> Group {
        let copies = members.iter().map(|at| {
            let File { entry, stat, names } = &files[*at];
            let left_alone = names.iter().any(|name| self.never.has(name));
            let (device, place) = (stat.device, entry.first_place());
            Copy { names: names.clone(), shared: false, stays: false, left_alone, device, place }
        });
        let mut group = Group { size: files[members[0]].stat.size, digest, copies: copies.collect() };
        // One that stays in any case makes the others redundant.
        let all = !group.copies.iter().any(|copy| copy.left_alone);
        let eligible: Vec<usize> = (0..members.len()).filter(|at| all || group.copies[*at].left_alone).collect();
        let candidates = eligible.iter().copied();
        let modified = |at: &usize| files[members[*at]].stat.mtime;
        let kept = match self.keep {
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
