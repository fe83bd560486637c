//! The request of a check.

use super::manifest::{hints, unknown};
use super::problem::Problem;
use super::share::{HEAD, Share};
use crate::algorithms::{Algorithm, Secret, computed};
#[cfg(feature = "inside")]
use crate::input::InputError;
use crate::job;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_engine::Plan;
use pfh_ledger::Likely;
use pfh_manifest::{End, Format, Options};
use pfh_source::{Streams, is_address};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The treatment of the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Task {
    /// The files that it lists are compared.
    Files {
        /// Names may lead out of the root by `..`, by links, or as absolute names.
        allow_outside: bool,
        /// Files that are not there are neither counted nor reported.
        ignore_missing: bool,
    },
    /// Each file of a tree gets a [`Class`](super::Class).
    Audit {
        /// The parts of the tree that are audited; all of it if there are none.
        below: Vec<OsString>,
        /// Symbolic links are followed.
        follow: bool,
    },
}

/// The effect on the verdict when a manifest holds parts that no file is compared with: lines that
/// are not records, unknown algorithms, an end that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    /// It is incomplete.
    #[default]
    Usual,
    /// The same, and lines that are not records make it a difference.
    Strict,
    /// It is reported, and changes nothing.
    Lenient,
}

/// Manifests, and how files are compared with them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The manifests; `-` is standard input. Listed files are compared with one after the other. An
    /// audit is of all of them together: to each by itself, the files of the others would be new.
    pub manifests: Vec<PathBuf>,
    /// The directory in which names start; found by the names if it is not given. Of an audit also
    /// the address of objects.
    pub root: Option<OsString>,
    /// The work.
    pub task: Task,
    /// The effect on the verdict when not all of a manifest can be compared.
    pub manner: Manner,
    /// The algorithms of digests that do not name theirs. Lines of others are left out.
    pub algorithms: Vec<Algorithm>,
    /// The treatment of files whose names are probably other spellings of listed ones.
    pub likely: Likely,
    /// How records of the manifest end.
    pub end: End,
    /// The labels of the columns of lists, in their order; empty to find them out.
    pub columns: Vec<String>,
    /// The file of the public key that the manifest's seal must be signed with; or a file of public
    /// keys of PGP: the manifest must be signed by one of these.
    pub key: Option<PathBuf>,
    /// The file of a seal that the manifest's seal must follow, or be.
    pub after: Option<PathBuf>,
    /// The directory that keeps the newest seal that was seen of each manifest: an older one is a
    /// difference.
    pub newest: Option<PathBuf>,
    /// The key under which keyed digests of the manifest were made. Without it they are not
    /// compared.
    pub secret: Option<Secret>,
    /// How files are read. Its algorithms and pieces are those of the manifest.
    pub plan: Plan,
    /// The share of the listed files that is compared; all of them without one.
    pub share: Option<Share>,
    /// Files that differ are read once. Otherwise they are read a second time, past the system's
    /// cache where it can, to tell a fault of cable or memory from one of the file.
    pub once: bool,
    /// The records of each manifest that are compared, by their places from 0 in rising order; all
    /// of them without this. Names and algorithms are found out by the whole manifest, so that
    /// several processes may share it out.
    pub records: Option<Vec<usize>>,
    /// How far containers are opened. Names that are inside of one are looked for there all the
    /// same; an audit goes into the containers of the tree if this is given, or if the manifest
    /// has such names.
    #[cfg(feature = "inside")]
    pub inside: Option<crate::inside::Options>,
}

impl Request {
    /// The files of a manifest, with the machine's defaults.
    pub fn new(manifest: impl Into<PathBuf>) -> Request {
        Request::all([manifest])
    }

    /// The files of several manifests, with the machine's defaults.
    pub fn all(manifests: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        Request {
            manifests: manifests.into_iter().map(Into::into).collect(),
            root: None,
            task: Task::Files { allow_outside: false, ignore_missing: false },
            manner: Manner::Usual,
            algorithms: Vec::new(),
            likely: Likely::Named,
            end: End::Line,
            columns: Vec::new(),
            key: None,
            after: None,
            newest: None,
            secret: None,
            plan: Plan::default(),
            share: None,
            once: false,
            records: None,
            #[cfg(feature = "inside")]
            inside: None,
        }
    }

