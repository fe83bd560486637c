//! The digest.

use crate::pictures::Bits;

/// 256 bits, as 64 hexadecimal digits.
pub type Digest = Bits<4>;
