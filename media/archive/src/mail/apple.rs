//! Messages of Apple Mail (`.emlx`): a line with the length of the message, the message, and a
//! property list with its flags.

use super::header::Header;
use super::part::{Part, PartResult};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::{failure, read_some};
use pfh_bytes::node::Failure;

/// The type of the property list behind the message.
pub const KIND: &str = "application/x-plist";
/// Bytes of the first line, at most.
const LINE: usize = 32;

/// The length of the line in front of the message, and the number in it.
fn line(start: &[u8]) -> Option<(usize, u64)> {
    let end = start.iter().take(LINE).position(|byte| *byte == b'\n')?;
    let digits = start[..end].trim_ascii_end();
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
    is_number.then_some((end + 1, number))
}

/// The first bytes of the message in a file that begins so.
pub fn message(start: &[u8]) -> &[u8] {
    line(start).map_or(start, |(length, _)| &start[length..])
}

/// The range of the message, and the property list behind it. All bytes are the message of another
/// file.
///
/// # Errors
/// If it cannot be read.
pub fn divided(bytes: &dyn Bytes) -> Result<((u64, u64), Option<PartResult>), Failure> {
    let size = bytes.size();
    let Some((front, length)) = line(&read_some(bytes, 0, LINE)?) else { return Ok(((0, size), None)) };
    let front = front as u64;
    let Some(end) = front.checked_add(length).filter(|end| *end <= size) else {
        let cause = format!("the message states {length} bytes, and the file ends after {}: cut off", size - front);
        return Ok(((front, size), Some(Err(failure(Some(size), cause)))));
    };
    let list = Header { kind: KIND.to_owned(), name: Some(b"emlx.plist".to_vec()), ..Header::default() };
    let behind =
        (end < size).then_some(Ok(Part { header: list, range: (end, size), is_uuencoded: false, is_beside: true }));
    Ok(((front, end), behind))
}
