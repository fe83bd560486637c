//! The pieces of a split raw image, by the name of the first one.
//!
//! `NAME.000`, `NAME.001` and `NAME.aaa`, in two places or more, are names of first pieces: the
//! next ones are joined. Other programs number otherwise (`d.0`, `j.1`, `xaa`, `i00.dd`), in names
//! that files without any successor have as well: these are joined only where the sizes are those
//! of a set, and where they are not the neighbour is named.

use crate::os::names::with_ending;
use crate::os::names::{OsStrExt, OsStringExt};
use pfh_container::split::Suffix;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files beside a file that may be a first piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pieces {
    /// The files of the image, in order: one, or the pieces.
    Joined(Vec<PathBuf>),
    /// This file may be the next piece, or another image.
    Unclear(PathBuf),
    /// The file is a later piece; the first one is this.
    Later(PathBuf),
    /// A piece is missing, or has not the size of one: no bytes behind it are where they were.
    Broken {
        /// The pieces that are there.
        files: Vec<PathBuf>,
        /// Which piece, and the fault.
        piece: PathBuf,
        why: String,
        /// The piece that shows it, of one that is missing in front of all others.
        beside: Option<PathBuf>,
    },
}

/// How far behind a gap a piece is looked for.
const FARTHEST: u64 = 100;

/// A name that counts: the part before the number, the number, the part behind it.
struct CountedName<'a> {
    path: &'a Path,
    before: &'a [u8],
    number: &'a [u8],
    behind: &'a [u8],
}

impl<'a> CountedName<'a> {
    /// With the part behind the last dot as the number.
    fn ending(path: &'a Path) -> Option<Self> {
        let name = path.file_name()?.as_bytes();
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
        Some(CountedName { path, before: &name[..=dot], number: &name[dot + 1..], behind: b"" })
    }

    /// With the last letters `a`, or the last zeros and a one, before the ending as the number.
    fn stem(path: &'a Path) -> Option<Self> {
        let name = path.file_name()?.as_bytes();
        let end = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0).unwrap_or(name.len());
        let run = |byte: u8| name[..end].iter().rev().take_while(|other| **other == byte).count();
        let places = run(b'a').max(run(b'0'));
        let (before, number) = name[..end].split_at(end - places);
        Some(CountedName { path, before, number, behind: &name[end..] })
    }

    fn name(&self, number: &str) -> PathBuf {
        let name = [self.before, number.as_bytes(), self.behind].concat();
        self.path.with_file_name(OsString::from_vec(name))
    }

    /// How it counts, if its number is that of a first piece.
    fn kind(&self) -> Option<Suffix> {
        let number = std::str::from_utf8(self.number).ok().filter(|number| !number.is_empty())?;
        let kinds = [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters];
        kinds.into_iter().find(|kind| kind.of(0, number.len()).as_deref() == Some(number))
    }

    /// This one, and those that follow it without a gap.
    fn run(&self, kind: Suffix) -> Vec<PathBuf> {
        let names = (1..).map_while(|number| kind.of(number, self.number.len())).map(|number| self.name(&number));
        std::iter::once(self.path.to_owned()).chain(names.take_while(|path| path.is_file())).collect()
    }

    /// The first piece that is missing, if another one follows it.
    fn gap(&self, kind: Suffix, found: usize) -> Option<(PathBuf, String)> {
        let first = size(self.path)?;
        let (missing, width) = (self.name(&kind.of(found as u64, self.number.len())?), self.number.len());
        let numbers = found as u64 + 1..found as u64 + FARTHEST;
        let names = numbers.map_while(|number| kind.within(number, width)).map(|number| self.name(&number));
        let is_piece = |path: &PathBuf| path.is_file() && size(path).is_some_and(|size| (1..=first).contains(&size));
        let next = names.into_iter().find(is_piece)?;
        let next = next.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Some((missing, format!("is missing, and {next} is there")))
    }

    /// The piece that is missing in front of this one, if its number is that of a later piece of
    /// which a neighbour has the size; and the neighbour.
    fn headless(&self) -> Option<(PathBuf, PathBuf)> {
        let (text, width, own) = (std::str::from_utf8(self.number).ok()?, self.number.len(), size(self.path)?);
        let kind = if text.bytes().all(|byte| byte.is_ascii_digit()) { Suffix::Digits } else { Suffix::Letters };
        let number = kind.number(self.number, width).filter(|number| (1..=FARTHEST).contains(number))?;
        let named = |number: u64| Some(self.name(&kind.of(number, width)?));
        let is_there = |number: u64| named(number).is_some_and(|path| path.is_file());
        let missing = named((0..number).rev().find(|number| !is_there(*number))?)?;
        // The last piece may be shorter than the others.
        let is_beside = |path: &PathBuf, is_next: bool| match size(path) {
            Some(size) => path.is_file() && size > 0 && (size == own || (size < own) == is_next),
            None => false,
        };
        let next = named(number + 1).filter(|path| is_beside(path, true));
        let beside = next.or_else(|| named(number - 1).filter(|path| is_beside(path, false)))?;
        (width > 1 && own > 0).then_some((missing, beside))
    }

    /// The first piece, if this is a later one.
    fn first(&self) -> Option<PathBuf> {
        let (text, width) = (std::str::from_utf8(self.number).ok()?, self.number.len());
        let number = if text.bytes().all(|byte| byte.is_ascii_digit()) {
            text.parse::<u64>().ok()?
        } else {
            Suffix::Letters.number(self.number, width)?
        };
        // The one before may be missing. Far behind, letters are the ending of any other file.
        let before = |number: u64| match text.starts_with(|letter: char| letter.is_ascii_digit()) {
            true => Suffix::Digits.of(number, width),
            false => Suffix::Letters.of(number, width),
        };
        let is_next = before(number.checked_sub(1)?).is_some_and(|before| self.name(&before).is_file());
        if width < 2 || !is_next && number > FARTHEST {
            return None;
        }
        let firsts = [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters];
        let is_digits = text.starts_with(|c: char| c.is_ascii_digit());
        let firsts = firsts.iter().filter(|kind| (**kind != Suffix::Letters) == is_digits);
        let first = firsts.filter_map(|kind| kind.of(0, width)).map(|number| self.name(&number));
        let is_first = |path: &PathBuf| path != self.path && (is_next || size(path) >= size(self.path));
        first.into_iter().find(|path| path.is_file() && is_first(path))
    }
}

