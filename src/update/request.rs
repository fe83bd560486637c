//! The request of an update.

use super::problem::Problem;
use crate::algorithms::{Algorithm, REGISTRY, Secret};
use crate::check;
use crate::hash::{CACHE, Cache, Reuse, Sealing};
use crate::input::{Content, Input, InputError};
use crate::job::{Error, PathError};
use crate::outputs::{Existing, Kind, Outputs};
use pfh_custody::seal;
use pfh_engine::Plan;
use pfh_manifest::{Decoder, End, Item, Options};
use pfh_source::os::names::OsStrExt;
use pfh_source::{Recurse, Stream, is_address};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Whether files are read whose times are those that the manifest has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trust {
    /// Every file is read, so that decay is found.
    #[default]
    Nothing,
    /// A file whose size, modification time and, where it is listed, change time are as listed is
    /// taken to be unchanged.
    Times,
}

/// Which manifest is brought up to date, and with which files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The manifest: its algorithms, format, names and order are kept.
    pub manifest: PathBuf,
    /// The directories, files and objects that are looked at. Each object is read: a store's times
    /// are those of the upload, and its entity tags prove nothing against who writes there. Records
    /// of other names stay as they are. Without operands the directories are walked that the names
    /// have in common.
    pub input: Input,
    /// Whether files are read whose times are as listed.
    pub trust: Trust,
    /// The seal that the new manifest gets. One that is there is renewed in any case.
    pub seal: Option<Sealing>,
    /// The algorithms of digests that do not name theirs.
    pub algorithms: Vec<Algorithm>,
    /// How records of the manifest end.
    pub end: End,
    /// The file of the public key that the old seal must be signed with.
    pub key: Option<PathBuf>,
    /// The key of keyed digests.
    pub secret: Option<Secret>,
    /// Digests that are kept from run to run.
    pub reuse: Option<Reuse>,
    /// How files are read. Its algorithms and pieces are those of the manifest.
    pub plan: Plan,
    /// Also when no listed file is there, and in the place of a file `MANIFEST.1` that is not a
    /// list.
    pub replace: bool,
}

impl Request {
    /// This manifest with the files named in the input.
    pub fn new(manifest: impl Into<PathBuf>, mut input: Input) -> Request {
        input.descend.recurse = Recurse::Yes;
        Request {
            manifest: manifest.into(),
            input,
            trust: Trust::default(),
            seal: None,
            algorithms: Vec::new(),
            end: End::Line,
            key: None,
            secret: None,
            reuse: None,
            plan: Plan::default(),
            replace: false,
        }
    }

    /// Trusts times, or nothing.
    #[must_use]
    pub fn trust(mut self, trust: Trust) -> Request {
        self.trust = trust;
        self
    }

    /// With this seal.
    #[must_use]
    pub fn seal(mut self, seal: Option<Sealing>) -> Request {
        self.seal = seal;
        self
    }

    /// Digests that do not name their algorithm are of these.
    #[must_use]
    pub fn algorithms(mut self, algorithms: Vec<Algorithm>) -> Request {
        self.algorithms = algorithms;
        self
    }

    /// Records of the manifest end with this.
    #[must_use]
    pub fn end(mut self, end: End) -> Request {
        self.end = end;
        self
    }

    /// The manifest must have a seal that is signed with the key in this file.
    #[must_use]
    pub fn key(mut self, key: Option<PathBuf>) -> Request {
        self.key = key;
        self
    }

    /// Keyed digests are under this key.
    #[must_use]
    pub fn secret(mut self, secret: Option<Secret>) -> Request {
        self.secret = secret;
        self
    }

    /// Keeps digests from run to run.
    #[must_use]
    pub fn reuse(mut self, reuse: Option<Reuse>) -> Request {
        self.reuse = reuse;
        self
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Also when no listed file is there.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Refuses requests that can be refused before the manifest is read.
    ///
    /// # Errors
    /// When the manifest is not a file, an operand is neither a file or directory nor an address, a
    /// key cannot be loaded, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        let about = |why: Problem| Error::request(PathError::new(&self.manifest, why));
        let found = std::fs::metadata(&self.manifest);
        let missing = |error: std::io::Error| {
            let problem = pfh_source::Problem::io(pfh_source::Stage::Open, &error);
            Error::input(PathError::new(&self.manifest, problem))
        };
        if self.manifest == Path::new("-") || !found.map_err(missing)?.is_file() {
            return Err(about(Problem::NoFile));
        }
        if self.input.list.is_some() {
            return Err(Error::request(Problem::List));
        }
        for path in &self.input.paths {
            if Stream::of(path).is_some() || self.input.content == Content::Images {
                return Err(Error::request(Problem::Operand(path.as_bytes().to_vec())));
            }
        }
        if let Some(address) = self.input.paths.iter().map(|path| path.as_bytes()).find(|path| is_address(path)) {
            if self.input.is_inside() {
                return Err(InputError::InsideOfObject(address.to_vec()).into());
            }
            let of_files = [
                (self.trust == Trust::Times, "trust in times"),
                (self.reuse.is_some(), "the cache"),
                (!self.input.descend.selection.is_all(), "a selection"),
            ];
            if let Some((_, what)) = of_files.iter().find(|(is_asked, _)| *is_asked) {
                return Err(Error::request(Problem::Objects(address.to_vec(), what)));
            }
        }
        if let Some(sealing) = &self.seal {
            sealing.check()?;
        }
        self.asked().check()?;
        Ok(self.outputs().check()?)
    }

    /// The same as a check of the whole tree.
    pub(super) fn asked(&self) -> check::Request {
        check::Request::new(&self.manifest)
            .task(check::Task::Audit { below: Vec::new(), follow: false })
            .algorithms(self.algorithms.clone())
            .end(self.end)
            .key(self.key.clone())
            .secret(self.secret.clone())
            .plan(self.plan.clone())
    }

    fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        let before = crate::beside::before(&self.manifest);
        let own = if is_list(&before) { Existing::Welcome } else { Existing::Refused };
        outputs.writes("update", &self.manifest, Kind::File, Existing::Welcome);
        // Seals are written where there is one, and copied with the list.
        for seal in [seal::beside(&self.manifest), seal::waiting(&self.manifest), seal::beside(&before)] {
            outputs.writes_beside("update", Some(seal), Existing::Welcome);
        }
        outputs.writes_beside("update", Some(before), own);
        if let Some(Reuse { path, .. }) = &self.reuse {
            outputs.writes("cache", path, Kind::File, CACHE);
        }
        outputs.reads_all(self.seal.as_ref().and_then(|sealing| sealing.key.as_ref()));
        outputs.reads_all(&self.key).reads_all(self.secret.as_ref().and_then(Secret::path));
        self.input.guard(&mut outputs);
        outputs
    }

    /// The cache, opened.
    pub(super) fn cache(&self, plan: &Plan) -> Result<Option<Cache>, Error> {
        let request = crate::hash::Request::new(self.input.clone(), Vec::new());
        let request = request.plan(plan.clone()).reuse(self.reuse.clone());
        match request.cache("update") {
            // A cache that cannot be used costs time, not the run.
            Err(failure) if failure.error.is_passing() => Ok(None),
            opened => Ok(opened?),
        }
    }
}

/// Whether a file begins as a list of digests does: an older state of a manifest is one.
fn is_list(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    let decoder = Decoder::with_registry(BufReader::new(file), &Options { any: true, ..Options::default() }, REGISTRY);
    let first = decoder.ok().and_then(|mut decoder| decoder.next());
    matches!(first, Some(Ok(located)) if !matches!(located.item, Item::Fault(_)))
}
