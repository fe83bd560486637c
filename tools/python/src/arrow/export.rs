//! A column, and the type of one, handed out in capsules.

use super::column::{Column, Kind, Shared};
use super::ffi::{Array, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// Digests as a column, in the order of the messages. `pyarrow.array`, `polars.Series` and
/// `pandas.Series.from_arrow` read it without a copy.
#[pyclass(frozen, name = "Column", module = "pfh")]
pub struct Values {
    column: Shared,
    kind: Kind,
}

impl Values {
    /// The column of these values, `None` for null.
    pub fn new<'a>(kind: Kind, values: impl IntoIterator<Item = Option<&'a [u8]>>) -> Values {
        let mut column = Column::new(kind);
        values.into_iter().for_each(|value| column.value(value));
        Values { column: column.shared(), kind }
    }
}

#[pymethods]
impl Values {
    fn __len__(&self) -> usize {
        self.column.rows
    }

    /// The column as an array of Arrow's C data interface, with its type.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        // A wish that may be left unheeded.
        drop(requested_schema);
        (self.__arrow_c_schema__(py)?, array(py, self.column.array())?).into_pyobject(py)
    }

    /// The type of the column.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema(py, self.kind.schema(""))
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Column of {} digests>", self.column.rows)
    }
}

/// A type in a capsule.
///
/// # Errors
/// When Python has no memory for it.
pub fn schema(py: Python<'_>, schema: Schema) -> PyResult<Bound<'_, PyCapsule>> {
    let pointer = NonNull::from(Box::leak(Box::new(schema))).cast();
    // SAFETY: the pointer is that of a schema in a box, which `drop_schema` takes back.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, SCHEMA, Some(drop_schema)) }
}

/// An array in a capsule.
fn array(py: Python<'_>, array: Array) -> PyResult<Bound<'_, PyCapsule>> {
    let pointer = NonNull::from(Box::leak(Box::new(array))).cast();
    // SAFETY: the pointer is that of an array in a box, which `drop_array` takes back.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, ARRAY, Some(drop_array)) }
}

/// Releases a schema that nobody moved out of its capsule.
unsafe extern "C" fn drop_schema(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule is one of `schema`'s, and its last reference goes.
    unsafe {
        let pointer: *mut c_void = pyo3::ffi::PyCapsule_GetPointer(capsule, SCHEMA.as_ptr());
        if !pointer.is_null() {
            let mut schema = Box::from_raw(pointer.cast::<Schema>());
            if let Some(release) = schema.release {
                release(&mut *schema);
            }
        }
    }
}

/// Releases an array that nobody moved out of its capsule.
unsafe extern "C" fn drop_array(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule is one of `array`'s, and its last reference goes.
    unsafe {
        let pointer: *mut c_void = pyo3::ffi::PyCapsule_GetPointer(capsule, ARRAY.as_ptr());
        if !pointer.is_null() {
            let mut array = Box::from_raw(pointer.cast::<Array>());
            if let Some(release) = array.release {
                release(&mut *array);
            }
        }
    }
}
