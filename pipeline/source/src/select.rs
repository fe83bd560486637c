//! Which files are taken: globs over names and paths, and sizes. Hidden files always are;
//! ignore-files never count.

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A pattern that is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a glob: {0}")]
pub struct SelectionError(String);

#[derive(Debug, Clone, Default)]
struct Globs {
    /// Patterns without a slash: matched against the last component.
    names: GlobSet,
    /// Patterns with a slash: matched against the name as printed, and the path below the operand.
    paths: GlobSet,
    given: bool,
    /// What has matched something so far; clones of a selection share it.
    seen: Arc<Seen>,
}

/// Which patterns have matched something.
#[derive(Debug, Default)]
struct Seen {
    /// Those without a slash, then those with one, each in the order in which they were given.
    patterns: Vec<(String, AtomicBool)>,
    /// How many of them have matched nothing yet.
    left: AtomicUsize,
}

impl Seen {
    fn hit(&self, at: usize) {
        if let Some((_, seen)) = self.patterns.get(at)
            && !seen.swap(true, Ordering::Relaxed)
        {
            self.left.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A name that is asked about.
pub(crate) struct Asked<'a> {
    /// As it is printed.
    pub printed: &'a [u8],
    /// Below the operand.
    pub below: &'a [u8],
    /// The last component.
    pub name: &'a [u8],
}

impl Globs {
    fn new(patterns: &[String]) -> Result<Self, SelectionError> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let (mut seen, mut with_slash) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let slash = pattern.contains('/');
            let glob = GlobBuilder::new(bare(pattern).trim_end_matches('/'))
                .literal_separator(slash)
                .backslash_escape(true)
                .build()
                .map_err(|e| SelectionError(e.to_string()))?;
            if slash {
                paths.add(glob);
                with_slash.push(pattern.clone());
            } else {
                names.add(glob);
                seen.push(pattern.clone());
            }
        }
        seen.append(&mut with_slash);
        let left = AtomicUsize::new(seen.len());
        let patterns_seen = seen.into_iter().map(|pattern| (pattern, AtomicBool::new(false))).collect();
        let seen = Arc::new(Seen { patterns: patterns_seen, left });
        let build = |set: GlobSetBuilder| set.build().map_err(|e| SelectionError(e.to_string()));
        Ok(Globs { names: build(names)?, paths: build(paths)?, given: !patterns.is_empty(), seen })
    }

    fn matches(&self, asked: &Asked<'_>) -> bool {
        let printed = asked.printed.strip_prefix(b"./").unwrap_or(asked.printed);
        let printed = &printed[printed.iter().take_while(|byte| **byte == b'/').count()..];
        self.hit(&self.names, 0, asked.name)
            | self.hit(&self.paths, self.names.len(), asked.below)
            | (printed != asked.below && self.hit(&self.paths, self.names.len(), printed))
    }

    /// Whether a pattern of the set matches; its first pattern has the number `from`.
    fn hit(&self, set: &GlobSet, from: usize, bytes: &[u8]) -> bool {
        if set.is_empty() {
            return false;
        }
        let candidate = Candidate::new(Path::new(OsStr::from_bytes(bytes)));
        if self.seen.left.load(Ordering::Relaxed) == 0 {
            return set.is_match_candidate(&candidate);
        }
        // All that match count as seen, not the first alone.
        let matching = set.matches_candidate(&candidate);
        matching.iter().for_each(|at| self.seen.hit(from + at));
        !matching.is_empty()
    }

    fn unmatched(&self) -> impl Iterator<Item = &str> {
        let unseen = self.seen.patterns.iter().filter(|(_, seen)| !seen.load(Ordering::Relaxed));
        unseen.map(|(pattern, _)| &pattern[..])
    }
}

/// A pattern or path without what stands for "here" in front of it.
fn bare(pattern: &str) -> &str {
    pattern.strip_prefix("./").unwrap_or(pattern).trim_start_matches('/')
}

/// Include and exclude globs and size limits. A pattern without `/` is matched against the last
/// component of a path, one with `/` against the name as it is printed and against the path below
/// the operand. An excluded directory is not entered.
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
        self.takes_file(&Asked { printed: path, below: path, name }) && size.is_none_or(|size| self.takes_size(size))
    }

    pub(crate) fn needs_size(&self) -> bool {
        self.min_size.is_some() || self.max_size.is_some()
    }

    pub(crate) fn takes_size(&self, size: u64) -> bool {
        self.min_size.is_none_or(|min| size >= min) && self.max_size.is_none_or(|max| size <= max)
    }

    /// The patterns that have matched nothing so far, in whichever clone of this selection: those
    /// of `include`, then those of `exclude`.
    pub fn unmatched(&self) -> Vec<&str> {
        self.include.unmatched().chain(self.exclude.unmatched()).collect()
    }

    pub(crate) fn takes_file(&self, asked: &Asked<'_>) -> bool {
        (!self.include.given || self.include.matches(asked)) && !(self.exclude.given && self.exclude.matches(asked))
    }

    pub(crate) fn enters(&self, asked: &Asked<'_>) -> bool {
        !(self.exclude.given && self.exclude.matches(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_select() {
        let words = |w: &[&str]| w.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let s = Selection::new(&words(&["*.txt", "sub/*.bin"]), &words(&["b*"]), None, Some(9)).unwrap();
        let takes = |path: &[u8]| {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
            s.takes(path, name, None)
        };
        assert!(takes(b"x/a.txt") && !takes(b"x/b.txt"));
        assert!(takes(b"sub/a.bin") && !takes(b"x/sub/a.bin"));
        assert!(takes(b".hidden.txt") && takes(b"\xff.txt"));
        let enters = |name| s.enters(&Asked { printed: name, below: name, name });
        assert!(!enters(b"back") && enters(b"x"));
        assert!(s.takes_size(9) && !s.takes_size(10));
        assert!(Selection::new(&words(&["[a"]), &[], None, None).is_err());
    }

    #[test]
    fn a_pattern_is_looked_for_in_the_name_as_printed_and_what_matches_nothing_is_known() {
        let patterns = ["d/0003.bin", "./d/4", "/tmp/d/5", "never", "d/never", "sub/6"].map(str::to_owned);
        let s = Selection::new(&[], &patterns, None, None).unwrap();
        let leaves_out = |printed: &str, below: &str| {
            let name = below.rsplit('/').next().unwrap().as_bytes();
            !s.clone().takes_file(&Asked { printed: printed.as_bytes(), below: below.as_bytes(), name })
        };
        assert!(leaves_out("d/0003.bin", "0003.bin") && leaves_out("./d/4", "4") && leaves_out("/tmp/d/5", "5"));
        assert!(leaves_out("d/sub/6", "sub/6") && !leaves_out("e/0003.bin", "0003.bin"));
        assert_eq!(s.unmatched(), ["never", "d/never"]);
    }
}
