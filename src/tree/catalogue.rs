//! `build`, `update` and `check` of a directory: one hash tree over all its files, which is updated
//! by entry, so that of a million files only those are read that changed.
//!
//! ```
//! use pfh::{Control, tree::catalogue::{Request, Verb, run}};
//!
//! # let room = std::env::temp_dir().join(format!("pfh-catalogue-{}", std::process::id()));
//! # std::fs::create_dir_all(room.join("site"))?;
//! let site = room.join("site");
//! std::fs::write(site.join("one"), "1")?;
//! let built = run(&Request::new(&site, Verb::Build("blake3".parse()?)), &mut |_| Ok(()), &Control::new())?;
//! std::fs::write(site.join("two"), "2")?;
//! let updated = run(&Request::new(&site, Verb::Update(Vec::new())), &mut |_| Ok(()), &Control::new())?;
//! assert!(updated.added == 1 && updated.entries == 2 && updated.root != built.root);
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod walk;

pub use super::catalogued::Summary;
pub use super::rows::Difference;
use super::{Error, Event, Events, Problem, beside};
use crate::algorithms::{Algorithm, REGISTRY, Secret};
use crate::outputs::{Existing, Kind, Outputs};
use crate::pass;
use pfh_digest::Output;
use pfh_engine::{Control, Plan};
use pfh_outboard::{APPLICATION, Catalogue, MARK, companions};
use pfh_source::os::names::{OsStrExt, OsStringExt, entered_path};
use pfh_source::{Descend, Levels, Operands, OwnFilter, Recurse, Source};
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use walk::{CatalogueFindings, UnchangedFiles};

/// The work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// All files are read, and the catalogue is made again of digests of this algorithm.
    Build(Algorithm),
    /// Of these entries, or of all if none is named, those are read that are new or whose file
    /// system says another size, time or inode; those that are gone are removed.
    Update(Vec<PathBuf>),
    /// These entries, or all if none is named, are read and compared. Nothing is written.
    Check(Vec<PathBuf>),
}

/// A directory, its catalogue, and the work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The directory.
    pub directory: PathBuf,
    /// The catalogue.
    pub tree: PathBuf,
    /// The work.
    pub verb: Verb,
    /// The key of digests and root, if they are under one. Without it such a catalogue can neither
    /// be compared nor changed.
    pub secret: Option<Secret>,
    /// The root that the catalogue must have before. With it an update reads every file: the file
    /// system's statements about them are not under the root.
    pub must: Option<Vec<u8>>,
    /// Threads that hash; one per processor if none is stated.
    pub threads: Option<usize>,
    /// Whether an existing file that is not a catalogue may be replaced.
    pub replace: bool,
    /// How much the findings of a check count.
    pub levels: Levels,
}

impl Request {
    /// The catalogue is beside the directory: `site.pfhtree`. One without a name, as `.`, has none
    /// until [`tree`](Request::tree) is set.
    pub fn new(directory: impl Into<PathBuf>, verb: Verb) -> Request {
        let directory: PathBuf = directory.into();
        let plain = slashed(directory.components().collect());
        // A directory without a name would have its catalogue outside of where the user stands.
        let tree = plain.file_name().map(|_| beside(&plain)).unwrap_or_default();
        let (secret, must, threads, replace) = (None, None, None, false);
        Request { directory, tree, verb, secret, must, threads, replace, levels: Levels::new() }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        if !matches!(self.verb, Verb::Check(_)) {
            let own = Existing::Own(MARK, APPLICATION);
            outputs.writes_after("outboard", &self.tree, &self.directory, Kind::File, own);
        }
        outputs
    }

    /// Whether the request makes sense and the outputs can be written; nothing is.
    ///
    /// # Errors
    /// When the catalogue has no place, a name leads out of the directory, the algorithm is one of
    /// similarity, or an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        if self.tree.as_os_str().is_empty() {
            return Err(Problem::Directory(self.directory.clone()).into());
        }
        self.named()?;
        if let Verb::Build(algorithm) = &self.verb
            && algorithm.output() == Output::Text
        {
            return Err(Problem::NoTree(format!("{algorithm}: a catalogue is of digests, not of similarity")).into());
        }
        Ok(self.outputs().check()?)
    }

    /// The entries in question, as they are catalogued; all of them if there are none.
    fn named(&self) -> Result<Vec<Vec<u8>>, Error> {
        match &self.verb {
            Verb::Build(_) => Ok(Vec::new()),
            Verb::Update(names) | Verb::Check(names) => {
                names.iter().map(|name| inside(&self.directory, name)).collect()
            }
        }
    }
}

