//! The values of an array that somebody else made. Producers hand on arrays that they read from a
//! file, unchecked: all that the interface lets a reader check is checked before a byte is read.
//!
//! Nothing here knows Python, so that `fuzz/fuzz_targets/arrow_values.rs` can take this file as it
//! is.

use super::ffi::Array;

/// An array whose numbers contradict one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// How values lie in an array's buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Behind offsets of 32 bits.
    Short,
    /// Behind offsets of 64 bits.
    Long,
    /// All of one length.
    Fixed(usize),
    /// Views: 16 bytes each, with the value or the place of it.
    View,
}

impl Format {
    /// The format of this name in the interface, if its values are bytes or text.
    pub fn of(text: &[u8]) -> Option<Format> {
        Some(match text {
            b"z" | b"u" => Format::Short,
            b"Z" | b"U" => Format::Long,
            b"vz" | b"vu" => Format::View,
            [b'w', b':', digits @ ..] => Format::Fixed(str::from_utf8(digits).ok()?.parse().ok()?),
            _ => return None,
        })
    }
}

/// How the rows of a column with a dictionary refer to its values: by numbers of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Indices {
    bytes: usize,
    is_signed: bool,
}

impl Indices {
    /// The numbers of this name in the interface, if they are whole ones.
    pub fn of(text: &[u8]) -> Option<Indices> {
        let [letter] = text else { return None };
        let at = b"cCsSiIlL".iter().position(|known| known == letter)?;
        Some(Indices { bytes: 1 << (at / 2), is_signed: at % 2 == 0 })
    }
}

/// Appends the values of an array whose rows refer to those of its dictionary.
///
/// # Errors
/// As for [`values_of`], and when a row refers to none of them.
///
/// # Safety
/// As for [`values_of`], of the array and of its dictionary.
pub unsafe fn referred_values_of<'a>(
    array: &'a Array,
    indices: Indices,
    format: Format,
    values: &mut Vec<Option<&'a [u8]>>,
) -> Result<(), Malformed> {
    if array.length == 0 {
        return Ok(());
    }
    let (mut known, mut rows) = (Vec::new(), Vec::new());
    // SAFETY: by the interface it is null or an array as this one is. The numbers of the rows lie
    // as values of one length do.
    unsafe {
        values_of(array.dictionary.as_ref().ok_or(Malformed)?, format, &mut known)?;
        values_of(array, Format::Fixed(indices.bytes), &mut rows)?;
    }
    for row in rows {
        let Some(row) = row else {
            values.push(None);
            continue;
        };
        let is_negative = indices.is_signed && row[indices.bytes - 1] >> 7 == 1;
        let mut wide = [0; 8];
        wide[..indices.bytes].copy_from_slice(row);
        let at = usize::try_from(u64::from_le_bytes(wide)).ok().filter(|_| !is_negative);
        values.push(*at.and_then(|at| known.get(at)).ok_or(Malformed)?);
    }
    Ok(())
}

/// Appends the values of an array; `None` for null.
///
/// # Errors
/// When a number in it is negative, or a view leads out of its buffer. Of other formats the
/// interface does not say how long the data is: offsets that do not grow are found, no others.
///
/// # Safety
/// The array has the buffers that it states, of the lengths that the interface demands; what its
/// views and offsets hold need not make sense.
pub unsafe fn values_of<'a>(
    array: &'a Array,
    format: Format,
    values: &mut Vec<Option<&'a [u8]>>,
) -> Result<(), Malformed> {
    if array.length == 0 {
        return Ok(());
    }
    let needed = match format {
        Format::Short | Format::Long => 3,
        Format::Fixed(_) | Format::View => 2,
    };
    let is_whole = array.length > 0 && array.offset >= 0 && array.offset.checked_add(array.length).is_some();
    if !is_whole || array.n_buffers < needed || array.buffers.is_null() {
        return Err(Malformed);
    }
    // SAFETY: it has these buffers, and each row has a value in them.
    unsafe {
        let lengths = lengths(array, format)?;
        for row in 0..array.length {
            values.push(value(array, format, &lengths, row)?);
        }
    }
    Ok(())
}

