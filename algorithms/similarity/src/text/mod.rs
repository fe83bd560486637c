//! Text by its normal form: the same words in another encoding, with other line ends, other white
//! space or in capitals are the same text.
//!
//! The input is decoded: UTF-16 where it begins with a byte order mark, else UTF-8, and bytes that
//! are not UTF-8 as Latin-1. Each run of white space is one space, none at the beginning and the
//! end; letters are lower case. The digest is that of the normal form's windows, as
//! [`shingles`](crate::shingles) chooses them. An input with a control character that texts do not
//! have is not text, and has no digest.

mod decode;
mod generate;

pub use generate::Generator;

use crate::shingles::Digest;
use crate::{Comparison, Method};

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text;

impl Method for Text {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "text"
    }

    fn hasher(&self) -> Generator {
        Generator::new()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        a.compare(b)
    }
}
