//! Later segments of images, and volumes of archives, whose first is not an input.

use pfh_source::os::names::OsStrExt;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Endings of the names of images' first segments.
pub const FIRSTS: [&str; 10] = ["E01", "e01", "s01", "S01", "L01", "l01", "Lx01", "lx01", "AD1", "ad1"];
/// Endings of the names of archives' first volumes.
const VOLUMES: [&str; 3] = ["rar", "RAR", "001"];

/// Endings, in lower case, of the names of files that stand for further ones of other endings.
const WHOLES: [&str; 8] = ["zip", "zipx", "000", "001", "aaa", "aaaa", "vmdk", "ex01"];

/// Later segments that came: the first stands for all of them, and when it does not come, nothing
/// of the image is opened.
#[derive(Default)]
pub struct Segments {
    /// By the path without its ending: the first later segment, none if the first came.
    images: BTreeMap<PathBuf, Option<Lone>>,
    /// The same by the whole path of the first, for sets whose parts have names of any kind.
    sets: BTreeMap<PathBuf, Option<Lone>>,
}

/// A later segment whose first is not an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lone {
    /// Its printed name.
    pub name: Vec<u8>,
    /// The path of the first.
    pub first: PathBuf,
}

impl Segments {
    /// An input came that may be the first segment of an image.
    pub fn first(&mut self, name: &[u8]) {
        let path = Path::new(OsStr::from_bytes(name));
        if path.extension().is_some_and(|ending| FIRSTS.iter().chain(&VOLUMES).any(|first| ending == *first)) {
            self.images.insert(image(path), None);
        }
    }

    /// A later segment came, whose first is beside it at this path.
    pub fn later(&mut self, first: &Path, printed: &[u8]) {
        // A first file that is a program could be any program of the input.
        if !first.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("exe")) {
            self.images.entry(image(first)).or_insert_with(|| Some(Lone::new(printed, first)));
        }
    }

    /// The first part of a set came.
    pub fn first_of_set(&mut self, path: &Path) {
        self.sets.insert(absolute(path), None);
    }

    /// A file came that may be the first of pieces by its name.
    pub fn may_be_first(&mut self, path: &Path) {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        if ending.is_some_and(|ending| WHOLES.iter().any(|whole| ending == *whole)) {
            self.first_of_set(path);
        }
    }

    /// A later part of a set came, whose first is beside it at this path.
    pub fn part(&mut self, first: &Path, printed: &[u8]) {
        self.sets.entry(absolute(first)).or_insert_with(|| Some(Lone::new(printed, first)));
    }

    /// A later segment whose first did not come, after all inputs.
    pub fn next_alone(&mut self) -> Option<Lone> {
        for found in [&mut self.images, &mut self.sets] {
            while let Some((_, lone)) = found.pop_first() {
                if lone.is_some() {
                    return lone;
                }
            }
        }
        None
    }
}

impl Lone {
    fn new(name: &[u8], first: &Path) -> Lone {
        Lone { name: name.to_vec(), first: first.to_owned() }
    }
}

/// Which image a segment belongs to, whether its directory is written with `./` or without.
fn image(path: &Path) -> PathBuf {
    absolute(path).with_extension("")
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_without_its_first_is_named_once() {
        let mut segments = Segments::default();
        segments.later(Path::new("d/a.E02"), b"d/a.E02");
        segments.later(Path::new("d/a.E03"), b"d/a.E03");
        segments.later(Path::new("b.E02"), b"b.E02");
        segments.first(b"./b.E01");
        segments.first(b"c.e01");
        segments.later(Path::new("c.e02"), b"c.e02");
        segments.first(b"notes.txt");
        segments.later(Path::new("v.part1.rar"), b"v.part2.rar");
        segments.first(b"v.part1.rar");
        segments.later(Path::new("w.7z.002"), b"w.7z.002");
        segments.later(Path::new("x.exe"), b"x.r00");
        segments.part(Path::new("d/one.cab"), b"d/two.cab");
        segments.part(Path::new("w.swm"), b"w2.swm");
        segments.first_of_set(Path::new("./w.swm"));
        segments.part(Path::new("z.zip"), b"z.z01");
        segments.may_be_first(Path::new("z.ZIP"));
        segments.may_be_first(Path::new("z.zip"));
        let mut next = || segments.next_alone().map(|lone| lone.name);
        assert_eq!(next(), Some(b"d/a.E02".to_vec()));
        assert_eq!(next(), Some(b"w.7z.002".to_vec()));
        assert_eq!(next(), Some(b"d/two.cab".to_vec()));
        assert_eq!(next(), None);
    }
}
