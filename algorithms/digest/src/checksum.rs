//! Checksums and hashes that do not resist an adversary. Their values are printed most significant
//! byte first.

use std::hash::Hasher;

use pfh_kernel::crc::{CRC32C, CRC64_NVME};
use twox_hash::{XxHash3_64, XxHash3_128, XxHash32, XxHash64};

use crate::{State, Value};

/// A checksum under way.
#[derive(Clone)]
struct Sum<H> {
    hasher: H,
    update: fn(&mut H, &[u8]),
    value: fn(&H) -> Value,
}

impl<H: Clone + Send + Sync + 'static> State for Sum<H> {
    fn update(&mut self, bytes: &[u8]) {
        (self.update)(&mut self.hasher, bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        (self.value)(&self.hasher)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

fn sum<H>(hasher: H, update: fn(&mut H, &[u8]), value: fn(&H) -> Value) -> Box<dyn State>
where
    H: Clone + Send + Sync + 'static,
{
    Box::new(Sum { hasher, update, value })
}

/// The empty message under XXH32 with seed 0, in canonical form: big-endian.
pub(crate) fn xxh32() -> Box<dyn State> {
    sum(XxHash32::with_seed(0), XxHash32::write, |hasher| Value::from_bytes(&hasher.finish_32().to_be_bytes()))
}

/// The empty message under XXH64 with seed 0, in canonical form: big-endian.
pub(crate) fn xxh64() -> Box<dyn State> {
    sum(XxHash64::with_seed(0), XxHash64::write, long)
}

/// The empty message under XXH3-64 with seed 0, in canonical form: big-endian.
pub(crate) fn xxh3_64() -> Box<dyn State> {
    sum(XxHash3_64::new(), XxHash3_64::write, long)
}

/// The empty message under XXH3 with 128 bits and seed 0, in canonical form: the high half first,
/// each half big-endian.
pub(crate) fn xxh3() -> Box<dyn State> {
    sum(XxHash3_128::new(), XxHash3_128::write, |hasher| Value::from_bytes(&hasher.finish_128().to_be_bytes()))
}

fn long(hasher: &impl Hasher) -> Value {
    Value::from_bytes(&hasher.finish().to_be_bytes())
}

/// The empty message under CRC-32C of RFC 3720 (as in iSCSI, ext4 and Btrfs).
pub(crate) fn crc32c() -> Box<dyn State> {
    let update = |register: &mut u32, bytes: &[u8]| *register = crc32c_after(*register, bytes);
    sum(!0, update, |register| Value::from_bytes(&(!register).to_be_bytes()))
}

/// The register of CRC-32C after `bytes`, if it was `register` before: without the inversions at
/// the start and the end of a message.
pub fn crc32c_after(register: u32, bytes: &[u8]) -> u32 {
    CRC32C.update(u64::from(register), bytes) as u32
}

/// The empty message under CRC-64/NVME of the NVM Command Set Specification, Amazon S3's default
/// checksum.
pub(crate) fn crc64nvme() -> Box<dyn State> {
    let update = |register: &mut u64, bytes: &[u8]| *register = CRC64_NVME.update(*register, bytes);
    sum(!0, update, |register| Value::from_bytes(&(!register).to_be_bytes()))
}

/// The empty message under CRC-32 of ISO/IEC 8802-3 (as in gzip, ZIP and `cksum -a crc32b`).
pub(crate) fn crc32() -> Box<dyn State> {
    let value = |hasher: &crc32fast::Hasher| Value::from_bytes(&hasher.clone().finalize().to_be_bytes());
    sum(crc32fast::Hasher::new(), crc32fast::Hasher::update, value)
}

/// The empty message under Adler-32 of RFC 1950, section 9.
pub(crate) fn adler32() -> Box<dyn State> {
    use simd_adler32::Adler32;
    sum(Adler32::new(), Adler32::write, |hasher| Value::from_bytes(&hasher.finish().to_be_bytes()))
}

/// The empty message under FNV-1a with 64 bits. Its state is the value so far.
pub(crate) fn fnv1a() -> Box<dyn State> {
    let update = |value: &mut u64, bytes: &[u8]| {
        let mut hasher = fnv::FnvHasher::with_key(*value);
        hasher.write(bytes);
        *value = hasher.finish();
    };
    sum(fnv::FnvHasher::default().finish(), update, |value| Value::from_bytes(&value.to_be_bytes()))
}
