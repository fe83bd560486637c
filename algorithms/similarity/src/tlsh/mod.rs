//! TLSH 4.12: 128 buckets, one byte of checksum, version mark `T1`.
//!
//! Text and comparison are the crate fast-tlsh's; the buckets are counted by the kernel crate.

mod digest;
mod generate;

pub use digest::{Digest, MAXIMUM_LENGTH, MINIMUM_LENGTH};
pub use generate::Generator;

use crate::registry::{parse, row, start};
use crate::{Comparison, Content, Degenerate, Evidence, Method, Named, Profile, Score, TLSH_ABSENT};
use pfh_digest::Row;

/// The method TLSH; it has no parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tlsh;

pub(crate) const PROFILE: Profile = Profile {
    absent: TLSH_ABSENT,
    threshold: Score::Distance(60),
    // The tool itself has none.
    reference: Score::Distance(u32::MAX),
    marks: |text| text == TLSH_ABSENT.as_bytes() || is_digest(text),
    ..Profile::plain("tlsh", |_, text| text.parse().map(Content::Tlsh))
};

/// Whether a text is a digest, in letters of either case; older programs print no `T1` in front,
/// and no other digest has 70 digits.
fn is_digest(text: &[u8]) -> bool {
    let digits = match text.len() {
        72 if text[..2].eq_ignore_ascii_case(b"T1") => &text[2..],
        70 => text,
        _ => return false,
    };
    digits.iter().all(u8::is_ascii_hexdigit)
}

pub(crate) const ROW: Row = row(&Named::Tlsh, |text| parse(Named::Tlsh, text), || start(Named::Tlsh, Tlsh.hasher()));

impl From<Digest> for Content {
    fn from(digest: Digest) -> Content {
        Content::Tlsh(digest)
    }
}

impl Method for Tlsh {
    type Digest = Digest;
    type Hasher = Generator;

    fn name(&self) -> &'static str {
        "tlsh"
    }

    fn hasher(&self) -> Generator {
        Generator::default()
    }

    fn compare(&self, a: &Digest, b: &Digest) -> Comparison {
        // Where the third quartile of the buckets is low, many buckets are empty; TLSH refuses the
        // worst of these inputs itself.
        let degenerate = (a.ratios() == (0, 0) || b.ratios() == (0, 0)).then_some(Degenerate::LowEntropy);
        Comparison { score: Score::Distance(a.distance(b)), evidence: Evidence::default(), degenerate }
    }
}
