//! `check`: which ranges of a file are not what they were when its tree was made.

use super::{Error, Event, Events, ExpectedRoot, Key, Problem, RootSource, Summary, TreeComparison, TreeWork};
use super::{beside, key, keyless, pass, pass_under};
use crate::algorithms::Secret;
use crate::job::PathError;
use crate::outputs::Outputs;
use pfh_audit::KeptCommitment;
use pfh_engine::Control;
use pfh_outboard::{self as outboard, Failure, Pass};
use pfh_source::Document;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::processors;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A root that the file must give.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Must {
    /// This root, under the tree's function and leaf length, or its algorithm.
    Root(Vec<u8>),
    /// That of a line which an auditor keeps ([`pfh::audit::commit`](crate::audit::commit)). The
    /// tree need not be there.
    Kept {
        /// The file of lines.
        path: PathBuf,
        /// Which line, if there are several: that of the file's name unless it is given.
        identity: Option<OsString>,
    },
}

impl Must {
    /// The line that an auditor keeps of the file, if one is to be believed.
    fn kept(&self, file: &Path, key: Option<Key>) -> Result<Option<KeptCommitment>, Error> {
        let Must::Kept { path, identity } = self else { return Ok(None) };
        let mut kept = line(path, identity.as_deref(), file)?;
        let locked = |why| Problem::Locked { path: path.clone(), why };
        kept.commitment = kept.commitment.unlock(key).map_err(locked)?;
        Ok(Some(kept))
    }

    /// The root.
    pub(super) fn root(&self, file: &Path) -> Result<Vec<u8>, Error> {
        match self {
            Must::Root(root) => Ok(root.clone()),
            Must::Kept { path, identity } => Ok(line(path, identity.as_deref(), file)?.commitment.root().to_vec()),
        }
    }

    /// The root that a tree of two levels must have. The roots that auditors keep are of pairs.
    pub(super) fn flat_root(must: Option<&Must>, tree: &Path) -> Result<Option<Vec<u8>>, Error> {
        let root = match must {
            None => None,
            Some(Must::Root(root)) => Some(root.clone()),
            Some(Must::Kept { .. }) => {
                let name = outboard::load_flat(tree)?.shape().algorithm().to_string();
                return Err(Problem::NotKept { tree: tree.to_owned(), name }.into());
            }
        };
        of_flat(root, tree)
    }

    /// The file that is read for it.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Must::Root(_) => None,
            Must::Kept { path, .. } => Some(path),
        }
    }
}

/// The line of a file among those that an auditor keeps.
fn line(path: &Path, identity: Option<&OsStr>, file: &Path) -> Result<KeptCommitment, Error> {
    let bytes = Document::read(path, Document::LONGEST).map_err(|error| Error::input(PathError::new(path, error)))?;
    let mut kept = pfh_audit::parse(&bytes).map_err(|wrong| Error::about(path, wrong))?;
    if let (None, [_]) = (identity, &kept[..]) {
        return Ok(kept.remove(0));
    }
    let meant = identity.unwrap_or(file.as_os_str()).as_bytes();
    let found = kept.into_iter().find(|kept| kept.identity == meant);
    Ok(found.ok_or_else(|| Problem::NoLine { path: path.to_owned(), identity: meant.to_owned() })?)
}

