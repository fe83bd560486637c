//! Which files are taken: globs over names and paths, and sizes. Hidden files always are;
//! ignore-files never count.

use fast_glob::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A pattern that is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a glob: {0}")]
pub struct SelectionError(String);

/// A pattern as `fast_glob` reads it, and its place among those that were given.
#[derive(Debug, Clone)]
struct Glob {
    pattern: Vec<u8>,
    at: usize,
}

#[derive(Debug, Clone, Default)]
struct Globs {
    /// Patterns without a slash: matched against the last component.
    names: Vec<Glob>,
    /// Patterns with a slash: matched against the name as printed, and the path below the operand.
    paths: Vec<Glob>,
    /// The patterns that have matched something so far; clones of a selection share them.
    seen: Arc<MatchedPatterns>,
}

/// Which patterns have matched something.
#[derive(Debug, Default)]
struct MatchedPatterns {
    /// In the order in which they were given.
    patterns: Vec<(String, AtomicBool)>,
    /// How many of them have matched nothing yet.
    left: AtomicUsize,
}

impl MatchedPatterns {
    fn hit(&self, at: usize) {
        if let Some((_, seen)) = self.patterns.get(at)
            && !seen.swap(true, Ordering::Relaxed)
        {
            self.left.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A name that is asked about.
pub(crate) struct AskedName<'a> {
    /// As it is printed.
    pub printed: &'a [u8],
    /// Below the operand.
    pub below: &'a [u8],
    /// The last component.
    pub name: &'a [u8],
}

impl Globs {
    fn new(patterns: &[String]) -> Result<Self, SelectionError> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        for (at, given) in patterns.iter().enumerate() {
            let glob = Glob { pattern: dialect(bare(given).trim_end_matches('/')), at };
            fast_glob::validate(&glob.pattern).map_err(|error| SelectionError(fault(error.kind, given)))?;
            if given.contains('/') { &mut paths } else { &mut names }.push(glob);
        }
        let left = AtomicUsize::new(patterns.len());
        let patterns = patterns.iter().map(|pattern| (pattern.clone(), AtomicBool::new(false))).collect();
        Ok(Globs { names, paths, seen: Arc::new(MatchedPatterns { patterns, left }) })
    }

    fn is_given(&self) -> bool {
        !self.seen.patterns.is_empty()
    }

    fn matches(&self, asked: &AskedName<'_>) -> bool {
        let printed = asked.printed.strip_prefix(b"./").unwrap_or(asked.printed);
        let printed = &printed[printed.iter().take_while(|byte| **byte == b'/').count()..];
        self.hit(&self.names, asked.name)
            | self.hit(&self.paths, asked.below)
            | (printed != asked.below && self.hit(&self.paths, printed))
    }

    /// Whether one of the patterns matches. While some have matched nothing yet, each is asked, so
    /// that all that match count as seen, not the first alone.
    fn hit(&self, globs: &[Glob], bytes: &[u8]) -> bool {
        let matching = |glob: &&Glob| fast_glob::glob_match(&glob.pattern, bytes);
        if self.seen.left.load(Ordering::Relaxed) == 0 {
            return globs.iter().any(|glob| matching(&glob));
        }
        globs.iter().filter(matching).inspect(|glob| self.seen.hit(glob.at)).count() > 0
    }

    fn unmatched(&self) -> impl Iterator<Item = &str> {
        let unseen = self.seen.patterns.iter().filter(|(_, seen)| !seen.load(Ordering::Relaxed));
        unseen.map(|(pattern, _)| &pattern[..])
    }
}

/// The pattern in the dialect of `fast_glob`, where a `!` in front negates and a backslash before
/// some letters is a control character: here, as in a shell, both stand for themselves.
fn dialect(pattern: &str) -> Vec<u8> {
    let mut dialect = Vec::with_capacity(pattern.len() + 1);
    if pattern.starts_with('!') {
        dialect.push(b'\\');
    }
    let mut bytes = pattern.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek()) {
            (b'\\', Some(next)) if next.is_ascii_alphanumeric() => {}
            (b'\\', Some(_)) => dialect.extend([byte, bytes.next().unwrap_or(byte)]),
            _ => dialect.push(byte),
        }
    }
    dialect
}

