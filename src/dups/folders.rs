//! Folders that are equal as wholes: the same names with the same contents, all the way down.

use super::found::DuplicateFiles;
use super::group::{Folders, Group};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The entry of a name in a folder.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Kind {
    Empty,
    Group(usize),
    Folder(usize),
}

#[derive(Default)]
struct Folder {
    content: Vec<(Vec<u8>, Kind)>,
    files: u64,
    bytes: u64,
    /// Something in it has no equal, or nobody knows.
    single: bool,
}

/// The largest folders that are equal. A folder within one of them is not listed for itself, unless
/// it has an equal elsewhere.
pub fn equal(found: &DuplicateFiles, groups: &[Group], failed: &[usize]) -> Vec<Folders> {
    let roots: HashSet<Vec<u8>> = found.roots.iter().map(|root| trimmed(root).to_vec()).collect();
    let mut tree: BTreeMap<Vec<u8>, Folder> = BTreeMap::new();
    let mut put = |name: &[u8], known: Option<(Kind, u64)>| {
        let Some((parent, last)) = parent(name, &roots) else { return };
        // Each folder on the way up is there, also if only folders are in it.
        let mut above = Some(parent);
        while let Some(next) = above {
            tree.entry(next.to_vec()).or_default();
            above = self::parent(next, &roots).map(|(above, _)| above);
        }
        let folder = tree.entry(parent.to_vec()).or_default();
        match known {
            Some((kind, bytes)) => {
                folder.content.push((last.to_vec(), kind));
                folder.files += 1;
                folder.bytes += bytes;
            }
            None => folder.single = true,
        }
    };
    let mut grouped: HashSet<&[u8]> = HashSet::new();
    for (at, group) in groups.iter().enumerate() {
        for name in group.copies.iter().flat_map(|copy| &copy.names) {
            grouped.insert(name);
            put(name, Some((Kind::Group(at), group.size)));
        }
    }
    found.empty.iter().for_each(|name| put(name, Some((Kind::Empty, 0))));
    found.unknown.iter().for_each(|name| put(name, None));
    failed.iter().flat_map(|at| &found.files[*at].names).for_each(|name| put(name, None));
    for name in found.files.iter().flat_map(|file| &file.names).filter(|name| !grouped.contains(&name[..])) {
        put(name, None);
    }
    let classes = classes(&mut tree, &roots);
    largest(&tree, classes, &roots)
}

/// The folders of one content, from the deepest up.
fn classes(tree: &mut BTreeMap<Vec<u8>, Folder>, roots: &HashSet<Vec<u8>>) -> Vec<Vec<Vec<u8>>> {
    let mut names: Vec<Vec<u8>> = tree.keys().cloned().collect();
    names.sort_by_key(|name| std::cmp::Reverse(name.iter().filter(|byte| **byte == b'/').count()));
    let mut numbers: HashMap<Vec<(Vec<u8>, Kind)>, usize> = HashMap::new();
    let mut classes: Vec<Vec<Vec<u8>>> = Vec::new();
    for name in names {
        let Some(folder) = tree.get_mut(&name) else { continue };
        folder.content.sort();
        let (files, bytes, single) = (folder.files, folder.bytes, folder.single);
        let content = folder.content.clone();
        let above = parent(&name, roots).map(|(above, last)| (above.to_vec(), last.to_vec()));
        let class = (!single).then(|| {
            let next = classes.len();
            let class = *numbers.entry(content).or_insert(next);
            if class == next {
                classes.push(Vec::new());
            }
            classes[class].push(name);
            class
        });
        let Some((above, last)) = above else { continue };
        let Some(above) = tree.get_mut(&above) else { continue };
        match class {
            Some(class) => {
                above.content.push((last, Kind::Folder(class)));
                above.files += files;
                above.bytes += bytes;
            }
            None => above.single = true,
        }
    }
    classes
}

fn largest(tree: &BTreeMap<Vec<u8>, Folder>, classes: Vec<Vec<Vec<u8>>>, roots: &HashSet<Vec<u8>>) -> Vec<Folders> {
    let classes: Vec<BTreeSet<Vec<u8>>> =
        classes.into_iter().filter(|class| class.len() > 1).map(BTreeSet::from_iter).collect();
    let equal: HashSet<&[u8]> = classes.iter().flatten().map(|name| &name[..]).collect();
    let mut found: Vec<Folders> = Vec::new();
    for class in &classes {
        let is_within = |name: &Vec<u8>| parent(name, roots).is_some_and(|(above, _)| equal.contains(above));
        let folder = class.first().and_then(|name| tree.get(name));
        let Some(folder) = folder.filter(|folder| folder.bytes > 0 && !class.iter().all(is_within)) else { continue };
        found.push(Folders { names: class.iter().cloned().collect(), files: folder.files, bytes: folder.bytes });
    }
    let waste = |folders: &Folders| folders.bytes * (folders.names.len() as u64 - 1);
    found.sort_by(|one, other| waste(other).cmp(&waste(one)).then_with(|| one.names.cmp(&other.names)));
    found
}

/// A name without slashes at its end, but for `/` itself.
fn trimmed(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|&byte| byte != b'/').map_or(name.len().min(1), |at| at + 1);
    &name[..end]
}

/// The folder of a name and its last component; `None` above the walked folders.
fn parent<'a>(name: &'a [u8], roots: &HashSet<Vec<u8>>) -> Option<(&'a [u8], &'a [u8])> {
    let name = trimmed(name);
    if roots.contains(name) {
        return None;
    }
    let at = name.iter().rposition(|&byte| byte == b'/')?;
    let (above, last) = (trimmed(&name[..at.max(1)]), &name[at + 1..]);
    let is_walked = roots.iter().any(|root| {
        let rest = above.strip_prefix(&root[..]);
        rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || root.ends_with(b"/"))
    });
    is_walked.then_some((above, last))
}
