//! The interface of all disk images.

use super::failure::Failure;
use super::kind::Kind;
use crate::Bytes;
use pfh_digest::Digest;
use std::io;

/// The result of comparing a part of an image with its stated digest or checksum.
#[derive(Debug)]
pub struct Check {
    /// The part, and its digest or checksum.
    pub what: String,
    /// `None` if it is equal; otherwise the fault.
    pub wrong: Option<Failure>,
}

/// A disk, read at any position out of its image. An error of a read holds
/// [`Damage`](super::Damage) if the image contradicts itself there.
pub trait Disk: Bytes {
    /// The format of the image.
    fn kind(&self) -> Kind;

    /// Bytes of a sector.
    fn sector(&self) -> u32 {
        512
    }

    /// Remarks on the image, in sentences for people: a part that was never written, the state in
    /// which it was left.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The identifier that a difference to this disk states: it changes whenever the disk does;
    /// `None` if the format has none.
    fn identity(&self) -> Option<String> {
        None
    }

    /// The digests that the image states of the content of the disk.
    fn digests(&self) -> Vec<Digest> {
        Vec::new()
    }

    /// Compares all digests and checksums that the image states of its parts. `go_on` is asked
    /// between reads of some megabytes; `false` ends the comparison.
    fn check(&self, go_on: &mut dyn FnMut() -> bool) -> Vec<Check> {
        let _ = go_on;
        Vec::new()
    }
}

/// Where a read of units of one length goes: number of the unit, place within it, and how many of
/// `room` bytes it holds; `None` behind the end.
pub(crate) fn within_unit(size: u64, unit: u64, offset: u64, room: usize) -> Option<(u64, u64, usize)> {
    let left = size.checked_sub(offset).filter(|left| *left > 0)?;
    let inside = offset % unit;
    let most = left.min(unit - inside);
    let take = usize::try_from(most).unwrap_or(usize::MAX).min(room);
    (take > 0).then_some((offset / unit, inside, take))
}

/// Reads the bytes of a unit that is stored as it is: as many as the file has. Those in front of a
/// cut are read, and the first one behind it is where reading fails, however much is asked for.
pub(crate) fn stored(file: &dyn Bytes, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let left = usize::try_from(file.size().saturating_sub(at)).unwrap_or(usize::MAX);
    let take = if left == 0 { buffer.len() } else { left.min(buffer.len()) };
    file.read_exact_at(at, &mut buffer[..take]).map(|()| take)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_where_it_is_however_much_is_asked_for() {
        let file: Vec<u8> = (0..100).collect();
        for room in 1..80 {
            let (mut read, mut buffer) = (Vec::new(), vec![0; room]);
            let error = loop {
                match stored(&file, 40 + read.len() as u64, &mut buffer) {
                    Ok(got) => read.extend_from_slice(&buffer[..got]),
                    Err(error) => break error,
                }
            };
            assert_eq!((&*read, error.kind()), (&file[40..], io::ErrorKind::UnexpectedEof), "{room}");
        }
        assert!(stored(&file, u64::MAX, &mut [0; 4]).is_err());
    }
}
