//! The three structures of the interface, and how owned ones are released.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

/// The type of a column, or of a batch of columns.
#[repr(C)]
pub struct Schema {
    pub format: *const c_char,
    pub name: *const c_char,
    pub metadata: *const c_char,
    pub flags: i64,
    pub n_children: i64,
    pub children: *mut *mut Schema,
    pub dictionary: *mut Schema,
    pub release: Option<unsafe extern "C" fn(*mut Schema)>,
    pub private_data: *mut c_void,
}

/// The values of a column, or of a batch of columns.
#[repr(C)]
pub struct Array {
    pub length: i64,
    pub null_count: i64,
    pub offset: i64,
    pub n_buffers: i64,
    pub n_children: i64,
    pub buffers: *mut *const c_void,
    pub children: *mut *mut Array,
    pub dictionary: *mut Array,
    pub release: Option<unsafe extern "C" fn(*mut Array)>,
    pub private_data: *mut c_void,
}

/// Batches, one after the other.
#[repr(C)]
pub struct Stream {
    pub get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    pub get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    pub get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    pub release: Option<unsafe extern "C" fn(*mut Stream)>,
    pub private_data: *mut c_void,
}

/// Columns and values may be null.
pub const NULLABLE: i64 = 2;

impl Schema {
    /// A structure for somebody else to fill.
    pub fn empty() -> Schema {
        Schema {
            format: ptr::null(),
            name: ptr::null(),
            metadata: ptr::null(),
            flags: 0,
            n_children: 0,
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    /// One that owns the memory that it refers to, until it is released.
    pub fn owned(format: &str, name: &str, flags: i64, children: Vec<Schema>) -> Schema {
        let text = |text: &str| CString::new(text).unwrap_or_default();
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut kept = Box::new(KeptSchema { format: text(format), name: text(name), children });
        Schema {
            format: kept.format.as_ptr(),
            name: kept.name.as_ptr(),
            flags,
            n_children: kept.children.len() as i64,
            children: kept.children.as_mut_ptr(),
            release: Some(release_schema),
            private_data: Box::into_raw(kept).cast(),
            ..Schema::empty()
        }
    }
}

impl Array {
    /// A structure for somebody else to fill; as the answer of a stream, its end.
    pub fn empty() -> Array {
        Array {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: ptr::null_mut(),
            children: ptr::null_mut(),
            dictionary: ptr::null_mut(),
            release: None,
            private_data: ptr::null_mut(),
        }
    }

    /// One that owns its buffers (`None`: there is none, as where all values are valid) and its
    /// children, until it is released.
    pub fn owned(length: usize, nulls: usize, buffers: Vec<Option<Arc<Vec<u64>>>>, children: Vec<Array>) -> Array {
        let pointer =
            |buffer: &Option<Arc<Vec<u64>>>| buffer.as_ref().map_or(ptr::null(), |words| words.as_ptr().cast());
        let pointers = buffers.iter().map(pointer).collect();
        let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
        let mut kept = Box::new(KeptArray { _buffers: buffers, pointers, children });
        Array {
            length: length as i64,
            null_count: nulls as i64,
            n_buffers: kept.pointers.len() as i64,
            n_children: kept.children.len() as i64,
            buffers: kept.pointers.as_mut_ptr(),
            children: kept.children.as_mut_ptr(),
            release: Some(release_array),
            private_data: Box::into_raw(kept).cast(),
            ..Array::empty()
        }
    }
}

struct KeptSchema {
    format: CString,
    name: CString,
    children: Vec<*mut Schema>,
}

struct KeptArray {
    /// In words, so that all are aligned to eight bytes.
    _buffers: Vec<Option<Arc<Vec<u64>>>>,
    pointers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: called once on a structure that `Schema::owned` made, wherever it was moved to; a
    // child that was moved away has no release any more, and its box is still the parent's.
    unsafe {
        let kept = Box::from_raw((*schema).private_data.cast::<KeptSchema>());
        for child in &kept.children {
            let mut child = Box::from_raw(*child);
            if let Some(release) = child.release {
                release(&mut *child);
            }
        }
        (*schema).release = None;
    }
}

unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as for `release_schema`.
    unsafe {
        let kept = Box::from_raw((*array).private_data.cast::<KeptArray>());
        for child in &kept.children {
            let mut child = Box::from_raw(*child);
            if let Some(release) = child.release {
                release(&mut *child);
            }
        }
        (*array).release = None;
    }
}
