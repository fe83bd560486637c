//! The sets and digests that files are compared with: known-set files, lists in any format, single
//! digests.

use super::guess;
use super::{Empty, Problem, Reference, Sought};
use crate::algorithms::{Algorithm, REGISTRY, computed};
use crate::job::{Error, PathError};
use pfh_digest::{Digest, Standing};
use pfh_engine::Cancel;
use pfh_known::{Build, Class, DEFAULT_MEMORY, DEFAULT_RESIDENT, Input, KnownSet, Set, is_known_set};
use pfh_manifest::{Fault, digits};
use pfh_pairs::{List, Reading};
use pfh_source::terminal::many;
use pfh_source::terminal::{render, shown};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Sets and digests.
#[derive(Debug, Clone, Default)]
pub struct Sets {
    /// Files that `pfh known build` made, lists in any format that it reads, and directories of
    /// these.
    pub known: Vec<PathBuf>,
    /// Digests in hexadecimal digits. Their algorithm follows from their length, or from
    /// `algorithms`.
    pub digests: Vec<String>,
    /// The class of lists and digests, which have none of their own. Without one they are of the
    /// class *listed*.
    pub class: Option<Class>,
    /// Whether the empty file's digest counts.
    pub empty: Empty,
    /// The algorithms of digests that do not name theirs, and those to hash with; empty for those
    /// that the sets need.
    pub algorithms: Vec<Algorithm>,
    /// The labels of the columns of lists, in their order; empty to find them out.
    pub columns: Vec<String>,
}

/// A set or list that cannot be compared with, or only in part.
#[derive(Debug)]
#[non_exhaustive]
pub enum Gap<'a> {
    /// A line of a list is not a record.
    Fault {
        /// The list.
        path: &'a Path,
        /// The line, from 1.
        line: u64,
        /// The fault.
        fault: &'a Fault,
    },
    /// A list was read in part.
    Part {
        /// The list.
        path: &'a Path,
        /// How many of its places hold no record.
        faults: u64,
    },
    /// A list does not name the algorithms of its digests: files are looked up by each of that
    /// length. It is whole all the same.
    Guessed {
        /// The list.
        path: &'a Path,
        /// The algorithms that it was taken for.
        algorithms: &'a [pfh_digest::Algorithm],
    },
    /// A set holds no digest.
    Nothing {
        /// Its file.
        path: &'a Path,
        /// The set.
        set: &'a Set,
        /// The similarity digests that the file is a list of.
        similar: &'a [pfh_digest::Algorithm],
    },
}

/// A sentence for people.
impl fmt::Display for Gap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Fault { path, line, fault } => write!(f, "{}:{line}: {fault}", shown(path)),
            Gap::Part { path, faults } => {
                let one = "place holds no record, and nothing is compared with it";
                let more = "places hold no record, and nothing is compared with them";
                write!(f, "{}: read in part: {}", shown(path), many(*faults, one, more))
            }
            Gap::Guessed { path, algorithms } => {
                let names: Vec<String> = algorithms.iter().map(ToString::to_string).collect();
                write!(
                    f,
                    "{}: names no algorithm: taken for {}, and files are looked up by each digest of that length",
                    shown(path),
                    names.join(", ")
                )
            }
            Gap::Nothing { path, set, .. } if set.has_blocks() => write!(
                f,
                "{}: the set {} holds blocks of files and no digest of a file",
                shown(path),
                render(set.name.as_bytes()),
            ),
            Gap::Nothing { path, similar, .. } if !similar.is_empty() => {
                let names: Vec<&str> = similar.iter().map(|algorithm| algorithm.name()).collect();
                write!(f, "{}: digests of {} are compared, and not looked up", shown(path), names.join(", "))
            }
            Gap::Nothing { path, set, .. } => write!(
                f,
                "{}: the set {} holds no digest (read as {}): nothing can be known to it",
                shown(path),
                render(set.name.as_bytes()),
                set.format
            ),
        }
    }
}

/// Open sets.
#[non_exhaustive]
pub struct OpenSets {
    /// The sets and digests.
    pub reference: Reference,
    /// Lists that were read in part, and sets that hold nothing.
    pub gaps: u64,
}

impl Sets {
    /// These files.
    pub fn new(known: impl IntoIterator<Item = impl Into<PathBuf>>) -> Sets {
        Sets { known: known.into_iter().map(Into::into).collect(), ..Sets::default() }
    }

