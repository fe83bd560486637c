//! Files that Python opens: those of a file system of fsspec, or one that is open already.

use crate::interpreter;
use pfh::{Cause, Entry, FindingId, Item, Object, Origin, Problem, Source, Stage};
use pyo3::exceptions::{PyFileNotFoundError, PyPermissionError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, Read};
use std::sync::Arc;

/// The files of these names as `filesystem.open(name, "rb")` gives them, in their order.
///
/// # Errors
/// Python's own.
pub fn source(filesystem: &Bound<'_, PyAny>, names: Vec<String>) -> PyResult<Box<dyn Source>> {
    let py = filesystem.py();
    // With its protocol: `s3://bucket/key`.
    let full = filesystem.getattr_opt("unstrip_protocol")?;
    let item = |(number, name): (usize, String)| -> PyResult<Item> {
        let shown = match &full {
            Some(full) => full.call1((&name,))?,
            None => name.as_str().into_pyobject(py)?.into_any(),
        };
        let shown = crate::request::name(&shown)?.into_encoded_bytes().into();
        let name = name.into_pyobject(py)?.into_any().unbind();
        let object = Arc::new(Named { filesystem: filesystem.clone().unbind(), name, other: of_store });
        Ok(Item::Entry(Entry { number: number as u64, origin: Origin::Object { name: shown, object }, stat: None }))
    };
    let items: Vec<Item> = names.into_iter().enumerate().map(item).collect::<PyResult<_>>()?;
    Ok(Box::new(items.into_iter()))
}

/// A file that Python opens: `filesystem.open(name, "rb")`.
pub struct Named {
    /// A file system of fsspec, or a walk.
    pub filesystem: Py<PyAny>,
    /// The name, or what stands for it in a walk.
    pub name: Py<PyAny>,
    /// The cause that an exception without an errno is.
    pub other: Other,
}

/// The cause that an exception without an errno is, by its words.
pub type Other = fn(Box<str>) -> Cause;

/// An error of an image's reader that has no errno.
pub fn in_image(what: Box<str>) -> Cause {
    Cause::Inside(FindingId::InsideUnread, what)
}

/// That of a store.
pub fn of_store(what: Box<str>) -> Cause {
    Cause::Store { answer: pfh::StoreAnswer::Other, what }
}

impl Object for Named {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        attached(Stage::Open, self.other, |py| {
            let file = self.filesystem.call_method1(py, "open", (&self.name, "rb"))?;
            let bound = file.bind(py);
            let number = |value: Bound<'_, PyAny>| value.extract::<u64>().ok();
            let size = bound.getattr_opt("size")?.and_then(number);
            // The rest of it, if a part was read.
            let at = match size {
                Some(_) => bound.call_method0("tell").ok().and_then(number).unwrap_or(0),
                None => 0,
            };
            let stated = size.map(|size| size.saturating_sub(at));
            Ok(Box::new(File { file, stated, read: 0, other: self.other }) as Box<_>)
        })
    }
}

/// A file of Python's.
struct File {
    file: Py<PyAny>,
    /// Bytes that it says are left, if it knows.
    stated: Option<u64>,
    read: u64,
    other: Other,
}

impl Read for File {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = attached(Stage::Read, self.other, |py| {
            let bytes = self.file.call_method1(py, "read", (room.len(),))?;
            let bytes = bytes.bind(py).cast::<PyBytes>().map_err(|_| {
                pyo3::exceptions::PyTypeError::new_err("the file gives no bytes: open it in binary, blocking mode")
            })?;
            let bytes = bytes.as_bytes();
            let Some(room) = room.get_mut(..bytes.len()) else {
                return Err(pyo3::exceptions::PyValueError::new_err("the file gives more than it was asked for"));
            };
            room.copy_from_slice(bytes);
            Ok(bytes.len())
        });
        let read = read.map_err(io::Error::other)?;
        self.read += read as u64;
        // A connection that was cut may look like the end of the file.
        match self.stated {
            Some(stated) if read == 0 && !room.is_empty() && stated != self.read => {
                Err(io::Error::other(Problem::new(Stage::Check, Cause::Size { stated, read: self.read })))
            }
            _ => Ok(read),
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = interpreter::call(|py| self.file.call_method0(py, "close").map(drop));
    }
}

/// Calls Python. An exception is the problem of the file.
fn attached<T>(stage: Stage, other: Other, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Problem> {
    let called = interpreter::call(|py| call(py).map_err(|raised| problem(py, stage, other, &raised)));
    called.unwrap_or_else(|| Err(Problem::new(stage, other("Python ends".into()))))
}

/// The problem that an exception is.
pub fn problem(py: Python<'_>, stage: Stage, other: Other, raised: &PyErr) -> Problem {
    let errno = raised.value(py).getattr("errno").ok().and_then(|errno| errno.extract::<i32>().ok());
    let cause = match errno {
        Some(errno) => Cause::Os(errno),
        // Raised without a number, as stores do.
        None if raised.is_instance_of::<PyFileNotFoundError>(py) => Cause::Os(ENOENT),
        None if raised.is_instance_of::<PyPermissionError>(py) => Cause::Os(EACCES),
        None => other(raised.to_string().into()),
    };
    Problem::new(stage, cause)
}

const ENOENT: i32 = 2;
const EACCES: i32 = 13;
