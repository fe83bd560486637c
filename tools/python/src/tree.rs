//! Hash trees beside files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::value::value;
use crate::{error, job, request};
use pfh::Secret;
use pfh::job::Error;
use pfh::tree::receive::{self, Delivery, Sender};
use pfh::tree::{self, Event, Summary, append, build, check, update};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The tree that is kept beside a file, as `FILE.pfhtree`.
#[pyclass(frozen, module = "pfh")]
pub struct HashTree {
    file: PathBuf,
    tree: PathBuf,
    secret: Option<Secret>,
}

/// The state of a file and its tree.
pub struct TreeState {
    /// The root in hexadecimal digits, as the tree has it.
    root: String,
    /// Bytes of the file, as the tree has them.
    length: u64,
    /// `blake3`, `sha256` or another function of the tree's.
    algorithm: String,
    /// Bytes of a leaf.
    leaf_length: u64,
    /// The ranges of the file (start, end) that differ from the tree; `None` if they were not
    /// compared.
    corrupt: Option<Vec<(u64, u64)>>,
}

impl From<Summary> for TreeState {
    fn from(summary: Summary) -> TreeState {
        let pair = |range: &Range<u64>| (range.start, range.end);
        TreeState {
            root: pfh::hex::encode(&summary.root),
            length: summary.length,
            algorithm: summary.algorithm.clone(),
            leaf_length: summary.leaf as u64,
            corrupt: summary.corrupt().map(|corrupt| corrupt.iter().map(pair).collect()),
        }
    }
}

value!(TreeState { root, length, algorithm, leaf_length, corrupt });

impl HashTree {
    /// The result of a verb.
    fn state(&self, py: Python<'_>, done: Result<Summary, Error>) -> PyResult<TreeState> {
        done.map(TreeState::from).map_err(|failed| error::of_job(py, &failed, Some(&self.file)))
    }
}

/// A part of a file on its way: (offset, sender) or (offset, sender, length).
fn delivery(part: &Bound<'_, PyTuple>) -> PyResult<Delivery> {
    let length = match part.len() {
        2 => None,
        3 => part.get_item(2)?.extract()?,
        _ => return Err(error::value("a part is (offset, sender) or (offset, sender, length)")),
    };
    Ok(Delivery::new(Sender::named(request::path(&part.get_item(1)?)?), part.get_item(0)?.extract()?, length))
}

#[pymethods]
impl HashTree {
    /// The tree of a file; it need not be there yet. `key_file` holds the key of a keyed one.
    #[new]
    #[pyo3(signature = (file, *, tree = None, key_file = None))]
    fn new(
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        tree: Option<&Bound<'_, PyAny>>,
        key_file: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<HashTree> {
        let file = request::path(file)?;
        let tree = tree.map(request::path).transpose()?.unwrap_or_else(|| tree::beside(&file));
        Ok(HashTree { file, tree, secret: request::secret(py, key_file)? })
    }

    /// The file.
    #[getter]
    fn file(&self) -> &Path {
        &self.file
    }

    /// The file of the tree.
    #[getter]
    fn tree(&self) -> &Path {
        &self.tree
    }

    /// Hashes the file and writes the tree: by `blake3` unless an algorithm of `pfh tree build -a`
    /// is named, over leaves of `leaf` bytes.
    #[pyo3(signature = (*, algorithm = "blake3", leaf = None, on_event = None, cancel = None))]
    fn build(
        &self,
        py: Python<'_>,
        algorithm: &str,
        leaf: Option<usize>,
        on_event: Option<Py<PyAny>>,
        cancel: Option<Py<Token>>,
    ) -> PyResult<TreeState> {
        let asked = build::Request::file(&self.file).algorithm(algorithm, leaf, self.secret.as_ref());
        let mut asked = asked.map_err(|failed| error::of_job(py, &failed, Some(&self.file)))?;
        asked.tree = Some(self.tree.clone());
        let (done, built) = job::run_with(py, &Hooks { job: "HashTree.build", on_event, cancel }, |control| {
            let mut built = None;
            let mut events = |event: Event<'_>| {
                if let Event::Done(summary) = event {
                    built = Some(summary.clone());
                }
                Ok(())
            };
            let done = build::run(&asked, &mut events, control);
            (done, built)
        })?;
        done.map_err(|failed| error::of_job(py, &failed, Some(&self.file)))?;
        built.map(TreeState::from).ok_or_else(|| error::aborted(py, "no tree was built", Some(&self.file)))
    }

