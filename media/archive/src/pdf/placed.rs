//! Objects at their places.

use super::cursor::Cursor;
use super::object::{Object, parse, skip_space};
use crate::member::failure;
use crate::tape::unwrapped;
use pfh_bytes::node::Failure;
use std::io;

/// An object at its place, and the start of its stream if it has one.
#[derive(Debug)]
pub struct PlacedObject {
    /// Its number.
    pub number: u32,
    /// The object.
    pub object: Object,
    /// The offset of the first byte of its stream.
    pub stream: Option<u64>,
    /// The offset behind the last byte that was read.
    pub end: u64,
}

/// An error of the medium, or a fault of the document, with the place.
pub fn fault(offset: u64, error: io::Error) -> Failure {
    let cause = match unwrapped(error) {
        Ok(error) => format!("cannot be read: {error}"),
        Err(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>()) {
            Some(failure) => return failure.clone(),
            None => error.to_string(),
        },
    };
    Failure { offset: Some(offset), ..failure(b"", cause) }
}

/// Reads the object at the cursor: `12 0 obj`, the object, and `stream` if there is one; `None` if
/// no object begins there.
///
/// # Errors
/// The medium's, and `InvalidData` of an object that cannot be read.
pub fn placed(cursor: &mut Cursor) -> io::Result<Option<PlacedObject>> {
    let Some(number) = header(cursor)? else { return Ok(None) };
    let object = parse(cursor)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let mut end = cursor.place();
    skip_space(cursor)?;
    let mut stream = None;
    if matches!(object, Object::Dictionary(_)) && cursor.look(6)? == *b"stream" {
        cursor.skip(6);
        // Spaces in front of the end of the line do not belong to the stream.
        let after = cursor.place();
        while cursor.peek()? == Some(b' ') {
            cursor.skip(1);
        }
        match &cursor.look(2)?[..] {
            b"\r\n" => cursor.skip(2),
            [b'\n' | b'\r', ..] => cursor.skip(1),
            _ => cursor.seek(after),
        }
        end = cursor.place();
        stream = Some(end);
    }
    Ok(Some(PlacedObject { number, object, stream, end }))
}

/// The number in front of `obj`.
fn header(cursor: &mut Cursor) -> io::Result<Option<u32>> {
    let number = |found| match found {
        Some(Object::Integer(number)) => u32::try_from(number).ok(),
        _ => None,
    };
    skip_space(cursor)?;
    if !cursor.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    let Some(first) = number(parse(cursor)?) else { return Ok(None) };
    if number(parse(cursor)?).is_none() {
        return Ok(None);
    }
    skip_space(cursor)?;
    if cursor.look(3)? != *b"obj" {
        return Ok(None);
    }
    cursor.skip(3);
    Ok(Some(first))
}
