//! Hash objects in the shape of hashlib's.

use crate::buffer::Bytes;
use crate::error;
use crate::feeding::feed;
use pfh::{Algorithm, Hasher, Secret};
use pyo3::exceptions::{PyBlockingIOError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Bytes of the longest output, hashlib's bound.
const LONGEST: usize = (1 << 29) - 1;

/// The algorithm of a name, in any spelling that pfh and hashlib know.
///
/// # Errors
/// `RequestError` for an unknown name.
pub fn named(name: &str) -> PyResult<Algorithm> {
    name.parse().map_err(|_| error::value(format!("unsupported hash type {name}")))
}

/// The algorithm of a name under a key, if there is one.
///
/// # Errors
/// `RequestError` for an unknown name, a key that the algorithm does not take, and one that it
/// lacks; `TypeError` and `BufferError` as [`Bytes::get`].
pub fn under(name: &str, key: Option<&Bound<'_, PyAny>>) -> PyResult<Algorithm> {
    let Some(key) = key else { return named(name) };
    let algorithm = Secret::new(Bytes::get(key)?.as_slice()).algorithm(name).map_err(error::value)?;
    if algorithm.is_keyed() { Ok(algorithm) } else { Err(error::value(format!("{name} takes no key"))) }
}

/// Those of several names.
///
/// # Errors
/// `RequestError` for an unknown name, and where there is none.
pub fn all_named(names: &Bound<'_, PyAny>) -> PyResult<Vec<Algorithm>> {
    all(names)?.iter().map(|name| named(name)).collect()
}

/// Several names, or one text of them with commas between.
///
/// # Errors
/// `RequestError` where there is none.
pub fn all(names: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let names = match names.extract::<String>() {
        Ok(list) => Algorithm::names(&list).into_iter().map(str::to_owned).collect(),
        Err(_) => names.extract::<Vec<String>>()?,
    };
    if names.is_empty() { Err(error::value("no algorithm was named")) } else { Ok(names) }
}

/// The labels of columns, or one text of them with commas between.
///
/// # Errors
/// `RequestError` where there is none.
pub fn labels(labels: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let labels = match labels.extract::<String>() {
        Ok(list) => list.split(',').map(str::to_owned).collect(),
        Err(_) => labels.extract::<Vec<String>>()?,
    };
    if labels.is_empty() { Err(error::value("columns has no label")) } else { Ok(labels) }
}

/// An argument that may be left out, but not be `None`: a value that is missing has no digest.
pub enum Data<'py> {
    /// It was left out.
    Left,
    /// The argument.
    Given(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Data<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Data::Given(object.to_owned()))
    }
}

impl<'py> Data<'py> {
    /// The argument, if there is one.
    pub fn given(&self) -> Option<&Bound<'py, PyAny>> {
        match self {
            Data::Left => None,
            Data::Given(object) => Some(object),
        }
    }
}

/// A message on its way to a digest, in the shape of hashlib's objects.
///
/// Made by `pfh.new(name)` or by the function of an algorithm's name, as `pfh.sha256()`. Updates
/// longer than 2047 bytes let other Python threads run. Any thread may use it.
#[pyclass(frozen, module = "pfh")]
pub struct Hash {
    algorithm: Algorithm,
    hasher: Mutex<Hasher>,
}

impl Hash {
    /// A hash of the bytes seen so far.
    pub fn start(py: Python<'_>, algorithm: Algorithm, data: Option<&Bound<'_, PyAny>>) -> PyResult<Hash> {
        Hash::seeing(py, algorithm.hasher(), data)
    }

    /// A hash that goes on from a hasher.
    fn seeing(py: Python<'_>, hasher: Hasher, data: Option<&Bound<'_, PyAny>>) -> PyResult<Hash> {
        let hash = Hash { algorithm: hasher.algorithm().into(), hasher: Mutex::new(hasher) };
        if let Some(data) = data {
            hash.update(py, data)?;
        }
        Ok(hash)
    }

    /// The state, waited for without the interpreter's lock if another thread has it.
    fn locked<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, Hasher> {
        loop {
            match self.hasher.try_lock() {
                Ok(hasher) => return hasher,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| drop(self.hasher.lock())),
            }
        }
    }

    /// A hasher that has seen the same.
    pub fn hasher_so_far(&self, py: Python<'_>) -> Hasher {
        self.locked(py).clone()
    }

    /// The digest so far.
    fn digest_so_far(&self, py: Python<'_>) -> pfh::Digest {
        self.locked(py).clone().finalize()
    }

    /// The output so far with a stated number of bytes.
    fn output(&self, py: Python<'_>, length: i64) -> PyResult<Vec<u8>> {
        let hasher = self.locked(py).clone();
        let bytes = usize::try_from(length).ok().filter(|bytes| *bytes <= LONGEST);
        let output = bytes.and_then(|bytes| {
            py.detach(|| match hasher.clone().output(bytes) {
                Some(output) => Some(output.bytes().to_vec()),
                None => hasher.finalize_to(bytes).map(|digest| digest.bytes().to_vec()),
            })
        });
        output.ok_or_else(|| error::value(format!("{} does not give {length} bytes", self.algorithm.name())))
    }
}

