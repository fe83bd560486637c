//! Views of Arrow's C data interface over buffers, some of them pointing out of the buffers: every
//! value comes from the buffers (run with the address sanitizer, as cargo-fuzz does), and no view
//! that points inside them is refused.
#![no_main]

#[allow(dead_code)]
#[path = "../../tools/python/src/arrow/ffi.rs"]
mod ffi;
#[allow(dead_code)]
#[path = "../../tools/python/src/arrow/values.rs"]
mod values;

use ffi::Array;
use libfuzzer_sys::fuzz_target;
use std::ffi::c_void;
use std::ptr;
use values::{Format, values_of};

/// The value of a view, computed with slices alone.
fn expected<'a>(view: &'a [u8], buffers: &'a [Box<[u8]>]) -> Option<&'a [u8]> {
    let number = |at: usize| i32::from_le_bytes(view[at * 4..at * 4 + 4].try_into().expect("four bytes"));
    let length = usize::try_from(number(0)).ok()?;
    if length <= 12 {
        return Some(&view[4..4 + length]);
    }
    let (index, start) = (usize::try_from(number(2)).ok()?, usize::try_from(number(3)).ok()?);
    buffers.get(index)?.get(start..start.checked_add(length)?)
}

fuzz_target!(|input: &[u8]| {
    let [count, offset, sizes @ ..] = input else { return };
    let (count, offset) = (usize::from(count % 5), usize::from(offset % 4));
    if sizes.len() < count {
        return;
    }
    let (sizes, views) = sizes.split_at(count);
    let buffers: Vec<Box<[u8]>> = sizes.iter().map(|size| (0..*size).collect()).collect();
    let rows = views.len() / 16;
    if rows <= offset {
        return;
    }
    // Boxed, so that the address sanitizer sees a read beyond the end.
    let views: Box<[u8]> = views[..rows * 16].into();
    let lengths: Box<[i64]> = buffers.iter().map(|buffer| buffer.len() as i64).collect();
    let mut pointers: Vec<*const c_void> = vec![ptr::null(), views.as_ptr().cast()];
    pointers.extend(buffers.iter().map(|buffer| buffer.as_ptr().cast::<c_void>()));
    pointers.push(lengths.as_ptr().cast());
    let array = Array {
        length: (rows - offset) as i64,
        offset: offset as i64,
        n_buffers: pointers.len() as i64,
        buffers: pointers.as_mut_ptr(),
        ..Array::empty()
    };
    let mut found = Vec::new();
    // SAFETY: the buffers are there, as long as they are said to be.
    let read = unsafe { values_of(&array, Format::View, &mut found) };
    let wanted: Option<Vec<&[u8]>> = views.chunks(16).skip(offset).map(|view| expected(view, &buffers)).collect();
    match wanted {
        Some(wanted) => assert_eq!(found, wanted.into_iter().map(Some).collect::<Vec<_>>()),
        None => assert!(read.is_err()),
    }
});
