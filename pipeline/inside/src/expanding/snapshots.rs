//! Older states of a file system: its shadow copies.

use super::{Expanding, Found};
use crate::about::unopened;
use crate::options::Snapshots;
use pfh_source::{Inside, Kept, Skip};
use pfh_volume::{Options as Lists, Snapshot};

/// The remark on a snapshot that is not taken.
const LEFT_OUT: &str = "a snapshot, left out as asked";
/// The remark on a snapshot whose unchanged files are not taken.
const UNCHANGED: &str = "files of a snapshot that are as on the live volume, left out as asked";

/// What the names in a snapshot begin with, by those of its volume: `p2/` becomes `p2@1/`. In a
/// volume that is no partition it is `@1!/`, which no file can be named.
fn prefix(volume: &[u8], number: u32) -> Vec<u8> {
    match volume.strip_suffix(b"/") {
        Some(part) if !part.ends_with(b"!") => [part, format!("@{number}/").as_bytes()].concat(),
        _ => [volume, format!("@{number}!/").as_bytes()].concat(),
    }
}

impl Expanding {
    /// Names a snapshot as skipped, if none is taken.
    pub(super) fn leaves_out(&mut self, prefix: &[u8]) -> bool {
        let is_left = self.options.snapshots == Snapshots::None;
        if is_left {
            self.found.push_back(Found::Skipped(prefix.to_vec(), Skip::Inside(LEFT_OUT)));
        }
        is_left
    }

    /// Goes into the older state of a volume, as far as that is asked for.
    pub(super) fn snapshot(&mut self, snapshot: &Snapshot) {
        let Some(level) = self.stack.last() else { return };
        let (watch, depth) = (level.watch.clone(), level.depth);
        let prefix = prefix(&level.prefix, snapshot.number);
        // Places in it are not places on the medium.
        let about = Inside { volume_offset: None, ..level.about.clone() };
        if self.wanted.as_ref().is_some_and(|wanted| !wanted.starts_with(&prefix)) {
            return;
        }
        if self.leaves_out(&prefix) {
            return;
        }
        let opened = match snapshot.open() {
            Ok(opened) => opened,
            Err(failure) => return self.found.push_back(Found::Problem(prefix, unopened(failure.to_string()))),
        };
        let kept = Kept {
            number: snapshot.number,
            id: snapshot.id.clone(),
            set: snapshot.set.clone(),
            created: snapshot.created.and_then(Inside::time),
        };
        let lists = Lists { deleted: self.options.deleted, unallocated: self.options.unallocated };
        let nodes = match self.options.snapshots {
            Snapshots::Changed => {
                self.found.push_back(Found::Skipped(prefix.clone(), Skip::Inside(UNCHANGED)));
                opened.changed(lists)
            }
            Snapshots::All | Snapshots::None => opened.nodes(lists),
        };
        self.enter_names(&opened.system, nodes, Some(kept), (opened.bytes.clone(), &watch, depth), prefix, about);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_snapshots_are_no_names_of_files() {
        let cases: [(&[u8], &[u8]); 4] = [
            (b"i!/p2/", b"i!/p2@3/"),
            (b"i!/", b"i!/@3!/"),
            (b"i!/vg-home/", b"i!/vg-home@3/"),
            (b"i!!!/", b"i!!!/@3!/"),
        ];
        for (volume, expected) in cases {
            assert_eq!(prefix(volume, 3), expected);
        }
    }
}
