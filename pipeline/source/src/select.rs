//! Which files are taken: globs over names and paths, and sizes. Hidden files always are;
//! ignore-files never count.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A pattern that is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a glob: {0}")]
pub struct SelectionError(String);

#[derive(Debug, Clone, Default)]
struct Globs {
    /// Patterns without a slash: matched against the last component.
    names: GlobSet,
    /// Patterns with a slash: matched against the path below the operand.
    paths: GlobSet,
    given: bool,
}

impl Globs {
    fn new(patterns: &[String]) -> Result<Self, SelectionError> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for pattern in patterns {
            let slash = pattern.contains('/');
            let glob = GlobBuilder::new(pattern.trim_start_matches('/').trim_end_matches('/'))
                .literal_separator(slash)
                .backslash_escape(true)
                .build()
                .map_err(|e| SelectionError(e.to_string()))?;
            if slash {
                paths.add(glob)
            } else {
                names.add(glob)
            };
        }
        let build = |set: GlobSetBuilder| set.build().map_err(|e| SelectionError(e.to_string()));
        Ok(Globs { names: build(names)?, paths: build(paths)?, given: !patterns.is_empty() })
    }

    fn matches(&self, path: &[u8], name: &[u8]) -> bool {
        let hit = |set: &GlobSet, bytes: &[u8]| {
            !set.is_empty() && set.is_match_candidate(&Candidate::new(Path::new(OsStr::from_bytes(bytes))))
        };
        hit(&self.names, name) || hit(&self.paths, path)
    }
}

/// Include and exclude globs and size limits. A pattern without `/` is matched against the last
/// component of a path, one with `/` against the whole path below the operand. An excluded
/// directory is not entered.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    include: Globs,
    exclude: Globs,
    min_size: Option<u64>,
    max_size: Option<u64>,
}

impl Selection {
    /// Builds a selection; sizes in bytes, both ends included.
    ///
    /// # Errors
    /// A pattern that is not a glob.
    pub fn new(
        include: &[String],
        exclude: &[String],
        min_size: Option<u64>,
        max_size: Option<u64>,
    ) -> Result<Self, SelectionError> {
        Ok(Selection { include: Globs::new(include)?, exclude: Globs::new(exclude)?, min_size, max_size })
    }

    /// Whether every file is taken.
    pub fn is_all(&self) -> bool {
        !self.include.given && !self.exclude.given && !self.needs_size()
    }

    /// Whether a file of this path below an operand, of this last component and of this size, if
    /// it is known, is taken.
    pub fn takes(&self, path: &[u8], name: &[u8], size: Option<u64>) -> bool {
        self.takes_file(path, name) && size.is_none_or(|size| self.takes_size(size))
    }

    pub(crate) fn needs_size(&self) -> bool {
        self.min_size.is_some() || self.max_size.is_some()
    }

    pub(crate) fn takes_size(&self, size: u64) -> bool {
        self.min_size.is_none_or(|min| size >= min) && self.max_size.is_none_or(|max| size <= max)
    }

    pub(crate) fn takes_file(&self, path: &[u8], name: &[u8]) -> bool {
        (!self.include.given || self.include.matches(path, name))
            && !(self.exclude.given && self.exclude.matches(path, name))
    }

    pub(crate) fn enters(&self, path: &[u8], name: &[u8]) -> bool {
        !(self.exclude.given && self.exclude.matches(path, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_select() {
        let words = |w: &[&str]| w.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let s = Selection::new(&words(&["*.txt", "sub/*.bin"]), &words(&["b*"]), None, Some(9)).unwrap();
        assert!(s.takes_file(b"x/a.txt", b"a.txt"));
        assert!(!s.takes_file(b"x/b.txt", b"b.txt"));
        assert!(s.takes_file(b"sub/a.bin", b"a.bin"));
        assert!(!s.takes_file(b"x/sub/a.bin", b"a.bin"));
        assert!(s.takes_file(b".hidden.txt", b".hidden.txt"));
        assert!(s.takes_file(b"\xff.txt", b"\xff.txt"));
        assert!(!s.enters(b"back", b"back") && s.enters(b"x", b"x"));
        assert!(s.takes_size(9) && !s.takes_size(10));
        assert!(Selection::new(&words(&["[a"]), &[], None, None).is_err());
    }
}
