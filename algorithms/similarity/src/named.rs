//! A method by its name, or by the text of its digests.

use crate::{Profile, profiles};
use pfh_digest::{Algorithm, Registry};

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
    /// One that has nothing here but its [`Listed`](crate::Listed) row.
    Foreign(&'static Profile),
}

impl Named {
    /// All that have a kind of [`Content`](crate::Content), in the order of the registry.
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

    /// All that is known of the method.
    pub const fn profile(self) -> &'static Profile {
        match self {
            Named::Ssdeep => &profiles::SSDEEP,
            Named::Sdhash => &profiles::SDHASH,
            Named::SdhashStream => &profiles::SDHASH_STREAM,
            Named::SdhashDd => &profiles::SDHASH_DD,
            Named::MrshV2 => &profiles::MRSH_V2,
            Named::MrshV2Network => &profiles::MRSH_V2_NETWORK,
            Named::Tlsh => &profiles::TLSH,
            Named::Shingles => &profiles::SHINGLES,
            Named::Strings => &profiles::STRINGS,
            Named::Imports => &profiles::IMPORTS,
            Named::Text => &profiles::TEXT,
            Named::Cells => &profiles::CELLS,
            Named::Pdq => &profiles::PDQ,
            Named::Phash => &profiles::PHASH,
            Named::Crops => &profiles::CROPS,
            Named::Foreign(profile) => profile,
        }
    }

    /// The name in the registry.
    pub const fn name(self) -> &'static str {
        self.profile().name
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

    /// Whether its digests are sdhash's, in any mode: they can be compared with each other.
    pub fn is_sdhash(self) -> bool {
        matches!(self, Named::Sdhash | Named::SdhashStream | Named::SdhashDd)
    }

    /// The method of a registry whose digests look like this text, which may still be malformed.
    /// Both kinds of mrsh-v2 look the same, and are taken for the plain one.
    pub fn recognise(registry: Registry, text: &[u8]) -> Option<Named> {
        registry.all().filter_map(Named::of).find(|method| (method.profile().marks)(text))
    }
}
