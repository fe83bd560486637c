//! This crate's algorithms, a line each: name, aliases, output, standing, bytes per block,
//! constructor or function with lanes.

use crate::Output::{Fixed, Stated};
use crate::Standing::{Broken, NonCryptographic, Secure};
use crate::keyed::Hmac;
use crate::lists::Registry;
use crate::row::StitchPlace::{GeneralRegisters, OwnInstructions};
use crate::rustcrypto::fixed;
use crate::{Algorithm, Row, UnknownAlgorithm, blake3, checksum, functions, kmac, sharing};

/// The longest output that is accepted of a function which could go on for ever: 64 KiB, far above
/// any use as a digest.
const MAXIMUM: usize = 1 << 16;

/// The algorithms of this crate.
///
/// Standards: MD5 RFC 1321; SHA-1 and SHA-2 FIPS 180-4; SHA-3 and SHAKE FIPS 202; RIPEMD-160
/// ISO/IEC 10118-3; BLAKE2 RFC 7693 (any length, no key); BLAKE3 (plain hash mode, keyed, and
/// derivation of keys); SM3 GB/T 32905; Whirlpool ISO/IEC 10118-3; Tiger (the first padding, as in
/// NESSIE) and the tree over it of THEX; Streebog RFC 6986; GOST R 34.11-94 RFC 5831, with the
/// parameters of its test and of RFC 4357; MD4 RFC 1320; eDonkey's list of MD4 and eMule's tree of
/// SHA-1; CRC-32 ISO/IEC 8802-3; CRC-32C RFC 3720; CRC-64/NVME NVM Command Set Specification 1.0;
/// Adler-32 RFC 1950; xxHash with seed 0; FNV-1a with 64 bits, draft-eastlake-fnv; HMAC RFC 2104;
/// KMAC NIST SP 800-185, section 4, without customization. An array, so that other crates hold its
/// address: a slice would be evaluated in each of them again, with every lane scheduler that it
/// names.
#[rustfmt::skip]
pub static ROWS: [Row; 50] = [
    Row::with_lanes("md5", &["md-5"], Fixed(16), Broken, 64, &functions::MD5).stitched(GeneralRegisters),
    Row::with_lanes("sha1", &["sha-1"], Fixed(20), Broken, 64, &functions::SHA1).stitched(OwnInstructions),
    Row::with_lanes("sha224", &["sha-224", "sha2-224"], Fixed(28), Secure, 64, &functions::SHA224),
    Row::with_lanes("sha256", &["sha-256", "sha2-256"], Fixed(32), Secure, 64, &functions::SHA256).stitched(OwnInstructions),
    Row::with_lanes("sha384", &["sha-384", "sha2-384"], Fixed(48), Secure, 128, &functions::SHA384),
    Row::with_lanes("sha512", &["sha-512", "sha2-512"], Fixed(64), Secure, 128, &functions::SHA512).stitched(GeneralRegisters),
    Row::with_lanes("sha512-224", &["sha-512-224", "sha2-512-224", "sha512t224"], Fixed(28), Secure, 128, &functions::SHA512_224),
    Row::with_lanes("sha512-256", &["sha-512-256", "sha2-512-256", "sha512t256"], Fixed(32), Secure, 128, &functions::SHA512_256),
    Row::with_lanes("sha3-224", &["sha-3-224"], Fixed(28), Secure, 144, &functions::SHA3_224),
    Row::with_lanes("sha3-256", &["sha-3-256"], Fixed(32), Secure, 136, &functions::SHA3_256),
    Row::with_lanes("sha3-384", &["sha-3-384"], Fixed(48), Secure, 104, &functions::SHA3_384),
    Row::with_lanes("sha3-512", &["sha-3-512"], Fixed(64), Secure, 72, &functions::SHA3_512),
    Row::with_lanes("shake128", &["shake-128"], Stated { default: 32, maximum: MAXIMUM }, Secure, 168, &functions::SHAKE128),
    Row::with_lanes("shake256", &["shake-256"], Stated { default: 64, maximum: MAXIMUM }, Secure, 136, &functions::SHAKE256),
    Row::with_lanes("ripemd160", &["ripemd-160", "rmd160"], Fixed(20), Secure, 64, &functions::RIPEMD160),
    Row::with_lanes("blake2b", &["blake2b-512"], Stated { default: 64, maximum: 64 }, Secure, 128, &functions::BLAKE2B),
    Row::with_lanes("blake2s", &["blake2s-256"], Stated { default: 32, maximum: 32 }, Secure, 64, &functions::BLAKE2S),
    Row::new("blake3", &["blake-3", "b3"], Stated { default: 32, maximum: MAXIMUM }, Secure, 64, blake3::start),
    Row::with_lanes("sm3", &["sm-3"], Fixed(32), Secure, 64, &functions::SM3),
    Row::new("whirlpool", &[], Fixed(64), Secure, 64, fixed::<whirlpool::Whirlpool>),
    Row::new("tiger", &["tiger-192", "tiger192"], Fixed(24), Secure, 64, fixed::<tiger::Tiger>),
    Row::new("tth", &["tiger-tree"], Fixed(24), Secure, 1024, sharing::tth),
    Row::new("streebog-256", &["streebog256", "gost12-256", "gost-r-34-11-2012-256"], Fixed(32), Secure, 64, fixed::<streebog::Streebog256>),
    Row::new("streebog-512", &["streebog512", "gost12-512", "gost-r-34-11-2012-512"], Fixed(64), Secure, 64, fixed::<streebog::Streebog512>),
    Row::new("gost94", &["gost-r-34-11-94"], Fixed(32), Secure, 32, fixed::<gost94::Gost94Test>),
    Row::new("gost94-cryptopro", &[], Fixed(32), Secure, 32, fixed::<gost94::Gost94CryptoPro>),
    Row::new("md4", &["md-4"], Fixed(16), Broken, 64, fixed::<md4::Md4>),
    Row::new("ed2k", &["emule"], Fixed(16), Broken, 64, sharing::ed2k),
    Row::new("aich", &[], Fixed(20), Broken, 64, sharing::aich),
    Row::new("crc32", &["crc-32", "crc32b"], Fixed(4), NonCryptographic, 1, checksum::crc32),
    Row::new("crc32c", &["crc-32c"], Fixed(4), NonCryptographic, 1, checksum::crc32c),
    Row::new("crc64nvme", &["crc64-nvme", "crc-64-nvme"], Fixed(8), NonCryptographic, 1, checksum::crc64nvme),
    Row::new("adler32", &["adler-32"], Fixed(4), NonCryptographic, 1, checksum::adler32),
    Row::new("xxh3-128", &["xxh128", "xxh3"], Fixed(16), NonCryptographic, 64, checksum::xxh3),
    Row::new("xxh64", &["xxhash64"], Fixed(8), NonCryptographic, 32, checksum::xxh64),
    Row::new("xxh3-64", &[], Fixed(8), NonCryptographic, 64, checksum::xxh3_64),
    Row::new("xxh32", &["xxhash32"], Fixed(4), NonCryptographic, 16, checksum::xxh32),
    Row::new("fnv1a-64", &["fnv-1a-64", "fnv1a", "fnv64a"], Fixed(8), NonCryptographic, 1, checksum::fnv1a),
    Row::keyed("blake3-keyed", &["keyed-blake3"], Stated { default: 32, maximum: MAXIMUM }, Secure, 64, &blake3::KeyedMode),
    Row::keyed("blake3-derive-key", &[], Stated { default: 32, maximum: MAXIMUM }, Secure, 64, &blake3::KeyDerivation),
    Row::keyed("hmac-md5", &[], Fixed(16), Broken, 64, &Hmac),
    Row::keyed("hmac-sha1", &["hmac-sha-1"], Fixed(20), Broken, 64, &Hmac),
    Row::keyed("hmac-sha224", &["hmac-sha-224"], Fixed(28), Secure, 64, &Hmac),
    Row::keyed("hmac-sha256", &["hmac-sha-256"], Fixed(32), Secure, 64, &Hmac),
    Row::keyed("hmac-sha384", &["hmac-sha-384"], Fixed(48), Secure, 128, &Hmac),
    Row::keyed("hmac-sha512", &["hmac-sha-512"], Fixed(64), Secure, 128, &Hmac),
    Row::keyed("hmac-sha3-256", &[], Fixed(32), Secure, 136, &Hmac),
    Row::keyed("hmac-sha3-512", &[], Fixed(64), Secure, 72, &Hmac),
    Row::keyed("kmac128", &["kmac-128"], Stated { default: 32, maximum: MAXIMUM }, Secure, 168, &kmac::KMAC128),
    Row::keyed("kmac256", &["kmac-256"], Stated { default: 64, maximum: MAXIMUM }, Secure, 136, &kmac::KMAC256),
];

/// Families of algorithms, and an alias of the member that a family's name alone stands for: the
/// one of 256 bits, or the one that there is.
const FAMILIES: &[(&str, &str)] = &[("sha2", "sha2-256"), ("sha3", "sha-3-256"), ("fnv", "fnv1a")];

/// The algorithm that a family's name stands for, in any case: `sha2`, `sha3`, `fnv`. These are not
/// aliases, so that nobody gets a member by mistake: a user who asks for a family is shown the
/// member.
pub fn family(name: &str) -> Option<Algorithm> {
    let (_, member) = FAMILIES.iter().find(|(family, _)| name.eq_ignore_ascii_case(family))?;
    OWN.find(member).ok()
}

/// [`ROWS`] alone, for `Algorithm::all` and `str::parse`.
static OWN: Registry = Registry::new(&[&ROWS]);

impl Algorithm {
    /// This crate's own algorithms in registry order, with their default lengths.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        OWN.all()
    }
}

/// Reads the names of this crate's own algorithms, as [`Registry::find`](crate::Registry::find)
/// does.
impl std::str::FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Algorithm, UnknownAlgorithm> {
        OWN.find(text)
    }
}
