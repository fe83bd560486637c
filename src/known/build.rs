//! `build`: sets in any format become one file.

use super::blocks::{self, BlockSetBuild, Blocks};
use super::{Class, DEFAULT_MEMORY, Input, Packages, Problem, Set, list};
use crate::algorithms::{Algorithm, computed};
use crate::job::{Error, PathError};
use crate::matching::{guess, lists_in};
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::{Control, Phase, Progress};
use pfh_known::{Build, BuildResult, Pace, Step, is_database, is_known_set};
use pfh_manifest::Fault;
use pfh_source::os::names::with_ending;
use pfh_source::{Stream, Streams};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Sets, and the file that they become.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Sets with their classes, in the order that they have in the file; `-` is standard input. Of
    /// a directory each file is a set, at any depth, but for hidden ones and links.
    pub sets: Vec<(PathBuf, Class)>,
    /// Lists that describe sets: a JSON object per line with file, class, and maybe name, version,
    /// product, algorithm, packages, deltas.
    pub lists: Vec<PathBuf>,
    /// Deltas of NSRL's RDSv3 to the one database among the sets, in the order in which they were
    /// published.
    pub deltas: Vec<PathBuf>,
    /// The algorithms of digests that do not name theirs; empty for MD5, SHA-1 and SHA-2 by length.
    pub assumed: Vec<Algorithm>,
    /// The labels of the columns of tables, in their order; empty to find them out.
    pub columns: Vec<String>,
    /// Whether each entry remembers its package.
    pub packages: Packages,
    /// The file to write. It appears whole or not at all.
    pub output: PathBuf,
    /// The directory of sorted runs, from which a build that was killed resumes: the output's name
    /// with `.work`.
    pub work: PathBuf,
    /// Bytes of memory for sorting.
    pub memory: usize,
    /// Whether an existing file that is not a set may be replaced; inputs never are.
    pub replace: bool,
    /// Sizes of blocks in bytes, powers of two from 512 to a mebibyte. With any the sets are not
    /// lists, but files and trees, and the file is one of their blocks, by the assumed algorithm or
    /// SHA-256; [`matching::sectors`](crate::matching::sectors) looks for them.
    pub blocks: Vec<u32>,
    /// Whether the sets are not lists, but files, trees and containers: their members are hashed,
    /// by the assumed algorithms or MD5, SHA-1 and SHA-256.
    #[cfg(feature = "inside")]
    pub inside: Option<crate::inside::Options>,
}

/// An event of a build.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A place of a set holds no record.
    Fault {
        /// The set's file.
        path: &'a Path,
        /// The line, from 1; of databases the row.
        line: u64,
        /// The fault.
        fault: &'a Fault,
    },
    /// A list does not name the algorithms of its digests: the set states those that it was taken
    /// for, and files are looked up by each of that length.
    Guessed {
        /// The list.
        path: &'a Path,
        /// The algorithms.
        algorithms: &'a [pfh_digest::Algorithm],
    },
    /// A file of a set of blocks could not be read: nothing of it is in the set.
    Unread {
        /// Its name.
        name: &'a [u8],
        /// Why.
        problem: &'a pfh_source::Problem,
    },
}

/// Receives the events of a build. An error ends it with [`Error::Sink`].
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;

/// The result of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The sets with their counts.
    pub sets: Vec<Set>,
    /// Distinct digests by algorithm.
    pub digests: Vec<(String, u64)>,
    /// Records that an earlier, interrupted build had already taken.
    pub resumed: u64,
    /// Files in the sets that could not be read, where the sets are files and containers.
    pub unread: u64,
    /// Distinct blocks by their size in bytes.
    pub blocks: Vec<(u32, u64)>,
}

impl Request {
    /// No set yet.
    pub fn new(output: impl Into<PathBuf>) -> Request {
        let output = output.into();
        Request {
            sets: Vec::new(),
            lists: Vec::new(),
            deltas: Vec::new(),
            assumed: Vec::new(),
            columns: Vec::new(),
            packages: Packages::Forget,
            work: with_ending(&output, ".work"),
            output,
            memory: DEFAULT_MEMORY,
            replace: false,
            blocks: Vec::new(),
            #[cfg(feature = "inside")]
            inside: None,
        }
    }

    /// One more set.
    #[must_use]
    pub fn set(mut self, path: impl Into<PathBuf>, class: Class) -> Request {
        self.sets.push((path.into(), class));
        self
    }

    /// Whether the sets are not lists, but files and directories that are walked.
    fn reads_files(&self) -> bool {
        #[cfg(feature = "inside")]
        if self.inside.is_some() {
            return true;
        }
        !self.blocks.is_empty()
    }

