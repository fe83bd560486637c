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

use crate::registry::{parse, row, start};
use crate::shingles::{Digest, of_unit};
use crate::{Comparison, Method, Named, Profile, Score};
use pfh_digest::Row;

/// The method; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text;

pub(crate) const PROFILE: Profile = Profile {
    lacking: "not a text, or too short",
    lacking_all: "not texts, or too short",
    unit: "window",
    threshold: Score::Similarity(5),
    reference: Score::Similarity(5),
    marks: |text| text.starts_with(b"text:1:"),
    ..of_unit("text")
};

// Its digests are its features.
pub(crate) const ROW: Row = row(&Named::Text, |text| parse(Named::Text, text), || start(Named::Text, Text.hasher()))
    .with_features(|| start(Named::Text, Text.hasher()));

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