/// The lengths of the buffers that views refer to, which the interface puts into the last buffer.
///
/// # Safety
/// As for [`values_of`].
unsafe fn lengths(array: &Array, format: Format) -> Result<Vec<i64>, Malformed> {
    let count = usize::try_from(array.n_buffers.saturating_sub(3)).unwrap_or(0);
    if format != Format::View || count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: there are that many buffers, and the last one has a length of 64 bits for each of
    // those between the views and itself.
    unsafe {
        let lengths = (*array.buffers.add(count + 2)).cast::<i64>();
        if lengths.is_null() {
            return Err(Malformed);
        }
        Ok((0..count).map(|at| lengths.add(at).read_unaligned()).collect())
    }
}

/// # Safety
/// As for [`values_of`]; `lengths` are those of [`lengths`], and the row is in the array.
unsafe fn value<'a>(
    array: &'a Array,
    format: Format,
    lengths: &[i64],
    row: i64,
) -> Result<Option<&'a [u8]>, Malformed> {
    let at = usize::try_from(array.offset + row).map_err(|_| Malformed)?;
    // SAFETY: by the interface each format has these buffers, with a value for each row of the
    // array and the elements before its offset.
    unsafe {
        let buffer = |index: usize| (*array.buffers.add(index)).cast::<u8>();
        let there = |index: usize| Some(buffer(index)).filter(|start| !start.is_null()).ok_or(Malformed);
        let valid = buffer(0);
        if array.null_count != 0 && !valid.is_null() && *valid.add(at / 8) >> (at % 8) & 1 == 0 {
            return Ok(None);
        }
        let (start, length) = match format {
            Format::Short => {
                let offsets = there(1)?.cast::<i32>();
                let (start, end) = (offsets.add(at).read_unaligned(), offsets.add(at + 1).read_unaligned());
                (i64::from(start), i64::from(end) - i64::from(start))
            }
            Format::Long => {
                let offsets = there(1)?.cast::<i64>();
                let start = offsets.add(at).read_unaligned();
                (start, offsets.add(at + 1).read_unaligned().checked_sub(start).ok_or(Malformed)?)
            }
            Format::Fixed(0) => return Ok(Some(&[])),
            Format::Fixed(length) => {
                let start = at.checked_mul(length).ok_or(Malformed)?;
                return Ok(Some(std::slice::from_raw_parts(there(1)?.add(start), length)));
            }
            Format::View => return view(there(1)?.add(at * 16), lengths, there).map(Some),
        };
        let start = usize::try_from(start).map_err(|_| Malformed)?;
        match usize::try_from(length).map_err(|_| Malformed)? {
            0 => Ok(Some(&[])),
            length => Ok(Some(std::slice::from_raw_parts(there(2)?.add(start), length))),
        }
    }
}

/// The value of a view: the bytes in it, or the place of them.
///
/// # Safety
/// The view has 16 bytes, and each buffer behind the first two has the length that is stated.
unsafe fn view<'a>(
    view: *const u8,
    lengths: &[i64],
    buffer: impl Fn(usize) -> Result<*const u8, Malformed>,
) -> Result<&'a [u8], Malformed> {
    // SAFETY: the numbers are within the view, their values are compared with the lengths.
    unsafe {
        let number = |at: usize| view.cast::<i32>().add(at).read_unaligned();
        let place = |at: usize| usize::try_from(number(at)).map_err(|_| Malformed);
        let length = place(0)?;
        if length <= 12 {
            return Ok(std::slice::from_raw_parts(view.add(4), length));
        }
        let (index, start) = (place(2)?, place(3)?);
        let there = lengths.get(index).and_then(|length| usize::try_from(*length).ok()).ok_or(Malformed)?;
        if start.checked_add(length).is_none_or(|end| end > there) {
            return Err(Malformed);
        }
        Ok(std::slice::from_raw_parts(buffer(2 + index)?.add(start), length))
    }
}
