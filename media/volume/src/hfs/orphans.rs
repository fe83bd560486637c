//! All names of a volume: those of its directories, then records that no directory leads to.

use std::sync::{Arc, Mutex, PoisonError};

use super::catalog::{ROOT, ROOT_PARENT, RecordContent};
use super::deleted::deleted;
use super::tree::{Names, Pass, SeenEntries};
use super::volume::Hfs;
use crate::file_system::{Options, Volume};
use crate::walk::Walk;
use pfh_bytes::field::{be32, failure};
use pfh_bytes::node::{Failure, Node, Nodes};
use pfh_bytes::stored::named;

impl Volume for Hfs {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let walk = |pass: Pass, seen: &Arc<Mutex<SeenEntries>>| {
            let names = Names { volume: self.clone(), pass, seen: seen.clone() };
            Walk::new(Arc::new(names), u64::from(ROOT), ROOT)
        };
        let seen: Arc<Mutex<SeenEntries>> = Arc::default();
        let mut nodes: Nodes = Box::new(walk(Pass::Live, &seen).chain(orphans(self.clone(), seen)));
        if options.deleted {
            nodes = Box::new(nodes.chain(deleted(self.clone())));
        }
        if options.unallocated {
            // Faults of directories were reported when the live names were listed.
            let slack = walk(Pass::Slack, &Arc::default()).filter(Result::is_ok);
            let free: Nodes = match &self.space {
                Ok(space) => space.clone().free(),
                Err(failed) => Box::new(std::iter::once(Err(failed.clone()))),
            };
            nodes = Box::new(nodes.chain(slack).chain(free));
        }
        nodes
    }
}

/// The files that no directory lists, once all directories were: deleted while they were open, or
/// cut off from their directory. At the end, whether there were as many records as the catalog
/// states.
fn orphans(volume: Arc<Hfs>, seen: Arc<Mutex<SeenEntries>>) -> impl Iterator<Item = Result<Node, Failure>> + Send {
    let mut records = None;
    let (mut count, mut is_whole, mut is_ended) = (0_u64, true, false);
    let next = move || {
        let records = records.get_or_insert_with(|| volume.catalog.from(|_| false));
        loop {
            let (key, value) = match records.next() {
                Some(Ok(record)) => record,
                Some(Err(failed)) => {
                    is_whole = false;
                    return Some(vec![Err(failed)]);
                }
                None if std::mem::replace(&mut is_ended, true) => return None,
                None => {
                    let stated = u64::from(volume.catalog.records);
                    // Nodes that cannot be read were failures.
                    let is_known = !is_whole || count == stated;
                    let cause = format!("catalog: {count} records, and {stated} are stated");
                    return (!is_known).then(|| vec![Err(failure(None, cause))]);
                }
            };
            count += 1;
            let parent = be32(&key, 0);
            let found = RecordContent::new(&value);
            let Some(number) = number(&volume, &seen, parent, &found) else { continue };
            let path = format!("$OrphanFiles/OrphanFile-{number}").into_bytes();
            return Some(match found {
                Ok(RecordContent::Item(item)) => volume.nodes_of(&item, &path),
                Ok(RecordContent::Thread(..)) => continue,
                Err(failed) => vec![Err(named(failed, &path))],
            });
        }
    };
    std::iter::from_fn(next).flatten()
}

/// The number of a record that no directory lists; `None` for the others.
fn number(volume: &Hfs, seen: &Mutex<SeenEntries>, parent: u32, found: &Result<RecordContent, Failure>) -> Option<u32> {
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let private = volume.private();
    match found {
        _ if seen.listed.has(u64::from(parent)) => None,
        Ok(RecordContent::Thread(..)) => None,
        Ok(RecordContent::Item(item)) if parent == ROOT_PARENT && item.id == ROOT => None,
        Ok(RecordContent::Item(item)) => {
            let id = u64::from(item.id);
            let is_linked = private.has(parent) && (seen.linked.has(id) || seen.listed.has(id));
            (!is_linked).then_some(item.id)
        }
        Err(_) => Some(parent),
    }
}
