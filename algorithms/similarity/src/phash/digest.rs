//! The digest.

use crate::pictures::Bits;

/// 64 bits, as 16 hexadecimal digits.
pub type Digest = Bits<1>;
