//! Files that Python opens: those of a file system of fsspec, or one that is open already.

use crate::interpreter;
use pfh::{Cause, Entry, Item, Object, Origin, Problem, Source, Stage};
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
        let object = Arc::new(Named { filesystem: filesystem.clone().unbind(), name });
        Ok(Item::Entry(Entry { number: number as u64, origin: Origin::Object { name: shown, object }, stat: None }))
    };
    let items: Vec<Item> = names.into_iter().enumerate().map(item).collect::<PyResult<_>>()?;
    Ok(Box::new(items.into_iter()))
}

struct Named {
    filesystem: Py<PyAny>,
    name: String,
}

impl Object for Named {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        attached(Stage::Open, |py| {
            let file = self.filesystem.call_method1(py, "open", (&self.name, "rb"))?;
            let bound = file.bind(py);
            let number = |value: Bound<'_, PyAny>| value.extract::<u64>().ok();
            let size = bound.getattr_opt("size")?.and_then(number);
            // The rest of it, if a part was read.
            let at = match size {
                Some(_) => bound.call_method0("tell").ok().and_then(number).unwrap_or(0),
                None => 0,
            };
            Ok(Box::new(File { file, stated: size.map(|size| size.saturating_sub(at)), read: 0 }) as Box<_>)
        })
    }
}

/// A file of Python's.
struct File {
    file: Py<PyAny>,
    /// Bytes that it says are left, if it knows.
    stated: Option<u64>,
    read: u64,
}

impl Read for File {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = attached(Stage::Read, |py| {
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
fn attached<T>(stage: Stage, call: impl FnOnce(Python<'_>) -> PyResult<T>) -> Result<T, Problem> {
    let called = interpreter::call(|py| {
        call(py).map_err(|raised| {
            let errno = raised.value(py).getattr("errno").ok().and_then(|errno| errno.extract::<i32>().ok());
            let cause = match errno {
                Some(errno) => Cause::Os(errno),
                // Raised without a number, as stores do.
                None if raised.is_instance_of::<PyFileNotFoundError>(py) => Cause::Os(ENOENT),
                None if raised.is_instance_of::<PyPermissionError>(py) => Cause::Os(EACCES),
                None => Cause::Store { answer: pfh::StoreAnswer::Other, what: raised.to_string().into() },
            };
            Problem::new(stage, cause)
        })
    });
    let ends =
        || Err(Problem::new(stage, Cause::Store { answer: pfh::StoreAnswer::Other, what: "Python ends".into() }));
    called.unwrap_or_else(ends)
}

const ENOENT: i32 = 2;
const EACCES: i32 = 13;
