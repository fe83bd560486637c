//! `commit`: what the auditor keeps of files: root and length, from their trees. Run by the owner.

use super::{Error, files};
use crate::Destination;
use crate::outputs::Outputs;
use crate::tree::{SUFFIX, beside};
use pfh_audit::Kept;
use pfh_outboard as outboard;
use pfh_tree::audit::{Commitment, IDENTITY};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Files that have trees.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The tree of the one file, if it is not beside it.
    pub tree: Option<PathBuf>,
    /// What both sides call the one file: its name as given, unless something else is. For a server
    /// it is the path below the server's directory.
    pub identity: Option<OsString>,
    /// Where the lines go.
    pub output: Destination,
    /// Whether an existing file may be replaced; what is read never is.
    pub replace: bool,
}

impl Request {
    /// Files with a tree beside each, to standard output.
    pub fn new(files: impl IntoIterator<Item = impl Into<PathBuf>>) -> Request {
        let files = files.into_iter().map(Into::into).collect();
        Request { files, tree: None, identity: None, output: Destination::default(), replace: false }
    }

    /// The lines go there.
    #[must_use]
    pub fn output(mut self, output: impl Into<Destination>) -> Request {
        self.output = output.into();
        self
    }

    /// What is read and written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("--output", self.output.path()).reads_apart(&self.files);
        match &self.tree {
            Some(tree) => outputs.reads(tree),
            None => outputs.reads_all(self.files.iter().map(|file| beside(file))),
        };
        outputs
    }
}

/// Writes a line for each file.
///
/// # Errors
/// When a file has no tree or another length than its tree, or the output cannot be written.
pub fn run(request: &Request) -> Result<(), Error> {
    request.outputs().check()?;
    let several = request.files.len() > 1;
    if several && (request.identity.is_some() || request.tree.is_some()) {
        return Err(Error::OneFile);
    }
    let mut lines = String::new();
    for file in &request.files {
        let is_tree = file.as_os_str().as_bytes().ends_with(SUFFIX.as_bytes());
        let tree = request.tree.clone().unwrap_or_else(|| beside(file));
        if is_tree && several && !tree.exists() {
            // `commit *` meets the trees beside the files.
            continue;
        }
        let tree = outboard::load(&tree)?;
        let found = files::open(file)?.size();
        if found != tree.length() {
            return Err(Error::Length { file: file.clone(), found, stated: tree.length() });
        }
        let identity = request.identity.as_deref().unwrap_or(file.as_os_str()).as_bytes().to_vec();
        if !(1..=IDENTITY).contains(&identity.len()) {
            return Err(Error::Identity);
        }
        lines += &format!("{}\n", Kept { identity, commitment: Commitment::of(&tree) });
    }
    files::output(&request.output, lines.as_bytes())
}
