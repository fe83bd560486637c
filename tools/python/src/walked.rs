//! The entries of a file system that Python walks: `pfh/_filesystems.py` has the rows.

use crate::interpreter;
use crate::objects::{Named, Other, in_image, of_store, problem};
use pfh::{Cause, Entry, Item, Origin, Problem, Skip, Source, Stage};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// Takes the rows one by one, as they are read.
pub struct Walked {
    /// An iterator of rows, which also opens what they have.
    walk: Py<PyAny>,
    /// The cause that an exception without an errno is.
    other: Other,
    number: u64,
    ended: bool,
}

/// A row: the name, how the file is opened, the word of a skip, and the exception of a look.
type Row<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>, Option<String>, Option<Bound<'py, PyAny>>);

impl Walked {
    /// The rows of a walk.
    ///
    /// # Errors
    /// Python's own.
    pub fn new(walk: &Bound<'_, PyAny>) -> PyResult<Walked> {
        let other: Other = if walk.getattr("in_image")?.is_truthy()? { in_image } else { of_store };
        Ok(Walked { walk: walk.clone().unbind(), other, number: 0, ended: false })
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Item>> {
        let walk = self.walk.bind(py);
        let Some(row) = walk.try_iter()?.next() else { return Ok(None) };
        let (name, opens, skipped, raised): Row<'_> = row?.extract()?;
        let (name, number) = (name.as_bytes().to_vec(), self.number);
        self.number += 1;
        Ok(Some(match (opens, skipped, raised) {
            (Some(opens), ..) => {
                let object =
                    Arc::new(Named { filesystem: self.walk.clone_ref(py), name: opens.unbind(), other: self.other });
                Item::Entry(Entry { number, origin: Origin::Object { name: name.into(), object }, stat: None })
            }
            (None, Some(word), _) => match skip(&word) {
                Ok(skip) => Item::Skipped { number, name, skip },
                Err(cause) => Item::Problem { number, name, problem: Problem::new(Stage::Walk, cause) },
            },
            (None, None, raised) => {
                let raised = raised.map(PyErr::from_value).unwrap_or_else(|| PyErr::fetch(py));
                Item::Problem { number, name, problem: problem(py, Stage::Walk, self.other, &raised) }
            }
        }))
    }
}

/// The skip, or the problem, that a word of the walk stands for.
fn skip(word: &str) -> Result<Skip, Cause> {
    Ok(match word {
        "symbolic link" => Skip::Symlink,
        "FIFO" => Skip::Fifo,
        "socket" => Skip::Socket,
        "character device" => Skip::CharacterDevice,
        "block device" => Skip::BlockDevice,
        "directory" => return Err(Cause::IsDirectory),
        "loop" => return Err(Cause::Loop),
        _ => Skip::Inside("not a file"),
    })
}

impl Source for Walked {
    fn pull(&mut self) -> Option<Item> {
        if self.ended {
            return None;
        }
        let next = interpreter::call(|py| {
            // A walk that raises ends here: nobody knows how many entries are left.
            self.next(py).map_err(|raised| problem(py, Stage::Walk, self.other, &raised))
        });
        match next {
            Some(Ok(Some(item))) => Some(item),
            Some(Ok(None)) | None => None,
            Some(Err(problem)) => {
                self.ended = true;
                Some(Item::Problem { number: self.number, name: b"the paths that were given".to_vec(), problem })
            }
        }
    }
}
