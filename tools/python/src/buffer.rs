//! The bytes of a Python object, where they lie.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyErr, ffi};

/// From here on hashing lets other Python threads run: the bound of hashlib (HASHLIB_GIL_MINSIZE).
pub const LONG: usize = 2048;

/// The bytes that an object exports by the buffer protocol, in one piece and in its own order. The
/// object keeps them in place until this is dropped.
pub struct Bytes {
    /// In a box: an exporter may keep the address.
    view: Box<ffi::Py_buffer>,
}

// SAFETY: the view is read, and released by a thread that is attached to the interpreter.
unsafe impl Send for Bytes {}
// SAFETY: as above; nothing changes through a shared reference.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// Those of `bytes`, `bytearray`, `memoryview`, `array`, `mmap`, NumPy arrays and all others
    /// that lie in one piece.
    ///
    /// # Errors
    /// `TypeError` for text and for an object that exports no buffer, `BufferError` for one in
    /// pieces.
    pub fn get(object: &Bound<'_, PyAny>) -> PyResult<Bytes> {
        if object.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("Strings must be encoded before hashing"));
        }
        let mut view = Box::new(ffi::Py_buffer::new());
        // SAFETY: the object is alive and this thread attached; the view is there to be filled.
        let status = unsafe { ffi::PyObject_GetBuffer(object.as_ptr(), &mut *view, ffi::PyBUF_SIMPLE) };
        if status == 0 {
            return Ok(Bytes { view });
        }
        let error = PyErr::fetch(object.py());
        if error.is_instance_of::<PyTypeError>(object.py()) {
            return Err(PyTypeError::new_err("object supporting the buffer API required"));
        }
        Err(error)
    }

    /// The bytes. Writing to them meanwhile gives a digest of any mixture, as with hashlib.
    pub fn as_slice(&self) -> &[u8] {
        let Ok(length) = usize::try_from(self.view.len) else { return &[] };
        if length == 0 || self.view.buf.is_null() {
            return &[];
        }
        // SAFETY: PyBUF_SIMPLE promises `len` bytes in one piece at `buf` until the release.
        unsafe { std::slice::from_raw_parts(self.view.buf.cast(), length) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: the view was filled by PyObject_GetBuffer and is released once, attached.
        Python::attach(|_| unsafe { ffi::PyBuffer_Release(&mut *self.view) });
    }
}
