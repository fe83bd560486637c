//! `build`: files are hashed, and their trees written.
//!
//! ```
//! use pfh::{Control, tree::{Event, build::{self, Request}}};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-tree-build-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! std::fs::write(room.join("disk"), "abc")?;
//! let summary = build::run(&Request::below([&room]), &mut |event| {
//!     if let Event::Done(one) = event {
//!         println!("{}", pfh::hex::encode(&one.root));
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert!(summary.built == 1 && room.join("disk.pfhtree").exists());
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::parts::Parts;
use super::pieces::PieceList;
use super::{Error, Event, Events, Failure, Function, JOURNAL, OWN, Parameters, Problem, TreeWork};
use super::{SUFFIX, Shape};
use super::{beside, guard, key, lock, pass};
use crate::algorithms::{Algorithm, REGISTRY, Secret};
use crate::outputs::{Kind, Outputs};
use pfh_engine::Control;
use pfh_outboard::{self as outboard, Pass};
use pfh_source::os::names::{OsStrExt, OsStringExt};
use pfh_source::os::processors;
use pfh_source::{Descend, Item, Operands, Origin, Recurse, Source, Stream};
use pfh_tree::Grown;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The input that gets a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Of {
    /// One file; `-` is standard input.
    File(PathBuf),
    /// One file in parts, in order. The whole need not be there.
    Parts(Vec<PathBuf>),
    /// One file in pieces that come in any order. The whole need not be there.
    Pieces {
        /// A list of them, a line each: where it begins in the file, in bytes, a space and the name
        /// of the file that holds it; `-` is standard input.
        list: PathBuf,
        /// Bytes of the whole; to the end of the last piece if it is not stated.
        length: Option<u64>,
    },
    /// Each file below these directories. Trees are passed over.
    Below(Vec<PathBuf>),
}

/// The file to hash, and the place of its tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The hashed input.
    pub of: Of,
    /// Where the tree goes; of files below directories each goes beside its file. A stream and
    /// parts need a place.
    pub tree: Option<PathBuf>,
    /// Function and leaf length: BLAKE3 over leaves of 16 KiB.
    pub parameters: Parameters,
    /// A tree hash instead, as `kt128` or `sakura-li-128,leaves=32`: the tree has two levels then,
    /// and the root is the digest of the whole file under it.
    pub mode: Option<Algorithm>,
    /// The file of the key, which no output replaces.
    pub secret: Option<Secret>,
    /// Threads that hash: one per processor.
    pub threads: usize,
    /// Whether an existing file that is not a tree may be replaced; inputs never are.
    pub replace: bool,
}

/// How many files got a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Trees that were written.
    pub built: u64,
    /// Files below directories that have no tree; each was an event.
    pub failed: u64,
}

impl Request {
    /// The tree of one file, beside it; `-` is standard input.
    pub fn file(file: impl Into<PathBuf>) -> Request {
        Request::new(Of::File(file.into()))
    }

    /// The tree of a file that is there in parts.
    pub fn parts(parts: impl IntoIterator<Item = impl Into<PathBuf>>, tree: impl Into<PathBuf>) -> Request {
        Request { tree: Some(tree.into()), ..Request::new(Of::Parts(parts.into_iter().map(Into::into).collect())) }
    }

    /// The tree of a file whose pieces are listed in a file.
    pub fn pieces(list: impl Into<PathBuf>, length: Option<u64>, tree: impl Into<PathBuf>) -> Request {
        Request { tree: Some(tree.into()), ..Request::new(Of::Pieces { list: list.into(), length }) }
    }

    /// The trees of all files below directories, each beside its file.
    pub fn below(paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        Request::new(Of::Below(paths.into_iter().map(Into::into).collect()))
    }

    fn new(of: Of) -> Request {
        let parameters = Parameters::new(Function::Blake3, 16 << 10).expect("a power of two");
        Request { of, tree: None, parameters, mode: None, secret: None, threads: processors(), replace: false }
    }

