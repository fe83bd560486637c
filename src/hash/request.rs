//! The request of a run.

use super::{Cache, Problem};
use crate::algorithms::{Algorithm, Secret};
use crate::input::Input;
use crate::job::{Error, PathError};
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::Plan;
use pfh_source::{Order, Source, Volumes, terminal};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A cache is an SQLite database with "pfhc" as its application (Database File Format, section
/// 1.3).
pub(crate) const CACHE: Existing = Existing::Own(68, b"pfhc");

/// Digests that are kept from run to run.
#[derive(Debug, Clone)]
pub struct Reuse {
    /// The file that holds them.
    pub path: PathBuf,
    /// The share of files, from 0 to 1, that are read and compared although their digests are kept.
    pub sample: f64,
}

/// The input, the algorithms, and the results to keep.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The input.
    pub input: Input,
    /// The algorithms, and how files are read.
    pub plan: Plan,
    /// The digests that are not computed again.
    pub reuse: Option<Reuse>,
    /// The key of the plan's keyed algorithms, which no output may replace.
    pub secret: Option<Secret>,
    /// Files that the caller writes of the events: they are left out of the input, and refused
    /// where one is a file that is read.
    pub outputs: Outputs,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
    /// Where file systems inside of images are added as they are met; each of their files then has
    /// the places of its bytes.
    pub volumes: Option<Arc<Volumes>>,
}

impl Request {
    /// Digests by these algorithms.
    pub fn new(input: Input, algorithms: impl IntoIterator<Item = Algorithm>) -> Request {
        Request {
            input,
            plan: Plan::new(algorithms),
            reuse: None,
            secret: None,
            outputs: Outputs::default(),
            replace: false,
            volumes: None,
        }
    }

    /// Reads according to this plan, by whose algorithms files are hashed.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = self.input.share(plan);
        self
    }

    /// Keeps digests.
    #[must_use]
    pub fn reuse(mut self, reuse: Option<Reuse>) -> Request {
        self.reuse = reuse;
        self
    }

    /// The plan's keyed algorithms are under this key.
    #[must_use]
    pub fn secret(mut self, secret: Option<Secret>) -> Request {
        self.secret = secret;
        self
    }

    /// Replaces existing files of the outputs' names.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Whether the run may start. Nothing is read but lists of names.
    ///
    /// # Errors
    /// When the request makes no sense, or an output is in the way.
    pub fn check(&self) -> Result<(), Error> {
        if self.plan.piecewise == Some(0) {
            return Err(Error::request(Problem::Window));
        }
        if self.secret.is_some() && !self.plan.algorithms.iter().any(|algorithm| algorithm.is_keyed()) {
            return Err(Error::request(Problem::UnusedSecret));
        }
        if let Some(reuse) = &self.reuse {
            self.check_cache(reuse).map_err(Error::request)?;
        }
        self.input.streams_and(self.secret.as_ref().and_then(|secret| secret.path()))?;
        Ok(self.guarded().check()?)
    }

    fn check_cache(&self, reuse: &Reuse) -> Result<(), Problem> {
        // A cache knows algorithms by name, and would give the digests of another key.
        if let Some(keyed) = self.plan.algorithms.iter().find(|algorithm| algorithm.is_keyed()) {
            return Err(Problem::KeyedCache(*keyed));
        }
        let mut named = self.input.paths.iter().map(|path| path.as_encoded_bytes());
        if let Some(address) = named.find(|path| pfh_source::is_address(path)) {
            return Err(Problem::ObjectCache(address.to_vec()));
        }
        if self.plan.piecewise.is_some() {
            return Err(Problem::PiecesCache);
        }
        if (0.0..=1.0).contains(&reuse.sample) { Ok(()) } else { Err(Problem::Sample(reuse.sample)) }
    }

    /// Inputs and outputs.
    pub(super) fn guarded(&self) -> Outputs {
        let mut outputs = self.outputs.clone();
        outputs.set_replace(self.replace);
        if let Some(Reuse { path, .. }) = &self.reuse {
            outputs.writes("cache", path, Kind::File, CACHE);
        }
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        self.input.guard(&mut outputs);
        outputs
    }

    /// The input.
    pub(super) fn source(&self) -> Result<Box<dyn Source>, Error> {
        Ok(self.input.source_in(self.volumes.as_ref())?)
    }

    /// Whether names of records may start in the working directory.
    pub(crate) fn has_relative_names(&self) -> bool {
        let is_relative = |path: &OsString| {
            !Path::new(path).is_absolute() && path != "-" && !pfh_source::is_address(path.as_encoded_bytes())
        };
        self.input.list.is_some() || self.input.paths.iter().any(is_relative)
    }

    /// The cache, opened. It knows a run by its input, its algorithms, and the form that is written
    /// from it.
    pub(crate) fn cache(&self, form: &str) -> Result<Option<Cache>, CacheFailure> {
        let Some(Reuse { path, sample }) = &self.reuse else { return Ok(None) };
        let algorithms: Vec<String> = self.plan.algorithms.iter().map(ToString::to_string).collect();
        // The order of reading changes no record.
        let input = Input { order: Order::default(), ..self.input.clone() };
        let here = pfh_source::os::names::working_directory().unwrap_or_default();
        let identity =
            format!("{} {} {:?} {} {:?}", algorithms.join(","), here.display(), input, form, self.outputs.written());
        let opened = Cache::open(path, &terminal::render(identity.as_bytes()), &self.plan.algorithms, *sample);
        opened.map(Some).map_err(|error| CacheFailure { path: path.clone(), error })
    }
}

/// A cache that is not opened.
pub(crate) struct CacheFailure {
    path: PathBuf,
    pub error: super::CacheError,
}

impl From<CacheFailure> for Error {
    fn from(failure: CacheFailure) -> Error {
        Error::request(PathError::new(failure.path, failure.error))
    }
}

/// Whether a file will lie in another directory than this one.
pub(crate) fn is_elsewhere(output: &Path, here: &[u8]) -> bool {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(parent).is_ok_and(|parent| parent.as_os_str().as_encoded_bytes() != here)
}
