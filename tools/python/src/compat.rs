//! The functions that `pfh.compat` needs beside hash objects: BLAKE3 and BLAKE2 with all their
//! parameters, the distance of TLSH digests without their lengths.

use crate::buffer::Bytes;
use crate::error;
use crate::feeding::feed;
use pfh::digest::State;
use pfh::digest::blake2::{Blake2, Node, Parameters, Variant};
use pfh::digest::blake3::{self, Key};
use pfh::similarity::tlsh;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// BLAKE3 in any of its modes.
#[pyclass(frozen, name = "_Blake3", module = "pfh._pfh")]
pub struct Blake3 {
    key: Key,
    state: Mutex<blake3::Blake3>,
    threads: usize,
}

impl Blake3 {
    fn locked(&self) -> MutexGuard<'_, blake3::Blake3> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Blake3 {
    #[new]
    fn new(key: Option<Bytes>, context: Option<&str>, threads: usize) -> PyResult<Blake3> {
        let key = match (key, context) {
            (None, None) => Key::Plain,
            (None, Some(context)) => blake3::context(context),
            (Some(key), None) => {
                let key = key.as_slice();
                let wrong = || error::value(format!("expected a 32-byte key, found {}", key.len()));
                Key::Given(key.try_into().map_err(|_| wrong())?)
            }
            (Some(_), Some(_)) => return Err(error::value("cannot use key and derive_key_context at the same time")),
        };
        Ok(Blake3 { key, state: Mutex::new(blake3::Blake3::new(key)), threads })
    }

    fn update(&self, py: Python<'_>, data: Bytes) -> PyResult<()> {
        feed(py, &self.state, data.as_slice(), self.threads, |state, bytes| {
            // Pieces of a tree are worth a thread from a megabyte on.
            match self.threads.min(bytes.len() >> 20) {
                0 | 1 => state.update(bytes),
                threads => state.update_on(&[bytes], &pfh::executor(threads)),
            }
        })
    }

    fn digest<'py>(&self, py: Python<'py>, length: usize, seek: u64) -> PyResult<Bound<'py, PyBytes>> {
        if seek.checked_add(length as u64).is_none() {
            return Err(PyOverflowError::new_err("seek and length are more than 2**64 together"));
        }
        let state = py.detach(|| self.locked().clone());
        PyBytes::new_with(py, length, |output| {
            state.output(seek, output);
            Ok(())
        })
    }

    fn copy(&self, py: Python<'_>) -> Blake3 {
        let state = py.detach(|| self.locked().clone());
        Blake3 { key: self.key, state: Mutex::new(state), threads: self.threads }
    }

    fn reset(&self, py: Python<'_>) {
        py.detach(|| *self.locked() = blake3::Blake3::new(self.key));
    }
}

/// BLAKE2b or BLAKE2s with any parameter block.
#[pyclass(frozen, name = "_Blake2", module = "pfh._pfh")]
pub struct Blake2s(Mutex<Blake2>);

impl Blake2s {
    fn locked(&self) -> MutexGuard<'_, Blake2> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Blake2s {
    /// The arguments are within their bounds: `pfh/compat/hashlib.py` says which is not. `node` has
    /// fanout, depth, leaf_size, node_offset, node_depth, inner_size, last_node.
    #[new]
    fn new(
        is_b: bool,
        length: usize,
        key: Bytes,
        salt: Bytes,
        person: Bytes,
        node: (u8, u8, u32, u64, u8, u8, bool),
    ) -> PyResult<Blake2s> {
        let variant = if is_b { Variant::B } else { Variant::S };
        let (fanout, depth, leaf, offset, level, inner, last) = node;
        let parameters = Parameters {
            length,
            key: key.as_slice(),
            salt: salt.as_slice(),
            person: person.as_slice(),
            node: Some(Node { fanout, depth, leaf, offset, level, inner, last }),
        };
        let state = Blake2::new(variant, &parameters);
        Ok(Blake2s(Mutex::new(state.ok_or_else(|| error::value("a parameter is out of its bounds"))?)))
    }

    fn update(&self, py: Python<'_>, data: Bytes) -> PyResult<()> {
        feed(py, &self.0, data.as_slice(), 1, Blake2::update)
    }

    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, py.detach(|| self.locked().clone()).value().bytes())
    }

    fn copy(&self, py: Python<'_>) -> Blake2s {
        Blake2s(Mutex::new(py.detach(|| self.locked().clone())))
    }
}

impl FromPyObject<'_, '_> for Bytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Bytes> {
        Bytes::get(&object.to_owned())
    }
}

/// The distance of two TLSH digests, with or without the term for their lengths.
#[pyfunction]
#[pyo3(name = "_tlsh_distance")]
pub fn tlsh_distance(a: &str, b: &str, lengths: bool) -> PyResult<u32> {
    let parse = |text: &str| text.parse::<tlsh::Digest>().map_err(|_| PyTypeError::new_err("not a TLSH digest"));
    let (a, b) = (parse(a)?, parse(b)?);
    Ok(if lengths { a.distance(&b) } else { a.distance_without_length(&b) })
}
