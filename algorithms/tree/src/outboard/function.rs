//! The functions that trees are made by.

use pfh_digest::Digest;

/// The value of a leaf, a node or a root.
pub type Value = [u8; 32];

/// The hash function that computes the values of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// SHA-256 (FIPS 180-4), leaves, nodes and root distinguished by tags.
    Sha256,
    /// SHA3-256 (FIPS 202), likewise.
    Sha3_256,
    /// BLAKE3's own tree.
    Blake3,
    /// HMAC (RFC 2104) over SHA-256 under a key, with the tags of [`Sha256`](Function::Sha256).
    HmacSha256,
    /// HMAC over SHA3-256, likewise.
    HmacSha3_256,
    /// KMAC256 (NIST SP 800-185, section 4) with 32 bytes of output, likewise.
    Kmac256,
    /// BLAKE3's own tree in its keyed mode.
    Blake3Keyed,
}

impl Function {
    /// Those without a key.
    pub const ALL: [Function; 3] = [Function::Sha256, Function::Sha3_256, Function::Blake3];

    /// Those of a key: their roots are message authentication codes.
    pub const KEYED: [Function; 4] =
        [Function::HmacSha256, Function::HmacSha3_256, Function::Kmac256, Function::Blake3Keyed];

    /// `sha256`, `sha3-256`, `blake3`, `hmac-sha256`, `hmac-sha3-256`, `kmac256` or `blake3-keyed`.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sha256 => "sha256",
            Function::Sha3_256 => "sha3-256",
            Function::Blake3 => "blake3",
            Function::HmacSha256 => "hmac-sha256",
            Function::HmacSha3_256 => "hmac-sha3-256",
            Function::Kmac256 => "kmac256",
            Function::Blake3Keyed => "blake3-keyed",
        }
    }

    fn every() -> impl Iterator<Item = Function> {
        Function::ALL.into_iter().chain(Function::KEYED)
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<Function> {
        Function::every().find(|function| function.name() == name)
    }

    /// Whether it computes nothing without a key.
    pub fn is_keyed(self) -> bool {
        Function::KEYED.contains(&self)
    }

    /// Whether the tree is BLAKE3's own: the length of the file is bound by its last leaf alone,
    /// and the leaves divide into chunks of 1 KiB.
    pub(crate) fn is_blake3(self) -> bool {
        matches!(self, Function::Blake3 | Function::Blake3Keyed)
    }

    /// The byte that stands for it in binary forms.
    pub(crate) fn code(self) -> u8 {
        match self {
            Function::Sha256 => 1,
            Function::Sha3_256 => 2,
            Function::Blake3 => 3,
            Function::HmacSha256 => 4,
            Function::HmacSha3_256 => 5,
            Function::Kmac256 => 6,
            Function::Blake3Keyed => 7,
        }
    }

    pub(crate) fn of_code(code: u8) -> Option<Function> {
        Function::every().find(|function| function.code() == code)
    }
}

/// The value that a digest of 32 bytes is.
pub(super) fn value(digest: &Digest) -> Value {
    digest.bytes().try_into().expect("digests of 32 bytes")
}
