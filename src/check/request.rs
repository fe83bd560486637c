//! What a check is asked for.

use super::manifest::hints;
use crate::algorithms::{Algorithm, Secret, computed};
use pfh_engine::Plan;
use pfh_manifest::{End, Format, Options};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What is done with the manifest.
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

/// A manifest, and how files are compared with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The manifest; `-` is standard input.
    pub manifest: PathBuf,
    /// Further manifests of an audit: together they list what is expected.
    pub also: Vec<PathBuf>,
    /// The directory in which names start; found by the names if it is not given.
    pub root: Option<OsString>,
    /// What is done.
    pub task: Task,
    /// The algorithms of digests that do not name theirs. Lines of others are left out.
    pub algorithms: Vec<Algorithm>,
    /// How records of the manifest end.
    pub end: End,
    /// The file of the public key that the manifest's seal must be signed with.
    pub key: Option<PathBuf>,
    /// The key under which keyed digests of the manifest were made. Without it they are not
    /// compared.
    pub secret: Option<Secret>,
    /// How files are read. Its algorithms and pieces are those of the manifest.
    pub plan: Plan,
    /// How far containers are opened. Names that are inside of one are looked for there all the
    /// same; an audit goes into the containers of the tree if this is given, or if the manifest
    /// has such names.
    #[cfg(feature = "inside")]
    pub inside: Option<crate::inside::Options>,
}

impl Request {
    /// The files of a manifest, with the machine's defaults.
    pub fn new(manifest: impl Into<PathBuf>) -> Request {
        Request {
            manifest: manifest.into(),
            also: Vec::new(),
            root: None,
            task: Task::Files { allow_outside: false, ignore_missing: false },
            algorithms: Vec::new(),
            end: End::Line,
            key: None,
            secret: None,
            plan: Plan::default(),
            #[cfg(feature = "inside")]
            inside: None,
        }
    }

    /// Goes into containers.
    #[cfg(feature = "inside")]
    #[must_use]
    pub fn inside(mut self, inside: Option<crate::inside::Options>) -> Request {
        self.inside = inside;
        self
    }

    /// Expects what these manifests list as well. Only an audit takes them.
    #[must_use]
    pub fn also(mut self, manifests: Vec<PathBuf>) -> Request {
        self.also = manifests;
        self
    }

    /// Names start in this directory.
    #[must_use]
    pub fn root(mut self, root: impl AsRef<OsStr>) -> Request {
        self.root = Some(root.as_ref().to_owned());
        self
    }

    /// Does this in place of comparing the listed files.
    #[must_use]
    pub fn task(mut self, task: Task) -> Request {
        self.task = task;
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

    pub(super) fn is_audit(&self) -> bool {
        matches!(self.task, Task::Audit { .. })
    }

    /// How the manifest is read. A digest is a part of its line, and those of sdhash and mrsh-v2
    /// grow with the file.
    pub(super) fn options(&self, manifest: &Path) -> Options {
        Options {
            format: match self.end {
                End::Nul => Some(Format::Sums),
                // Of names that look like digests content alone says too little.
                End::Line => {
                    manifest.extension().is_some_and(|end| end.eq_ignore_ascii_case("sfv")).then_some(Format::Sfv)
                }
            },
            assumed: computed(&self.algorithms),
            hints: hints(manifest),
            any: true,
            bare: false,
            keyed: self.secret.is_some(),
            end: self.end,
            limit: self.plan.memory.max(1 << 20),
        }
    }

    /// The plan with these algorithms, under the key if they need one.
    pub(super) fn plan_of(&self, mut algorithms: Vec<pfh_digest::Algorithm>, piecewise: Option<u64>) -> Plan {
        if let Some(secret) = &self.secret {
            // A key that is none of an algorithm's was refused before.
            let keyed = |one: pfh_digest::Algorithm| secret.under(one).ok();
            algorithms = algorithms.into_iter().filter_map(keyed).collect();
        }
        Plan { algorithms, piecewise, ..self.plan.clone() }
    }
}
