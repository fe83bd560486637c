//! Many messages at once, in SIMD lanes.

use crate::arrow::{Kind, Messages, Values, is_arrow};
use crate::buffer::{Bytes, LONG};
use crate::feeding::LARGE;
use crate::hashing::under;
use crate::request::Threads;
use crate::{error, job};
use pfh::{Algorithm, Digest};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// The digests of many messages, in their order: `hash_many([b"a", b"b"], "sha256")`.
///
/// `buffers` is an iterable of objects that export buffers, or a column of binary values or text
/// that hands out Arrow's C data interface (pyarrow, polars, pandas); a null has the digest `None`.
/// Nothing is copied, other Python threads run meanwhile, and algorithms with SIMD kernels hash one
/// message in each lane. `threads` hash, one for each megabyte and at most one per processor unless
/// that is said. `key` is that of `hmac-sha256` and its like, and stays in memory until the process
/// ends.
///
/// With `into="arrow"` they are a `Column` in place of a list, for pyarrow, polars and pandas:
/// binary, text of similarity digests.
#[pyfunction]
#[pyo3(signature = (buffers, name, *, key = None, threads = None, into = None))]
pub fn hash_many<'py>(
    py: Python<'py>,
    buffers: &Bound<'py, PyAny>,
    name: &str,
    key: Option<&Bound<'py, PyAny>>,
    threads: Option<Threads>,
    into: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let threads = threads.map_or_else(pfh::process::processors, Threads::number);
    let algorithm = under(name, key)?;
    if into.is_some_and(|into| into != "arrow") {
        return Err(error::value("into is \"arrow\", or is not given"));
    }
    let digests: Vec<Option<Digest>> = if is_arrow(buffers)? {
        let column = Messages::get(buffers)?;
        let values = column.values()?;
        let there: Vec<&[u8]> = values.iter().flatten().copied().collect();
        let mut digests = digests(py, algorithm, &there, threads)?.into_iter();
        values.iter().map(|value| value.and_then(|_| digests.next())).collect()
    } else {
        let mut got: Vec<Bytes> = Vec::new();
        for buffer in buffers.try_iter()? {
            got.push(Bytes::get(&buffer?)?);
            look(py, got.len())?;
        }
        let messages: Vec<&[u8]> = got.iter().map(Bytes::as_slice).collect();
        digests(py, algorithm, &messages, threads)?.into_iter().map(Some).collect()
    };
    if into.is_some() {
        let kind = if algorithm.length() == 0 { Kind::Text } else { Kind::Bytes };
        let values = digests.iter().map(|digest| digest.as_ref().map(Digest::bytes));
        return Ok(Bound::new(py, Values::new(kind, values))?.into_any());
    }
    let list = PyList::empty(py);
    for digest in &digests {
        list.append(digest.as_ref().map(|digest| PyBytes::new(py, digest.bytes())))?;
        look(py, list.len())?;
    }
    Ok(list.into_any())
}

/// Looks for signals, once for many objects: a list runs no code of Python's that would.
///
/// # Errors
/// The exception of a signal's handler.
pub fn look(py: Python<'_>, objects: usize) -> PyResult<()> {
    if objects.is_multiple_of(1 << 12) { py.check_signals() } else { Ok(()) }
}

fn digests(py: Python<'_>, algorithm: Algorithm, messages: &[&[u8]], threads: usize) -> PyResult<Vec<Digest>> {
    match messages.iter().map(|message| message.len()).sum() {
        0..LONG => Ok(pfh::hash_many(algorithm.into(), messages)),
        LONG..LARGE => Ok(py.detach(|| pfh::hash_many_on(algorithm.into(), messages, threads))),
        // A signal that was heard is the error; `None` is never returned.
        _ => job::run(py, |control| {
            pfh::hash_many_until(algorithm.into(), messages, threads, control.cancel()).unwrap_or_default()
        }),
    }
}