    /// The same with operands as a command line has them: a directory behind the last manifest, or
    /// an address, is the root.
    pub fn operands(operands: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        let mut request = Request::all(operands);
        if let [_, .., last] = &request.manifests[..]
            && (last.is_dir() || is_address(last.as_os_str().as_encoded_bytes()))
        {
            request.root = request.manifests.pop().map(PathBuf::into_os_string);
        }
        request
    }

    /// Goes into containers.
    #[cfg(feature = "inside")]
    #[must_use]
    pub fn inside(mut self, inside: Option<crate::inside::Options>) -> Request {
        self.inside = inside;
        self
    }

    /// Names start in this directory.
    #[must_use]
    pub fn root(mut self, root: impl AsRef<OsStr>) -> Request {
        self.root = Some(root.as_ref().to_owned());
        self
    }

    /// Compares a share of the listed files.
    #[must_use]
    pub fn share(mut self, share: Option<Share>) -> Request {
        self.share = share;
        self
    }

    /// Reads files that differ once.
    #[must_use]
    pub fn once(mut self, once: bool) -> Request {
        self.once = once;
        self
    }

    /// Compares these records of each manifest alone.
    #[must_use]
    pub fn records(mut self, records: Option<Vec<usize>>) -> Request {
        self.records = records;
        self
    }

    /// Does this in place of comparing the listed files.
    #[must_use]
    pub fn task(mut self, task: Task) -> Request {
        self.task = task;
        self
    }

    /// Judges in this manner parts of a manifest that cannot be compared.
    #[must_use]
    pub fn manner(mut self, manner: Manner) -> Request {
        self.manner = manner;
        self
    }

    /// Digests that do not name their algorithm are of these.
    #[must_use]
    pub fn algorithms(mut self, algorithms: Vec<Algorithm>) -> Request {
        self.algorithms = algorithms;
        self
    }

    /// Lists have these columns: `name`, `size`, `algorithm`, `digest`, an algorithm, or anything
    /// else for a column that is passed over.
    #[must_use]
    pub fn columns(mut self, columns: Vec<String>) -> Request {
        self.columns = columns;
        self
    }

    /// Does this with files whose names are probably other spellings of listed ones.
    #[must_use]
    pub fn likely(mut self, likely: Likely) -> Request {
        self.likely = likely;
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

    /// The manifest's seal must follow the seal in this file, or be it.
    #[must_use]
    pub fn after(mut self, seal: Option<PathBuf>) -> Request {
        self.after = seal;
        self
    }

    /// The manifest's seal must be the newest that was seen of it, by what this directory keeps.
    #[must_use]
    pub fn newest(mut self, directory: Option<PathBuf>) -> Request {
        self.newest = directory;
        self
    }

    /// Keyed digests were made under this key.
    #[must_use]
    pub fn secret(mut self, secret: Option<Secret>) -> Request {
        self.secret = secret;
        self
    }

    /// Files are read according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Refuses requests that can be refused before a manifest is read.
    ///
    /// # Errors
    /// When there is no manifest or one is a directory, a stream is named twice, or a key cannot be
    /// loaded.
    pub fn check(&self) -> Result<(), job::Error> {
        if self.manifests.is_empty() {
            return Err(job::Error::request(Problem::NoManifest));
        }
        if let Some(directory) = self.manifests.iter().find(|path| path.is_dir()) {
            return Err(job::Error::request(Problem::Directory(directory.clone())));
        }
        if self.after.is_some() && self.manifests.len() > 1 {
            return Err(job::Error::request(Problem::AfterSeveral));
        }
        // A mistyped ROOT behind the list: the files of another directory must not be verified.
        if let [_, .., last] = &self.manifests[..]
            && self.root.is_none()
            && std::fs::symlink_metadata(last).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
            && pfh_source::Stream::of(last).is_none()
        {
            return Err(job::Error::input(Problem::Absent(last.clone())));
        }
        let store = self.root.as_ref().map(|root| root.as_encoded_bytes()).filter(|root| is_address(root));
        if let Some(store) = store.filter(|_| !self.is_audit()) {
            return Err(job::Error::request(Problem::Objects(store.to_vec())));
        }
        #[cfg(feature = "inside")]
        if let Some(store) = store.filter(|_| self.inside.is_some()) {
            return Err(InputError::InsideOfObject(store.to_vec()).into());
        }
        if self.records.is_some() && (self.share.is_some() || self.is_audit()) {
            return Err(job::Error::request(Problem::RecordsOfShare));
        }
        let mut streams = Streams::default();
        streams.read_all(&self.manifests)?;
        if let Some(share) = &self.share {
            share.check()?;
            let is_stream = self.manifests.iter().any(|path| pfh_source::Stream::of(path).is_some());
            if self.is_audit() || is_stream {
                return Err(job::Error::request(Problem::ShareOfAudit));
            }
            self.outputs(share).check()?;
        }
        let (key, secret) = (self.key.as_deref(), self.secret.as_ref());
        streams.read_all(key.into_iter().chain(secret.and_then(Secret::path)))?;
        #[cfg(any(feature = "audit", feature = "image"))]
        // A stream gives its bytes once.
        if let Some(key) = key.filter(|key| pfh_source::Stream::of(key).is_none() && super::signed::keys(key).is_none())
        {
            pfh_custody::key::verifying(key)?;
        }
        Ok(())
    }

    /// The files that a check of a share reads and writes.
    fn outputs(&self, share: &Share) -> Outputs {
        let mut outputs = Outputs::new(false);
        for manifest in &self.manifests {
            let (path, own) = (share.state_of(manifest), Existing::Own(0, HEAD.as_bytes()));
            match share.state {
                Some(_) => outputs.writes("state", path, Kind::File, own),
                None => outputs.writes_beside("state", Some(path), own),
            };
        }
        outputs.reads_all(&self.manifests).reads_all(&self.key);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        outputs
    }

    /// The manifests that are checked together, by turns.
    pub(super) fn turns(&self) -> Vec<Turn<'_>> {
        let together = if self.is_audit() { self.manifests.len() } else { 1 };
        let turns = self.manifests.chunks(together.max(1));
        turns.map(|manifests| Turn { request: self, manifests }).collect()
    }