/// The piece whose size is not that of one, and why: all but the last have one size, and the last
/// has no more. The pieces of `split -n` differ by a byte, or the last one is longer by
/// fewer bytes than there are pieces.
fn odd(files: &[PathBuf]) -> Option<(PathBuf, String)> {
    let sizes: Option<Vec<u64>> = files.iter().map(|path| size(path)).collect();
    let sizes = sizes?;
    let (last, others) = sizes.split_last().filter(|(_, others)| !others.is_empty())?;
    let first = others[0];
    let descends = sizes.is_sorted_by(|one, next| one >= next);
    let is_even = descends && first - last <= 1;
    let is_rest = others.iter().all(|size| *size == first) && last.saturating_sub(first) < sizes.len() as u64;
    if (is_even || is_rest) && (*last > 0 || first == 0) {
        return None;
    }
    let number = sizes.iter().position(|size| *size == 0 || *size != first)?;
    let why = match sizes[number] {
        0 => "is empty".to_owned(),
        size if size > first => format!("has {size} bytes, and the first piece {first}"),
        size => format!("has {size} bytes, and is followed by another piece: the first has {first}"),
    };
    Some((files[number].clone(), why))
}

fn size(path: &Path) -> Option<u64> {
    std::fs::metadata(path).ok().map(|found| found.len())
}

/// Whether files have the sizes of pieces: all but the last one equal. Of files that are numbered
/// in digits, as disks of a case are, the last of three and more must be shorter as well.
fn are_cut(files: &[PathBuf], kind: Suffix) -> bool {
    let sizes: Option<Vec<u64>> = files.iter().map(|path| size(path)).collect();
    let Some((last, others)) = sizes.as_deref().and_then(|sizes| sizes.split_last()) else { return false };
    let Some(first) = others.first().filter(|first| **first > 0) else { return false };
    let is_set = *last > 0 && last <= first && others.iter().all(|size| size == first);
    is_set && (kind == Suffix::Letters || (files.len() > 2 && last < first))
}

/// Whether a log or a map of an acquisition into this very file lies beside it: it is a whole
/// image.
fn is_whole(path: &Path) -> bool {
    [".log.jsonl", ".map"].iter().any(|ending| with_ending(path, ending).is_file())
}

/// The files of the raw image whose first one has this name.
pub(super) fn of(first: &Path) -> Pieces {
    let alone = || Pieces::Joined(vec![first.to_owned()]);
    if let Some(counted) = CountedName::ending(first) {
        if let Some(begun) = counted.first() {
            return Pieces::Later(begun);
        }
        if counted.kind().is_none()
            && !is_whole(first)
            && let Some((piece, beside)) = counted.headless()
        {
            let name = beside.file_name().unwrap_or_default().to_string_lossy();
            let why = format!("is missing, and {name} is there");
            return Pieces::Broken { files: vec![first.to_owned()], piece, why, beside: Some(beside) };
        }
        if let Some(kind) = counted.kind() {
            let files = counted.run(kind);
            let is_usual = counted.number.len() > 1;
            let fault = || odd(&files).or_else(|| counted.gap(kind, files.len()));
            return match is_usual.then(fault).flatten() {
                Some((piece, why)) => Pieces::Broken { files, piece, why, beside: None },
                None if is_usual || files.len() == 1 => Pieces::Joined(files),
                None => judge(files, kind),
            };
        }
    }
    let Some(counted) = CountedName::stem(first).filter(|counted| counted.number.len() > 1) else { return alone() };
    match counted.kind() {
        Some(kind) => judge(counted.run(kind), kind),
        None => alone(),
    }
}

