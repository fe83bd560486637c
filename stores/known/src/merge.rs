//! Many sorted runs as one: each digest once, with all its origins.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;
use pfh_source::Merge;

use crate::Error;
use crate::journal::Run;
use crate::row::{self, Row, RunWriter};

/// Runs that are merged at a time: more would need too many descriptors.
const AT_ONCE: usize = 256;

/// Reads a run from the front; checks it at its end.
struct RunReader<const W: usize> {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    crc: Hasher,
    expected: u32,
}

impl<const W: usize> RunReader<W> {
    fn open(directory: &Path, run: &Run) -> Result<RunReader<W>, Error> {
        let path = directory.join(&run.file);
        let file = BufReader::with_capacity(256 << 10, File::open(&path).map_err(Error::io(&path))?);
        Ok(RunReader { path, file, left: run.rows, crc: Hasher::new(), expected: run.crc })
    }

    fn read(&mut self) -> Result<Option<Row<W>>, Error> {
        let wrong = |path: &Path| Error::damaged(path, "changed since it was written; remove the work directory");
        if self.left == 0 {
            return if self.crc.clone().finalize() == self.expected { Ok(None) } else { Err(wrong(&self.path)) };
        }
        let mut bytes = [[0_u8; 8]; W];
        self.file.read_exact(bytes.as_flattened_mut()).map_err(|_| wrong(&self.path))?;
        self.crc.update(bytes.as_flattened());
        self.left -= 1;
        Ok(Some(bytes.map(u64::from_be_bytes)))
    }
}

impl<const W: usize> Iterator for RunReader<W> {
    type Item = Result<Row<W>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// The rows of several runs in order, each once.
struct MergedRuns<const W: usize>(Merge<Row<W>, RunReader<W>, Error>);

impl<const W: usize> MergedRuns<W> {
    fn open(directory: &Path, runs: &[Run]) -> Result<MergedRuns<W>, Error> {
        let readers: Result<Vec<_>, Error> = runs.iter().map(|run| RunReader::open(directory, run)).collect();
        Ok(MergedRuns(Merge::new(readers?)))
    }

    fn next(&mut self) -> Result<Option<Row<W>>, Error> {
        let Some(row) = self.0.next().transpose()? else { return Ok(None) };
        while self.0.peek() == Some(&row) {
            self.0.next().transpose()?;
        }
        Ok(Some(row))
    }
}

/// The rows of any number of runs, which become few first.
fn narrowed<const W: usize>(directory: &Path, runs: &[Run]) -> Result<MergedRuns<W>, Error> {
    let mut runs = runs.to_vec();
    let mut round = 0;
    while runs.len() > AT_ONCE {
        let rest = runs.split_off(AT_ONCE);
        let name = format!("run-merged-{W}-{round}");
        let path = directory.join(&name);
        let mut merged = MergedRuns::<W>::open(directory, &runs)?;
        let mut writer = RunWriter::create(&path).map_err(Error::io(&path))?;
        while let Some(row) = merged.next()? {
            writer.write(&row).map_err(Error::io(&path))?;
        }
        let (rows, crc) = writer.finish().map_err(Error::io(&path))?;
        let algorithm = runs[0].algorithm.clone();
        runs = rest;
        runs.push(Run { algorithm, file: name, rows, crc });
        round += 1;
    }
    MergedRuns::<W>::open(directory, &runs)
}

/// Takes the bytes of a row, the digest first, and its origin.
pub type TakeRow<'a> = dyn FnMut(&[u8], u32) -> Result<(), Error> + 'a;

/// Hands every row, as its bytes with the digest first, and its origin to `take`, in order.
pub fn each<const W: usize>(directory: &Path, runs: &[Run], take: &mut TakeRow<'_>) -> Result<(), Error> {
    let mut merged = narrowed::<W>(directory, runs)?;
    while let Some(row) = merged.next()? {
        take(row::bytes(&row).as_flattened(), row::origin(&row))?;
    }
    Ok(())
}

/// Hands every digest (as the bytes of a row, the digest first) and its origins in ascending order
/// to `take`.
pub fn merge<const W: usize>(
    directory: &Path,
    runs: &[Run],
    mut take: impl FnMut(&[u8], &[u32]) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut merged = narrowed::<W>(directory, runs)?;
    let mut origins = Vec::new();
    let mut last: Option<Row<W>> = None;
    while let Some(row) = merged.next()? {
        if let Some(last) = &last
            && !row::same_digest(last, &row)
        {
            take(row::bytes(last).as_flattened(), &origins)?;
            origins.clear();
        }
        origins.push(row::origin(&row));
        last = Some(row);
    }
    match &last {
        Some(last) => take(row::bytes(last).as_flattened(), &origins),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Rows, pack};
    use std::collections::BTreeMap;

    #[test]
    fn every_digest_once_with_all_its_origins() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut expected: BTreeMap<[u8; 16], Vec<u32>> = BTreeMap::new();
        let mut runs = Vec::new();
        // More runs than are merged at once.
        for run in 0..(AT_ONCE as u32 * 2 + 3) {
            let mut rows: Vec<Row<3>> = Vec::new();
            for n in 0..20_u32 {
                let digest = u128::from(n * 7919 % 64 + run % 3).to_be_bytes();
                rows.push(pack(&digest, run % 5));
                let origins = expected.entry(digest).or_default();
                if !origins.contains(&(run % 5)) {
                    origins.push(run % 5);
                    origins.sort_unstable();
                }
            }
            let file = format!("run-{run}");
            let (rows, crc) = Rows::spill(&mut rows, &directory.path().join(&file)).expect("written");
            runs.push(Run { algorithm: "md5".into(), file, rows, crc });
        }
        let mut found = BTreeMap::new();
        merge::<3>(directory.path(), &runs, |digest, origins| {
            assert!(found.insert(<[u8; 16]>::try_from(&digest[..16]).expect("16"), origins.to_vec()).is_none());
            Ok(())
        })
        .expect("merged");
        assert_eq!(found, expected);
        runs[0].crc ^= 1;
        assert!(matches!(merge::<3>(directory.path(), &runs, |_, _| Ok(())), Err(Error::Damaged(..))));
    }
}