    /// Trees by the algorithm of this name, over leaves of this many bytes if its name does not
    /// state them, under a key if it needs one.
    ///
    /// # Errors
    /// When the name is of no algorithm with a tree, a key is missing, needless or none of its
    /// keys, or a leaf cannot have this length.
    pub fn algorithm(mut self, name: &str, leaf: Option<usize>, secret: Option<&Secret>) -> Result<Request, Error> {
        let found = match Function::named(&name.to_ascii_lowercase()) {
            Some(function) => Some(function),
            None => {
                let algorithm = REGISTRY.find(name).map_err(|error| Problem::NoTree(error.to_string()))?;
                let function = Function::named(&algorithm.to_string());
                if function.is_none() {
                    if algorithm.lacks_key() {
                        return Err(no_tree(algorithm).into());
                    }
                    self.mode = Some(algorithm.into());
                }
                function
            }
        };
        let name =
            found.map_or_else(|| self.mode.map_or_else(String::new, |mode| mode.to_string()), |f| f.name().into());
        if let Some(path) = secret.and_then(Secret::path).filter(|_| !found.is_some_and(Function::is_keyed)) {
            return Err(Problem::Keyless { path: path.to_owned(), name }.into());
        }
        self.secret = secret.cloned();
        match (found, leaf) {
            (Some(function), leaf) => {
                let leaf = leaf.unwrap_or(self.parameters.leaf_length());
                let unfit = |why| match secret.and_then(Secret::path) {
                    Some(path) => Problem::Locked { path: path.to_owned(), why },
                    None => Problem::NoKey(why),
                };
                let under = Parameters::under(function, leaf, key(secret)).map_err(unfit)?;
                self.parameters = under.ok_or(Problem::Leaf)?;
            }
            (None, Some(_)) => return Err(Problem::OwnLeaf(name).into()),
            (None, None) => _ = self.shape()?,
        }
        Ok(self)
    }

    /// Where the one tree goes; `None` if each file has its own, or a stream has no place.
    fn place(&self) -> Option<PathBuf> {
        match (&self.tree, &self.of) {
            (Some(tree), _) => Some(tree.clone()),
            (None, Of::File(file)) if file != Path::new("-") => Some(beside(file)),
            _ => None,
        }
    }

    /// Inputs and outputs. A tree takes the place of a tree. Of files below directories each
    /// is guarded when its turn comes.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        match (&self.of, self.place()) {
            (Of::File(file), Some(tree)) => {
                guard(&mut outputs, file, &tree);
            }
            (Of::Parts(parts), Some(tree)) => {
                outputs.writes("outboard", tree, Kind::File, OWN).reads_apart(parts);
            }
            (Of::Pieces { list, .. }, Some(tree)) => {
                let is_file = list != Path::new("-");
                outputs.writes("outboard", tree, Kind::File, OWN).reads_all(is_file.then_some(list));
            }
            (Of::Below(paths), _) => {
                outputs.reads_all(paths);
            }
            _ => {}
        }
        outputs
    }

    /// Whether the algorithm has a tree, and the outputs can be written: nothing that is read is in
    /// their way.
    ///
    /// # Errors
    /// When it has none, or an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.shape()?;
        Ok(self.outputs().check()?)
    }

    /// The tree hash and the shape of its leaves, if one was asked for.
    fn shape(&self) -> Result<Option<Shape>, Error> {
        let Some(algorithm) = self.mode else { return Ok(None) };
        Ok(Some(Shape::of(algorithm.into()).ok_or_else(|| no_tree(algorithm.into()))?))
    }

    fn one(&self, file: &Path, tree: &Path, pass: &mut Pass<'_>) -> Result<super::Summary, Failure> {
        self.store(file, tree, pass, |pass| match self.mode.and_then(|mode| Shape::of(mode.into())) {
            Some(shape) => Ok(Grown::Flat(outboard::build_flat(file, shape, pass)?)),
            None => Ok(Grown::Pairs(outboard::build(file, self.parameters, pass)?)),
        })
    }

    /// The tree of a stream.
    fn stream(&self, name: &Path, from: &mut dyn Read, pass: &mut Pass<'_>) -> Result<Grown, Failure> {
        match self.mode.and_then(|mode| Shape::of(mode.into())) {
            Some(shape) => Ok(Grown::Flat(outboard::build_flat_stream(name, from, shape, pass)?)),
            None => Ok(Grown::Pairs(outboard::build_stream(name, from, self.parameters, pass)?)),
        }
    }

    /// Builds a tree and puts it in its place. An update of the tree that is there ends first, and
    /// waits for this one.
    fn store<E: From<Failure>>(
        &self,
        file: &Path,
        tree: &Path,
        pass: &mut Pass<'_>,
        build: impl FnOnce(&mut Pass<'_>) -> Result<Grown, E>,
    ) -> Result<super::Summary, E> {
        let locked = lock(tree, pass)?;
        let built = build(pass)?;
        match &built {
            Grown::Pairs(built) => outboard::store(built, tree, locked)?,
            Grown::Flat(built) => outboard::store_flat(built, tree, locked)?,
        }
        Ok(match built {
            Grown::Pairs(built) => super::Summary::new(file, &built.header(), TreeWork::Built),
            Grown::Flat(built) => super::Summary::flat(file, &built, TreeWork::Built),
        })
    }
}

