//! A run's own output among its input: listed, and not read.

use crate::entry::{Item, Origin, Skip};
use crate::os;
use crate::place::hidden;
use crate::source::Source;

/// A source whose entries that the run itself writes are skipped. A file is known by its name and
/// by device and inode: a file that an output will replace is the old output, not evidence. So is
/// the hidden file that the output is until it is whole, on file systems where it has a name.
pub struct OwnFilter<S> {
    inner: S,
    own: Vec<OwnFile>,
}

struct OwnFile {
    path: Vec<u8>,
    /// Its last component.
    last: Vec<u8>,
    /// The beginning of the name that it has meanwhile.
    hidden: Vec<u8>,
}

impl<S: Source> OwnFilter<S> {
    /// The source without the files of these paths.
    pub fn new(inner: S, own: Vec<Vec<u8>>) -> Self {
        let is_end = |byte: &u8| *byte == b'/' || (cfg!(windows) && *byte == b'\\');
        let last = |path: &[u8]| path.rsplit(is_end).next().unwrap_or_default().to_vec();
        let own = own.into_iter().map(|path| (last(&path), path));
        let own = own.map(|(last, path)| OwnFile { path, hidden: hidden(&last), last }).collect();
        OwnFilter { inner, own }
    }

    /// Why an entry is not read, if the run itself writes it.
    fn skip(&self, origin: &Origin, look: impl FnOnce() -> Option<crate::Stat>) -> Option<Skip> {
        let Origin::File { path, .. } = origin else { return None };
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        if self.own.iter().any(|own| name.starts_with(&own.hidden)) {
            return Some(Skip::Unfinished);
        }
        // Most names are nobody's output: only those that might be are looked at.
        let named_so = self.own.iter().filter(|own| own.last == name);
        let mut same = named_so.filter_map(|own| os::stat_operand(&own.path).ok());
        let first = same.next()?;
        let found = look()?;
        let is_own = |own: crate::Stat| (own.device, own.inode) == (found.device, found.inode);
        std::iter::once(first).chain(same).any(is_own).then_some(Skip::Own)
    }
}

impl<S: Source> Source for OwnFilter<S> {
    fn pull(&mut self) -> Option<Item> {
        let item = self.inner.pull()?;
        Some(self.kept_apart(item))
    }
}

impl<S: Source> OwnFilter<S> {
    /// The item; the run's own outputs are skipped.
    fn kept_apart(&self, item: Item) -> Item {
        if self.own.is_empty() {
            return item;
        }
        match item {
            Item::Entry(entry) => match self.skip(&entry.origin, || entry.look()) {
                Some(skip) => Item::Skipped { number: entry.number, name: entry.name(), skip },
                None => Item::Entry(entry),
            },
            item => item,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::names::OsStrExt;
    use crate::place::Place;
    use crate::{Descend, Operands, Recurse};
    use std::path::Path;

    /// As FAT, network file systems and Windows have it: no file is without a name.
    #[test]
    fn the_hidden_file_of_an_unfinished_output_is_no_input() {
        let room = tempfile::tempdir().unwrap();
        let path = |name: &str| [room.path().as_os_str().as_bytes(), b"/", name.as_bytes()].concat();
        let list = room.path().join("list");
        let temporary = Place::of(&list).beside(|_| Ok(())).0;
        let foreign = Path::new(&list).with_file_name(".list.pfh-0-0123456789abcdef");
        for file in [&temporary, &foreign, &room.path().join("evidence")] {
            std::fs::write(file, "abc").unwrap();
        }
        let descend = Descend { recurse: Recurse::Yes, ..Descend::default() };
        let operand = room.path().as_os_str().as_bytes().to_vec();
        let mut source = OwnFilter::new(Operands::new(vec![operand], descend), vec![path("list")]);
        let (mut read, mut own) = (Vec::new(), 0);
        while let Some(item) = source.pull() {
            match item {
                Item::Entry(entry) => read.push(entry.name().rsplit(|byte| *byte == b'/').next().unwrap().to_vec()),
                Item::Skipped { skip: Skip::Unfinished, .. } => own += 1,
                _ => panic!("another item"),
            }
        }
        assert_eq!((read, own), (vec![b".list.pfh-0-0123456789abcdef".to_vec(), b"evidence".to_vec()], 1));
    }
}