    /// The files, and in place of a directory those in it, at any depth, in the order of their
    /// names. Hidden ones and links are none of them.
    ///
    /// # Errors
    /// When a directory cannot be read, or has no files.
    pub fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        for path in &self.known {
            if path.is_dir() {
                files.extend(lists_in(path)?);
            } else {
                files.push(path.clone());
            }
        }
        Ok(files)
    }

    /// Refuses sets that make no sense. Nothing is opened.
    ///
    /// # Errors
    /// When there are neither sets nor digests, or a digest is malformed.
    pub fn check(&self) -> Result<(), Error> {
        if self.known.is_empty() && self.digests.is_empty() {
            return Err(Error::request(Problem::NoSet));
        }
        self.digests().map(drop)
    }

    /// Opens the files, and looks for the digests as well. Lines that are not understood are
    /// reported to `gap`.
    ///
    /// # Errors
    /// When a file cannot be opened or read, a digest is none, or it is cancelled.
    pub fn open(&self, gap: &mut dyn FnMut(&Gap<'_>), cancel: &Cancel) -> Result<OpenSets, Error> {
        self.check()?;
        let digests = self.digests()?;
        let mut opened = self.open_known(gap, cancel)?;
        if !digests.is_empty() {
            opened.reference.sought = Some(Sought { digests, class: self.class() });
        }
        Ok(opened)
    }

    /// Opens the files, and nothing else.
    ///
    /// # Errors
    /// When a file cannot be opened or read, or it is cancelled.
    pub fn open_known(&self, gap: &mut dyn FnMut(&Gap<'_>), cancel: &Cancel) -> Result<OpenSets, Error> {
        let (mut sets, mut guessed, mut gaps) = (Vec::new(), Vec::new(), 0);
        let files = self.files()?;
        for path in &files {
            let known = if is_known_set(path) {
                KnownSet::open(path, DEFAULT_RESIDENT).map_err(opening)?
            } else {
                let input = Input {
                    assumed: computed(&self.algorithms),
                    columns: self.columns.clone(),
                    ..Input::new(path, self.class())
                };
                let (known, faults) = build_aside(input, gap, cancel)?;
                if faults > 0 {
                    gap(&Gap::Part { path, faults });
                    gaps += 1;
                }
                known
            };
            let is_list = self.algorithms.is_empty() && !is_known_set(path);
            // A set states what its digests were taken for when it was built.
            let names: BTreeSet<_> = known.sets().iter().flat_map(|set| &set.guessed).collect();
            let stated = names.into_iter().filter_map(|name| REGISTRY.find(name).ok()).collect();
            let guesses = if is_list { guess::guesses(path, &self.columns) } else { stated };
            if !guesses.is_empty() {
                gap(&Gap::Guessed { path, algorithms: &guesses });
            }
            guessed.push(guesses);
            for set in known.sets().iter().filter(|set| set.is_empty()) {
                gap(&Gap::Nothing { path, set, similar: &similarity_digests(path) });
                gaps += 1;
            }
            sets.push(known);
        }
        Ok(OpenSets { reference: Reference { sets, guessed, sought: None, empty: self.empty }, gaps })
    }

    /// The digests.
    ///
    /// # Errors
    /// When one is none.
    pub fn digests(&self) -> Result<Vec<Digest>, Error> {
        let candidates = digits::candidates(REGISTRY, &computed(&self.algorithms));
        let digest = |text: &String| {
            // As `verify --digest` takes it, with the name of the algorithm in front.
            let named = text.rsplit_once(':').and_then(|(name, hex)| Some((REGISTRY.find(name).ok()?, hex)));
            let digest = match named {
                Some((algorithm, hex)) => digits::digest(algorithm, hex.as_bytes()),
                None => digits::unnamed(&candidates, text.as_bytes()),
            };
            digest.map_err(|fault| Error::request(Problem::Digest { text: text.clone(), fault }))
        };
        self.digests.iter().map(digest).collect()
    }

    /// The lists among the files, and the directories of lists, if no class is given.
    pub fn without_class(&self) -> Vec<&Path> {
        let lists = self.known.iter().filter(|path| self.class.is_none() && (path.is_dir() || !is_known_set(path)));
        lists.map(PathBuf::as_path).collect()
    }

    fn class(&self) -> Class {
        self.class.clone().unwrap_or_else(|| Class::Other("listed".into()))
    }
}

/// The similarity digests of the first record of a list that has no others.
fn similarity_digests(path: &Path) -> Vec<pfh_digest::Algorithm> {
    let list = List::find(path, &Reading::named(1 << 20), REGISTRY);
    let algorithms = list.map(|mut list| list.algorithms()).unwrap_or_default();
    let all = algorithms.iter().all(|algorithm| algorithm.standing() == Standing::Similarity);
    if all { algorithms } else { Vec::new() }
}

/// The lists in a directory: its files at any depth, in the order of their names. Hidden ones and
/// links are none of them.
///
/// # Errors
/// When the directory cannot be read, or has no files.
pub fn lists_in(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error| Error::input(PathError::new(directory, error));
    let mut files = Vec::new();
    gather(directory, &mut files).map_err(failed)?;
    if files.is_empty() {
        let what = "a directory without lists: its files would be read, but for hidden ones and links";
        return Err(failed(io::Error::other(what)));
    }
    Ok(files)
}

/// Adds the files in a directory, and in those below.
fn gather(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type()?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if kind.is_dir() {
            gather(&entry.path(), files)?;
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// A list becomes a known-set file in the temporary directory, which loses its name as soon as it
/// is open; with it the number of places of the list that hold no record.
fn build_aside(input: Input, gap: &mut dyn FnMut(&Gap<'_>), cancel: &Cancel) -> Result<(KnownSet, u64), Error> {
    // Under a name that nobody can foresee, for this user alone (0700): removed when it is dropped.
    let made = tempfile::Builder::new().prefix("pfh-known-").tempdir();
    let room = made.map_err(|error| Error::aborted(PathError::new(std::env::temp_dir(), error)))?;
    let directory = room.path();
    let mut faults = 0;
    let build = Build {
        inputs: vec![input],
        output: directory.join("known"),
        work: Some(directory.join("work")),
        memory: DEFAULT_MEMORY,
        fault: &mut |path, line, fault| {
            faults += 1;
            gap(&Gap::Fault { path, line, fault });
            ControlFlow::Continue(())
        },
        progress: &mut |_| {},
        cancel: cancel.clone().into(),
    };
    let opened = build.run().and_then(|_| KnownSet::open(&directory.join("known"), DEFAULT_RESIDENT));
    drop(room);
    Ok((opened.map_err(opening)?, faults))
}

/// A set that is not opened: most often its file is missing or holds something else.
pub(crate) fn opening(error: pfh_known::Error) -> Error {
    match error {
        pfh_known::Error::Cancelled => Error::cancelled(error),
        pfh_known::Error::TooMany(_) | pfh_known::Error::Busy(_) => Error::aborted(error),
        error => Error::input(error),
    }
}
