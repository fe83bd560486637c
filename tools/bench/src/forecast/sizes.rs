//! How large the files of a case are: the number of files of each size.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The first line of the output of [`Sizes::render`].
const HEAD: &str = "# sizes of files: BYTES FILES";
/// Rows beyond which sizes that are alike are put together.
const MOST_ROWS: usize = 4096;
/// Classes between a size and its double where they are.
const CLASSES: f64 = 64.0;

/// Sizes in bytes with the number of files that have each, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes(Vec<(u64, u64)>);

/// The result of a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSizes {
    /// The files' sizes.
    pub sizes: Sizes,
    /// Directories and names that could not be read: their files are missing from the sizes.
    pub unread: Vec<String>,
}

impl Sizes {
    /// From sizes and counts in any order. The reason when there is no file, or when more bytes
    /// than fit 64 bits.
    pub fn of(rows: impl IntoIterator<Item = (u64, u64)>) -> Result<Sizes, String> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        let (mut files, mut bytes) = (0u64, 0u64);
        let large = || "more files or bytes than 64 bits can count".to_owned();
        for (size, count) in rows.into_iter().filter(|(_, count)| *count > 0) {
            files = files.checked_add(count).ok_or_else(large)?;
            bytes = size.checked_mul(count).and_then(|all| bytes.checked_add(all)).ok_or_else(large)?;
            *counts.entry(size).or_default() += count;
        }
        if files == 0 {
            return Err("no files in it".to_owned());
        }
        Ok(Sizes(counts.into_iter().collect()).compact())
    }

    /// A size for each quantile of a log-normal law with this mean: the assumption for files with
    /// known number and bytes alone. ln of the sizes spreads by 2, between a directory of
    /// photographs (1) and a home directory (some 2.5).
    pub fn assumed(bytes: u64, files: u64) -> Result<Sizes, String> {
        if files == 0 || bytes == 0 {
            return Err("a case has at least one file and one byte".to_owned());
        }
        let rows = files.min(999);
        // The normal quantile by Hastings (Abramowitz & Stegun 26.2.23): 4.5e-4 is close enough for
        // an assumption.
        let quantile = |p: f64| {
            let t = (-2.0 * p.min(1.0 - p).ln()).sqrt();
            let z =
                t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
            if p < 0.5 { -z } else { z }
        };
        let weights: Vec<f64> = (0..rows).map(|i| (2.0 * quantile((i as f64 + 0.5) / rows as f64)).exp()).collect();
        let (sum, mean) = (weights.iter().sum::<f64>(), bytes as f64 / files as f64);
        let share = |i: u64| files / rows + u64::from(i < files % rows);
        Sizes::of((0..rows).map(|i| ((weights[i as usize] / sum * rows as f64 * mean) as u64, share(i))))
    }

    /// Sizes that are alike are put together when there are very many; number and bytes of the
    /// files stay as they are.
    fn compact(self) -> Sizes {
        if self.0.len() <= MOST_ROWS {
            return self;
        }
        let mut classes: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (size, count) in self.0 {
            let class = ((size.max(1) as f64).log2() * CLASSES) as u64;
            let (files, bytes) = classes.entry(class).or_default();
            (*files, *bytes) = (*files + count, *bytes + size * count);
        }
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for (files, bytes) in classes.into_values() {
            // The mean, rounded down for some and up for the others, so that the bytes add up.
            *counts.entry(bytes / files).or_default() += files - bytes % files;
            *counts.entry(bytes / files + 1).or_default() += bytes % files;
        }
        Sizes(counts.into_iter().filter(|(_, count)| *count > 0).collect())
    }

    /// The rows: size in bytes and number of files, ascending.
    pub fn rows(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Number of files.
    pub fn files(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|(size, count)| size * count).sum()
    }

    /// Mean size in bytes.
    pub fn mean(&self) -> f64 {
        self.bytes() as f64 / self.files() as f64
    }

    /// The relative standard error of the mean size, seen as a sample of a larger population of
    /// files.
    pub fn uncertainty(&self) -> f64 {
        let (files, mean) = (self.files() as f64, self.mean());
        if mean == 0.0 {
            return 0.0;
        }
        let square = self.0.iter().map(|&(size, count)| count as f64 * (size as f64 - mean).powi(2)).sum::<f64>();
        (square / files).sqrt() / mean / files.sqrt()
    }

    /// Reads the output of [`render`](Self::render), or sizes of others: a line per file with its
    /// bytes (`find DIR -type f -printf '%s\n'`), or with bytes and number of files, separated by a
    /// space, a tab or a comma. Empty lines and such that begin with `#` are passed over.
    pub fn parse(text: &str) -> Result<Sizes, String> {
        let mut rows = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = || format!("line {}: not a size in bytes and a number of files: {line:?}", number + 1);
            let fields: Vec<&str> = line.split([' ', '\t', ',']).filter(|field| !field.is_empty()).collect();
            let value = |text: &str| text.parse::<u64>().map_err(|_| wrong());
            match fields[..] {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                [size] => rows.push((value(size)?, 1)),
                [size, count] => rows.push((value(size)?, value(count)?)),
                _ => return Err(wrong()),
            }
        }
        Sizes::of(rows)
    }

    /// As text that [`parse`](Self::parse) reads.
    pub fn render(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (size, count) in &self.0 {
            writeln!(text, "{size} {count}").expect("a string takes everything");
        }
        text
    }

    /// The regular files at and below `path`, which is not read beyond names and sizes. Symbolic
    /// links are not followed, but for `path` itself.
    pub fn below(path: &Path) -> Result<FileSizes, Error> {
        let kind = std::fs::metadata(path).map_err(Error::file(path))?;
        let (mut rows, mut unread, mut folders) = (Vec::new(), Vec::new(), Vec::new());
        if kind.is_dir() {
            // An error here is the operand's.
            std::fs::read_dir(path).map_err(Error::file(path))?;
            folders.push(path.to_owned());
        } else if kind.is_file() {
            rows.push((kind.len(), 1));
        } else {
            return Err(Error::Usage(format!("{}: neither a directory nor a regular file", path.display())));
        }
        while let Some(folder) = folders.pop() {
            let mut look = || -> std::io::Result<()> {
                for entry in std::fs::read_dir(&folder)? {
                    let entry = entry?;
                    match entry.metadata() {
                        Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                        Ok(metadata) if metadata.is_file() => rows.push((metadata.len(), 1)),
                        Ok(_) => {}
                        Err(cause) => unread.push(format!("{}: {cause}", entry.path().display())),
                    }
                }
                Ok(())
            };
            if let Err(cause) = look() {
                unread.push(format!("{}: {cause}", folder.display()));
            }
        }
        let reason = |reason: String| Error::Usage(format!("{}: {reason}", path.display()));
        Ok(FileSizes { sizes: Sizes::of(rows).map_err(reason)?, unread })
    }

    /// Reads a file of sizes.
    pub fn read(path: &Path) -> Result<Sizes, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
        Sizes::parse(&text).map_err(|reason| Error::Malformed { path: path.to_owned(), reason })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn what_is_written_is_read_back_and_so_are_others_forms() {
        let sizes = Sizes::of([(4096, 3), (0, 2), (1 << 30, 1), (4096, 1)]).unwrap();
        assert_eq!((sizes.files(), sizes.bytes()), (7, 4 * 4096 + (1 << 30)));
        assert_eq!(Sizes::parse(&sizes.render()), Ok(sizes.clone()));
        for text in [
            "0\n4096\n4096\n4096\n0\n1073741824\n4096",
            "4096,4\n0,2\n\n1073741824,1\n",
            "# of find\n4096\t4\n0 2\n1073741824 1\r\n",
        ] {
            assert_eq!(Sizes::parse(text), Ok(sizes.clone()), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_list_of_sizes_is_refused_with_its_line() {
        for (text, said) in [
            ("", "no files"),
            ("# nothing\n", "no files"),
            ("4096 0", "no files"),
            ("12\n4 kB\n", "line 2"),
            ("-3", "line 1"),
            ("1 2 3", "line 1"),
            ("18446744073709551615 2", "64 bits"),
        ] {
            let reason = Sizes::parse(text).unwrap_err();
            assert!(reason.contains(said), "{text:?}: {reason}");
        }
    }

    #[test]
    fn many_sizes_are_put_together_and_nothing_is_lost() {
        let mut random = Random::new(5);
        let rows: Vec<(u64, u64)> = (0..60_000).map(|_| (random.word() >> (20 + random.below(40)), 1)).collect();
        let (files, bytes) = (60_000, rows.iter().map(|row| row.0).sum::<u64>());
        let sizes = Sizes::of(rows).unwrap();
        assert!(sizes.rows().len() <= MOST_ROWS * 2, "{}", sizes.rows().len());
        assert_eq!((sizes.files(), sizes.bytes()), (files, bytes));
        assert_eq!(Sizes::parse(&sizes.render()), Ok(sizes));
    }

    #[test]
    fn an_assumed_law_has_the_mean_that_is_known() {
        for (bytes, files) in [(722_000_000_000, 500_000), (1 << 30, 1), (5_000_000, 7), (10, 1000)] {
            let sizes = Sizes::assumed(bytes, files).unwrap();
            assert_eq!(sizes.files(), files);
            assert!(sizes.bytes() <= bytes && sizes.bytes() + files >= bytes / 1000 * 999, "{sizes:?}");
        }
        assert!(Sizes::assumed(0, 1).is_err() && Sizes::assumed(1, 0).is_err());
    }
}