    /// The sets with their descriptions.
    fn inputs(&self) -> Result<Vec<Input>, Error> {
        let (assumed, packages) = (&self.assumed, self.packages);
        let input = |path: &Path, class: &Class| Input {
            assumed: computed(assumed),
            columns: self.columns.clone(),
            packages,
            ..Input::new(path, class.clone())
        };
        let mut inputs: Vec<Input> = self.sets.iter().map(|(path, class)| input(path, class)).collect();
        if !self.deltas.is_empty() {
            let mut databases: Vec<&mut Input> = inputs.iter_mut().filter(|input| is_database(&input.path)).collect();
            let [database] = &mut databases[..] else { return Err(Error::request(Problem::Deltas(databases.len()))) };
            database.deltas.clone_from(&self.deltas);
        }
        for path in &self.lists {
            inputs.extend(list::read(path, &input)?);
        }
        if inputs.is_empty() { Err(Error::request(Problem::NoSet)) } else { Ok(inputs) }
    }

    /// Whether the build may start. Nothing is read but lists of sets and directories.
    ///
    /// # Errors
    /// When the request makes no sense, something that it names is not there, or an output is in
    /// the way.
    pub fn check(&self) -> Result<(), Error> {
        self.checked().map(drop)
    }

    /// The inputs of a request that may start.
    fn checked(&self) -> Result<Vec<Input>, Error> {
        let named = self.inputs()?;
        if !self.blocks.is_empty() {
            blocks::check(&self.blocks, &self.assumed)?;
        }
        if !self.reads_files() {
            readable(&named, &self.lists)?;
        }
        let inputs = self.each(&named)?;
        self.outputs_of(&inputs).check()?;
        let parent = self.output.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir());
        if let Some(parent) = parent {
            return Err(Error::request(Problem::Directory(parent.to_owned())));
        }
        // An output in a directory that is read would be a list of it the next time.
        let written = [&self.output, &self.work];
        let meets = |directory: &PathBuf| written.iter().find(|path| lies_in(path, directory));
        if let Some((path, directory)) = named.iter().find_map(|input| Some((meets(&input.path)?, &input.path))) {
            return Err(Error::request(Problem::Within((*path).clone(), directory.clone())));
        }
        Ok(inputs)
    }

    /// The same inputs, with the lists in a directory in its place. Inputs that are read as files
    /// and trees stays as it is.
    fn each(&self, named: &[Input]) -> Result<Vec<Input>, Error> {
        let mut each = Vec::with_capacity(named.len());
        for input in named {
            if self.reads_files() || !input.path.is_dir() {
                each.push(input.clone());
            } else {
                each.extend(lists_in(&input.path)?.into_iter().map(|path| Input { path, ..input.clone() }));
            }
        }
        Ok(each)
    }

    fn outputs_of(&self, inputs: &[Input]) -> Outputs {
        // The next build replaces a set that a build made.
        let set = Existing::Own(0, b"pfh known set\n");
        let mut outputs = Outputs::new(self.replace);
        outputs.writes("OUT", &self.output, Kind::File, set);
        outputs.writes_after("work", &self.work, &self.output, Kind::Directory, Existing::Refused);
        // Runs of an earlier build are removed, which must not be anybody else's files of such
        // names.
        let names_inputs = |name: &str| {
            let text = std::fs::read_to_string(self.work.join(name)).unwrap_or_default();
            text.lines().next().is_some_and(|line| line.starts_with('{') && line.contains("\"pfh-known\""))
        };
        let is_ours = names_inputs("journal") || names_inputs("journal.new");
        // After a power cut the half set of a build that is under way may hold anything, its mark
        // included.
        let partial = with_ending(&self.output, ".partial");
        outputs.writes_beside("OUT", Some(partial), if is_ours { Existing::Welcome } else { set });
        let existing = if is_ours { Existing::Welcome } else { Existing::Refused };
        for entry in std::fs::read_dir(&self.work).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_work = |start: &&[u8]| name.as_encoded_bytes().starts_with(start);
            if name.as_encoded_bytes().starts_with(b"blocks-") && entry.path().is_dir() {
                for run in std::fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                    outputs.writes_beside("work", Some(run.path()), existing);
                }
            }
            if [&b"run-"[..], b"applied-", b"journal", b"lock"].iter().any(is_work) && entry.path().is_file() {
                outputs.writes_beside("work", Some(entry.path()), existing);
            }
        }
        for input in inputs {
            outputs.reads(&input.path).reads_all(&input.deltas);
            // An image is read with all its files.
            #[cfg(feature = "inside")]
            if self.inside.is_some() {
                outputs.reads_all(pfh_source::image::files_of(&input.path));
            }
        }
        outputs.reads_all(&self.lists);
        outputs
    }
}

