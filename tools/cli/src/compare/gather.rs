//! From operands to collections of digests.

use super::{Compare, lists};
use crate::exit::{self, Exit};
use crate::input::Input;
use crate::run::{Taker, Voice, algorithms};
use pfh::similarity::{Named, WITH_FEATURES};
use pfh::sink::compare::Collection;
use pfh::{Algorithm, Outcome, Record, Skip};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

/// Bytes of the table where the user says nothing: similarity digests fill no lanes with many files, and what was read is still in the
/// processor's cache when it is hashed.
const TABLE: usize = 32 << 20;

/// What is to be compared.
pub struct Sets {
    /// The digests of each algorithm.
    pub collections: Vec<Collection>,
    /// Inputs that should have a digest and have none: files that could not be read, malformed lines.
    pub faults: u64,
    /// Directories that were left out, because only the files beside them were asked for.
    pub directories: u64,
}

/// How gathering ended.
pub enum Gathered {
    /// With these.
    Sets(Sets),
    /// With an exit: it was interrupted, or the output failed.
    Ended(Exit),
}

impl Sets {
    /// Hashes what is to be hashed and reads what is to be read, in the order of the operands.
    ///
    /// # Errors
    /// A sentence for the user where the request makes no sense.
    pub fn gather(compare: &Compare) -> Result<Gathered, String> {
        if !compare.input.is_named() {
            return Err("nothing is named: give a PATH, or --files-from FILE".into());
        }
        let memory = compare.run.memory.map_or(pfh::DEFAULT_MEMORY, |memory| memory as usize);
        // A digest is a line of its list; those of large files are long.
        let limit = memory.max(1 << 20);
        let lists = (!compare.no_lists).then_some(limit);
        let first: Vec<Part> = parts(&compare.input.paths, lists);
        let mut second: Vec<Part> = parts(&compare.against, lists);
        second.extend(compare.sought.iter().map(|path| Part::Files(vec![path.clone()])));
        let algorithms = algorithms_of(compare, first.iter().chain(&second), limit)?;
        let collections = algorithms
            .iter()
            .map(|algorithm| match compare.evidence {
                false => Collection::new(*algorithm),
                true => Collection::with_features(*algorithm, memory / algorithms.len().max(1)),
            })
            .collect();
        let hashed = if compare.evidence { with_features(&algorithms)? } else { algorithms };
        if compare.evidence && first.iter().chain(&second).any(|part| matches!(part, Part::List(_))) {
            return Err("--evidence needs the files themselves: a list holds no features".into());
        }
        let mut sets = Sets { collections, faults: 0, directories: 0 };
        let mut first = first;
        if compare.input.files_from.is_some() {
            first.push(Part::Files(Vec::new()));
        }
        let across = !second.is_empty() || !compare.given.is_empty();
        for (number, parts) in [first, second].into_iter().enumerate() {
            if number == 1 && across {
                sets.collections.iter_mut().for_each(Collection::begin_second_set);
            }
            for part in parts {
                match part {
                    Part::List(path) => sets.faults += lists::load(&path, limit, &mut sets.collections),
                    Part::Files(paths) => {
                        let files_from = compare.input.files_from.clone().filter(|_| paths.is_empty());
                        let recursive = !compare.input.flat;
                        let input = Input { paths, recursive, files_from, ..compare.input.clone() };
                        if let Some(exit) = sets.hash(compare, &input, &hashed)? {
                            return Ok(Gathered::Ended(exit));
                        }
                    }
                }
            }
        }
        for (name, digest) in &compare.given {
            let name: Arc<[u8]> = name.as_slice().into();
            for collection in sets.collections.iter_mut().filter(|c| c.takes(digest.algorithm())) {
                collection.add(&name, digest).map_err(|why| why.to_string())?;
            }
        }
        Ok(Gathered::Sets(sets))
    }

