//! Lists and reads the files of an image with the crate.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use pfh_volume::{Allocation, Bytes, Failure, FileSystem, Kind, Node, Options, VolumeContent, file_system};

use crate::image::{open, run, text};
use crate::tree::{Item, Items};

/// The file system on an image, which must be one that is read.
pub fn volume(path: &Path) -> FileSystem {
    volume_of(open(path))
}

/// The file system on a medium, which must be one that is read.
pub fn volume_of(bytes: Arc<dyn Bytes>) -> FileSystem {
    match file_system(bytes).expect("a file system") {
        VolumeContent::FileSystem(found) => found,
        VolumeContent::Volumes(found) => panic!("several volumes: {}", found.kind),
        VolumeContent::Locked(locked) => panic!("encrypted: {}", locked.format),
        VolumeContent::Encrypted(name) => panic!("encrypted: {name}"),
        VolumeContent::Unread(name) => panic!("not read: {name}"),
        VolumeContent::Unknown => panic!("not known"),
    }
}

pub const ALL: Options = Options { deleted: true, unallocated: false };

/// All nodes and failures.
pub fn nodes(volume: &FileSystem, options: Options) -> (Vec<Node>, Vec<Failure>) {
    let (mut nodes, mut failures) = (Vec::new(), Vec::new());
    for found in volume.nodes(options) {
        match found {
            Ok(node) => nodes.push(node),
            Err(failed) => failures.push(failed),
        }
    }
    (nodes, failures)
}

/// The bytes of a node.
pub fn bytes(node: &Node) -> Vec<u8> {
    let mut bytes = Vec::new();
    let content =
        node.content.as_ref().unwrap_or_else(|| panic!("no content: {}", String::from_utf8_lossy(&node.path)));
    let mut reader = content.open().expect("it opens");
    reader.read_to_end(&mut bytes).expect("it is read");
    bytes
}

/// The failures of listing a medium and of reading its files.
pub fn faults(raw: Vec<u8>) -> Vec<String> {
    let (nodes, failures) = nodes(&volume_of(Arc::new(raw)), Options::default());
    let mut said: Vec<String> = failures.iter().map(|failed| failed.cause.clone()).collect();
    for node in nodes {
        let Some(content) = node.content else { continue };
        let read = content.open().map_err(|failed| failed.cause);
        let read = read
            .and_then(|mut reader| std::io::copy(&mut reader, &mut std::io::sink()).map_err(|error| error.to_string()));
        said.extend(read.err());
    }
    said
}

/// Whether a node has runs, which then hold its bytes.
pub fn lies_as_it_is(node: &Node, medium: &[u8]) -> bool {
    let Some(runs) = node.content.as_ref().and_then(|content| content.runs()) else { return false };
    let mut held = Vec::new();
    for run in runs {
        let length = run.length as usize;
        match run.medium_offset {
            Some(at) => held.extend_from_slice(&medium[at as usize..][..length]),
            None => held.resize(held.len() + length, 0),
        }
    }
    assert!(held == bytes(node), "{}", String::from_utf8_lossy(&node.path));
    true
}

/// Live names with their items; sizes must be as stated. Nothing may fail.
pub fn items(volume: &FileSystem) -> Items {
    items_but(volume, |_| false)
}

/// [`items`] without the names that are left out.
pub fn items_but(volume: &FileSystem, is_left_out: fn(&[u8]) -> bool) -> Items {
    let (nodes, failures) = nodes(volume, Options::default());
    assert_eq!(failures, []);
    let mut items = Items::new();
    for node in nodes.into_iter().filter(|node| !is_left_out(&node.path)) {
        assert_eq!(node.allocation, Allocation::Live);
        let item = match &node.kind {
            Kind::File | Kind::Stream => Item::File(bytes(&node)),
            Kind::Directory => Item::Directory,
            Kind::Link(target) => Item::Link(target.clone()),
            _ => Item::Special,
        };
        if let Item::File(bytes) = &item {
            assert_eq!(node.size, Some(bytes.len() as u64));
        }
        let path = String::from_utf8_lossy(&node.path).into_owned();
        assert!(items.insert(node.path, item).is_none(), "{path} comes twice");
    }
    items
}

/// That two sets of names hold the same; says which do not.
pub fn assert_same(found: &Items, expected: &Items) {
    let show = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    for (path, item) in expected {
        let got = found.get(path).unwrap_or_else(|| panic!("{} is missing", show(path)));
        assert!(got == item, "{}: {got:?} and not {item:?}", show(path));
    }
    for path in found.keys() {
        assert!(expected.contains_key(path), "{} is too much", show(path));
    }
}

/// The Sleuth Kit's list: the inode of each path; with deleted files only those.
pub fn fls(image: &Path, deleted: bool) -> BTreeMap<String, String> {
    let list = run("fls", &["-r", "-p", if deleted { "-d" } else { "-u" }, text(image)]);
    let lines = list.lines().filter_map(|line| line.split_once(":\t"));
    lines
        .map(|(left, path)| (path.to_owned(), left.rsplit(' ').next().unwrap_or_default().replace("(realloc)", "")))
        .collect()
}
