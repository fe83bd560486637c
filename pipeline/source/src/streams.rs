//! Streams that files of NTFS have beside their content, and resource forks of macOS, each an entry
//! of its own behind its file: `file:stream`, as the readers of volumes name them, and
//! `file/..namedfork/rsrc`, by which macOS opens a fork.

use crate::base::Base;
use crate::descend::Descend;
use crate::entry::{Origin, Skip};
use crate::os::{self, SideStream};
use crate::problem::{Problem, Stage};
use crate::unnumbered::UnnumberedItem;
use std::sync::Arc;

/// The streams of a file or directory that are taken, by name. One problem, of the name `file:`,
/// stands for all if they cannot be listed.
pub(crate) fn streams(base: &Arc<Base>, path: &[u8], descend: &Descend) -> Vec<UnnumberedItem> {
    let path = path.strip_suffix(b"/").filter(|path| !path.is_empty()).unwrap_or(path);
    if base.stream(path).is_some() {
        return Vec::new();
    }
    let listed = match os::streams(base, path) {
        Ok(listed) => listed,
        Err(errno) => {
            let name = [&base.prefix, path, b":"].concat();
            return vec![UnnumberedItem::Problem(name, Problem::os(Stage::Walk, errno))];
        }
    };
    let mut taken: Vec<SideStream> =
        listed.into_iter().filter(|beside| descend.selection.takes_size(beside.size)).collect();
    taken.sort_by(|one, other| one.name.cmp(&other.name));
    let origin = |path: Vec<u8>| Origin::File { base: base.clone(), path: path.into(), special: descend.special };
    let entry = |beside: SideStream| match beside.is_file {
        true => UnnumberedItem::Origin(origin([path, &beside.name].concat()), None),
        false => UnnumberedItem::Skipped([&base.prefix, path, &beside.name].concat(), Skip::Attribute),
    };
    taken.into_iter().map(entry).collect()
}