    /// Says what was left out, and whether there was anything to compare: two inputs, with a digest or without, or one on each side.
    pub fn is_something(&self) -> bool {
        if self.directories > 0 {
            let directories = if self.directories == 1 { "directory was" } else { "directories were" };
            exit::say(format!("{} {directories} left out: -r takes in what is in them", self.directories));
        }
        self.collections.iter().any(Collection::is_comparable)
    }

    /// Runs files through the pipeline; an exit where that was the end.
    fn hash(&mut self, compare: &Compare, input: &Input, algorithms: &[Algorithm]) -> Result<Option<Exit>, String> {
        let mut plan = compare.run.plan(algorithms.to_vec())?;
        if compare.run.memory.is_none() {
            plan.memory = plan.memory.min(TABLE);
        }
        let source = input.source()?;
        let ended = match compare.run.carry_out(source, input.again(), &plan, self) {
            Ok(ended) => ended,
            Err(exit) => return Ok(Some(exit)),
        };
        compare.run.tell(&ended.summary);
        if ended.summary.interrupted {
            return Ok(Some(ended.exit(0)));
        }
        Ok(None)
    }
}

impl Taker for Sets {
    fn take(&mut self, record: Record, voice: &Voice<'_>) -> io::Result<()> {
        match record.outcome {
            Outcome::Hashed(hashed) => {
                let name: Arc<[u8]> = record.name.into();
                for (collection, digest) in self.collections.iter_mut().zip(&hashed.digests) {
                    if let Err(why) = collection.add(&name, digest) {
                        self.faults += 1;
                        voice.say(&name, &why);
                    }
                }
            }
            Outcome::Skipped(skip) => self.directories += u64::from(skip == Skip::Directory),
            Outcome::Failed(_) => self.faults += 1,
        }
        Ok(())
    }
}

/// Operands that are worked off in one go.
enum Part {
    List(OsString),
    Files(Vec<OsString>),
}

/// `lists`: the longest line of a list; none where lists are files like others.
fn parts(paths: &[OsString], lists: Option<usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    for path in paths {
        if lists.is_some_and(|limit| lists::is_list(path, limit)) {
            parts.push(Part::List(path.clone()));
        } else if let Some(Part::Files(files)) = parts.last_mut() {
            files.push(path.clone());
        } else {
            parts.push(Part::Files(vec![path.clone()]));
        }
    }
    parts
}

/// The algorithms asked for, or those of the lists, or the paper's default.
fn algorithms_of<'a>(
    compare: &Compare,
    parts: impl Iterator<Item = &'a Part>,
    limit: usize,
) -> Result<Vec<Algorithm>, String> {
    if !compare.algorithms.is_empty() {
        return algorithms(&compare.algorithms);
    }
    let mut found: Vec<Algorithm> = Vec::new();
    for part in parts {
        let Part::List(path) = part else { continue };
        for algorithm in lists::algorithms(path, limit) {
            if !found.iter().any(|known| Collection::new(*known).takes(algorithm)) {
                found.push(algorithm);
            }
        }
    }
    if found.is_empty() { algorithms(&["mrsh-v2".to_owned()]) } else { Ok(found) }
}

/// The algorithms that keep their features under the names of these.
fn with_features(algorithms: &[Algorithm]) -> Result<Vec<Algorithm>, String> {
    let keeping = |algorithm: &Algorithm| {
        let row = WITH_FEATURES.iter().find(|row| Algorithm::from_row(row).name() == algorithm.name());
        row.map(Algorithm::from_row).ok_or_else(|| match Named::find(algorithm.name()) {
            Some(_) => format!("--evidence is for sdhash and mrsh-v2: {algorithm} has no features to share"),
            None => format!("--evidence is for sdhash and mrsh-v2, not for {algorithm}"),
        })
    };
    algorithms.iter().map(keeping).collect()
}

/// Says how many inputs an algorithm has no digest for.
pub fn tell_without(collection: &Collection) {
    if collection.without() > 0 {
        let (count, name) = (collection.without(), collection.algorithm().name());
        let files = if count == 1 { "file has" } else { "files have" };
        exit::say(format!("{count} {files} no digest of {name} (too short, too plain or too long) and no pairs"));
    }
}
