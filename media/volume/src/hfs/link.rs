//! Hard links: names that lead to a file or directory in a directory of the system's own.

use super::catalog::{Item, Link, ROOT, RecordContent, units};
use super::volume::{Hfs, Private};
use pfh_bytes::field::be32;
use pfh_bytes::node::Failure;

/// The names of the directories of files and of directories with several names.
const FILES: &str = "\0\0\0\0HFS+ Private Data";
const FOLDERS: &str = ".HFS+ Private Directory Data\r";

fn is_named(units: &[u16], name: &str) -> bool {
    units.iter().copied().eq(name.encode_utf16())
}

/// The value that names are sorted by, for names of ASCII alone.
fn folded(unit: u16, is_folded: bool) -> u16 {
    match unit {
        0 if is_folded => u16::MAX,
        0x41..=0x5a if is_folded => unit + 0x20,
        _ => unit,
    }
}

impl Hfs {
    /// The directories of hard links. Parts of the root that cannot be read are failures of its
    /// list.
    pub fn private(&self) -> Private {
        *self.private.get_or_init(|| {
            let mut private = Private::default();
            for (key, value) in self.catalog.of(ROOT).flatten() {
                let (Some(name), Ok(RecordContent::Item(item))) = (units(&key), RecordContent::new(&value)) else {
                    continue;
                };
                if item.is_folder && is_named(&name, FILES) {
                    private.files = Some(item.id);
                } else if item.is_folder && is_named(&name, FOLDERS) {
                    private.folders = Some(item.id);
                }
            }
            private
        })
    }

    /// The target of a hard link; `None` if it is not there.
    ///
    /// # Errors
    /// If a node of the catalog on the way cannot be read.
    pub fn linked(&self, link: Link) -> Result<Option<Item>, Failure> {
        let private = self.private();
        let (directory, name) = match link {
            Link::File(number) => (private.files, format!("iNode{number}")),
            Link::Folder(number) => (private.folders, format!("dir_{number}")),
        };
        let Some(directory) = directory else { return Ok(None) };
        let is_folded = self.catalog.is_folded;
        let wanted: Vec<u16> = name.encode_utf16().collect();
        let order: Vec<u16> = wanted.iter().map(|&unit| folded(unit, is_folded)).collect();
        let is_before = move |key: &[u8]| {
            let name = units(key).unwrap_or_default();
            let name = name.iter().map(|&unit| folded(unit, is_folded));
            be32(key, 0).cmp(&directory).then_with(|| name.cmp(order.iter().copied())).is_lt()
        };
        let Some((key, value)) = self.catalog.from(is_before).next().transpose()? else { return Ok(None) };
        if be32(&key, 0) != directory || units(&key).is_none_or(|name| name != wanted) {
            return Ok(None);
        }
        let is_folder = matches!(link, Link::Folder(_));
        Ok(match RecordContent::new(&value)? {
            RecordContent::Item(item) if item.is_folder == is_folder => Some(*item),
            _ => None,
        })
    }
}
