//! Listed names that no file has: the file that probably is meant.

use pfh_ledger::{Likeness, key, plain};
use pfh_source::os::names::OsStrExt;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Names of a directory by their keys: those of one key are spellings of one another. Of a flat
/// list the paths of files by the last part of their names.
type Spellings = HashMap<Vec<u8>, Vec<Vec<u8>>>;

/// Looks below one directory for files whose names are other spellings of listed ones. Each
/// directory is listed once.
pub struct Nearest {
    root: PathBuf,
    /// The names in a directory by their keys; directories by their paths below the root.
    listed: HashMap<Vec<u8>, Spellings>,
    /// Of a list without directories: the files at any depth, by the last part of their names, once
    /// one is looked for.
    flat: Option<Option<Spellings>>,
}

impl Nearest {
    /// Below this directory, for a list that is `flat` if its form has no place for directories.
    pub fn new(root: &[u8], flat: bool) -> Nearest {
        let root = PathBuf::from(OsStr::from_bytes(root));
        Nearest { root, listed: HashMap::new(), flat: flat.then_some(None) }
    }

    /// The only file of this name and size in the directories below, where the list is flat.
    pub fn below(&mut self, name: &[u8], size: Option<u64>) -> Option<(Vec<u8>, Likeness)> {
        let root = &self.root;
        let files = self.flat.as_mut()?.get_or_insert_with(|| files(root));
        let has_size = |path: &&Vec<u8>| {
            let found = std::fs::metadata(root.join(OsStr::from_bytes(path)));
            size.is_none_or(|size| found.is_ok_and(|found| found.len() == size))
        };
        let mut alike = files.get(name)?.iter();
        let found = match &files[name][..] {
            [only] => Some(only),
            _ => alike.find(has_size).filter(|_| !alike.any(|other| has_size(&other))),
        };
        Some((found?.clone(), Likeness::folders()))
    }

    /// The file that a name probably means, which is not there itself, and how the two differ.
    pub fn find(&mut self, name: &[u8]) -> Option<(Vec<u8>, Likeness)> {
        let wanted = key(name);
        if wanted.starts_with(b"/") || wanted.split(|byte| *byte == b'/').any(|part| part == b"..") {
            return None;
        }
        let mut found: Vec<u8> = Vec::new();
        let spelt = plain(name);
        let mut spelt = spelt.split(|byte| *byte == b'/');
        let mut rest = &wanted[..];
        while !rest.is_empty() {
            let exact = spelt.next().unwrap_or_default();
            let names = self.names(&found);
            let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            // A backslash may be a letter of the name.
            let whole = names.get(rest).filter(|_| end < rest.len());
            let (alike, end) = match whole {
                Some(alike) => (alike, rest.len()),
                None => (names.get(&rest[..end])?, end),
            };
            rest = &rest[(end + 1).min(rest.len())..];
            // Of several the one as it is spelt, so that a directory that is there is taken.
            let next = alike.iter().find(|name| &name[..] == exact).or(alike.first())?;
            found = if found.is_empty() { next.clone() } else { [&found[..], b"/", next].concat() };
        }
        let is_file = std::fs::metadata(self.root.join(OsStr::from_bytes(&found))).is_ok_and(|found| found.is_file());
        let likeness = Likeness::of(name, &found)?;
        is_file.then_some((found, likeness))
    }

    fn names(&mut self, directory: &[u8]) -> &HashMap<Vec<u8>, Vec<Vec<u8>>> {
        self.listed.entry(directory.to_vec()).or_insert_with(|| {
            let mut names: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
            let path = self.root.join(OsStr::from_bytes(directory));
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                let name = entry.file_name().as_bytes().to_vec();
                names.entry(key(&name)).or_default().push(name);
            }
            names.values_mut().for_each(|alike| alike.sort());
            names
        })
    }
}

/// The files below a directory by the last part of their names. Links are not followed.
fn files(root: &Path) -> Spellings {
    let mut files = Spellings::new();
    let mut left = vec![Vec::new()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(root.join(OsStr::from_bytes(&directory))).into_iter().flatten().flatten() {
            let name = entry.file_name().as_bytes().to_vec();
            let path = if directory.is_empty() { name.clone() } else { [&directory[..], b"/", &name].concat() };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => left.push(path),
                Ok(kind) if kind.is_file() => files.entry(name).or_default().push(path),
                _ => {}
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_is_meant_is_found() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(room.path().join("DCIM/sub")).unwrap();
        for name in ["DCIM/IMG_1.JPG", "DCIM/sub/o\u{308}.txt", "plain"] {
            std::fs::write(room.path().join(name), "x").unwrap();
        }
        let mut nearest = Nearest::new(room.path().as_os_str().as_bytes(), false);
        let mut found = |name: &str| {
            let found = nearest.find(name.as_bytes());
            found.map(|(name, likeness)| (String::from_utf8(name).unwrap(), likeness.to_string()))
        };
        let some = |name: &str, said: &str| Some((name.to_owned(), said.to_owned()));
        assert_eq!(found("dcim\\img_1.jpg"), some("DCIM/IMG_1.JPG", "\\ for / and case alone"));
        assert_eq!(found("DCIM/sub/\u{f6}.txt"), some("DCIM/sub/o\u{308}.txt", "its Unicode normal form alone"));
        assert_eq!(found("plain  "), some("plain", "blanks at its ends alone"));
        for none in ["other", "dcim", "../plain ", "/plain ", "plain"] {
            assert_eq!(found(none), None, "{none}");
        }
    }
}