/// A file, its tree, and the root that the file must have.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file.
    pub file: PathBuf,
    /// Its tree.
    pub tree: PathBuf,
    /// The root that the file must give. Without it a file and a tree that were changed together
    /// pass.
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

    /// Whether the request makes sense: no stream is read twice.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), Error> {
        let kept = self.must.as_ref().and_then(Must::path);
        let key = self.secret.as_ref().and_then(Secret::path);
        Ok(Outputs::default().reads_apart([&*self.file]).reads_apart(kept).reads_apart(key).check()?)
    }

    /// The same by a tree of two levels.
    fn judge_flat(&self, control: &Control<'_>) -> Result<Summary, Error> {
        keyless(self.secret.as_ref(), &self.tree)?;
        let must = Must::flat_root(self.must.as_ref(), &self.tree)?;
        let tree = outboard::load_flat(&self.tree)?;
        let state = pass(self.threads, control, |pass| outboard::check_flat(&self.file, &tree, pass))?;
        let found = state.root.clone();
        let expected = must.map(|root| ExpectedRoot { stated: RootSource::Root, root, found });
        let judged = TreeComparison::ByFlat(self.tree.clone(), Box::new(tree.clone()), state);
        Ok(Summary::flat(&self.file, &tree, TreeWork::Checked { judged, expected }))
    }

    fn judge(&self, kept: Option<&KeptCommitment>, pass: &mut Pass<'_>) -> Result<Summary, Failure> {
        if let Some(kept) = kept.filter(|_| !self.tree.exists()) {
            let now = outboard::build(&self.file, kept.commitment.parameters(), pass)?;
            let (root, found) = (kept.commitment.root().to_vec(), now.root().to_vec());
            let expected = ExpectedRoot { stated: RootSource::Kept, root, found };
            let done = TreeWork::Checked { judged: TreeComparison::Alone(now.leaf_count()), expected: Some(expected) };
            return Ok(Summary::new(&self.file, &now.header(), done));
        }
        let tree = outboard::load(&self.tree, pass.key)?;
        let verdict = outboard::check(&self.file, &tree, pass)?;
        let expected = match (&self.must, kept) {
            (Some(Must::Root(root)), _) => {
                Some(ExpectedRoot { stated: RootSource::Root, root: root.clone(), found: verdict.root.to_vec() })
            }
            (_, Some(kept)) => {
                let parameters = kept.commitment.parameters();
                // The same function over leaves of another length gives another root, BLAKE3
                // excepted.
                let found = if parameters == tree.parameters() {
                    verdict.root
                } else {
                    *outboard::build(&self.file, parameters, pass)?.root()
                };
                Some(ExpectedRoot {
                    stated: RootSource::Kept,
                    root: kept.commitment.root().to_vec(),
                    found: found.to_vec(),
                })
            }
            _ => None,
        };
        let done = TreeWork::Checked { judged: TreeComparison::ByTree(self.tree.clone(), verdict), expected };
        Ok(Summary::new(&self.file, &tree.header(), done))
    }
}

/// Hashes the file and compares it with its tree and with the stated root. Nothing is written.
///
/// # Errors
/// When the file, its tree or its commitment cannot be read; also when the control is cancelled or
/// the events are refused. A difference is in the summary.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = compared(request, control)?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn compared(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    if request.tree.exists() && outboard::flat_name(&request.tree)?.is_some() {
        return request.judge_flat(control);
    }
    let key = key(request.secret.as_ref());
    let kept = request.must.as_ref().map_or(Ok(None), |must| must.kept(&request.file, key))?;
    if let Some(Must::Root(root)) = &request.must {
        of_pairs(root.clone())?;
    }
    Ok(pass_under(key, None, request.threads, control, |pass| request.judge(kept.as_ref(), pass))?)
}

/// A root of a tree of pairs.
pub(super) fn of_pairs(root: Vec<u8>) -> Result<[u8; 32], Error> {
    Ok(root.try_into().map_err(|root: Vec<u8>| Problem::RootLength { stated: root.len(), length: 32 })?)
}

/// A root that a tree of two levels must have: as long as its algorithm's digest.
fn of_flat(root: Option<Vec<u8>>, tree: &Path) -> Result<Option<Vec<u8>>, Error> {
    let Some(root) = root else { return Ok(None) };
    let length = outboard::load_flat(tree)?.root().len();
    let wrong = Problem::RootLength { stated: root.len(), length }.into();
    if root.len() == length { Ok(Some(root)) } else { Err(wrong) }
}
