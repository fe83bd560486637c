//! All nodes of a volume: those of its directories, inodes that no directory lists, deleted ones,
//! free space.

use std::sync::{Arc, Mutex};

use super::deleted::{freed, unlinked};
use super::orphans::unlisted;
use super::space::free;
use super::tree::{Names, Place, SeenInodes};
use super::volume::Xfs;
use crate::file_system::{Options, Volume};
use crate::walk::{Entries, Pass, Tree, Walk};
use pfh_bytes::node::Nodes;
use pfh_bytes::stored::named;

impl Volume for Xfs {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let walk = |pass: Pass, seen: &Arc<Mutex<SeenInodes>>, place: Place, id: u64| {
            let names = Names { volume: self.clone(), pass, seen: seen.clone() };
            Walk::new(Arc::new(names), id, place)
        };
        let root = self.root();
        let seen: Arc<Mutex<SeenInodes>> = Arc::default();
        let live = walk(Pass::Live, &seen, Place::Directory(root), root);
        // Begun when they are asked for: the listed inodes must be known by then.
        let (volume, its) = (self.clone(), seen.clone());
        let orphans = [Place::Roots, Place::Rest].into_iter().flat_map(move |place| {
            let names = Names { volume: volume.clone(), pass: Pass::Live, seen: its.clone() };
            Walk::new(Arc::new(names), u64::MAX, place)
        });
        let mut nodes: Nodes = Box::new(live.chain(orphans));
        if options.deleted {
            // Faults of directories were reported when the live names were listed.
            let deleted = walk(Pass::Deleted, &seen, Place::Directory(root), root).filter(Result::is_ok);
            let (volume, its) = (self.clone(), seen.clone());
            let nameless = unlinked(self.clone(), seen).chain(freed(volume, its));
            nodes = Box::new(nodes.chain(deleted).chain(nameless));
        }
        if options.unallocated {
            let slack = walk(Pass::Slack, &Arc::default(), Place::Directory(root), root).filter(Result::is_ok);
            nodes = Box::new(nodes.chain(slack).chain(free(self.clone())));
        }
        nodes
    }
}

impl Tree for Names {
    type Directory = Place;

    fn list(self: Arc<Self>, directory: Place, path: Arc<[u8]>) -> Entries<Place> {
        let number = match directory {
            Place::Directory(number) => number,
            Place::Roots => return unlisted(self, true),
            Place::Rest => return unlisted(self, false),
        };
        let is_live = self.pass == Pass::Live;
        let parts = match self.volume.inode(number).and_then(|inode| self.volume.names(&inode)) {
            Ok(parts) => parts,
            Err(failed) if is_live => return Box::new(std::iter::once(Err(named(failed, &path)))),
            // Faults of live directories were reported when they were listed.
            Err(_) => return Box::new(std::iter::empty()),
        };
        Box::new(parts.flat_map(move |(names, failed)| {
            let mut found: Vec<_> = names.live.iter().flat_map(|entry| self.found(entry, &path)).collect();
            if self.pass == Pass::Deleted {
                found.extend(names.gone.iter().filter_map(|gone| self.gone(gone, &path)).map(Ok));
            }
            found.extend(failed.filter(|_| is_live).map(|failed| Err(named(failed, &path))));
            found
        }))
    }
}
