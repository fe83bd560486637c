//! A method by its name, or by the text of its digests.

use crate::{Profile, profiles};
use pfh_digest::{Algorithm, Registry};

/// A method in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MethodName {
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
    /// One that has nothing here but its [`RegisteredMethod`](crate::RegisteredMethod) row.
    Foreign(&'static Profile),
}

impl MethodName {
    /// All that have a kind of [`Content`](crate::Content), in the order of the registry.
    pub const ALL: [MethodName; 15] = [
        MethodName::Ssdeep,
        MethodName::Sdhash,
        MethodName::SdhashStream,
        MethodName::SdhashDd,
        MethodName::MrshV2,
        MethodName::MrshV2Network,
        MethodName::Tlsh,
        MethodName::Shingles,
        MethodName::Strings,
        MethodName::Imports,
        MethodName::Text,
        MethodName::Cells,
        MethodName::Pdq,
        MethodName::Phash,
        MethodName::Crops,
    ];

    /// All that is known of the method.
    pub const fn profile(self) -> &'static Profile {
        match self {
            MethodName::Ssdeep => &profiles::SSDEEP,
            MethodName::Sdhash => &profiles::SDHASH,
            MethodName::SdhashStream => &profiles::SDHASH_STREAM,
            MethodName::SdhashDd => &profiles::SDHASH_DD,
            MethodName::MrshV2 => &profiles::MRSH_V2,
            MethodName::MrshV2Network => &profiles::MRSH_V2_NETWORK,
            MethodName::Tlsh => &profiles::TLSH,
            MethodName::Shingles => &profiles::SHINGLES,
            MethodName::Strings => &profiles::STRINGS,
            MethodName::Imports => &profiles::IMPORTS,
            MethodName::Text => &profiles::TEXT,
            MethodName::Cells => &profiles::CELLS,
            MethodName::Pdq => &profiles::PDQ,
            MethodName::Phash => &profiles::PHASH,
            MethodName::Crops => &profiles::CROPS,
            MethodName::Foreign(profile) => profile,
        }
    }

    /// The name in the registry.
    pub const fn name(self) -> &'static str {
        self.profile().name
    }

    /// The method of an algorithm; `None` if that gives no similarity digests.
    pub fn of(algorithm: Algorithm) -> Option<MethodName> {
        algorithm.fact().copied()
    }

    /// The method whose words say why inputs have no digest of an algorithm: its own, or that of
    /// imports for the values of parts of programs (imphash, the hash of Rich headers, telfhash).
    pub fn wording(algorithm: Algorithm) -> MethodName {
        MethodName::of(algorithm).filter(|method| method.name() == algorithm.name()).unwrap_or(MethodName::Imports)
    }

    /// Whether its digests are sdhash's, in any mode: they can be compared with each other.
    pub fn is_sdhash(self) -> bool {
        matches!(self, MethodName::Sdhash | MethodName::SdhashStream | MethodName::SdhashDd)
    }

    /// The method of a registry whose digests look like this text, which may still be malformed.
    /// Both kinds of mrsh-v2 look the same, and are taken for the plain one.
    pub fn recognise(registry: Registry, text: &[u8]) -> Option<MethodName> {
        registry.all().filter_map(MethodName::of).find(|method| (method.profile().marks)(text))
    }
}
