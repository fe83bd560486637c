//! The messages that are hashed, and the digests that they must give.

use crate::Error;
pub use crate::args::Method;
use crate::random::Random;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

impl Method {
    /// The digest of the bytes of `reader`, in hexadecimal digits.
    fn digest(self, mut reader: impl Read) -> std::io::Result<String> {
        fn with<D: sha2::Digest>(mut reader: impl Read) -> std::io::Result<Vec<u8>> {
            let (mut hasher, mut buffer) = (D::new(), vec![0; 1 << 20]);
            loop {
                match reader.read(&mut buffer)? {
                    0 => return Ok(hasher.finalize().to_vec()),
                    n => hasher.update(&buffer[..n]),
                }
            }
        }
        let digest = match self {
            Method::Md5 => with::<md5::Md5>(reader)?,
            Method::Sha1 => with::<sha1::Sha1>(reader)?,
            Method::Sha256 => with::<sha2::Sha256>(reader)?,
            Method::Sha512 => with::<sha2::Sha512>(reader)?,
            Method::Sha3 => with::<sha3::Sha3_256>(reader)?,
            Method::Blake3 => {
                let mut hasher = blake3::Hasher::new();
                std::io::copy(&mut reader, &mut hasher)?;
                hasher.finalize().as_bytes().to_vec()
            }
        };
        Ok(pfh::hex::encode(&digest))
    }
}

/// A message in a file: random bytes that follow from a seed, so that every machine hashes the
/// same.
#[derive(Debug, Clone)]
pub struct Message {
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
}

impl Message {
    /// Writes the message of `bytes` bytes into `directory`, unless a file of that name and length
    /// is there already.
    pub fn create(directory: &Path, bytes: u64, seed: u64) -> Result<Message, Error> {
        let path = directory.join(format!("{bytes}-{seed}.dat"));
        if std::fs::metadata(&path).is_ok_and(|found| found.len() == bytes) {
            return Ok(Message { path, bytes });
        }
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&path)?);
            let mut random = Random::new(seed);
            let mut left = bytes;
            while left > 0 {
                let word = random.word().to_le_bytes();
                let part = left.min(8) as usize;
                file.write_all(&word[..part])?;
                left -= part as u64;
            }
            file.flush()
        };
        write().map_err(Error::file(&path))?;
        Ok(Message { path, bytes })
    }

    /// The digest that every runner must give, computed from the file as it is now by libraries
    /// that pfh's kernels share nothing with.
    pub fn expected(&self, method: Method) -> Result<String, Error> {
        let digest = || method.digest(BufReader::with_capacity(1 << 20, File::open(&self.path)?));
        digest().map_err(Error::file(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_of_abc() {
        // The first bytes of the published examples: RFC 1321, FIPS 180-4, FIPS 202, the BLAKE3
        // test vectors.
        let abc = [
            (Method::Md5, "900150983cd24fb0d6963f7d28e17f72"),
            (Method::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (Method::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (Method::Sha512, "ddaf35a193617abacc417349ae204131"),
            (Method::Sha3, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
            (Method::Blake3, "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
        ];
        for (method, expected) in abc {
            assert!(method.digest(&b"abc"[..]).unwrap().starts_with(expected), "{method}");
            assert_eq!(method.name().parse(), Ok(method));
        }
        assert!("md6".parse::<Method>().is_err());
    }

    #[test]
    fn messages_repeat_and_differ_by_seed() {
        let directory = tempfile::tempdir().unwrap();
        let of = |bytes, seed| Message::create(directory.path(), bytes, seed).unwrap();
        let read = |message: &Message| std::fs::read(&message.path).unwrap();
        let first = read(&of(1003, 1));
        assert_eq!(first.len(), 1003);
        std::fs::remove_file(of(1003, 1).path).unwrap();
        assert_eq!(read(&of(1003, 1)), first);
        assert_ne!(read(&of(1003, 2)), first);
        assert!(read(&of(0, 1)).is_empty());
    }
}
