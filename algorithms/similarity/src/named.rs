//! A method by its name, or by the text of its digests.

use pfh_digest::Algorithm;

/// The text of an input that has no digest: shorter than 512 bytes for sdhash, longer than 192 GiB
/// for ssdeep, without a window that varies for shingles, of another kind for strings, imports,
/// text and pictures, a picture without contrast.
pub const ABSENT: &str = "none";

/// The same for TLSH, as its own program prints it: shorter than 50 bytes, longer than 4 GiB, or
/// hardly varied.
pub const TLSH_ABSENT: &str = "TNULL";

/// A method in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Named {
    /// `ssdeep`.
    Ssdeep,
    /// `sdhash`, in the mode that its tool takes: a stream below 16 MiB, blocks of 16 KiB from
    /// there on.
    Sdhash,
    /// `sdhash-stream`, in stream mode for any length.
    SdhashStream,
    /// `sdhash-dd`, in blocks of 16 KiB.
    SdhashDd,
    /// `mrsh-v2`.
    MrshV2,
    /// `mrsh-v2-network`, without the first and the last chunk.
    MrshV2Network,
    /// `tlsh`.
    Tlsh,
    /// `shingles`: shared bytes.
    Shingles,
    /// `strings`: printable strings of executables.
    Strings,
    /// `imports`: imported and exported names and sections of executables.
    Imports,
    /// `text`: shared text in any form.
    Text,
    /// `cells`: the cells of tables, in any order.
    Cells,
    /// `pdq`: pictures, by 256 bits of their visible content.
    Pdq,
    /// `phash`: pictures, by 64 bits of their visible content.
    Phash,
    /// `crops`: pictures, by the places that they have in common.
    Crops,
}

impl Named {
    /// All of them, in the order of the registry.
    pub const ALL: [Named; 15] = [
        Named::Ssdeep,
        Named::Sdhash,
        Named::SdhashStream,
        Named::SdhashDd,
        Named::MrshV2,
        Named::MrshV2Network,
        Named::Tlsh,
        Named::Shingles,
        Named::Strings,
        Named::Imports,
        Named::Text,
        Named::Cells,
        Named::Pdq,
        Named::Phash,
        Named::Crops,
    ];

    /// The name in the registry.
    pub const fn name(self) -> &'static str {
        match self {
            Named::Ssdeep => "ssdeep",
            Named::Sdhash => "sdhash",
            Named::SdhashStream => "sdhash-stream",
            Named::SdhashDd => "sdhash-dd",
            Named::MrshV2 => "mrsh-v2",
            Named::MrshV2Network => "mrsh-v2-network",
            Named::Tlsh => "tlsh",
            Named::Shingles => "shingles",
            Named::Strings => "strings",
            Named::Imports => "imports",
            Named::Text => "text",
            Named::Pdq => "pdq",
            Named::Phash => "phash",
            Named::Crops => "crops",
            Named::Cells => "cells",
        }
    }

    /// The method of an algorithm; `None` if that gives no similarity digests.
    pub fn of(algorithm: Algorithm) -> Option<Named> {
        algorithm.fact().copied()
    }

    /// The method whose words say why inputs have no digest of an algorithm: its own, or that of
    /// imports for the values of parts of programs (imphash, the hash of Rich headers, telfhash).
    pub fn wording(algorithm: Algorithm) -> Named {
        Named::of(algorithm).filter(|method| method.name() == algorithm.name()).unwrap_or(Named::Imports)
    }

    /// The text of an input that has no digest under it.
    pub const fn absent(self) -> &'static str {
        match self {
            Named::Tlsh => TLSH_ABSENT,
            _ => ABSENT,
        }
    }

    /// The usual reason why an input has no digest, in a few words.
    pub const fn lacking(self) -> &'static str {
        match self {
            Named::Strings => "not an executable",
            Named::Imports => "not an executable that has any, or damaged or too large",
            Named::Text => "not a text, or too short",
            Named::Cells => "not a table, or too short",
            Named::Pdq | Named::Phash | Named::Crops => "not a picture, or featureless, damaged or too large",
            _ => "too short",
        }
    }

    /// The same of several inputs, all that it may be.
    pub const fn lacking_all(self) -> &'static str {
        match self {
            Named::Strings => "not executables",
            Named::Imports => "not executables that have any, or damaged or too large",
            Named::Text => "not texts, or too short",
            Named::Cells => "not tables, or too short",
            Named::Pdq | Named::Phash | Named::Crops => "not pictures, or featureless, damaged or too large",
            _ => "too short, too plain or too long",
        }
    }

    /// The word for one of the counted things that two inputs share.
    pub const fn unit(self) -> &'static str {
        match self {
            Named::Shingles | Named::Text => "window",
            Named::Strings => "string",
            Named::Imports => "name",
            Named::MrshV2 | Named::MrshV2Network => "chunk",
            Named::Crops => "place",
            Named::Cells => "cell",
            _ => "feature",
        }
    }

    /// Whether its digests are sdhash's, in any mode: they can be compared with each other.
    pub fn is_sdhash(self) -> bool {
        matches!(self, Named::Sdhash | Named::SdhashStream | Named::SdhashDd)
    }

    /// The number of hexadecimal digits of its digests, where they consist of nothing else.
    pub fn digits(self) -> Option<usize> {
        match self {
            Named::Pdq => Some(64),
            Named::Phash => Some(16),
            _ => None,
        }
    }

    /// Whether its digests have distances, from 0 on, and not similarities.
    pub fn has_distances(self) -> bool {
        matches!(self, Named::Tlsh | Named::Pdq | Named::Phash)
    }

    /// Whether its digests are their features: shared ones are found without a comparison of each
    /// two.
    pub fn is_features(self) -> bool {
        matches!(self, Named::Shingles | Named::Strings | Named::Imports | Named::Text | Named::Cells)
    }

    /// The method whose digests look like this text, which may still be malformed. Both kinds of
    /// mrsh-v2 look the same, and are taken for the plain one.
    pub fn recognise(text: &[u8]) -> Option<Named> {
        if text == TLSH_ABSENT.as_bytes() || is_tlsh(text) {
            Some(Named::Tlsh)
        } else if text.starts_with(b"sdbf:") {
            Some(Named::Sdhash)
        } else if text.starts_with(b"sdbf-dd:") {
            Some(Named::SdhashDd)
        } else if text.starts_with(b"shingles:") {
            Some(Named::Shingles)
        } else if text.starts_with(b"strings:") {
            Some(Named::Strings)
        } else if text.starts_with(b"imports:") {
            Some(Named::Imports)
        } else if text.starts_with(b"text:1:") {
            Some(Named::Text)
        } else if text.starts_with(b"crops:1:") {
            Some(Named::Crops)
        } else if text.starts_with(b"cells:1:") {
            Some(Named::Cells)
        } else if text.starts_with(b":") {
            Some(Named::MrshV2)
        } else {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits > 0 && text[digits..].starts_with(b":")).then_some(Named::Ssdeep)
        }
    }
}

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