/// Smaller first files do not count as pieces of a medium, where nobody says that they are.
const LEAST: u64 = 4096;

/// The place in a set of a file that nobody calls an image, if its name is that of a later piece in
/// three places or more, and its size that of one: [`Pieces::Later`], or [`Pieces::Broken`] if the
/// first is missing.
pub(super) fn unasked(path: &Path) -> Option<Pieces> {
    // `001` is the first piece of a set, or the second behind `000`.
    let is_later = |counted: &CountedName<'_>| counted.kind().is_none() || counted.first().is_some();
    let counted = CountedName::ending(path).filter(|counted| counted.number.len() > 2 && is_later(counted))?;
    let is_counted = counted.number.iter().all(u8::is_ascii_digit) || counted.number.starts_with(b"a");
    let own = size(path).filter(|own| is_counted && *own > 0)?;
    match of(path) {
        // The last piece may have any size.
        Pieces::Later(first) => {
            let is_in = || matches!(of(&first), Pieces::Joined(files) if files.iter().any(|file| file == path));
            let is_large = size(&first).is_some_and(|size| size >= LEAST);
            (is_large && (size(&first) == Some(own) || is_in())).then_some(Pieces::Later(first))
        }
        _ if own < LEAST => None,
        // One neighbour that is shorter may be anything.
        Pieces::Broken { files, piece, why, beside } if beside.as_deref().and_then(size) == Some(own) => {
            Some(Pieces::Broken { files, piece, why, beside })
        }
        _ => None,
    }
}

/// The name of the piece behind the last of this number.
pub(super) fn next(first: &Path, pieces: usize) -> Option<PathBuf> {
    let counted =
        CountedName::ending(first).filter(|counted| counted.kind().is_some()).or_else(|| CountedName::stem(first))?;
    Some(counted.name(&counted.kind()?.of(pieces as u64, counted.number.len())?))
}

