//! A source whose files are read past the system's cache.

use crate::base::Base;
use crate::entry::{Entry, Item, Origin};
use crate::source::Source;
use std::sync::Arc;

/// The files of another source, read past the system's cache. Streams and objects are read as they
/// always are.
pub struct PastCache {
    source: Box<dyn Source>,
    /// The last base, and the same for reads past the cache: names follow each other in one.
    last: Option<[Arc<Base>; 2]>,
}

impl PastCache {
    /// The files of this source.
    pub fn of(source: Box<dyn Source>) -> Self {
        PastCache { source, last: None }
    }
}

impl Source for PastCache {
    fn pull(&mut self) -> Option<Item> {
        let mut item = self.source.pull()?;
        if let Item::Entry(Entry { origin: Origin::File { base, .. }, .. }) = &mut item {
            let last = self.last.take().filter(|[one, _]| Arc::ptr_eq(one, base));
            let pair = last.unwrap_or_else(|| [base.clone(), base.past_cache()]);
            *base = pair[1].clone();
            self.last = Some(pair);
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::past::ROOM;
    use crate::{Descend, Note, Operands, os};

    /// Sizes around the room and its alignment, read in pieces of any length.
    #[test]
    fn the_bytes_are_those_of_the_file() {
        let room = tempfile::tempdir().unwrap();
        for size in [0, 1, 511, 512, 4095, 4096, 4097, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM + 777] {
            let bytes: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251) as u8).collect();
            let path = room.path().join(size.to_string());
            std::fs::write(&path, &bytes).unwrap();
            let is_on_a_medium = !os::is_in_memory(std::fs::File::open(&path).unwrap());
            let name = os::names::OsStrExt::as_bytes(path.as_os_str()).to_vec();
            for piece in [1000, 4096, 65_537, 2 * ROOM] {
                let operands = Box::new(Operands::new(vec![name.clone()], Descend::default()));
                let Some(Item::Entry(entry)) = PastCache::of(operands).pull() else { panic!("a file") };
                let mut reading = entry.open().unwrap();
                let (mut buffer, mut found) = (vec![0; piece], Vec::new());
                loop {
                    match reading.read(&mut buffer).unwrap() {
                        0 => break,
                        got => found.extend_from_slice(&buffer[..got]),
                    }
                }
                assert!(found == bytes, "{size} bytes by {piece}");
                assert!(reading.positions().is_none(), "others would go through the cache");
                let closed = reading.close().unwrap();
                assert_eq!(closed.notes.contains(&Note::Uncached), os::EVICTS && is_on_a_medium, "{:?}", closed.notes);
            }
        }
    }
}