#[pymethods]
impl Hash {
    /// Takes in the next bytes of the message: any object that exports a buffer in one piece. An
    /// update that Ctrl-C ends has taken in all of them, or none.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        feed(py, &self.hasher, Bytes::get(data)?.as_slice(), 1, Hasher::update)
    }

    /// The digest of the bytes so far; of similarity digests the bytes of their text. `length` is
    /// for algorithms that give any number of bytes, up to 2**29 - 1: SHAKE, BLAKE3,
    /// KangarooTwelve.
    #[pyo3(signature = (length = None))]
    fn digest<'py>(&self, py: Python<'py>, length: Option<i64>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(match length {
            None => PyBytes::new(py, self.digest_so_far(py).bytes()),
            Some(length) => PyBytes::new(py, &self.output(py, length)?),
        })
    }

    /// The digest in hexadecimal digits, or the text of a similarity digest.
    #[pyo3(signature = (length = None))]
    pub fn hexdigest(&self, py: Python<'_>, length: Option<i64>) -> PyResult<String> {
        Ok(match length {
            None => self.digest_so_far(py).to_string(),
            Some(length) => pfh::hex::encode(&self.output(py, length)?),
        })
    }

    /// Another object that has seen the same.
    fn copy(&self, py: Python<'_>) -> Hash {
        Hash { algorithm: self.algorithm, hasher: Mutex::new(self.locked(py).clone()) }
    }

    fn __copy__(&self, py: Python<'_>) -> Hash {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Hash {
        self.copy(py)
    }

    /// The name of the algorithm, which `pfh.new` takes.
    #[getter]
    fn name(&self) -> String {
        self.algorithm.to_string()
    }

    /// Bytes of the digest; 0 for similarity digests, whose length depends on the message.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.length()
    }

    /// Bytes that the compression function takes at a time; 1 for checksums.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_length()
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Hash {}>", self.algorithm)
    }
}

/// A hash object of the algorithm of that name: `new("sha256", b"abc")`. A name may state a length:
/// `shake128:64`. `key` is that of `hmac-sha256` and its like.
#[pyfunction]
#[pyo3(signature = (name, data = Data::Left, *, key = None, usedforsecurity = true), text_signature = "(name, data=b'', *, key=None, usedforsecurity=True)")]
pub fn new(
    py: Python<'_>,
    name: &str,
    data: Data<'_>,
    key: Option<&Bound<'_, PyAny>>,
    usedforsecurity: bool,
) -> PyResult<Hash> {
    // A remark for policies, which pfh has none of.
    let _ = usedforsecurity;
    let Some(key) = key else { return Hash::start(py, named(name)?, data.given()) };
    let hasher = Secret::hasher(name, Bytes::get(key)?.as_slice()).map_err(error::value)?;
    Hash::seeing(py, hasher, data.given())
}

/// The algorithms by name, with bytes of a digest, standing and other names.
#[pyfunction]
#[pyo3(name = "_algorithms")]
pub fn algorithms() -> Vec<(&'static str, usize, &'static str, &'static [&'static str])> {
    let row = |a: Algorithm| (a.name(), a.length(), a.standing().name(), a.aliases());
    Algorithm::all().map(row).collect()
}

/// Bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// A hash object that has seen the rest of an open file: `file_digest(open(path, "rb"), "sha256")`.
/// The file stands at its end then, an `io.BytesIO` as well. `digest` is a name, or a function that
/// makes hash objects.
#[pyfunction]
#[pyo3(signature = (fileobj, digest, /))]
pub fn file_digest<'py>(
    py: Python<'py>,
    fileobj: &Bound<'py, PyAny>,
    digest: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let hash = match digest.extract::<String>() {
        Ok(name) => Bound::new(py, Hash::start(py, named(&name)?, None)?)?.into_any(),
        Err(_) => digest.call0()?,
    };
    let readable = fileobj.hasattr("readinto")? && fileobj.hasattr("readable")?;
    if !readable && fileobj.hasattr("getbuffer")? {
        hash.call_method1("update", (fileobj.call_method0("getbuffer")?,))?;
        return Ok(hash);
    }
    if !readable || !fileobj.call_method0("readable")?.is_truthy()? {
        let what = fileobj.repr()?;
        return Err(PyValueError::new_err(format!("'{what}' is not a file-like object in binary reading mode.")));
    }
    let room = PyByteArray::new(py, &[]);
    room.resize(PIECE)?;
    let view = py.import("builtins")?.getattr("memoryview")?.call1((&room,))?;
    loop {
        py.check_signals()?;
        let read = fileobj.call_method1("readinto", (&room,))?;
        let Ok(read) = read.extract::<usize>() else {
            return Err(PyBlockingIOError::new_err("the file would block: give one in blocking mode"));
        };
        if read == 0 {
            return Ok(hash);
        }
        let piece = view.get_item(pyo3::types::PySlice::new(py, 0, read as isize, 1))?;
        hash.call_method1("update", (piece,))?;
    }
}