fn judge(mut files: Vec<PathBuf>, kind: Suffix) -> Pieces {
    if files.len() == 1 || is_whole(&files[0]) {
        files.truncate(1);
    } else if !are_cut(&files, kind) {
        return Pieces::Unclear(files.swap_remove(1));
    }
    Pieces::Joined(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes files of these sizes, and says which pieces the first one has.
    fn found(files: &[(&str, usize)]) -> Result<usize, String> {
        let room = tempfile::tempdir().unwrap();
        for (name, size) in files {
            std::fs::write(room.path().join(name), vec![1; *size]).unwrap();
        }
        let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        match of(&room.path().join(files[0].0)) {
            Pieces::Joined(files) => Ok(files.len()),
            Pieces::Unclear(path) => Err(format!("beside {}", name(path))),
            Pieces::Later(path) => Err(format!("after {}", name(path))),
            Pieces::Broken { piece, why, .. } => Err(format!("{} {why}", name(piece))),
        }
    }

    #[test]
    fn the_names_of_others_are_joined_where_the_sizes_are_those_of_a_set() {
        for set in [
            ["o.000", "o.001", "o.002"],
            ["o.001", "o.002", "o.003"],
            ["o.aa", "o.ab", "o.ac"],
            ["o.aaaa", "o.aaab", "o.aaac"],
            ["d.0", "d.1", "d.2"],
            ["j.1", "j.2", "j.3"],
            ["a.b.a", "a.b.b", "a.b.c"],
            ["i00.dd", "i01.dd", "i02.dd"],
            ["x0000", "x0001", "x0002"],
            ["xaa", "xab", "xac"],
            ["xaaaa.raw", "xaaab.raw", "xaaac.raw"],
        ] {
            assert_eq!(found(&[(set[0], 9), (set[1], 9), (set[2], 4)]), Ok(3), "{set:?}");
        }
        // Numbered images of whole disks: joined they would be a disk that does not exist.
        assert_eq!(found(&[("disk.1", 9), ("disk.2", 9)]), Err("beside disk.2".into()));
        assert_eq!(found(&[("disk.0", 9), ("disk.1", 4)]), Err("beside disk.1".into()));
        assert_eq!(found(&[("i00.dd", 9), ("i01.dd", 12), ("i02.dd", 4)]), Err("beside i01.dd".into()));
        assert_eq!(found(&[("disk.1", 9), ("disk.2", 9), ("disk.1.log.jsonl", 1)]), Ok(1));
        for alone in ["disk.1", "disk1.dd", "disk01.dd", "data.dd", "xaa", "b.0", ".0", "0", "a"] {
            assert_eq!(found(&[(alone, 9), ("disk2.dd", 9), ("disk02.dd", 9)]), Ok(1), "{alone}");
        }
    }

    #[test]
    fn a_piece_that_is_missing_or_has_another_size_is_named() {
        let of = |sizes: &[(&'static str, usize)]| found(sizes);
        for (first, second, third, fourth) in [
            ("o.000", "o.001", "o.002", "o.003"),
            ("o.001", "o.002", "o.003", "o.004"),
            ("o.aa", "o.ab", "o.ac", "o.ad"),
        ] {
            let gap = of(&[(first, 9), (second, 9), (fourth, 4)]).unwrap_err();
            assert_eq!(gap, format!("{third} is missing, and {fourth} is there"));
            let cut = of(&[(first, 9), (second, 3), (third, 9), (fourth, 4)]).unwrap_err();
            assert!(cut.starts_with(&format!("{second} has 3 bytes")), "{cut}");
            let empty = of(&[(first, 9), (second, 9), (third, 0), (fourth, 4)]).unwrap_err();
            assert_eq!(empty, format!("{third} is empty"));
            assert_eq!(of(&[(first, 9), (second, 0)]).unwrap_err(), format!("{second} is empty"));
            for long in [[9, 12, 9, 4], [9, 9, 9, 20]] {
                let names = [first, second, third, fourth];
                let set: Vec<_> = names.into_iter().zip(long).collect();
                let long = of(&set).unwrap_err();
                assert!(long.contains("bytes, and the first piece 9"), "{long}");
            }
            // As `split -n 4` cuts.
            for even in [[9, 9, 9, 9], [9, 9, 9, 12], [10, 10, 9, 9], [9, 9, 9, 1]] {
                let set: Vec<_> = [first, second, third, fourth].into_iter().zip(even).collect();
                assert_eq!(of(&set), Ok(4), "{even:?}");
            }
        }
        assert_eq!(found(&[("o.000", 9), ("o.001", 9), ("o.log", 9), ("o.250", 9)]), Ok(2));
    }

    #[test]
    fn a_later_piece_names_the_first() {
        assert_eq!(found(&[("o.002", 9), ("o.001", 9), ("o.000", 9)]), Err("after o.000".into()));
        assert_eq!(found(&[("o.aac", 9), ("o.aab", 9), ("o.aaa", 9)]), Err("after o.aaa".into()));
        assert_eq!(found(&[("o.002", 9), ("o.001", 9)]), Err("after o.001".into()));
        assert_eq!(found(&[("o.002", 9), ("o.000", 9)]), Err("after o.000".into()));
        // The first one is missing.
        assert_eq!(found(&[("o.002", 9), ("o.003", 4)]), Err("o.001 is missing, and o.003 is there".into()));
        assert_eq!(found(&[("o.004", 4), ("o.003", 9)]), Err("o.002 is missing, and o.003 is there".into()));
        assert_eq!(found(&[("o.aab", 9), ("o.aac", 9)]), Err("o.aaa is missing, and o.aac is there".into()));
        assert_eq!(found(&[("o.002", 9), ("o.003", 12)]), Ok(1));
        assert_eq!(found(&[("o.002", 9), ("o.003", 9), ("o.002.map", 1)]), Ok(1));
        assert_eq!(found(&[("o.2023", 9), ("o.2024", 9)]), Ok(1));
        assert_eq!(found(&[("o.002", 9), ("o.004", 9)]), Ok(1));
        assert_eq!(found(&[("o.log", 9), ("o.aaa", 9)]), Ok(1));
        assert_eq!(found(&[("o.img", 9), ("o.imf", 9)]), Ok(1));
    }

    #[test]
    fn the_last_piece_and_the_second_behind_zero_are_pieces_unasked() {
        let room = tempfile::tempdir().unwrap();
        let path = |name: &str| room.path().join(name);
        let sizes = [
            ("o.001", 5000),
            ("o.002", 5000),
            ("o.003", 12),
            ("q.000", 5000),
            ("q.001", 5000),
            ("l.001", 90),
            ("l.002", 9),
        ];
        sizes.iter().for_each(|(name, size)| std::fs::write(path(name), vec![0; *size]).unwrap());
        let later = |name: &str| match unasked(&path(name)) {
            Some(Pieces::Later(first)) => Some(first),
            _ => None,
        };
        assert_eq!((later("o.002"), later("o.003")), (Some(path("o.001")), Some(path("o.001"))));
        assert_eq!((later("q.001"), later("q.000"), later("o.001")), (Some(path("q.000")), None, None));
        // Logs are numbered as well, and are small.
        assert_eq!(later("l.002"), None);
    }
}
