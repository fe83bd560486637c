//! Older states of a file system: its shadow copies.

use super::{Expanding, UnnumberedEntry};
use crate::about::unopened;
use crate::options::Snapshots;
use crate::way::{self, Way};
use pfh_source::{Inside, ShadowFacts, Skip};
use pfh_volume::{Options as Lists, Snapshot};

/// The remark on a snapshot that is not taken.
const LEFT_OUT: &str = "a snapshot, left out as asked";
/// The remark on a snapshot whose unchanged files are not taken.
const UNCHANGED: &str = "files of a snapshot that are as on the live volume, left out as asked";

impl Expanding {
    /// The relation of the name that is looked for to the volume whose names begin so.
    pub(super) fn way(&self, volume: &[u8]) -> Way {
        self.wanted.as_ref().map_or(Way::Live, |wanted| way::way(volume, wanted))
    }

    /// Names a snapshot as skipped, if none is taken.
    pub(super) fn leaves_out(&mut self, prefix: &[u8]) -> bool {
        let is_left = self.options.snapshots == Snapshots::None;
        if is_left {
            self.found.push_back(UnnumberedEntry::Skipped(prefix.to_vec(), Skip::Inside(LEFT_OUT)));
        }
        is_left
    }

    /// Goes into the older state of a volume, as far as that is asked for.
    pub(super) fn snapshot(&mut self, snapshot: &Snapshot) {
        let Some(level) = self.stack.last() else { return };
        let (watch, depth) = (level.watch.clone(), level.depth);
        let prefix = way::prefix(&level.prefix, snapshot.number);
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
            Err(failure) => {
                return self.found.push_back(UnnumberedEntry::Problem(prefix, unopened(failure.to_string())));
            }
        };
        let kept = ShadowFacts {
            number: snapshot.number,
            id: snapshot.id.clone(),
            set: snapshot.set.clone(),
            created: snapshot.created.and_then(Inside::time),
        };
        let lists = Lists { deleted: self.options.deleted, unallocated: self.options.unallocated };
        let nodes = match self.options.snapshots {
            Snapshots::Changed => {
                self.found.push_back(UnnumberedEntry::Skipped(prefix.clone(), Skip::Inside(UNCHANGED)));
                opened.changed(lists)
            }
            Snapshots::All | Snapshots::None => opened.nodes(lists),
        };
        self.enter_names(&opened.system, nodes, Some(kept), (opened.bytes.clone(), &watch, depth), prefix, about);
    }
}
