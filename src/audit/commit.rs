//! `commit`: the auditor's commitments to files: root and length, from their trees. Run by the
//! owner.

use super::{Error, Events, Problem, Wrong, files};
use crate::Destination;
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use crate::tree::{SUFFIX, beside, key};
use pfh_audit::KeptCommitment;
use pfh_engine::Control;
use pfh_outboard::{self as outboard, Failure};
use pfh_source::os::names::OsStrExt;
use pfh_tree::audit::{Commitment, IDENTITY};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Files that have trees.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The tree of the one file, if it is not beside it.
    pub tree: Option<PathBuf>,
    /// The name of the one file on both sides: its name as given, unless something else is. For a
    /// server it is the path below the server's directory.
    pub identity: Option<OsString>,
    /// The key of trees that have one.
    pub secret: Option<Secret>,
    /// Where the lines go.
    pub output: Destination,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// Files with a tree beside each, to standard output.
    pub fn new(files: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        let files = files.into_iter().map(Into::into).collect();
        Request { files, tree: None, identity: None, secret: None, output: Destination::default(), replace: false }
    }

    /// The trees are under this key.
    #[must_use]
    pub fn secret(mut self, secret: Option<Secret>) -> Request {
        self.secret = secret;
        self
    }

    /// The lines go there.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("output", self.output.path()).reads_apart(&self.files);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        match &self.tree {
            Some(tree) => outputs.reads(tree),
            None => outputs.reads_all(self.files.iter().map(|file| beside(file))),
        };
        outputs
    }

    /// Whether the request makes sense and its output may be written; nothing is.
    ///
    /// # Errors
    /// When it does not, or the output is refused.
    pub fn check(&self) -> Result<(), Error> {
        self.outputs().check()?;
        if self.files.len() > 1 && (self.identity.is_some() || self.tree.is_some()) {
            return Err(Problem::OneFile.into());
        }
        let lengths = 1..=IDENTITY;
        if !self.files.iter().all(|file| lengths.contains(&self.identity_of(file).len())) {
            return Err(Problem::Identity.into());
        }
        Ok(())
    }

    /// The name of a file on both sides.
    fn identity_of<'a>(&'a self, file: &'a Path) -> &'a [u8] {
        self.identity.as_deref().unwrap_or(file.as_os_str()).as_bytes()
    }
}

/// Writes a line for each file.
///
/// # Errors
/// When a file has no tree or another length than its tree, or the output cannot be written.
pub fn run(request: &Request, _events: &mut Events<'_>, _control: &Control<'_>) -> Result<(), Error> {
    request.check()?;
    let several = request.files.len() > 1;
    let mut lines = String::new();
    for file in &request.files {
        let is_tree = file.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
        let tree = request.tree.clone().unwrap_or_else(|| beside(file));
        if is_tree && several && !tree.exists() {
            // `commit *` meets the trees beside the files.
            continue;
        }
        let tree = outboard::load(&tree, key(request.secret.as_ref())).map_err(|failure| match failure {
            Failure::Locked { tree: path, why } => Error::from(Problem::Locked { path, why }),
            failure => Wrong::from(failure).into(),
        })?;
        let found = files::open(file)?.size();
        if found != tree.length() {
            return Err(Problem::Length { file: file.clone(), found, stated: tree.length() }.into());
        }
        let identity = request.identity_of(file).to_vec();
        lines += &format!("{}\n", KeptCommitment { identity, commitment: Commitment::of(&tree) });
    }
    files::output(&request.output, lines.as_bytes())
}
