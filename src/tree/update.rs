//! `update`: the tree of a file that was changed in place is brought up to date; only the changed
//! parts are hashed again.

use super::check::{Must, of_pairs};
use super::{
    Error, Event, Events, Failure, Problem, Summary, TreeWork, beside, guard, key, keyless, pass, pass_under, save,
};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::os::processors;
use pfh_tree::audit::Renewal;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// The changed parts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangedParts {
    /// These ranges, in bytes. That nothing else has is taken on trust.
    Ranges(Vec<Range<u64>>),
    /// The parts that differ from this copy, which is the file as it was when its tree was made.
    Since(PathBuf),
}

/// A file of the same length as before, its tree, and the changed parts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// The changed parts.
    pub changed: ChangedParts,
    /// The root that the tree must have before, kept where nobody who can write to the tree can
    /// write; without it the tree is believed.
    pub must: Option<Must>,
    /// The key of a tree that has one.
    pub secret: Option<Secret>,
    /// Where the proof of the change goes, for an auditor who has neither file nor tree.
    pub proof: Option<PathBuf>,
    /// Threads that hash: one per processor.
    pub threads: usize,
    /// Whether an existing file may be replaced by the proof; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The file has its tree beside it.
    pub fn new(file: impl Into<PathBuf>, changed: ChangedParts) -> Request {
        let file = file.into();
        let tree = beside(&file);
        Request { file, tree, changed, must: None, secret: None, proof: None, threads: processors(), replace: false }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("proof", self.proof.as_ref());
        if let ChangedParts::Since(copy) = &self.changed {
            outputs.reads_apart([copy]);
        }
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

/// Brings the tree up to date, in place and under a journal: if it is interrupted, the old tree or
/// the new one is there.
///
/// # Errors
/// When a range lies outside of the file, the file has another length than its tree, one of them
/// cannot be read, or the tree or the proof cannot be written; when the tree has another root than
/// it must; also when the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = updated(request, control)?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn updated(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let (file, tree) = (&request.file, &request.tree);
    if tree.exists() && outboard::flat_name(tree)?.is_some() {
        keyless(request.secret.as_ref(), tree)?;
        return flat(request, control);
    }
    let trusted = request.must.as_ref().map(|must| of_pairs(must.root(file)?)).transpose()?;
    let updated =
        pass_under(key(request.secret.as_ref()), trusted, request.threads, control, |pass| match &request.changed {
            ChangedParts::Since(copy) => outboard::update_since(file, copy, tree, pass),
            ChangedParts::Ranges(ranges) => outboard::update(file, tree, ranges, pass),
        })?;
    if let Some(path) = &request.proof {
        let many = || io::Error::other("too much has changed to be proved: let the auditor take a new commitment");
        let failed = |error| Failure::Write { file: path.clone(), error };
        let change = updated.change.as_ref().ok_or_else(many).map_err(failed)?;
        save(path, &Renewal::of(change).encode())?;
    }
    let done = TreeWork::Updated { ranges: updated.ranges, computed: updated.computed };
    Ok(Summary::new(file, &updated.header, done))
}

/// The same for a tree of two levels: its file is replaced.
fn flat(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let (file, tree) = (&request.file, &request.tree);
    if request.proof.is_some() {
        let name = outboard::load_flat(tree)?.shape().algorithm().to_string();
        return Err(Problem::NoProof { tree: tree.clone(), name }.into());
    }
    let must = Must::flat_root(request.must.as_ref(), tree)?;
    let updated = pass(request.threads, control, |pass| match &request.changed {
        ChangedParts::Since(copy) => outboard::update_flat_since(file, copy, tree, must.as_deref(), pass),
        ChangedParts::Ranges(ranges) => outboard::update_flat(file, tree, ranges, must.as_deref(), pass),
    })?;
    let computed = updated.leaves.len() + usize::from(!updated.leaves.is_empty());
    Ok(Summary::flat(file, &updated.tree, TreeWork::Updated { ranges: updated.read, computed }))
}
