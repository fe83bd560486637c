//! A method as its name and its digests' text tell it.

use crate::mrsh_v2::{self, MrshV2};
use crate::sdhash::{self, Sdhash};
use crate::{ABSENT, Method, ParseError, TLSH_ABSENT, ssdeep, tlsh};

/// A method in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Named {
    /// `ssdeep`.
    Ssdeep,
    /// `sdhash`, in the mode that its tool takes: a stream below 16 MiB, blocks of 16 KiB from there on.
    Sdhash,
    /// `sdhash-stream`, in stream mode whatever the length.
    SdhashStream,
    /// `sdhash-dd`, in blocks of 16 KiB.
    SdhashDd,
    /// `mrsh-v2`.
    MrshV2,
    /// `mrsh-v2-network`, without the first and the last chunk.
    MrshV2Network,
    /// `tlsh`.
    Tlsh,
}

impl Named {
    /// All of them, in the order of the registry.
    pub const ALL: [Named; 7] = [
        Named::Ssdeep,
        Named::Sdhash,
        Named::SdhashStream,
        Named::SdhashDd,
        Named::MrshV2,
        Named::MrshV2Network,
        Named::Tlsh,
    ];

    /// The name in the registry.
    pub fn name(self) -> &'static str {
        match self {
            Named::Ssdeep => "ssdeep",
            Named::Sdhash => "sdhash",
            Named::SdhashStream => Sdhash::STREAM.name(),
            Named::SdhashDd => Sdhash::BLOCKS.name(),
            Named::MrshV2 => MrshV2::PLAIN.name(),
            Named::MrshV2Network => MrshV2::NETWORK.name(),
            Named::Tlsh => "tlsh",
        }
    }

    /// The method of this name in the registry.
    pub fn find(name: &str) -> Option<Named> {
        Named::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Whether its digests are sdhash's, in any mode: they can be compared with each other.
    pub fn is_sdhash(self) -> bool {
        matches!(self, Named::Sdhash | Named::SdhashStream | Named::SdhashDd)
    }

    /// Whether a text is one that says that the input has no digest.
    pub fn is_absent(self, text: &str) -> bool {
        text == if self == Named::Tlsh { TLSH_ABSENT } else { ABSENT }
    }

    /// Whether a text is a digest of the method, with an empty name where it holds one, or says that there is none.
    pub fn check(self, text: &str) -> Result<(), ParseError> {
        if self.is_absent(text) {
            return Ok(());
        }
        match self {
            Named::Ssdeep => text.parse::<ssdeep::Digest>().map(drop),
            Named::Sdhash => text.parse::<sdhash::Digest>().map(drop),
            Named::SdhashStream | Named::SdhashDd => {
                let digest = text.parse::<sdhash::Digest>()?;
                if digest.block().is_some() == (self == Named::SdhashDd) { Ok(()) } else { Err(ParseError::Marker) }
            }
            Named::MrshV2 | Named::MrshV2Network => text.parse::<mrsh_v2::Digest>().map(drop),
            Named::Tlsh => text.parse::<tlsh::Digest>().map(drop),
        }
    }

    /// The method that a digest's text looks like one of; it may still be malformed. Both kinds of mrsh-v2 look the same, and are
    /// taken for the plain one.
    pub fn recognise(text: &[u8]) -> Option<Named> {
        if text == TLSH_ABSENT.as_bytes() || (text.len() == 72 && text.starts_with(b"T1")) {
            Some(Named::Tlsh)
        } else if text.starts_with(b"sdbf:") {
            Some(Named::Sdhash)
        } else if text.starts_with(b"sdbf-dd:") {
            Some(Named::SdhashDd)
        } else if text.starts_with(b":") {
            Some(Named::MrshV2)
        } else {
            let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            (digits > 0 && text[digits..].starts_with(b":")).then_some(Named::Ssdeep)
        }
    }
}
