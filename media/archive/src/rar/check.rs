//! A member's bytes against the checks that its header states, with the place of the packed ones.

use crate::checked::{CheckedBytes, StatedSum};
use crate::member::{failure, wrong};
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::Arc;

/// The stated checksums of a member.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Their CRC-32.
    pub crc: Option<u32>,
    /// Their BLAKE2sp, which counts alone if there is one.
    pub blake: Option<[u8; 32]>,
}

/// The bytes of a member, checked.
pub struct VerifiedBytes<R> {
    inner: CheckedBytes<R>,
    path: Arc<[u8]>,
    at: u64,
    check: Check,
    crc: crc32fast::Hasher,
    blake: blake2s_simd::blake2sp::State,
}

impl<R: Read> VerifiedBytes<R> {
    /// The bytes of `inner`, whose packed ones lie `at`; at most `most`.
    pub fn new(inner: R, path: Arc<[u8]>, at: u64, size: Option<u64>, check: Check, most: u64) -> Self {
        let inner = CheckedBytes::new(inner, path.clone(), StatedSum { size, crc: None }, most);
        let (crc, blake) = (crc32fast::Hasher::new(), blake2s_simd::blake2sp::State::new());
        VerifiedBytes { inner, path, at, check, crc, blake }
    }
}

impl<R: Read> Read for VerifiedBytes<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if got > 0 || buffer.is_empty() {
            match self.check.blake {
                Some(_) => drop(self.blake.update(&buffer[..got])),
                None => self.crc.update(&buffer[..got]),
            }
            return Ok(got);
        }
        let cause = match (self.check.blake, self.check.crc) {
            (Some(stated), _) if self.blake.finalize().as_array() != &stated => {
                "its bytes do not have the BLAKE2sp that it states".to_owned()
            }
            (None, Some(stated)) if self.crc.clone().finalize() != stated => {
                let found = self.crc.clone().finalize();
                format!("its bytes have the CRC {found:08x} and not {stated:08x} as it states")
            }
            _ => return Ok(0),
        };
        Err(refuse(&self.path, self.at, cause))
    }
}

/// The failure of a member as an error of a read.
fn refuse(path: &[u8], at: u64, cause: String) -> std::io::Error {
    wrong(Failure { offset: Some(at), ..failure(path, cause) })
}
