//! The request of a comparison.

use super::problem::Problem;
use crate::algorithms::{Algorithm, computed};
use crate::check::Likely;
use crate::hash::{CACHE, Reuse};
use crate::input::InputError;
use crate::job;
use crate::outputs::{Kind, Outputs};
use pfh_engine::Plan;
use pfh_manifest::End;
use pfh_source::{Descend, Links, Recurse, Streams, is_address};
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

/// The treatment of names that B alone has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extra {
    /// They are differences.
    #[default]
    Differs,
    /// B may have more than A: they are counted, and no differences.
    Welcome,
}

/// Two states of a tree, and how they are compared.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// A and B: a directory, the address of objects, an image or an archive, or a manifest (`-` is
    /// standard input).
    pub sides: [OsString; 2],
    /// The algorithms that two directories are hashed with; SHA-256 if none is named. Those of
    /// digests in lists that do not name theirs.
    pub algorithms: Vec<Algorithm>,
    /// Whether times are compared.
    pub metadata: Metadata,
    /// Whether names of B alone are differences.
    pub extra: Extra,
    /// The treatment of names that are probably other spellings of names in a list.
    pub likely: Likely,
    /// How records of lists end.
    pub end: End,
    /// The labels of the columns of lists, in their order; empty to find them out.
    pub columns: Vec<String>,
    /// The treatment of symbolic links in directories.
    pub links: Links,
    /// The digests that are not computed again.
    pub reuse: Option<Reuse>,
    /// How far archives in both sides are opened; `None` takes them as files, and opens those alone
    /// that are a side themselves.
    #[cfg(feature = "inside")]
    pub inside: Option<crate::inside::Options>,
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
            extra: Extra::Differs,
            likely: Likely::Named,
            end: End::Line,
            columns: Vec::new(),
            links: Links::Keep,
            reuse: None,
            #[cfg(feature = "inside")]
            inside: None,
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

    /// Lists have these columns: `name`, `size`, `algorithm`, `digest`, an algorithm, or anything
    /// else for a column that is passed over.
    #[must_use]
    pub fn columns(mut self, columns: Vec<String>) -> Request {
        self.columns = columns;
        self
    }

    /// Takes names of B alone for differences, or not.
    #[must_use]
    pub fn extra(mut self, extra: Extra) -> Request {
        self.extra = extra;
        self
    }

    /// Does this with names that are probably other spellings of names in a list.
    #[must_use]
    pub fn likely(mut self, likely: Likely) -> Request {
        self.likely = likely;
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

    /// The algorithms that two directories are hashed with.
    pub(super) fn algorithms(&self) -> Vec<pfh_digest::Algorithm> {
        let named = computed(&self.algorithms);
        if named.is_empty() { "sha256".parse().into_iter().collect() } else { named }
    }

    pub(super) fn descend(&self) -> Descend {
        Descend { recurse: Recurse::Yes, links: self.links, ..Descend::default() }
    }

    /// Whether archives in both sides are opened.
    pub(super) fn is_inside(&self) -> bool {
        #[cfg(feature = "inside")]
        return self.inside.is_some();
        #[cfg(not(feature = "inside"))]
        false
    }

    /// Refuses requests that can be refused before a side is read.
    ///
    /// # Errors
    /// When the cache is a file that is read or that somebody else made, both sides are one stream,
    /// or something is asked of objects that only files have.
    pub fn check(&self) -> Result<(), job::Error> {
        let mut sides = self.sides.iter().map(|side| side.as_encoded_bytes());
        if let Some(address) = sides.find(|side| is_address(side)) {
            if self.is_inside() {
                return Err(InputError::InsideOfObject(address.to_vec()).into());
            }
            let of_files = [(self.metadata == Metadata::Compared, "metadata"), (self.reuse.is_some(), "the cache")];
            if let Some((_, what)) = of_files.iter().find(|(is_asked, _)| *is_asked) {
                return Err(job::Error::request(Problem::Objects(address.to_vec(), what)));
            }
        }
        self.outputs().check()?;
        // One thing named twice has a verdict of its own: nothing to compare.
        if !are_one(self) {
            Streams::default().read_all(&self.sides)?;
        }
        Ok(())
    }

    /// Inputs and outputs.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(false);
        outputs.reads_all(&self.sides);
        for side in self.sides.iter().filter(|_| self.reuse.is_some()) {
            outputs.reads_all(pfh_source::image::files_of(side.as_ref()));
            #[cfg(feature = "inside")]
            {
                use crate::inside::name;
                use pfh_source::os::names::OsStringExt;
                let path = |name: &[u8]| OsString::from_vec(name.to_vec());
                let side = side.as_encoded_bytes();
                let container = name::container(side).unwrap_or_else(|| side.to_vec());
                let is_there = |name: &[u8]| std::fs::symlink_metadata(path(name)).is_ok();
                for medium in name::media(&container, is_there) {
                    outputs.reads_all(pfh_source::image::files_of(path(&medium).as_ref()));
                }
            }
        }
        if let Some(Reuse { path, .. }) = &self.reuse {
            outputs.writes("cache", path, Kind::File, CACHE);
        }
        outputs
    }
}

/// Whether both sides are the same directory, file or folder of objects.
pub fn are_one(request: &Request) -> bool {
    let identity = |side: &OsString| {
        let found = pfh_source::os::stat_path(side.as_ref()).ok().filter(|_| side != "-");
        found.map(|(found, _)| found.identity())
    };
    let [a, b] = request.sides.each_ref().map(|side| crate::objects::folder(side.as_encoded_bytes()));
    if a.is_some() {
        return a == b;
    }
    let [a, b] = [identity(&request.sides[0]), identity(&request.sides[1])];
    a.is_some() && a == b
}