    /// Hashes the changes again: `ranges` of (start, end) in bytes, or the differences from the
    /// copy `since`.
    #[pyo3(signature = (ranges = None, *, since = None, on_event = None, cancel = None))]
    fn update(
        &self,
        py: Python<'_>,
        ranges: Option<Vec<(u64, u64)>>,
        since: Option<&Bound<'_, PyAny>>,
        on_event: Option<Py<PyAny>>,
        cancel: Option<Py<Token>>,
    ) -> PyResult<TreeState> {
        let changed = match (ranges, since) {
            (Some(ranges), None) => {
                update::ChangedParts::Ranges(ranges.into_iter().map(|(start, end)| start..end).collect())
            }
            (None, Some(copy)) => update::ChangedParts::Since(request::path(copy)?),
            _ => return Err(error::value("give ranges or since")),
        };
        let mut asked = update::Request::new(&self.file, changed);
        (asked.tree, asked.secret) = (self.tree.clone(), self.secret.clone());
        let done = job::run_with(py, &Hooks { job: "HashTree.update", on_event, cancel }, |control| {
            update::run(&asked, &mut |_event| Ok(()), control)
        })?;
        self.state(py, done)
    }

    /// Takes in the bytes appended to the file.
    #[pyo3(signature = (*, on_event = None, cancel = None))]
    fn append(&self, py: Python<'_>, on_event: Option<Py<PyAny>>, cancel: Option<Py<Token>>) -> PyResult<TreeState> {
        let mut asked = append::Request::new(&self.file);
        (asked.tree, asked.secret) = (self.tree.clone(), self.secret.clone());
        let done = job::run_with(py, &Hooks { job: "HashTree.append", on_event, cancel }, |control| {
            append::run(&asked, &mut |_event| Ok(()), control)
        })?;
        self.state(py, done)
    }

    /// Receives the file from several senders at once, in `parts` of (offset, sender) or (offset,
    /// sender, length), and writes its tree: as `pfh tree receive`. After an interruption the same
    /// call goes on.
    #[pyo3(signature = (parts, *, length = None, algorithm = "blake3", leaf = None, memory = None, replace = false, on_event = None, cancel = None))]
    #[expect(clippy::too_many_arguments, reason = "Python's have names")]
    fn receive(
        &self,
        py: Python<'_>,
        parts: Vec<Bound<'_, PyTuple>>,
        length: Option<u64>,
        algorithm: &str,
        leaf: Option<usize>,
        memory: Option<usize>,
        replace: bool,
        on_event: Option<Py<PyAny>>,
        cancel: Option<Py<Token>>,
    ) -> PyResult<TreeState> {
        let parts = parts.iter().map(delivery).collect::<PyResult<Vec<Delivery>>>()?;
        let asked = receive::Request::new(&self.file, parts).algorithm(algorithm, leaf, self.secret.as_ref());
        let mut asked = asked.map_err(|failed| error::of_job(py, &failed, Some(&self.file)))?;
        (asked.tree, asked.length, asked.replace) = (self.tree.clone(), length, replace);
        asked.memory = memory.unwrap_or(asked.memory);
        let done = job::run_with(py, &Hooks { job: "HashTree.receive", on_event, cancel }, |control| {
            receive::run(&asked, &mut |_event| Ok(()), control)
        })?;
        self.state(py, done)
    }

    /// Hashes the file and compares it with its tree: `state.corrupt` has the differences. With
    /// `root` (hexadecimal digits) the file must also give that; if it does not,
    /// `pfh.DiffersError`.
    #[pyo3(signature = (*, root = None, on_event = None, cancel = None))]
    fn check(
        &self,
        py: Python<'_>,
        root: Option<&str>,
        on_event: Option<Py<PyAny>>,
        cancel: Option<Py<Token>>,
    ) -> PyResult<TreeState> {
        let mut asked = check::Request::new(&self.file);
        (asked.tree, asked.secret) = (self.tree.clone(), self.secret.clone());
        if let Some(root) = root {
            let bytes = pfh::hex::decode(root.as_bytes()).filter(|bytes| (1..=64).contains(&bytes.len()));
            asked.must =
                Some(check::Must::Root(bytes.ok_or_else(|| error::value("a root has 64 hexadecimal digits"))?));
        }
        let done = job::run_with(py, &Hooks { job: "HashTree.check", on_event, cancel }, |control| {
            check::run(&asked, &mut |_event| Ok(()), control)
        })?;
        if let Ok(summary) = &done
            && let Some(expected) = summary.expected().filter(|expected| expected.root != expected.found)
        {
            let found = pfh::hex::encode(&expected.found);
            return Err(error::differs(
                py,
                &format!("the file gives the root {found}, not the one stated"),
                &self.file,
            ));
        }
        self.state(py, done)
    }

    fn __repr__(&self) -> String {
        format!("<pfh.HashTree {}>", pfh::terminal::shown(&self.tree))
    }
}
