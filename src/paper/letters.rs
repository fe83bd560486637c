//! The letters, the requests that they make, and why they make no sense.

use crate::algorithms::REGISTRY;
use crate::input::Input;
use crate::{compare, hash};
use pfh_digest::{Algorithm, UnknownAlgorithm};
use pfh_engine::{Mode, Plan};
use pfh_similarity::MethodName;
use pfh_source::terminal;
use pfh_source::{Order, Recurse, os};
use std::ffi::OsString;

/// Bytes of the RAM table unless another size is asked for: the paper's 20 MB.
pub const MEMORY: usize = 20_000_000;
/// Prefetchers unless another number is asked for.
pub const PREFETCHERS: usize = 1;

/// Who of all threads reads ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefetchers {
    /// That many; 0 for none, so that each thread reads and hashes (SMT).
    Fixed(usize),
    /// Threads change their role, as the paper's future work asks: one that reads hashes when the
    /// table is full, one that hashes reads when it is empty, and as many read at a time as make
    /// the device bring more.
    Auto,
}

/// The values of the letters.
#[derive(Debug, Clone, Default)]
pub struct Letters {
    /// `-c`: `hash`, `full`, a digest or a list of digests; HASH if it is absent.
    pub mode: Option<OsString>,
    /// `-d`: a directory, a file, or a list of digests.
    pub directory: Option<OsString>,
    /// `-r`: with everything below.
    pub recursive: bool,
    /// `-h`: the algorithm's name, or a family's.
    pub algorithm: Option<String>,
    /// `-m`: bytes of the RAM table.
    pub memory: Option<usize>,
    /// `-t`: all threads.
    pub threads: Option<usize>,
    /// `-p`: those that read ahead.
    pub prefetchers: Option<Prefetchers>,
    /// In which order files are read.
    pub order: Order,
}

/// The job that is asked for.
#[derive(Debug)]
#[non_exhaustive]
pub enum PaperJob {
    /// HASH: one digest for each file.
    Hash {
        /// The hashed input.
        request: Box<hash::Request>,
        /// How the digests are written.
        manifest: hash::Manifest,
    },
    /// FULL: each with each. No pair is a result as well.
    Full(Box<compare::Request>),
    /// DIGEST and FILENAME: each file with the given digests. No match is a negative answer.
    Sought(Box<compare::Request>),
    /// FILENAME with a list that only known sets are read from.
    #[cfg(feature = "known")]
    Known {
        /// The files and the set.
        request: Box<crate::matching::Request>,
        /// The verdicts that are results.
        verdicts: crate::matching::Verdicts,
    },
}

/// Why the letters make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing to read is named.
    #[error("nothing to read is named: a directory, a file or a list of digests")]
    NoDirectory,
    /// There is no such algorithm.
    #[error(transparent)]
    Algorithm(UnknownAlgorithm),
    /// No thread would be left to hash.
    #[error("{prefetchers} of {all} threads read ahead, and none is left that hashes")]
    Threads {
        /// P.
        prefetchers: usize,
        /// N.
        all: usize,
    },
    /// The mode is none.
    #[error("{}: neither HASH nor FULL, nor a file with a list of digests, nor a digest of {algorithm}", terminal::render(mode.as_encoded_bytes()))]
    Mode {
        /// The value that was given.
        mode: OsString,
        /// The algorithm that it would be a digest of.
        algorithm: Algorithm,
    },
    /// The file that the mode names holds no list.
    #[error("{}: no list of digests, which FILENAME mode takes", terminal::render(list.as_encoded_bytes()))]
    NoList {
        /// The file.
        list: OsString,
    },
    /// Digests of a list against a known set.
    #[error(
        "{}: a set of known files is asked for digests of files, and not for those of a list",
        terminal::render(list.as_encoded_bytes())
    )]
    SetAgainstList {
        /// The set.
        list: OsString,
    },
}

/// The paper's default.
pub(super) fn default_algorithm() -> Result<Algorithm, Problem> {
    REGISTRY.find(MethodName::MrshV2.name()).map_err(Problem::Algorithm)
}

impl Letters {
    /// Who reads and who hashes: P of N threads read ahead and N − P hash; with P = 0 all do both,
    /// and with `auto` each takes the role that is short of threads.
    ///
    /// # Errors
    /// When no thread is left to hash.
    pub(super) fn plan(&self) -> Result<Plan, Problem> {
        let asked = self.prefetchers.unwrap_or(Prefetchers::Fixed(PREFETCHERS));
        // A machine of one processor has two threads all the same: one each for the two roles.
        let all = self.threads.unwrap_or_else(|| os::processors().max(PREFETCHERS + 1));
        let (mode, threads, prefetchers) = match asked {
            Prefetchers::Auto => (Mode::Adaptive, all, 0),
            Prefetchers::Fixed(0) => (Mode::Smt, all, 0),
            Prefetchers::Fixed(some) if some >= all => return Err(Problem::Threads { prefetchers: some, all }),
            Prefetchers::Fixed(some) => (Mode::Mtp, all - some, some),
        };
        let memory = self.memory.unwrap_or(MEMORY);
        // The paper measures the cost of several readers on a disk that rotates.
        let turns = asked == Prefetchers::Auto;
        Ok(Plan { threads, prefetchers, mode, memory, turns, ..Plan::default() })
    }

    /// The input.
    ///
    /// # Errors
    /// When nothing is named.
    pub(super) fn input(&self) -> Result<Input, Problem> {
        let directory = self.directory.clone().ok_or(Problem::NoDirectory)?;
        let recurse = if self.recursive { Recurse::Yes } else { Recurse::Flat };
        Ok(Input { order: self.order, ..Input::new([directory]).recurse(recurse) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(threads: Option<usize>, prefetchers: Option<usize>) -> Result<(Mode, usize, usize), Problem> {
        let prefetchers = prefetchers.map(Prefetchers::Fixed);
        let plan = Letters { threads, prefetchers, ..Letters::default() }.plan()?;
        Ok((plan.mode, plan.threads, plan.prefetchers))
    }

    #[test]
    fn all_threads_are_those_that_read_and_those_that_hash() {
        assert_eq!(plan(Some(8), Some(2)).unwrap(), (Mode::Mtp, 6, 2));
        assert_eq!(plan(Some(2), None).unwrap(), (Mode::Mtp, 1, 1));
        assert_eq!(plan(Some(8), Some(0)).unwrap(), (Mode::Smt, 8, 0));
        assert_eq!(plan(Some(1), Some(0)).unwrap(), (Mode::Smt, 1, 0));
        assert!(plan(None, None).unwrap().1 >= 1);
        let auto =
            |threads| Letters { threads, prefetchers: Some(Prefetchers::Auto), ..Letters::default() }.plan().unwrap();
        for all in [1, 2, 8] {
            let plan = auto(Some(all));
            assert_eq!((plan.mode, plan.threads, plan.prefetchers, plan.turns), (Mode::Adaptive, all, 0, true));
        }
        for (threads, prefetchers) in [(Some(1), None), (Some(8), Some(8)), (Some(2), Some(9))] {
            assert!(matches!(plan(threads, prefetchers), Err(Problem::Threads { .. })), "{threads:?} {prefetchers:?}");
        }
    }
}