/// Builds, updates or checks a catalogue.
///
/// # Errors
/// When the request makes no sense, the catalogue cannot be used or written or has not the root
/// that it must, or the control is cancelled: the catalogue is as it was then. A file that cannot
/// be read is an event, and no error.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let named = request.named()?;
    let mut catalogue = match &request.verb {
        Verb::Build(_) => None,
        Verb::Update(_) => Some(Catalogue::change(&request.tree, control.cancel().flag())?),
        Verb::Check(_) => Some(Catalogue::open(&request.tree)?),
    };
    let algorithm: Algorithm = match (&request.verb, &catalogue) {
        (Verb::Build(algorithm), _) => under(request, &algorithm.to_string())?,
        (_, Some(catalogue)) => under(request, &catalogue.algorithm()?)?,
        (_, None) => unreachable!("opened above"),
    };
    if let Some(catalogue) = &mut catalogue {
        catalogue.unlock(request.secret.as_ref().and_then(Secret::bytes))?;
        believe(catalogue, request, &named)?;
    }
    let mut gathered =
        CatalogueFindings { root: request.directory.as_os_str().as_bytes(), ..CatalogueFindings::default() };
    let plan = {
        let mut plan = Plan::new([algorithm]);
        plan.threads = request.threads.unwrap_or(plan.threads);
        plan
    };
    let mut gone = Vec::new();
    let source = || -> Result<Option<Box<dyn Source>>, Error> {
        let mut operands = Vec::new();
        for name in &named {
            let path = slashed(request.directory.join(OsStr::from_bytes(name)));
            match std::fs::symlink_metadata(&path) {
                Ok(found) if found.is_file() => operands.push(path.as_os_str().as_bytes().to_vec()),
                Ok(_) => return Err(Problem::NoEntry(path).into()),
                Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {}
                Err(error) => return Err(Problem::Read { path, why: error.to_string() }.into()),
            }
        }
        if named.is_empty() {
            operands.push(request.directory.as_os_str().as_bytes().to_vec());
        } else if operands.is_empty() {
            return Ok(None);
        }
        let descend = Descend { recurse: Recurse::Yes, ..Descend::default() };
        // The root does not cover the file system's facts about a file when it was read: a verifier
        // of the root does not rely on it either.
        let known = match (&request.verb, &catalogue) {
            (Verb::Update(_), Some(catalogue)) if request.must.is_none() => Some(catalogue.reader()?),
            _ => None,
        };
        let root = request.directory.as_os_str().as_bytes().to_vec();
        // A catalogue within its own directory does not list itself, nor the files that lie beside
        // it while it is changed.
        let own = std::iter::once(request.tree.clone()).chain(companions(&request.tree));
        let own: Vec<Vec<u8>> = own.map(|path| path.into_os_string().into_encoded_bytes()).collect();
        let source = OwnFilter::new(Operands::new(operands, descend), own);
        Ok(Some(Box::new(UnchangedFiles { source, known, algorithm, root })))
    };
    if let Some(source) = source()? {
        let ran = pass::pass(source, || None, &plan, &mut gathered, control)?;
        if ran.interrupted {
            return Err(super::Failure::Cancelled.into());
        }
    }
    if named.is_empty() {
        if let Some(catalogue) = &catalogue {
            catalogue.each(&mut |entry| gone.extend((!gathered.accounts_for(&entry.name)).then_some(entry.name)))?;
        }
    } else if let Some(catalogue) = &catalogue {
        for name in &named {
            if !gathered.accounts_for(name) && catalogue.entry(name)?.is_some() {
                gone.push(name.clone());
            }
        }
    }
    for (name, problem) in &gathered.unread {
        events(Event::Unread { name, problem }).map_err(Error::Sink)?;
    }
    finish(request, catalogue, algorithm, gathered, gone, events, control)
}

/// The algorithm of this name, under the request's key if it needs one.
fn under(request: &Request, name: &str) -> Result<Algorithm, Error> {
    let plain = REGISTRY.find(name).map_err(|error| Problem::NoTree(error.to_string()))?;
    match (&request.secret, plain.is_keyed()) {
        (None, false) => Ok(plain.into()),
        (None, true) => Err(Problem::KeyOf { tree: request.tree.clone(), name: plain.to_string() }.into()),
        (Some(secret), false) => {
            let path = secret.path().unwrap_or(&request.tree).to_owned();
            Err(Problem::Keyless { path, name: plain.to_string() }.into())
        }
        (Some(secret), true) => Ok(secret.algorithm(name).map_err(Error::request)?),
    }
}

