//! Columns of binary values or text, read where they lie.

use super::ffi::{Array, Schema, Stream};
use super::values::{Format, Indices, referred_values_of, values_of};
use crate::error;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::ffi::CStr;

/// Whether an object hands out an Arrow array or a stream of them.
///
/// # Errors
/// When it cannot be asked.
pub fn is_arrow(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("__arrow_c_array__")? || object.hasattr("__arrow_c_stream__")?)
}

/// The type of a column.
#[derive(Clone, Copy)]
struct Type {
    values: Format,
    /// The rows refer to the values of a dictionary, as pandas' categories and polars' do.
    indices: Option<Indices>,
}

/// The values of a column, in place.
pub struct Messages {
    format: Type,
    /// Those of a stream, ours to release.
    streamed: Vec<Array>,
    /// The array of a capsule.
    lent: Option<*const Array>,
    /// The objects that keep it in place.
    _capsules: Vec<Py<PyAny>>,
}

// SAFETY: arrays are read only, and by the interface may be released on any thread.
unsafe impl Send for Messages {}
// SAFETY: as above; nothing changes through a shared reference.
unsafe impl Sync for Messages {}

impl Messages {
    /// The column of an object.
    ///
    /// # Errors
    /// `TypeError` for columns of another type.
    pub fn get(object: &Bound<'_, PyAny>) -> PyResult<Messages> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let (schema, array) = (capsule(&pair.get_item(0)?)?, capsule(&pair.get_item(1)?)?);
            let place = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<Schema>();
            // SAFETY: by the interface a capsule of this name holds a schema while it lives.
            let format = unsafe { format_of(place.as_ref()) }?;
            let lent = array.pointer_checked(Some(c"arrow_array"))?.cast::<Array>().as_ptr().cast_const();
            return Ok(Messages {
                format,
                streamed: Vec::new(),
                lent: Some(lent),
                _capsules: vec![array.into_any().unbind()],
            });
        }
        let stream = capsule(&object.call_method0("__arrow_c_stream__")?)?;
        let place = stream.pointer_checked(Some(c"arrow_array_stream"))?.cast::<Stream>().as_ptr();
        // SAFETY: by the interface a capsule of this name holds a stream while it lives; this
        // thread alone uses it.
        let (format, streamed) = unsafe { drained(place) }?;
        Ok(Messages { format, streamed, lent: None, _capsules: vec![stream.into_any().unbind()] })
    }

    /// The values in order; `None` for null.
    ///
    /// # Errors
    /// `ValueError` for an array whose offsets make no sense.
    pub fn values(&self) -> PyResult<Vec<Option<&[u8]>>> {
        let mut values = Vec::new();
        // SAFETY: the capsule keeps the array in place.
        let lent = self.lent.map(|array| unsafe { &*array });
        let wrong = |_| error::value("the Arrow array's offsets make no sense");
        for array in lent.into_iter().chain(&self.streamed) {
            // SAFETY: the array is valid by the interface, as far as that can be known.
            let read = unsafe {
                match self.format.indices {
                    Some(indices) => referred_values_of(array, indices, self.format.values, &mut values),
                    None => values_of(array, self.format.values, &mut values),
                }
            };
            read.map_err(wrong)?;
        }
        Ok(values)
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        for array in &mut self.streamed {
            if let Some(release) = array.release {
                // SAFETY: it is ours, and released once.
                unsafe { release(array) };
            }
        }
    }
}

fn capsule<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    Ok(object.cast::<PyCapsule>()?.clone())
}

/// # Safety
/// The schema is valid.
unsafe fn format_of(schema: &Schema) -> PyResult<Type> {
    let text = |schema: &Schema| match schema.format.is_null() {
        true => Vec::new(),
        // SAFETY: by the interface it ends with a zero.
        false => unsafe { CStr::from_ptr(schema.format) }.to_bytes().to_vec(),
    };
    // SAFETY: by the interface it is null or a schema as this one is.
    let (dictionary, own) = (unsafe { schema.dictionary.as_ref() }, text(schema));
    let found = match dictionary {
        None => Format::of(&own).map(|values| Type { values, indices: None }),
        Some(dictionary) if !dictionary.dictionary.is_null() => None,
        Some(dictionary) => {
            let found = Format::of(&text(dictionary)).zip(Indices::of(&own));
            found.map(|(values, indices)| Type { values, indices: Some(indices) })
        }
    };
    found.ok_or_else(|| {
        let (shown, of) = match dictionary {
            Some(dictionary) => (text(dictionary), "a dictionary of "),
            None => (own, ""),
        };
        let shown = String::from_utf8_lossy(&shown).into_owned();
        PyTypeError::new_err(format!(
            "a column of binary values or text is needed, this has {of}the Arrow format {shown:?}"
        ))
    })
}

/// All arrays of a stream.
///
/// # Safety
/// The stream is valid, and nobody else uses it.
unsafe fn drained(stream: *mut Stream) -> PyResult<(Type, Vec<Array>)> {
    let failed = |code: i32| error::value(format!("the Arrow stream failed with {code}"));
    // SAFETY: by the interface a stream that was not released has these functions, which fill what
    // they are given, and say with a missing release that there is nothing.
    unsafe {
        let (Some(get_schema), Some(get_next)) = ((*stream).get_schema, (*stream).get_next) else {
            return Err(error::value("the Arrow stream was read before"));
        };
        let mut schema = Schema::empty();
        let code = get_schema(stream, &mut schema);
        if code != 0 {
            return Err(failed(code));
        }
        let format = format_of(&schema);
        if let Some(release) = schema.release {
            release(&mut schema);
        }
        // The arrays read so far are released with this, also after a failure.
        let mut read = Messages { format: format?, streamed: Vec::new(), lent: None, _capsules: Vec::new() };
        loop {
            let mut array = Array::empty();
            let code = get_next(stream, &mut array);
            if code != 0 {
                return Err(failed(code));
            }
            if array.release.is_none() {
                return Ok((read.format, std::mem::take(&mut read.streamed)));
            }
            read.streamed.push(array);
        }
    }
}
