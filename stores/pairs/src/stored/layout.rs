//! Marks and sizes of an index file.

use pfh_similarity::MethodName;
use pfh_similarity::shingles::Unit;
use pfh_similarity::tlsh;

/// The first bytes of an index of ssdeep digests.
pub const MARK: &[u8; 8] = b"pfhsim2\n";
/// Those of indexes before they had checksums.
pub const OLD: &[u8; 8] = b"pfhsim1\n";
/// Those of indexes of windows and strings.
pub const UNITS: [(&[u8; 8], Unit); 3] =
    [(b"pfhshg1\n", Unit::Window), (b"pfhtxt1\n", Unit::Text), (b"pfhstr1\n", Unit::String)];
/// Those of indexes of TLSH digests.
pub const TLSH: &[u8; 8] = b"pfhtls1\n";
/// Bytes of the mark and the numbers behind it.
pub const HEADER: u64 = 8 + 7 * 8;
/// Bytes of a posting: a key or window, and the number of a digest that has it.
pub const POSTING: u64 = 12;
/// Bytes of a posting of TLSH: a digest, a zero and its number.
pub const RANGED: u64 = tlsh::BYTES as u64 + 5;
/// Postings between two fences.
pub const PAGE: u64 = 1024;

/// The digests of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ssdeep,
    Tlsh,
    Unit(Unit),
}

impl Kind {
    /// That of an index with this mark.
    pub fn of(mark: &[u8]) -> Option<Kind> {
        let unit = || UNITS.iter().find(|(of, _)| **of == mark).map(|(_, unit)| Kind::Unit(*unit));
        match mark {
            _ if mark == MARK => Some(Kind::Ssdeep),
            _ if mark == TLSH => Some(Kind::Tlsh),
            _ => unit(),
        }
    }

    pub fn method(self) -> MethodName {
        match self {
            Kind::Ssdeep => MethodName::Ssdeep,
            Kind::Tlsh => MethodName::Tlsh,
            Kind::Unit(unit) => unit.method(),
        }
    }

    /// Bytes of a posting.
    pub fn posting(self) -> u64 {
        if self == Kind::Tlsh { RANGED } else { POSTING }
    }
}

/// The length and the ratios of a TLSH digest: postings ascend by them.
pub fn range(digest: &tlsh::Digest) -> u64 {
    let [_, length, ratios, ..] = digest.to_bytes();
    u64::from(length) << 8 | u64::from(ratios)
}

/// A posting of a TLSH digest.
pub fn ranged(digest: &tlsh::Digest, number: u32) -> [u8; RANGED as usize] {
    let mut posting = [0; RANGED as usize];
    posting[..tlsh::BYTES].copy_from_slice(&digest.to_bytes());
    posting[tlsh::BYTES + 1..].copy_from_slice(&number.to_le_bytes());
    debug_assert_eq!(u64::from(posting[1]) << 8 | u64::from(posting[2]), range(digest));
    posting
}
