//! A run's own output among its input: listed, and not read.

use crate::entry::{Item, Origin, Skip};
use crate::os;
use crate::source::Source;

/// A source whose entries that the run itself writes are skipped. A file is known by its name and
/// by device and inode: a file that an output will replace is the old output, not evidence.
pub struct Apart<S> {
    inner: S,
    /// Paths, with their last components.
    own: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<S: Source> Apart<S> {
    /// The source without the files of these paths.
    pub fn new(inner: S, own: Vec<Vec<u8>>) -> Self {
        let is_end = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
        let last = |path: &[u8]| path.rsplit(is_end).next().unwrap_or_default().to_vec();
        let own = own.into_iter().map(|path| (last(&path), path)).map(|(last, path)| (path, last)).collect();
        Apart { inner, own }
    }

    fn is_own(&self, origin: &Origin, look: impl FnOnce() -> Option<crate::Stat>) -> bool {
        let Origin::File { path, .. } = origin else { return false };
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        // Most names are nobody's output: only those that might be are looked at.
        let mut same =
            self.own.iter().filter(|(_, last)| last == name).filter_map(|(own, _)| os::stat_operand(own).ok());
        let Some(first) = same.next() else { return false };
        let Some(found) = look() else { return false };
        std::iter::once(first).chain(same).any(|own| (own.device, own.inode) == (found.device, found.inode))
    }
}

impl<S: Source> Source for Apart<S> {
    fn pull(&mut self) -> Option<Item> {
        let item = self.inner.pull()?;
        Some(self.kept_apart(item))
    }
}

impl<S: Source> Apart<S> {
    /// The item; the run's own outputs are skipped.
    fn kept_apart(&self, item: Item) -> Item {
        if self.own.is_empty() {
            return item;
        }
        match item {
            Item::Entry(entry) if self.is_own(&entry.origin, || entry.look()) => {
                Item::Skipped { number: entry.number, name: entry.name(), skip: Skip::Own }
            }
            item => item,
        }
    }
}
