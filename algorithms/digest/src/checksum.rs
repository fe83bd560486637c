//! Checksums and hashes that were never meant to resist an adversary. Their values are printed most
//! significant byte first.

use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

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

/// CRC-32C of RFC 3720 (polynomial 0x1EDC6F41, reflected, as in iSCSI, ext4 and Btrfs).
#[derive(Clone)]
struct Crc32c(u32);

impl State for Crc32c {
    fn update(&mut self, bytes: &[u8]) {
        self.0 = ::crc32c::crc32c_append(self.0, bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.to_be_bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// CRC-64/NVME of the NVM Command Set Specification (polynomial 0xAD93D23594C93659, reflected, all
/// ones before and behind), Amazon S3's default checksum.
#[derive(Clone)]
struct Crc64Nvme(crc_fast::Digest);

impl State for Crc64Nvme {
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

/// A function of xxHash with 32 or 64 bits and seed 0, in its canonical form: big-endian.
#[derive(Clone)]
struct XxHash<H> {
    hasher: H,
    value: fn(&H) -> Value,
}

impl<H: std::hash::Hasher + Clone + Send + Sync + 'static> State for XxHash<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.hasher.write(bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        (self.value)(&self.hasher)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The empty message under XXH32.
pub(crate) fn xxh32() -> Box<dyn State> {
    let value = |hasher: &XxHash32| Value::from_bytes(&hasher.finish_32().to_be_bytes());
    Box::new(XxHash { hasher: XxHash32::with_seed(0), value })
}

/// The empty message under XXH64.
pub(crate) fn xxh64() -> Box<dyn State> {
    Box::new(XxHash { hasher: XxHash64::with_seed(0), value: long })
}

/// The empty message under XXH3-64.
pub(crate) fn xxh3_64() -> Box<dyn State> {
    Box::new(XxHash { hasher: XxHash3_64::new(), value: long })
}

fn long(hasher: &impl std::hash::Hasher) -> Value {
    Value::from_bytes(&hasher.finish().to_be_bytes())
}

/// The empty message under CRC-32C.
pub(crate) fn crc32c() -> Box<dyn State> {
    Box::new(Crc32c(0))
}

/// The empty message under CRC-64/NVME.
pub(crate) fn crc64nvme() -> Box<dyn State> {
    Box::new(Crc64Nvme(crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc64Nvme)))
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