/// That an algorithm has no tree, and which ones do.
pub(super) fn no_tree(algorithm: pfh_digest::Algorithm) -> Problem {
    let words = "trees are of blake3, sha256, sha3-256, under a key of hmac-sha256, hmac-sha3-256, kmac256, \
                 blake3-keyed, and, with at most 64 bytes of output, of kt128, kt256";
    Problem::NoTree(format!("{algorithm} has no tree: {words}, parallelhash* and sakura-*"))
}

/// Builds trees.
///
/// # Errors
/// When the request makes no sense, a file cannot be read to its end, or a tree cannot be written;
/// also when the control is cancelled. A file below a directory that cannot be read is an event,
/// and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let (place, shape) = (request.place(), request.shape()?);
    if let (Of::Below(paths), _) = (&request.of, &place) {
        return pass(request.threads, control, |pass| below(request, paths, pass, events));
    }
    let tree = place.ok_or(Problem::NoName)?;
    if let Of::File(file) = &request.of
        && file.is_dir()
    {
        return Err(Problem::Directory(file.clone()).into());
    }
    request.check()?;
    let listed = match &request.of {
        Of::Pieces { list, length } => Some(PieceList::read(list, *length)?),
        _ => None,
    };
    if let Some(listed) = &listed {
        let mut outputs = Outputs::new(request.replace);
        outputs.writes("outboard", &tree, Kind::File, OWN).reads_all(listed.files());
        outputs.check()?;
    }
    let built = pass(request.threads, control, |pass| match &request.of {
        Of::File(file) if file == Path::new("-") => {
            request.store(file, &tree, pass, |pass| Ok(request.stream(file, &mut Stream::standard().reader(), pass)?))
        }
        Of::File(file) => Ok::<_, Error>(request.one(file, &tree, pass)?),
        Of::Parts(parts) => request.store(&tree, &tree, pass, |pass| {
            Ok(joined(parts.iter().map(|part| (part.as_path(), None)), &tree, request, pass)?)
        }),
        Of::Pieces { .. } => {
            let listed = listed.as_ref().expect("read before");
            request.store(&tree, &tree, pass, |pass| match shape {
                // Dealt out in blocks, a leaf is ready only at the end of the file: in order then.
                Some(_) => Ok(joined(listed.in_order()?.into_iter(), &tree, request, pass)?),
                None => Ok(Grown::Pairs(listed.tree(request.parameters, pass)?)),
            })
        }
        Of::Below(_) => unreachable!("each file below a directory has a tree of its own"),
    })?;
    events(Event::Done(&built)).map_err(Error::Sink)?;
    Ok(Summary { built: 1, failed: 0 })
}

/// The tree of parts, one after the other, each with its length if that is known.
fn joined<'a>(
    parts: impl Iterator<Item = (&'a Path, Option<u64>)> + 'a,
    tree: &Path,
    request: &Request,
    pass: &mut Pass<'_>,
) -> Result<Grown, Failure> {
    let mut stream = Parts::new(parts);
    let built = request.stream(tree, &mut stream, pass);
    stream.failure().map_or(built, Err)
}

/// The trees of all files below the operands. One that fails does not hold up the others.
fn below(request: &Request, paths: &[PathBuf], pass: &mut Pass<'_>, events: &mut Events<'_>) -> Result<Summary, Error> {
    let descend = Descend { recurse: Recurse::Yes, ..Descend::default() };
    let operands = paths.iter().map(|path| path.as_os_str().as_bytes().to_vec()).collect::<Vec<_>>();
    let mut source = Operands::new(operands, descend);
    let mut summary = Summary::default();
    while let Some(item) = source.pull() {
        let name = match item {
            Item::Problem { problem, name, .. } => {
                events(Event::Unread { name: &name, problem: &problem }).map_err(Error::Sink)?;
                summary.failed += 1;
                continue;
            }
            Item::Entry(entry) if matches!(entry.origin, Origin::File { .. }) => entry.name().to_vec(),
            _ => continue,
        };
        if [SUFFIX, JOURNAL].iter().any(|end| name.ends_with(end.as_bytes())) {
            continue;
        }
        let file = PathBuf::from(OsString::from_vec(name));
        let tree = beside(&file);
        let mut outputs = Outputs::new(request.replace);
        if let Err(refused) = guard(&mut outputs, &file, &tree).check() {
            events(Event::Refused(&refused)).map_err(Error::Sink)?;
            summary.failed += 1;
            continue;
        }
        match request.one(&file, &tree, pass) {
            Ok(one) => {
                events(Event::Done(&one)).map_err(Error::Sink)?;
                summary.built += 1;
            }
            Err(failure @ (Failure::Cancelled | Failure::Write { .. })) => return Err(failure.into()),
            Err(failure) => {
                events(Event::Failed(&failure)).map_err(Error::Sink)?;
                summary.failed += 1;
            }
        }
    }
    Ok(summary)
}