impl Summary {
    /// Places of the sets that hold no record; the records that they were meant to hold are not in
    /// the file.
    pub fn faults(&self) -> u64 {
        // Those of blocks are files, which count as unread.
        self.sets.iter().filter(|set| set.blocks.is_empty()).map(|set| set.faults).sum()
    }

    /// Sets in which no digest was found.
    pub fn empty(&self) -> impl Iterator<Item = &Set> {
        self.sets.iter().filter(|set| set.is_empty() && !set.has_blocks())
    }

    /// Whether all that the sets were meant to hold is in the file.
    pub fn is_complete(&self) -> bool {
        self.faults() == 0 && self.unread == 0 && self.empty().next().is_none()
    }
}

/// Whether all is there that the sets are made of: a build begins only then. A stream makes one
/// set.
fn readable(inputs: &[Input], lists: &[PathBuf]) -> Result<(), Error> {
    let mut streams = Streams::default();
    streams.read_all(lists)?;
    for path in inputs.iter().flat_map(|input| std::iter::once(&input.path).chain(&input.deltas)) {
        streams.read(path)?;
        if Stream::of(path).is_none() {
            let opened = if path.is_dir() { std::fs::read_dir(path).map(drop) } else { File::open(path).map(drop) };
            opened.map_err(|error| Error::input(PathError::new(path, error)))?;
        }
    }
    Ok(())
}

/// Builds the file. The same sets give the same bytes, however much memory there is and however
/// often the build was interrupted.
///
/// # Errors
/// When a set cannot be read or the file cannot be written; also when the control cancels the
/// build, which the same request resumes.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let mut inputs = request.checked()?;
    if !request.blocks.is_empty() {
        let blocks = Blocks {
            inputs: &inputs,
            sizes: &request.blocks,
            algorithms: &request.assumed,
            #[cfg(feature = "inside")]
            inside: request.inside.as_ref(),
            output: &request.output,
            work: &request.work,
            memory: request.memory,
        };
        let mut unread = |name: &[u8], problem: &pfh_source::Problem| events(Event::Unread { name, problem });
        let BlockSetBuild { sets, unread, distinct } = blocks::build(&blocks, &mut unread, control)?;
        return Ok(Summary { sets, unread, blocks: distinct, ..Summary::default() });
    }
    #[cfg(feature = "inside")]
    let contents = match &request.inside {
        Some(options) => Some(super::contents::Contents::hash(&mut inputs, options, control)?),
        None => None,
    };
    #[cfg(feature = "inside")]
    let unread = contents.as_ref().map_or(0, |contents| contents.unread);
    #[cfg(not(feature = "inside"))]
    let unread = 0;
    for input in &mut inputs {
        input.guessed = guesses(input);
        if !input.guessed.is_empty() {
            events(Event::Guessed { path: &input.path, algorithms: &input.guessed }).map_err(Error::Sink)?;
        }
    }
    let mut refused = None;
    let build = Build {
        inputs,
        output: request.output.clone(),
        work: Some(request.work.clone()),
        memory: request.memory,
        fault: &mut |path, line, fault| match events(Event::Fault { path, line, fault }) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                refused = Some(error);
                ControlFlow::Break(())
            }
        },
        progress: &mut |pace: &Pace| {
            let phase = match pace.step {
                Step::Reading => Phase::Reading,
                Step::Writing => Phase::Building,
            };
            let (done, total) = if pace.all == 0 { (pace.records, None) } else { (pace.done, Some(pace.all)) };
            control.report(&Progress::Steps { phase, done, total });
        },
        cancel: control.cancel().clone().into(),
    };
    let built = build.run();
    if let Some(error) = refused {
        return Err(Error::Sink(error));
    }
    let BuildResult { sets, digests, resumed } = built?;
    Ok(Summary { sets, digests, resumed, unread, blocks: Vec::new() })
}

/// The algorithms that a list which names none is taken for. Databases name theirs.
fn guesses(input: &Input) -> Vec<pfh_digest::Algorithm> {
    let is_list = input.assumed.is_empty() && !is_database(&input.path) && !is_known_set(&input.path);
    if is_list { guess::guesses(&input.path, &input.columns) } else { Vec::new() }
}

/// Whether an output, a file or a directory, would lie in a directory.
fn lies_in(output: &Path, directory: &Path) -> bool {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (parent.canonicalize(), directory.canonicalize()) {
        (Ok(parent), Ok(directory)) => parent.starts_with(directory),
        _ => false,
    }
}