/// Compares the gathered files with the catalogue, and brings it up to date unless it is a check.
fn finish(
    request: &Request,
    catalogue: Option<Catalogue>,
    algorithm: Algorithm,
    gathered: CatalogueFindings<'_>,
    gone: Vec<Vec<u8>>,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Summary, Error> {
    let mut summary = Summary {
        directory: request.directory.clone(),
        tree: request.tree.clone(),
        done: match request.verb {
            Verb::Build(_) => "built",
            Verb::Update(_) => "updated",
            Verb::Check(_) => "checked",
        },
        algorithm: algorithm.to_string(),
        root: [0; 32],
        entries: 0,
        read: gathered.entries.len() as u64,
        unread: gathered.settled,
        added: 0,
        changed: 0,
        removed: gone.len() as u64,
        failed: gathered.unread.len() as u64,
        computed: 0,
        levels: request.levels.clone(),
    };
    let Some(mut catalogue) = catalogue else {
        let key = request.secret.as_ref().and_then(Secret::bytes);
        let mut made = Catalogue::create(&request.tree, &summary.algorithm, key, control.cancel().flag())?;
        gathered.entries.iter().try_for_each(|entry| made.add(entry))?;
        summary.root = made.fill()?;
        (summary.entries, summary.computed) = (made.entries()?, made.computed());
        made.commit()?;
        return Ok(summary);
    };
    let writes = matches!(request.verb, Verb::Update(_));
    let level = |how: Difference| (!writes).then(|| request.levels.of(how.finding()));
    for entry in &gathered.entries {
        let before = catalogue.entry(&entry.name)?;
        let same = before.as_ref().is_some_and(|old| (old.size, &old.digest) == (entry.size, &entry.digest));
        match &before {
            None => summary.added += 1,
            Some(_) if !same => summary.changed += 1,
            Some(_) => {}
        }
        if !same {
            let how = if before.is_some() { Difference::Changed } else { Difference::Added };
            events(Event::Differs(&entry.name, how, level(how))).map_err(Error::Sink)?;
        }
        if writes && same {
            // Only the stamp is another, which is not in the tree.
            catalogue.add(entry)?;
        } else if writes {
            catalogue.set(&entry.name, Some(entry))?;
        }
    }
    for name in &gone {
        events(Event::Differs(name, Difference::Removed, level(Difference::Removed))).map_err(Error::Sink)?;
        if writes {
            catalogue.set(name, None)?;
        }
    }
    (summary.root, summary.entries) = (catalogue.root()?, catalogue.entries()?);
    summary.computed = catalogue.computed();
    catalogue.commit()?;
    Ok(summary)
}

/// The root is the one that was kept, and the entries in question are those of the root.
fn believe(catalogue: &Catalogue, request: &Request, named: &[Vec<u8>]) -> Result<(), Error> {
    let found = catalogue.root()?;
    if let Some(kept) = &request.must {
        if kept.len() != found.len() {
            return Err(Problem::RootLength { stated: kept.len(), length: found.len() }.into());
        }
        if *kept != found {
            let (tree, kept) = (request.tree.clone(), kept.clone());
            return Err(super::Failure::OtherTree { tree, kept, found: found.to_vec() }.into());
        }
    }
    if named.is_empty() {
        // All entries are compared with the files; a change of an entry behind the root is found.
        return Ok(catalogue.prove_all()?);
    }
    Ok(named.iter().try_for_each(|name| catalogue.prove(name))?)
}

/// A path that the standard library put together, with `/` on Windows as well.
fn slashed(path: PathBuf) -> PathBuf {
    entered_path(path.into_os_string()).into()
}

/// The name of an entry below the directory: as it is catalogued, or as an absolute path.
fn inside(directory: &Path, name: &Path) -> Result<Vec<u8>, Error> {
    let outside = || Error::from(Problem::NoEntry(name.to_owned()));
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let relative = match name.is_absolute() {
        true => name.strip_prefix(absolute(directory)).map_err(|_| outside())?,
        false => name,
    };
    let plain: PathBuf = relative.components().filter(|part| *part != Component::CurDir).collect();
    let is_plain = plain.components().all(|part| matches!(part, Component::Normal(_)));
    if plain.as_os_str().is_empty() || !is_plain {
        Err(outside())
    } else {
        Ok(slashed(plain).into_os_string().into_vec())
    }
}
