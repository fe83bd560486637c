//! Media that hold several volumes: the names of these stand in front of their files.

mod apfs;
mod btrfs;

use pfh_inside::{Expanding, Options};
use pfh_source::{Descend, Item, Operands, Origin, Source};
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// What a file holds, by its name: its bytes, or `None` for a problem.
fn found(path: &Path, options: Options) -> BTreeMap<String, Option<Vec<u8>>> {
    let outer = Operands::new(vec![path.as_os_str().as_bytes().to_vec()], Descend::default());
    let mut source = Expanding::new(Box::new(outer), Arc::new(options));
    let front = format!("{}!/", path.display());
    let mut found = BTreeMap::new();
    while let Some(item) = source.pull() {
        let (name, bytes) = match item {
            Item::Entry(entry) => {
                let Origin::Object { object, .. } = &entry.origin else { continue };
                let mut bytes = Vec::new();
                object.open().expect("a file").read_to_end(&mut bytes).expect("its bytes");
                (entry.name(), Some(bytes))
            }
            Item::Problem { name, .. } => (name, None),
            _ => continue,
        };
        let name = String::from_utf8(name).expect("a name").replace(&front, "");
        assert!(found.insert(name.clone(), bytes).is_none(), "{name} comes twice");
    }
    found
}