    /// Whether names may lead out of the root.
    pub(super) fn leads_outside(&self) -> bool {
        matches!(self.task, Task::Files { allow_outside: true, .. })
    }

    pub(super) fn is_audit(&self) -> bool {
        matches!(self.task, Task::Audit { .. })
    }

    /// How the manifest is read. A digest is a part of its line, and those of sdhash and mrsh-v2
    /// grow with the file.
    pub(crate) fn options(&self, manifest: &Path) -> Options {
        let hints = hints(manifest);
        Options {
            format: match self.end {
                End::Nul => Some(Format::Sums),
                // Of names that look like digests content alone says too little.
                End::Line => {
                    manifest.extension().is_some_and(|end| end.eq_ignore_ascii_case("sfv")).then_some(Format::Sfv)
                }
            },
            assumed: computed(&self.algorithms),
            foreign: if hints.is_empty() { unknown(manifest) } else { None },
            hints,
            any: true,
            bare: false,
            keyed: self.secret.is_some(),
            columns: self.columns.clone(),
            end: self.end,
            limit: self.plan.memory.max(1 << 20),
        }
    }

    /// The plan with these algorithms, under the key if they need one.
    pub(crate) fn plan_of(&self, mut algorithms: Vec<pfh_digest::Algorithm>, piecewise: Option<u64>) -> Plan {
        if let Some(secret) = &self.secret {
            // A key that is none of an algorithm's was refused before.
            let keyed = |one: pfh_digest::Algorithm| secret.under(one).ok();
            algorithms = algorithms.into_iter().filter_map(keyed).collect();
        }
        Plan { algorithms, piecewise, ..self.plan.clone() }
    }
}

/// One manifest of a request, or all of an audit's.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// How files are compared.
    pub request: &'a Request,
    /// The manifests; at least one.
    pub manifests: &'a [PathBuf],
}

impl<'a> Turn<'a> {
    /// All manifests of a request together.
    pub fn of(request: &'a Request) -> Turn<'a> {
        Turn { request, manifests: &request.manifests }
    }

    /// The first, whose name and place count.
    pub fn manifest(&self) -> &'a Path {
        self.manifests.first().map_or(Path::new(""), |manifest| manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_behind_the_manifests_is_the_root() {
        let room = tempfile::tempdir().unwrap();
        let one = room.path().join("one");
        let request = Request::operands([one.clone(), room.path().to_owned()]);
        assert_eq!((request.manifests, request.root), (vec![one], Some(room.path().as_os_str().to_owned())));
        // Alone it is an operand like any other, and refused.
        let request = Request::operands([room.path()]);
        assert_eq!((request.manifests.len(), request.root.is_none()), (1, true));
    }
}
