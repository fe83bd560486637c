//! What a comparison is asked for.

use crate::algorithms::{Algorithm, computed};
use crate::hash::{CACHE, Reuse};
use crate::outputs::{Kind, Outputs};
use pfh_engine::Plan;
use pfh_manifest::End;
use pfh_source::{Descend, Links, Recurse};
use std::ffi::OsString;

/// Whether times are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Metadata {
    /// Content alone: copies are the same.
    #[default]
    Ignored,
    /// Another modification time is a difference.
    Compared,
}

/// Two states of a tree, and how they are compared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// A and B: a directory, or a manifest (`-` is standard input).
    pub sides: [OsString; 2],
    /// What two directories are hashed with; SHA-256 if none is named. The algorithms of digests in
    /// lists that do not name theirs.
    pub algorithms: Vec<Algorithm>,
    /// Whether times are compared.
    pub metadata: Metadata,
    /// How records of lists end.
    pub end: End,
    /// What is done with symbolic links in directories.
    pub links: Links,
    /// The digests that are not computed again.
    pub reuse: Option<Reuse>,
    /// How files are read.
    pub plan: Plan,
}

impl Request {
    /// The content of A and B, with the machine's defaults.
    pub fn new(a: impl Into<OsString>, b: impl Into<OsString>) -> Request {
        Request {
            sides: [a.into(), b.into()],
            algorithms: Vec::new(),
            metadata: Metadata::Ignored,
            end: End::Line,
            links: Links::Keep,
            reuse: None,
            plan: Plan::default(),
        }
    }

    /// These algorithms.
    #[must_use]
    pub fn algorithms_of(mut self, algorithms: Vec<Algorithm>) -> Request {
        self.algorithms = algorithms;
        self
    }

    /// Compares times as well, or not.
    #[must_use]
    pub fn metadata(mut self, metadata: Metadata) -> Request {
        self.metadata = metadata;
        self
    }

    /// Records of lists end with this.
    #[must_use]
    pub fn end(mut self, end: End) -> Request {
        self.end = end;
        self
    }

    /// Does this with symbolic links.
    #[must_use]
    pub fn links(mut self, links: Links) -> Request {
        self.links = links;
        self
    }

    /// Keeps digests.
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

    /// What two directories are hashed with.
    pub(super) fn algorithms(&self) -> Vec<pfh_digest::Algorithm> {
        let named = computed(&self.algorithms);
        if named.is_empty() { "sha256".parse().into_iter().collect() } else { named }
    }

    pub(super) fn descend(&self) -> Descend {
        Descend { recurse: Recurse::Yes, links: self.links, ..Descend::default() }
    }

    /// What is read and written.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(false);
        outputs.reads_all(&self.sides);
        if let Some(Reuse { path, .. }) = &self.reuse {
            outputs.writes("--cache", path, Kind::File, CACHE);
        }
        outputs
    }
}
