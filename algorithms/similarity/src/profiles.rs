//! The profiles of the methods that have a kind of `Content`.

use crate::Score;
use crate::profile::Profile;

/// The text of an input that has no digest under TLSH, as its own program prints it: shorter than
/// 50 bytes, longer than 4 GiB, or hardly varied.
pub const TLSH_ABSENT: &str = "TNULL";

pub(crate) const SSDEEP: Profile = Profile {
    aliases: &["ctph"],
    threshold: Score::Similarity(1),
    marks: |text| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && text[digits..].starts_with(b":")
    },
    ..Profile::plain("ssdeep")
};

/// In the mode that the reference takes.
pub(crate) const SDHASH: Profile = Profile {
    aliases: &["sdbf"],
    threshold: Score::Similarity(30),
    marks: |text| text.starts_with(b"sdbf:"),
    ..Profile::plain("sdhash")
};
pub(crate) const SDHASH_STREAM: Profile = Profile { name: "sdhash-stream", aliases: &[], marks: |_| false, ..SDHASH };
pub(crate) const SDHASH_DD: Profile =
    Profile { name: "sdhash-dd", aliases: &["sdbf-dd"], marks: |text| text.starts_with(b"sdbf-dd:"), ..SDHASH };

pub(crate) const MRSH_V2: Profile = Profile {
    aliases: &["mrsh", "mrshv2"],
    unit: "chunk",
    shared: 5,
    marks: |text| text.starts_with(b":"),
    ..Profile::plain("mrsh-v2")
};
/// Its digests look like those of the plain kind, and are taken for such.
pub(crate) const MRSH_V2_NETWORK: Profile =
    Profile { name: "mrsh-v2-network", aliases: &["mrsh-v2n"], marks: |_| false, ..MRSH_V2 };

pub(crate) const TLSH: Profile = Profile {
    absent: TLSH_ABSENT,
    threshold: Score::Distance(60),
    // The tool itself has none.
    reference: Score::Distance(u32::MAX),
    marks: |text| text == TLSH_ABSENT.as_bytes() || is_tlsh(text),
    ..Profile::plain("tlsh")
};

/// Whether a text is a digest of TLSH, in letters of either case; older programs print no `T1` in
/// front, and no other digest has 70 digits.
fn is_tlsh(text: &[u8]) -> bool {
    let digits = match text.len() {
        72 if text[..2].eq_ignore_ascii_case(b"T1") => &text[2..],
        70 => text,
        _ => return false,
    };
    digits.iter().all(u8::is_ascii_hexdigit)
}

pub(crate) const SHINGLES: Profile = Profile {
    unit: "window",
    is_features: true,
    threshold: Score::Similarity(3),
    reference: Score::Similarity(3),
    marks: |text| text.starts_with(b"shingles:"),
    ..Profile::plain("shingles")
};

pub(crate) const STRINGS: Profile = Profile {
    lacking: "not an executable",
    lacking_all: "not executables",
    unit: "string",
    is_features: true,
    // In one half of Debian's packages no two programs of different sources reach 18, in the other
    // half no two reach 15, and 99 and 100 in 100 new releases reach 20; texts that share nothing
    // reach 1 (bench/record, detection-kinds).
    threshold: Score::Similarity(20),
    reference: Score::Similarity(20),
    marks: |text| text.starts_with(b"strings:"),
    ..Profile::plain("strings")
};

pub(crate) const IMPORTS: Profile = Profile {
    lacking: "not an executable that has any, or damaged or too large",
    lacking_all: "not executables that have any, or damaged or too large",
    unit: "name",
    is_features: true,
    threshold: Score::Similarity(55),
    reference: Score::Similarity(55),
    marks: |text| text.starts_with(b"imports:"),
    ..Profile::plain("imports")
};

pub(crate) const TEXT: Profile = Profile {
    lacking: "not a text, or too short",
    lacking_all: "not texts, or too short",
    unit: "window",
    is_features: true,
    threshold: Score::Similarity(5),
    reference: Score::Similarity(5),
    marks: |text| text.starts_with(b"text:1:"),
    ..Profile::plain("text")
};

pub(crate) const CELLS: Profile = Profile {
    lacking: "not a table, or too short",
    lacking_all: "not tables, or too short",
    unit: "cell",
    is_features: true,
    // Columns of dates and of years are in tables that have nothing else in common.
    threshold: Score::Similarity(30),
    reference: Score::Similarity(30),
    marks: |text| text.starts_with(b"cells:1:"),
    ..Profile::plain("cells")
};

/// Of pictures.
const PICTURES: Profile = Profile {
    lacking: "not a picture, or featureless, damaged or too large",
    lacking_all: "not pictures, or featureless, damaged or too large",
    ..Profile::plain("")
};

pub(crate) const PDQ: Profile = Profile {
    name: "pdq",
    digits: Some(64),
    // The description's own: of 524,487 unrelated pairs of pictures none is nearer than 68
    // (bench/record, pictures).
    threshold: Score::Distance(31),
    reference: Score::Distance(31),
    ..PICTURES
};

pub(crate) const PHASH: Profile = Profile {
    name: "phash",
    digits: Some(16),
    // Of the same pairs none is nearer than 8.
    threshold: Score::Distance(6),
    reference: Score::Distance(6),
    ..PICTURES
};

pub(crate) const CROPS: Profile = Profile {
    name: "crops",
    unit: "place",
    // None of 495,510 pairs of photographs of github.com/EliSchwartz/imagenet-sample-images has
    // five places in common.
    threshold: Score::Similarity(6),
    reference: Score::Similarity(6),
    marks: |text| text.starts_with(b"crops:1:"),
    ..PICTURES
};
