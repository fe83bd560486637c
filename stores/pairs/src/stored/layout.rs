//! Marks and sizes of an index file.

use pfh_similarity::shingles::Unit;

/// The first bytes of an index of ssdeep digests.
pub const MARK: &[u8; 8] = b"pfhsim2\n";
/// Those of indexes before they had checksums.
pub const OLD: &[u8; 8] = b"pfhsim1\n";
/// Those of indexes of windows and strings.
pub const UNITS: [(&[u8; 8], Unit); 3] =
    [(b"pfhshg1\n", Unit::Window), (b"pfhtxt1\n", Unit::Text), (b"pfhstr1\n", Unit::String)];
/// Bytes of the mark and the numbers behind it.
pub const HEADER: u64 = 8 + 7 * 8;
/// Bytes of a posting.
pub const POSTING: u64 = 12;
/// Postings between two fences.
pub const PAGE: u64 = 1024;

/// The unit of an index with this mark.
pub fn unit(mark: &[u8]) -> Option<Unit> {
    UNITS.iter().find(|(of, _)| **of == mark).map(|(_, unit)| *unit)
}
