//! `append`: the tree of a file takes in the bytes appended to the file.

use super::check::{Must, of_pairs};
use super::{Error, Event, Events, Summary, TreeWork, beside, guard, key, keyless, pass, pass_under};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::os::processors;
use std::path::PathBuf;

/// A file that has grown, and its tree.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// The root that the tree must have before; without it the tree is believed.
    pub must: Option<Must>,
    /// The key of a tree that has one.
    pub secret: Option<Secret>,
    /// Threads that hash: one per processor.
    pub threads: usize,
}

impl Request {
    /// The file has its tree beside it.
    pub fn new(file: impl Into<PathBuf>) -> Request {
        let file = file.into();
        let tree = beside(&file);
        Request { file, tree, must: None, secret: None, threads: processors() }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(false);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        outputs.reads_apart([&*self.file]).reads_apart(self.must.as_ref().and_then(Must::path));
        guard(&mut outputs, &self.file, &self.tree);
        outputs
    }

    /// Whether the outputs can be written, and nothing that is read is in their way.
    ///
    /// # Errors
    /// When an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }
}

/// Hashes the appended bytes, and replaces the tree.
///
/// # Errors
/// When the file is shorter than its tree says, one of them cannot be read, or the tree cannot be
/// written; also when the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = appended(request, control)?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn appended(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let (file, tree) = (&request.file, &request.tree);
    if tree.exists() && outboard::flat_name(tree)?.is_some() {
        keyless(request.secret.as_ref(), tree)?;
        let must = Must::flat_root(request.must.as_ref(), tree)?;
        let appended = pass(request.threads, control, |pass| outboard::append_flat(file, tree, must.as_deref(), pass));
        let (tree, bytes) = appended?;
        let end = tree.length();
        return Ok(Summary::flat(file, &tree, TreeWork::Appended(end - bytes..end)));
    }
    let trusted = request.must.as_ref().map(|must| of_pairs(must.root(file)?)).transpose()?;
    let (tree, bytes) = pass_under(key(request.secret.as_ref()), trusted, request.threads, control, |pass| {
        outboard::append(file, tree, pass)
    })?;
    let end = tree.length();
    Ok(Summary::new(file, &tree.header(), TreeWork::Appended(end - bytes..end)))
}
