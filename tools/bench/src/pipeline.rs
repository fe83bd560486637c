//! Measurements of the real pipeline: trees of our own making through `pfh::run`, warm and cold.

use crate::random::Random;
use crate::statistics::{Interval, median};
use crate::{Error, message::Message};
use pfh::{Descend, Operands, Outcome, Plan, Record, Recurse, Watch};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A directory of files of one size.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Where.
    pub root: PathBuf,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files together.
    pub bytes: u64,
}

impl Tree {
    /// Writes `files` files of `length` bytes each, all different, below `root`, and waits until the device has them.
    pub fn create(root: &Path, files: u64, length: u64, seed: u64) -> Result<Tree, Error> {
        for index in 0..files {
            let folder = root.join(format!("{:03}", index / 100));
            std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            let message = Message::create(&folder, length, seed.wrapping_add(index))?;
            let sync = || File::open(&message.path)?.sync_all();
            sync().map_err(Error::file(&message.path))?;
        }
        Ok(Tree { root: root.to_owned(), files, bytes: files * length })
    }

    /// Asks the kernel to drop the files' pages, so that the next read comes from the device. Names and sizes stay cached.
    pub fn evict(&self) -> Result<(), Error> {
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).map_err(Error::file(&folder))? {
                let path = entry.map_err(Error::file(&folder))?.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let drop = || Ok(pfh::evict_range(File::open(&path)?, 0, 0)?);
                    drop().map_err(Error::file(&path))?;
                }
            }
        }
        Ok(())
    }
}

/// What one run over a tree came to.
#[derive(Debug, Clone)]
pub struct Pass {
    /// Time that passed.
    pub wall: Duration,
    /// CPU time of all threads, in seconds.
    pub cpu: f64,
    /// Name and digests of every file, in the run's order.
    pub digests: Vec<String>,
}

fn cpu_seconds() -> f64 {
    pfh::cpu_time().as_secs_f64()
}

/// Hashes everything below `root` as `pfh hash -r` does. Any file without a digest is an error: a time that skips work
/// says nothing.
pub fn pass(root: &Path, plan: &Plan) -> Result<Pass, Error> {
    let source = Operands::new(
        vec![root.as_os_str().as_encoded_bytes().to_vec()],
        Descend { recurse: Recurse::Yes, ..Descend::default() },
    );
    let mut digests = Vec::new();
    let mut trouble = None;
    let (start, used) = (Instant::now(), cpu_seconds());
    let summary = pfh::run(
        Box::new(source),
        plan,
        &mut |record: Record| {
            match &record.outcome {
                Outcome::Hashed(file) => {
                    let all: Vec<String> = file.digests.iter().map(|digest| digest.to_string()).collect();
                    digests.push(format!("{} {}", String::from_utf8_lossy(&record.name), all.join(" ")));
                }
                Outcome::Skipped(why) => trouble = Some(format!("skipped: {}", why.reason())),
                Outcome::Failed(problem) => trouble = Some(problem.to_string()),
            }
            Ok(())
        },
        Watch::default(),
    );
    let (wall, cpu) = (start.elapsed(), cpu_seconds() - used);
    summary.map_err(|error| Error::Failed(error.to_string()))?;
    match trouble {
        Some(reason) => Err(Error::Failed(format!("{}: {reason}", root.display()))),
        None => Ok(Pass { wall, cpu, digests }),
    }
}

/// What files cost: seconds per file and seconds per byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// The medians' solution.
    pub at: (f64, f64),
    /// The solutions of the draws.
    pub draws: Vec<(f64, f64)>,
}

impl Cost {
    /// The two unknowns of seconds = files × a + bytes × b, from the times of a tree of many small files and one of few
    /// large ones. Draws resample the times. Neither cost is below 0, whatever the noise.
    pub fn of(small: (&Tree, &[f64]), large: (&Tree, &[f64]), draws: usize, seed: u64) -> Cost {
        let solve = |few: f64, many: f64| {
            let (s, l) = (small.0, large.0);
            let (sf, sb, lf, lb) = (s.files as f64, s.bytes as f64, l.files as f64, l.bytes as f64);
            let determinant = sf * lb - lf * sb;
            let (a, b) = ((few * lb - many * sb) / determinant, (sf * many - lf * few) / determinant);
            match (a < 0.0, b < 0.0) {
                (true, _) => (0.0, many / lb),
                (_, true) => (few / sf, 0.0),
                _ => (a, b),
            }
        };
        let mut random = Random::new(seed);
        let draws =
            (0..draws).map(|_| solve(median(&random.resample(small.1)), median(&random.resample(large.1)))).collect();
        Cost { at: solve(median(small.1), median(large.1)), draws }
    }

    /// Seconds that `files` files of `bytes` bytes together take.
    pub fn seconds(&self, files: u64, bytes: u64) -> f64 {
        self.at.0 * files as f64 + self.at.1 * bytes as f64
    }

    /// Those of every draw.
    pub fn drawn(&self, files: u64, bytes: u64) -> Vec<f64> {
        self.draws.iter().map(|(a, b)| a * files as f64 + b * bytes as f64).collect()
    }

    /// The interval of [`seconds`](Self::seconds).
    pub fn interval(&self, files: u64, bytes: u64) -> Interval {
        Interval::of(&self.drawn(files, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: u64, bytes: u64) -> Tree {
        Tree { root: PathBuf::new(), files, bytes }
    }

    #[test]
    fn costs_come_back() {
        // 20 µs per file and 1 ns per byte.
        let (small, large) = (tree(1000, 4_096_000), tree(4, 64_000_000));
        let time = |tree: &Tree| tree.files as f64 * 20e-6 + tree.bytes as f64 * 1e-9;
        let (few, many) = (vec![time(&small); 5], vec![time(&large); 5]);
        let cost = Cost::of((&small, &few), (&large, &many), 50, 1);
        assert!((cost.at.0 - 20e-6).abs() < 1e-12 && (cost.at.1 - 1e-9).abs() < 1e-15, "{:?}", cost.at);
        assert!((cost.seconds(500_000, 722_000_000_000) - 732.0).abs() < 1e-6);
        let interval = cost.interval(500_000, 722_000_000_000);
        assert!((interval.low - 732.0).abs() < 1e-6 && (interval.high - 732.0).abs() < 1e-6);
    }

    #[test]
    fn noise_never_makes_a_cost_negative() {
        let (small, large) = (tree(1000, 4_096_000), tree(4, 64_000_000));
        for (few, many) in [(1e-9, 1.0), (1.0, 1e-9)] {
            let cost = Cost::of((&small, &[few]), (&large, &[many]), 10, 1);
            assert!(cost.draws.iter().all(|&(a, b)| a >= 0.0 && b >= 0.0));
        }
    }

    #[test]
    fn a_pass_has_every_file_and_the_right_digests() {
        let directory = tempfile::tempdir().unwrap();
        let tree = Tree::create(directory.path(), 120, 1000, 3).unwrap();
        tree.evict().unwrap();
        let plan = Plan::new(vec!["sha256".parse().unwrap()]);
        let (cold, warm) = (pass(&tree.root, &plan).unwrap(), pass(&tree.root, &plan).unwrap());
        assert_eq!(cold.digests.len(), 120);
        assert_eq!(cold.digests, warm.digests);
        let first = Message::create(&tree.root.join("000"), 1000, 3).unwrap();
        let expected = first.expected(crate::message::Method::Sha256).unwrap();
        assert!(cold.digests.iter().any(|line| line.ends_with(&expected)), "{expected}");
        assert!(pass(&tree.root.join("nowhere"), &plan).is_err());
    }
}
