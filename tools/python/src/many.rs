//! Many messages at once, in SIMD lanes.

use crate::arrow::{Messages, is_arrow};
use crate::buffer::{Bytes, LONG};
use crate::hashing::named;
use crate::request::Threads;
use pfh::{Algorithm, Digest};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// The digests of many messages, in their order: `hash_many([b"a", b"b"], "sha256")`.
///
/// `buffers` is an iterable of objects that export buffers, or a column of binary values or text
/// that hands out Arrow's C data interface (pyarrow, polars, pandas); a null has the digest `None`.
/// Nothing is copied, other Python threads run meanwhile, and algorithms with SIMD kernels hash one
/// message in each lane. `threads` hash, one for each megabyte and at most one per processor unless
/// that is said.
#[pyfunction]
#[pyo3(signature = (buffers, name, *, threads = None))]
pub fn hash_many<'py>(
    py: Python<'py>,
    buffers: &Bound<'py, PyAny>,
    name: &str,
    threads: Option<Threads>,
) -> PyResult<Bound<'py, PyList>> {
    let threads = threads.map_or_else(pfh::process::processors, Threads::number);
    let algorithm = named(name)?;
    if is_arrow(buffers)? {
        let column = Messages::get(buffers)?;
        let values = column.values()?;
        let there: Vec<&[u8]> = values.iter().flatten().copied().collect();
        let mut digests = digests(py, algorithm, &there, threads).into_iter();
        let list = PyList::empty(py);
        for value in &values {
            match value.and_then(|_| digests.next()) {
                Some(digest) => list.append(PyBytes::new(py, digest.bytes()))?,
                None => list.append(py.None())?,
            }
        }
        return Ok(list);
    }
    let buffers: Vec<Bytes> = buffers.try_iter()?.map(|buffer| Bytes::get(&buffer?)).collect::<PyResult<_>>()?;
    let messages: Vec<&[u8]> = buffers.iter().map(Bytes::as_slice).collect();
    let digests = digests(py, algorithm, &messages, threads);
    PyList::new(py, digests.iter().map(|digest| PyBytes::new(py, digest.bytes())))
}

fn digests(py: Python<'_>, algorithm: Algorithm, messages: &[&[u8]], threads: usize) -> Vec<Digest> {
    if messages.iter().map(|message| message.len()).sum::<usize>() < LONG {
        return pfh::hash_many(algorithm.into(), messages);
    }
    py.detach(|| pfh::hash_many_on(algorithm.into(), messages, threads))
}
