//! Streams that files of NTFS have beside their content, each an entry of its own behind its file:
//! `file:stream`, as the readers of volumes name them.

use crate::base::Base;
use crate::descend::Descend;
use crate::entry::Origin;
use crate::os;
use crate::problem::{Problem, Stage};
use crate::unnumbered::Unnumbered;
use std::sync::Arc;

/// The streams of a file or directory that are taken, by name. One problem, of the name `file:`,
/// stands for all if they cannot be listed.
pub(crate) fn streams(base: &Arc<Base>, path: &[u8], descend: &Descend) -> Vec<Unnumbered> {
    let path = path.strip_suffix(b"/").filter(|path| !path.is_empty()).unwrap_or(path);
    if base.stream(path).is_some() {
        return Vec::new();
    }
    let listed = match os::streams(base, path) {
        Ok(listed) => listed,
        Err(errno) => {
            let name = [&base.prefix, path, b":"].concat();
            return vec![Unnumbered::Problem(name, Problem::os(Stage::Walk, errno))];
        }
    };
    let mut names: Vec<Vec<u8>> = listed
        .into_iter()
        .filter(|(_, size)| descend.selection.takes_size(*size))
        .map(|(name, _)| [path, b":", &name[..]].concat())
        .collect();
    names.sort();
    let origin = |path: Vec<u8>| Origin::File { base: base.clone(), path: path.into(), special: descend.special };
    names.into_iter().map(|path| Unnumbered::Origin(origin(path), None)).collect()
}