fn fault(kind: ErrorKind, pattern: &str) -> String {
    let why = match kind {
        ErrorKind::UnclosedBrace => "a '{' without '}'",
        ErrorKind::UnclosedBracket => "a '[' without ']'",
        ErrorKind::TrailingBackslash => "nothing follows the last backslash",
        ErrorKind::BraceNestingTooDeep | ErrorKind::TooManyBraceGroups => "more than 10 groups in braces",
        _ => "a pattern of another kind",
    };
    format!("{pattern}: {why}")
}

/// A pattern or path without the `./` or `/` in front of it.
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
        !self.include.is_given() && !self.exclude.is_given() && !self.needs_size()
    }

    /// Whether a file of this path below an operand, of this last component and of this size, if
    /// it is known, is taken.
    pub fn takes(&self, path: &[u8], name: &[u8], size: Option<u64>) -> bool {
        self.takes_file(&AskedName { printed: path, below: path, name })
            && size.is_none_or(|size| self.takes_size(size))
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

    pub(crate) fn takes_file(&self, asked: &AskedName<'_>) -> bool {
        (!self.include.is_given() || self.include.matches(asked))
            && !(self.exclude.is_given() && self.exclude.matches(asked))
    }

    pub(crate) fn enters(&self, asked: &AskedName<'_>) -> bool {
        !(self.exclude.is_given() && self.exclude.matches(asked))
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
        let enters = |name| s.enters(&AskedName { printed: name, below: name, name });
        assert!(!enters(b"back") && enters(b"x"));
        assert!(s.takes_size(9) && !s.takes_size(10));
        assert!(Selection::new(&words(&["[a"]), &[], None, None).is_err());
    }

    /// Patterns, names, and the answers of globset and of a shell.
    #[test]
    fn globs_mean_the_same_as_in_a_shell() {
        for (pattern, name, matches) in [
            ("?", "\u{e9}", false),
            ("*", "", true),
            ("a/**", "a", false),
            ("a/**", "a/b/c", true),
            ("**/b", "b", true),
            ("**/b", "x/y/b", true),
            ("a/**/b", "a/b", true),
            ("a**b/c", "axxb/c", true),
            ("d/*", "d/.h", true),
            ("d/*", "d/e/f", false),
            ("{a,b}/c", "b/c", true),
            ("a/{b,c/d}", "a/c/d", true),
            ("*.{jpg,png}", "x.png", true),
            ("{,a}b", "b", true),
            ("[!a]", "b", true),
            ("[^a]", "a", false),
            ("[]a]", "]", true),
            ("!a", "!a", true),
            ("!a", "b", false),
            ("\\n", "n", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("a]", "a]", true),
        ] {
            let globs = Globs::new(&[pattern.to_owned()]).unwrap();
            let name = name.as_bytes();
            assert_eq!(globs.matches(&AskedName { printed: name, below: name, name }), matches, "{pattern} {name:?}");
        }
        for pattern in ["{a", "[a", "a\\", "[a-"] {
            let error = Selection::new(&[], &[pattern.to_owned()], None, None).unwrap_err();
            assert!(error.to_string().contains(pattern), "{error}");
        }
    }

    #[test]
    fn a_pattern_is_looked_for_in_the_name_as_printed_and_what_matches_nothing_is_known() {
        let patterns = ["d/0003.bin", "./d/4", "/tmp/d/5", "never", "d/never", "sub/6"].map(str::to_owned);
        let s = Selection::new(&[], &patterns, None, None).unwrap();
        let leaves_out = |printed: &str, below: &str| {
            let name = below.rsplit('/').next().unwrap().as_bytes();
            !s.clone().takes_file(&AskedName { printed: printed.as_bytes(), below: below.as_bytes(), name })
        };
        assert!(leaves_out("d/0003.bin", "0003.bin") && leaves_out("./d/4", "4") && leaves_out("/tmp/d/5", "5"));
        assert!(leaves_out("d/sub/6", "sub/6") && !leaves_out("e/0003.bin", "0003.bin"));
        assert_eq!(s.unmatched(), ["never", "d/never"]);
    }
}
