//! LZVN and LZFSE, Apple's compressions, as its reference implementation (BSD-3-Clause) describes
//! them. Own code: existing crates have unsafe code, or read LZVN alone.

mod entropy;
mod lzvn;
mod stream;

pub use lzvn::lzvn;
pub use stream::lzfse;

/// Repeats the last `length` bytes from `distance` back; `None` if there are none, or more than
/// `most` bytes come out.
fn repeat(out: &mut Vec<u8>, distance: usize, length: usize, most: usize) -> Option<()> {
    let from = out.len().checked_sub(distance).filter(|_| distance > 0)?;
    if length > most.checked_sub(out.len())? {
        return None;
    }
    if distance >= length {
        out.extend_from_within(from..from + length);
    } else {
        for at in from..from + length {
            out.push(out[at]);
        }
    }
    Some(())
}

/// Takes literal bytes over.
fn literal(out: &mut Vec<u8>, bytes: &[u8], most: usize) -> Option<()> {
    (bytes.len() <= most.checked_sub(out.len())?).then(|| out.extend_from_slice(bytes))
}
