//! The value that Amazon S3 states of an object that was uploaded in parts: the digest of the
//! parts' digests, and the number of parts.

use crate::plain::plain;
use pfh_digest::{Algorithm, Hasher, hex};

/// One of S3's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The ETag: MD5, in hexadecimal.
    ETag,
    /// The composite checksum `x-amz-checksum-sha256`, in base64.
    Sha256,
    /// The composite checksum `x-amz-checksum-sha1`, in base64.
    Sha1,
}

pub(super) struct Multipart {
    which: Part,
    algorithm: Algorithm,
    part: u64,
    hasher: Hasher,
    /// Bytes in the part that is being hashed.
    filled: u64,
    digests: Vec<u8>,
    count: u64,
}

impl Multipart {
    pub(super) fn new(which: Part, part: u64) -> Option<Multipart> {
        let algorithm = plain(match which {
            Part::ETag => "md5",
            Part::Sha256 => "sha256",
            Part::Sha1 => "sha1",
        });
        let hasher = algorithm.hasher();
        (part > 0).then_some(Multipart { which, algorithm, part, hasher, filled: 0, digests: Vec::new(), count: 0 })
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = usize::try_from(self.part - self.filled).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.hasher.update(now);
            self.filled += now.len() as u64;
            bytes = later;
            if self.filled == self.part {
                self.end_part();
            }
        }
    }

    fn end_part(&mut self) {
        let hasher = std::mem::replace(&mut self.hasher, self.algorithm.hasher());
        self.digests.extend_from_slice(hasher.finalize().bytes());
        self.count += 1;
        self.filled = 0;
    }

    pub(super) fn finish(mut self) -> String {
        if self.count == 0 {
            // Shorter than a part: uploaded at once.
            let hasher = std::mem::replace(&mut self.hasher, self.algorithm.hasher());
            return self.text(hasher.finalize().bytes());
        }
        if self.filled > 0 {
            self.end_part();
        }
        format!("{}-{}", self.text(self.algorithm.digest(&self.digests).bytes()), self.count)
    }

    fn text(&self, bytes: &[u8]) -> String {
        match self.which {
            Part::ETag => hex::encode(bytes),
            Part::Sha256 | Part::Sha1 => base64(bytes),
        }
    }
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().chain([0, 0].iter()).take(3).fold(0u32, |word, byte| word << 8 | u32::from(*byte));
        for digit in 0..4 {
            let value = word >> (18 - 6 * digit) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
