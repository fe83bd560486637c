//! Checksums and hashes that were never meant to resist an adversary. Their values are printed most
//! significant byte first.

use twox_hash::XxHash3_128;

use crate::{State, Value};

/// CRC-32 of ISO/IEC 8802-3 (polynomial 0x04C11DB7, reflected, as in gzip, ZIP and `cksum -a
/// crc32b`).
#[derive(Clone)]
struct Crc32(crc32fast::Hasher);

impl State for Crc32 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.finalize().to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// Adler-32 of RFC 1950, section 9.
#[derive(Clone)]
struct Adler32(simd_adler32::Adler32);

impl State for Adler32 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.finish().to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// XXH3 with 128 bits and seed 0, in xxHash's canonical form: the high half first, each half
/// big-endian.
#[derive(Clone)]
struct Xxh3(XxHash3_128);

impl State for Xxh3 {
    fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.finish_128().to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// FNV-1a with 64 bits: offset basis 0xCBF29CE484222325, prime 2^40 + 2^8 + 0xB3. Its state is the
/// value so far.
struct Fnv1a(fnv::FnvHasher);

impl State for Fnv1a {
    fn update(&mut self, bytes: &[u8]) {
        std::hash::Hasher::write(&mut self.0, bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&std::hash::Hasher::finish(&self.0).to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Fnv1a(fnv::FnvHasher::with_key(std::hash::Hasher::finish(&self.0))))
    }
}

/// The empty message under CRC-32.
pub(crate) fn crc32() -> Box<dyn State> {
    Box::new(Crc32(crc32fast::Hasher::new()))
}

/// The empty message under Adler-32.
pub(crate) fn adler32() -> Box<dyn State> {
    Box::new(Adler32(simd_adler32::Adler32::new()))
}

/// The empty message under XXH3-128.
pub(crate) fn xxh3() -> Box<dyn State> {
    Box::new(Xxh3(XxHash3_128::new()))
}

/// The empty message under FNV-1a.
pub(crate) fn fnv1a() -> Box<dyn State> {
    Box::new(Fnv1a(fnv::FnvHasher::default()))
}
