//! What a run is asked for.

use super::Cache;
use super::{About, Error};
use crate::algorithms::{Algorithm, Secret};
use crate::destination::Destination;
use crate::input::{Input, InputError, Placed};
use crate::outputs::{Existing, Kind, Outputs};
use crate::seal;
use pfh_engine::Plan;
use pfh_manifest::{End, Format, Layout, Marker};
use pfh_source::terminal;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

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

/// A seal beside the manifest.
#[derive(Debug, Clone, Default)]
pub struct Sealing {
    /// The file of the key that signs it.
    pub key: Option<PathBuf>,
}

/// An input, and how its digests are written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// What is read.
    pub input: Input,
    /// The algorithms, and how files are read.
    pub plan: Plan,
    /// What the manifest is written in.
    pub format: Format,
    /// How its lines look, in formats that leave a choice.
    pub layout: Layout,
    /// Where it goes.
    pub output: Destination,
    /// The seal that a manifest in a file gets.
    pub seal: Option<Sealing>,
    /// The digests that are not computed again.
    pub reuse: Option<Reuse>,
    /// The key of the plan's keyed algorithms, which no output may replace.
    pub secret: Option<Secret>,
    /// Whether files of the outputs' names are replaced. One that is read never is.
    pub replace: bool,
}

impl Request {
    /// Digests by these algorithms as coreutils write them, on standard output.
    pub fn new(input: Input, algorithms: impl IntoIterator<Item = Algorithm>) -> Request {
        Request {
            input,
            plan: Plan::new(algorithms),
            format: Format::Sums,
            layout: Layout { end: End::Line, marker: Marker::Text },
            output: Destination::default(),
            seal: None,
            reuse: None,
            secret: None,
            replace: false,
        }
    }

    /// Reads according to this plan, by whose algorithms files are hashed.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Writes this format in this layout.
    #[must_use]
    pub fn format(mut self, format: Format, layout: Layout) -> Request {
        (self.format, self.layout) = (format, layout);
        self
    }

    /// Writes to this destination.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Seals the manifest.
    #[must_use]
    pub fn seal(mut self, seal: Option<Sealing>) -> Request {
        self.seal = seal;
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

    /// What is read, and for a format that has a place for them the file systems that are met.
    pub(super) fn source(&self) -> Result<Placed, InputError> {
        if self.format == Format::Dfxml { self.input.placed() } else { Ok((self.input.source()?, None)) }
    }

    /// What is read and written.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.path());
        let sealing = self.seal.as_ref();
        outputs.file("--seal", self.output.path().filter(|_| sealing.is_some()).map(seal::beside));
        if let Some(Reuse { path, .. }) = &self.reuse {
            outputs.writes("--cache", path, Kind::File, CACHE);
        }
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        self.input.guard(outputs.reads_all(sealing.and_then(|sealing| sealing.key.as_ref())));
        outputs
    }

    /// What the manifest records of the run. Of the command line it has what decides the digests:
    /// manifests of one tree are equal whatever the threads.
    pub(crate) fn about(&self) -> About {
        let algorithms: Vec<String> = self.plan.algorithms.iter().map(ToString::to_string).collect();
        let mut words: Vec<Vec<u8>> = vec![format!("pfh hash -a {}", algorithms.join(",")).into_bytes()];
        words.extend(self.input.words());
        words.extend(self.plan.piecewise.map(|length| format!("--piecewise {length}").into_bytes()));
        words.extend(self.input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
        let here = std::env::current_dir().ok().map(|d| d.into_os_string().into_vec());
        About {
            algorithms: self.plan.algorithms.clone(),
            command_line: Some(words.join(&b' ')),
            base: here.clone().filter(|here| self.needs_base(here)),
            working_directory: here,
            version: env!("CARGO_PKG_VERSION").into(),
            volumes: None,
        }
    }

    /// Whether the manifest must record in which directory its relative names start: it will lie in
    /// another one, and has such names.
    fn needs_base(&self, here: &[u8]) -> bool {
        self.has_relative_names() && self.output.path().is_some_and(|output| is_elsewhere(output, here))
    }

    /// Whether names of the manifest may start in the working directory.
    pub(crate) fn has_relative_names(&self) -> bool {
        let is_relative = |path: &OsString| {
            !Path::new(path).is_absolute() && path != "-" && !pfh_source::is_address(path.as_encoded_bytes())
        };
        self.input.list.is_some() || self.input.paths.iter().any(is_relative)
    }

    /// The cache, opened. It knows a run by the output, by what is hashed and how.
    pub(super) fn cache(&self, about: &About) -> Result<Option<Cache>, Error> {
        let Some(Reuse { path, sample }) = &self.reuse else { return Ok(None) };
        // A cache knows algorithms by name, and would give the digests of another key.
        if let Some(keyed) = self.plan.algorithms.iter().find(|algorithm| algorithm.is_keyed()) {
            return Err(Error::KeyedCache(*keyed));
        }
        let mut named = self.input.paths.iter().map(|path| path.as_encoded_bytes());
        if let Some(address) = named.find(|path| pfh_source::is_address(path)) {
            return Err(Error::ObjectCache(address.to_vec()));
        }
        let about = about.clone();
        let mut identity =
            [about.command_line.unwrap_or_default(), about.working_directory.unwrap_or_default()].join(&0);
        identity.extend_from_slice(self.format.name().as_bytes());
        identity.extend(self.output.path().iter().flat_map(|output| output.as_os_str().as_encoded_bytes().to_vec()));
        let opened = Cache::open(path, &terminal::render(&identity), &self.plan.algorithms, *sample);
        opened.map(Some).map_err(|error| Error::Cache { path: path.clone(), error })
    }
}

/// Whether a file will lie in another directory than this one.
pub(crate) fn is_elsewhere(output: &Path, here: &[u8]) -> bool {
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(parent).is_ok_and(|parent| parent.as_os_str().as_encoded_bytes() != here)
}
