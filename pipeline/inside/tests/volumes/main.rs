//! Media that hold several volumes: the names of these stand in front of their files.

mod apfs;
mod btrfs;
mod layouts;
mod media;
mod oci;
mod sets;

use pfh_inside::{Expanding, Options};
use pfh_source::{Descend, Item, Operands, Origin, Source};
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// The entries inside these files, by their names: their bytes, or `None` for a problem.
fn listed(paths: &[&Path], options: Options) -> Vec<(String, Option<Vec<u8>>)> {
    let names = paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect();
    let outer = Operands::new(names, Descend::default());
    let mut source = Expanding::new(Box::new(outer), Arc::new(options));
    let mut listed = Vec::new();
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
        listed.push((String::from_utf8(name).expect("a name"), bytes));
    }
    listed
}

/// The sentences of the problems in a file, one after the other.
fn problems(path: &Path, options: Options) -> Vec<String> {
    let outer = Operands::new(vec![path.as_os_str().as_bytes().to_vec()], Descend::default());
    let mut source = Expanding::new(Box::new(outer), Arc::new(options));
    let mut said = Vec::new();
    while let Some(item) = source.pull() {
        if let Item::Problem { problem, .. } = item {
            said.push(problem.cause.to_string());
        }
    }
    said
}

/// The entries inside a file, by their names in it, each once.
fn found(path: &Path, options: Options) -> BTreeMap<String, Option<Vec<u8>>> {
    let front = format!("{}!/", path.display());
    let mut found = BTreeMap::new();
    for (name, bytes) in listed(&[path], options) {
        let name = name.replace(&front, "");
        assert!(found.insert(name.clone(), bytes).is_none(), "{name} comes twice");
    }
    found
}
