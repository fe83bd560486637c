//! The functions that have kernels: which compression function, which initial state, which padding.

use pfh_kernel as kernel;
use pfh_kernel::{blake2, md5, ripemd160, sha1, sha256, sha512, sm3};

use crate::Function;

/// MD5 (RFC 1321).
pub(crate) static MD5: Function<u32, 4, 64> = Function::little_endian(&kernel::MD5, md5::INITIAL);
/// SHA-1 (FIPS 180-4, section 6.1).
pub(crate) static SHA1: Function<u32, 5, 64> = Function::big_endian(&kernel::SHA1, sha1::INITIAL);
/// SHA-224 (FIPS 180-4, section 6.3).
pub(crate) static SHA224: Function<u32, 8, 64> = Function::big_endian(&kernel::SHA256, sha256::INITIAL_224);
/// SHA-256 (FIPS 180-4, section 6.2).
pub(crate) static SHA256: Function<u32, 8, 64> = Function::big_endian(&kernel::SHA256, sha256::INITIAL);
/// SHA-384 (FIPS 180-4, section 6.5).
pub(crate) static SHA384: Function<u64, 8, 128> = Function::big_endian(&kernel::SHA512, sha512::INITIAL_384);
/// SHA-512 (FIPS 180-4, section 6.4).
pub(crate) static SHA512: Function<u64, 8, 128> = Function::big_endian(&kernel::SHA512, sha512::INITIAL);
/// SHA-512/224 (FIPS 180-4, section 6.6).
pub(crate) static SHA512_224: Function<u64, 8, 128> = Function::big_endian(&kernel::SHA512, sha512::INITIAL_512_224);
/// SHA-512/256 (FIPS 180-4, section 6.7).
pub(crate) static SHA512_256: Function<u64, 8, 128> = Function::big_endian(&kernel::SHA512, sha512::INITIAL_512_256);
/// SHA3-224 (FIPS 202, section 6.1).
pub(crate) static SHA3_224: Function<u64, 25, 144> = Function::sponge(&kernel::KECCAK24, 0x06);
/// SHA3-256 (FIPS 202, section 6.1).
pub(crate) static SHA3_256: Function<u64, 25, 136> = Function::sponge(&kernel::KECCAK24, 0x06);
/// SHA3-384 (FIPS 202, section 6.1).
pub(crate) static SHA3_384: Function<u64, 25, 104> = Function::sponge(&kernel::KECCAK24, 0x06);
/// SHA3-512 (FIPS 202, section 6.1).
pub(crate) static SHA3_512: Function<u64, 25, 72> = Function::sponge(&kernel::KECCAK24, 0x06);
/// SHAKE128 (FIPS 202, section 6.2).
pub(crate) static SHAKE128: Function<u64, 25, 168> = Function::sponge(&kernel::KECCAK24, 0x1f);
/// SHAKE256 (FIPS 202, section 6.2).
pub(crate) static SHAKE256: Function<u64, 25, 136> = Function::sponge(&kernel::KECCAK24, 0x1f);
/// RIPEMD-160 (ISO/IEC 10118-3).
pub(crate) static RIPEMD160: Function<u32, 5, 64> = Function::little_endian(&kernel::RIPEMD160, ripemd160::INITIAL);
/// SM3 (GB/T 32905).
pub(crate) static SM3: Function<u32, 8, 64> = Function::big_endian(&kernel::SM3, sm3::INITIAL);
/// BLAKE2b (RFC 7693).
pub(crate) static BLAKE2B: Function<u64, { blake2::WORDS }, 128> =
    Function::counted(&kernel::BLAKE2B, 0, blake2::initial_b, blake2::end_b);
/// BLAKE2s (RFC 7693).
pub(crate) static BLAKE2S: Function<u32, { blake2::WORDS }, 64> =
    Function::counted(&kernel::BLAKE2S, 0, blake2::initial_s, blake2::end_s);
