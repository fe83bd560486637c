//! A member's bytes: exactly as many as it states, with the check that it states, or a failure.

use super::member::{failure, wrong};
use super::tape::unwrapped;
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::Arc;

/// The stated length and checksum of a member.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatedSum {
    /// How many they are.
    pub size: Option<u64>,
    /// Their CRC-32.
    pub crc: Option<u32>,
}

/// The bytes of a member, checked.
pub struct CheckedBytes<R> {
    inner: R,
    path: Arc<[u8]>,
    stated: StatedSum,
    most: u64,
    out: u64,
    crc: crc32fast::Hasher,
    ended: bool,
    failed: Option<Failure>,
}

impl<R: Read> CheckedBytes<R> {
    /// The bytes of `inner`, at most `most`.
    pub fn new(inner: R, path: Arc<[u8]>, stated: StatedSum, most: u64) -> Self {
        let crc = crc32fast::Hasher::new();
        CheckedBytes { inner, path, stated, most, out: 0, crc, ended: false, failed: None }
    }

    fn fail(&mut self, cause: String) -> io::Error {
        let failure = failure(&self.path, cause);
        self.failed = Some(failure.clone());
        wrong(failure)
    }

    fn end(&mut self) -> io::Result<usize> {
        self.ended = true;
        if let Some(size) = self.stated.size.filter(|size| *size != self.out) {
            return Err(self.fail(format!("ends after {} of the {size} bytes that it states", self.out)));
        }
        let found = self.crc.clone().finalize();
        match self.stated.crc {
            Some(stated) if stated != found => {
                Err(self.fail(format!("its bytes have the CRC {found:08x} and not {stated:08x} as it states")))
            }
            _ => Ok(0),
        }
    }
}

impl<R: Read> Read for CheckedBytes<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(failed) = &self.failed {
            return Err(wrong(failed.clone()));
        }
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        let left = self.stated.size.map_or(u64::MAX, |size| size - self.out);
        let mut more = [0];
        // Behind the last byte there must be the end.
        let room = if left == 0 { &mut more[..] } else { &mut *buffer };
        let room_length = usize::try_from(left.max(1)).unwrap_or(usize::MAX).min(room.len());
        let got = match self.inner.read(&mut room[..room_length]) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => return Err(self.said(error)),
        };
        if got == 0 {
            return self.end();
        }
        if left == 0 {
            return Err(self.fail(format!("holds more than the {} bytes that it states", self.out)));
        }
        self.out += got as u64;
        if self.out > self.most {
            return Err(self.fail(bomb(self.most)));
        }
        if self.stated.crc.is_some() {
            self.crc.update(&buffer[..got]);
        }
        Ok(got)
    }
}

impl<R: Read> CheckedBytes<R> {
    /// An error of the medium unchanged, an error of a decompressor with the member's name.
    fn said(&mut self, error: io::Error) -> io::Error {
        if error.get_ref().is_some_and(|inner| inner.is::<Failure>()) {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>());
            self.failed = inner.map(|failure| Failure { path: self.path.to_vec(), ..failure.clone() });
            return self.failed.clone().map_or(error, wrong);
        }
        match unwrapped(error) {
            Ok(medium) => medium,
            Err(error) if error.raw_os_error().is_some() => error,
            Err(error) => match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    self.fail(format!("its compressed bytes end after {} bytes of content", self.out))
                }
                _ => self.fail(format!("cannot be decompressed after {} bytes: {error}", self.out)),
            },
        }
    }
}

/// How the sentence about a bomb ends: more bytes than the limits allow.
pub const BOMB: &str = ": a bomb";

/// Why no more is read.
pub fn bomb(most: u64) -> String {
    format!("gives more than {most} bytes, far more than its size lets expect{BOMB}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], size: Option<u64>, crc: Option<u32>, most: u64) -> Result<Vec<u8>, String> {
        let mut all = Vec::new();
        let mut checked = CheckedBytes::new(bytes, (*b"x").into(), StatedSum { size, crc }, most);
        checked.read_to_end(&mut all).map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn what_does_not_hold_is_an_error_and_no_end() {
        let crc = crc32fast::hash(b"abc");
        assert_eq!(read(b"abc", Some(3), Some(crc), 9).unwrap(), b"abc");
        assert_eq!(read(b"abc", None, None, 3).unwrap(), b"abc");
        assert!(read(b"abc", Some(4), None, 9).unwrap_err().contains("3 of the 4 bytes"));
        assert!(read(b"abc", Some(2), None, 9).unwrap_err().contains("more than the 2 bytes"));
        assert!(read(b"abc", Some(3), Some(1), 9).unwrap_err().contains("CRC"));
        assert!(read(b"abc", None, None, 2).unwrap_err().contains("bomb"));
    }
}
